"""Schedules: boards, rotations and the order of play, as data that follow from the match seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bluke.referee.match import seeded_random, shuffled

if TYPE_CHECKING:
    from random import Random

__all__ = ["Fixture", "make_schedule"]

#: The games of so many boards are played in an order of their own, so that it tells no bot which games share a deal.
WINDOW_BOARDS = 16


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game to be played.

    Attributes:
        number: its place in the order of play, from 0.
        board: its deal.
        rotation: how far the seats are turned, 0 to seats-1.
        lineup: the bot in each seat, as its place in the roster.
    """

    number: int
    board: int
    rotation: int
    lineup: tuple[int, ...]


def make_schedule(bots: int, seats: int, boards: int, seed: bytes) -> tuple[Fixture, ...]:
    """Every game of a match, in the order of play.

    Each board seats the bots that have played least, those who have met least first, and is played
    in all rotations: every bot of a board plays every hand of its deal. With fewer bots than seats
    a bot sits in more than one.
    """
    random = seeded_random(seed, "bluke/1/schedule")
    played: Counter[int] = Counter()
    met: Counter[frozenset[int]] = Counter()
    fixtures: list[tuple[int, int, tuple[int, ...]]] = []
    for start in range(0, boards, WINDOW_BOARDS):
        window = []
        for board in range(start, min(boards, start + WINDOW_BOARDS)):
            group = _group(bots, seats, played, met, random)
            window += [(board, turn, _turned(group, turn)) for turn in range(seats)]
        fixtures += shuffled(window, random)
    return tuple(Fixture(number, *fixture) for number, fixture in enumerate(fixtures))


def _group(bots: int, seats: int, played: Counter[int], met: Counter[frozenset[int]], random: Random) -> list[int]:
    group: list[int] = []
    while len(group) < seats:
        left = [bot for bot in range(bots) if bot not in group] if len(group) < bots else list(range(bots))
        # Drawn once for each, in roster order, so that the choice does not depend on how min() asks.
        luck = [random.random() for _ in left]
        rank = {
            bot: (played[bot], sum(met[frozenset((bot, other))] for other in group), luck[n])
            for n, bot in enumerate(left)
        }
        bot = min(left, key=rank.__getitem__)
        for other in group:
            met[frozenset((bot, other))] += 1
        played[bot] += 1
        group.append(bot)
    return shuffled(group, random)


def _turned(group: list[int], turn: int) -> tuple[int, ...]:
    return tuple(group[(seat - turn) % len(group)] for seat in range(len(group)))
