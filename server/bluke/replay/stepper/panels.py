"""What stands below the table: the hand so far, the scorekeeper's sheet, what was said, the faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bluke.replay.page.steps import Kind
from bluke.replay.render import Piece, Row
from bluke.replay.stepper.course import Panel
from bluke.replay.stepper.lines import cut, pad, wrapped
from bluke.replay.stepper.table import table
from bluke.replay.stepper.tale import address, hand_so_far
from bluke.replay.stepper.words import fault_words, time_words
from bluke.replay.text import fit, width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bluke.replay.page.steps import Step
    from bluke.replay.stepper.course import State
from bluke.replay.stepper.tale import Tale

__all__ = ["Content", "content", "hand_columns", "window"]

MARKS = {"S": ("(", ")"), "O": (" ", " "), "P": ("[", "]")}
STYLES = {"S": "set", "O": "", "P": "perfect"}
#: The columns of a seat in the table of a hand, and those before the first.
CELL = 6
LABEL = 9
NAME = 12


@dataclass(frozen=True, slots=True)
class Content:
    """All lines of a panel.

    Attributes:
        head: those that stay where they are.
        body: the others.
        present: which of the body tells of the present: it is in sight unless somebody scrolls.
        top: where the part begins that the present belongs to: it is in sight if there is room for that as well.
    """

    head: tuple[Row, ...]
    body: tuple[Row, ...]
    present: int = 0
    top: int = 0


def content(tale: Tale, state: State, panel: Panel, columns: int) -> Content:
    """The lines of a panel, each at most `columns` wide."""
    return CONTENTS[panel](tale, state, columns)


def window(told: Content, rows: int, scroll: int) -> tuple[list[Row], int]:
    """The lines that are in sight, at most `rows`, and `scroll` as far as there is something to scroll to."""
    head = list(told.head[:rows])
    room = rows - len(head)
    if room <= 0:
        return head, 0
    last = max(0, len(told.body) - room)
    first = min(last, told.top if told.present - told.top < room else told.present - room + 1)
    top = min(last, max(0, first + scroll))
    return [*head, *told.body[top : top + room]], top - first


def hand_columns(tale: Tale) -> int:
    """How wide the table of a hand is."""
    return LABEL + CELL * len(tale.names)


# This hand


def _hand(tale: Tale, state: State, columns: int) -> Content:
    """A column for each seat and a row for each trick, or the other way round if there are too many seats for that."""
    step = tale.steps[state.at]
    if step.hand is None:
        return Content((), ((Piece("No hand has been dealt yet.", "dim"),),))
    seats = range(len(tale.names))
    so_far = hand_so_far(tale, state.at)
    bids = {one.seat: one for one in so_far if one.kind is Kind.BID}
    tricks: dict[int, list[Step]] = {}
    for one in so_far:
        if one.kind is Kind.PLAY and one.trick is not None:
            tricks.setdefault(one.trick, []).append(one)
    heads = ["seat", "bid", "taken", *(f"trick {number}" for number in tricks)]
    rows = [
        [_plain(str(seat), "title") for seat in seats],
        [_cell(bids.get(seat), step) for seat in seats],
        [_plain(str(won)) for won in step.won],
        *(_trick(moves, step, seats) for moves in tricks.values()),
    ]
    if hand_columns(tale) > columns:
        turned = [tuple(row[seat] for row in rows) for seat in seats]
        head = tuple(_plain(what.removeprefix("trick "), "title") for what in heads)
        return Content(_cut_all([head], columns), _cut_all(turned, columns), step.seat or 0)
    lines = [(Piece(f"{what:<{LABEL}}"), *row) for what, row in zip(heads, rows, strict=True)]
    return Content(_cut_all(lines[:3], columns), _cut_all(lines[3:], columns), len(tricks) - 1)


def _trick(moves: Sequence[Step], now: Step, seats: range) -> list[Piece]:
    by_seat = {move.seat: move for move in moves}
    taker = moves[-1].best if moves[-1].taken else None
    return [_cell(by_seat.get(seat), now, led=seat == moves[0].seat, took=seat == taker) for seat in seats]


def _plain(text: str, style: str = "") -> Piece:
    return Piece(f" {text:<{CELL - 1}}", style)


def _cell(move: Step | None, now: Step, *, led: bool = False, took: bool = False) -> Piece:
    if move is None:
        return Piece(" " * CELL)
    text = f"{'>' if led else ' '}{move.value}{'*' if took else ''}{'!' if move.referee else ''}"
    style = "now" if move.at == now.at else "fault" if move.referee else "win" if took else ""
    return Piece(f"{text:<{CELL}}", style)


# The scorekeeper's sheet


def _sheet(tale: Tale, state: State, columns: int) -> Content:
    """A row for every hand of the schedule; with many seats the sheet is cut into blocks that fit."""
    step = tale.steps[state.at]
    scores = {one.hand: one for one in tale.steps[: state.at + 1] if one.kind is Kind.SCORE and one.hand is not None}
    labels = _labels(tale, step, scores)
    wide = width(labels[0].text)
    blocks: list[list[list[Piece]]] = [[]]
    used = wide
    for seat in range(len(tale.names)):
        column = _column(tale, seat, step, scores)
        if blocks[-1] and used + width(column[0].text) > columns:
            blocks.append([])
            used = wide
        blocks[-1].append(column)
        used += width(column[0].text)
    rows = [(label, *(column[i] for column in block)) for block in blocks for i, label in enumerate(labels)]
    lines = _cut_all(rows, columns)
    present = 0 if step.hand is None else step.hand
    if len(blocks) == 1:
        return Content(lines[:1], lines[1:], present)
    # The block of the seat that is looked with, or of the one that moved.
    seat = state.view if state.view is not None else step.seat or 0
    block = next(i for i in range(len(blocks)) if seat < sum(map(len, blocks[: i + 1])))
    start = block * len(labels)
    return Content((), lines, start + 1 + present, start)


def _labels(tale: Tale, step: Step, scores: dict[int, Step]) -> list[Piece]:
    labels = [Piece(" hand cards trump  bids", "title")]
    for number, size in enumerate(tale.schedule):
        dealt = step.hand is not None and number <= step.hand
        trump = (tale.hands[number].trump or "-") if dealt else ""
        bids = scores[number].bids if number in scores else step.bids if number == step.hand else ()
        total = f"{sum(bids)}/{size}" if any(bids) else ""
        now = ">" if number == step.hand else " "
        labels.append(Piece(f"{now}{number:>4} {size:>5} {trump:^5} {total:>5}", "" if dealt else "dim"))
    return [*labels, *(Piece(f" {what:<22}", "dim") for what in ("set (S)", "overtricks (O)", "perfect (P)"))]


def _column(tale: Tale, seat: int, step: Step, scores: dict[int, Step]) -> list[Piece]:
    """The column of one seat, as wide in every row and at every step."""
    wide = max([NAME, *(width(_entry(one, seat)) for one in tale.steps if one.kind is Kind.SCORE)])
    column = [Piece(f"  {pad(fit(f'{seat} {tale.names[seat]}', wide), wide)}", "title")]
    for number in range(len(tale.schedule)):
        text, style = "", ""
        if number in scores:
            text, style = _entry(scores[number], seat), STYLES[scores[number].outcomes[seat]]
        elif number == step.hand and step.bids and step.bids[seat]:
            text = f" {step.bids[seat]}/{step.won[seat]}"
        column.append(Piece(f"  {text:<{wide}}", style))
    for what in "SOP":
        count = sum(one.outcomes[seat] == what for one in scores.values())
        column.append(Piece(f"  {f' {count}':<{wide}}", "dim"))
    return column


def _entry(score: Step, seat: int) -> str:
    before, after = MARKS[score.outcomes[seat]]
    made = f"{before}{score.bids[seat]}/{score.won[seat]}{after}"
    return f"{made:<6} {score.totals[seat]:>5}"


# What was said, and the faults


def _said(tale: Tale, state: State, columns: int) -> Content:
    """The notes of this hand up to now, the last one first."""
    step = tale.steps[state.at]
    told = [] if step.hand is None else hand_so_far(tale, state.at)
    rows: list[Row] = []
    for one in reversed(told):
        if one.seat is None or not one.note or state.view not in {None, one.seat}:
            continue
        what = f"bid {one.value}" if one.kind is Kind.BID else "cut" if one.kind is Kind.DEAL else str(one.value)
        head = f"{address(one)}  seat {one.seat} {tale.names[one.seat]}, {what}  {time_words(one.ms)}"
        rows += [(Piece(line),) for line in wrapped(head, columns)]
        rows += [(Piece(f"  {line}", "note"),) for line in wrapped(one.note, columns - 2)]
    return Content((), tuple(rows) or ((Piece("Nothing was said in this hand so far.", "dim"),),))


def _faults(tale: Tale, state: State, columns: int) -> Content:
    """All faults of the game; those of the present are marked."""
    now = set(tale.steps[state.at].faults)
    names = {step.at: address(step) for step in tale.steps}
    rows: list[Row] = []
    present = 0
    for number, fault in enumerate(tale.faults):
        mark = ">" if number in now else " "
        lines = wrapped(f"{names[fault.at]}  {fault_words(tale, number, state.view)}", columns - 1)
        rows += [
            (Piece(f"{mark if i == 0 else ' '}{line}", "now" if number in now else ""),) for i, line in enumerate(lines)
        ]
        if number in now:
            present = len(rows) - 1
    return Content((), tuple(rows) or ((Piece("There was no fault in this game.", "dim"),),), present)


def _cut_all(rows: Sequence[Row], columns: int) -> tuple[Row, ...]:
    return tuple(cut(row, columns) for row in rows)


def _table(tale: Tale, state: State, columns: int) -> Content:
    """The table, where it does not stand above."""
    head, *rows = table(tale, state, columns)
    turn = tale.steps[state.at].turn
    each = len(rows) // len(tale.names)
    return Content((head,), tuple(rows), 0 if turn is None else (turn + 1) * each - 1)


CONTENTS: dict[Panel, Callable[[Tale, State, int], Content]] = {
    Panel.TABLE: _table,
    Panel.HAND: _hand,
    Panel.SHEET: _sheet,
    Panel.SAID: _said,
    Panel.FAULTS: _faults,
}
