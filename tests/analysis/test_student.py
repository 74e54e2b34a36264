from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.analysis.student import NORMAL_FROM, cdf, quantile


# Any table of the t distribution, 0.975 column.
@pytest.mark.parametrize(
    ("free", "t"),
    [(1, 12.7062), (2, 4.3027), (10, 2.2281), (30, 2.0423), (31, 2.0395), (60, 2.0003), (120, 1.9799), (1e9, 1.96)],
)
def test_quantile(free: float, t: float):
    """The quantiles are those of the tables."""
    assert quantile(0.975, free) == pytest.approx(t, abs=5e-5)


@pytest.mark.parametrize(("t", "p"), [(0, 1 / 2), (1, 3 / 4), (-1, 1 / 4), (3**0.5, 5 / 6)])
def test_one_degree_of_freedom(t: float, p: float):
    """With one degree of freedom it is the distribution of Cauchy, 1/2 + arctan(t) / pi."""
    assert cdf(t, 1) == pytest.approx(p, abs=1e-14)


@pytest.mark.parametrize("free", [0.3, 1, 1.5, 2, 7.3, 30, 999, 1001, 1e5, 9.9e7, 1.1e8])
def test_against_scipy(free: float):
    """Both agree with scipy, in the tails to seven digits of what is beyond as long as it is not the normal one."""
    stats = pytest.importorskip("scipy.stats")
    least = 1e-300 if free < NORMAL_FROM else 1e-9
    for t in (-40, -8, -2, -0.7, -1e-3, 0, 0.3, 1, 5, 40):
        assert cdf(t, free) == pytest.approx(stats.t.cdf(t, free), rel=1e-7, abs=least)
    for p in (1e-6, 0.025, 0.4, 0.5, 0.9, 0.975, 1 - 1e-6):
        assert quantile(p, free) == pytest.approx(stats.t.ppf(p, free), rel=1e-7)


@given(st.floats(1e-12, 1 - 1e-12), st.floats(0.5, 1e6))
def test_the_quantile_undoes_the_distribution(p: float, free: float):
    """A share of p lies below the quantile of p."""
    assert cdf(quantile(p, free), free) == pytest.approx(p, rel=1e-9)


@given(st.floats(allow_nan=False), st.floats(0.5, 1e12))
def test_symmetry(t: float, free: float):
    """What lies below t lies above -t, for whatever t."""
    assert 0 <= cdf(t, free) <= 1
    assert cdf(t, free) + cdf(-t, free) == pytest.approx(1, abs=1e-15)
