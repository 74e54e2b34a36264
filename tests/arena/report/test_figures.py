from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.report.figures import EDGE, Row, circle, linear, logarithmic, nice_step, rows_figure, short_name

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("least", "step"), [(1, 1), (1.01, 2), (2.1, 5), (5.5, 10), (0.03, 0.05), (100, 100), (101, 200), (0.1 + 0.2, 0.5)]
)
def test_nice_step(least: float, step: float):
    """Steps are 1, 2 or 5 times a power of ten, and never too small."""
    assert nice_step(least) == pytest.approx(step)


@given(VALUES)
def test_a_linear_scale_has_room(values: list[float]):
    """Every value and every tick has a place between the edges, in the order of the values."""
    scale = linear(values)
    places = [scale.at(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(EDGE - 1e-6 <= place <= 100 - EDGE + 1e-6 for place in places)
    assert all(EDGE - 1e-6 <= scale.at(tick) <= 100 - EDGE + 1e-6 for tick in scale.ticks)
    assert len(scale.ticks) <= 8


@given(st.lists(st.floats(0.01, 1e7), max_size=9))
def test_a_logarithmic_scale_has_room(values: list[float]):
    """The same, with a tick at each power of ten and at least two of them."""
    scale = logarithmic(values)
    assert all(EDGE - 1e-6 <= scale.at(value) <= 100 - EDGE + 1e-6 for value in values)
    assert len(scale.ticks) >= 2
    assert scale.at(scale.ticks[0]) == pytest.approx(EDGE)
    steps = {
        round(scale.at(after) - scale.at(tick), 6) for tick, after in zip(scale.ticks, scale.ticks[1:], strict=False)
    }
    assert len(steps) == 1


def test_no_values():
    """Without values there is a scale all the same."""
    assert linear([]).at(0.5) == 50
    assert logarithmic([]).ticks == (1, 10)


def test_long_names_are_cut():
    """A name is cut to its columns, wide characters counting twice, and shows what does not print."""
    assert short_name("n" * 30) == "n" * 21 + "~"
    assert short_name("\N{CJK UNIFIED IDEOGRAPH-4E2D}" * 30, 9) == "\N{CJK UNIFIED IDEOGRAPH-4E2D}" * 4 + "~"
    assert short_name("a\u202eb") == "a\\u202eb"


def test_rows():
    """Each row has its name, its value and its marks, further down than the row before."""
    rows = [Row(((name, ""),), f"value {name}", lambda y: [circle(50, y, "dot", title="here")]) for name in "ab"]
    figure = rows_figure("key", "Title", "said", rows, scale=linear([0, 10]), unit="points")
    dots = [dict(mark.attributes) for mark in figure.marks if mark.tag == "circle"]
    assert [dot["cx"] for dot in dots] == ["50.00%", "50.00%"]
    assert float(dots[0]["cy"]) < float(dots[1]["cy"]) < figure.height
    words = [mark.text for mark in figure.marks if mark.tag == "text" and mark.text]
    assert {"value a", "value b", "points", "0", "10"} <= set(words)
    assert [mark.marks[0].text for mark in figure.marks if mark.marks and mark.tag == "text"] == ["a", "b"]
