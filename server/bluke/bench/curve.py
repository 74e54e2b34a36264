"""How speed goes with tables and with seats, up to the first decision that times out though its bot answers at once."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from bluke.bench.runs import host, measure, need_files, warm_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bluke.bench.runs import Figures

__all__ = ["CLOCK_MS", "SEATS", "TABLES", "Point", "end_of", "measure_curve"]

#: The clock of a decision, without a bank.
CLOCK_MS = 250
TABLES = (1, 8, 64, 256, 1000, 4000)
SEATS = (2, 3, 4, 6, 8, 10, 15)
#: What the other one is while one of them changes.
AT_TABLES, AT_SEATS = 64, 4


@dataclass(frozen=True, slots=True)
class Point:
    """One place of a curve, medians over its repeats.

    Attributes:
        tables: games at once.
        seats: seats at each of them, a bot on a stream for each.
        rate: decisions a second.
        p50: half of the waits from an answer to the next turn of its game are shorter, in milliseconds.
        p99: 99 in 100 are.
        server_us: the referee's CPU time for a decision, in microseconds.
        batch: turns in a message.
        timeouts: decisions that timed out, in all repeats.
        excused: decisions that took longer and were excused, since the referee itself was late.
    """

    tables: int
    seats: int
    rate: float
    p50: float
    p99: float
    server_us: float
    batch: float
    timeouts: int
    excused: int


def measure_curve(seconds: float, repeats: int, tell: Callable[[str], None]) -> list[Point]:
    """All points with tables and then all with seats; each of the two ends after its first point with a timeout.

    Raises:
        ArenaError: a measurement failed.
    """
    # A file for the replay of each game, and what a process has open besides.
    need_files(max(TABLES) + 256)
    by_tables = [(tables, AT_SEATS) for tables in TABLES]
    by_seats = [(AT_TABLES, seats) for seats in SEATS]
    return [point for places in (by_tables, by_seats) for point in end_of(_points(places, seconds, repeats, tell))]


def end_of(points: Iterator[Point]) -> Iterator[Point]:
    """The points up to the first with a timeout."""
    for point in points:
        yield point
        if point.timeouts:
            return


def _points(
    places: Sequence[tuple[int, int]], seconds: float, repeats: int, tell: Callable[[str], None]
) -> Iterator[Point]:
    for tables, seats in places:
        tell(f"{tables} tables of {seats} seats")
        measured: list[Figures] = []
        timeouts = excused = 0
        for _ in range(repeats):
            with host(seats, tables, str(CLOCK_MS)) as server:
                measured += measure([server], warm=warm_up(tables), seconds=seconds)
                wrong = server[0].ask("count")
            timeouts += wrong["timeouts"]
            excused += wrong["excused"]
        yield Point(
            tables=tables,
            seats=seats,
            rate=median(figures.rate for figures in measured),
            p50=median(figures.p50 for figures in measured),
            p99=median(figures.p99 for figures in measured),
            server_us=median(figures.server_us for figures in measured),
            batch=median(figures.batch for figures in measured),
            timeouts=timeouts,
            excused=excused,
        )
