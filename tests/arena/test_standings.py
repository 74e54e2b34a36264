from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from arena.records import game
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.standings import Estimate, estimate, make_standings, student_t
from bluke.wire.values import FaultKind, Status

if TYPE_CHECKING:
    from random import Random

TWO_BOARDS = [
    game(0, ["a", "b"], [30, 10]),
    game(0, ["b", "a"], [20, 40]),
    game(1, ["a", "b"], [10, -10]),
    game(1, ["b", "a"], [30, 20]),
]


def test_points_a_game_over_boards():
    """The mean is over boards, and the interval is that of Student's t on the boards' means."""
    standings = make_standings(TWO_BOARDS, ["a", "b"], 2)
    first, second = standings.rows
    # a: boards 35 and 15; b: boards 15 and 10
    assert (first.bot, first.points.mean) == ("a", 25)
    assert first.points.margin == pytest.approx(12.706 * 14.1421356 / 2**0.5)
    assert (second.bot, second.points.mean) == ("b", 12.5)
    assert second.points.margin == pytest.approx(12.706 * 3.5355339 / 2**0.5)
    assert (standings.games, standings.left_out) == (4, 0)


def test_ahead_is_paired_by_board():
    """The lead on the next bot is worked out board by board, where the luck of the deal cancels."""
    first, second = make_standings(TWO_BOARDS, ["a", "b"], 2).rows
    # 20 on board 0, 5 on board 1
    assert first.ahead is not None
    assert first.ahead.mean == 12.5
    assert first.ahead.margin == pytest.approx(12.706 * 10.6066017 / 2**0.5)
    assert not first.ahead.clear
    assert second.ahead is None


def test_count_everything_else():
    """Games, wins, bids, outcomes, faults and times are sums over the seats that the bot had."""
    games = [
        game(
            0,
            ["a", "b"],
            [30, 10],
            outcomes=[(1, 2, 3), (4, 0, 1)],
            faults=[(1, FaultKind.TIMEOUT), (1, FaultKind.ILLEGAL), (1, FaultKind.TIMEOUT)],
            times_ms=[[1.0] * 99 + [50.0], []],
        ),
        game(0, ["b", "a"], [10, 10], outcomes=[(0, 0, 5), (2, 2, 1)]),
    ]
    first, second = make_standings(games, ["b", "a"], 2).rows
    assert (first.bot, first.games, first.boards, first.wins) == ("a", 2, 1, 2)
    assert (first.bids, first.set, first.overtricks, first.perfect) == (11, 3, 4, 4)
    assert (first.faults, second.faults) == ({}, {"illegal": 1, "timeout": 2})
    assert first.p50_ms == pytest.approx(1, rel=0.06)
    assert first.p95_ms == pytest.approx(1, rel=0.06)
    assert (second.games, second.wins, second.bids) == (2, 1, 10)
    assert second.p50_ms is None


def test_one_board_has_no_interval():
    """Fewer than two boards say nothing about how sure the mean is."""
    rows = make_standings(TWO_BOARDS[:2], ["a", "b"], 2).rows
    assert [row.points.margin for row in rows] == [None, None]
    assert rows[0].ahead == Estimate(20, None)


def test_incomplete_boards_are_left_out():
    """Once a board is complete, games of boards that are not count no more, and are counted as left out."""
    extra = game(2, ["a", "b"], [-500, 500])
    standings = make_standings([*TWO_BOARDS, extra], ["a", "b"], 2)
    assert [row.points.mean for row in standings.rows] == [25, 12.5]
    assert (standings.games, standings.left_out) == (4, 1)


def test_before_the_first_complete_board():
    """While no board is complete every game counts, without intervals."""
    games = [game(n, ["a", "b"], [n, 10]) for n in range(5)]
    standings = make_standings(games, ["a", "b"], 2)
    assert [(row.bot, row.points) for row in standings.rows] == [("b", Estimate(10, None)), ("a", Estimate(2, None))]
    assert (standings.games, standings.left_out) == (5, 0)


def test_void_games_never_count():
    """A void game changes nothing, complete board or not."""
    void = [game(0, ["a", "b"], [900, 0], status=Status.VOID), game(7, ["a", "b"], [900, 0], status=Status.VOID)]
    assert make_standings([*TWO_BOARDS, *void], ["a", "b"], 2) == make_standings(TWO_BOARDS, ["a", "b"], 2)


def test_forfeited_games_count():
    """A game that was forfeited counts with its totals and places."""
    games = [game(0, ["a", "b"], [3, 1], status=Status.FORFEITED), game(0, ["b", "a"], [1, 3])]
    assert make_standings(games, ["a", "b"], 2).rows[0].wins == 2


def test_ties_share_the_place():
    """Equal points share the better place, however the sums were rounded."""
    games = [
        # thirds: a's and b's boards have the same mean, summed in another order
        game(0, ["a", "b", "c", "d"], [1, 1, 9, 0]),
        game(0, ["b", "c", "d", "a"], [0, 9, 0, 0]),
        game(0, ["c", "d", "a", "b"], [9, 0, 0, 0]),
        game(0, ["d", "a", "b", "c"], [0, 1, 1, 9]),
    ]
    rows = make_standings(games, ["d", "c", "b", "a"], 4).rows
    assert [(row.bot, row.place) for row in rows] == [("c", 1), ("a", 2), ("b", 2), ("d", 4)]


def test_a_bot_that_has_not_played_is_last():
    """A bot without a game comes after bots whose points are below zero."""
    rows = make_standings([game(0, ["a", "b"], [-10, -20])], ["idle", "a", "b"], 2).rows
    assert [(row.place, row.bot, row.games) for row in rows] == [(1, "a", 1), (2, "b", 1), (3, "idle", 0)]
    assert rows[1].ahead is None


def test_nobody_has_played():
    """Without a game there are standings all the same."""
    standings = make_standings([], ["a", "b"], 2)
    assert [(row.bot, row.place, row.games) for row in standings.rows] == [("a", 1, 0), ("b", 1, 0)]


def test_a_bot_in_two_seats():
    """A bot that has two seats has the mean of both, and both count as games."""
    games = [
        game(board, [*"aab"[turn:], *"aab"[:turn]], [*[10, 20, 60][turn:], *[10, 20, 60][:turn]])
        for board in range(2)
        for turn in range(3)
    ]
    first, second = make_standings(games, ["a", "b"], 3).rows
    assert (first.bot, first.points, first.games, first.wins) == ("b", Estimate(60, 0), 6, 6)
    assert (second.bot, second.points, second.games, second.wins) == ("a", Estimate(15, 0), 12, 0)


def test_matches_have_boards_of_their_own():
    """Deal 0 of one match and deal 0 of another are two boards."""
    games = [game(0, bots, [10, 0], match=match) for match in "xy" for bots in (["a", "b"], ["b", "a"])]
    standings = make_standings(games, ["a", "b"], 2)
    assert (standings.games, standings.left_out, standings.rows[0].boards) == (4, 0, 2)


@given(st.permutations(range(4)), st.randoms(use_true_random=False))
def test_names_carry_the_results(order: list[int], random: Random):
    """Renaming the bots, in whatever seats they are, renames the rows and changes nothing else."""
    names = ["a", "b", "c", "d"]
    games = [
        game(board, names[turn:] + names[:turn], [random.randrange(-99, 99) for _ in names])
        for board in range(3)
        for turn in range(4)
    ]
    renamed = {name: names[order[at]] for at, name in enumerate(names)}
    others = [game(one.board, [renamed[bot] for bot in one.bots], one.totals) for one in games]
    before = {renamed[row.bot]: (row.place, row.points, row.wins) for row in make_standings(games, names, 4).rows}
    after = {row.bot: (row.place, row.points, row.wins) for row in make_standings(others, names, 4).rows}
    assert before == after


@given(st.permutations(TWO_BOARDS))
def test_the_order_of_arrival_is_nothing(games: list):
    """Standings do not depend on the order in which games were over."""
    assert make_standings(games, ["a", "b"], 2) == make_standings(TWO_BOARDS, ["a", "b"], 2)


# Any table of the t distribution, 0.975 column.
@pytest.mark.parametrize(
    ("free", "t"),
    [(1, 12.706), (2, 4.303), (10, 2.228), (30, 2.0423), (31, 2.0395), (40, 2.0211), (60, 2.0003), (120, 1.9799)],
)
def test_student_t(free: int, t: float):
    """The quantiles are those of the tables, and there is no step at the end of ours."""
    assert student_t(free) == pytest.approx(t, abs=4e-4)


def test_the_interval_of_known_values():
    """1, 2, 3, 4, 5 have the mean 3 and the interval 3 ± 1.963."""
    found = estimate([1, 2, 3, 4, 5])
    assert found.mean == 3
    assert found.margin == pytest.approx(1.9632, abs=1e-3)
    assert found.clear
