from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from arena.records import game
from hypothesis import given, settings
from hypothesis import strategies as st

from bluke.arena.compare import Comparing, compare
from bluke.arena.statistics.sequential import Stopping, Verdict, judge
from bluke.wire.values import Status

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from bluke.arena.record import GameRecord

STOPPING = Stopping()


def board(number: int, new: Sequence[int], old: Sequence[int], **options: object) -> list[GameRecord]:
    """The games of a board at two seats: each version once in either seat."""
    lineups = [["new", "x"], ["x", "new"], ["old", "x"], ["x", "old"]]
    points = [[new[0], 5], [7, new[1]], [old[0], 6], [8, old[1]]]
    return [
        game(number, bots, totals, **options)  # type: ignore[arg-type]
        for bots, totals in zip(lineups, points, strict=True)
    ]


def said(games: Sequence[GameRecord]) -> tuple[Verdict, int, float]:
    judgement = compare(games, "new", "old", 4, STOPPING).judgement
    return judgement.verdict, judgement.boards, judgement.mean


def test_a_board_gives_one_difference():
    """It is the mean over the seats of the new version's points less the old one's; the field's do not count."""
    result = compare(board(0, [30, 10], [5, 15]), "new", "old", 4, STOPPING)
    assert (result.judgement.boards, result.judgement.mean) == (1, 10)
    assert (result.new_points, result.old_points) == (20, 10)
    assert (result.games, result.beyond, result.unpaired) == (4, 0, None)


def test_nothing_was_played():
    """No game says nothing, in so many words."""
    result = compare([], "new", "old", 4, STOPPING)
    assert (result.judgement.verdict, result.judgement.boards, result.judgement.low) == (Verdict.UNDECIDED, 0, None)
    assert (result.new_points, result.old_points, result.unpaired, result.games) == (None, None, None, 0)
    assert result.sentence == "undecided"


def test_only_whole_boards_before_the_first_gap():
    """A board that lacks a game hides those after it, whichever of them are whole."""
    games = [*board(0, [10, 10], [0, 0]), *board(1, [20, 20], [0, 0])[1:], *board(2, [90, 90], [0, 0])]
    result = compare(games, "new", "old", 4, STOPPING)
    assert (result.judgement.boards, result.judgement.mean) == (1, 10)
    assert (result.games, result.beyond) == (4, 7)
    assert said([*games, board(1, [20, 20], [0, 0])[0]]) == (Verdict.UNDECIDED, 3, 40)


def test_nothing_after_the_answer_counts():
    """What was played beyond the board that gave the answer is counted and not looked at."""
    better = [one for number in range(60) for one in board(number, [60 + number % 7, 50], [5, 15])]
    worse = [one for number in range(60, 90) for one in board(number, [-900, -900], [0, 0])]
    result = compare([*better, *worse], "new", "old", 4, STOPPING)
    assert result.judgement.verdict is Verdict.BETTER
    assert result.judgement.boards < 60
    assert (result.games, result.beyond) == (4 * result.judgement.boards, 4 * (90 - result.judgement.boards))


def test_the_answer_is_known_as_soon_as_it_is():
    """The game that makes a board whole says so, and no game before it."""
    comparing = Comparing("new", "old", 4, STOPPING)
    told = [comparing.add(one) for number in range(60) for one in board(number, [60 + number % 7, 50], [5, 15])]
    first = told.index(True)
    assert first % 4 == 3
    assert first // 4 + 1 == comparing.boards
    assert all(told[first:])


@settings(deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(-99, 99)] * 4), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_whatever_order_games_end_in(points: list[tuple[int, int, int, int]], chance: random.Random):
    """The result is that of the boards in their own order."""
    games = [one for number, p in enumerate(points) for one in board(number, p[:2], p[2:])]
    want = judge([fmean(p[:2]) - fmean(p[2:]) for p in points], STOPPING)
    chance.shuffle(games)
    assert compare(games, "new", "old", 4, STOPPING).judgement == want


def test_copies_of_one_bot():
    """Versions that score alike on every board end with no difference worth having, and no number of games is told."""
    games = [one for number in range(400) for one in board(number, [number, 3], [number, 3])]
    result = compare(games, "new", "old", 4, STOPPING)
    assert result.judgement.verdict is Verdict.SAME
    assert result.unpaired is None
    assert result.sentence == "there is no difference worth having"


def test_what_games_without_the_same_deals_would_take():
    """It is the square of how much more single games vary than boards do, for as many games."""
    games = [one for number in range(3) for one in board(number, [100 * number, -100 * number], [5 - number, 5])]
    result = compare(games, "new", "old", 4, STOPPING)
    new, old = [0, 0, 100, -100, 200, -200], [5, 5, 4, 5, 3, 5]
    both = sum(x * x for x in new) / 5 + sum((x - 4.5) ** 2 for x in old) / 5
    assert result.judgement.deviation == pytest.approx(0.5)
    assert result.unpaired == pytest.approx(2 * 3 * both / 0.25, abs=1)


def test_forfeited_boards_are_counted():
    """A board with a game that was given up is told of; it counts as it was scored."""
    games = [*board(0, [1, 2], [3, 4]), *board(1, [1, 2], [3, 4], status=Status.FORFEITED)]
    result = compare(games, "new", "old", 4, STOPPING)
    assert (result.forfeited, result.judgement.boards) == (1, 2)
