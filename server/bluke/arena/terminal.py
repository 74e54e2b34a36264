"""What a run looks like in a terminal: the plan, the progress, the standings, and what failed."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from bluke.replay.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bluke.arena.record import GameRecord
    from bluke.arena.run import Plan, RunResult
    from bluke.arena.standings import Estimate, Standing, Standings

__all__ = ["TerminalProgress", "console", "print_result", "standings_table"]

#: Where the output is no terminal there is no width to be asked for: wide enough for every column.
PLAIN_WIDTH = 140
PLAIN_EVERY_SECONDS = 10.0
#: More games with faults than this are counted, not listed.
MOST_LISTED = 8


def console() -> Console:
    """The console on stdout."""
    plain = Console(highlight=False, soft_wrap=True)
    return plain if plain.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


class TerminalProgress:
    """Shows a run as it goes: a bar in a terminal, a line now and then elsewhere."""

    def __init__(self, out: Console) -> None:
        """Show it on `out`."""
        self._out = out
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._games = self._done = self._faults = 0
        self._began = self._said = time.monotonic()

    def planned(self, plan: Plan) -> None:
        """Say first how many games there will be."""
        config = plan.config
        self._games = len(plan.fixtures)
        boards = len({fixture.board for fixture in plan.fixtures})
        names = ", ".join(visible(name) for name in plan.bots)
        seed = "chosen at random, told at the end" if config.seed_bytes is None else "as given"
        self._out.print(
            f"{self._games} games: {boards} boards, each one deal played in {config.seats} rotations of the seats",
            markup=False,
        )
        self._out.print(f"bots: {names}; seed {seed}; {min(config.jobs, self._games)} games at once", markup=False)
        self._out.print(f"run folder: {plan.folder.path}", markup=False)
        self._out.print("starting the bots ...", markup=False)

    def started(self) -> None:
        """The games begin."""
        self._began = self._said = time.monotonic()
        if self._out.is_terminal:
            self._bar = Progress(
                TextColumn("playing"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[faults]}"),
                console=self._out,
                transient=True,
            )
            self._task = self._bar.add_task("", total=self._games, rate="", faults="")
            self._bar.start()

    def game(self, record: GameRecord) -> None:
        """Count a game."""
        self._done += 1
        self._faults += len(record.faults)
        now = time.monotonic()
        rate = self._done / max(now - self._began, 1e-9)
        faults = f"{self._faults} faults" if self._faults else ""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done, rate=f"{rate:.1f} games/s", faults=faults)
        elif now - self._said >= PLAIN_EVERY_SECONDS:
            self._said = now
            left = (self._games - self._done) / rate
            self._out.print(f"{self._done} of {self._games} games, {rate:.1f} a second, about {left:.0f} s left {faults}")

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def print_result(out: Console, result: RunResult) -> None:
    """Print the standings of a run, what failed in it, and where everything is."""
    folder = result.plan.folder
    out.print()
    if not result.complete:
        out.print(
            f"stopped after {len(result.games)} of {len(result.plan.fixtures)} games; standings so far:", markup=False
        )
    if result.games:
        out.print(standings_table(result.standings))
        for note in standings_notes(result.standings):
            out.print(note, markup=False)
    else:
        out.print("no game was finished", markup=False)
    _print_faults(out, result)
    out.print()
    out.print(f"replays    {folder.replays}", markup=False)
    out.print(f"standings  {folder.standings}", markup=False)
    out.print(f"bot logs   {folder.logs}", markup=False)
    if result.games:
        first = folder.path / result.games[0].replay
        out.print(f"look at a game         bluke replay show {_quoted(first)}", markup=False)
        out.print(f"check every replay     bluke replay verify {_quoted(folder.replays)}", markup=False)
    out.print(f"play these deals again bluke arena {_quoted(folder.config)}", markup=False)


def standings_table(standings: Standings) -> Table:
    """The standings as a table."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("#", justify="right")
    table.add_column("bot", overflow="fold")
    for name in ("points/game", "ahead of next", "games", "wins", "bids made", "S/O/P %", "faults", "p50 ms", "p95 ms"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in standings.rows:
        table.add_row(
            str(row.place),
            Text(visible(row.bot)),
            _interval(row.points),
            "" if row.ahead is None else _interval(row.ahead, sign=True),
            str(row.games),
            _share(row.wins, row.games),
            _share(row.bids - row.set, row.bids),
            _outcomes(row),
            Text(_faults(row), style="red" if row.faults else ""),
            _ms(row.p50_ms),
            _ms(row.p95_ms),
        )
    return table


def standings_notes(standings: Standings) -> Iterable[str]:
    """What a reader of the table should know."""
    rows = standings.rows
    if any(row.points.margin is None for row in rows):
        yield "Not enough data for intervals: they need two complete boards."
    else:
        yield (
            "± is the 95% interval over boards; S set, O made with overtricks, P perfect. "
            "Wins count shared first places."
        )
    close = [
        (row.bot, after.bot)
        for row, after in zip(rows, rows[1:], strict=False)
        if row.ahead is not None and row.ahead.margin is not None and not row.ahead.clear
    ]
    for better, worse in close:
        yield (
            f"{visible(better)} and {visible(worse)} are not told apart: "
            "the interval of their difference includes zero. Play more boards."
        )
    if standings.left_out:
        yield f"{standings.left_out} games are left out: not every rotation of their boards was played."


def _print_faults(out: Console, result: RunResult) -> None:
    failed = [game for game in result.games if game.faults]
    if not failed:
        return
    out.print()
    out.print(f"{len(failed)} games with faults", style="bold red", markup=False)
    for game in failed[:MOST_LISTED]:
        fault = game.faults[0]
        more = f" (and {len(game.faults) - 1} more)" if len(game.faults) > 1 else ""
        out.print(
            f"  {game.game}: seat {fault.seat} ({visible(game.bots[fault.seat])}), hand {fault.hand}: "
            f"{fault.kind.value}: {visible(fault.detail)}{more}",
            markup=False,
        )
        out.print(f"    show it     bluke replay show {_quoted(result.plan.folder.path / game.replay)}", markup=False)
        again = f"bluke arena {_quoted(result.plan.folder.config)} --board {game.board}"
        out.print(f"    play again  {again}", markup=False)
    if len(failed) > MOST_LISTED:
        out.print(f"  ... and {len(failed) - MOST_LISTED} more: all of them are in {result.plan.folder.record}", markup=False)


def _interval(estimate: Estimate, *, sign: bool = False) -> str:
    mean = f"{estimate.mean:+.1f}" if sign else f"{estimate.mean:.1f}"
    return mean if estimate.margin is None else f"{mean} ±{estimate.margin:.1f}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "-"


def _outcomes(row: Standing) -> str:
    if not row.bids:
        return "-"
    return "/".join(f"{100 * count / row.bids:.0f}" for count in (row.set, row.overtricks, row.perfect))


def _faults(row: Standing) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in row.faults.items()) or "0"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
