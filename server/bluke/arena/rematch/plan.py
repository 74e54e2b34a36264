"""Planning a branch: from which moment of a recorded game, with whom and with which move."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from bluke.arena.folder import RunFolder
from bluke.arena.rematch.recorded import BRANCH_FILE, lineup_of, named, read_recorded, roster_of, run_folder_of
from bluke.errors import ConfigError
from bluke.referee.asking import question_of
from bluke.replay.steps import find_step, parse_moment
from bluke.replay.text import visible
from bluke.rules import Asked, Game, SeededPacks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bluke.arena.config import ArenaConfig, BotConfig
    from bluke.arena.rematch.recorded import Recorded
    from bluke.referee.asking import Question
    from bluke.replay.steps import Step
    from bluke.rules import Card

__all__ = ["BranchPlan", "plan_branch"]

#: Stands in a list of seats for the bot of then.
AS_THEN = "-"


@dataclass(frozen=True, slots=True)
class BranchPlan:
    """What is to be played.

    Attributes:
        recorded: the game that is left.
        at: the number of the first decision that is not taken over.
        question: what the seat to act sees.
        forced: the answer to it; `None` if the seat is to be asked.
        then: who sat where, by name.
        now: who is to sit where; `None` for a seat that the referee had taken over by then.
        config: the roster.
        times: how often it is played.
        folder: where it is kept.
    """

    recorded: Recorded
    at: int
    question: Question
    forced: int | Card | None
    then: tuple[str, ...]
    now: tuple[str | None, ...]
    config: ArenaConfig
    times: int
    folder: RunFolder

    @property
    def step(self) -> Step:
        """The decision with which the branch begins."""
        return self.recorded.steps[self.at]

    @property
    def totals_then(self) -> tuple[int, ...]:
        """The total of each seat in the game that is left."""
        result = self.recorded.replay.result
        return (0,) * self.recorded.seats if result is None else result.totals

    @property
    def bots(self) -> dict[str, BotConfig]:
        """The bots that are to be started, by name."""
        return {name: named(self.config, name) for name in self.now if name is not None}

    def game_id(self, number: int) -> str:
        """The id of one of the games.

        It follows from the game that is left, the moment and the number alone: a bot whose chance follows from the
        id is as lucky whoever plays and whatever is forced, so that nothing else makes a difference.
        """
        label = f"bluke/1/branch {self.recorded.game} {self.step.moment} {number}"
        return hashlib.sha256(label.encode("utf-8", "replace")).digest()[:8].hex()


def plan_branch(
    path: Path,
    at: str,
    *,
    seats: str | None = None,
    move: str | None = None,
    times: int = 1,
    out: Path | None = None,
    config: Path | None = None,
) -> BranchPlan:
    """Plan a branch.

    Args:
        path: the game that is left.
        at: the moment.
        seats: names of the roster by seat with commas between them; `-`, and what is not there, is the bot of then.
        move: the move to be made at that moment.
        times: how often it is played.
        out: where it will be kept; left out, in a new folder beside the replays.
        config: the file with the roster; left out, that of the run.

    Raises:
        ConfigError: something is wrong with what was asked for.
        ReplayError: the file is no sound replay of a finished game.
    """
    moment = parse_moment(at)
    recorded = read_recorded(path)
    number = find_step(recorded.steps, moment)
    step = recorded.steps[number]
    game = _game_at(recorded, number)
    roster = roster_of(path, config)
    gone = _taken_over(recorded, number)
    if move is not None and step.seat in gone:
        msg = f"seat {step.seat} was played by the referee at {step.moment}, so no move of it can be chosen"
        raise ConfigError(msg)
    then = lineup_of(recorded)
    return BranchPlan(
        recorded=recorded,
        at=number,
        question=question_of(game),
        forced=None if move is None else _forced(game, step, move),
        then=then,
        now=_seating(roster, then, seats, gone),
        config=roster,
        times=times,
        folder=_folder(path, step, out),
    )


def _game_at(recorded: Recorded, number: int) -> Game:
    """The game as it was before one of its decisions."""
    end = recorded.replay.end
    game = Game(recorded.replay.header.rules, SeededPacks(bytes.fromhex(end.game_seed if end else "")))
    for step in recorded.steps[:number]:
        if step.value is not None:
            game.answer(step.seat, step.value)
    return game


def _taken_over(recorded: Recorded, number: int) -> dict[int, str]:
    """The seats that the referee played from before a decision on, each with the moment of its last fault."""
    result = recorded.replay.result
    last = {fault.seat: at for at, step in enumerate(recorded.steps) for fault in step.faults}
    return {
        seat: str(recorded.steps[last[seat]].moment)
        for seat in (result.played_out if result is not None else ())
        if last[seat] < number
    }


def _forced(game: Game, step: Step, move: str) -> int | Card:
    legal: list[int | Card] = list(game.legal)
    by_text = {str(value): value for value in legal}
    if move not in by_text:
        listed = f"{legal[0]} to {legal[-1]}" if step.asked is not Asked.PLAY else " ".join(by_text)
        what = {Asked.CUT: "cut", Asked.BID: "bid", Asked.PLAY: "card"}[step.asked]
        msg = f"{move!r} is no legal {what} of seat {step.seat} at {step.moment}: legal is {listed}"
        raise ConfigError(msg)
    return by_text[move]


def _seating(
    roster: ArenaConfig, then: tuple[str, ...], seats: str | None, gone: Mapping[int, str]
) -> tuple[str | None, ...]:
    given = [] if seats is None else [name.strip() for name in seats.split(",")]
    if len(given) > len(then):
        msg = f"--seats names {len(given)} bots, and there are {len(then)} seats"
        raise ConfigError(msg)
    given += [AS_THEN] * (len(then) - len(given))
    known = {bot.name for bot in roster.bots}
    now: list[str | None] = []
    for seat, (name, old) in enumerate(zip(given, then, strict=True)):
        if seat in gone:
            if name != AS_THEN:
                msg = (
                    f"seat {seat} was played by the referee after its fault at {gone[seat]}, so nobody can take it "
                    f"later; branch at {gone[seat]} or before"
                )
                raise ConfigError(msg)
            now.append(None)
            continue
        if name == AS_THEN and old not in known:
            there = ", ".join(sorted(visible(bot) for bot in known))
            msg = (
                f"seat {seat} was played by {old!r}, which is no bot of the roster ({there}); "
                "name one for it with --seats"
            )
            raise ConfigError(msg)
        now.append(named(roster, old if name == AS_THEN else name).name)
    return tuple(now)


def _folder(path: Path, step: Step, out: Path | None) -> RunFolder:
    """Where the branch is to be kept; nothing is made yet."""
    if out is not None:
        if (out / BRANCH_FILE).exists() or (out / "results.jsonl").exists():
            msg = f"{out} holds games already; name another folder with --out"
            raise ConfigError(msg)
        return RunFolder(out)
    run = run_folder_of(path)
    home = (path.parent if run is None else run.path) / "branches"
    name = f"{path.name.partition('.')[0]}-{step.moment}"
    names = (home / (name if number == 1 else f"{name}-{number}") for number in count(1))
    return RunFolder(next(folder for folder in names if not folder.exists()))
