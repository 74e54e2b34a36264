"""What a comparison of two versions has found, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.arena.compare import compare
from bluke.arena.report.numbers import counted, decimal, span, whole
from bluke.arena.report.values import Strong, say
from bluke.arena.report.words import outside
from bluke.arena.statistics.sequential import Stopping
from bluke.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.arena.record import GameRecord
    from bluke.arena.report.conditions import Compare
    from bluke.arena.report.values import Prose

__all__ = ["comparison_verdict"]


def comparison_verdict(asked: Compare, games: Sequence[GameRecord], per_board: int) -> tuple[Prose, ...]:
    """What is known of the two; nothing if the record does not say what was asked."""
    try:
        stopping = Stopping(worth=asked.worth, error=asked.error, swing=asked.swing)
        found = compare(games, asked.new, asked.old, per_board, stopping)
    except (ConfigError, ValueError):  # it asks for what cannot be, or about who has not played
        return ()
    known = found.judgement
    names = Strong(outside(asked.new)), Strong(outside(asked.old))
    size = f"{decimal(known.mean, sign=True)} points a game"
    if known.low is not None:
        size += f" ({span(known.low, known.high)})"
    if not known.boards:
        return (say(names[0], " and ", names[1], " cannot be compared yet: no board is complete."),)
    return (
        say(
            names[0],
            " compared with ",
            names[1],
            f": {found.sentence}, {size}, after {counted(known.boards, 'board')}.",
        ),
        say(
            f"Asked was for a difference of {decimal(stopping.worth)} points a game, to be wrong at most "
            f"{decimal(100 * stopping.error)}% of the time; the run ends when the answer is known, and this interval "
            f"allows for that. The figures below do not: they take the {whole(found.games + found.beyond)} games as "
            "if so many had been meant.",
            style="note",
        ),
    )
