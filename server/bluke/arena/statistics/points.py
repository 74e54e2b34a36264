"""Points a game, by least squares: a bot makes so many more than the average bot, on a board that gives so many.

The points of bot `i` on board `b`, its mean over the games and seats that it has there, are
`effect_i + level_b + noise`. A board takes part by the differences between its bots only, so its
level need not be known (absorption; Abowd, Kramarz and Margolis 1999), and no effect of the seats
is in the model: on a complete board every bot has every seat equally often, so that such an effect
is the same for all of them. Boards count alike, however many games and seats they have.

Bots that nothing links are fitted apart, each group with the boards of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bluke.arena.statistics.boards import chunks

if TYPE_CHECKING:
    from bluke.arena.statistics.boards import Boards, Floats, Ints, Truths

__all__ = ["PointsFit", "PointsSums", "company", "fit_points", "points_sums", "solve"]


@dataclass(frozen=True, slots=True)
class PointsSums:
    """What the fit needs, summed over boards; in front there may be an axis of resamples.

    Attributes:
        links: ... x K x K, of two bots of a group the sum of 1 / (bots of the group on the board).
        above: ... x K, how far the bot was above the mean of its group on the board.
        part: ... x K, its part of that mean, its points / (bots of the group on the board).
        share: ... x K, 1 / (bots of the group on the board).
    """

    links: Floats
    above: Floats
    part: Floats
    share: Floats


@dataclass(frozen=True, slots=True)
class PointsFit:
    """The fit of all boards.

    Attributes:
        groups: K, which bots are compared.
        points: K, points a game: what the bot would have made on average on all boards of its group.
        effects: K, how far it is above the average bot of its group.
        spread: K x K, the inverse of the normal equations in which effects of a group add up to 0.
        presence: K, the bot's part of the average board of its group, all of a group adding up to 1.
        boards: for each group, how many boards it has.
    """

    groups: Ints
    points: Floats
    effects: Floats
    spread: Floats
    presence: Floats
    boards: Floats

    def influence(self, boards: Boards) -> Floats:
        """N x K, how the points change when a board counts a little more, for each unit of its weight."""
        same, size = company(boards.who, self.groups)
        rest = np.where(boards.there, boards.means - self.effects[boards.who], 0.0)
        effects = boards.table(rest - _mean(rest, same, size)) @ self.spread
        member = _member(self.groups)
        off = np.where(boards.there, (boards.means - self.points[boards.who]) / size, 0.0)
        levels = boards.table(off) @ member / self.boards
        return effects + (levels - (effects * self.presence) @ member)[:, self.groups]


def fit_points(boards: Boards, groups: Ints) -> PointsFit:
    """Fit all boards, each with the same weight."""
    parts = [points_sums(boards.pick(part), groups) for part in chunks(len(boards), len(boards.names) ** 2)]
    sums = PointsSums(*(sum(getattr(part, name).sum(0) for part in parts) for name in PointsSums.__slots__))
    points, effects = solve(sums, groups)
    spread = np.linalg.inv(_normal(sums.links, groups))
    boards_of = sums.share @ _member(groups)
    return PointsFit(groups, points, effects, spread, sums.share / boards_of[groups], boards_of)


def points_sums(boards: Boards, groups: Ints) -> PointsSums:
    """The sums of each board on its own, N of them in front."""
    same, size = company(boards.who, groups)
    means = np.where(boards.there, boards.means, 0.0)
    share = boards.there / size
    return PointsSums(
        links=boards.square(same / size[:, :, None]),
        above=boards.table(means - _mean(means, same, size)),
        part=boards.table(means * share),
        share=boards.table(share),
    )


def solve(sums: PointsSums, groups: Ints) -> tuple[Floats, Floats]:
    """Points and effects, ... x K, from sums over boards with whatever weights above 0."""
    member = _member(groups)
    effects = np.linalg.solve(_normal(sums.links, groups), sums.above[..., None])[..., 0]
    levels = ((sums.part - effects * sums.share) @ member) / (sums.share @ member)
    return levels[..., groups] + effects, effects


def _normal(links: Floats, groups: Ints) -> Floats:
    """The normal equations, to which is added that the effects of each group add up to 0."""
    together = groups[:, None] == groups
    normal: Floats = np.eye(len(groups)) * links.sum(-1)[..., None] - links + together / together.sum(0)
    return normal


def company(who: Ints, groups: Ints) -> tuple[Truths, Floats]:
    """Who of a board is of one group, from the N x D bots of `Boards.who`.

    Returns:
        N x D x D, which two of them, and N x D, how many they are with each; 1 where there is no bot.
    """
    there = who >= 0
    group = groups[who]
    same = (group[:, :, None] == group[:, None, :]) & there[:, :, None] & there[:, None, :]
    return same, np.maximum(same.sum(2), 1).astype(np.float64)


def _mean(values: Floats, same: Truths, size: Floats) -> Floats:
    return (same @ values[:, :, None])[:, :, 0] / size


def _member(groups: Ints) -> Floats:
    """K x groups, 1 for the group of the bot."""
    return np.eye(int(groups.max()) + 1)[groups]
