from __future__ import annotations

import pytest

from bluke.arena.statistics.mean import estimate
from bluke.arena.statistics.values import Estimate


def test_the_interval_of_known_values():
    """1, 2, 3, 4, 5 have the mean 3 and the interval 3 ± 1.963."""
    found = estimate([1, 2, 3, 4, 5])
    assert found.mean == 3
    assert found.margin == pytest.approx(1.9632, abs=1e-3)
    assert found.clear


def test_values_that_do_not_vary():
    """Equal values have no interval, rather than one without width."""
    assert estimate([7, 7, 7]) == Estimate(7, None)
    assert not estimate([7, 7, 7]).clear
