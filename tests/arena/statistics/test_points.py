from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
import pytest
from arena.statistics.games import board, drawn
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.statistics.boards import Boards, make_boards
from bluke.arena.statistics.links import linked_by_boards
from bluke.arena.statistics.points import PointsFit, PointsSums, fit_points, points_sums, solve

if TYPE_CHECKING:
    from bluke.arena.statistics.values import Played


def fitted(games: list[Played]) -> tuple[Boards, PointsFit]:
    boards = make_boards(games)
    return boards, fit_points(boards, linked_by_boards(boards))


def test_everybody_played_every_board():
    """Then points a game are the plain mean over boards."""
    games = drawn(3, "abcd", 12)
    boards, fit = fitted(games)
    for bot, points in zip(boards.names, fit.points, strict=True):
        wanted = fmean(made for game in games for name, made in zip(game.bots, game.points, strict=True) if name == bot)
        assert points == pytest.approx(wanted)


def test_rich_boards_are_not_held_against_who_missed_them():
    """Who played only boards that gave little gets what it would have made on the average board."""
    games = [game for n in (0, 1) for game in board(n, "ab", [100, 90], [90, 100])]
    games += [game for n in (2, 3) for game in board(n, "bc", [10, 30], [30, 10])]
    _, fit = fitted(games)
    # b is 10 below a and 20 below c; the boards give 95 and 20 to those who played them
    assert fit.effects == pytest.approx([0, -10, 10])
    assert fit.points == pytest.approx([57.5 + 5 / 2, 47.5 + 5 / 2, 67.5 + 5 / 2])


@pytest.mark.parametrize("bots", ["abcdefg", "abcde", "abc", "ab"])
def test_against_scipy(bots: str):
    """It is the weighted least-squares fit of bots, seats and boards to all seats of all games."""
    linalg = pytest.importorskip("scipy.linalg")
    games = drawn(5, bots, 14)
    boards, fit = fitted(games)
    assert set(fit.groups) == {0}
    count = len(bots)
    rows, made, weight = [], [], []
    for game in games:
        for seat, (bot, points) in enumerate(zip(game.bots, game.points, strict=True)):
            row = np.zeros(count + 4 + 14)
            row[[boards.names.index(bot), count + seat, count + 4 + game.board[1]]] = 1
            rows.append(row)
            made.append(points)
            weight.append(1 / game.bots.count(bot))
    root = np.sqrt(weight)
    # Levels of bots and boards can be exchanged, so that some singular values are zero but for rounding.
    found = linalg.lstsq(np.array(rows) * root[:, None], np.array(made) * root, cond=1e-9)[0]
    effects, seats, levels = found[:count], found[count : count + 4], found[count + 4 :]
    assert fit.effects == pytest.approx(effects - effects.mean(), abs=1e-9)
    # Each board has as many games, so that the mean over all of them is that over boards.
    assert fit.points == pytest.approx(effects + seats.mean() + levels.mean(), abs=1e-9)


@given(st.lists(st.integers(-999, 999), min_size=4, max_size=4), st.integers(0, 5))
def test_seats_are_nothing(better: list[int], seed: int):
    """What a seat gives to whoever has it changes no difference of bots, since each of them has every seat."""
    games = drawn(seed, "abcde", 8)
    helped = [
        replace(game, points=tuple(made + more for made, more in zip(game.points, better, strict=True)))
        for game in games
    ]
    assert fitted(helped)[1].effects == pytest.approx(fitted(games)[1].effects, abs=1e-9)
    assert fitted(helped)[1].points == pytest.approx(fitted(games)[1].points + fmean(better), abs=1e-9)


def test_groups_are_fitted_apart():
    """Bots that nothing links have the points of their own boards, and a bot that is alone those of its own."""
    one, other, alone = drawn(1, "ab", 6), drawn(2, "cd", 6), board(0, "eeee", [4, 5, 6, 7], match="n")
    moved = [replace(game, board=("other", game.board[1])) for game in other]
    together = fitted([*one, *moved, *alone])[1]
    assert together.groups.tolist() == [0, 0, 1, 1, 2]
    assert together.points[:2] == pytest.approx(fitted(one)[1].points)
    assert together.points[2:4] == pytest.approx(fitted(other)[1].points)
    assert together.points[4] == 5.5
    assert together.boards.tolist() == [6, 6, 1]


@pytest.mark.parametrize("bots", ["abcd", "abcdef", "ab"])
def test_influence(bots: str):
    """It is the derivative of the points by the weight of a board."""
    boards, fit = fitted(drawn(8, bots, 9))
    sums = points_sums(boards, fit.groups)

    def weighted(weights: np.ndarray) -> np.ndarray:
        each = (np.tensordot(weights, getattr(sums, name), 1) for name in ("links", "above", "part", "share"))
        return solve(PointsSums(*each), fit.groups)[0]

    assert weighted(np.ones(9)) == pytest.approx(fit.points)
    influence = fit.influence(boards)
    for number in range(9):
        more = np.eye(9)[number] * 1e-5
        slope = (weighted(1 + more) - weighted(1 - more)) / 2e-5
        assert influence[number] == pytest.approx(slope, abs=1e-6)
    assert influence.sum(0) == pytest.approx(np.zeros(len(bots)), abs=1e-9)
