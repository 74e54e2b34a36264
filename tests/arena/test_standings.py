from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import astuple
from typing import TYPE_CHECKING

import msgspec
import pytest
from arena.records import game
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.standings import Estimate, Standings, make_standings
from bluke.wire.values import FaultKind, Status

if TYPE_CHECKING:
    from random import Random

    from bluke.arena.record import GameRecord
    from bluke.arena.standings import Standing

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
    assert first.points.margin == pytest.approx(12.7062 * 14.1421356 / 2**0.5)
    assert (second.bot, second.points.mean) == ("b", 12.5)
    assert second.points.margin == pytest.approx(12.7062 * 3.5355339 / 2**0.5)
    assert (standings.games, standings.boards, standings.left_out) == (4, 2, 0)


def test_ahead_is_paired_by_board():
    """The lead on the next bot is worked out board by board, where the luck of the deal cancels."""
    first, second = make_standings(TWO_BOARDS, ["a", "b"], 2).rows
    # 20 on board 0, 5 on board 1
    assert first.ahead is not None
    assert first.ahead.mean == 12.5
    assert first.ahead.margin == pytest.approx(12.7062 * 10.6066017 / 2**0.5)
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
    """Fewer than two boards say nothing about how sure the mean is, nor who is ahead."""
    rows = make_standings(TWO_BOARDS[:2], ["a", "b"], 2).rows
    assert [(row.points, row.ahead, row.rating, row.places) for row in rows] == [
        (Estimate(35, None), None, None, (1, 2)),
        (Estimate(15, None), None, None, (1, 2)),
    ]


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
    assert (rows[2].places, rows[2].rating, rows[2].points.margin) == (None, None, None)


def test_nobody_has_played():
    """Without a game there are standings all the same."""
    standings = make_standings([], ["a", "b"], 2)
    assert [(row.bot, row.place, row.games) for row in standings.rows] == [("a", 1, 0), ("b", 1, 0)]
    assert (standings.pairs, standings.boards, standings.forfeited, standings.unforfeited) == ((), 0, 0, None)


def test_a_bot_in_two_seats():
    """A bot that has two seats has the mean of both, and both count as games."""
    games = [
        game(board, [*"aab"[turn:], *"aab"[:turn]], [*[10, 20, 60][turn:], *[10, 20, 60][:turn]])
        for board in range(2)
        for turn in range(3)
    ]
    first, second = make_standings(games, ["a", "b"], 3).rows
    assert (first.bot, first.points, first.games, first.wins) == ("b", Estimate(60, None), 6, 6)
    assert (second.bot, second.points, second.games, second.wins) == ("a", Estimate(15, None), 12, 0)


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
    before = {renamed[row.bot]: _figures(row) for row in make_standings(games, names, 4).rows}
    after = {row.bot: _figures(row) for row in make_standings(others, names, 4).rows}
    assert before.keys() == after.keys()
    for bot, figures in before.items():
        assert figures == pytest.approx(after[bot], abs=1e-6)


def _figures(row: Standing) -> list[float | None]:
    assert row.rating is not None
    assert row.places is not None
    return [row.place, *row.places, *astuple(row.points), *astuple(row.rating), row.wins]


@given(st.permutations(TWO_BOARDS))
def test_the_order_of_arrival_is_nothing(games: list):
    """Standings do not depend on the order in which games were over."""
    assert make_standings(games, ["a", "b"], 2) == make_standings(TWO_BOARDS, ["a", "b"], 2)


# --- ratings, pairs, places ----------------------------------------------------------------------


def played(points: dict[str, list[int]], match: str = "m") -> list[GameRecord]:
    """Complete boards on which each bot makes the same points in every seat."""
    names = list(points)
    return [
        game(board, lineup, [points[bot][board] for bot in lineup], match=match)
        for board in range(len(points[names[0]]))
        for lineup in (names[turn:] + names[:turn] for turn in range(len(names)))
    ]


LADDER = {
    "a": [50, 62, 40, 71, 55, 49, 61, 43, 58, 66, 38, 52, 47],
    "b": [41, 52, 47, 60, 61, 30, 70, 50, 63, 44, 45, 61, 25],
    "c": [-9, -20, -31, -8, -40, -12, -14, -6, -22, -30, -11, -27, -2],
}


def test_who_is_how_sure():
    """A row has its rating and the places that it may have, and each pair how sure it is."""
    standings = make_standings(played(LADDER), ["a", "b", "c"], 3)
    assert [row.places for row in standings.rows] == [(1, 2), (1, 2), (3, 3)]
    ratings = [row.rating for row in standings.rows]
    assert [rating is not None and rating.margin is not None for rating in ratings] == [True, True, False]
    assert [(pair.bot, pair.other, pair.surely) for pair in standings.pairs] == [
        ("a", "b", False),
        ("a", "c", True),
        ("b", "c", True),
    ]
    better = [pair.better for pair in standings.pairs]
    assert better[0] is not None
    assert better[1] is not None
    assert 0.8 < better[0] < 0.975 < better[1]
    assert standings.rows[0].ahead == standings.pairs[0].points
    assert standings.rows[1].ahead == standings.pairs[2].points


def test_an_anchor():
    """The anchor has 1500, and the standings say who it is."""
    standings = make_standings(played(LADDER), ["a", "b", "c"], 3, anchor="b")
    assert (standings.anchor, standings.rows[1].rating) == ("b", Estimate(1500, None))
    assert make_standings([], ["a"], 3, anchor="b").anchor == "b"


def test_without_resamples():
    """Whoever is in a hurry can leave the resamples out, and has the same points."""
    full, quick = (make_standings(played(LADDER), ["a"], 3, resamples=times) for times in (None, 0))
    assert [row.points for row in full.rows] == [row.points for row in quick.rows]
    assert full != quick


# --- forfeited boards ----------------------------------------------------------------------------


def forfeit(games: list[GameRecord], *numbers: int) -> list[GameRecord]:
    """The same games, with a seat of some of them played out by the referee."""
    return [
        msgspec.structs.replace(one, played_out=[1]) if number in numbers else one for number, one in enumerate(games)
    ]


def test_without_forfeited_boards():
    """One game that was not played to the end makes its board forfeited: both estimates are given."""
    games = played(LADDER)
    standings = make_standings(forfeit(games, 3, 4, 16), list("abc"), 3)
    assert (standings.boards, standings.forfeited) == (13, 2)
    assert standings.rows == make_standings(games, list("abc"), 3).rows, "as it was scored"
    without = make_standings([one for one in games if one.board not in (1, 5)], list("abc"), 3)
    assert standings.unforfeited is not None
    assert [score.points for score in standings.unforfeited.scores] == [row.points for row in without.rows]
    assert [score.rating for score in standings.unforfeited.scores] == [row.rating for row in without.rows]
    assert standings.unforfeited.pairs == without.pairs


def test_a_game_that_was_given_up():
    """A game that a fault has ended forfeits its board."""
    games = played(LADDER)
    games[0] = msgspec.structs.replace(games[0], status=Status.FORFEITED)
    assert make_standings(games, ["a"], 3).forfeited == 1


def test_every_board_is_forfeited():
    """Then nothing is said without them."""
    standings = make_standings(forfeit(played(LADDER), *range(39)), ["a"], 3)
    assert standings.forfeited == 13
    assert standings.unforfeited is not None
    assert standings.unforfeited.scores == ()


def test_no_board_is_forfeited():
    """Then there is no second estimate."""
    assert make_standings(played(LADDER), ["a"], 3).unforfeited is None


# --- as a file, and what it costs ----------------------------------------------------------------


@given(
    st.lists(
        st.tuples(st.sampled_from(["ab", "ba", "aa", "bc"]), st.integers(-9, 9), st.integers(-9, 9), st.booleans()),
        max_size=12,
    )
)
def test_as_json(made: list[tuple[str, int, int, bool]]):
    """Whatever was played, the standings are JSON without a number that is none, and read back the same."""
    games = [game(at // 2, lineup, [one, other]) for at, (lineup, one, other, _) in enumerate(made)]
    games = forfeit(games, *(at for at, (*_, forfeited) in enumerate(made) if forfeited))
    standings = make_standings(games, ["a", "b"], 2, resamples=5)
    text = msgspec.json.encode(standings)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(text, parse_constant=refuse)
    assert msgspec.json.decode(text, type=Standings) == standings


def test_imports_are_quick():
    """Whoever only needs the types of the standings does not wait for numpy."""
    code = "import sys, bluke.arena.standings, bluke.arena.terminal; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
