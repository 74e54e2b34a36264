"""The results for people, for a page, and for programs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bluke.arena.machine import this_machine
from bluke.bench.verdict import ENOUGH, judge, spread
from bluke.replay.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bluke.arena.machine import Machine
    from bluke.bench.cases import Case
    from bluke.bench.verdict import Goal, Pair

__all__ = [
    "HEAD",
    "Conditions",
    "Result",
    "as_data",
    "as_markdown",
    "as_text",
    "conditions",
    "figure",
    "goal_text",
    "heading",
    "markdown_table",
    "table_lines",
]

#: How a figure is written, by the end of its key: digits after the point, and its unit.
UNITS = {
    "ratio": (2, ""),
    "us": (1, " us"),
    "us_64": (1, " us"),
    "mib": (0, " MiB"),
    "mib_over": (0, " MiB"),
    "core": (1, "% of a core"),
    "core_over": (1, "% of a core"),
    "help": (2, " s"),
    "verify": (2, " s"),
    "bare": (2, " s"),
    "games": (0, "/s"),
}
#: Whatever is not there is a number of decisions or moves a second.
RATE = (0, "/s")
HEAD = ("", "measured", "control", "ratio or difference", "goal", "verdict")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one measurement; with `left_out`, a sentence, there are no pairs."""

    case: Case
    pairs: tuple[Pair, ...] = ()
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What was measured on, and when.

    Attributes:
        load: the load averages at the start over 1, 5 and 15 minutes; `None` where the system has none.
    """

    machine: Machine
    when: datetime
    load: tuple[float, float, float] | None


def conditions() -> Conditions:
    """Those of now."""
    load = os.getloadavg() if hasattr(os, "getloadavg") else None
    return Conditions(this_machine(), datetime.now(UTC), load)


def _form(key: str) -> tuple[int, str]:
    return next((form for end, form in UNITS.items() if key == end or key.endswith(f"_{end}")), RATE)


def figure(key: str, value: float) -> str:
    """A figure with its unit, which its key tells."""
    digits, unit = _form(key)
    return f"{value:,.{digits}f}{unit}"


def _cell(key: str, pairs: Sequence[Pair]) -> str:
    if not key:
        return ""
    digits, _ = _form(key)
    over = spread(pairs, key)
    return f"{figure(key, over.median)} ({over.least:,.{digits}f} to {over.most:,.{digits}f})"


def goal_text(goal: Goal) -> str:
    """What is wanted, in words; empty for a figure that is only shown."""
    if goal.value is None:
        return ""
    wanted = f"{'at most' if goal.most else 'at least'} {figure(goal.figure, goal.value)}"
    return wanted if goal.stretch is None else f"{wanted} (better {figure(goal.figure, goal.stretch)})"


def _rows(results: Iterable[Result], *, quick: bool) -> list[tuple[str, ...]]:
    rows = []
    for result in results:
        for goal in result.case.goals if result.pairs else ():
            # What is itself held against the goal stands in the first column, what is worked out of two in the third.
            keys = (goal.measured or goal.figure, goal.control, goal.figure if goal.measured else "")
            shown = [_cell(key, result.pairs) for key in keys]
            verdict = judge(goal, result.pairs, quick=quick).value
            rows.append((f"{result.case.name} {goal.label}".strip(), *shown, goal_text(goal), verdict))
    return rows


def heading(at: Conditions, how: str) -> list[str]:
    """What was measured on, when and how, a line each."""
    machine = at.machine
    packages = ", ".join(f"{name} {version}" for name, version in machine.packages.items())
    missing = "" if "uvloop" in machine.packages else ", no uvloop"
    load = "unknown" if at.load is None else ", ".join(f"{value:.2f}" for value in at.load)
    return [
        f"{at.when:%Y-%m-%d %H:%M} UTC, {machine.cpu}, {machine.cores} cores, {machine.memory_mb:,} MiB, {machine.os}",
        f"{machine.python}, {packages}{missing}; load average at the start {load}",
        how,
    ]


def _heading(at: Conditions, results: Sequence[Result], *, quick: bool) -> list[str]:
    most = max((len(result.pairs) for result in results), default=0)
    how = f"median of {counted(most, 'pair')}, and the least and the most in parentheses"
    look = f"a quick look, no verdict: that takes {ENOUGH} pairs, and no --quick"
    return heading(at, how) + ([look] if quick or most < ENOUGH else [])


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns under each other."""
    lines = [head, *rows]
    wide = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return ["  ".join(f"{cell:{w}}" for cell, w in zip(line, wide, strict=True)).rstrip() for line in lines]


def as_text(at: Conditions, results: Sequence[Result], *, quick: bool) -> list[str]:
    """The lines for a terminal: the conditions, the table, what its rows are, and what was left out."""
    told = [
        f"{result.case.name}: {result.case.what}" + (f"; control: {result.case.control}" if result.case.control else "")
        for result in results
    ]
    left_out = [f"{result.case.name} was left out: {result.left_out}" for result in results if result.left_out]
    rows = _rows(results, quick=quick)
    return [*_heading(at, results, quick=quick), "", *(table_lines(HEAD, rows) if rows else ()), "", *told, *left_out]


def as_markdown(at: Conditions, results: Sequence[Result], *, quick: bool) -> list[str]:
    """The same as a page has it."""
    lines = [
        *(f"{line}  " for line in _heading(at, results, quick=quick)),
        "",
        *markdown_table(HEAD, _rows(results, quick=quick)),
    ]
    left_out = [f"`{result.case.name}` was left out: {result.left_out}" for result in results if result.left_out]
    return [*lines, *([""] if left_out else []), *left_out]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table of Markdown."""
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows)]


def as_data(at: Conditions, results: Sequence[Result], *, quick: bool) -> dict[str, Any]:
    """All pairs, and what was made of them."""
    return {
        "format": "bluke-bench/1",
        "when": at.when,
        "machine": at.machine,
        "load": at.load,
        "quick": quick,
        "cases": [
            {
                "name": result.case.name,
                "what": result.case.what,
                "control": result.case.control,
                "left_out": result.left_out,
                "goals": [_goal_data(goal, result.pairs, quick=quick) for goal in result.case.goals],
                "pairs": result.pairs,
            }
            for result in results
        ],
    }


def _goal_data(goal: Goal, pairs: Sequence[Pair], *, quick: bool) -> dict[str, Any]:
    return {
        "figure": goal.figure,
        "label": goal.label,
        "at_most" if goal.most else "at_least": goal.value,
        "spread": spread(pairs, goal.figure) if pairs else None,
        "verdict": judge(goal, pairs, quick=quick).value,
    }
