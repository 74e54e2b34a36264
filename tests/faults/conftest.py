"""The household that the bad bots visit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from faults.house import MARK, Household, ImpatientTable, left_over, open_household, until

from bluke.arena.process import BotProcess

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture(scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Household]:
    """One referee and three healthy bots for all bad ones: what one of these does must not reach the next."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bluke.referee.server.Table", ImpatientTable)
        # Frequent pings: gRPC may not notice before the next one that a connection broke in the middle of a write.
        # But a bot that does not answer them is to be found out by its clock.
        pings = {"keepalive_ms": 1000, "ping_timeout_ms": 60_000}
        async with open_household(tmp_path_factory.mktemp("house"), **pings) as house:
            yield house


@pytest.fixture
async def mark(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """Marks the processes that a test starts, is impatient with them, and sees that none is left."""
    mark = f"{request.node.nodeid} of {id(request)}"
    monkeypatch.setenv(MARK, mark)
    monkeypatch.setattr(BotProcess, "PATIENCE_SECONDS", 0.1)
    yield mark
    await until(lambda: not left_over(mark), f"the end of {left_over(mark)}")
    ImpatientTable.hurried = set()
