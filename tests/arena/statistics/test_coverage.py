"""Whether intervals, probabilities and places are as sure as they say, in matches with a known truth."""

from __future__ import annotations

from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
import pytest
from arena.statistics.games import Noise, collapsing, normal, simulated, skewed

from bluke.arena.schedule import make_schedule
from bluke.arena.statistics.estimates import estimate_boards
from bluke.arena.statistics.rating import ELO, strengths

if TYPE_CHECKING:
    from bluke.arena.statistics.values import Estimate, Estimates

pytestmark = pytest.mark.slow

#: As far apart as bots are that one has to tell apart: the deviation of a game is 36 points.
SKILL = (20.0, 7.0, -7.0, -20.0)
#: With the linear part known few are enough.
RESAMPLES = 60


@cache
def tables(bots: int, boards: int, seed: int) -> np.ndarray:
    """Who of so many bots sits at the tables of four of a real schedule."""
    who = np.tile(np.arange(4), (boards, 1))
    if bots > 4:
        for fixture in make_schedule(bots, 4, boards, bytes([seed])):
            who[fixture.board] = sorted(fixture.lineup)
    return who


@cache
def true_ratings(skill: tuple[float, ...], noise: Noise) -> np.ndarray:
    """The ratings that very many boards say."""
    random = np.random.default_rng(99)
    who = np.sort(random.permuted(np.tile(np.arange(len(skill)), (30_000, 1)), axis=1)[:, :4])
    boards = simulated(random, who, np.array(skill), noise)
    return ELO * strengths(boards.square(boards.wins).sum(0))


def matches(skill: tuple[float, ...], noise: Noise, boards: int, count: int) -> list[Estimates]:
    """What is said of so many matches."""
    random = np.random.default_rng(boards)
    return [
        estimate_boards(
            simulated(random, tables(len(skill), boards, number % 20), np.array(skill), noise), resamples=RESAMPLES
        )
        for number in range(count)
    ]


def covers(estimate: Estimate | None, truth: float) -> list[bool]:
    """Whether the interval holds; nothing where there is none."""
    assert estimate is not None
    return [] if estimate.margin is None else [abs(estimate.mean - truth) <= estimate.margin]


def true_intervals(skill: tuple[float, ...], noise: Noise, boards: int, count: int) -> dict[str, list[bool]]:
    """Of each figure whether its intervals hold."""
    truth = dict(zip((f"bot {bot:02}" for bot in range(len(skill))), skill, strict=True))
    ratings = dict(zip(truth, true_ratings(skill, noise).tolist(), strict=True))
    held: dict[str, list[bool]] = {"points": [], "difference": [], "rating": [], "rating difference": []}
    for found in matches(skill, noise, boards, count):
        rated = [one.bot for one in found.scores if one.rating is not None and one.rating.margin is not None]
        average = fmean(ratings[bot] for bot in rated or ratings)
        for one in found.scores:
            held["points"] += covers(one.points, truth[one.bot])
            held["rating"] += covers(one.rating, 1500 + ratings[one.bot] - average)
        for two in found.pairs:
            held["difference"] += covers(two.points, truth[two.bot] - truth[two.other])
            held["rating difference"] += covers(two.rating, ratings[two.bot] - ratings[two.other])
    return held


@pytest.mark.parametrize("noise", [normal, skewed, collapsing])
@pytest.mark.parametrize(("boards", "count"), [(10, 500), (40, 500), (200, 250)])
def test_intervals(boards: int, count: int, noise: Noise):
    """95% of the intervals of points, ratings and differences hold, give or take 2%, and nearly all are given."""
    for name, held in true_intervals(SKILL, noise, boards, count).items():
        assert 0.93 <= fmean(held) <= 0.97, name
        assert len(held) >= 0.95 * count * (6 if "difference" in name else 4)


@pytest.mark.parametrize("boards", [10, 40])
def test_intervals_with_more_bots_than_seats(boards: int):
    """They hold as well where bots did not all play the same boards; those of points may hold more often."""
    held = true_intervals(tuple(np.linspace(20, -20, 8).tolist()), skewed, boards, 200)
    assert 0.93 <= fmean(held.pop("points")) <= 0.99
    for name, values in held.items():
        assert 0.93 <= fmean(values) <= 0.975, name


@pytest.mark.parametrize("boards", [10, 40])
def test_the_same_bot_under_four_names(boards: int):
    """Then P(A > B) is any number as often as any other, and in 95% of the matches all may have every place."""
    found = matches((0, 0, 0, 0), normal, boards, 1000)
    # Of each pair by its names, since the better placed is likelier than not.
    better = [
        two.better if two.bot < two.other else 1 - two.better
        for one in found
        for two in one.pairs
        if two.better is not None
    ]
    shares, _ = np.histogram(better, 10, (0, 1))
    assert shares / len(better) == pytest.approx(np.full(10, 0.1), abs=0.02)
    assert fmean(all(one.places == (1, 4) for one in match.scores) for match in found) >= 0.94
    for name in ("bot 00", "bot 03"):
        ratings = [one.rating for match in found for one in match.scores if one.bot == name]
        held = [holds for rating in ratings for holds in covers(rating, 1500)]
        assert fmean(held) == pytest.approx(0.95, abs=0.02)
