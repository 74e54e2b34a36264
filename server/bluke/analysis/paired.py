"""Means of differences that were measured on the same deals, with their 95% intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from bluke.analysis.student import quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Estimate", "estimate"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and half the width of its 95% interval, from so many independent values."""

    mean: float
    margin: float
    values: int

    @property
    def positive(self) -> bool:
        """Whether the whole interval is above zero."""
        return self.mean > self.margin


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95% interval of two or more independent values, by Student's t."""
    count = len(values)
    return Estimate(fmean(values), quantile(0.975, count - 1) * stdev(values) / sqrt(count), count)
