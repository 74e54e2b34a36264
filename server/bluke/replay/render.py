"""A replay as text for a person: hands, tricks, and the scorekeeper's sheet.

Everything is made of `Row`s: pieces of plain text, each with the name of a style. A terminal may colour
them; `plain` drops the styles and loses nothing, since every mark is also a character. Text from bots is
made visible here, and never interpreted by whoever prints it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, NamedTuple

from bluke.replay.text import counted, fit, named, visible, width
from bluke.rules import Outcome, Suit, outcome
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from bluke.replay.reader import Replay, ReplayFault, ReplayHand, ReplayMove, ReplayTrick
    from bluke.replay.records import Parent

__all__ = ["STYLES", "Piece", "Row", "Selection", "plain", "render"]

#: The styles in use, as rich understands them.
STYLES = {
    "": "",
    "title": "bold",
    "dim": "dim",
    "win": "bold",
    "set": "red",
    "perfect": "bold green",
    "fault": "bold yellow",
    "note": "italic",
}

NO_TRUMP = "no trump"
#: A name longer than this is cut in tables; the list of the players holds it whole.
NAME_COLUMNS = 12


class Piece(NamedTuple):
    """Some text and the name of its style, a key of `STYLES`."""

    text: str
    style: str = ""


Row = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a game to show.

    Attributes:
        hands: the numbers of the hands, empty for all.
        seats: the seats whose cards, notes, faults and scores are shown, empty for all.
        times: whether the time of every move is shown.
        columns: how wide the text may be; one seat is shown even if it is wider.
    """

    hands: Collection[int] = ()
    seats: Collection[int] = ()
    times: bool = False
    columns: int = 100


def plain(rows: Iterable[Row]) -> str:
    """The rows as text without styles, each ended by a line end."""
    return "".join("".join(piece.text for piece in row).rstrip() + "\n" for row in rows)


def render(replay: Replay, selection: Selection | None = None) -> Iterator[Row]:
    """Show a game.

    Args:
        replay: the game.
        selection: what of it; hands and seats that it does not have are ignored.
    """
    selection = selection or Selection()
    seats = [seat for seat in range(replay.header.rules.seats) if not selection.seats or seat in selection.seats]
    hands = [hand for hand in replay.hands if not selection.hands or hand.hand in selection.hands]
    yield from _heading(replay)
    for hand in hands:
        yield ()
        yield from _hand(replay, hand, seats, selection)
    undealt = [
        fault
        for fault in replay.faults
        if fault.fault.hand >= len(replay.hands) and fault.fault.seat in seats and not selection.hands
    ]
    if undealt:
        yield ()
        yield from (_fault_row(fault) for fault in undealt)
    yield ()
    yield from _sheet(replay, hands, seats, selection)


# The heading


def _heading(replay: Replay) -> Iterator[Row]:
    header = replay.header
    rules = header.rules
    options = [f"{rules.seats} seats", rules.variant.value.replace("_", " "), f"{len(rules.schedule)} hands"]
    if rules.hands is not None:
        options.append("custom schedule")
    if rules.bluke_led.value == "trump":
        options.append("a led Bluke calls for trumps")
    if rules.cut.value == "player":
        options.append("players cut")
    yield (
        Piece(f"Game {visible(header.game)}", "title"),
        Piece(f" of match {visible(header.match)}, deal {header.deal}"),
    )
    if header.parent is not None:
        yield from _branched(header.parent)
    yield (Piece(", ".join(options)),)
    limits = header.limits
    clock = "no clock"
    if limits.decision_ms is not None:
        clock = f"{_seconds(limits.decision_ms)} a decision and a bank of {_seconds(limits.bank_ms)}"
    yield (
        Piece(
            f"Played {header.started.astimezone(UTC):%Y-%m-%d %H:%M} UTC, {visible(header.server)}; "
            f"{limits.policy.value}, {clock}"
        ),
    )
    yield from _ending(replay)
    yield from _players(replay)
    if replay.draw is not None:
        draw = replay.draw
        for drawn in draw.rounds:
            yield (Piece("Draw  " + " ".join(f"{seat}:{card}" for seat, card in drawn)),)
        yield (Piece(f"Seat {draw.dealer} deals first, seat {draw.scorekeeper} keeps the score"),)


def _branched(parent: Parent) -> Iterator[Row]:
    taken = "" if parent.moves is None else f", whose first {parent.moves} moves it shares"
    where = f"at hand {parent.hand}, trick {parent.trick}"
    yield (Piece(f"Branched from game {visible(parent.game)} {where}{taken}"),)
    if parent.players:
        yield (Piece("  played by " + ", ".join(named(player.name) for player in parent.players)),)


def _ending(replay: Replay) -> Iterator[Row]:
    for problem in replay.problems:
        yield (Piece(f"Careful: {problem}", "fault"),)
    end = replay.end
    if end is None:
        told = sum(hand.score is not None for hand in replay.hands)
        yield (
            Piece(
                f"NOT FINISHED: the file holds {told} of {len(replay.header.rules.schedule)} hands to their end",
                "fault",
            ),
        )
        return
    reason = f": {visible(end.reason)}" if end.reason else ""
    if end.status is Status.COMPLETE:
        yield (Piece(f"Complete{reason}"),)
    elif end.status is Status.FORFEITED:
        yield (Piece(f"FORFEITED{reason}", "fault"),)
    else:
        yield (Piece(f"VOID, not counted{reason}", "fault"),)


def _players(replay: Replay) -> Iterator[Row]:
    end = replay.end
    names = _names(replay)
    widest = max(map(width, names))
    for seat, player in enumerate(replay.header.players):
        about = " ".join(
            filter(
                None,
                (
                    visible(player.version),
                    f"by {visible(player.author)}" if player.author else "",
                    f"({visible(player.sdk)})" if player.sdk else "",
                ),
            )
        )
        result = ""
        if end is not None:
            place = "    -" if end.places is None else f"{_ordinal(end.places[seat]):>5}"
            result = f"{place} {end.totals[seat]:>6}  "
        pieces = [Piece(f"  seat {seat:>2}  {result}"), Piece(_pad(names[seat], widest), "title")]
        if about:
            pieces.append(Piece(f"  {about}", "dim"))
        if end is not None and end.faults[seat]:
            count = end.faults[seat]
            pieces.append(Piece(f"  {counted(count, 'fault')}", "fault"))
        if end is not None and seat in end.played_out:
            pieces.append(Piece("  played out by the referee", "fault"))
        yield tuple(pieces)


# One hand


def _hand(replay: Replay, hand: ReplayHand, seats: Sequence[int], selection: Selection) -> Iterator[Row]:
    trump = NO_TRUMP if hand.trump is None else f"trump {_suit(hand.trump)}"
    turned = "nothing to turn up" if hand.turned is None else f"turned {hand.turned}"
    cut = f", cut {hand.cut}" if hand.cut else ""
    yield (
        Piece(f"Hand {hand.hand}", "title"),
        Piece(f"  {counted(hand.size, 'card')}, dealer {hand.dealer}, "),
        Piece(trump, "title"),
        Piece(f" ({turned}{cut})"),
    )
    for seat in seats:
        cards = " ".join(str(card) for card in sorted(hand.cards[seat]))
        yield (Piece(f"  seat {seat:>2}  ", "dim"), Piece(cards))
    count = replay.header.rules.seats
    yield (Piece("  seat     ", "dim"), *(Piece(f"{seat:>3}  ", "dim") for seat in range(count)))
    bids = _by_seat(hand.bids, count)
    yield (
        Piece("  bid      "),
        *(_cell("" if move is None else f" {move.value:>2}", move) for move in bids),
    )
    if selection.times:
        yield _times(bids)
    for trick in hand.tricks:
        yield from _trick(trick, count, times=selection.times)
    if hand.score is not None:
        score = hand.score
        yield (
            Piece("  taken    "),
            *(
                Piece(f"{taken:>3}  ", _outcome_style(bid, taken))
                for bid, taken in zip(score.bids, score.tricks, strict=True)
            ),
        )
    else:
        yield (Piece("  the hand was not played to its end", "fault"),)
    yield from _remarks(hand, seats)


def _trick(trick: ReplayTrick, count: int, *, times: bool) -> Iterator[Row]:
    moves = _by_seat(trick.moves, count)
    leader = trick.moves[0].seat
    cells = []
    for seat, move in enumerate(moves):
        led = ">" if seat == leader else " "
        cells.append(_cell("" if move is None else f"{led}{move.value}", move, won=seat == trick.winner))
    yield (Piece(f"  trick {trick.number:>2} "), *cells)
    if times:
        yield _times(moves)


def _by_seat(moves: Iterable[ReplayMove], count: int) -> list[ReplayMove | None]:
    found: list[ReplayMove | None] = [None] * count
    for move in moves:
        found[move.seat] = move
    return found


def _cell(text: str, move: ReplayMove | None, *, won: bool = False) -> Piece:
    mark = "" if move is None else "!" if move.by_referee else "^" if move.forced else ""
    style = "fault" if mark else "win" if won else ""
    return Piece(f"{text + ('*' if won else '') + mark:<5}", style)


def _times(moves: Sequence[ReplayMove | None]) -> Row:
    cells = (Piece(f"{'' if move is None else _short(move.ms):>4} ", "dim") for move in moves)
    return (Piece("    ms     ", "dim"), *cells)


def _remarks(hand: ReplayHand, seats: Collection[int]) -> Iterator[Row]:
    """Faults and notes, in the order of the file."""
    remarks: list[tuple[int, Row]] = [
        (fault.line, _fault_row(fault)) for fault in hand.faults if fault.fault.seat in seats
    ]
    moves: list[tuple[str, ReplayMove]] = [("bid", move) for move in hand.bids]
    if hand.cut_move is not None:
        moves.append(("cut", hand.cut_move))
    moves += [(f"trick {trick.number},", move) for trick in hand.tricks for move in trick.moves]
    for what, move in moves:
        if move.note and move.seat in seats:
            said = (
                Piece(f"  seat {move.seat}, {what} {move.value}: "),
                Piece(visible(move.note), "note"),
            )
            remarks.append((move.line, said))
    remarks.sort(key=lambda remark: remark[0])
    for _, row in remarks:
        yield row


def _fault_row(told: ReplayFault) -> Row:
    fault = told.fault
    where = "" if told.trick is None else f", trick {told.trick}"
    asked = "" if fault.asked is None else f" when asked to {fault.asked.value}"
    answer = f" [sent: {visible(fault.answer)}]" if fault.answer else ""
    return (
        Piece(f"  fault, seat {fault.seat}{where}: {fault.kind.value}{asked}: ", "fault"),
        Piece(f"{visible(fault.detail)}{answer}"),
    )


# The scorekeeper's sheet


def _sheet(replay: Replay, hands: Sequence[ReplayHand], seats: Sequence[int], selection: Selection) -> Iterator[Row]:
    scored = [hand for hand in hands if hand.score is not None]
    keeper = "" if replay.draw is None else f", kept by seat {replay.draw.scorekeeper}"
    yield (Piece(f"Scorekeeper's sheet{keeper}", "title"),)
    if not scored:
        yield (Piece("  no hand was scored"),)
        return
    yield (
        Piece("  bid/taken and total; "),
        Piece("(set)", "set"),
        Piece(" "),
        Piece("[perfect]", "perfect"),
        Piece("; bids: their sum over the tricks to take"),
    )
    names = _names(replay)
    columns = [_column(scored, seat, names[seat]) for seat in seats]
    labels = _labels(scored)
    # Tables with many seats are cut into blocks that fit beside the labels.
    room = selection.columns - width(labels[0])
    block: list[list[Piece]] = []
    used = 0
    for column in columns:
        wide = width(column[0].text)
        if block and used + wide > room:
            yield from _block(labels, block)
            yield ()
            block, used = [], 0
        block.append(column)
        used += wide
    yield from _block(labels, block)


def _labels(scored: Sequence[ReplayHand]) -> list[str]:
    """The columns left of the players: a heading, a row for each hand, and three for the outcomes."""
    sums = [f"{sum(hand.score.bids)}/{hand.size}" if hand.score else "" for hand in scored]
    widest = max(4, *map(len, sums))
    return [
        f"  hand cards trump {'bids':>{widest}}",
        *(
            f"  {hand.hand:>4} {hand.size:>5} {'-' if hand.trump is None else str(hand.trump):^5} {total:>{widest}}"
            for hand, total in zip(scored, sums, strict=True)
        ),
        *(f"  {what:<{17 + widest}}" for what in ("set (S)", "overtricks (O)", "perfect (P)")),
    ]


def _column(scored: Sequence[ReplayHand], seat: int, name: str) -> list[Piece]:
    """The column of one player, every piece of the same width."""
    counts = dict.fromkeys(Outcome, 0)
    bids: list[tuple[str, str]] = []
    totals: list[str] = []
    for hand in scored:
        if hand.score is None:
            continue
        bid, taken = hand.score.bids[seat], hand.score.tricks[seat]
        counts[outcome(bid, taken)] += 1
        before, after = _MARKS[outcome(bid, taken)]
        bids.append((f"{before}{bid}/{taken}{after}", _outcome_style(bid, taken)))
        totals.append(str(hand.score.totals[seat]))
    wide_bid = max(len(text) for text, _ in bids)
    wide_total = max(map(len, totals))
    head = fit(f"{seat} {name}", max(NAME_COLUMNS, wide_bid + 1 + wide_total))
    wide_total = max(wide_total, width(head) - wide_bid - 1)
    wide = wide_bid + 1 + wide_total
    column = [Piece(f"  {_pad(head, wide)}", "title")]
    for (text, style), total in zip(bids, totals, strict=True):
        column.append(Piece(f"  {text:>{wide_bid}} {total:>{wide_total}}", style))
    column += [Piece(f"  {counts[what]:>{wide_bid}} {'':{wide_total}}") for what in _FOOT]
    return column


_FOOT = (Outcome.SET, Outcome.OVERTRICKS, Outcome.PERFECT)
_MARKS = {Outcome.SET: ("(", ")"), Outcome.OVERTRICKS: (" ", " "), Outcome.PERFECT: ("[", "]")}


def _block(labels: Sequence[str], columns: Sequence[Sequence[Piece]]) -> Iterator[Row]:
    hands = len(labels) - len(_FOOT)
    for i, label in enumerate(labels):
        if i == hands:
            yield (Piece("  " + "-" * (width(label) - 2 + sum(width(column[0].text) for column in columns)), "dim"),)
        yield (Piece(label, "title" if i == 0 else ""), *(column[i] for column in columns))


def _outcome_style(bid: int, taken: int) -> str:
    return {Outcome.SET: "set", Outcome.OVERTRICKS: "", Outcome.PERFECT: "perfect"}[outcome(bid, taken)]


# Words and numbers


def _names(replay: Replay) -> list[str]:
    return [named(player.name) for player in replay.header.players]


def _suit(suit: Suit) -> str:
    return f"{suit} ({suit.name.lower()})"


def _pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _ordinal(place: int) -> str:
    ending = "th" if 10 <= place % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def _seconds(ms: int) -> str:
    return f"{ms / 1000:g} s"


def _short(ms: float | None) -> str:
    """Milliseconds in four characters; with an `s` they are seconds."""
    if ms is None:
        return "-"
    if ms < 9.95:
        return f"{ms:.1f}"
    if ms < 9_999.5:
        return f"{ms:.0f}"
    return f"{ms / 1000:.0f}s" if ms < 999_500 else ">16m"
