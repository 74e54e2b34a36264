"""`bluke arena`: play a ladder."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bluke.cli.folder import new_folder
from bluke.cli.loop import log_to, run_loop

if TYPE_CHECKING:
    from bluke.arena.run import Plan, Progress, RunResult

__all__ = ["arena"]


@click.command()
@click.argument("config", type=click.Path(path_type=Path), required=False)
@click.option("--seats", type=click.IntRange(min=2), help="Seats at a table.")
@click.option("--boards", type=click.IntRange(min=1), help="How many deals; each is played in all rotations.")
@click.option("--seed", help="The match seed as text: the same seed gives the same deals.")
@click.option("--jobs", type=click.IntRange(min=1), help="Games played at once.")
@click.option("--board", type=click.IntRange(min=0), help="Play the games of this one board only.")
@click.option("--run", "run_folder", type=click.Path(path_type=Path), help="The run folder.  [default: runs/TIME]")
@click.option("--resume", type=click.Path(path_type=Path), help="Play what is left of the run in this folder.")
def arena(*, resume: Path | None, jobs: int | None, **options: Any) -> int:  # noqa: ANN401 - as many types as options
    """Play a ladder of matches between the bots of CONFIG (arena.toml unless named).

    Every bot is started as a process of its own, boards are played in all rotations of the seats,
    and the standings are printed at the end. Options stand in for the values of the file.

    A run that was stopped, failed or killed is finished with --resume: the games that it has
    recorded count, the others are played. Of the options above only --jobs goes with it.

    Exit code: 0 if every game was played, 2 if the file or an option is wrong, 1 after a failure, 130 after Ctrl-C
    (what is being played is given up) or SIGTERM (it is finished).
    """
    from bluke.arena.run import RunResult
    from bluke.arena.terminal import TerminalProgress, console, print_result, print_resume

    plan = _new_plan(jobs=jobs, **options) if resume is None else _old_plan(resume, jobs=jobs, **options)
    out = console()
    if isinstance(plan, RunResult):
        out.print(f"this run is complete: all of its {len(plan.games)} games are recorded")
        print_result(out, plan)
        return 0
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
    if result.trouble is not None:
        raise result.trouble
    return 0 if result.complete else 130


def _new_plan(
    *,
    config: Path | None,
    seats: int | None,
    boards: int | None,
    seed: str | None,
    jobs: int | None,
    board: int | None,
    run_folder: Path | None,
) -> Plan:
    from bluke.arena.config import read_config
    from bluke.arena.run import make_plan

    values = {"seats": seats, "boards": boards, "seed": seed, "jobs": jobs}
    settings = read_config(config or Path("arena.toml"), values)
    if board is not None and board >= settings.boards:
        raise click.UsageError(f"there is no board {board}: this match has boards 0 to {settings.boards - 1}")
    return make_plan(settings, run_folder or new_folder(), board=board)


def _old_plan(folder: Path, *, jobs: int | None, **options: object) -> Plan | RunResult:
    from bluke.arena.resume import resume_plan

    names = {"config": "CONFIG", "run_folder": "--run"}
    given = [names.get(name, f"--{name}") for name, value in options.items() if value is not None]
    if given:
        raise click.UsageError(
            f"--resume plays what is left of a run as it was planned, so {' and '.join(given)} cannot go with it; "
            "--jobs can"
        )
    return resume_plan(folder, jobs=jobs)


async def _play(plan: Plan, progress: Progress, stop: asyncio.Event, drain: asyncio.Event) -> RunResult:
    from bluke.arena.run import play_run

    plan.folder.make(resumed=plan.resumed)
    with log_to(plan.folder.referee_log):
        return await play_run(plan, progress, stop, drain)
