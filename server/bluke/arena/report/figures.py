"""Drawing: scales, and the marks that figures are made of.

Most figures are rows under each other, one for each bot, and their x are percents of the width: such a drawing is as
wide as its place, be that a phone's, and its text stays as large as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from bluke.arena.report.numbers import axis
from bluke.arena.report.values import Figure, Mark
from bluke.arena.report.words import short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "Row",
    "Scale",
    "circle",
    "element",
    "label",
    "line",
    "linear",
    "logarithmic",
    "nice_step",
    "percent",
    "rect",
    "rows_figure",
    "short_name",
    "text",
]

#: Percents that a scale leaves free at each side, so that neither dots nor numbers are cut.
EDGE = 6.0
#: Columns of a name in a figure on a phone.
NAME = 22
#: About as many ticks as fit on a phone.
TICKS = 7
#: The height of a row above its track, and of its name in that.
HEAD, NAMED_AT = 24, 17


def short_name(bot: str, columns: int = NAME) -> str:
    """A bot's name, cut to so many columns."""
    return short(bot, columns)


def element(
    tag: str, kind: str = "", *, text: str = "", marks: Iterable[Mark] = (), title: str = "", **attributes: str | float
) -> Mark:
    """An element: `kind` is its class, `title` what is said of it when it is pointed at."""
    said = (Mark("title", text=title),) if title else ()
    named = {"class": kind, **attributes} if kind else attributes
    return Mark(tag, tuple((name, _attribute(value)) for name, value in named.items()), text, (*said, *marks))


def _attribute(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def percent(value: float) -> str:
    """A share of the width."""
    return f"{value:.2f}%"


def line(x: tuple[float, float], y: tuple[float, float], kind: str, title: str = "") -> Mark:
    """A line; x in percents."""
    return element("line", kind, x1=percent(x[0]), x2=percent(x[1]), y1=y[0], y2=y[1], title=title)


def circle(x: float, y: float, kind: str, *, radius: float = 5, title: str = "") -> Mark:
    """A dot; x in percents."""
    return element("circle", kind, cx=percent(x), cy=y, r=radius, title=title)


def rect(x: tuple[float, float], y: float, height: float, kind: str, title: str = "") -> Mark:
    """A bar from one x to another, in percents."""
    return element("rect", kind, x=percent(x[0]), width=percent(x[1] - x[0]), y=y, height=height, title=title)


def text(x: float, y: float, words: str, kind: str) -> Mark:
    """Words; x in percents."""
    return element("text", kind, x=percent(x), y=y, text=words)


def label(y: float, parts: Sequence[tuple[str, str]]) -> Mark:
    """Words at the left edge, each with its class."""
    return element("text", "name", x=0.0, y=y, marks=[element("tspan", kind, text=words) for words, kind in parts])


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values stand; `ticks` are those that are written.

    Attributes:
        low: the value at the left end.
        high: the value at the right end.
        ticks: the values that are written.
        log: whether equal steps are equal factors.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    log: bool = False

    def at(self, value: float) -> float:
        """The place of a value, in percents of the width."""
        low, high, here = (self.low, self.high, value)
        if self.log:
            low, high, here = log10(low), log10(high), log10(max(value, low))
        return EDGE + (100 - 2 * EDGE) * (here - low) / (high - low)


def nice_step(least: float) -> float:
    """The smallest step of 1, 2 or 5 times a power of ten that is no smaller than `least`, which is above zero."""
    unit = 10.0 ** floor(log10(least))
    # 1e-9: what is one step but for rounding needs no larger one.
    return next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= least * (1 - 1e-9))


def linear(values: Sequence[float]) -> Scale:
    """A scale with room for the values, of which there may be none."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    step = nice_step((high - low) / TICKS)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return Scale(low, high, tuple(number * step for number in range(first, last + 1)))


def logarithmic(values: Sequence[float]) -> Scale:
    """A scale of powers of ten with room for the values, all above zero, of which there may be none."""
    low, high = (min(values), max(values)) if values else (1.0, 10.0)
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    last = max(last, first + 1)
    return Scale(10.0**first, 10.0**last, tuple(10.0**power for power in range(first, last + 1)), log=True)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a figure: its name at the left, its value at the right, and under both the marks at a height y."""

    name: tuple[tuple[str, str], ...]
    value: str
    marks: Callable[[float], Iterable[Mark]]


def rows_figure(
    key: str, title: str, said: str, rows: Sequence[Row], *, scale: Scale | None = None, unit: str = "", track: int = 24
) -> Figure:
    """Rows under each other on one scale; `track` is the height under the names, `unit` what the scale measures."""
    pitch = HEAD + track
    foot = 34 if scale else 0
    bottom = pitch * len(rows) + 4
    marks = []
    if scale is not None:
        marks += [line((scale.at(tick),) * 2, (4, bottom), "grid") for tick in scale.ticks]
        marks += [text(scale.at(tick), bottom + 14, axis(tick), "tick") for tick in scale.ticks]
        marks.append(text(50, bottom + 30, unit, "tick unit"))
    for number, row in enumerate(rows):
        top = number * pitch
        marks += [label(top + NAMED_AT, row.name), text(100, top + NAMED_AT, row.value, "value")]
        marks += row.marks(top + HEAD + track / 2)
    return Figure(key, title, said, bottom + foot, tuple(marks))
