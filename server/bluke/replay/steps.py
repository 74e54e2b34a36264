"""The decisions of a recorded game, one after the other, and the names that people give to moments of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bluke.errors import ConfigError, RuleError
from bluke.replay.reader import CARD_OF, ReplayFileError, advance
from bluke.replay.records import BidLine, EndLine, FaultLine, HandLine, PlayLine
from bluke.rules import Asked, Game, SeededPacks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.replay.reader import Line, Replay
    from bluke.rules import Card

__all__ = ["Moment", "Step", "find_step", "parse_moment", "steps_of"]

MOMENT = re.compile(r"([0-9]{1,6})\.(?:([0-9]{1,6})(?:\.([0-9]{1,6}))?|bid(?:\.([0-9]{1,6}))?|(cut))", re.ASCII)


@dataclass(frozen=True, slots=True)
class Moment:
    """What a person wrote to name a decision.

    Attributes:
        hand: the hand.
        asked: what is asked.
        trick: the trick; 0 for a cut and a bid.
        which: for a play how many cards lie in the trick, for a bid whose it is; `None` if it was not written.
    """

    hand: int
    asked: Asked
    trick: int = 0
    which: int | None = None

    def __str__(self) -> str:
        middle = str(self.trick) if self.asked is Asked.PLAY else self.asked.value
        return f"{self.hand}.{middle}" + ("" if self.which is None else f".{self.which}")


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of a recorded game, and what became of it.

    Attributes:
        line: the line of the move, counted from 1; the last one for a decision that was open when the game ended.
        before: the last line that had been written when it was asked, counted from 1.
        hand: the hand.
        asked: what was asked.
        trick: the trick; 0 for a cut and a bid.
        place: how many bids had been made, or how many cards lay in the trick.
        seat: who was to decide.
        value: the move that took effect; `None` for a decision that was open when the game ended.
        ms: what was measured, `None` if nothing.
        note: what the bot said about it.
        by_referee: whether the referee made the move.
        forced: whether a person chose it for a branch.
        faults: the faults that were charged while it was open.
    """

    line: int
    before: int
    hand: int
    asked: Asked
    trick: int
    place: int
    seat: int
    value: int | Card | None
    ms: float | None = None
    note: str = ""
    by_referee: bool = False
    forced: bool = False
    faults: tuple[FaultLine, ...] = ()

    @property
    def was_asked(self) -> bool:
        """Whether a bot was asked: of a seat that the referee plays out nothing is asked, and nothing measured."""
        return not self.forced and (self.ms is not None or not self.by_referee)

    @property
    def at(self) -> Moment:
        """The moment in as few words as name it to the seat: `3.7`, `3.bid` or `3.cut`."""
        return Moment(self.hand, self.asked, self.trick)

    @property
    def moment(self) -> Moment:
        """The moment in full: `3.7.2`, `3.bid.1` or `3.cut`."""
        which = {Asked.CUT: None, Asked.BID: self.seat, Asked.PLAY: self.place}[self.asked]
        return Moment(self.hand, self.asked, self.trick, which)


def steps_of(replay: Replay) -> tuple[Step, ...]:
    """The decisions of a game in order; the last one may be one that was open when the game ended.

    Raises:
        ReplayFileError: the file has no last line, and so no seed, or a move that the rules refuse.
    """
    if replay.end is None:
        what = (
            "the game was not finished: without its last line the file has no seed, from which later cards follow; "
            "what it holds is shown by `bluke replay show`"
        )
        raise ReplayFileError(replay.path, None, what)
    game = Game(replay.header.rules, SeededPacks(bytes.fromhex(replay.end.game_seed)))
    steps: list[Step] = []
    faults: list[FaultLine] = []
    before = replay.lines[0].number
    for line in replay.lines[1:]:
        number, record = line
        if isinstance(record, FaultLine):
            faults.append(record)
            continue
        step = _step(game, line, before, steps[-1] if steps else None, tuple(faults))
        if step is not None:
            steps.append(step)
            faults = []
        try:
            advance(game, record)
        except RuleError as error:
            raise ReplayFileError(replay.path, number, str(error)) from None
        before = number
    return tuple(steps)


def _step(game: Game, line: Line, before: int, last: Step | None, faults: tuple[FaultLine, ...]) -> Step | None:
    """The decision that a line tells of, if it tells of one; `game` stands before it."""
    record = line.record
    value: int | Card | None = None
    ms, note, by_referee, forced = None, "", False, False
    match record:
        case BidLine():
            value = record.bid
        case PlayLine():
            value = CARD_OF[record.card]
        case HandLine() if game.asked is Asked.CUT:
            value = record.cut or 0
        case EndLine() if game.asked is not None:
            pass
        case _:
            return None
    if not isinstance(record, EndLine):
        ms, note, by_referee, forced = record.ms, record.note, record.by is not None, record.forced
    asked = game.asked or Asked.PLAY
    trick = game.trick if asked is Asked.PLAY else 0
    follows = last is not None and (last.hand, last.asked, last.trick) == (game.hand, asked, trick)
    return Step(
        line=line.number,
        before=before,
        hand=game.hand,
        asked=asked,
        trick=trick,
        place=last.place + 1 if last is not None and follows else 0,
        seat=game.seat,
        value=value,
        ms=ms,
        note=note,
        by_referee=by_referee,
        forced=forced,
        faults=faults,
    )


def parse_moment(text: str) -> Moment:
    """Read `HAND.TRICK`, `HAND.TRICK.CARD`, `HAND.bid`, `HAND.bid.SEAT` or `HAND.cut`; all numbers count from 0.

    Raises:
        ConfigError: it is none of these.
    """
    # As it stands in the address of a page.
    found = MOMENT.fullmatch(text.removeprefix("#"))
    if found is None:
        msg = f"{text[:40]!r} names no moment: write HAND.TRICK such as 3.7, HAND.bid such as 3.bid, or HAND.cut"
        raise ConfigError(msg)
    hand = int(found[1])
    if found[5]:
        return Moment(hand, Asked.CUT)
    if found[2] is None:
        return Moment(hand, Asked.BID, 0, None if found[4] is None else int(found[4]))
    return Moment(hand, Asked.PLAY, int(found[2]), None if found[3] is None else int(found[3]))


def find_step(steps: Sequence[Step], moment: Moment, seat: int | None = None) -> int:
    """The number, in `steps`, of the first decision that a moment names; with `seat` of its first one of that seat.

    Raises:
        ConfigError: there is none; the message says what there is.
    """
    told = "the game" if seat is None else f"seat {seat}"
    here = [step for step in steps if step.hand == moment.hand and seat in {None, step.seat}]
    if not here:
        hands = sorted({step.hand for step in steps if seat in {None, step.seat}})
        known = f"hands {hands[0]} to {hands[-1]}" if hands else "none"
        msg = f"there is no moment {moment}: of {told} the file has {known}"
        raise ConfigError(msg)
    for number, step in enumerate(steps):
        if seat not in {None, step.seat} or step.at != Moment(moment.hand, moment.asked, moment.trick):
            continue
        if moment.which in {None, step.moment.which}:
            return number
    names = dict.fromkeys(str(step.at if seat is not None else step.moment) for step in here)
    msg = f"there is no moment {moment}: hand {moment.hand} of {told} has {_listed(list(names))}"
    raise ConfigError(msg)


def _listed(names: list[str]) -> str:
    return " ".join(names) if len(names) <= 12 else " ".join([*names[:6], "...", *names[-3:]])
