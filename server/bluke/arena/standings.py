"""Standings: what the games of a run say about its bots, with how sure that is.

The unit is the board, one deal played in all rotations: single games differ by the luck of the
deal far more than by the bots.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING

from bluke.arena.record import DecisionTimes
from bluke.rules import Outcome, outcome
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bluke.arena.record import GameRecord

__all__ = ["Estimate", "Standing", "Standings", "estimate", "make_standings", "student_t"]

#: A match and one of its deals.
Board = tuple[str, int]

#: The 97.5% points of Student's t by degrees of freedom, from 1.
T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and half the width of its 95% interval; `margin` is `None` where the data do not say."""

    mean: float
    margin: float | None

    @property
    def clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.margin is not None and abs(self.mean) > self.margin


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's row.

    Attributes:
        place: 1 is best; equal points share the better place.
        bot: its name.
        points: points a game, over boards.
        ahead: how far it is ahead of the next bot on the boards both played; `None` for the last, and without such.
        games: seats it played.
        boards: boards it played.
        wins: games won or shared.
        bids: bids made.
        set: bids set.
        overtricks: bids made with overtricks.
        perfect: perfect bids.
        faults: faults by kind.
        p50_ms: median decision time; `None` if the referee made every decision.
        p95_ms: the time that 95% of its decisions did not exceed.
    """

    place: int
    bot: str
    points: Estimate
    ahead: Estimate | None
    games: int
    boards: int
    wins: int
    bids: int
    set: int
    overtricks: int
    perfect: int
    faults: dict[str, int]
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class Standings:
    """All rows, best first.

    Attributes:
        rows: one for each bot.
        games: games that count here.
        left_out: finished games that do not, since their board is incomplete.
    """

    rows: tuple[Standing, ...]
    games: int
    left_out: int


def estimate(values: Sequence[float]) -> Estimate:
    """Mean and 95% interval of independent values, by Student's t."""
    if len(values) < 2:
        return Estimate(fmean(values) if values else 0.0, None)
    return Estimate(fmean(values), student_t(len(values) - 1) * stdev(values) / sqrt(len(values)))


def student_t(free: int) -> float:
    """The 97.5% point of Student's t for so many degrees of freedom; beyond the table to within 0.0002."""
    if free <= len(T_975):
        return T_975[free - 1]
    z = NormalDist().inv_cdf(0.975)
    # Abramowitz and Stegun 26.7.5
    return z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)


def make_standings(games: Iterable[GameRecord], bots: Sequence[str], seats: int) -> Standings:
    """Work out the standings of `bots` from the games of complete boards.

    While no board is complete, every game counts and no interval is given.
    """
    counted = [game for game in games if game.status is not Status.VOID]
    by_board: dict[Board, list[GameRecord]] = defaultdict(list)
    for game in counted:
        by_board[game.match, game.board].append(game)
    complete = {board: played for board, played in by_board.items() if len(played) == seats}
    chosen = complete or by_board
    used = [game for played in chosen.values() for game in played]
    means = {bot: _board_means(bot, chosen) for bot in bots}
    points = {bot: _estimate(values.values(), trusted=bool(complete)) for bot, values in means.items()}
    # Rounded, so that sums in another order are no difference; who has not played comes last.
    rank = {bot: (not means[bot], -round(points[bot].mean, 9)) for bot in bots}
    order = sorted(bots, key=lambda bot: (rank[bot], bot))
    ahead = {
        bot: _estimate(
            (means[bot][board] - means[after][board] for board in means[bot].keys() & means[after].keys()),
            trusted=bool(complete),
        )
        for bot, after in pairwise(order)
        if means[bot].keys() & means[after].keys()
    }
    rows = [
        _row(
            bot,
            used,
            place=1 + sum(other < rank[bot] for other in rank.values()),
            points=points[bot],
            ahead=ahead.get(bot),
            boards=len(means[bot]),
        )
        for bot in order
    ]
    return Standings(tuple(rows), len(used), len(counted) - len(used))


def _board_means(bot: str, boards: dict[Board, list[GameRecord]]) -> dict[Board, float]:
    """Points a game of one bot on each board that it played."""
    means = {}
    for board, games in boards.items():
        points = [total for game in games for name, total in zip(game.bots, game.totals, strict=True) if name == bot]
        if points:
            means[board] = fmean(points)
    return means


def _estimate(values: Iterable[float], *, trusted: bool) -> Estimate:
    """The estimate, without its interval where the values are not those of whole boards."""
    # Sorted, since a set of boards has no order of its own.
    found = estimate(sorted(values))
    return found if trusted else Estimate(found.mean, None)


def _row(
    bot: str, games: Sequence[GameRecord], *, place: int, points: Estimate, ahead: Estimate | None, boards: int
) -> Standing:
    outcomes: Counter[Outcome] = Counter()
    faults: Counter[str] = Counter()
    times = DecisionTimes()
    wins = played = 0
    for game in games:
        for seat, name in enumerate(game.bots):
            if name != bot:
                continue
            played += 1
            wins += game.places is not None and game.places[seat] == 1
            outcomes.update(map(outcome, game.bids[seat], game.tricks[seat]))
            faults.update(fault.kind.value for fault in game.faults if fault.seat == seat)
            times.counts.update(dict(game.times[seat]))
    return Standing(
        place=place,
        bot=bot,
        points=points,
        ahead=ahead,
        games=played,
        boards=boards,
        wins=wins,
        bids=outcomes.total(),
        set=outcomes[Outcome.SET],
        overtricks=outcomes[Outcome.OVERTRICKS],
        perfect=outcomes[Outcome.PERFECT],
        faults=dict(sorted(faults.items())),
        p50_ms=times.quantile(0.5),
        p95_ms=times.quantile(0.95),
    )
