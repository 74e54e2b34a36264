"""The curve as a drawing, and as a table beside it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from bluke.arena.report.figures import element, linear, logarithmic
from bluke.arena.report.numbers import axis
from bluke.bench.curve import AT_SEATS, AT_TABLES, CLOCK_MS
from bluke.bench.show import heading, markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bluke.arena.report.figures import Scale
    from bluke.arena.report.values import Mark
    from bluke.bench.curve import Point
    from bluke.bench.show import Conditions

__all__ = ["curve_lines", "draw"]

#: A panel and the field in it, in units of the drawing: the rest is for words.
WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 70, 440, 40, 250
STYLE = """
svg { color-scheme: light dark; --ground: #fffefb; --ink: #1d2428; --soft: #566067; --rule: #dcd8ce; --one: #17614a; \
--two: #9a4a12; }
@media (prefers-color-scheme: dark) { svg { --ground: #1b2125; --ink: #e6e9e7; --soft: #a3aeb2; --rule: #333c41; \
--one: #6fcfa9; --two: #f0a765; } }
text { fill: var(--ink); font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.ground { fill: var(--ground); } .title { font-size: 14px; font-weight: 600; }
.soft { fill: var(--soft); } .middle { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--rule); } .one { stroke: var(--one); fill: var(--one); } .two { stroke: var(--two); \
fill: var(--two); }
polyline { fill: none !important; stroke-width: 2.5; stroke-linejoin: round; } text.one, text.two { stroke: none; }
.two-line { stroke-dasharray: 6 4; }
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a panel: its name, its class, its value at a point, and how far down its name stands at its end."""

    name: str
    kind: str
    value: Callable[[Point], float]
    down: float = -10.0


RATE = (Line("", "one", lambda point: point.rate),)
WAITS = (Line("p99", "two", lambda point: point.p99), Line("p50", "one", lambda point: point.p50, 22.0))


def draw(points: Sequence[Point]) -> str:
    """The curve as an SVG of two by two panels: speed and waits, by tables and by seats."""
    by_tables, by_seats = _two(points)
    panels = (
        ("decisions a second", f"tables of {AT_SEATS} seats", by_tables, "tables", RATE),
        ("decisions a second", f"seats, at {AT_TABLES} tables", by_seats, "seats", RATE),
        ("milliseconds to the next turn of a game", f"tables of {AT_SEATS} seats", by_tables, "tables", WAITS),
        ("milliseconds to the next turn of a game", f"seats, at {AT_TABLES} tables", by_seats, "seats", WAITS),
    )
    marks = []
    for number, (title, under, places, by, lines) in enumerate(panels):
        at = f"translate({number % 2 * WIDTH} {number // 2 * HEIGHT})"
        marks.append(element("g", transform=at, marks=_panel(title, under, places, by, lines)))
    said = f"Decisions a second and waits over tables and seats; a decision has {CLOCK_MS} ms."
    inside = "".join(map(_written, [element("rect", "ground", width="100%", height="100%", rx=8.0), *marks]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {2 * HEIGHT}" role="img" '
        f'aria-label="{escape(said)}">\n<style>{STYLE}</style>\n{inside}\n</svg>\n'
    )


def _two(points: Sequence[Point]) -> tuple[list[Point], list[Point]]:
    """The points by tables, and those by seats, which begin where the seats are no longer the same."""
    cut = next((at for at, point in enumerate(points) if point.seats != AT_SEATS), len(points))
    return list(points[:cut]), list(points[cut:])


def _panel(title: str, under: str, points: Sequence[Point], by: str, lines: Sequence[Line]) -> Iterator[Mark]:
    places = [float(getattr(point, by)) for point in points]
    across = _across(places, log=by == "tables")
    values = [line.value(point) for line in lines for point in points]
    waits = len(lines) > 1
    scale = logarithmic([max(value, 0.01) for value in values]) if waits else linear([0.0, *values])
    yield element("text", "title", x=LEFT - 50.0, y=TOP - 18.0, text=title)
    for tick in scale.ticks:
        y = _up(scale, tick)
        yield element("line", "grid", x1=float(LEFT), x2=float(RIGHT), y1=y, y2=y)
        yield element("text", "soft end", x=LEFT - 8.0, y=y + 4, text=axis(tick))
    for place in places:
        yield element("text", "soft middle", x=_along(across, place), y=BOTTOM + 20.0, text=f"{place:,.0f}")
    yield element("text", "soft middle", x=(LEFT + RIGHT) / 2, y=BOTTOM + 40.0, text=under)
    for line in lines:
        spots = [
            (_along(across, place), _up(scale, max(line.value(p), 0.01)))
            for place, p in zip(places, points, strict=True)
        ]
        if not spots:
            continue
        kind = f"{line.kind} {line.kind}-line"
        yield element("polyline", kind, points=" ".join(f"{x:.1f},{y:.1f}" for x, y in spots))
        for (x, y), point in zip(spots, points, strict=True):
            said = f"{getattr(point, by):,} {by}: {line.value(point):,.1f} {line.name}".strip()
            yield element("circle", line.kind, cx=x, cy=y, r=4.0, title=said)
        yield element("text", f"{line.kind} end", x=spots[-1][0], y=spots[-1][1] + line.down, text=line.name)


def _across(places: Sequence[float], *, log: bool) -> Scale:
    if log:
        return logarithmic(places)
    return linear(places)


def _along(scale: Scale, value: float) -> float:
    return LEFT + (RIGHT - LEFT) * scale.at(value) / 100


def _up(scale: Scale, value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * scale.at(value) / 100


def _written(mark: Mark) -> str:
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in mark.attributes)
    inside = escape(mark.text) + "".join(map(_written, mark.marks))
    return f"<{mark.tag}{attributes}>{inside}</{mark.tag}>"


def curve_lines(at: Conditions, points: Sequence[Point], repeats: int) -> Iterable[str]:
    """The figures of the drawing as a table of Markdown, with what they were measured on."""
    head = (
        *("tables", "seats", "decisions/s", "p50 ms", "p99 ms", "server us/decision", "turns a message"),
        *("timed out", "excused"),
    )
    rows = [
        (
            *(f"{point.tables:,}", str(point.seats), f"{point.rate:,.0f}", f"{point.p50:.2f}", f"{point.p99:.2f}"),
            *(f"{point.server_us:.1f}", f"{point.batch:.1f}", f"{point.timeouts:,}", f"{point.excused:,}"),
        )
        for point in points
    ]
    each = f"median of {repeats} for each row" if repeats > 1 else "once for each row"
    return [
        *(f"{line}  " for line in heading(at, f"{each}; a decision has {CLOCK_MS} ms")),
        "",
        *markdown_table(head, rows),
    ]
