from __future__ import annotations

import numpy as np
import pytest
from arena.statistics.games import drawn

from bluke.arena.statistics.boards import Boards, make_boards
from bluke.arena.statistics.bootstrap import MOST_BOTS, RESAMPLES, Variation, vary
from bluke.arena.statistics.links import linked_by_boards
from bluke.arena.statistics.points import PointsSums, fit_points, points_sums, solve
from bluke.arena.statistics.rating import fit_strengths, strengths


def varied(boards: Boards, resamples: int = RESAMPLES) -> Variation:
    return vary(boards, fit_points(boards, linked_by_boards(boards)), fit_strengths(boards), resamples)


def apart(covariance: np.ndarray) -> np.ndarray:
    """The deviation of the difference of each two."""
    own = np.diagonal(covariance)
    return np.sqrt(own[:, None] + own - 2 * covariance)[np.triu_indices(len(own), 1)]


@pytest.mark.parametrize("resamples", [0, 1, 50])
def test_everybody_played_every_board(resamples: int):
    """Points are linear then, so their covariance is that of means, less by (n - 1) / (n + 1), without chance."""
    boards = make_boards(drawn(2, "abcd", 9))
    assert varied(boards, resamples).points == pytest.approx(np.cov(boards.means.T) / 9 * 8 / 10)


def test_against_plain_resampling():
    """Many resamples of Rubin, each fitted on its own, vary as much as this says."""
    boards = make_boards(drawn(6, "abcdef", 12))
    groups = linked_by_boards(boards)
    sums, wins = points_sums(boards, groups), boards.square(boards.wins)
    random = np.random.default_rng(0)
    weights = 12 * random.dirichlet(np.ones(12), 20_000)
    each = (np.tensordot(weights, getattr(sums, name), 1) for name in ("links", "above", "part", "share"))
    points = solve(PointsSums(*each), groups)[0]
    found = varied(boards, 5000)
    assert apart(found.points) == pytest.approx(apart(np.cov(points.T)), rel=0.03)
    strength = strengths(np.tensordot(weights, wins, 1))
    assert apart(found.strengths) == pytest.approx(apart(np.cov(strength.T)), rel=0.03)


def test_the_same_again():
    """The same boards give the same figures to the last digit."""
    boards = make_boards(drawn(1, "abcdef", 20))
    assert (varied(boards).points == varied(boards).points).all()
    assert (varied(boards).strengths == varied(boards).strengths).all()


def test_parts(monkeypatch: pytest.MonkeyPatch):
    """Many boards are resampled in parts, with the same weights."""
    boards = make_boards(drawn(1, "abcdef", 30))
    before = varied(boards)
    monkeypatch.setattr("bluke.arena.statistics.boards.CHUNK", 3000)
    after = varied(boards)
    assert after.points == pytest.approx(before.points, rel=1e-9)
    assert after.strengths == pytest.approx(before.strengths, rel=1e-9)


def test_very_many_bots():
    """So that they take no minutes they are not resampled, and their fits are taken for linear."""
    bots = [f"bot {number}" for number in range(MOST_BOTS + 1)]
    boards = make_boards(drawn(1, bots, 200))
    assert (varied(boards).points == varied(boards, 0).points).all()
