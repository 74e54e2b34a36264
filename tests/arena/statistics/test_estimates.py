from __future__ import annotations

import json
from dataclasses import astuple, replace
from itertools import pairwise
from math import isfinite, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import pytest
from arena.statistics.games import any_games, board, drawn, flat, pair, score
from hypothesis import given
from hypothesis import strategies as st

from bluke.analysis.student import cdf, quantile
from bluke.arena.statistics.estimates import estimate_all
from bluke.arena.statistics.values import Estimate, Estimates, Pair, Played

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

#: Six boards of three bots that beat each other now and then.
SMALL = [
    *board(0, "abc", [30, 10, 20], [25, 35, 0], [10, 40, 20]),
    *board(1, "bca", [12, 8, 30], [0, 15, 15], [22, 31, 17]),
    *board(2, "cab", [10, 20, 30], [40, 5, 25], [33, 21, 12]),
    *board(3, "acb", [11, 19, 27], [28, 14, 9], [16, 12, 36]),
    *board(4, "abc", [8, 33, 21], [19, 6, 29], [25, 17, 3]),
    *board(5, "cba", [13, 24, 37], [22, 9, 18], [31, 5, 26]),
]
#: Of the points a game of b, a and c and of their ratings the mean and the margin.
GOLDEN = [
    ((21.222222, 9.494456), (1545.6315, 176.6752)),
    ((20.333333, 8.292829), (1526.086, 143.5561)),
    ((17.0, 6.750554), (1428.2826, 125.3043)),
]


def means(games: list[Played], bot: str) -> list[float]:
    """The points a game of a bot on each board."""
    made: dict[object, list[int]] = {}
    for game in games:
        made.setdefault(game.board, []).append(game.points[game.bots.index(bot)])
    return [fmean(made[number]) for number in sorted(made)]  # type: ignore[type-var]


def students(values: list[float]) -> tuple[float, float]:
    return fmean(values), quantile(0.975, len(values) - 1) * stdev(values) / sqrt(len(values))


# --- what is said --------------------------------------------------------------------------------


def test_everybody_played_every_board():
    """Then points and differences have the intervals of Student, with the boards as the sample."""
    games = drawn(11, "abcd", 9)
    found = estimate_all(games)
    for one in found.scores:
        assert astuple(one.points) == pytest.approx(students(means(games, one.bot)))
        assert one.boards == 9
    for two in found.pairs:
        apart = [first - second for first, second in zip(means(games, two.bot), means(games, two.other), strict=True)]
        assert two.points is not None
        assert astuple(two.points) == pytest.approx(students(apart))
        t = fmean(apart) / stdev(apart) * sqrt(9)
        assert two.better == pytest.approx(cdf(t, 8))


def test_golden_figures():
    """The figures of a small set of games are these, until somebody means to change them; none of them is drawn."""
    found = estimate_all(SMALL, resamples=0)
    assert [(one.bot, one.place, one.places) for one in found.scores] == [
        (bot, at, (1, 3)) for at, bot in enumerate("bac", 1)
    ]
    for one, (points, rating) in zip(found.scores, GOLDEN, strict=True):
        assert astuple(one.points) == pytest.approx(points, abs=1e-6)
        assert one.rating is not None
        assert astuple(one.rating) == pytest.approx(rating, abs=1e-3)


def test_the_order_of_all():
    """Scores are in the order of their places, and pairs in that of the scores, the better placed first."""
    found = estimate_all(drawn(2, "abcde", 10))
    bots = [one.bot for one in found.scores]
    assert [one.place for one in found.scores] == [1, 2, 3, 4, 5]
    assert [(two.bot, two.other) for two in found.pairs] == [
        (bot, other) for at, bot in enumerate(bots) for other in bots[at + 1 :]
    ]
    assert all(two.points is not None and two.points.mean > 0 for two in found.pairs)


def test_who_is_surely_better():
    """A pair is sure if Holm says so of its p-value, and only surely better bots take away places."""
    found = estimate_all(drawn(5, "abcdef", 20))
    assert {two.surely for two in found.pairs} == {True, False}
    for two in found.pairs:
        assert two.better is not None
        assert not two.surely or two.better > 0.975
    for one in found.scores:
        above = sum(two.surely for two in found.pairs if two.other == one.bot)
        below = sum(two.surely for two in found.pairs if two.bot == one.bot)
        assert one.places == (1 + above, 6 - below)


def test_ties_share_the_place():
    """Equal points share the better place and are in the order of their names."""
    games = [game for number in range(2) for game in flat(number, {"c": 5, "b": 7, "a": 5, "d": 0})]
    assert [(one.bot, one.place) for one in estimate_all(games).scores] == [("b", 1), ("a", 2), ("c", 2), ("d", 4)]


def test_an_anchor():
    """It has 1500 without an interval, and the others are as far from it as before."""
    before, after = estimate_all(SMALL), estimate_all(SMALL, anchor="b")
    assert score(after, "b").rating == Estimate(1500, None)
    for bot in "ac":
        found, two = score(after, bot).rating, pair(before, bot, "b")
        assert found is not None
        assert two.rating is not None
        assert abs(found.mean - 1500) == pytest.approx(abs(two.rating.mean), abs=1e-6)
        assert found.margin == pytest.approx(two.rating.margin, abs=1e-6)
    assert [two.rating for two in after.pairs] == [two.rating for two in before.pairs]


def test_the_average_rating():
    """The average of the ratings is 1500."""
    ratings = [one.rating for one in estimate_all(drawn(5, "abcdef", 20)).scores]
    assert fmean(rating.mean for rating in ratings if rating is not None) == pytest.approx(1500)


def test_without_resamples():
    """Without them only the intervals of what is not linear are others, and by little."""
    games = drawn(11, "abcd", 30)
    for one, two in zip(estimate_all(games).scores, estimate_all(games, resamples=0).scores, strict=True):
        assert one.points == two.points
        assert one.rating is not None
        assert two.rating is not None
        assert one.rating.mean == two.rating.mean
        assert one.rating.margin != two.rating.margin
        assert one.rating.margin == pytest.approx(two.rating.margin, rel=0.1)


# --- what is not ---------------------------------------------------------------------------------


def test_one_board():
    """One board says points, and nothing of how sure they are or who is better."""
    found = estimate_all(board(0, "ab", [30, 10], [20, 40]))
    assert [(one.bot, one.points, one.rating, one.places) for one in found.scores] == [
        ("a", Estimate(35, None), None, (1, 2)),
        ("b", Estimate(15, None), None, (1, 2)),
    ]
    assert found.pairs == (Pair("a", "b", None, None, None, surely=False),)


def test_nothing_varies():
    """Boards that are all alike give no interval, not one without width."""
    found = estimate_all([game for number in range(5) for game in flat(number, {"a": 30, "b": 10})])
    assert [one.points for one in found.scores] == [Estimate(30, None), Estimate(10, None)]
    assert astuple(found.pairs[0])[2:3] == ((20, None),)
    assert (found.pairs[0].better, found.pairs[0].surely) == (None, False)


def test_who_lost_every_pair():
    """Its rating has no interval, and it is not in the average of the others."""
    games = [
        game
        for number, (a, b) in enumerate([(5, 9), (8, 3), (4, 6), (9, 2), (5, 8)] * 2 + [(7, 1)])
        for game in flat(number, {"a": a, "b": b, "z": -number})
    ]
    found = estimate_all(games)
    lost = score(found, "z").rating
    assert lost is not None
    assert lost.margin is None
    assert lost.mean < 1000
    ratings = [score(found, bot).rating for bot in "ab"]
    assert fmean(rating.mean for rating in ratings if rating is not None) == pytest.approx(1500)
    assert all(rating is not None and rating.margin is not None for rating in ratings)
    beaten = pair(found, "a", "z")
    assert beaten.rating is not None
    assert beaten.rating.margin is None
    assert beaten.points is not None
    assert beaten.points.margin is not None


def test_bots_that_nothing_links():
    """Bots that no two chains of boards link are not compared, whatever their points are."""
    one, other = drawn(1, "ab", 6, seats=2), drawn(2, "cd", 6, seats=2)
    games = [*one, *(replace(game, board=("n", game.board[1])) for game in other)]
    found = estimate_all(games)
    for bot, others in (("a", "cd"), ("b", "cd")):
        for apart in others:
            assert astuple(pair(found, bot, apart))[2:] == (None, None, None, False)
    assert pair(found, "a", "b").better == pytest.approx(pair(estimate_all(one), "a", "b").better, abs=0.01)
    assert astuple(score(found, "c").points) == pytest.approx(astuple(score(estimate_all(other), "c").points), rel=0.03)
    bridge = flat(9, {"b": 3, "c": 8})
    assert pair(estimate_all([*games, *bridge]), "b", "c").points is None, "one board alone tells nothing"
    more = [*bridge, *flat(10, {"b": 5, "c": 9})]
    assert pair(estimate_all([*games, *more]), "a", "d").better is not None


def test_incomplete_boards():
    """Of boards that are not complete only the mean points are said."""
    found = estimate_all([*SMALL[:2], *SMALL[3:7]], complete=False)
    assert all(one.points.margin is None and one.rating is None and one.places == (1, 3) for one in found.scores)
    assert all(two.points is None and two.better is None for two in found.pairs)
    # a made 30 and 35 on the first board, 30, 0 and 31 on the second, 20 on the third.
    a = score(found, "a")
    assert (a.boards, a.points.mean) == (3, pytest.approx((65 / 2 + 61 / 3 + 20) / 3))


def test_nobody_played():
    """Without games nothing is said."""
    assert estimate_all([]) == Estimates((), ())


# --- laws ----------------------------------------------------------------------------------------


def figures(found: Estimates) -> Iterator[Estimate]:
    for one in found.scores:
        yield from (found for found in (one.points, one.rating) if found is not None)
    for two in found.pairs:
        yield from (found for found in (two.points, two.rating) if found is not None)


@given(any_games())
def test_every_figure_is_one(games: list[Played]):
    """Whatever was played no figure is infinite or no number, no interval without width, and no place out of range."""
    found = estimate_all(games, resamples=30)
    for figure in figures(found):
        assert isfinite(figure.mean)
        assert figure.margin is None or (isfinite(figure.margin) and figure.margin > 0)
    for one, after in pairwise(found.scores):
        assert one.points.mean >= after.points.mean
    for one in found.scores:
        assert 1 <= one.places[0] <= one.place <= one.places[1] <= len(found.scores)
    for two in found.pairs:
        assert two.better is None or 0 <= two.better <= 1
        assert (two.better is None) == (two.points is None or two.points.margin is None)
    json.dumps([astuple(one) for one in found.scores], allow_nan=False)


@given(any_games(), st.randoms(use_true_random=False))
def test_the_order_of_games(games: list[Played], random: Random):
    """The figures do not depend on the order in which games were over."""
    before = estimate_all(games, resamples=20)
    random.shuffle(games)
    assert estimate_all(games, resamples=20) == before


@given(st.permutations("abcdef"), st.integers(0, 3))
def test_names_are_nothing(others: list[str], seed: int):
    """Bots with other names, so in another order, have the same figures."""
    called = dict(zip("abcdef", others, strict=True))
    games = drawn(seed, "abcdef", 10)
    before = estimate_all(games, resamples=20)
    after = estimate_all([replace(game, bots=tuple(called[bot] for bot in game.bots)) for game in games], resamples=20)
    for one in before.scores:
        other = score(after, called[one.bot])
        assert (one.place, one.places, one.boards) == (other.place, other.places, other.boards)
    for figure, renamed in zip(figures(before), figures(after), strict=True):
        assert astuple(figure) == pytest.approx(astuple(renamed), abs=1e-6)
    for two, others_two in zip(before.pairs, after.pairs, strict=True):
        assert (two.better, two.surely) == (pytest.approx(others_two.better), others_two.surely)


@given(st.permutations(range(4)), st.integers(0, 3))
def test_seats_are_nothing(order: list[int], seed: int):
    """With the seats of all games in another order the figures are the same."""
    games = drawn(seed, "abcde", 10)
    moved = [
        replace(game, bots=tuple(game.bots[at] for at in order), points=tuple(game.points[at] for at in order))
        for game in games
    ]
    before, after = estimate_all(games, resamples=20), estimate_all(moved, resamples=20)
    assert [one.bot for one in before.scores] == [one.bot for one in after.scores]
    for figure, other in zip(figures(before), figures(after), strict=True):
        assert astuple(figure) == pytest.approx(astuple(other), abs=1e-6)


@given(st.lists(st.lists(st.integers(-500, 500), min_size=4, max_size=4), min_size=8, max_size=8))
def test_a_control_variate_has_nothing_to_do(luck: list[list[int]]):
    """Points less whatever is known of the hand they were made with: every bot held every hand, so it cancels."""
    games = drawn(6, "abcdef", 8)
    less = [
        replace(game, points=tuple(made - luck[game.board[1]][seat] for seat, made in enumerate(game.points)))
        for game in games
    ]
    before, after = estimate_all(games, resamples=20), estimate_all(less, resamples=20)
    for two in before.pairs:
        other = pair(after, two.bot, two.other)
        assert two.points is not None
        assert other.points is not None
        assert astuple(two.points) == pytest.approx(astuple(other.points), abs=1e-6)
        assert two.better == pytest.approx(other.better, abs=1e-9)
