"""How many boards a figure rests on: as many equal ones as would leave its error as well known.

With noise that is alike on all boards the error of a figure has parts `v_b` that come from each
board, and an estimate of its square has `(sum v)^2 / sum v^2` degrees of freedom and one for the mean
(Satterthwaite 1946). All boards are alike if every bot played every board: then it is their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bluke.arena.statistics.boards import chunks
from bluke.arena.statistics.points import company

if TYPE_CHECKING:
    from bluke.arena.statistics.boards import Boards, Floats
    from bluke.arena.statistics.points import PointsFit

__all__ = ["Informing", "informing"]


@dataclass(frozen=True, slots=True)
class Informing:
    """Numbers of boards.

    Attributes:
        points: K, for the points of each bot.
        ratings: K, for its rating.
        pairs: K x K, for the differences of two bots.
    """

    points: Floats
    ratings: Floats
    pairs: Floats


def informing(boards: Boards, fit: PointsFit, zero: Floats) -> Informing:
    """Count them for the figures of a fit.

    Args:
        boards: N of them.
        fit: the fit of their points.
        zero: K x K, in its column what a rating is the distance from: the parts that the strengths of all bots have.
    """
    tables, times = np.unique(boards.who, axis=0, return_counts=True)
    bots = len(boards.names)
    sums = np.zeros((2, bots)), np.zeros((2, bots)), np.zeros((2, bots, bots))
    member = np.eye(len(fit.boards))[fit.groups]
    for part in chunks(len(tables), bots * bots + 3 * tables.shape[1] * bots):
        who = tables[part]
        there = (who >= 0)[:, :, None]
        same, size = company(who, fit.groups)
        # What the points of each bot there, in the rows, have to say in the effect of each bot of all, in the columns.
        say = np.where(there, fit.spread[who], 0.0)
        say -= same @ say / size[:, :, None]
        own = (fit.groups[who][:, :, None] == fit.groups) & there
        level = own / (size[:, :, None] * fit.boards[fit.groups]) - ((say * fit.presence) @ member)[:, :, fit.groups]
        cross = say.swapaxes(1, 2) @ say
        square = np.diagonal(cross, axis1=1, axis2=2)
        parts = (
            ((say + level) ** 2).sum(1),
            ((say - say @ zero) ** 2).sum(1),
            square[:, :, None] + square[:, None, :] - 2 * cross,
        )
        for both, value in zip(sums, parts, strict=True):
            for total, power in zip(both, (value, value**2), strict=True):
                np.add(total, np.tensordot(times[part], power, 1), out=total)
    return Informing(*(_equal(*both) for both in sums))


def _equal(first: Floats, second: Floats) -> Floats:
    return np.divide(first**2, second, out=np.zeros_like(first), where=second > 0)
