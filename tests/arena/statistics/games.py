"""Games for the tests of statistics, made by hand or drawn with a known truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from hypothesis import strategies as st

from bluke.arena.statistics.boards import Boards
from bluke.arena.statistics.values import Played

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bluke.arena.statistics.values import Estimates, Pair, Score

#: Draws noise of an average of 0 and a deviation of 1.
Noise: TypeAlias = "Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]"


def normal(random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    return random.normal(size=shape)


def skewed(random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """A skewness of 2 to the right."""
    return random.exponential(size=shape) - 1


def collapsing(random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Now and then, once in fifty games, all is lost."""
    found = np.where(random.random(shape) < 0.02, -12.0, 0.0) + 0.24
    return (random.normal(size=shape) + found) / np.sqrt(1 + 144 * 0.02 * 0.98)


def board(number: int, lineup: Sequence[str], *points: Sequence[int], match: str = "m") -> list[Played]:
    """A complete board from the points of each of its games; the lineup moves on by a seat from game to game."""
    seats = len(lineup)
    return [
        Played((match, number), tuple(lineup[(seat - turn) % seats] for seat in range(seats)), tuple(made))
        for turn, made in enumerate(points)
    ]


def flat(number: int, points: dict[str, int], *, match: str = "m") -> list[Played]:
    """A complete board on which each bot makes the same in all seats."""
    bots = list(points)
    turned = [bots[len(bots) - turn :] + bots[: len(bots) - turn] for turn in range(len(bots))]
    return board(number, bots, *([points[bot] for bot in lineup] for lineup in turned), match=match)


def drawn(seed: int, bots: Sequence[str], boards: int, seats: int = 4, spread: int = 40) -> list[Played]:
    """Complete boards with points by chance, at tables by chance; with fewer bots than seats all are at every table."""
    random = np.random.default_rng(seed)
    games = []
    for number in range(boards):
        more = random.integers(len(bots), size=max(0, seats - len(bots)))
        who = np.concatenate([random.permutation(len(bots))[:seats], more])
        seated = who[(np.arange(seats) - np.arange(seats)[:, None]) % seats]
        points = np.rint(random.normal(100 - 10.0 * seated, spread)).astype(int)
        games += board(number, [bots[bot] for bot in who], *points.tolist())
    return games


def simulated(random: np.random.Generator, who: NDArray[np.int64], skill: NDArray[np.float64], noise: Noise) -> Boards:
    """Boards of four games each, in which the luck of a deal and that of a game are added to a skill."""
    count, width = who.shape
    luck = 36 * noise(random, (count, 4, width)) + random.normal(0, 30, (count, 1, 1))
    made = np.rint(skill[who][:, None, :] + luck)
    ahead = made[:, :, :, None] - made[:, :, None, :]
    wins = (0.5 + 0.5 * np.sign(ahead)) * (1 - np.eye(width))
    return Boards(tuple(f"bot {bot:02}" for bot in range(len(skill))), who, made.mean(1), wins.sum(1))


def score(found: Estimates, bot: str) -> Score:
    return next(score for score in found.scores if score.bot == bot)


def pair(found: Estimates, bot: str, other: str) -> Pair:
    return next(pair for pair in found.pairs if {pair.bot, pair.other} == {bot, other})


@st.composite
def any_games(draw: st.DrawFn) -> list[Played]:
    """Complete boards of whatever kind: few bots or many, boards that are alike, ties, bots apart from others."""
    seats = draw(st.integers(2, 4))
    bots = draw(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6, unique=True))
    points = st.lists(st.integers(-draw(st.sampled_from([1, 3, 900])), 900), min_size=seats, max_size=seats)
    games = []
    for number in range(draw(st.integers(0, 6))):
        lineup = draw(st.lists(st.sampled_from(bots), min_size=seats, max_size=seats))
        games += board(number, lineup, *draw(st.lists(points, min_size=seats, max_size=seats)))
    return games
