"""Student's t distribution, for any degrees of freedom that are above zero, whole or not."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, isfinite, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

__all__ = ["cdf", "quantile"]

#: Two values of the continued fraction that differ by less, in parts of themselves, are the same.
SAME = 1e-15
#: From so many degrees of freedom on the distribution is the normal one to 8 digits.
NORMAL_FROM = 1e8
#: From here on the terms of `_log_ratio` that are left out are below 1e-16, and the difference of two logarithms would
#: lose more.
LARGE = 1e3
#: In place of a zero that would be divided by.
TINY = 1e-300


def cdf(t: float, free: float) -> float:
    """The probability of a value up to `t` with so many degrees of freedom.

    Abramowitz and Stegun 1964, 26.7.1 and 26.5.2: half the regularised incomplete beta function of
    `free / (free + t^2)` with the parameters `free / 2` and 1/2 is what lies beyond `t`.
    """
    if free >= NORMAL_FROM:
        # The one of NormalDist loses the tails.
        return erfc(-t / sqrt(2)) / 2
    squared = t * t
    # Both are divided for, since 1 less the one would lose the digits of the other where that is small.
    x, rest = (free / (free + squared), squared / (free + squared)) if isfinite(squared) else (0.0, 1.0)
    beyond = _beta(free / 2, x, rest) / 2
    return beyond if t < 0 else 1 - beyond


@lru_cache(maxsize=4096)
def quantile(p: float, free: float) -> float:
    """The value that a share `p` of the distribution does not exceed; `p` is above 0 and below 1."""
    if p < 0.5:
        return -quantile(1 - p, free)
    if free >= NORMAL_FROM:
        return NormalDist().inv_cdf(p)
    # Above 0 what lies beyond is a convex function, so that Newton's steps from below never go too far. The quantile
    # of the normal distribution is below.
    t = NormalDist().inv_cdf(p)
    while True:
        after = t + (cdf(-t, free) - (1 - p)) / _density(t, free)
        if after <= t * (1 + SAME):
            return t
        t = after


def _density(t: float, free: float) -> float:
    return exp(_log_ratio(free / 2) - (log(pi * free) + (free + 1) * log1p(t * t / free)) / 2)


def _log_ratio(a: float) -> float:
    """The logarithm of Gamma(a + 1/2) / Gamma(a)."""
    if a < LARGE:
        return lgamma(a + 0.5) - lgamma(a)
    return log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3)


def _beta(a: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function of `x` with the parameters `a` and 1/2; `rest` is `1 - x`."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    front = exp(_log_ratio(a) - log(pi) / 2 + a * _log(x, rest) + _log(rest, x) / 2)
    # The fraction converges fast below the mean of the beta distribution, and the function is symmetric.
    if x < (a + 1) / (a + 2.5):
        return front * _fraction(a, 0.5, x) / a
    return 1 - front * _fraction(0.5, a, rest) / 0.5


def _log(x: float, rest: float) -> float:
    return log(x) if x < 0.5 else log1p(-rest)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction 26.5.8 of Abramowitz and Stegun, by the method of Lentz (1976)."""
    value = up = 1.0
    down = ratio = 0.0
    k = 0
    while abs(ratio - 1) > SAME:
        k += 1
        m = k // 2
        step = -(a + m) * (a + b + m) if k % 2 else m * (b - m)
        step *= x / ((a + k - 1) * (a + k))
        up = _not_zero(1 + step / up)
        down = 1 / _not_zero(1 + step * down)
        ratio = up * down
        value *= ratio
    return 1 / value


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
