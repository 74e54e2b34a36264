"""Finding decisions in replay files by what is said of them there, quickly: no move is played again.

A file is believed as it stands. Its lines are decoded at once; only one that this refuses goes to
`bluke.replay.reader`, who says what is wrong with it, or leaves out what may be left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.json import Decoder

from bluke.replay.reader import DECODE_ERRORS, parse_replay, read_bytes
from bluke.replay.records import (
    FORMAT,
    REGRET,
    BidLine,
    DrawLine,
    EndLine,
    FaultLine,
    GameLine,
    HandLine,
    PlayLine,
    Record,
    ScoreLine,
    TrickLine,
)
from bluke.replay.steps import Moment
from bluke.replay.text import visible
from bluke.rules import Asked, Outcome, outcome
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from bluke.replay.reader import Problem

__all__ = ["Decision", "Found", "Query", "search"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a decision must be like to be found. Nothing given means no condition; all that are given must hold.

    Attributes:
        bots: the bot's name is like one of these patterns, `rule*` for example.
        seats: the seat.
        asked: what was asked.
        hands: the number of the hand is in one of these.
        sizes: the cards dealt to each seat are in one of these.
        trumps: the trump as a file has it, `None` for no trump.
        bids: what the seat bid in this hand is in one of these.
        outcomes: what became of the bid.
        lost: the seat lost at least so many points in this hand.
        cards: the card that was played, as a file has it.
        faults: the seat was charged with one of these kinds over the decision.
        referee: the referee made the move.
        regret: the note begins like that of a regretted move.
        note: the note has a place that is like this.
        slow: the time was longer than so many milliseconds.
    """

    bots: tuple[str, ...] = ()
    seats: frozenset[int] = frozenset()
    asked: frozenset[Asked] = frozenset()
    hands: tuple[range, ...] = ()
    sizes: tuple[range, ...] = ()
    trumps: frozenset[str | None] = frozenset()
    bids: tuple[range, ...] = ()
    outcomes: frozenset[Outcome] = frozenset()
    lost: int | None = None
    cards: frozenset[str] = frozenset()
    faults: frozenset[FaultKind] = frozenset()
    referee: bool = False
    regret: bool = False
    note: re.Pattern[str] | None = None
    slow: float | None = None


class Decision(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A decision that was found; text is as it is in the file.

    Attributes:
        file: the path of the file.
        game: the id of the game.
        at: the moment as `bluke.replay.steps.parse_moment` reads it: with `seat` it names this decision alone.
        hand: the hand.
        size: cards dealt to each seat.
        trump: the trump, `None` for none, or if the hand was not dealt yet.
        dealer: the dealer, `None` if the hand was not dealt yet.
        asked: what was asked; `None` for a fault while nothing was asked, if the game ended before anything was.
        trick: of a play, the trick.
        place: how many bids had been made, or how many cards lay in the trick.
        seat: whose decision it was.
        bot: its name.
        value: the move: a bid, a card or a cut; `None` if the game ended before one was made.
        ms: what was measured, `None` if nothing.
        note: what the bot said about it.
        referee: whether the referee made the move.
        forced: whether a person chose it for a branch.
        faults: the kinds of the faults that the seat was charged with since its decision before.
        bid: what the seat bid in this hand, `None` if it has not.
        taken: the tricks that it took, `None` if the hand was not scored; likewise the next two.
        outcome: what became of the bid: S, O or P (RULES 7.4).
        points: what it scored.
    """

    file: str
    game: str
    at: str
    hand: int
    size: int
    trump: str | None
    dealer: int | None
    asked: Asked | None
    trick: int | None = None
    place: int
    seat: int
    bot: str
    value: int | str | None
    ms: float | None
    note: str = ""
    referee: bool = False
    forced: bool = False
    faults: tuple[FaultKind, ...] = ()
    bid: int | None
    taken: int | None
    outcome: Outcome | None
    points: int | None


@dataclass(frozen=True, slots=True)
class Found:
    """What a file holds: the decisions in its order, and what is wrong with it and did not keep it from being read."""

    decisions: tuple[Decision, ...] = ()
    problems: tuple[Problem, ...] = ()


def search(path: Path, query: Query) -> Found:
    """Find decisions in one file: plain, gzip or Zstandard, finished or not.

    A file is read no further than is needed to know that nothing in it can be found.

    Raises:
        ReplayFileError: it cannot be read, or is no replay of this format.
    """
    data = read_bytes(path)
    try:
        # A first line without its end is no line.
        split = data.index(b"\n") + 1
        game = _decode_first(data[:split])
        if not (_may_match(game, query) and _may_hold(data, query)):
            return Found()
        return Found(_Scan(path, game, query).run(_decode_lines(memoryview(data)[split:])))
    except (*DECODE_ERRORS, _ShapeError, ValueError):
        # The reader says what is wrong and on which line.
        replay = parse_replay(data, path)
    first, *rest = (line.record for line in replay.lines)
    assert isinstance(first, GameLine)  # noqa: S101 -- the reader has seen to it
    return Found(_Scan(path, first, query).run(rest), replay.problems)


def _decode_first(line: bytes) -> GameLine:
    game = _decode_game(line)
    if game.format != FORMAT:
        raise _ShapeError
    return game


_decode_game: Callable[[bytes], GameLine] = Decoder(GameLine).decode
_decode_lines: Callable[[memoryview], list[Record]] = Decoder(Record).decode_lines


def _may_match(game: GameLine, query: Query) -> bool:
    """Whether a game with this first line can hold a match."""
    seats = _seats(game, query)
    hands = not query.hands or any(_within(number, query.hands) for number in range(len(game.rules.hands)))
    sizes = not query.sizes or any(_within(size, query.sizes) for size in game.rules.hands)
    return bool(seats) and hands and sizes


def _may_hold(data: bytes, query: Query) -> bool:
    """Whether these bytes can hold a match: text that they do not hold, written out, is not in the file."""
    if b"\\u" in data:
        # JSON may spell any character like this.
        return True
    needed: list[Sequence[bytes]] = []
    if query.faults:
        needed.append([f'"{kind.value}"'.encode() for kind in query.faults])
    if query.referee:
        needed.append([b'"referee"'])
    if query.regret:
        needed.append([f'"{REGRET}'.encode()])
    if query.note:
        needed.append([b'"note"'])
    return all(any(words in data for words in choice) for choice in needed)


def _seats(game: GameLine, query: Query) -> set[int]:
    """The seats whose decisions can be found."""
    return {
        seat
        for seat, player in enumerate(game.players)
        if (not query.seats or seat in query.seats)
        and (not query.bots or any(fnmatchcase(visible(player.name), pattern) for pattern in query.bots))
    }


def _within(number: int, ranges: Iterable[range]) -> bool:
    return any(number in one for one in ranges)


class _ShapeError(Exception):
    """A line that does not fit those before it."""


#: What is known of a move that was never made.
NO_MOVE = BidLine(0, 0, 0, None)


class _Hand(NamedTuple):
    """The hand being told; trump and dealer are `None` for one that was not dealt."""

    number: int
    size: int
    trump: str | None = None
    dealer: int | None = None


class _Candidate(NamedTuple):
    """A decision that fits as far as is known before the score."""

    asked: Asked | None
    moment: Moment
    place: int
    seat: int
    value: int | str | None
    move: HandLine | BidLine | PlayLine
    faults: tuple[FaultKind, ...]


class _Scan:
    """One pass over the lines of one game after its first."""

    def __init__(self, path: Path, game: GameLine, query: Query) -> None:
        self.file = str(path)
        self.game = game
        self.query = query
        self.seats = game.rules.seats
        self.wanted = _seats(game, query)
        self.told_matters = query.slow is not None or query.referee or query.regret or query.note is not None
        self.found: list[Decision] = []
        #: The faults of each seat that has made no decision since.
        self.faults: dict[int, list[FaultLine]] = {}
        # The hand being told:
        self.hand: _Hand | None = None
        self.fits = False
        self.bids: dict[int, int] = {}
        self.trick = 0
        self.place = 0
        self.candidates: list[_Candidate] = []
        self.takes: dict[type, Callable[[Any], None]] = {
            HandLine: self.take_hand,
            BidLine: self.take_bid,
            PlayLine: self.take_play,
            TrickLine: self.take_trick,
            ScoreLine: self.take_score,
            FaultLine: self.take_fault,
            DrawLine: self.pass_by,
            EndLine: self.pass_by,
            GameLine: self.refuse,
        }

    def run(self, lines: Iterable[Record]) -> tuple[Decision, ...]:
        if len(self.game.players) != self.seats:
            raise _ShapeError
        takes = self.takes
        for line in lines:
            takes[type(line)](line)
        for seat, faults in self.faults.items():
            self.take_unmade(seat, faults)
        self.close_hand(None)
        return tuple(self.found)

    def take_hand(self, line: HandLine) -> None:
        self.close_hand(None)
        self.hand = _Hand(line.hand, line.size, line.trump, line.dealer)
        self.fits = self.hand_fits(self.hand)
        self.bids, self.trick, self.place = {}, 0, 0
        if line.ms is not None or line.note or line.by or line.forced:
            self.take(Asked.CUT, (line.dealer + 1) % self.seats, line.cut or 0, line)

    def take_bid(self, line: BidLine) -> None:
        self.bids[line.seat] = line.bid
        self.take(Asked.BID, line.seat, line.bid, line)
        self.place = 0 if len(self.bids) == self.seats else self.place + 1

    def take_play(self, line: PlayLine) -> None:
        self.take(Asked.PLAY, line.seat, line.card, line)
        self.place += 1

    def take_trick(self, line: TrickLine) -> None:
        self.trick = line.trick + 1
        self.place = 0

    def take_score(self, line: ScoreLine) -> None:
        if {len(line.tricks), len(line.points)} != {self.seats}:
            raise _ShapeError
        self.close_hand(line)

    def take_fault(self, line: FaultLine) -> None:
        self.faults.setdefault(line.seat, []).append(line)

    def pass_by(self, _line: Record) -> None:
        pass

    def refuse(self, _line: Record) -> None:
        raise _ShapeError

    def take(self, asked: Asked, seat: int, value: int | str, move: HandLine | BidLine | PlayLine) -> None:
        """A decision was made in the hand being told."""
        faults = self.faults.pop(seat, ()) if self.faults else ()
        query = self.query
        if not self.fits or seat not in self.wanted:
            if seat >= self.seats:
                raise _ShapeError
            return
        if query.asked and asked not in query.asked:
            return
        if query.cards and value not in query.cards:
            return
        if self.told_matters and not self.told_fits(move):
            return
        kinds = tuple(fault.kind for fault in faults)
        if query.faults and query.faults.isdisjoint(kinds):
            return
        self.add(asked, seat, value, move, kinds)

    def take_unmade(self, seat: int, faults: Sequence[FaultLine]) -> None:
        """The file ends before the seat makes the decision that these faults led to."""
        query, last = self.query, faults[-1]
        kinds = tuple(fault.kind for fault in faults)
        if self.hand is None or last.hand != self.hand.number:
            # It was asked to cut, for a hand that was never dealt.
            self.close_hand(None)
            sizes = self.game.rules.hands
            self.hand = _Hand(last.hand, sizes[last.hand] if last.hand < len(sizes) else 0)
            self.fits = not query.trumps and self.hand_fits(self.hand)
            self.bids, self.trick, self.place = {}, 0, 0
        if not self.fits or seat not in self.wanted or query.cards:
            return
        if query.asked and last.asked not in query.asked:
            return
        if self.told_matters or (query.faults and query.faults.isdisjoint(kinds)):
            return
        self.add(last.asked, seat, None, NO_MOVE, kinds)

    def hand_fits(self, hand: _Hand) -> bool:
        query = self.query
        return (
            (not query.hands or _within(hand.number, query.hands))
            and (not query.sizes or _within(hand.size, query.sizes))
            and (not query.trumps or hand.trump in query.trumps)
        )

    def told_fits(self, move: HandLine | BidLine | PlayLine) -> bool:
        query = self.query
        return (
            (query.slow is None or (move.ms is not None and move.ms > query.slow))
            and (not query.referee or move.by is not None)
            and (not query.regret or move.note.startswith(REGRET))
            and (query.note is None or (bool(move.note) and query.note.search(move.note) is not None))
        )

    def add(
        self,
        asked: Asked | None,
        seat: int,
        value: int | str | None,
        move: HandLine | BidLine | PlayLine,
        faults: tuple[FaultKind, ...],
    ) -> None:
        assert self.hand is not None  # noqa: S101 -- nothing fits without one
        playing = len(self.bids) == self.seats
        due = asked or (Asked.PLAY if playing else Asked.BID)
        moment = Moment(self.hand.number, due, self.trick if due is Asked.PLAY else 0)
        self.candidates.append(_Candidate(asked, moment, self.place, seat, value, move, faults))

    def close_hand(self, score: ScoreLine | None) -> None:
        """The score is told, or will not be."""
        if self.hand is not None:
            self.found += filter(None, (self.judge(self.hand, one, score) for one in self.candidates))
        self.candidates.clear()
        self.hand, self.fits = None, False

    def judge(self, hand: _Hand, found: _Candidate, score: ScoreLine | None) -> Decision | None:
        """A candidate as a decision, if it fits now that the score is known."""
        query, seat, move = self.query, found.seat, found.move
        bid = self.bids.get(seat)
        taken = points = came = None
        if score is not None and bid is not None:
            taken, points = score.tricks[seat], score.points[seat]
            came = outcome(bid, taken)
        if query.bids and (bid is None or not _within(bid, query.bids)):
            return None
        if query.outcomes and came not in query.outcomes:
            return None
        if query.lost is not None and (points is None or points > -query.lost):
            return None
        return Decision(
            file=self.file,
            game=self.game.game,
            at=str(found.moment),
            hand=hand.number,
            size=hand.size,
            trump=hand.trump,
            dealer=hand.dealer,
            asked=found.asked,
            trick=found.moment.trick if found.moment.asked is Asked.PLAY else None,
            place=found.place,
            seat=seat,
            bot=self.game.players[seat].name,
            value=found.value,
            ms=move.ms,
            note=move.note,
            referee=move.by is not None,
            forced=move.forced,
            faults=found.faults,
            bid=bid,
            taken=taken,
            outcome=came,
            points=points,
        )
