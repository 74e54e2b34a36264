"""What a run looks like in a terminal: the plan, the progress, the standings, and what failed."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from bluke.arena.compare import answer_lines, interval_text
from bluke.arena.form import plan_lines
from bluke.replay.text import counted, fit, listed, visible, width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bluke.arena.record import GameRecord
    from bluke.arena.run import Plan, RunResult
    from bluke.arena.standings import Estimate, Estimates, Standing, Standings
    from bluke.arena.statistics.sequential import Judgement

__all__ = [
    "TerminalProgress",
    "TextConsole",
    "bluke_command",
    "console",
    "print_result",
    "print_resume",
    "print_standings",
]

PLAIN_EVERY_SECONDS = 10.0
#: More games with faults than this are counted, not listed.
MOST_LISTED = 3
#: More bots than this in one sentence are counted, not named.
MOST_NAMED = 6
#: A name of more columns is cut before the table is given a narrower form, and any name before it is given none.
LONG_NAME = 24
SHORTEST_NAME = 8
#: What is not known, in a cell.
NOTHING = "-"


class TextConsole(Console):
    """A console on which everything printed is text, never markup. Options are those of rich."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - rich's
        """Print on stdout unless the options say otherwise."""
        super().__init__(highlight=False, markup=False, emoji=False, soft_wrap=True, **options)

    def on_broken_pipe(self) -> None:
        """Print no more: rich would end the process, and with it a run that is recorded all the same."""
        self.quiet = True
        if self.file is sys.stdout:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console() -> Console:
    """The console on stdout."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name may hold what the terminal's encoding has no form for.
        sys.stdout.reconfigure(errors="backslashreplace")
    return TextConsole()


class TerminalProgress:
    """Shows a run as it goes: a bar in a terminal, a line now and then elsewhere."""

    def __init__(self, out: Console) -> None:
        """Show it on `out`."""
        self._out = out
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._games = self._before = self._done = self._faults = 0
        self._known = ""
        self._began = self._said = time.monotonic()

    def planned(self, plan: Plan) -> None:
        """Say first how many games there will be."""
        config = plan.config
        self._games = len(plan.fixtures)
        left = len(plan.left)
        seed = "chosen at random, told at the end" if config.seed_bytes is None else "as given"
        for line in plan_lines(plan):
            self._say(line)
        if plan.resumed:
            self._done = self._before = len(plan.done)
            self._faults = sum(len(game.faults) for game in plan.done)
            self._say(f"taken up again: {counted(self._done, 'game')} recorded, {left} left to play")
        self._say(f"bots: {', '.join(visible(name) for name in plan.bots)}")
        at_once = f"; up to {min(config.tables, left)} games at once" if left else ""
        jobs = f", in {config.jobs} processes" if left and config.jobs > 1 else ""
        self._say(f"seed: {seed}{at_once}{jobs}")
        self._say(f"run folder: {visible(str(plan.folder.path))}")
        if left:
            self._say("starting the bots ...")

    def started(self) -> None:
        """The games begin."""
        self._began = self._said = time.monotonic()
        if self._out.is_terminal:
            self._bar = Progress(
                TextColumn("playing"),
                BarColumn(24),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}", markup=False),
                TimeRemainingColumn(compact=True),
                TextColumn("{task.fields[faults]}", style="red", markup=False),
                console=self._out,
                transient=True,
            )
            self._task = self._bar.add_task("", total=self._games, completed=self._done, rate="", faults="")
            self._bar.start()

    def game(self, record: GameRecord) -> None:
        """Count a game."""
        self._done += 1
        self._faults += len(record.faults)
        now = time.monotonic()
        rate = (self._done - self._before) / max(now - self._began, 1e-9)
        faults = counted(self._faults, "fault") if self._faults else ""
        if self._bar is not None and self._task is not None:
            told = f"{rate:.1f} games/s{'  ' if self._known else ''}{self._known}"
            self._bar.update(self._task, completed=self._done, rate=told, faults=faults)
        elif now - self._said >= PLAIN_EVERY_SECONDS:
            self._said = now
            # A comparison ends when it knows the answer, which nobody can tell beforehand.
            left = self._known or f"about {(self._games - self._done) / rate:.0f} s left"
            more = f", {faults}" if faults else ""
            self._say(f"{self._done} of {self._games} games, {rate:.1f} a second, {left}{more}")

    def compared(self, judgement: Judgement) -> None:
        """Show what a comparison knows by now."""
        self._known = f"{judgement.boards} boards: {interval_text(judgement)}"

    def stopping(self) -> None:
        """Say that Ctrl-C was heard."""
        self._say("stopping: what is being played is given up; Ctrl-C again stops at once")

    def draining(self) -> None:
        """Say that no more games begin."""
        self._say("draining: no more games begin; Ctrl-C gives up what is being played")

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            with suppress(OSError):
                self._bar.stop()
            self._bar = None

    def _say(self, text: str) -> None:
        # Whoever was told may have gone, or their disk be full: the run goes on and is recorded.
        with suppress(OSError):
            self._out.print(text)


def print_result(out: Console, result: RunResult) -> None:
    """Print the standings of a run, where everything is, and what failed in it."""
    plan = result.plan
    folder = plan.folder
    over = result.complete and result.trouble is None
    out.print()
    if not over:
        how = "stopped" if result.trouble is None else "failed"
        out.print(f"{how} after {len(result.games)} of {len(plan.fixtures)} games; standings so far:")
    if not result.games:
        out.print("no game was finished")
        print_resume(out, plan)
        return
    if result.comparison is not None:
        for line in answer_lines(result.comparison):
            _print_wrapped(out, line)
        out.print()
    print_standings(out, result.standings)
    again = None
    if over or plan.config.seed_bytes is not None:
        again = f"{bluke_command()} arena {_quoted(folder.config)}"
    out.print()
    if not over:
        print_resume(out, plan)
    out.print(f"standings         {visible(str(folder.standings))}")
    if result.comparison is not None:
        out.print(f"comparison        {visible(str(folder.comparison))}")
    out.print(f"results           {visible(str(folder.record))}")
    out.print(f"bots' logs        {visible(str(folder.logs))}")
    out.print(f"see a game        {bluke_command()} replay show {_quoted(folder.path / result.games[0].replay)}")
    out.print(f"check every game  {bluke_command()} replay verify {_quoted(folder.replays)}")
    if again is not None:
        out.print(f"same deals again  {again}{'' if plan.board is None else f' --board {plan.board}'}")
    _print_faults(out, result, again)
    if result.report is not None:
        out.print()
        out.print(f"report            {visible(str(result.report))}")


def print_resume(out: Console, plan: Plan) -> None:
    """Print the command that plays what is left of a run."""
    out.print(f"play the rest     {bluke_command()} arena --resume {_quoted(plan.folder.path)}")


def print_standings(out: Console, standings: Standings) -> None:
    """Print the table, as much of it as the terminal is wide, and what its reader should know."""
    for line in _table(standings.rows, out.width if out.is_terminal else None):
        out.print(line)
    for note in _notes(standings):
        _print_wrapped(out, note)


def _table(rows: tuple[Standing, ...], columns: int | None) -> Iterator[Text]:
    """The lines of the table: the fullest form that fits, and then with shorter names."""
    names = [visible(row.bot) for row in rows]
    widest = max(map(width, ("bot", *names)))
    for headers, form in FORMS:
        cells = [[cell(row) for row in rows] for cell in form]
        widths = [max(map(width, (header, *column))) for header, column in zip(headers, cells, strict=True)]
        taken = len(str(len(rows))) + sum(widths) + 2 * (len(widths) + 1)
        if columns is None or taken + min(widest, LONG_NAME) <= columns:
            break
    if columns is not None and taken + widest > columns:
        widest = max(SHORTEST_NAME, columns - taken)
        names = [fit(name, widest) for name in names]
    place = len(str(len(rows)))
    head = [f"{'#':>{place}}", _left("bot", widest), *map(_right, headers, widths)]
    yield Text("  ".join(head), style="bold")
    for number, row in enumerate(rows):
        line = Text(f"{row.place:>{place}}  {_left(names[number], widest)}")
        for header, column, size in zip(headers, cells, widths, strict=True):
            line.append("  ")
            line.append(_right(column[number], size), style="red" if header == "faults" and row.faults else "")
        yield line


def _left(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _right(text: str, columns: int) -> str:
    return " " * (columns - width(text)) + text


def _notes(standings: Standings) -> Iterator[str]:
    """What a reader of the table should know."""
    played = [row for row in standings.rows if row.games]
    if played:
        known = any(row.points.margin is not None for row in played)
        yield f"{'± is the 95% interval over boards. ' if known else ''}S set, O made with overtricks, P perfect."
    unsure = [visible(row.bot) for row in played if row.points.margin is None]
    if unsure:
        who = "anybody" if len(unsure) == len(played) else listed(unsure, MOST_NAMED)
        yield f"No interval for {who}: not enough data, which takes two complete boards that differ."
    unrated = [
        visible(row.bot)
        for row in played
        if row.points.margin is not None
        and row.bot != standings.anchor
        and (row.rating is None or row.rating.margin is None)
    ]
    if unrated:
        takes = "wins and losses on five boards"
        yield f"No interval for the rating of {listed(unrated, MOST_NAMED)}: not enough data, which takes {takes}."
    if sum(row.wins for row in played) > standings.games:
        yield "A shared first place is a win for each who shares it."
    if any(row.games > standings.games for row in played):
        yield "A bot that had several seats in a game counts once for each."
    close = [
        f"{visible(row.bot)} and {visible(after.bot)}"
        for row, after in pairwise(played)
        if row.ahead is not None and row.ahead.margin is not None and not row.ahead.clear
    ]
    if close:
        yield f"Not told apart, since the interval of their difference has zero in it: {'; '.join(close)}."
    unlinked = [
        f"{visible(row.bot)} and {visible(after.bot)}"
        for row, after in pairwise(played)
        if row.ahead is None and row.points.margin is not None and after.points.margin is not None
    ]
    if unlinked:
        yield f"Not compared, since not enough boards link them: {'; '.join(unlinked)}."
    if standings.unforfeited is not None:
        yield _forfeits(standings, standings.unforfeited)
    if standings.left_out:
        yield f"Left out: {counted(standings.left_out, 'game')} of boards that are not complete."


def _forfeits(standings: Standings, unforfeited: Estimates) -> str:
    """How many boards are forfeited, and whose points would be others without them."""
    others = {score.bot: _interval(score.points) for score in unforfeited.scores}
    points = {row.bot: _interval(row.points) for row in standings.rows if row.games}
    changed = [
        f"{visible(bot)} {others.get(bot, NOTHING)}" for bot, value in points.items() if others.get(bot) != value
    ]
    what = ", ".join(changed) if changed else "the same points"
    count = f"{standings.forfeited} of {counted(standings.boards, 'board')}"
    return f"Forfeited: {count}, with a seat played out by the referee or a game given up. Without them: {what}."


def _print_faults(out: Console, result: RunResult, again: str | None) -> None:
    """List games with faults; `again` plays the same deals, `None` as long as the seed is a secret."""
    failed = [game for game in result.games if game.faults]
    if not failed:
        return
    folder = result.plan.folder
    out.print()
    whose = "; ".join(f"{visible(row.bot)} {_faults(row)}" for row in result.standings.rows if row.faults)
    _print_wrapped(out, f"{counted(len(failed), 'game')} with faults: {whose}", style="bold red")
    for game in failed[:MOST_LISTED]:
        fault = game.faults[0]
        more = f" (and {len(game.faults) - 1} more)" if len(game.faults) > 1 else ""
        who = f"seat {fault.seat} ({visible(game.bots[fault.seat])})"
        what = f"{fault.kind.value}: {visible(_ends_of(fault.detail))}{more}"
        _print_wrapped(out, f"  {game.game}: {who}, hand {fault.hand}: {what}")
        out.print(f"    show it     {bluke_command()} replay show {_quoted(folder.path / game.replay)}")
        if again is not None:
            out.print(f"    play again  {again} --board {game.board}")
    if len(failed) > MOST_LISTED:
        out.print(f"  ... and {len(failed) - MOST_LISTED} more: all of them are in {visible(str(folder.record))}")


def _ends_of(detail: str) -> str:
    """What happened, in one line: of a traceback what was being done, and the error, which stands at its end."""
    lines = [line.strip() for line in detail.splitlines() if line.strip()]
    return detail if len(lines) < 2 else f"{lines[0]} ... {lines[-1]}"


def _print_wrapped(out: Console, text: str, style: str = "") -> None:
    """Print a sentence, broken between words where there is a terminal that would break it anywhere."""
    out.print(text, style=style, soft_wrap=not out.is_terminal)


def _points(row: Standing) -> str:
    return _interval(row.points) if row.games else NOTHING


def _ahead(row: Standing) -> str:
    return NOTHING if row.ahead is None else _interval(row.ahead, sign=True)


def _places(row: Standing) -> str:
    if row.places is None:
        return NOTHING
    best, worst = row.places
    return str(best) if best == worst else f"{best}-{worst}"


def _rating(row: Standing) -> str:
    return NOTHING if row.rating is None else _interval(row.rating, digits=0)


def _games(row: Standing) -> str:
    return str(row.games)


def _wins(row: Standing) -> str:
    return _share(row.wins, row.games)


def _made(row: Standing) -> str:
    return _share(row.bids - row.set, row.bids)


def _outcomes(row: Standing) -> str:
    if not row.bids:
        return "-"
    return "/".join(f"{100 * count / row.bids:.0f}" for count in (row.set, row.overtricks, row.perfect))


def _faults(row: Standing) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in row.faults.items()) or "0"


def _fault_count(row: Standing) -> str:
    return str(sum(row.faults.values()))


def _p50(row: Standing) -> str:
    return _ms(row.p50_ms)


def _p95(row: Standing) -> str:
    return _ms(row.p95_ms)


Cell: TypeAlias = "Callable[[Standing], str]"
#: The columns after the name with their long and short heads.
COLUMNS: dict[Cell, tuple[str, str]] = {
    _points: ("points/game", "pts/game"),
    _ahead: ("ahead of next", "ahead"),
    _places: ("places", "places"),
    _rating: ("rating", "rating"),
    _games: ("games", "games"),
    _wins: ("wins", "wins"),
    _made: ("bids made", "made"),
    _outcomes: ("S/O/P %", "S/O/P %"),
    _faults: ("faults", "faults"),
    _fault_count: ("faults", "faults"),
    _p50: ("p50 ms", "p50ms"),
    _p95: ("p95 ms", "p95ms"),
}


def _form(*without: Cell, short: bool) -> tuple[list[str], list[Cell]]:
    cells = [cell for cell in COLUMNS if cell not in without]
    return [COLUMNS[cell][short] for cell in cells], cells


#: From the fullest form to the narrowest, which leaves out what is least needed.
FORMS = (
    _form(_fault_count, short=False),
    _form(_faults, short=False),
    _form(_faults, short=True),
    _form(_faults, _places, short=True),
    _form(_faults, _places, _ahead, short=True),
    _form(_faults, _places, _ahead, _made, _p50, short=True),
)


def _interval(estimate: Estimate, *, sign: bool = False, digits: int = 1) -> str:
    mean = f"{estimate.mean:{'+' if sign else ''}.{digits}f}"
    return mean if estimate.margin is None else f"{mean} ±{estimate.margin:.{digits}f}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "-"


def _ms(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def bluke_command() -> str:
    """What to type for `bluke` here: the path that this process was called by, unless the PATH leads there."""
    called = Path(sys.argv[0])
    found = shutil.which("bluke")
    if called.name != "bluke" or (found is not None and called.exists() and called.samefile(found)):
        return "bluke"
    return shlex.quote(str(called))


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
