"""How much points and ratings vary: the Bayesian bootstrap over boards (Rubin 1981).

In each resample the boards have weights from the flat Dirichlet distribution in place of equal
ones, and both fits are made again with these. No weight is 0, so no resample loses a bot or a win.

What resamples do to a fit is nearly linear in the weights, and of the linear part the covariance is
known: with `u` the influence of each of N boards it is `N / (N + 1) sum (u - mean u) (u - mean u)'`.
So only the rest is left to chance (the linear part is a control variate of the simulation; Davison,
Hinkley and Schechtman 1986; Efron 1990), and points of bots that all played the same boards, which
are linear, have no error of simulation at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bluke.arena.statistics.boards import chunks
from bluke.arena.statistics.points import PointsSums, points_sums, solve
from bluke.arena.statistics.rating import strengths

if TYPE_CHECKING:
    from bluke.arena.statistics.boards import Boards, Floats
    from bluke.arena.statistics.points import PointsFit
    from bluke.arena.statistics.rating import StrengthFit

__all__ = ["RESAMPLES", "Variation", "vary"]

RESAMPLES = 1000
SEED = 1981
#: With more bots the fits are taken for linear, since each resample takes more than 10 K^3 multiplications.
MOST_BOTS = 64


@dataclass(frozen=True, slots=True)
class Variation:
    """Covariances over the resamples, both K x K.

    Attributes:
        points: of points a game.
        strengths: of strengths.
    """

    points: Floats
    strengths: Floats


def vary(boards: Boards, points: PointsFit, strength: StrengthFit, resamples: int = RESAMPLES) -> Variation:
    """Resample; the same boards in the same order give the same figures.

    Args:
        boards: N of them.
        points: their fit.
        strength: their fit.
        resamples: how many; with 0 the fits are taken for linear.
    """
    bots = len(boards.names)
    resamples = resamples if bots <= MOST_BOTS else 0
    total, squares = np.zeros(2 * bots), np.zeros((2 * bots, 2 * bots))
    # Drawn board by board, so that the number of boards in a chunk is nothing.
    random = np.random.default_rng(SEED)
    weights = np.zeros(resamples)
    linear = np.zeros((resamples, 2 * bots))
    sums = np.zeros((resamples, 2 * bots * bots + 3 * bots))
    for part in chunks(len(boards), 4 * bots * bots + resamples):
        some = boards.pick(part)
        influence = np.hstack([points.influence(some), strength.influence(some)])
        total += influence.sum(0)
        squares += influence.T @ influence
        if resamples:
            weight = random.standard_exponential((len(some), resamples))
            weights += weight.sum(0)
            linear += weight.T @ influence
            sums += weight.T @ _needed(some, points)
    count = len(boards)
    known = (squares - np.outer(total, total) / count) * count / (count + 1)
    if resamples:
        scale = (count / weights)[:, None]
        known += _covariance(_refit(sums * scale, points, strength)) - _covariance(linear * scale)
    return Variation(known[:bots, :bots], known[bots:, bots:])


def _needed(boards: Boards, points: PointsFit) -> Floats:
    """N x (2 K^2 + 3 K), all that the fits are made from, for the weights to be multiplied with at once."""
    sums = points_sums(boards, points.groups)
    rows = len(boards)
    squares = sums.links.reshape(rows, -1), boards.square(boards.wins).reshape(rows, -1)
    return np.hstack([*squares, sums.above, sums.part, sums.share])


def _refit(sums: Floats, points: PointsFit, strength: StrengthFit) -> Floats:
    """The fits from weighted sums, resamples x 2 K: points, then strengths."""
    bots = len(points.points)
    found = np.empty((len(sums), 2 * bots))
    for part in chunks(len(sums), 8 * bots * bots):
        some = sums[part]
        links, wins = (some[:, at * bots**2 : (at + 1) * bots**2].reshape(-1, bots, bots) for at in (0, 1))
        above, share_of, share = np.split(some[:, 2 * bots**2 :], 3, axis=1)
        found[part, :bots] = solve(PointsSums(links, above, share_of, share), points.groups)[0]
        found[part, bots:] = strengths(wins, strength.strengths)
    return found


def _covariance(values: Floats) -> Floats:
    """Over the rows, about their mean."""
    apart = values - values.mean(0)
    covariance: Floats = apart.T @ apart / len(values)
    return covariance
