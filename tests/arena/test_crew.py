from __future__ import annotations

import asyncio
import json
import os
import signal
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from arena.rosters import MOODY, SMALLEST, alive, configured, pids
from arena.watch import Watch

from bluke.arena.record import read_record
from bluke.arena.run import RunResult, make_plan, play_run
from bluke.replay.verify import verify

if TYPE_CHECKING:
    from pathlib import Path


async def run(plan_options: dict[str, Any], folder: Path, watch: Watch, *bots: list[str], **events: asyncio.Event):
    """A whole run in two processes, after which nothing of it may be left."""
    config = configured(folder.parent, *bots, **{"jobs": 2, **plan_options})
    try:
        async with asyncio.timeout(90):
            stop = events.get("stop", asyncio.Event())
            return await play_run(make_plan(config, folder), watch, stop, events.get("drain"))
    finally:
        assert alive(pids(folder / "bots")) == []
        assert workers() == []


def workers() -> list[psutil.Process]:
    """The workers that this process has started and that still run."""
    return [child for child in psutil.Process().children() if "bluke.arena.worker" in child.cmdline()]


def played(result: RunResult, folder: Path) -> list[tuple[object, ...]]:
    """What must not depend on the number of processes."""
    seeds = {g.game: json.loads((folder / g.replay).read_text().splitlines()[-1])["game_seed"] for g in result.games}
    games = sorted(result.games, key=lambda game: game.number)
    return [(g.number, g.board, g.rotation, g.game, g.bots, g.totals, g.bids, g.tricks, seeds[g.game]) for g in games]


async def test_the_same_games_in_two_processes(tmp_path: Path):
    """Ids, deals, points and standings are those of a run in one process; every board is played in one of them."""
    one = await run({"jobs": 1}, tmp_path / "one", Watch(), SMALLEST, SMALLEST)
    watch = Watch()
    two = await run({}, tmp_path / "two", watch, SMALLEST, SMALLEST)
    assert watch.told == ["planned 6", "started", *["game"] * 6]
    assert two.complete
    assert played(one, tmp_path / "one") == played(two, tmp_path / "two")
    assert [(r.bot, r.points, r.ahead) for r in one.standings.rows] == [
        (r.bot, r.points, r.ahead) for r in two.standings.rows
    ]
    logs = sorted(path.name for path in (tmp_path / "two" / "bots").iterdir())
    assert logs == ["00-a.log", "00.1-a.log", "01-b.log", "01.1-b.log"]
    assert all(verify(tmp_path / "two" / game.replay).ok for game in two.games)
    end = read_record(tmp_path / "two" / "results.jsonl")[2]
    assert end is not None
    assert end.status == "complete"


async def test_no_more_processes_than_boards(tmp_path: Path):
    """A process without a board to play is not started."""
    result = await run({"jobs": 9, "boards": 1}, tmp_path / "run", Watch(), SMALLEST, MOODY)
    assert result.complete
    assert len(pids(tmp_path / "run" / "bots")) == 1


async def test_a_bot_that_cannot_start(tmp_path: Path):
    """It is said as in one process, and what had been started is ended."""
    watch = Watch()
    result = await run({}, tmp_path / "run", watch, MOODY, ["sh", "-c", "echo no such module >&2; exit 3"])
    assert watch.told == ["planned 6"]
    assert "bot 'b' could not be started: it ended with exit code 3 before it had joined\n" in str(result.trouble)
    assert "\n  | no such module" in str(result.trouble)


async def test_stop_and_drain(tmp_path: Path):
    """A stop gives up what is being played, a drain finishes it; neither begins another game."""
    for how in ("stop", "drain"):
        event = asyncio.Event()
        watch = Watch(lambda count, event=event: event.set() if count == 2 else None)  # type: ignore[misc]
        result = await run({"boards": 50}, tmp_path / how, watch, SMALLEST, SMALLEST, **{how: event})
        assert not result.complete
        assert result.trouble is None
        assert 2 <= len(result.games) <= 2 + 3
        assert read_record(tmp_path / how / "results.jsonl")[1] == result.games


async def test_stop_while_bots_start(tmp_path: Path):
    """A run that is stopped does not wait for hellos."""
    stop = asyncio.Event()
    stop.set()
    watch = Watch()
    result = await run({}, tmp_path / "run", watch, ["sh", "-c", "echo pid $$; sleep 1000"], stop=stop)
    assert (result.games, result.trouble, watch.told) == ([], None, ["planned 6", "stopping"])


async def test_a_worker_that_is_killed(tmp_path: Path):
    """The run fails with a sentence, keeps what was recorded, and ends the bots that the worker has left behind."""

    def kill(count: int) -> None:
        if count == 2:
            os.kill(workers()[0].pid, signal.SIGKILL)

    folder = tmp_path / "run"
    result = await run({"boards": 50}, folder, Watch(kill), MOODY, SMALLEST)
    assert "a worker of the arena (process " in str(result.trouble)
    assert "ended with signal 9" in str(result.trouble)
    _, games, end = read_record(folder / "results.jsonl")
    assert games == result.games
    assert len(games) >= 2
    assert end is not None
    assert end.status == "failed"


@pytest.mark.parametrize("fault", ["die=3", "hang=3"])
async def test_faults_are_charged_as_in_one_process(tmp_path: Path, fault: str):
    """A bot that dies or hangs is charged in the games that it was in, and nobody else is."""
    options = {"clock": {"decision_ms": 100, "bank_ms": 0}, "faults": {"max_faults": 1, "restarts": 0}}
    result = await run(options, tmp_path / "run", Watch(), SMALLEST, [*MOODY, fault])
    assert result.complete
    charged = {game.bots[fault.seat] for game in result.games for fault in game.faults}
    assert charged == {"b"}
