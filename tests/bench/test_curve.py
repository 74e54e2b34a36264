from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import chain

import pytest
from bench.results import AT, point

from bluke.bench.curve import SEATS, TABLES, end_of
from bluke.bench.drawing import curve_lines, draw

SVG = "{http://www.w3.org/2000/svg}"
POINTS = [
    *(point(tables, 4, rate=1000.0 * tables, p99=2.0 * tables) for tables in TABLES),
    *(point(64, seats) for seats in SEATS),
]


def drawn(points):
    return ET.fromstring(draw(points))


def words(drawing):
    return [text.text for text in drawing.iter(f"{SVG}text")]


def test_end_of_the_curve():
    """The first point with a timeout is the last one; those after it are not even measured."""
    broken = point(256, 4, timeouts=1)
    points = chain([point(1, 4), point(64, 4, excused=9), broken], (pytest.fail("measured") for _ in range(1)))
    assert list(end_of(points))[-1] == broken


def test_drawing():
    """Four panels: a dot for each point, twice for waits, every place named under its axis, and what the lines are."""
    drawing = drawn(POINTS)
    panels = drawing.findall(f"{SVG}g")
    dots = [len(list(panel.iter(f"{SVG}circle"))) for panel in panels]
    assert dots == [len(TABLES), len(SEATS), 2 * len(TABLES), 2 * len(SEATS)]
    for number, panel in enumerate(panels):
        places = SEATS if number % 2 else TABLES
        assert {f"{place:,}" for place in places} <= set(words(panel))
        assert {"p50", "p99"} & set(words(panel)) == ({"p50", "p99"} if number > 1 else set())


def test_drawing_goes_up():
    """More is higher, and more tables are further to the right."""
    line = next(drawn(POINTS).iter(f"{SVG}polyline")).attrib["points"]
    spots = [tuple(map(float, spot.split(","))) for spot in line.split()]
    assert spots == sorted(spots)
    assert [y for _, y in spots] == sorted((y for _, y in spots), reverse=True)


def test_drawing_of_one_point():
    """A curve that ends at once is drawn too, and so is a wait of nothing."""
    assert len(list(drawn([point(1, 4, p50=0.0, p99=0.0)]).iter(f"{SVG}circle"))) == 3


def test_drawing_has_a_name():
    """Whoever cannot see it hears what it is, and it has colours for light and for dark."""
    text = draw(POINTS)
    assert 'role="img" aria-label="Decisions a second and waits over tables and seats' in text
    assert "prefers-color-scheme: dark" in text


def test_lines():
    """A row for each point, with what timed out and what was excused, under what it was measured on."""
    lines = list(curve_lines(AT, [point(1000, 4, timeouts=3, excused=12)], 3))
    assert lines[2].startswith("median of 3 for each row; a decision has 250 ms")
    assert lines[-1] == "| 1,000 | 4 | 1,000 | 1.50 | 20.00 | 30.0 | 8.0 | 3 | 12 |"
