"""`bluke arena`: play a ladder."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bluke.arena.log import log_to
from bluke.cli.folder import RUNS, keep, new_folder
from bluke.cli.loop import run_loop

if TYPE_CHECKING:
    from bluke.arena.run import Plan, Progress, RunResult

__all__ = ["arena", "play_plan"]


@click.command()
@click.argument("config", type=click.Path(path_type=Path), required=False)
@click.option("--seats", type=click.IntRange(min=2), help="Seats at a table.")
@click.option("--boards", type=click.IntRange(min=1), help="How many deals; each is played in all rotations.")
@click.option("--schedule", help="Who meets whom: pool, round-robin or gauntlet.")
@click.option("--same-author", is_flag=True, help="Let bots of one author meet.")
@click.option("--seed", help="The match seed as text: the same seed gives the same deals.")
@click.option("--tables", type=click.IntRange(min=1), help="Games played at once.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes that play them, each with bots of its own.")
@click.option("--board", type=click.IntRange(min=0), help="Play the games of this one board only.")
@click.option("--run", "run_folder", type=click.Path(path_type=Path), help="The run folder.  [default: runs/TIME]")
@click.option("--dry-run", is_flag=True, help="Say what would be played, and how long it may take; play nothing.")
@click.option("--resume", type=click.Path(path_type=Path), help="Play what is left of the run in this folder.")
def arena(*, resume: Path | None, tables: int | None, jobs: int | None, dry_run: bool, **options: Any) -> int:  # noqa: ANN401 - as many types as options
    """Play a ladder of matches between the bots of CONFIG (arena.toml unless named).

    Every bot is started as a process of its own, boards are played in all rotations of the seats,
    and the standings are printed at the end. Options stand in for the values of the file.

    With --dry-run nothing is played: the number of games, who meets whom how often, and the time that
    it may take are printed.

    A run that was stopped, failed or killed is finished with --resume: the games that it has
    recorded count, the others are played. Of the options above only --tables and --jobs go with it.

    Exit code: 0 if every game was played, 2 if the file or an option is wrong, 1 after a failure, 130 after Ctrl-C
    (what is being played is given up) or SIGTERM (it is finished).
    """
    from bluke.arena.run import RunResult
    from bluke.arena.terminal import console, print_result

    options |= {"dry_run": dry_run, "tables": tables, "jobs": jobs}
    plan = _new_plan(**options) if resume is None else _old_plan(resume, **options)
    if isinstance(plan, RunResult):
        out = console()
        out.print(f"this run is complete: all of its {len(plan.games)} games are recorded")
        report = plan.plan.folder.report
        print_result(out, replace(plan, report=report if report.exists() else None))
        return 0
    if dry_run:
        from bluke.arena.dry_run import print_dry_run

        print_dry_run(console(), plan)
        return 0
    return play_plan(plan)


def play_plan(plan: Plan) -> int:
    """Play a plan in a terminal: its progress and, in the end, what came of it.

    Returns:
        The exit code.

    Raises:
        ArenaError: the run failed; what there is of it has been printed.
    """
    from bluke.arena.terminal import TerminalProgress, console, print_result, print_resume

    out = console()
    progress = TerminalProgress(out)
    try:
        drain = asyncio.Event()
        result = run_loop(lambda stop: _play(plan, progress, stop, drain), drain=drain)
    except KeyboardInterrupt:
        progress.close()
        if plan.folder.record.exists():
            print_resume(out, plan)
        raise
    finally:
        progress.close()
    print_result(out, result)
    keep(plan.folder.path)
    if result.trouble is not None:
        raise result.trouble
    return 0 if result.complete else 130


def _new_plan(
    *,
    config: Path | None,
    seats: int | None,
    boards: int | None,
    schedule: str | None,
    same_author: bool,
    seed: str | None,
    tables: int | None,
    jobs: int | None,
    board: int | None,
    run_folder: Path | None,
    dry_run: bool,
) -> Plan:
    from bluke.arena.config import read_config
    from bluke.arena.run import make_plan

    values = {
        "seats": seats,
        "boards": boards,
        "schedule": schedule,
        # Like the others it stands in for a value of the file only where it is given.
        "same_author": same_author or None,
        "seed": seed,
        "tables": tables,
        "jobs": jobs,
    }
    settings = read_config(config or Path("arena.toml"), values)
    if board is not None and board >= settings.boards:
        raise click.UsageError(f"there is no board {board}: this match has boards 0 to {settings.boards - 1}")
    # A new folder is taken when it is named.
    folder = run_folder or (RUNS / "none" if dry_run else new_folder())
    return make_plan(settings, folder, board=board)


def _old_plan(folder: Path, *, tables: int | None, jobs: int | None, **options: object) -> Plan | RunResult:
    from bluke.arena.resume import resume_plan

    names = {"config": "CONFIG", "run_folder": "--run"}
    given = [
        names.get(name, f"--{name.replace('_', '-')}")
        for name, value in options.items()
        if value is not None and value is not False
    ]
    if given:
        raise click.UsageError(
            f"--resume plays what is left of a run as it was planned, so {' and '.join(given)} cannot go with it; "
            "--tables and --jobs can"
        )
    return resume_plan(folder, tables=tables, jobs=jobs)


async def _play(plan: Plan, progress: Progress, stop: asyncio.Event, drain: asyncio.Event) -> RunResult:
    from bluke.arena.run import play_run

    plan.folder.make(resumed=plan.resumed)
    with log_to(plan.folder.referee_log):
        return _reported(await play_run(plan, progress, stop, drain))


def _reported(result: RunResult) -> RunResult:
    """Write the report of a run; the log says why where that cannot be done."""
    from bluke.arena.report import try_report
    from bluke.arena.terminal import bluke_command

    if not result.games:
        return result
    written = try_report(result.plan.folder.path, result.standings, command=bluke_command())
    return replace(result, report=written)
