"""Ratings, by the model of Bradley and Terry (1952): the odds that one bot beats another are e^(their distance).

Every two different bots at a table are a pair, in which the higher total wins; a tie is half a win
of each. So that each strength is finite and there is one answer only, each bot is given one more
game, drawn with a bot of strength 0 that nobody else meets: a prior that counts for one pair of one
game, log(s (1 - s)) / 2 with s = 1 / (1 + e^-strength), without a place or a scale to choose.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from bluke.arena.statistics.boards import chunks

if TYPE_CHECKING:
    from bluke.arena.statistics.boards import Boards, Floats

__all__ = ["AVERAGE", "ELO", "StrengthFit", "fit_strengths", "strengths"]

#: The rating of the average bot, and how many points a strength of 1 is: odds of ten to one are 400 points (Elo 1978).
AVERAGE = 1500.0
ELO = 400 / log(10)

#: The games that are drawn with the bot of strength 0.
DRAWN = 1.0
#: Strengths that move by less are found, and so many steps find any.
FOUND = 1e-10
STEPS = 200


@dataclass(frozen=True, slots=True)
class StrengthFit:
    """The fit of all boards.

    Attributes:
        strengths: K, with 0 for the bot that everybody has drawn with.
        spread: K x K, the inverse of the second derivatives of the logarithm of the probability, with its sign turned.
    """

    strengths: Floats
    spread: Floats

    def influence(self, boards: Boards) -> Floats:
        """N x K, how the strengths change when a board counts a little more, for each unit of its weight."""
        strength = self.strengths[boards.who]
        wanted = _chance(strength[:, :, None] - strength[:, None, :])
        games = boards.wins + boards.wins.swapaxes(1, 2)
        more: Floats = boards.table((boards.wins - games * wanted).sum(2)) @ self.spread
        return more


def fit_strengths(boards: Boards) -> StrengthFit:
    """Fit all boards, each with the same weight."""
    bots = len(boards.names)
    wins = np.zeros((bots, bots))
    for part in chunks(len(boards), bots * bots):
        some = boards.pick(part)
        wins += some.square(some.wins).sum(0)
    found = strengths(wins)
    return StrengthFit(found, np.linalg.inv(_curvature(wins, found)))


def strengths(wins: Floats, start: Floats | None = None) -> Floats:
    """The most probable strengths.

    Args:
        wins: ... x K x K, how often the row's bot beat the column's.
        start: ... x K, strengths to begin with.

    Returns:
        ... x K, where the derivatives are zero: by Newton's method.
    """
    found = np.zeros(wins.shape[:-1]) if start is None else np.broadcast_to(start, wins.shape[:-1])
    games = wins + wins.swapaxes(-1, -2)
    won = wins.sum(-1)
    for _ in range(STEPS):
        chance = _chance(found[..., :, None] - found[..., None, :])
        slope = won - (games * chance).sum(-1) + DRAWN * (0.5 - _chance(found))
        step = np.linalg.solve(_curvature(wins, found), slope[..., None])[..., 0]
        # While no distance changes by more than 1 a step leads up: the curvature changes by a factor of e at most
        # (Bach 2010, proposition 1).
        change = np.maximum(step.max(-1), 0) - np.minimum(step.min(-1), 0)
        found = found + step / np.maximum(change, 1)[..., None]
        if change.max(initial=0) < FOUND:
            break
    return found


def _curvature(wins: Floats, strength: Floats) -> Floats:
    """The second derivatives of the logarithm of the probability, with their sign turned, ... x K x K."""
    chance = _chance(strength[..., :, None] - strength[..., None, :])
    between = (wins + wins.swapaxes(-1, -2)) * chance * (1 - chance)
    drawn = _chance(strength)
    own: Floats = between.sum(-1) + DRAWN * drawn * (1 - drawn)
    return np.eye(wins.shape[-1]) * own[..., None] - between


def _chance(distance: Floats) -> Floats:
    """The probability of a win over a bot that is so far below."""
    chance: Floats = 0.5 + 0.5 * np.tanh(0.5 * distance)
    return chance
