"""The pages that most tests of a browser look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from replay.page.games import hostile_game, written
from replay.recording import record_game

from bluke.rules import Rules

if TYPE_CHECKING:
    from pathlib import Path

    from browser import Visit


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """The pages that most tests look at: an ordinary game and a hostile one."""
    folder = tmp_path_factory.mktemp("pages")
    plain = record_game(folder, Rules(4, max_hand=4), seed=3, game_id="plain", note=lambda *_: "a note").path
    return {"plain": written(plain), "hostile": written(hostile_game(folder))}


@pytest_asyncio.fixture
async def plain(visit, pages) -> Visit:
    """The ordinary game, open at its start."""
    return await visit(pages["plain"])
