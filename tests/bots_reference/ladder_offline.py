"""Measure the reference bots against each other in one process.

    PYTHONPATH=server:clients/python:tests python tests/bots_reference/ladder_offline.py [boards]

Each board is one deal played in all four rotations. Prints the gap between neighbours in points a
game with the half width of its 95% interval over boards, and the time that mc's bids took.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import TYPE_CHECKING

from bots_reference.offline import play_game

from bluke.rules import Rules, game_seed
from bots.mc import MonteCarlo
from bots.one import One
from bots.random import Random
from bots.rule import Rule

if TYPE_CHECKING:
    from bluke_sdk import BidView

BOTS = (Random, One, Rule, MonteCarlo)


class TimedMonteCarlo(MonteCarlo):
    """Counts the processor time of its bids."""

    seconds = 0.0

    def bid(self, view: BidView) -> int:
        began = time.process_time()
        bid = super().bid(view)
        TimedMonteCarlo.seconds += time.process_time() - began
        return bid


def main(boards: int) -> None:
    bots = (*BOTS[:-1], TimedMonteCarlo)
    seats = len(bots)
    points: list[list[float]] = [[] for _ in bots]
    for board in range(boards):
        totals = [0] * seats
        for turn in range(seats):
            at_table = [bots[(seat + turn) % seats]() for seat in range(seats)]
            result = play_game(Rules(), game_seed(b"ladder", board), at_table, f"{board}-{turn}")
            for seat, total in enumerate(result.totals):
                totals[(seat + turn) % seats] += total
        for bot, total in zip(points, totals, strict=True):
            bot.append(total / seats)
    for weaker, stronger, name, other in zip(points, points[1:], BOTS[1:], BOTS, strict=False):
        gaps = [b - a for a, b in zip(weaker, stronger, strict=True)]
        margin = 1.96 * statistics.stdev(gaps) / len(gaps) ** 0.5
        print(f"{name.name:>4} - {other.name:<6} {statistics.mean(gaps):+8.1f} ± {margin:.1f}")
    print(f"mc's bids took {TimedMonteCarlo.seconds / boards / seats:.3f} s a game")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
