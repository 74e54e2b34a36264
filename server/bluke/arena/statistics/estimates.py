"""Who is better, and how sure that is: points a game, ratings, differences, probabilities, places."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from bluke.analysis import student
from bluke.arena.statistics.boards import make_boards
from bluke.arena.statistics.bootstrap import RESAMPLES, Variation, vary
from bluke.arena.statistics.informing import informing
from bluke.arena.statistics.links import linked_by_boards
from bluke.arena.statistics.points import fit_points
from bluke.arena.statistics.ranks import places, surely_apart
from bluke.arena.statistics.rating import AVERAGE, ELO, fit_strengths
from bluke.arena.statistics.scale import find_scale
from bluke.arena.statistics.values import Estimate, Estimates, Pair, Score

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bluke.arena.statistics.boards import Boards, Floats, Ints
    from bluke.arena.statistics.informing import Informing
    from bluke.arena.statistics.scale import Scale
    from bluke.arena.statistics.values import Played

__all__ = ["estimate_all", "estimate_boards"]

#: A deviation below this part of the value, or of one point, is that of rounding: nothing varies.
ROUNDING = 1e-9
#: All that is said has so many decimals, so that sums in another order are no difference.
DIGITS = 9


def estimate_all(
    games: Iterable[Played], *, complete: bool = True, anchor: str | None = None, resamples: int = RESAMPLES
) -> Estimates:
    """Estimate everything that can be estimated of the bots that played; the order of the games is nothing.

    Args:
        games: all games of some boards.
        complete: whether these are all games of their boards; if not, points are all that is said, without intervals.
        anchor: the bot whose rating is 1500; left out, the average is.
        resamples: how often the boards are resampled; with 0 the fits are taken for linear.

    Raises:
        ValueError: the games are not all for the same number of seats.
    """
    boards = make_boards(games)
    return estimate_boards(boards, complete=complete, anchor=anchor, resamples=resamples)


def estimate_boards(
    boards: Boards, *, complete: bool = True, anchor: str | None = None, resamples: int = RESAMPLES
) -> Estimates:
    """The same from sums."""
    bots = len(boards.names)
    if not bots:
        return Estimates((), ())
    # Where boards are not complete their hands are not shared, and nothing can be compared.
    groups = linked_by_boards(boards) if complete else np.arange(bots)
    points, strength = fit_points(boards, groups), fit_strengths(boards)
    scale = find_scale(boards, strength.strengths, groups, anchor)
    rest_on = informing(boards, points, scale.zero)
    nothing = np.zeros((bots, bots))
    varied = vary(boards, points, strength, resamples) if complete else Variation(nothing, nothing)
    return _Found(
        boards,
        groups,
        scale,
        rest_on,
        _Values(points.points, varied.points),
        _Values(ELO * strength.strengths, ELO**2 * varied.strengths),
    ).estimates()


@dataclass(frozen=True, slots=True)
class _Figure:
    """A value with the variance that the bootstrap gave it, and the boards that it rests on."""

    value: float
    variance: float
    boards: float

    @property
    def free(self) -> float:
        """Degrees of freedom."""
        return max(self.boards, 2) - 1

    @property
    def deviation(self) -> float | None:
        """The standard error; `None` if nothing varies."""
        # Of the mean of n values the bootstrap has (n - 1) / (n + 1) of the variance.
        found = sqrt(max(self.variance, 0) * (self.free + 2) / self.free)
        return found if found > ROUNDING * max(1, abs(self.value)) else None

    @property
    def estimate(self) -> Estimate:
        """The value with its interval."""
        margin = None if self.deviation is None else student.quantile(0.975, self.free) * self.deviation
        return Estimate(round(self.value, DIGITS), None if margin is None else round(margin, DIGITS))

    @property
    def chance(self) -> float | None:
        """The probability that it is above zero."""
        return None if self.deviation is None else round(student.cdf(self.value / self.deviation, self.free), DIGITS)

    @property
    def p_value(self) -> float | None:
        """The probability of a value as far from zero or farther, if it were zero."""
        return None if self.deviation is None else 2 * student.cdf(-abs(self.value) / self.deviation, self.free)


@dataclass(frozen=True, slots=True)
class _Values:
    """K values and their covariance."""

    values: Floats
    covariance: Floats

    def figure(self, parts: Floats, boards: float) -> _Figure:
        """The sum of so large parts of the values."""
        return _Figure(float(parts @ self.values), float(parts @ self.covariance @ parts), float(boards))


@dataclass(frozen=True, slots=True)
class _Found:
    """Both fits of K bots, and how much they vary."""

    boards: Boards
    groups: Ints
    scale: Scale
    rest_on: Informing
    points: _Values
    ratings: _Values

    def estimates(self) -> Estimates:
        """Everything in its order."""
        names, count = self.boards.names, len(self.boards.names)
        rank = [-round(value, DIGITS) for value in self.points.values.tolist()]
        order = sorted(range(count), key=lambda bot: (rank[bot], names[bot]))
        ahead = {(bot, other): self._ahead(bot, other) for bot, other in combinations(order, 2)}
        p_values = {pair: figure.p_value for pair, figure in ahead.items() if figure is not None}
        apart = surely_apart({pair: p_value for pair, p_value in p_values.items() if p_value is not None})
        may_be = places(order, apart)
        played = np.bincount(self.boards.who[self.boards.there], minlength=count).tolist()
        scores = [
            Score(
                bot=names[bot],
                place=1 + sum(other < rank[bot] for other in rank),
                places=may_be[bot],
                boards=played[bot],
                points=self.points.figure(_one(count, bot), self.rest_on.points[bot]).estimate,
                rating=self._rating(bot),
            )
            for bot in order
        ]
        pairs = [
            Pair(
                bot=names[bot],
                other=names[other],
                points=None if figure is None else figure.estimate,
                rating=self._rating_ahead(bot, other),
                better=None if figure is None else figure.chance,
                surely=(bot, other) in apart,
            )
            for (bot, other), figure in ahead.items()
        ]
        return Estimates(tuple(scores), tuple(pairs))

    def _ahead(self, bot: int, other: int) -> _Figure | None:
        if self.groups[bot] != self.groups[other]:
            return None
        return self.points.figure(_one(len(self.groups), bot, other), self.rest_on.pairs[bot, other])

    def _rating(self, bot: int) -> Estimate | None:
        scale = self.scale
        if not scale.rated[bot]:
            return None
        parts = _one(len(self.groups), bot) - scale.zero[:, bot]
        found = self.ratings.figure(parts, self.rest_on.ratings[bot]).estimate
        return Estimate(round(AVERAGE + found.mean, DIGITS), found.margin if scale.sure[bot] else None)

    def _rating_ahead(self, bot: int, other: int) -> Estimate | None:
        if self.groups[bot] != self.groups[other]:
            return None
        parts = _one(len(self.groups), bot, other)
        found = self.ratings.figure(parts, self.rest_on.pairs[bot, other]).estimate
        return Estimate(found.mean, found.margin if self.scale.duels[bot, other] else None)


def _one(count: int, bot: int, other: int | None = None) -> Floats:
    """So many parts: 1 of one value and, for a difference, -1 of another."""
    parts = np.zeros(count)
    parts[bot] = 1
    if other is not None:
        parts[other] = -1
    return parts
