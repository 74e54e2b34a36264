"""Run folders with games in them that nobody had to be started for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tomli_w
from arena.rosters import MOODY, SMALLEST
from referee.desk import Desk

from bluke.arena.config import BotConfig
from bluke.arena.rematch.ask import Questions
from bluke.arena.rematch.recorded import Candidate, Recorded, read_recorded
from bluke.rules import Rules
from bluke.wire.values import GameLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bluke.v1 import play_pb2 as play_pb

#: Twelve decisions of each seat.
SMALL = Rules(2, hands=(3, 2, 4))
#: For bots that never answer: under load those that do would be late.
QUICK = GameLimits(decision_ms=300, bank_ms=0, grace_ms=300)


def lowest(turn: play_pb.Turn) -> int:
    """What the smallest bot answers."""
    return turn.legal[0]


def highest(turn: play_pb.Turn) -> int:
    return turn.legal[-1]


def a_desk(
    run: Path,
    rules: Rules = SMALL,
    *,
    limits: GameLimits | None = None,
    seed: bytes = b"desk",
    bots: Sequence[str] = (),
) -> Desk:
    """A desk in a run folder, whose roster has `bot0`, `bot1` ... as the desk has, and further ones."""
    replays = run / "replays"
    replays.mkdir(parents=True)
    names = [f"bot{seat}" for seat in range(rules.seats)] + list(bots)
    commands = {"moody": MOODY, "stubborn": [*MOODY, "stubborn", "child"], "dies": [*MOODY, "die=3"]}
    (run / "arena.toml").write_text(
        tomli_w.dumps({
            "seats": rules.seats,
            "bots": [{"name": name, "command": commands.get(name, SMALLEST), "folder": "."} for name in names],
        })
    )  # fmt: skip
    return Desk(replays, rules, limits or GameLimits(), seed).start()


def finish(desk: Desk, choose: Callable[[play_pb.Turn], int] = lowest, *, note: str | None = None) -> Path:
    """Let every bot of a desk answer in the same way until its game is over; returns the replay."""
    while desk.table.result is None:
        desk.answer(choose(desk.turn), note=note)
    path: Path = desk.close().replay
    return path


def a_game(run: Path, choose: Callable[[play_pb.Turn], int] = lowest, rules: Rules = SMALL) -> Path:
    """A game of a run folder in which nothing went wrong."""
    return finish(a_desk(run, rules), choose)


def candidate(folder: Path, command: Sequence[str] = SMALLEST, *, start_seconds: float = 30.0) -> Candidate:
    return Candidate(BotConfig(name="a", command=list(command), folder=str(folder)), start_seconds=start_seconds)


def everything(path: Path, seat: int = 0, *, clock: bool = True) -> Questions:
    """All that a seat was asked."""
    recorded = read_recorded(path)
    return Questions(recorded, seat, 0, len(recorded.steps), clock)


def only(recorded: Recorded, number: int, seat: int) -> Questions:
    """One decision."""
    return Questions(recorded, seat, number, number + 1)
