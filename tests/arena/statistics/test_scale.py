from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from arena.statistics.games import flat

from bluke.arena.statistics.boards import make_boards
from bluke.arena.statistics.links import linked_by_boards
from bluke.arena.statistics.rating import fit_strengths
from bluke.arena.statistics.scale import Scale, find_scale

if TYPE_CHECKING:
    from bluke.arena.statistics.values import Played


def scaled(orders: str, anchor: str | None = None) -> Scale:
    """The scale of boards on which those named first always win, each order five times."""
    games: list[Played] = []
    for number, order in enumerate(5 * orders.split()):
        games += flat(number, {bot: -place for place, bot in enumerate(order)})
    boards = make_boards(games)
    return find_scale(boards, fit_strengths(boards).strengths, linked_by_boards(boards), anchor)


def columns(scale: Scale) -> list[list[float]]:
    return scale.zero.T.tolist()


def test_the_average():
    """Where wins lead everywhere everybody is measured from the average."""
    scale = scaled("abc bca cab")
    assert columns(scale) == [[pytest.approx(1 / 3)] * 3] * 3
    assert scale.rated.all()
    assert scale.sure.all()
    assert scale.duels.all()


def test_a_bot_that_lost_everything():
    """It is at no finite distance, and so it is not in the average, and has no interval."""
    scale = scaled("abz baz")
    assert columns(scale) == [[0.5, 0.5, 0]] * 3
    assert scale.rated.tolist() == [True, True, True]
    assert scale.sure.tolist() == [True, True, False]
    assert scale.duels.tolist() == [[True, True, False], [True, True, False], [False, False, True]]


def test_nobody_lost_to_whom_it_beat():
    """Then all are in the average, and nobody has an interval."""
    scale = scaled("abc")
    assert columns(scale) == [[pytest.approx(1 / 3)] * 3] * 3
    assert scale.rated.all()
    assert not scale.sure.any()


def test_two_parties():
    """Of two parties that never met in wins the larger is the average; of two as large the one that played more."""
    scale = scaled("abcyz bcazy cabyz")
    assert columns(scale)[0] == [pytest.approx(1 / 3)] * 3 + [0, 0]
    assert scale.sure.tolist() == [True] * 3 + [False] * 2
    assert scale.duels[3, 4]
    more = scaled("abyz bazy yzpq zypq")
    assert columns(more)[0] == [0, 0, 0, 0, 0.5, 0.5]
    as_many = scaled("abyz bazy")
    assert columns(as_many)[0] == [0.5, 0.5, 0, 0], "the stronger"


def test_an_anchor():
    """It is the zero of all that are linked with it, and has no interval of its own; others have no rating."""
    scale = scaled("ab ba cd dc", anchor="b")
    assert columns(scale) == [[0, 1, 0, 0]] * 2 + [[0] * 4] * 2
    assert scale.rated.tolist() == [True, True, False, False]
    assert scale.sure.tolist() == [True, False, False, False]
    assert not scaled("ab ba", anchor="nobody").rated.any()


def test_bots_that_are_alone():
    """Who has nobody to be measured from has no rating."""
    boards = make_boards(flat(0, {"a": 1, "b": 2}))
    scale = find_scale(boards, fit_strengths(boards).strengths, linked_by_boards(boards))
    assert not scale.rated.any()
    assert not np.any(scale.zero)
