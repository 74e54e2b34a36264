"""What the games say of each bot beside its points: bids and tricks, totals, times, faults."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bluke.arena.record import DecisionTimes
from bluke.arena.statistics.mean import estimate
from bluke.rules import Outcome, outcome, points
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bluke.arena.record import GameRecord
    from bluke.arena.statistics.values import Estimate

__all__ = ["Board", "Hands", "Tally", "boards_of", "tally_games"]

#: A match and one of its deals.
Board = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Hands:
    """Sums over hands: how many there were, what was bid and taken, the outcomes, and the points."""

    hands: int = 0
    bid: int = 0
    taken: int = 0
    set: int = 0
    overtricks: int = 0
    perfect: int = 0
    points: int = 0

    def __add__(self, other: Hands) -> Hands:
        return Hands(
            self.hands + other.hands,
            self.bid + other.bid,
            self.taken + other.taken,
            self.set + other.set,
            self.overtricks + other.overtricks,
            self.perfect + other.perfect,
            self.points + other.points,
        )

    def mean(self, total: int) -> float | None:
        """A sum, for each hand; `None` without hands."""
        return total / self.hands if self.hands else None


@dataclass(frozen=True, slots=True)
class Tally:
    """What is known of one bot.

    Attributes:
        bot: its name.
        versions: what it called its versions, in order.
        totals: its points in each game and seat, from the least.
        sizes: its hands by their size.
        bias: tricks taken less tricks bid, for each hand; `None` if it has played none.
        times: its decision times.
    """

    bot: str
    versions: tuple[str, ...]
    totals: tuple[int, ...]
    sizes: Mapping[int, Hands]
    bias: Estimate | None
    times: DecisionTimes

    @property
    def hands(self) -> Hands:
        """All of its hands."""
        return sum(self.sizes.values(), Hands())


@dataclass(slots=True)
class _Growing:
    versions: set[str] = field(default_factory=set)
    totals: list[int] = field(default_factory=list)
    #: How often a hand of some size was bid at something and ended with so many tricks.
    triples: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    #: Tricks less bids, and hands, by board.
    bias: dict[Board, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    times: dict[int, int] = field(default_factory=lambda: defaultdict(int))


def boards_of(games: Iterable[GameRecord]) -> dict[Board, list[GameRecord]]:
    """The games by their board; void games have none."""
    boards: dict[Board, list[GameRecord]] = defaultdict(list)
    for game in games:
        if game.status is not Status.VOID:
            boards[game.match, game.board].append(game)
    return dict(boards)


def tally_games(games: Iterable[GameRecord], bots: Sequence[str]) -> dict[str, Tally]:
    """Work out the tally of each of `bots`."""
    growing: dict[str, _Growing] = {bot: _Growing() for bot in bots}
    for game in games:
        for seat, bot in enumerate(game.bots):
            bids, tricks = game.bids[seat], game.tricks[seat]
            one = growing[bot]
            one.versions.add(game.versions[seat])
            one.totals.append(game.totals[seat])
            one.triples.update(zip(game.sizes, bids, tricks, strict=True))
            # Counter.update would look each of millions of classes up twice.
            times = one.times
            for step, count in game.times[seat]:
                times[step] += count
            bias = one.bias[game.match, game.board]
            bias[0] += sum(tricks) - sum(bids)
            bias[1] += len(bids)
    return {bot: _grown(bot, one) for bot, one in growing.items()}


def _grown(bot: str, one: _Growing) -> Tally:
    sizes: dict[int, Hands] = defaultdict(Hands)
    for (size, bid, taken), count in sorted(one.triples.items()):
        became = outcome(bid, taken)
        sizes[size] += Hands(
            hands=count,
            bid=count * bid,
            taken=count * taken,
            set=count * (became is Outcome.SET),
            overtricks=count * (became is Outcome.OVERTRICKS),
            perfect=count * (became is Outcome.PERFECT),
            points=count * points(bid, taken),
        )
    # Sorted, since a set of boards has no order of its own.
    bias = sorted(surplus / hands for surplus, hands in one.bias.values() if hands)
    return Tally(
        bot=bot,
        versions=tuple(sorted(filter(None, one.versions))),
        totals=tuple(sorted(one.totals)),
        sizes=dict(sizes),
        bias=estimate(bias) if bias else None,
        times=DecisionTimes(one.times.items()),
    )
