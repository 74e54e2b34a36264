"""The mean of independent values, with its interval."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from bluke.analysis.student import quantile
from bluke.arena.statistics.values import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["estimate"]


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95% interval of independent values, by Student's t; no margin where they do not vary."""
    if len(values) < 2:
        return Estimate(fmean(values) if values else 0.0, None)
    margin = quantile(0.975, len(values) - 1) * stdev(values) / sqrt(len(values))
    return Estimate(fmean(values), margin or None)
