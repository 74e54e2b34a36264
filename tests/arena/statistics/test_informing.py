from __future__ import annotations

import numpy as np
import pytest
from arena.statistics.games import drawn, flat

from bluke.arena.statistics.boards import make_boards
from bluke.arena.statistics.informing import informing
from bluke.arena.statistics.links import linked_by_boards
from bluke.arena.statistics.points import fit_points


def zeros(bots: int) -> np.ndarray:
    """Ratings are measured from the average."""
    return np.full((bots, bots), 1 / bots)


@pytest.mark.parametrize("bots", ["abcd", "abc", "ab"])
def test_everybody_played_every_board(bots: str):
    """Then everything rests on all boards."""
    boards = make_boards(drawn(2, bots, 9))
    played = boards.who.shape[1] == len(bots) and (boards.who >= 0).all()
    assert played, "everybody sat at every table"
    found = informing(boards, fit_points(boards, linked_by_boards(boards)), zeros(len(bots)))
    assert found.points == pytest.approx(np.full(len(bots), 9))
    assert found.ratings == pytest.approx(np.full(len(bots), 9))
    assert found.pairs + 9 * np.eye(len(bots)) == pytest.approx(np.full((len(bots), len(bots)), 9))


def test_a_chain():
    """A difference by way of a third bot rests on the boards of both links, and most on those of the weaker one."""
    games = [game for number in range(8) for game in flat(number, {"a": number, "b": 2})]
    games += [game for number in range(8, 10) for game in flat(number, {"b": 1, "c": number})]
    boards = make_boards(games)
    found = informing(boards, fit_points(boards, linked_by_boards(boards)), zeros(3)).pairs
    assert found[0, 1] == pytest.approx(8)
    assert found[1, 2] == pytest.approx(2)
    # of the variance of a - c each of the 8 boards has 2/64, and each of the 2 has 2/4
    assert found[0, 2] == pytest.approx((8 * 2 / 64 + 2 * 2 / 4) ** 2 / (8 * (2 / 64) ** 2 + 2 * (2 / 4) ** 2))


@pytest.mark.parametrize("bots", ["abcde", "abcdefgh"])
def test_by_the_board(bots: str):
    """The numbers are those that noise on one board after the other gives."""
    boards = make_boards(drawn(3, bots, 12))
    groups = linked_by_boards(boards)
    fit = fit_points(boards, groups)
    assert not groups.any()
    count = len(bots)
    moved = []
    for row in range(12):
        for column in range(4):
            means = np.zeros_like(boards.means)
            means[row, column] = 1
            noisy = type(boards)(boards.names, boards.who, means, boards.wins)
            noise = fit_points(noisy, groups)
            effects = noise.effects
            moved.append([*noise.points, *(effects - effects.mean()), *(effects[:, None] - effects).ravel()])
    part = (np.array(moved).reshape(12, 4, -1) ** 2).sum(1)
    square = (part**2).sum(0)
    wanted = np.divide(part.sum(0) ** 2, square, out=np.zeros_like(square), where=square > 1e-20)
    found = informing(boards, fit, zeros(count))
    assert [*found.points, *found.ratings, *found.pairs.ravel()] == pytest.approx(wanted)


def test_parts(monkeypatch: pytest.MonkeyPatch):
    """Many tables are dealt with in parts, which changes nothing."""
    boards = make_boards(drawn(3, "abcdefgh", 30))
    fit = fit_points(boards, linked_by_boards(boards))
    before = informing(boards, fit, zeros(8))
    monkeypatch.setattr("bluke.arena.statistics.boards.CHUNK", 500)
    assert informing(boards, fit, zeros(8)).pairs == pytest.approx(before.pairs)
