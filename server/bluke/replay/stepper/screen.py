"""The whole screen in lines: a heading, the table, the move, a panel, and a line of keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bluke.replay.page.steps import Kind
from bluke.replay.records import REGRET
from bluke.replay.render import STYLES, Piece, Row
from bluke.replay.stepper.course import HELP, Panel
from bluke.replay.stepper.lines import cut, pad, wrapped
from bluke.replay.stepper.panels import content, hand_columns, window
from bluke.replay.stepper.table import table, table_rows
from bluke.replay.stepper.tale import address
from bluke.replay.stepper.words import fault_words, held, sentence, time_words
from bluke.replay.text import counted, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.replay.page.steps import Step
    from bluke.replay.stepper.course import State
    from bluke.replay.stepper.tale import Tale

__all__ = ["LOOKS", "screen", "settle"]

#: The styles in use, as rich understands them. Nothing is told by a style alone.
LOOKS = {**STYLES, "now": "reverse", "bar": "reverse bold"}
#: Below this a panel is no use.
PANEL = 6
#: The columns that the panel beside that of the hand needs.
BESIDE = 66
GAP = 3
HINTS = (
    "? keys",
    "q quit",
    "arrows step/hand",
    "tab panel",
    "v view",
    "n set",
    "f fault",
    "r regret",
    "g go to",
    "pgdn scroll",
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of the screen are shared out.

    Attributes:
        table: lines of the table, 0 where it is a panel.
        move: lines of the move.
        panel: lines of the panel.
        wide: whether the panel of the hand stands beside another.
        panels: those that there are.
    """

    table: int
    move: int
    panel: int
    wide: bool
    panels: tuple[Panel, ...]


def layout(tale: Tale, columns: int, rows: int) -> Layout:
    """Share out so many columns and lines."""
    move = 3 if rows < 20 else 5 if rows < 36 else 7
    # Three lines are the heading, that of the panels, and that of the keys.
    room = max(0, rows - move - 3)
    lines = table_rows(tale, columns)
    wide = columns >= hand_columns(tale) + GAP + BESIDE
    if room - lines < PANEL:
        return Layout(0, move, room, wide=False, panels=tuple(Panel))
    panels = (Panel.SHEET, Panel.SAID, Panel.FAULTS)
    return Layout(lines, move, room - lines, wide, panels if wide else (Panel.HAND, *panels))


def settle(tale: Tale, state: State, columns: int, rows: int) -> State:
    """The state as a terminal of this size has it: with a panel that is there, scrolled no further than it goes."""
    room = layout(tale, columns, rows)
    panel = state.panel if state.panel in room.panels else room.panels[0]
    state = replace(state, panels=room.panels, panel=panel)
    return replace(state, scroll=_panel(tale, state, room, columns)[1])


def screen(tale: Tale, state: State, columns: int, rows: int) -> list[Row]:
    """What to show: exactly `rows` lines, none wider than `columns`. The state is one that is settled."""
    if state.help:
        return _filled(_help(columns), columns, rows)
    room = layout(tale, columns, rows)
    lines = [_heading(tale, state, columns)]
    if room.table:
        lines += _filled(table(tale, state, columns), columns, room.table)
    lines += _filled(_move(tale, state, columns, room.move), columns, room.move)
    lines.append(_tabs(state, room, columns, hand_columns(tale) + GAP))
    lines += _filled(_panel(tale, state, room, columns)[0], columns, room.panel)
    return [*_filled(lines, columns, rows - 1), _foot(state, columns)]


def _filled(lines: Sequence[Row], columns: int, rows: int) -> list[Row]:
    """So many lines."""
    kept = [cut(line, columns) for line in lines[: max(rows, 0)]]
    return kept + [()] * (rows - len(kept))


def _heading(tale: Tale, state: State, columns: int) -> Row:
    step = tale.steps[state.at]
    right = f"  {address(step)}  {state.at}/{len(tale.steps) - 1} "
    words = []
    if state.view is not None:
        words.append(f"seen by seat {state.view}")
    if step.hand is not None:
        hand = tale.hands[step.hand]
        turned = f" ({hand.turned} turned)" if hand.turned else ""
        words.append(f"hand {step.hand}/{len(tale.schedule) - 1}")
        words.append(counted(hand.size, "card"))
        words.append(f"trump {hand.trump}{turned}" if hand.trump else f"no trump{turned}")
        if step.trick is not None:
            words.append(f"trick {step.trick}")
    if tale.ending:
        words.append(tale.ending.partition(":")[0].removesuffix("."))
    words.append(tale.file)
    left = cut((Piece(f" {'  '.join(words)}"),), max(0, columns - len(right)))
    text = "".join(piece.text for piece in left)
    return cut((Piece(pad(text, max(0, columns - len(right))) + right, "bar"),), columns)


def _move(tale: Tale, state: State, columns: int, rows: int) -> list[Row]:
    """What happened, what else could have been done, what was said and what was wrong."""
    step = tale.steps[state.at]
    lines: list[Row] = [(Piece(line, "title"),) for line in wrapped(sentence(tale, step), columns)]
    lines += [(Piece(line),) for line in wrapped(_facts(tale, state, step), columns) if line]
    for number in step.faults:
        lines += [(Piece(line, "fault"),) for line in wrapped(fault_words(tale, number, state.view), columns)]
    if step.note:
        # Set in, so that no line of a note looks like one of ours.
        first, *more = wrapped(_note(state, step), columns - 2)
        lines += [(Piece(first, "note"),), *((Piece(f"  {line}", "note"),) for line in more)]
    if len(lines) > rows:
        lines = [*lines[: rows - 1], (Piece("... the rest is in the panels said and faults", "dim"),)]
    return lines


def _facts(tale: Tale, state: State, step: Step) -> str:
    facts = [time_words(step.ms)]
    hidden = state.view not in {None, step.seat}
    if step.kind is Kind.BID and step.hand is not None:
        facts.append(f"could bid 1 to {tale.hands[step.hand].size}")
    elif step.kind is Kind.PLAY and step.hand is not None and step.seat is not None and not hidden:
        cards = held(tale.hands[step.hand], tale.steps[state.at - 1].legal, step.seat)
        facts.append(f"could play {' '.join(cards)}" if len(cards) > 1 else "had no choice")
    return "; ".join(filter(None, facts))


def _note(state: State, step: Step) -> str:
    if state.view not in {None, step.seat}:
        return "What it said is hidden in this view."
    return step.note if step.note.startswith(REGRET) else f"it said: {step.note}"


def _tabs(state: State, room: Layout, columns: int, right: int) -> Row:
    """The line above the panel, which names all panels and marks the one that is shown."""
    names = "  ".join(f"[{panel.value}]" if panel is state.panel else panel.value for panel in room.panels)
    line = f"-- {names} "
    if room.wide:
        line = f"{'-- hand ':-<{right}}{line}"
    return cut((Piece(line + "-" * max(0, columns - width(line)), "dim"),), columns)


def _panel(tale: Tale, state: State, room: Layout, columns: int) -> tuple[list[Row], int]:
    """The lines of the panel, and how far it is scrolled."""
    panel = state.panel or room.panels[0]
    if not room.wide:
        return window(content(tale, state, panel, columns), room.panel, state.scroll)
    left = hand_columns(tale)
    hand, _ = window(content(tale, state, Panel.HAND, left), room.panel, 0)
    other, scroll = window(content(tale, state, panel, columns - left - GAP), room.panel, state.scroll)
    hand += [()] * (room.panel - len(hand))
    other += [()] * (room.panel - len(other))
    return [(*_padded(one, left + GAP), *two) for one, two in zip(hand, other, strict=True)], scroll


def _padded(row: Row, columns: int) -> Row:
    return (*row, Piece(" " * (columns - sum(width(piece.text) for piece in row))))


def _foot(state: State, columns: int) -> Row:
    if state.told:
        return cut((Piece(f" {state.told}", "title"),), columns)
    line = ""
    for hint in HINTS:
        if width(line) + len(hint) + 2 <= columns:
            line += f"  {hint}" if line else f" {hint}"
    return (Piece(line, "dim"),)


def _help(columns: int) -> list[Row]:
    widest = max(len(keys) for keys, _ in HELP)
    lines: list[Row] = [(Piece(" Keys; any key goes back", "title"),), ()]
    for keys, what in HELP:
        for i, line in enumerate(wrapped(what, max(12, columns - widest - 4))):
            lines.append((Piece(f" {keys if i == 0 else '':<{widest}}  ", "title"), Piece(line)))
    marks = "> is to act, or led to the trick; D dealt; * takes the trick; ! the referee moved; + may be played."
    return [*lines, (), *((Piece(f" {line}"),) for line in wrapped(marks, columns - 1))]
