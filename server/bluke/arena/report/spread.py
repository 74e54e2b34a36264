"""How points and decision times are spread."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, TypeGuard

from bluke.arena.report.figures import (
    Row,
    Scale,
    circle,
    element,
    line,
    linear,
    logarithmic,
    nice_step,
    percent,
    rows_figure,
    short_name,
)
from bluke.arena.report.numbers import NOTHING, axis, decimal, ms, span, whole
from bluke.arena.report.values import Column, Details, Section, Table, say
from bluke.arena.report.words import outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bluke.arena.report.tally import Tally
    from bluke.arena.report.values import Mark

__all__ = ["Spread", "points_section", "quantile", "spread_of", "times_section"]

#: Classes of the histograms, about.
CLASSES = 40
HISTOGRAM_HEIGHT = 26
QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)
SHOWN_TIMES = (0.5, 0.95, 1.0)


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the values of a list lie: the least, 5%, a quarter, half, three quarters, 95%, the greatest, the mean."""

    least: float
    low: float
    quarter: float
    median: float
    three_quarters: float
    high: float
    most: float
    mean: float


def quantile(ordered: Sequence[float], q: float) -> float:
    """The value below which a share `q` of an ordered list lies, in between by proportion."""
    at = q * (len(ordered) - 1)
    below = floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def spread_of(ordered: Sequence[int]) -> Spread | None:
    """The spread of an ordered list; `None` for an empty one."""
    if not ordered:
        return None
    least, low, quarter, median, three_quarters, high, most = (quantile(ordered, q) for q in QUANTILES)
    return Spread(least, low, quarter, median, three_quarters, high, most, sum(ordered) / len(ordered))


def points_section(tallies: Sequence[Tally]) -> Section:
    """How the points of single games are spread."""
    spreads = [spread_of(tally.totals) for tally in tallies]
    known = [spread for spread in spreads if spread is not None]
    low, high = min((one.least for one in known), default=0.0), max((one.most for one in known), default=1.0)
    step = nice_step(max(high - low, 1) / CLASSES)
    edges = [floor(low / step) * step]
    while edges[-1] <= high:
        edges.append(edges[-1] + step)
    scale = linear([edges[0], edges[-1]])
    rows = [
        Row(
            ((short_name(tally.bot), ""),),
            NOTHING if spread is None else f"median {decimal(spread.median, 0)}",
            _Histogram(tally, spread, edges, scale).marks,
        )
        for tally, spread in zip(tallies, spreads, strict=True)
    ]
    figure = rows_figure(
        "points-figure",
        "Points in single games, by bot",
        "; ".join(f"{outside(tally.bot)}: {_said(spread)}" for tally, spread in zip(tallies, spreads, strict=True)),
        rows,
        scale=scale,
        unit="points in a game",
        track=HISTOGRAM_HEIGHT + 18,
    )
    lead = say(
        "How often games ended with so many points. Under each histogram the line holds the middle 90% of the games, "
        "the thick part the middle half, and the dot is the median. Single games differ by the luck of the deal."
    )
    tables = (_spread_table(tallies, spreads), _classes_table(tallies, edges))
    return Section("points", "Points in single games", (lead, figure, Details("The figure as tables", tables)))


def _said(spread: Spread | None) -> str:
    if spread is None:
        return NOTHING
    return f"median {decimal(spread.median, 0)}, the middle 90% {span(spread.low, spread.high, 0)}"


def _spread_table(tallies: Sequence[Tally], spreads: Sequence[Spread | None]) -> Table:
    heads = ("least", "5%", "25%", "median", "75%", "95%", "most", "mean")
    rows = []
    for tally, spread in zip(tallies, spreads, strict=True):
        values = [None] * len(heads) if spread is None else [getattr(spread, name) for name in Spread.__slots__]
        rows.append((outside(tally.bot), *(decimal(value) for value in values), whole(len(tally.totals))))
    return Table(
        "Points in single games",
        (Column("bot", words=True), *map(Column, heads), Column("games")),
        tuple(rows),
    )


def _classes_table(tallies: Sequence[Tally], edges: Sequence[float]) -> Table:
    counts = [_counts(tally.totals, edges) for tally in tallies]
    return Table(
        "Games by points",
        (Column("points from"), *(Column(short_name(tally.bot, 14), outside(tally.bot)) for tally in tallies)),
        tuple(
            (axis(edge), *(whole(count[at]) for count in counts))
            for at, edge in enumerate(edges[:-1])
            if any(count[at] for count in counts)
        ),
    )


def _counts(ordered: Sequence[int], edges: Sequence[float]) -> list[int]:
    """How many values lie in each class, its lower edge included."""
    counts = [0] * (len(edges) - 1)
    for value in ordered:
        counts[bisect_right(edges, value) - 1] += 1
    return counts


class _Histogram:
    """The row of one bot."""

    def __init__(self, tally: Tally, spread: Spread | None, edges: Sequence[float], scale: Scale) -> None:
        self._tally, self._spread, self._edges, self._scale = tally, spread, edges, scale

    def marks(self, y: float) -> Iterator[Mark]:
        """The classes as one shape, and the line with the dot under it."""
        spread, at = self._spread, self._scale.at
        if spread is None:
            return
        counts = _counts(self._tally.totals, self._edges)
        tallest = max(counts)
        steps = " ".join(f"V{100 - 100 * count / tallest:.0f}h1" for count in counts)
        left, right = at(self._edges[0]), at(self._edges[-1])
        base = y + HISTOGRAM_HEIGHT / 2 - 5
        yield element(
            "svg",
            x=percent(left),
            y=base - HISTOGRAM_HEIGHT,
            width=percent(right - left),
            height=float(HISTOGRAM_HEIGHT),
            viewBox=f"0 0 {len(counts)} 100",
            preserveAspectRatio="none",
            marks=[element("path", "histogram", d=f"M0 100{steps}V100z")],
        )
        yield line((left, right), (base, base), "base")
        below = base + 9
        yield line((at(spread.low), at(spread.high)), (below, below), "whisker")
        yield line((at(spread.quarter), at(spread.three_quarters)), (below, below), "whisker thick")
        yield circle(at(spread.median), below, "dot", radius=4.5, title=f"{outside(self._tally.bot)}: {_said(spread)}")


def times_section(tallies: Sequence[Tally], limit_ms: int | None) -> Section:
    """How long decisions took; `limit_ms` is the time for one, `None` where there is no clock or none is known."""
    times = [_times(tally) for tally in tallies]
    known = [time for three in times if three is not None for time in three]
    scale = logarithmic(known)
    rows = [
        Row(
            ((short_name(tally.bot), ""),),
            NOTHING if three is None else f"{ms(three[0])} / {ms(three[1])} / {ms(three[2])} ms",
            _Times(tally.bot, three, scale, limit_ms).marks,
        )
        for tally, three in zip(tallies, times, strict=True)
    ]
    figure = rows_figure(
        "times-figure",
        "Decision times, by bot",
        "; ".join(f"{outside(tally.bot)}: {_times_said(three)}" for tally, three in zip(tallies, times, strict=True)),
        rows,
        scale=scale,
        unit="milliseconds, each step ten times the last",
        track=22,
    )
    table = Table(
        "Decision times in milliseconds",
        (Column("bot", words=True), Column("p50"), Column("p95"), Column("longest"), Column("decisions")),
        tuple(
            (outside(tally.bot), *map(ms, three or (None,) * 3), whole(tally.times.counts.total()))
            for tally, three in zip(tallies, times, strict=True)
        ),
    )
    limit = f" Broken line: the limit of {whole(limit_ms)} ms." if _in_sight(limit_ms, scale) else ""
    lead = say(
        "Dot: half of the decisions took no longer. Bar: 95% did not. Cross: the longest one. The numbers are these "
        f"three, to 5%, as the referee measured them.{limit}"
    )
    return Section("times", "Decision times", (lead, figure, Details("The figure as a table", (table,))))


def _in_sight(limit_ms: int | None, scale: Scale) -> TypeGuard[int]:
    """Whether the scale reaches the limit."""
    return limit_ms is not None and scale.low < limit_ms <= scale.high


def _times(tally: Tally) -> tuple[float, float, float] | None:
    found = [tally.times.quantile(q) for q in SHOWN_TIMES]
    return None if None in found else (found[0] or 0.0, found[1] or 0.0, found[2] or 0.0)


def _times_said(three: tuple[float, float, float] | None) -> str:
    return (
        NOTHING
        if three is None
        else f"half within {ms(three[0])} ms, 95% within {ms(three[1])}, at most {ms(three[2])}"
    )


class _Times:
    """The row of one bot."""

    def __init__(self, bot: str, three: tuple[float, float, float] | None, scale: Scale, limit_ms: int | None) -> None:
        self._bot, self._three, self._scale, self._limit = bot, three, scale, limit_ms

    def marks(self, y: float) -> Iterator[Mark]:
        """Dot, bar and cross, and the limit where the scale reaches it."""
        if _in_sight(self._limit, self._scale):
            x = self._scale.at(self._limit)
            yield line((x, x), (y - 10, y + 10), "limit", f"limit {self._limit} ms")
        if self._three is None:
            return
        half, most, longest = map(self._scale.at, self._three)
        yield line((half, longest), (y, y), "whisker faint")
        yield line((half, most), (y, y), "whisker thick")
        yield line((most, most), (y - 6, y + 6), "whisker")
        yield circle(half, y, "dot", title=f"{outside(self._bot)}: {_times_said(self._three)}")
        yield element("svg", "cross", x=percent(longest), y=y, marks=[element("path", "cross", d="M-4-4 4 4M-4 4 4-4")])
