"""What the referee's tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from referee.desk import Desk

if TYPE_CHECKING:
    from pathlib import Path

Desks = Callable[..., Desk]


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[Desks]:
    """Makes desks, each with a folder of its own, and closes their files in the end."""
    made: list[Desk] = []

    def make(**options: Any) -> Desk:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(Desk(folder, **options))
        return made[-1]

    yield make
    for desk in made:
        if desk.table.replay is not None:
            desk.table.replay.abandon()
