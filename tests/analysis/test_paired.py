from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.analysis.paired import estimate
from bluke.analysis.student import quantile


@pytest.mark.parametrize(
    ("free", "point"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (19, 2.093), (30, 2.042), (79, 1.990), (120, 1.980)],
)
def test_student_t(free, point):
    """The points are those of the printed tables."""
    assert quantile(0.975, free) == pytest.approx(point, abs=0.0006)


@given(st.integers(1, 300))
def test_student_t_of_scipy(free):
    """They are those of another implementation."""
    stats = pytest.importorskip("scipy.stats")
    assert quantile(0.975, free) == pytest.approx(stats.t.ppf(0.975, free), rel=1e-9)


def test_estimate():
    """A worked example: 1, 2, 3 and 4 have the mean 2.5, and ± 3.182 · 1.291 / 2."""
    found = estimate([1, 2, 3, 4])
    assert (found.mean, found.values) == (2.5, 4)
    assert found.margin == pytest.approx(2.0542, abs=0.0003)
    assert found.positive
    assert not estimate([0, 1, 2, 3]).positive
    assert estimate([2, 2, 2]).margin == 0


def test_cover():
    """Of 1000 intervals about 950 hold the truth."""
    random = Random(1)
    inside = 0
    for _ in range(1000):
        found = estimate([random.gauss(3, 2) for _ in range(20)])
        inside += abs(found.mean - 3) <= found.margin
    assert 930 <= inside <= 970
