"""Means of differences that were measured on the same deals, with their 95% intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import cos, pi, sin, sqrt, tan
from statistics import fmean, stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Estimate", "estimate", "student_t"]


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
    return Estimate(fmean(values), student_t(count - 1) * stdev(values) / sqrt(count), count)


@cache
def student_t(free: int) -> float:
    """The 97.5% point of Student's t for so many degrees of freedom, 1 or more."""
    low, high = 0.0, pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        if _within(free, middle) < 0.95:
            low = middle
        else:
            high = middle
    return sqrt(free) * tan(low)


def _within(free: int, angle: float) -> float:
    """The chance that t is between ∓tan(angle) times the root of `free`: Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    odd = free % 2
    term, total = cos(angle) if odd else 1.0, 0.0
    for k in range(odd, free - 1, 2):
        total += term
        term *= cos(angle) ** 2 * (k + 1) / (k + 2)
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
