"""Reading replay files, and playing them again.

Whatever the bytes are, the only error is `ReplayFileError`, which is a `ReplayError` that knows its line.
The reader checks the shape of a file, so that nobody who shows one needs to; whether it tells the truth is
for `bluke.replay.verify`.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import DecodeError, Struct, ValidationError
from msgspec.json import Decoder

from bluke.errors import ReplayError, RuleError
from bluke.replay.records import (
    FORMAT,
    BidLine,
    DrawLine,
    EndLine,
    FaultLine,
    GameLine,
    HandLine,
    Header,
    PlayLine,
    Record,
    ScoreLine,
    TrickLine,
    header_of,
    utc,
)
from bluke.replay.text import visible
from bluke.rules import CARDS, Asked, Card, Draw, Game, Packs, SeededPacks, Suit
from bluke.wire.values import GameResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = [
    "MAX_BYTES",
    "Line",
    "Problem",
    "Replay",
    "ReplayFault",
    "ReplayFileError",
    "ReplayHand",
    "ReplayMove",
    "ReplayTrick",
    "advance",
    "parse_replay",
    "read_bytes",
    "read_replay",
    "replay_game",
]

#: The largest file that is read, uncompressed. A standard game with a full note on every move takes a
#: tenth of it at most.
MAX_BYTES = 64 * 2**20

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
#: Compressed bytes taken at a time: 256 bytes of Zstandard can stand for 8 MiB, which bounds what one step may cost.
ZSTD_STEP = 256
#: The most memory that a Zstandard file may ask for.
ZSTD_WINDOW = MAX_BYTES

CARD_OF = {str(card): card for card in CARDS}


class ReplayFileError(ReplayError):
    """A file is not the replay that it should be.

    Attributes:
        path: the file.
        line: the line that is wrong, counted from 1; `None` if it is the file as a whole.
        what: what is wrong, as a sentence without its full stop.
    """

    def __init__(self, path: Path, line: int | None, what: str) -> None:
        """Make an error about one line of a file."""
        self.path = path
        self.line = line
        self.what = visible(what)
        where = "" if line is None else f"line {line}: "
        super().__init__(f"{visible(str(path))}: {where}{self.what}")


class Line(NamedTuple):
    """One line of the file: its number, counted from 1, and what it says."""

    number: int
    record: Record


class Problem(NamedTuple):
    """Something that is wrong with a file and does not keep it from being read."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


class ReplayMove(NamedTuple):
    """A bid or a play: `value` is the number or the card. `ms` is `None` if nothing was measured.

    `forced` moves were chosen by a person who branched the game.
    """

    line: int
    seat: int
    value: int | Card
    ms: float | None
    note: str
    by_referee: bool
    forced: bool = False


class ReplayTrick(NamedTuple):
    """A trick: its moves in the order played, and who took it, `None` if it was not played to its end."""

    number: int
    moves: tuple[ReplayMove, ...]
    winner: int | None


class ReplayFault(NamedTuple):
    """A fault, and the trick that was being played: `None` before the first."""

    line: int
    trick: int | None
    fault: FaultLine


@dataclass(frozen=True, slots=True)
class ReplayHand:
    """One hand as far as the file tells it.

    Attributes:
        line: the line of the deal.
        hand: its number, from 0.
        size: cards dealt to each seat.
        dealer: the dealer.
        cards: every seat's cards in the order dealt.
        cut: 0 for a tap, `None` for nothing to cut.
        cut_move: the cut as a move, if a seat was asked for it.
        turned: the card turned up, if any.
        trump: the trump; `None` for no trump.
        bids: the bids in order.
        tricks: the tricks in order.
        score: the score, `None` if the hand was not played to its end.
        faults: the faults of this hand in order.
    """

    line: int
    hand: int
    size: int
    dealer: int
    cards: tuple[tuple[Card, ...], ...]
    cut: int | None
    cut_move: ReplayMove | None
    turned: Card | None
    trump: Suit | None
    bids: tuple[ReplayMove, ...]
    tricks: tuple[ReplayTrick, ...]
    score: ScoreLine | None
    faults: tuple[ReplayFault, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay file that has the right shape.

    Attributes:
        path: the file.
        header: its first line.
        draw: the draw, `None` if the file ends before it.
        hands: the hands in order; only the last may be incomplete.
        faults: all faults in order, also those before the deal of a hand.
        end: the last line, `None` for a game that was not finished.
        problems: what is wrong with the file itself, such as a torn last line.
        sha256: of all bytes before the `end` line, or of all bytes; lower-case hex.
        lines: every line of a type that this version knows.
    """

    path: Path
    header: Header
    draw: Draw | None
    hands: tuple[ReplayHand, ...]
    faults: tuple[ReplayFault, ...]
    end: EndLine | None
    problems: tuple[Problem, ...]
    sha256: str
    lines: tuple[Line, ...]

    @property
    def result(self) -> GameResult | None:
        """The result, `None` for a game that was not finished."""
        end = self.end
        if end is None:
            return None
        return GameResult(end.status, end.totals, end.places, end.faults, end.played_out, end.reason)


def read_replay(path: Path) -> Replay:
    """Read a replay: plain, gzip or Zstandard (told apart by their first bytes), finished or not.

    Raises:
        ReplayFileError: it cannot be read, is too large, or is no replay of this format.
    """
    return parse_replay(_load(path), path)


def read_bytes(path: Path) -> bytes:
    """The uncompressed bytes of a replay, which need not be sound.

    Raises:
        ReplayFileError: it cannot be read or uncompressed, or is too large.
    """
    return _unpack(_load(path), path)[0]


def _load(path: Path) -> bytes:
    try:
        with path.open("rb") as handle:
            return handle.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ReplayFileError(path, None, f"cannot be read: {reason}") from None


def parse_replay(raw: bytes, path: Path) -> Replay:
    """Read a replay from the bytes of its file; `path` is for messages only.

    Raises:
        ReplayFileError: see `read_replay`.
    """
    data, cut_short = _unpack(raw, path)
    lines, problems, covered = _split(data, path)
    if cut_short:
        problems.append(Problem(lines[-1].number, "the compressed file is cut short after this line"))
    digest = hashlib.sha256(memoryview(data)[:covered]).hexdigest()
    return _Builder(path).build(lines, tuple(problems), digest)


# Bytes to lines


def _unpack(raw: bytes, path: Path) -> tuple[bytes, bool]:
    """The uncompressed bytes, and whether the compressed ones end too early."""
    cut_short = False
    try:
        if raw.startswith(GZIP_MAGIC):
            raw, cut_short = _unpack_gzip(raw)
        elif raw.startswith(ZSTD_MAGIC):
            raw, cut_short = _unpack_zstd(raw)
    except _CorruptError as error:
        raise ReplayFileError(path, None, str(error)) from None
    if len(raw) > MAX_BYTES:
        raise ReplayFileError(path, None, f"is larger than {MAX_BYTES >> 20} MiB, which no replay is")
    if not raw:
        raise ReplayFileError(path, None, "holds nothing" if cut_short else "is empty")
    return raw, cut_short


class _CorruptError(Exception):
    """Compressed bytes make no sense."""


def _unpack_gzip(raw: bytes) -> tuple[bytes, bool]:
    parts = []
    size = 0
    while raw:
        if not GZIP_MAGIC.startswith(raw[:2]):
            raise _CorruptError("is not sound gzip: something else follows the compressed data")
        stream = zlib.decompressobj(wbits=31)
        try:
            part = stream.decompress(raw, MAX_BYTES + 1 - size)
        except zlib.error as error:
            raise _CorruptError(f"is not sound gzip: {error}") from None
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            break
        if not stream.eof:
            return b"".join(parts), True
        raw = stream.unused_data
    return b"".join(parts), False


def _unpack_zstd(raw: bytes) -> tuple[bytes, bool]:
    # Imported here because few files need it and its import is a good part of verifying one game.
    import zstandard  # noqa: PLC0415

    out = bytearray()
    stream = None
    at = 0
    while at < len(raw) and len(out) <= MAX_BYTES:
        if stream is None:
            stream = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()
        step = raw[at : at + ZSTD_STEP]
        try:
            out += stream.decompress(step)
        except zstandard.ZstdError as error:
            raise _CorruptError(f"is not sound Zstandard: {error}") from None
        at += len(step)
        if stream.eof:
            at -= len(stream.unused_data)
            stream = None
    return bytes(out), stream is not None and len(out) <= MAX_BYTES


class _Start(Struct):
    """What every version of the format has in its first line."""

    type: str
    format: Any = None


class _Kind(Struct):
    """What every line has."""

    type: str


_decode: Callable[[bytes], Record] = Decoder(Record).decode
_decode_start: Callable[[bytes], _Start] = Decoder(_Start).decode
_decode_kind: Callable[[bytes], _Kind] = Decoder(_Kind).decode
#: What the decoder raises: deep nesting is a RecursionError, and a string that is not UTF-8 a UnicodeDecodeError.
DECODE_ERRORS = (DecodeError, ValidationError, RecursionError, UnicodeDecodeError)


def _split(data: bytes, path: Path) -> tuple[list[Line], list[Problem], int]:
    """The known lines, what is wrong with the last one, and how many bytes stand before the `end` line."""
    pieces = data.split(b"\n")
    rest = pieces.pop()
    _check_start(pieces[0] if pieces else rest, path)
    _check_utf8(data[: len(data) - len(rest)], path)
    lines: list[Line] = []
    problems: list[Problem] = []
    covered = len(data)
    at = 0
    for number, piece in enumerate(pieces, 1):
        try:
            record = _decode(piece)
        except DECODE_ERRORS as error:
            if _known(piece):
                raise ReplayFileError(path, number, _reason(piece, error)) from None
        else:
            lines.append(Line(number, record))
            if type(record) is EndLine:
                covered = min(covered, at)
        at += len(piece) + 1
    if rest:
        number = len(pieces) + 1
        if (last := _decode_torn(rest)) is None:
            problems.append(Problem(number, "the last line is torn: it is left out"))
        else:
            problems.append(Problem(number, "the last line has no line end"))
            lines.append(Line(number, last))
            covered = min(covered, at) if type(last) is EndLine else covered
    if not lines:
        raise ReplayFileError(path, 1, "the first line is torn: there is nothing to read")
    return lines, problems, covered


def _check_utf8(data: bytes, path: Path) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise ReplayFileError(path, data.count(b"\n", 0, error.start) + 1, "is not UTF-8") from None


def _decode_torn(piece: bytes) -> Record | None:
    """A line without a line end, if there is all of it but that."""
    try:
        piece.decode()
        return _decode(piece)
    except DECODE_ERRORS:
        return None


def _check_start(piece: bytes, path: Path) -> None:
    try:
        start = _decode_start(piece)
    except DECODE_ERRORS as error:
        raise ReplayFileError(path, 1, f"this is no Bluke replay: {_reason(piece, error)}") from None
    if start.type != "game":
        raise ReplayFileError(path, 1, f"this is no Bluke replay: its first line is {start.type[:40]!r}, not 'game'")
    if start.format != FORMAT:
        found = repr(start.format[:40]) if isinstance(start.format, str) else "no text"
        raise ReplayFileError(path, 1, f"its format is {found}, and this version of Bluke reads {FORMAT!r}")


def _known(piece: bytes) -> bool:
    """Whether a line that cannot be decoded is of a type that can."""
    try:
        return _decode_kind(piece).type in KNOWN_TYPES
    except DECODE_ERRORS:
        return True


KNOWN_TYPES = {"game", "draw", "hand", "bid", "play", "trick", "score", "fault", "end"}


def _reason(piece: bytes, error: Exception) -> str:
    if not piece.strip():
        return "the line is empty"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8"
    return str(error)


# Lines to hands


class _ShapeError(Exception):
    """A line that does not fit those before it."""


class _Builder:
    """Puts lines together; refuses what a reader of `Replay` could stumble over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seats = 0
        self.schedule: tuple[int, ...] = ()
        self.draw: Draw | None = None
        self.end: EndLine | None = None
        self.hands: list[ReplayHand] = []
        self.faults: list[ReplayFault] = []
        # The hand being told:
        self.deal: ReplayHand | None = None
        self.hand = -1
        self.bids: list[ReplayMove] = []
        self.tricks: list[ReplayTrick] = []
        self.moves: list[ReplayMove] = []
        self.score: ScoreLine | None = None
        self.takes: dict[type[Record], Callable[[int, Any], None]] = {
            DrawLine: self.take_draw,
            HandLine: self.take_hand,
            BidLine: self.take_bid,
            PlayLine: self.take_play,
            TrickLine: self.take_trick,
            ScoreLine: self.take_score,
            FaultLine: self.take_fault,
            EndLine: self.take_end,
            GameLine: self.refuse_second,
        }

    def build(self, lines: list[Line], problems: tuple[Problem, ...], digest: str) -> Replay:
        number, first = lines[0]
        if not isinstance(first, GameLine):
            raise ReplayFileError(self.path, number, "the first line is torn: there is nothing to read")
        try:
            header = header_of(first)
            self.seats = header.rules.seats
            self.schedule = header.rules.schedule
            takes = self.takes
            for number, record in lines[1:]:
                takes[type(record)](number, record)
                if self.end is not None:
                    takes = dict.fromkeys(takes, self.refuse_more)
        except (ValueError, _ShapeError) as error:
            raise ReplayFileError(self.path, number, str(error)) from None
        self.close_hand()
        return Replay(
            self.path,
            header,
            self.draw,
            tuple(self.hands),
            tuple(self.faults),
            self.end,
            problems,
            digest,
            tuple(lines),
        )

    def take_draw(self, _number: int, line: DrawLine) -> None:
        if self.draw is not None:
            raise _ShapeError("a second 'draw' line")
        for drawn in line.rounds:
            for seat, _ in drawn:
                self.check_seat(seat)
        self.check_seat(line.dealer)
        self.check_seat(line.scorekeeper)
        rounds = tuple(tuple((seat, _card(card)) for seat, card in drawn) for drawn in line.rounds)
        self.draw = Draw(rounds, line.dealer, line.scorekeeper)

    def take_hand(self, number: int, line: HandLine) -> None:
        if self.deal is not None and self.score is None:
            raise _ShapeError(f"hand {line.hand} is dealt before the score of hand {self.hand}")
        if self.draw is None:
            raise _ShapeError("the 'draw' line is missing before it")
        if line.hand != self.hand + 1:
            raise _ShapeError(f"hand {line.hand} stands where hand {self.hand + 1} should")
        if line.hand >= len(self.schedule):
            raise _ShapeError(f"hand {line.hand} of a game of {len(self.schedule)} hands, counted from 0")
        if line.size != self.schedule[line.hand]:
            raise _ShapeError(f"size is {line.size}, but the schedule says {self.schedule[line.hand]} (RULES 2.3)")
        self.check_seat(line.dealer)
        self.check_length("cards", line.cards)
        for seat, dealt in enumerate(line.cards):
            if len(dealt) != line.size:
                raise _ShapeError(f"seat {seat} is dealt {len(dealt)} cards in a hand of {line.size} (RULES 4.1)")
        self.close_hand()
        self.hand = line.hand
        asked = line.ms is not None or line.note or line.by or line.forced
        left = (line.dealer + 1) % self.seats
        self.deal = ReplayHand(
            line=number,
            hand=line.hand,
            size=line.size,
            dealer=line.dealer,
            cards=tuple(tuple(map(_card, dealt)) for dealt in line.cards),
            cut=line.cut,
            cut_move=ReplayMove(number, left, line.cut or 0, line.ms, line.note, line.by is not None, line.forced)
            if asked
            else None,
            turned=None if line.turned is None else _card(line.turned),
            trump=None if line.trump is None else Suit.parse(line.trump),
            bids=(),
            tricks=(),
            score=None,
            faults=(),
        )
        self.bids, self.tricks, self.moves, self.score = [], [], [], None

    def take_bid(self, number: int, line: BidLine) -> None:
        self.check_open(line.hand)
        self.check_seat(line.seat)
        if len(self.bids) == self.seats:
            raise _ShapeError("every seat has bid already (RULES 5.1)")
        self.bids.append(ReplayMove(number, line.seat, line.bid, line.ms, line.note, line.by is not None, line.forced))

    def take_play(self, number: int, line: PlayLine) -> None:
        self.check_open(line.hand)
        self.check_trick(line.trick)
        self.check_seat(line.seat)
        if len(self.bids) < self.seats:
            raise _ShapeError("a card is played before every seat has bid (RULES 6.1)")
        if len(self.moves) == self.seats:
            raise _ShapeError("every seat has played to this trick already")
        card = CARD_OF.get(line.card)
        if card is None:
            card = _card(line.card)
        self.moves.append(ReplayMove(number, line.seat, card, line.ms, line.note, line.by is not None, line.forced))

    def take_trick(self, _number: int, line: TrickLine) -> None:
        self.check_open(line.hand)
        self.check_trick(line.trick)
        self.check_seat(line.winner)
        if len(self.moves) < self.seats:
            raise _ShapeError(f"trick {line.trick} is taken before every seat has played to it")
        self.tricks.append(ReplayTrick(line.trick, tuple(self.moves), line.winner))
        self.moves = []

    def take_score(self, _number: int, line: ScoreLine) -> None:
        self.check_open(line.hand)
        if len(self.tricks) < self.schedule[self.hand]:
            raise _ShapeError(f"hand {line.hand} is scored before its last trick")
        for name in ("bids", "tricks", "points", "totals"):
            self.check_length(name, getattr(line, name))
        self.score = line

    def take_fault(self, number: int, line: FaultLine) -> None:
        self.check_seat(line.seat)
        dealt = line.hand == self.hand
        # A seat that is asked to cut is at fault before its hand is dealt.
        if not dealt and line.hand != self.hand + 1:
            raise _ShapeError(f"a fault in hand {line.hand} during hand {self.hand}")
        playing = dealt and len(self.bids) == self.seats
        self.faults.append(ReplayFault(number, len(self.tricks) if playing else None, line))

    def take_end(self, _number: int, line: EndLine) -> None:
        self.check_length("totals", line.totals)
        self.check_length("faults", line.faults)
        if line.places is not None:
            self.check_length("places", line.places)
        for seat in line.played_out:
            self.check_seat(seat)
        utc(line.finished)
        self.end = line

    def refuse_second(self, _number: int, _line: Record) -> None:
        raise _ShapeError("a second 'game' line")

    def refuse_more(self, _number: int, _line: Record) -> None:
        raise _ShapeError("nothing may follow the 'end' line")

    def close_hand(self) -> None:
        if self.deal is None:
            return
        if self.moves:
            self.tricks.append(ReplayTrick(len(self.tricks), tuple(self.moves), None))
        faults = tuple(fault for fault in self.faults if fault.fault.hand == self.hand)
        hand = replace(self.deal, bids=tuple(self.bids), tricks=tuple(self.tricks), score=self.score, faults=faults)
        self.hands.append(hand)

    def check_seat(self, seat: int) -> None:
        if seat >= self.seats:
            raise _ShapeError(f"there is no seat {seat}: seats are 0 to {self.seats - 1}")

    def check_open(self, hand: int) -> None:
        if self.deal is None or hand != self.hand:
            raise _ShapeError(f"hand is {hand}, but {'no hand' if self.deal is None else f'hand {self.hand}'} is dealt")
        if self.score is not None:
            raise _ShapeError(f"hand {hand} is over")

    def check_trick(self, trick: int) -> None:
        if trick != len(self.tricks):
            raise _ShapeError(f"trick is {trick}, but it is trick {len(self.tricks)} that is being played")
        if trick >= self.schedule[self.hand]:
            raise _ShapeError(f"trick {trick} in a hand of {self.schedule[self.hand]} tricks, counted from 0")

    def check_length(self, name: str, values: Sequence[object]) -> None:
        if len(values) != self.seats:
            raise _ShapeError(f"{name} has {len(values)} entries for {self.seats} seats")


def _card(text: str) -> Card:
    return Card.parse(text if len(text) <= 40 else text[:40] + "...")


# Playing it again


@dataclass(frozen=True, slots=True)
class _RecordedPacks:
    """Packs put together from the cards that a file without a seed shows.

    What nobody saw is filled up in index order: it never comes into play.
    """

    drawn: Draw
    hands: tuple[ReplayHand, ...]

    def draw(self) -> Sequence[Card]:
        return _filled([card for drawn in self.drawn.rounds for _, card in drawn])

    def hand(self, number: int) -> Sequence[Card]:
        hand = self.hands[number]
        seats = len(hand.cards)
        first = hand.dealer + 1
        pack = _filled([hand.cards[(first + i) % seats][i // seats] for i in range(seats * hand.size)])
        if hand.turned is not None and hand.cut is not None:
            # The card turned up lay below those that were cut.
            top = seats * hand.size
            if hand.turned in pack[top:] and top + hand.cut < len(pack):
                pack.remove(hand.turned)
                pack.insert(top + hand.cut, hand.turned)
        return pack


def _filled(cards: list[Card]) -> list[Card]:
    seen = set(cards)
    return [*cards, *(card for card in CARDS if card not in seen)]


def replay_game(replay: Replay) -> Game:
    """Play a recorded game again, up to its last recorded move, with the reducer that live games use.

    Without an `end` line there is no seed, and the cards of a hand that is not in the file are unknown: the game
    returned then has no more hands than the file, and is over when the last of them is.

    Raises:
        ReplayFileError: the file holds no hand and no seed, or a move that the rules refuse.
    """
    rules = replay.header.rules
    packs: Packs
    if replay.end is not None:
        packs = SeededPacks(bytes.fromhex(replay.end.game_seed))
    elif replay.draw is not None and replay.hands:
        packs = _RecordedPacks(replay.draw, replay.hands)
        rules = replace(rules, max_hand=None, last_hand=None, hands=rules.schedule[: len(replay.hands)])
    else:
        raise ReplayFileError(replay.path, None, "holds no hand to be played again")
    game = Game(rules, packs)
    for number, record in replay.lines:
        try:
            advance(game, record)
        except RuleError as error:
            raise ReplayFileError(replay.path, number, str(error)) from None
    return game


def advance(game: Game, record: Record) -> None:
    """Let the game take the move that a line records, if it records one.

    Raises:
        RuleError: the rules refuse it; nothing has changed.
    """
    if isinstance(record, PlayLine):
        game.play(record.seat, CARD_OF[record.card])
    elif isinstance(record, BidLine):
        game.bid(record.seat, record.bid)
    elif isinstance(record, HandLine) and game.asked is Asked.CUT:
        game.cut(game.seat, record.cut or 0)
