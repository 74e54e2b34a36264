"""Schedules: boards, arrangements and the order of play, as data that follow from the match seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, islice, permutations, product
from typing import TYPE_CHECKING

from bluke.arena.form import Form, Kind, Rotations
from bluke.referee.match import seeded_random, shuffled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

__all__ = ["Fixture", "every_table", "make_schedule"]

#: The games of so many boards are played in an order of their own, so that it tells no bot which games share a deal.
#: A comparison may end early and counts only boards that are whole by then, so it has few of them under way.
WINDOW_BOARDS = {Kind.POOL: 16, Kind.ROUND_ROBIN: 16, Kind.GAUNTLET: 16, Kind.COMPARE: 4}

Lineup = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game to be played.

    Attributes:
        number: its place in the order of play, from 0.
        board: its deal.
        rotation: the number of its arrangement among those of its board, from 0. Cyclic ones are numbered by how far
            the seats are turned; in a comparison those with NEW come first, and then in the same order those with OLD.
        lineup: the bot in each seat, as its place in the roster.
    """

    number: int
    board: int
    rotation: int
    lineup: Lineup


def make_schedule(bots: int, seats: int, boards: int, seed: bytes, form: Form | None = None) -> tuple[Fixture, ...]:
    """Every game of a match, in the order of play.

    Args:
        bots: how many there are.
        seats: seats at a table. With fewer bots a bot sits in more than one.
        boards: how many deals.
        seed: the match seed.
        form: who sits with whom, and in which arrangements; one that has no `problem`. Left out, a pool.
    """
    form = form or Form()
    random = seeded_random(seed, "bluke/1/schedule")
    tables = TABLES[form.kind](form, bots, seats, random)
    fixtures: list[tuple[int, int, Lineup]] = []
    size = WINDOW_BOARDS[form.kind]
    for start in range(0, boards, size):
        window = [
            (board, rotation, lineup)
            for board, table in enumerate(islice(tables, min(size, boards - start)), start)
            for rotation, lineup in enumerate(_lineups(form, shuffled(table, random)))
        ]
        fixtures += shuffled(window, random)
    return tuple(Fixture(number, *fixture) for number, fixture in enumerate(fixtures))


# Who sits at the tables


def _pool(form: Form, bots: int, seats: int, random: Random) -> Iterator[list[int]]:
    """Tables without end: the first head if there is one, and of the field those who have played least.

    Among them comes first whose author has most bots waiting that have played as little, then who has met the others
    least. No choice leads into a dead end: each takes one author, so as long as there are as many authors as seats
    there is one left for each seat. And bots differ by one board at the most wherever that can be, which is where no
    author has more than bots / seats of them: that the fullest author goes first leaves none with more bots waiting
    than there are tables until all have played as much. An author with more than that has a bot at every table.
    """
    field = form.field(bots)
    team = {bot: form.team(bot) for bot in field}
    mates = {bot: [other for other in field if team[other] == team[bot]] for bot in field}
    # All boards must have as many games. A pool that is only turned has them anyway, and stays what it always was.
    even = form.kind is not Kind.POOL or form.rotations is Rotations.ALL
    played: Counter[int] = Counter()
    met: Counter[frozenset[int]] = Counter()
    while True:
        group: list[int] = []
        while len(group) < form.field_seats(seats):
            taken = {team[bot] for bot in group}
            left = [bot for bot in field if team[bot] not in taken] if len(group) < len(field) else field
            # Drawn once for each, in roster order, so that the choice does not depend on how min() asks.
            luck = [random.random() for _ in left]
            rank = {
                bot: (
                    played[bot],
                    group.count(bot) if even else 0,
                    -sum(played[mate] <= played[bot] for mate in mates[bot]),
                    sum(met[frozenset((bot, other))] for other in group),
                    luck[n],
                )
                for n, bot in enumerate(left)
            }
            bot = min(left, key=rank.__getitem__)
            for other in group:
                met[frozenset((bot, other))] += 1
            played[bot] += 1
            group.append(bot)
        yield [*form.heads[:1], *group]


def _rounds(form: Form, bots: int, seats: int, random: Random) -> Iterator[Lineup]:
    """Every table once, in an order of its own in each round, and so on without end."""
    tables = every_table(form, bots, seats)
    while True:
        yield from shuffled(tables, random)


TABLES: dict[Kind, Callable[[Form, int, int, Random], Iterator[Sequence[int]]]] = {
    Kind.POOL: _pool,
    Kind.ROUND_ROBIN: _rounds,
    Kind.GAUNTLET: _pool,
    Kind.COMPARE: _pool,
}


def every_table(form: Form, bots: int, seats: int) -> list[Lineup]:
    """All tables that a roster can make, in roster order; with fewer bots than seats the most even ones."""
    if bots < seats:
        each, more = divmod(seats, bots)
        return [tuple(sorted([*range(bots)] * each + [*twice])) for twice in combinations(range(bots), more)]
    teams: dict[str | int, list[int]] = {}
    for bot in range(bots):
        teams.setdefault(form.team(bot), []).append(bot)
    return sorted(tuple(sorted(table)) for chosen in combinations(teams.values(), seats) for table in product(*chosen))


# Where they sit


def _lineups(form: Form, ring: list[int]) -> list[Lineup]:
    """The arrangements of a board, for each head in turn."""
    arranged = ARRANGED[form.rotations](ring)
    if not form.heads:
        return arranged
    first = form.heads[0]
    return [tuple(head if bot == first else bot for bot in lineup) for head in form.heads for lineup in arranged]


def _cyclic(ring: list[int]) -> list[Lineup]:
    seats = range(len(ring))
    return [tuple(ring[(seat - turn) % len(ring)] for seat in seats) for turn in seats]


def _all(ring: list[int]) -> list[Lineup]:
    return list(dict.fromkeys(permutations(ring)))


ARRANGED: dict[Rotations, Callable[[list[int]], list[Lineup]]] = {Rotations.CYCLIC: _cyclic, Rotations.ALL: _all}
