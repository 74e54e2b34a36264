from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest
from arena.statistics.games import drawn
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bluke.arena.statistics.boards import make_boards
from bluke.arena.statistics.rating import DRAWN, ELO, fit_strengths, strengths

any_wins = st.integers(1, 6).flatmap(
    lambda bots: arrays.arrays(np.float64, (bots, bots), elements=st.sampled_from([0, 0, 0.5, 1, 3, 40, 1e5]))
).map(lambda wins: wins * (1 - np.eye(len(wins))))  # fmt: skip


def slope(wins: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The derivatives of the logarithm of the probability, written out pair by pair."""
    total = np.zeros(len(found))
    for i in range(len(found)):
        total[i] += DRAWN * (0.5 - 1 / (1 + np.exp(-found[i])))
        for j in range(len(found)):
            chance = 1 / (1 + np.exp(found[j] - found[i]))
            total[i] += wins[i, j] * (1 - chance) - wins[j, i] * chance
    return total


@given(any_wins)
def test_the_most_probable_strengths(wins: np.ndarray):
    """For whatever wins the derivatives are zero, even where a bot has lost all of very many games."""
    found = strengths(wins)
    assert slope(wins, found) == pytest.approx(np.zeros(len(wins)), abs=1e-5)


@given(any_wins, st.randoms(use_true_random=False))
def test_the_order_of_bots(wins: np.ndarray, random: object):
    """Bots in another order have the same strengths."""
    order = np.random.default_rng(7).permutation(len(wins))
    assert strengths(wins[np.ix_(order, order)]) == pytest.approx(strengths(wins)[order], abs=1e-8)


def test_two_bots():
    """With a share p of very many wins the odds are p / (1 - p), and 10 to 1 is 400 points."""
    found = strengths(np.array([[0, 1e9], [1e8, 0]]))
    assert found[0] - found[1] == pytest.approx(log(10), abs=1e-7)
    assert (found[0] - found[1]) * ELO == pytest.approx(400, abs=1e-4)
    assert found.sum() == pytest.approx(0, abs=1e-5)


def test_the_prior():
    """It is a drawn game each with one bot of strength 0: a bot that lost n games has 1/2 win of n + 1 with it."""
    wins = np.array([[0.0, 9.0], [0.0, 0.0]])
    found = strengths(wins)
    # by symmetry it is x and -x with 9 (1 - s(2x)) = s(x) - 1/2
    x = found[0]
    assert found[1] == pytest.approx(-x)
    assert 9 * (1 - 1 / (1 + np.exp(-2 * x))) == pytest.approx(1 / (1 + np.exp(-x)) - 0.5)


def test_many_at_once():
    """Several tables of wins are fitted each as alone, wherever the search begins."""
    random = np.random.default_rng(3)
    wins = random.integers(0, 9, (5, 4, 4)) * (1 - np.eye(4))
    together = strengths(wins, np.array([3.0, -4.0, 0.0, 1.0]))
    for alone, found in zip(wins, together, strict=True):
        assert strengths(alone) == pytest.approx(found, abs=1e-8)


@pytest.mark.parametrize("bots", ["abcd", "abcdefg"])
def test_against_choix(bots: str):
    """The strengths are those of choix, in which every win and every half of a tie is written twice over."""
    choix = pytest.importorskip("choix")
    games = [replace(game, points=tuple(made // 20 for made in game.points)) for game in drawn(4, bots, 8)]
    boards = make_boards(games)
    assert (boards.wins % 1).any(), "there are ties"
    wins = boards.square(boards.wins).sum(0)
    count = len(bots)
    drawn_with = [(bot, count) for bot in range(count)]
    data = [pair for pair, won in np.ndenumerate(wins) for _ in range(round(2 * won))]
    data += drawn_with + [(last, bot) for bot, last in drawn_with]
    known = choix.opt_pairwise(count + 1, data, alpha=1e-9, tol=1e-12)
    assert fit_strengths(boards).strengths == pytest.approx(known[:count] - known[count], abs=1e-5)


@pytest.mark.parametrize("bots", ["abcd", "abcdef", "ab"])
def test_influence(bots: str):
    """It is the derivative of the strengths by the weight of a board."""
    boards = make_boards(drawn(8, bots, 9))
    fit = fit_strengths(boards)
    wins = boards.square(boards.wins)
    influence = fit.influence(boards)
    for number in range(9):
        more = np.eye(9)[number] * 1e-5
        slopes = (strengths(np.tensordot(1 + more, wins, 1)) - strengths(np.tensordot(1 - more, wins, 1))) / 2e-5
        assert influence[number] == pytest.approx(slopes, abs=1e-6)
