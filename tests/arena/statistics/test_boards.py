from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from arena.statistics.games import any_games, board, drawn
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.statistics.boards import make_boards
from bluke.arena.statistics.values import Played

if TYPE_CHECKING:
    from random import Random


def test_sums_of_a_board():
    """A board has the mean of each bot over its games, and how often each beat each; a tie is half a win of both."""
    found = make_boards(board(7, "cab", [10, 20, 30], [1, 2, 3], [5, 5, 2]))
    assert found.names == ("a", "b", "c")
    assert found.who.tolist() == [[0, 1, 2]]
    # c, a, b; then b, c, a; then a, b, c
    assert found.means[0] == pytest.approx([(20 + 3 + 5) / 3, (30 + 1 + 5) / 3, (10 + 2 + 2) / 3])
    assert found.wins[0].tolist() == [[0, 1.5, 3], [1.5, 0, 2], [0, 1, 0]]


def test_a_bot_in_two_seats():
    """It counts once a game: its points are the mean of its seats, and each of its seats is half of a pair."""
    found = make_boards(board(0, "aab", [10, 20, 15], [0, 0, 0], [9, 9, 9]))
    # a, a, b; then b, a, a; then a, b, a
    assert found.means[0] == pytest.approx([(15 + 0 + 9) / 3, (15 + 0 + 9) / 3])
    assert found.wins[0].tolist() == [[0, 0.5 + 0.5 + 0.5], [0.5 + 0.5 + 0.5, 0]]


def test_bots_that_took_turns():
    """On a board of a comparison a bot has the mean of those games that it was in."""
    games = [*board(0, "oa", [10, 1], [3, 20]), *board(0, "na", [30, 5], [7, 50])]
    found = make_boards(games)
    assert found.names == ("a", "n", "o")
    assert found.means[0] == pytest.approx([(1 + 3 + 5 + 7) / 4, 40, 15])
    assert found.wins[0].tolist() == [[0, 0, 0], [2, 0, 0], [2, 0, 0]]


def test_short_boards_are_filled_up():
    """Where boards have different numbers of bots the shorter rows end in bots that are none."""
    found = make_boards([*board(0, "ab", [3, 4], [5, 6]), *board(1, "aa", [7, 8], [9, 10])])
    assert found.who.tolist() == [[0, 1], [0, -1]]
    assert found.there.tolist() == [[True, True], [True, False]]
    assert found.means.tolist() == [[4.5, 4.5], [8.5, 0]]
    assert found.table(found.means).tolist() == [[4.5, 4.5], [8.5, 0]]
    assert found.square(np.ones((2, 2, 2))).tolist() == [[[1, 1], [1, 1]], [[1, 0], [0, 0]]]


def test_values_go_to_their_bots():
    """Tables and squares have a row and a column for each bot of all, and 0 for those who were not there."""
    found = make_boards([*board(0, "db", [1, 2], [3, 4]), *board(1, "ca", [5, 6], [7, 8])])
    assert found.table(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[0, 1, 0, 2], [3, 0, 4, 0]]
    square = found.square(np.arange(8.0).reshape(2, 2, 2))
    assert square[0].tolist() == [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 2, 0, 3]]


def test_no_games():
    """Without games there are no boards."""
    assert len(make_boards([])) == 0


def test_seats_have_to_be_as_many():
    """Games with different numbers of seats are refused, since their points are not of one kind."""
    with pytest.raises(ValueError, match="numbers of seats"):
        make_boards([Played(("m", 0), ("a", "b"), (1, 2)), Played(("m", 1), ("a", "b", "c"), (1, 2, 3))])


@given(any_games(), st.randoms(use_true_random=False))
def test_the_order_of_games(games: list[Played], random: Random):
    """The sums are the same to the last digit in whatever order the games come."""
    before = make_boards(games)
    random.shuffle(games)
    after = make_boards(games)
    assert (before.who == after.who).all()
    assert (before.means == after.means).all()
    assert (before.wins == after.wins).all()


@given(any_games())
def test_games_of_a_pair(games: list[Played]):
    """Of two bots each game that both were in is won once, together."""
    found = make_boards(games)
    numbers = sorted({game.board for game in games})
    both = found.square(found.wins + found.wins.swapaxes(1, 2)) if games else np.zeros((0, 0, 0))
    for number, wins in zip(numbers, both, strict=True):
        for i, bot in enumerate(found.names):
            for j, other in enumerate(found.names):
                met = sum(bot in game.bots and other in game.bots for game in games if game.board == number)
                assert wins[i, j] == pytest.approx(met if bot != other else 0)


def test_parts(monkeypatch: pytest.MonkeyPatch):
    """Many games are dealt with in parts, which changes nothing."""
    games = drawn(1, "abcdefg", 20)
    before = make_boards(games)
    monkeypatch.setattr("bluke.arena.statistics.boards.CHUNK", 100)
    assert (make_boards(games).wins == before.wins).all()
