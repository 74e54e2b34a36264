"""The long form: whole runs of the arena, everybody at once, again and again, and a thousand games.

`-m soak` runs these; nothing else does. Here all seats have the same clock, as in a run.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from bad_bot import CRASH_CODE
from faults.cases import CASES, MAX_FAULTS, STARTS
from faults.house import BAD, ROOT, SMALLEST, Household
from faults.oracle import check_moves
from faults.test_bad_bots import visit_four_times

from bluke.arena.config import ArenaConfig, load_config
from bluke.arena.run import RunResult, make_plan, play_run
from bluke.replay.reader import read_replay
from bluke.replay.verify import verify
from bluke.wire.values import FaultKind, Policy, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bluke.arena.record import GameRecord

pytestmark = [pytest.mark.soak, pytest.mark.slow, pytest.mark.timeout(1800)]

ROUNDS = 5
#: What else a bot may be charged with here.
ALSO = {
    # For long it does not answer pings either.
    "frozen": FaultKind.DISCONNECTED,
    # What is between two games of the bot is in the middle of others that it plays at the same time.
    "crash-between-games": FaultKind.CRASH,
}


def roster(names: Sequence[str], healthy: int, **options: Any) -> dict[str, Any]:
    """What an arena.toml with bad bots holds; a game's first silence costs some seconds, and those that follow less."""
    bots = [{"name": f"healthy{number}", "command": SMALLEST} for number in range(healthy)]
    bots += [{"name": name, "command": [sys.executable, BAD, name]} for name in names]
    return {
        "seats": 4,
        "seed": "soak",
        "tables": 4,
        "start_seconds": 60,
        "rules": {"hands": [3, 1]},
        "clock": {"decision_ms": 300, "bank_ms": 3000},
        "bots": bots,
        **options,
    }


def faults_of(policy: Policy, names: Sequence[str] = ()) -> dict[str, Any]:
    # A bot that comes back needs time for it, and one that does not keeps nobody waiting for long.
    grace = 60_000 if "come-back" in names else 300
    return {"policy": policy.value, "max_faults": MAX_FAULTS, "restarts": 10_000, "grace_ms": grace}


class Watch:
    """A progress that does something at each game."""

    def __init__(self, at_game: Callable[[int], None] = lambda _: None) -> None:
        self.games = 0
        self.at_game = at_game

    def __getattr__(self, _: str) -> Callable[..., None]:
        return lambda *_: None

    def game(self, _: GameRecord) -> None:
        self.games += 1
        self.at_game(self.games)


async def run(data: dict[str, Any], folder: Path, watch: Watch | None = None) -> tuple[ArenaConfig, RunResult]:
    config = load_config(data, where="soak", folder=ROOT)
    return config, await play_run(make_plan(config, folder), watch or Watch(), asyncio.Event())


def check(result: RunResult, folder: Path, policy: Policy) -> None:
    """Every game was played; faults are those of the bots that are bad in that way; the rest is as it must be."""
    assert result.trouble is None
    assert result.complete
    for game in result.games:
        for fault in game.faults:
            name = game.bots[fault.seat]
            assert name in CASES, f"{name} was charged: {fault}"
            assert fault.kind in {CASES[name].kind, ALSO.get(name)}, f"{name} was charged: {fault}"
        if policy is Policy.STRICT:
            assert len(game.faults) == (game.status is Status.FORFEITED)
        assert verify(folder / game.replay).ok
        bad = {seat for seat, name in enumerate(game.bots) if name in CASES}
        check_moves(read_replay(folder / game.replay), bad)


@pytest.mark.parametrize("policy", Policy, ids=lambda policy: policy.value)
@pytest.mark.parametrize("healthy", [3, 0], ids=["with three healthy bots", "alone"])
@pytest.mark.parametrize("name", CASES)
async def test_a_run_with_a_bad_bot(tmp_path: Path, mark: str, name: str, healthy: int, policy: Policy):
    """A run of the arena is complete with any bad bot in it, and only that one pays."""
    data = roster([name], healthy, boards=2, faults=faults_of(policy, [name]))
    _, result = await run(data, tmp_path / "run")
    check(result, tmp_path / "run", policy)
    if CASES[name].kind is not None and healthy:
        assert any(game.faults for game in result.games)


@pytest.mark.parametrize("policy", Policy, ids=lambda policy: policy.value)
@pytest.mark.parametrize("healthy", [3, 0], ids=["with three healthy bots", "alone"])
@pytest.mark.parametrize("name", STARTS)
async def test_a_run_that_does_not_begin(tmp_path: Path, mark: str, name: str, healthy: int, policy: Policy):
    """A run with a bot that cannot be started plays nothing and says which, how and why."""
    start = 2 if name.startswith("no-") else 60
    data = roster([name], healthy, boards=1, faults=faults_of(policy), start_seconds=start)
    _, result = await run(data, tmp_path / "run")
    if STARTS[name].raced and result.trouble is None:
        assert {fault.kind for game in result.games for fault in game.faults} == {FaultKind.CRASH}
        return
    assert result.games == []
    assert f"bot {name!r} could not be started: it " in str(result.trouble)


@pytest.mark.parametrize("policy", Policy, ids=lambda policy: policy.value)
async def test_everybody_at_once(tmp_path: Path, mark: str, policy: Policy):
    """All bad bots meet each other and three healthy ones in one run, and each pays for itself."""
    names = [name for name in CASES if name != "come-back"]
    clock = {"decision_ms": 300, "bank_ms": 10_000}
    data = roster(names, 3, boards=30, tables=8, faults=faults_of(policy), clock=clock)
    _, result = await run(data, tmp_path / "run")
    check(result, tmp_path / "run", policy)
    if policy is Policy.LENIENT:
        charged = {game.bots[fault.seat] for game in result.games for fault in game.faults}
        # Before a silent bot is played out, others may never be asked for what they do wrong.
        assert len(charged) > len([name for name in names if CASES[name].kind]) // 2


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("company", ["with three healthy bots", "alone"])
@pytest.mark.parametrize("name", CASES)
async def test_again_and_again(house: Household, mark: str, name: str, company: str, number: int):
    """The short form has the same outcome each time."""
    await visit_four_times(house, mark, name, CASES[name], alone=company == "alone")


async def test_a_thousand_games(tmp_path: Path, mark: str):
    """Processes, open files and memory do not grow with the games, though a bot crashes in each of them."""
    this = psutil.Process()
    seen: list[tuple[int, int, int, int]] = []

    def look(games: int) -> None:
        if games % 100 == 0:
            children = len(this.children(recursive=True))
            seen.append((this.num_fds(), children, len(asyncio.all_tasks()), this.memory_info().rss))

    data = roster(["crash-in-play"], 3, boards=250, faults=faults_of(Policy.LENIENT))
    _, result = await run(data, tmp_path / "run", Watch(look))
    assert result.trouble is None
    assert len(result.games) == 1000
    faults = [fault for game in result.games for fault in game.faults]
    # Several games at once lose the same process.
    assert {fault.kind for fault in faults} == {FaultKind.CRASH}
    assert {fault.detail for fault in faults} <= {f"the bot's process ended with exit code {CRASH_CODE}"}
    begun, ended = seen[1], seen[-1]
    assert ended[0] <= begun[0] + 20, f"open files: {seen}"
    assert ended[1] <= begun[1] + 5, f"processes: {seen}"
    assert ended[2] <= begun[2] + 20, f"tasks: {seen}"
    assert ended[3] <= begun[3] + 40 * 2**20, f"memory: {seen}"
