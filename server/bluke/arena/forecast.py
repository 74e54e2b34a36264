"""What a run would be, worked out without playing: who meets whom how often, and how long it may take."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from math import ceil
from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from bluke.arena.folder import RunFolder
from bluke.arena.identity import bot_records
from bluke.arena.record import GameRecord, Record, RunRecord
from bluke.rules import CutRule
from bluke.rules.cards import PACK_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bluke.arena.config import ArenaConfig
    from bluke.arena.schedule import Fixture
    from bluke.rules import Rules
    from bluke.wire.values import GameLimits

__all__ = [
    "DECISION_SECONDS",
    "Decisions",
    "Pace",
    "Tally",
    "clock_seconds",
    "decisions",
    "expected_seconds",
    "find_pace",
    "tally",
]

#: What a decision costs of one core, in seconds, where bots answer at once: referee, messages and the Python SDK.
#: Measured: 0.34 to 0.56 ms at tables of 2 to 10, with 1 to 16 games at once on two cores.
DECISION_SECONDS = 0.0005
#: Runs that are looked at for the pace of these bots, the newest first, and the games that are read of one.
MOST_RUNS = 5
MOST_GAMES = 2_000
#: A longer line is not read: it is no game's.
LONGEST_LINE = 1 << 20
#: No game takes longer, in seconds.
LONGEST_GAME = 1e9

RECORD = msgspec.json.Decoder(Record)


# What is to be decided


@dataclass(frozen=True, slots=True)
class Decisions:
    """What all bots together decide in one game."""

    cuts: int
    bids: int
    plays: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.cuts + self.bids + self.plays


def decisions(rules: Rules) -> Decisions:
    """How many decisions a game has; it depends on nothing but its rules (RULES 4.4, 4.5, 5.1, 6.1)."""
    dealt = [rules.seats * size for size in rules.schedule]
    cuts = sum(cards < PACK_SIZE for cards in dealt) if rules.cut is CutRule.PLAYER else 0
    return Decisions(cuts, rules.seats * len(dealt), sum(dealt))


# Who meets whom


@dataclass(frozen=True, slots=True)
class Tally:
    """How often things happen in a schedule; bots are places in the roster.

    Attributes:
        boards: boards of each bot.
        games: games of each bot; one counts once, however many seats it has there.
        seats: for each bot, the games in each seat.
        met: for each bot, the games in which it meets each other; 0 for itself.
        left: for each bot, how often each bot, itself too, sits in the seat to its left, which acts after it.
    """

    boards: tuple[int, ...]
    games: tuple[int, ...]
    seats: tuple[tuple[int, ...], ...]
    met: tuple[tuple[int, ...], ...]
    left: tuple[tuple[int, ...], ...]


def tally(bots: int, seats: int, fixtures: Iterable[Fixture]) -> Tally:
    """Count what is in a schedule."""
    boards = [set[int]() for _ in range(bots)]
    lineups: Counter[tuple[int, ...]] = Counter()
    for fixture in fixtures:
        lineups[fixture.lineup] += 1
        for bot in fixture.lineup:
            boards[bot].add(fixture.board)
    games: Counter[int] = Counter()
    sat: Counter[tuple[int, int]] = Counter()
    met: Counter[tuple[int, int]] = Counter()
    left: Counter[tuple[int, int]] = Counter()
    for lineup, count in lineups.items():
        for seat, bot in enumerate(lineup):
            sat[bot, seat] += count
            left[bot, lineup[(seat + 1) % seats]] += count
        for bot in set(lineup):
            games[bot] += count
            for other in set(lineup) - {bot}:
                met[bot, other] += count
    everybody = range(bots)
    return Tally(
        boards=tuple(map(len, boards)),
        games=tuple(games[bot] for bot in everybody),
        seats=tuple(tuple(sat[bot, seat] for seat in range(seats)) for bot in everybody),
        met=tuple(tuple(met[bot, other] for other in everybody) for bot in everybody),
        left=tuple(tuple(left[bot, other] for other in everybody) for bot in everybody),
    )


# How long it takes


def expected_seconds(decided: int, games: int, tables: int, cores: int, seconds: float) -> float:
    """How long so many games take where every decision takes a core so many seconds.

    Args:
        decided: decisions of a game; they are made one after the other.
        games: how many games.
        tables: games played at once; as far as there are cores they do not wait for each other.
        cores: cores of the machine.
        seconds: what one decision takes.
    """
    return ceil(games / max(1, min(tables, cores))) * decided * seconds


def clock_seconds(decided: int, games: int, tables: int, seats: int, limits: GameLimits) -> float:
    """How long so many games take where everybody uses up the clock: nobody can make it longer by thinking."""
    game_ms = decided * limits.wall_ms
    if limits.decision_ms is not None:
        game_ms = min(game_ms, decided * limits.decision_ms + seats * limits.bank_ms)
    return ceil(games / tables) * game_ms / 1000


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast the same bots played the same rules before.

    Attributes:
        run: the run folder.
        seconds: the mean duration of a game.
        at_once: how many games were played at once.
    """

    run: Path
    seconds: float
    at_once: int

    def expected_seconds(self, games: int, tables: int) -> float:
        """How long so many games take; more at once than then are not assumed to be faster."""
        return games * self.seconds / min(games, tables, self.at_once)


def find_pace(config: ArenaConfig, runs: Path) -> Pace | None:
    """Look for the pace of these bots in the newest folders of `runs`; whatever is no record there is passed over.

    Raises:
        ConfigError: a file of a bot cannot be read.
    """
    rules = msgspec.to_builtins(config.rules)
    digests: list[str] = []
    for folder in _newest(runs):
        lines = _lines(folder.record)
        run = next(lines, None)
        if not isinstance(run, RunRecord) or run.config is None:
            continue
        if run.seats != config.seats or run.config.get("rules") != rules:
            continue
        # They are worked out from the bots' files, so not before they are needed.
        digests = digests or sorted(bot.digest for bot in bot_records(config.bots))
        if sorted(bot.digest for bot in run.bots) != digests:
            continue
        seconds = [line.seconds for line in islice(lines, MOST_GAMES) if isinstance(line, GameRecord)]
        mean = fmean(seconds) if seconds else 0.0
        tables = run.config.get("tables")
        if 0 < mean < LONGEST_GAME and isinstance(tables, int) and tables > 0 and run.games > 0:
            return Pace(folder.path, mean, min(tables, run.games))
    return None


def _newest(runs: Path) -> list[RunFolder]:
    """The run folders in a folder, as many as are looked at."""
    found = []
    with suppress(OSError):
        for path in runs.iterdir():
            folder = RunFolder(path)
            with suppress(OSError):
                if folder.record.is_file():
                    found.append((folder.record.stat().st_mtime_ns, path))
    return [RunFolder(path) for _, path in sorted(found, reverse=True)[:MOST_RUNS]]


def _lines(record: Path) -> Iterator[Record]:
    """The lines of a record up to the first that cannot be read."""
    with suppress(OSError, msgspec.MsgspecError, RecursionError, UnicodeDecodeError), record.open("rb") as file:
        while line := file.readline(LONGEST_LINE):
            yield RECORD.decode(line)
