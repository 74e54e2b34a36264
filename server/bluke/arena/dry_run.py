"""`bluke arena --dry-run`: what a run would be, told in a terminal."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from bluke.arena.forecast import (
    DECISION_SECONDS,
    clock_seconds,
    decisions,
    expected_seconds,
    find_pace,
    tally,
)
from bluke.arena.form import plan_lines
from bluke.arena.machine import this_machine
from bluke.replay.text import counted, fit, visible, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from bluke.arena.forecast import Decisions
    from bluke.arena.run import Plan

__all__ = ["duration", "print_dry_run"]

#: How long bots think in the second estimate, in milliseconds.
THINKING_MS = 10
#: Of more bots than this a square of pairs would be read by nobody: it is told in three numbers.
LARGEST_SQUARE = 12
LONGEST_NAME = 24
#: Units of time as they are said, with their seconds.
UNITS = (("year", 31_536_000), ("day", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
#: From so many of a unit on, a smaller one says nothing more.
FEW = 10


def print_dry_run(out: Console, plan: Plan) -> None:
    """Print what a run would be; nothing is started, and nothing is written.

    Raises:
        ConfigError: a file of a bot cannot be read.
    """
    for line in plan_lines(plan):
        _print(out, line)
    if plan.config.seed_bytes is None:
        _print(out, "seed: none is given, and each run draws its own; what follows is one of many schedules")
    names = [fit(visible(name), LONGEST_NAME) for name in plan.bots]
    counts = tally(len(names), plan.config.seats, plan.fixtures)
    heads = ["boards", "games", *(f"seat {seat}" if seat == 0 else str(seat) for seat in range(plan.config.seats))]
    rows = [[*row[:2], *row[2]] for row in zip(counts.boards, counts.games, counts.seats, strict=True)]
    out.print()
    _print_table(out, names, heads, rows)
    out.print()
    _print_square(out, names, "how often two bots meet in a game", counts.met)
    out.print()
    beside = "how often {} sits to the left of {}"
    _print_square(out, names, beside.format(*BY_NUMBER if len(names) <= LARGEST_SQUARE else ANY_TWO), counts.left)
    out.print()
    for line in _times(plan):
        _print(out, line)


BY_NUMBER = ("the bot of the column", "the bot of the row")
ANY_TWO = ("one bot", "another")


def _print_square(out: Console, names: Sequence[str], what: str, square: Sequence[Sequence[int]]) -> None:
    if len(names) <= LARGEST_SQUARE:
        _print(out, f"{what}:")
        _print_table(out, names, [str(number + 1) for number in range(len(names))], square)
        return
    pairs = [count for row, counts in enumerate(square) for column, count in enumerate(counts) if row != column]
    _print(out, f"{what}: {min(pairs)} to {max(pairs)} times, {fmean(pairs):.1f} on average")


def _print_table(out: Console, names: Sequence[str], heads: Sequence[str], rows: Sequence[Sequence[int]]) -> None:
    cells = [[str(count) if count else "-" for count in row] for row in rows]
    sizes = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    place, widest = len(str(len(names))), max(map(width, ("bot", *names)))
    numbers = ["#", *map(str, range(1, len(names) + 1))]
    for number, name, row in zip(numbers, ["bot", *names], [heads, *cells], strict=True):
        numbered = f"{number:>{place}}  {name}{' ' * (widest - width(name))}"
        out.print("  ".join([numbered, *(cell.rjust(size) for cell, size in zip(row, sizes, strict=True))]))


def _times(plan: Plan) -> Iterator[str]:
    config, games = plan.config, len(plan.fixtures)
    each = decisions(config.game_rules)
    yield f"decisions: {_kinds(each)}; {games * each.total} in all"
    at_once = min(config.tables, games)
    pace = find_pace(config, plan.folder.path.parent)
    if pace is None:
        cores = this_machine().cores
        quick, slow = (
            duration(expected_seconds(each.total, games, at_once, cores, DECISION_SECONDS + thinking / 1000))
            for thinking in (0, THINKING_MS)
        )
        yield f"time: about {quick} if the bots answer at once, about {slow} if each decision takes {THINKING_MS} ms"
        yield (
            f"at once means {1 / DECISION_SECONDS:.0f} decisions a second and core, which simple bots in Python were "
            f"measured to make; here are {counted(cores, 'core')}, and {counted(at_once, 'game')} at once"
        )
    else:
        about = duration(pace.expected_seconds(games, config.tables))
        took = f"{pace.seconds:.3g} s a game, {pace.at_once} at once"
        yield f"time: about {about}: in {visible(str(pace.run))} the same bots took {took}"
    longest = clock_seconds(each.total, games, at_once, config.seats, config.game_limits)
    yield f"by the clock it takes at most {duration(longest)}"


def _kinds(each: Decisions) -> str:
    kinds = ((each.cuts, "cut"), (each.bids, "bid"), (each.plays, "card"))
    return f"{each.total} a game ({', '.join(counted(count, what) for count, what in kinds if count)})"


def duration(seconds: float) -> str:
    """A time in one or two units, to the precision that an estimate deserves."""
    for (name, unit), (small, part) in pairwise(UNITS):
        if seconds >= unit - part / 2:
            whole, rest = divmod(round(seconds / part), unit // part)
            if whole >= FEW:
                return _units(round(seconds / unit), name)
            return _units(whole, name) + (f" {_units(rest, small)}" if rest else "")
    return f"{max(1, round(seconds))} s"


def _units(number: int, name: str) -> str:
    return counted(number, name) if name in {"day", "year"} else f"{number} {name}"


def _print(out: Console, text: str) -> None:
    """Print a sentence, broken between words where there is a terminal that would break it anywhere."""
    out.print(text, soft_wrap=not out.is_terminal)
