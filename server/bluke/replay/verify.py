"""Working out a whole game again from its replay file, trusting none of it (RULES 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from bluke.errors import RuleError
from bluke.replay.reader import CARD_OF, Line, Replay, ReplayFileError, advance, read_replay
from bluke.replay.records import (
    BidLine,
    DrawLine,
    EndLine,
    FaultLine,
    HandLine,
    PlayLine,
    ScoreLine,
    TrickLine,
    draw_line,
    event_line,
)
from bluke.replay.text import visible
from bluke.rules import Asked, Game, SeededPacks, commitment, game_seed, places
from bluke.wire.values import Policy, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

__all__ = ["Verdict", "verify", "verify_replay"]

#: The section of RULES that settles each key that can be worked out again.
SECTIONS = {
    "rounds": "3.1",
    "scorekeeper": "3.3",
    "hand": "2.3",
    "size": "2.3",
    "dealer": "3.5",
    "cards": "4.1",
    "cut": "4.2",
    "turned": "4.3",
    "trump": "4.3",
    "trick": "6.1",
    "winner": "1.4",
    "bids": "5.1",
    "tricks": "6.1",
    "points": "7.1",
    "totals": "7.3",
    "places": "7.3",
}
#: Keys of a line that nothing but its words vouch for.
NOT_WORKED_OUT = {"ms", "note", "by", "forced"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of checking one file.

    Attributes:
        path: the file.
        line: the first line that is wrong, counted from 1; `None` if all is well or it is the file as a whole.
        problem: what is wrong, as a sentence without its full stop; empty if all is well.
    """

    path: Path
    line: int | None = None
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether the file is finished and everything in it is true."""
        return not self.problem

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}: "
        return f"{visible(str(self.path))}: {where}{self.problem or 'ok'}"


def verify(path: Path) -> Verdict:
    """Check one file from its bytes alone. It raises nothing: what is wrong is in the verdict."""
    try:
        replay = read_replay(path)
    except ReplayFileError as error:
        return Verdict(path, error.line, error.what)
    return verify_replay(replay)


def verify_replay(replay: Replay) -> Verdict:
    """Check a replay that was read."""
    try:
        _Check(replay).run()
    except _WrongError as error:
        return Verdict(replay.path, error.line, visible(error.what))
    return Verdict(replay.path)


class _WrongError(Exception):
    """The first thing that is wrong."""

    def __init__(self, line: int | None, what: str) -> None:
        super().__init__(line, what)
        self.line = line
        self.what = what


class _Check:
    """One check of one file; each step raises at the first thing that is wrong."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.header = replay.header
        seats = replay.header.rules.seats
        self.strict = replay.header.limits.policy is Policy.STRICT
        self.faults = [0] * seats
        #: The seat whose fault ended a strict game.
        self.culprit: int | None = None
        #: How many moves have been met in the file.
        self.moves = 0
        #: How many of the game's events have been met in the file.
        self.met = 0
        self.line: int | None = None
        self.takes: dict[type[Any], Callable[[Any], None]] = {
            DrawLine: self.take_draw,
            HandLine: self.take_hand,
            BidLine: self.take_bid,
            PlayLine: self.take_play,
            TrickLine: self.take_told,
            ScoreLine: self.take_told,
            FaultLine: self.take_fault,
            EndLine: self.take_end,
        }

    def run(self) -> None:
        replay = self.replay
        first, last = replay.lines[0].number, replay.lines[-1].number
        if replay.end is None:
            told = [hand for hand in replay.hands if hand.score is not None]
            raise _WrongError(
                last,
                f"the game was not finished: the file stops after {len(told)} of "
                f"{len(replay.header.rules.schedule)} hands and has no 'end' line"
                + "".join(f"; {problem}" for problem in replay.problems),
            )
        if replay.problems:
            raise _WrongError(*replay.problems[0])
        self.seed = bytes.fromhex(replay.end.game_seed)
        self.whole = replay.sha256 == replay.end.sha256
        self.check_seeds(first, last, replay.end)
        self.game = Game(self.header.rules, SeededPacks(self.seed))
        try:
            for line in replay.lines[1:]:
                self.take(line)
        except RuleError as error:
            raise _WrongError(self.line, str(error)) from None

    def check_seeds(self, first: int, last: int, end: EndLine) -> None:
        # If the bytes before the end are as they were, it is the last line that is at fault, and otherwise the first.
        suspect = last if self.whole else first
        if commitment(self.seed, self.header.game) != self.header.commitment:
            raise _WrongError(suspect, "the commitment of the first line is not to game_seed of the last (RULES 8.1)")
        if end.match_seed is not None and game_seed(bytes.fromhex(end.match_seed), self.header.deal) != self.seed:
            raise _WrongError(
                suspect,
                f"game_seed does not follow from match_seed and deal {self.header.deal} of the first line (RULES 8.2)",
            )

    def take(self, line: Line) -> None:
        self.line = line.number
        self.takes[type(line.record)](line.record)

    def take_draw(self, record: DrawLine) -> None:
        self.compare(record, draw_line(self.game.draw))

    def take_hand(self, record: HandLine) -> None:
        game = self.game
        asked = game.asked is Asked.CUT and self.met == len(game.events)
        if asked:
            if record.cut is None:
                self.wrong("cut is null, but there is something to cut (RULES 4.2)")
            self.check_mover(game.seat, record.cut, record)
            advance(game, record)
        elif record.by is not None or record.forced:
            what = "by is 'referee'" if record.by else "forced is true"
            self.wrong(f"{what}, but no seat was asked to cut (RULES 4.5)")
        self.take_told(record)

    def take_bid(self, record: BidLine) -> None:
        self.check_due(record)
        self.check_mover(record.seat, record.bid, record)
        self.game.bid(record.seat, record.bid)
        self.met += 1

    def take_play(self, record: PlayLine) -> None:
        self.check_due(record)
        self.check_mover(record.seat, CARD_OF[record.card], record)
        self.game.play(record.seat, CARD_OF[record.card])
        self.met += 1

    def take_told(self, record: HandLine | TrickLine | ScoreLine) -> None:
        """A line that follows from the moves before it."""
        if self.met == len(self.game.events):
            self.wrong(f"a {_name(record)} line is not due here: {self.due()}")
        expected = event_line(self.game.events[self.met])
        if type(expected) is not type(record):
            self.wrong(f"a {_name(record)} line is not due here: {self.due()}")
        self.compare(record, expected)
        self.met += 1

    def take_fault(self, record: FaultLine) -> None:
        game = self.game
        self.check_culprit()
        self.check_told(record)
        if record.hand != game.hand:
            self.wrong(f"hand is {record.hand}, but it is hand {game.hand} that is being played")
        if record.asked is not None and (record.asked is not game.asked or record.seat != game.seat):
            self.wrong(f"seat {record.seat} was not asked to {record.asked.value}: {self.due()}")
        self.faults[record.seat] += 1
        if self.strict:
            self.culprit = record.seat

    def take_end(self, record: EndLine) -> None:
        game, status = self.game, record.status
        all_told = self.met == len(game.events)
        parent = self.header.parent
        if parent is not None and parent.moves is not None and parent.moves > self.moves:
            self.wrong(f"parent of the first line names {parent.moves} moves, but there are {self.moves}")
        if status is Status.COMPLETE and not (game.over and all_told):
            self.wrong(f"status is 'complete', but the game was not played to its end: {self.due()}")
        if status is Status.COMPLETE and self.culprit is not None:
            self.wrong("status is 'complete', but under the strict policy the fault ended the game")
        if status is Status.FORFEITED and self.culprit is None:
            self.wrong("status is 'forfeited', but no fault under the strict policy ended the game")
        if status is Status.FORFEITED and not all_told:
            self.wrong(f"lines are missing before it: {self.due()}")
        self.expect("totals", record.totals, game.totals)
        self.expect("faults", record.faults, tuple(self.faults))
        self.check_played_out(record)
        expected = None
        if status is not Status.VOID:
            behind: Collection[int] = record.played_out if self.culprit is None else (self.culprit,)
            expected = places(game.totals, behind)
        self.expect("places", record.places, expected)
        if not self.whole:
            self.wrong("sha256 is not that of the lines before it: something that cannot be worked out was changed")

    def check_played_out(self, record: EndLine) -> None:
        played_out = record.played_out
        if list(played_out) != sorted(set(played_out)):
            self.wrong(f"played_out is {list(played_out)}, not in rising order")
        if self.strict and played_out:
            self.wrong("played_out is not empty, but under the strict policy no seat is played out")
        for seat, faults in enumerate(self.faults):
            if seat in played_out and not faults:
                self.wrong(f"played_out names seat {seat}, which had no fault")
            if seat not in played_out and self.taken_over(seat):
                self.wrong(f"played_out does not name seat {seat}, which had {faults} faults")

    def taken_over(self, seat: int) -> bool:
        """Whether the seat has had so many faults that the referee plays it."""
        return not self.strict and self.faults[seat] >= max(1, self.header.limits.max_faults)

    def check_due(self, record: BidLine | PlayLine) -> None:
        """Refuse a move that is not of the hand and trick being played."""
        game = self.game
        self.check_told(record)
        if record.hand != game.hand:
            self.expect("hand", record.hand, game.hand)
        if isinstance(record, PlayLine) and record.trick != game.trick:
            self.expect("trick", record.trick, game.trick)

    def check_told(self, record: BidLine | PlayLine | FaultLine) -> None:
        """Refuse a line while lines that follow from the moves before it are missing."""
        if self.met != len(self.game.events):
            self.wrong(f"a {_name(record)} line is not due here: {self.due()}")

    def check_mover(self, seat: int, value: object, record: HandLine | BidLine | PlayLine) -> None:
        """Check who made a move: the referee makes the fixed one, and only for a seat that was at fault."""
        self.check_culprit()
        self.check_branch(record)
        game = self.game
        if record.by is None:
            if self.taken_over(seat):
                self.wrong(f"seat {seat} had {self.faults[seat]} faults: the move must be by the referee")
            return
        if seat != game.seat:
            return
        if not self.faults[seat]:
            self.wrong(f"the move is by the referee, but seat {seat} had no fault before")
        fixed = game.fixed_answer()
        if value != fixed:
            self.wrong(f"the referee's answer here is {fixed}, not {value}")

    def check_branch(self, record: HandLine | BidLine | PlayLine) -> None:
        """Check what a move and the first line say of the moment at which the game left another."""
        game, parent = self.game, self.header.parent
        shared = None if parent is None else parent.moves
        if parent is not None and self.moves == shared and (game.hand, game.trick) != (parent.hand, parent.trick):
            self.wrong(
                f"parent of the first line names hand {parent.hand}, trick {parent.trick}, but after {shared} moves "
                f"it is hand {game.hand}, trick {game.trick}"
            )
        if record.forced and (shared is None or self.moves > shared):
            self.wrong("forced is true, but the first line names no parent that the game left here")
        self.moves += 1

    def check_culprit(self) -> None:
        if self.culprit is not None:
            self.wrong(f"under the strict policy the fault of seat {self.culprit} ended the game before this line")

    def due(self) -> str:
        """What should come next, for a message."""
        game = self.game
        if self.met < len(game.events):
            return f"a {_name(event_line(game.events[self.met]))} line is"
        if game.asked is None:
            return "the 'end' line is"
        return f"seat {game.seat} is to {game.asked.value} in hand {game.hand}"

    def compare(self, found: Any, expected: Any) -> None:  # noqa: ANN401 - two lines of the same type
        for key in expected.__struct_fields__:
            if key not in NOT_WORKED_OUT:
                self.expect(key, getattr(found, key), getattr(expected, key))

    def expect(self, key: str, found: object, expected: object) -> None:
        if found == expected:
            return
        section = f" (RULES {SECTIONS[key]})" if key in SECTIONS else ""
        if isinstance(found, tuple) and isinstance(expected, tuple) and len(found) == len(expected):
            at = next(i for i, pair in enumerate(zip(found, expected, strict=True)) if pair[0] != pair[1])
            key, found, expected = f"{key}[{at}]", found[at], expected[at]
        self.wrong(f"{key} is {_told(found)}, not {_told(expected)}{section}")

    def wrong(self, what: str) -> NoReturn:
        raise _WrongError(self.line, what)


def _name(record: Any) -> str:  # noqa: ANN401 - any line
    return repr(record.__struct_config__.tag)


def _told(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, tuple):
        return f"[{' '.join(map(_told, value))}]"
    return str(value)
