"""The table in lines: a seat in each, with its bid, its tricks, its total, the card it played and those it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.replay.page.steps import Kind
from bluke.replay.render import Piece, Row
from bluke.replay.stepper.lines import cut, pad
from bluke.replay.stepper.tale import on_table
from bluke.replay.stepper.words import held
from bluke.replay.text import counted, fit, width
from bluke.rules import Asked

if TYPE_CHECKING:
    from bluke.replay.page.steps import Step
    from bluke.replay.stepper.course import State
    from bluke.replay.stepper.tale import Tale

__all__ = ["table", "table_rows"]

#: The columns of a card, with a mark before it.
CARD = 3
#: Columns before the cards without those of the name: marks, seat, dealer, bid, taken, total, card on the table.
OTHERS = 31
NAMES = (4, 14)


def table_rows(tale: Tale, columns: int) -> int:
    """How many lines the table has at most in this game, so that what stands below it keeps its place."""
    most = max((hand.size for hand in tale.hands), default=0)
    return 1 + len(tale.names) * _lines(most, columns - _before(tale, columns))


def table(tale: Tale, state: State, columns: int) -> list[Row]:
    """The lines of the table, each at most `columns` wide."""
    step = tale.steps[state.at]
    before = _before(tale, columns)
    name = before - OTHERS
    head = f"   seat {pad('name', name)} bid took total  card   hand, + may be played"
    rows: list[Row] = [(Piece(head, "title"),)]
    lines = _lines(0 if step.hand is None else tale.hands[step.hand].size, columns - before)
    for seat, played in enumerate(_played(tale, state.at)):
        first, *more = _cards(tale, state, seat, (columns - before) // CARD)
        rows.append((*_seat(tale, step, seat, name, played), *first))
        more += [()] * (lines - 1 - len(more))
        rows += [(Piece(" " * before), *line) for line in more]
    return [cut(row, columns) for row in rows]


def _before(tale: Tale, columns: int) -> int:
    """The columns before the cards."""
    longest = max(map(width, tale.names))
    room = columns - OTHERS - 6 * CARD
    return OTHERS + max(NAMES[0], min(longest, room, NAMES[1]))


def _lines(cards: int, room: int) -> int:
    each = max(1, room // CARD)
    return max(1, -(-cards // each))


def _seat(tale: Tale, step: Step, seat: int, name: int, played: Piece) -> list[Piece]:
    turn = step.turn == seat
    dealer = step.hand is not None and tale.hands[step.hand].dealer == seat
    bid = str(step.bids[seat]) if step.bids and step.bids[seat] else "-"
    won = str(step.won[seat]) if step.won else "-"
    return [
        Piece(f"{'>' if turn else ' '}{'D' if dealer else ' '} {seat:>3}  "),
        Piece(pad(fit(tale.names[seat], name), name), "now" if turn else "title"),
        Piece(f" {bid:>3} {won:>4} {step.totals[seat]:>5}  "),
        played,
    ]


def _played(tale: Tale, at: int) -> list[Piece]:
    """By seat, the card on the table, or what came of the hand."""
    step = tale.steps[at]
    seats = range(len(tale.names))
    if step.kind is Kind.SCORE:
        return [Piece(f"{step.points[seat]:>+4} {step.outcomes[seat]} ") for seat in seats]
    if step.kind is Kind.DRAW:
        drawn = dict(tale.rounds[int(step.value or 0)])
        return [Piece(f" {drawn.get(seat, ''):<6}") for seat in seats]
    if step.kind is Kind.END and tale.places is not None:
        return [Piece(f" {f'{place}.':<6}") for place in tale.places]
    plays = {play.seat: play for play in on_table(tale, at)}
    return [_on_table(plays.get(seat), step) for seat in seats]


def _on_table(play: Step | None, now: Step) -> Piece:
    if play is None:
        return Piece(" " * 7)
    marks = f"{'*' if play.seat == now.best else ''}{'!' if play.referee else ''}"
    text = f"{'>' if play.seat == now.leader else ' '}{play.value}{marks}"
    return Piece(f"{text:<7}", "now" if play.at == now.at else "win" if play.seat == now.best else "")


def _cards(tale: Tale, state: State, seat: int, each: int) -> list[Row]:
    """The cards that a seat holds, in lines of `each`; at least one line."""
    step = tale.steps[state.at]
    if step.hand is None:
        return [()]
    hand = tale.hands[step.hand]
    cards = held(hand, step.held[seat], seat)
    if state.view not in {None, seat}:
        return [(Piece(f" {counted(len(cards), 'card')}" if cards else "", "dim"),)]
    legal = set(held(hand, step.legal, seat)) if step.turn == seat and step.asked is Asked.PLAY else None
    shown = [_card(card, legal) for card in cards]
    each = max(1, each)
    return [tuple(shown[i : i + each]) for i in range(0, len(shown), each)] or [()]


def _card(card: str, legal: set[str] | None) -> Piece:
    if legal is None:
        return Piece(f" {card}")
    return Piece(f"+{card}", "title") if card in legal else Piece(f" {card}", "dim")
