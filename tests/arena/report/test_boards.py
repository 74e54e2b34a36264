from __future__ import annotations

import pytest
from arena.report.hands import played
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.report.boards import Made, worst_boards
from bluke.arena.report.tally import boards_of
from bluke.wire.values import Status

#: Two hands of two cards, three bots, in every rotation. In seat 2 of hand 1 `a` is set where both others make 2.
BOARD = [
    played(4, "abc", (2, [(1, 1), (1, 1), (1, 0)]), (2, [(1, 0), (1, 0), (2, 2)]), number=0),
    played(4, "cab", (2, [(1, 1), (1, 1), (1, 0)]), (2, [(1, 0), (1, 0), (2, 2)]), number=1),
    played(4, "bca", (2, [(1, 1), (1, 1), (1, 0)]), (2, [(1, 1), (1, 0), (2, 1)]), number=2),
]


def test_a_board_that_went_badly():
    """The board's means, those of each other, and the seats with what the others made of them."""
    (worst,) = worst_boards(boards_of(BOARD), "abc", 5)["a"]
    # a: 0 and 0 in seats 0 and 1, -30 in seat 2; b: 0, 10, 20; c: 10, 0, 0
    assert worst.board == ("m", 4)
    assert worst.mine == -10
    assert worst.others == pytest.approx((0 + 10 + 20 + 10 + 0 + 0) / 6)
    assert worst.theirs == (("b", 10), ("c", pytest.approx(10 / 3)))
    assert [(seat.seat, seat.total, seat.others, seat.game.number) for seat in worst.seats] == [
        (0, 0, 10, 0),
        (1, 0, 0, 1),
        (2, -30, 10, 2),
    ]


def test_the_hand_that_cost_most():
    """It is the hand furthest behind what the others made of the same cards, with the game where it was played."""
    (worst,) = worst_boards(boards_of(BOARD), "abc", 5)["a"]
    loss = worst.loss
    assert loss is not None
    assert (loss.game.number, loss.seat, loss.hand, loss.size) == (2, 2, 1, 2)
    assert loss.mine == Made("a", 1, 2, 1, -20)
    assert loss.theirs == (Made("b", 1, 2, 2, 20), Made("c", 1, 2, 2, 20))
    assert loss.behind == 40


def test_the_worst_come_first():
    """Boards are in the order of the lead on the others, at most as many as wanted, ties in the order of boards."""
    leads = [30, -20, 10, -20, 0]
    games = [
        played(board, bots, totals=[lead, 0] if bots == "ab" else [0, lead], number=number)
        for board, lead in enumerate(leads)
        for number, bots in enumerate(("ab", "ba"))
    ]
    worst = worst_boards(boards_of(games), "ab", 3)
    assert [(one.board[1], one.ahead) for one in worst["a"]] == [(1, -20), (3, -20), (4, 0)]
    assert [(one.board[1], one.ahead) for one in worst["b"]] == [(0, -30), (2, -10), (4, 0)]
    assert worst["a"][0].loss is None


def test_games_that_ended_early():
    """A hand that a forfeited game did not reach is compared with those that did."""
    games = [
        played(0, "ab", (1, [(1, 0), (1, 1)]), (1, [(1, 0), (1, 1)]), number=0),
        played(0, "ba", (1, [(1, 1), (1, 0)]), totals=[0, 0], status=Status.FORFEITED, number=1),
    ]
    loss = worst_boards(boards_of(games), "ab", 1)["a"][0].loss
    assert loss is not None
    assert (loss.hand, loss.behind) == (0, 20)


def test_a_bot_that_is_everybody():
    """Where one bot has all seats there is nobody to compare it with."""
    assert worst_boards(boards_of([played(0, "aa", (1, [(1, 1), (1, 0)]))]), "a", 5) == {"a": []}


def test_a_bot_in_two_seats():
    """Its own games say nothing against it; only the other's with the same cards do."""
    hands = (1, [(1, 1), (1, 0), (1, 0)])
    games = [played(0, bots, hands, number=number) for number, bots in enumerate(("aab", "aba", "baa"))]
    worst = worst_boards(boards_of(games), "ab", 1)
    assert [(seat.seat, seat.total, seat.others) for seat in worst["a"][0].seats] == [
        (0, 10, 10),
        (0, 10, 10),
        (1, -10, -10),
        (1, -10, -10),
        (2, -10, -10),
        (2, -10, -10),
    ]
    assert worst["b"][0].ahead == 0


def test_several_games_with_the_same_cards():
    """What another made of the same cards in several games is told as its mean, each game counting once."""
    games = [
        played(0, "abc", (1, [(1, 0), (1, 1), (1, 0)]), number=0),
        played(0, "bac", (1, [(1, 1), (1, 1), (1, 0)]), number=1),
        played(0, "bca", (1, [(1, 0), (1, 1), (1, 0)]), number=2),
        played(0, "cab", (1, [(1, 1), (1, 1), (1, 0)]), number=3),
    ]
    loss = worst_boards(boards_of(games), "abc", 1)["a"][0].loss
    assert loss is not None
    assert (loss.seat, loss.hand, loss.game.number) == (0, 0, 0)
    assert loss.theirs == (Made("c", 1, 1, 1, 10), Made("b", 2, 1, 0.5, 0))
    assert loss.behind == pytest.approx((10 - 10 + 10) / 3 + 10)


@given(st.lists(st.lists(st.integers(-300, 300), min_size=9, max_size=9), min_size=1, max_size=4))
def test_leads_add_up_to_nothing(boards: list[list[int]]):
    """On each board the leads of all bots that had as many seats add up to zero: what one has lost, others have won."""
    games = [
        played(board, "abc"[turn:] + "abc"[:turn], totals=totals[3 * turn : 3 * turn + 3], number=turn)
        for board, totals in enumerate(boards)
        for turn in range(3)
    ]
    worst = worst_boards(boards_of(games), "abc", 9)
    for board in range(len(boards)):
        leads = [one.ahead for found in worst.values() for one in found if one.board[1] == board]
        assert len(leads) == 3
        assert sum(leads) == pytest.approx(0, abs=1e-6)
