"""`bluke arena`: play a ladder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bluke.cli.folder import new_folder
from bluke.cli.loop import log_to, run_loop

if TYPE_CHECKING:
    import asyncio

    from bluke.arena.run import Plan, Progress, RunResult

__all__ = ["arena"]


@click.command()
@click.argument("config", type=click.Path(path_type=Path), default=Path("arena.toml"))
@click.option("--seats", type=click.IntRange(min=2), help="Seats at a table.")
@click.option("--boards", type=click.IntRange(min=1), help="How many deals; each is played in all rotations.")
@click.option("--seed", help="The match seed as text: the same seed gives the same deals.")
@click.option("--jobs", type=click.IntRange(min=1), help="Games played at once.")
@click.option("--board", type=click.IntRange(min=0), help="Play the games of this one board only.")
@click.option("--run", "run_folder", type=click.Path(path_type=Path), help="The run folder.  [default: runs/TIME]")
def arena(
    *,
    config: Path,
    seats: int | None,
    boards: int | None,
    seed: str | None,
    jobs: int | None,
    board: int | None,
    run_folder: Path | None,
) -> int:
    """Play a ladder of matches between the bots of CONFIG (arena.toml unless named).

    Every bot is started as a process of its own, boards are played in all rotations of the seats,
    and the standings are printed at the end. Options stand in for the values of the file.

    Exit code: 0 if every game was played, 2 if the file or an option is wrong, 1 after a failure, 130 after Ctrl-C.
    """
    from bluke.arena.config import read_config
    from bluke.arena.run import make_plan
    from bluke.arena.terminal import TerminalProgress, console, print_result

    settings = read_config(config, {"seats": seats, "boards": boards, "seed": seed, "jobs": jobs})
    if board is not None and board >= settings.boards:
        raise click.UsageError(f"there is no board {board}: this match has boards 0 to {settings.boards - 1}")
    plan = make_plan(settings, run_folder or new_folder(), board=board)
    out = console()
    progress = TerminalProgress(out)
    try:
        result = run_loop(lambda stop: _play(plan, progress, stop))
    finally:
        progress.close()
    if result.games or result.trouble is None:
        print_result(out, result)
    if result.trouble is not None:
        raise result.trouble
    return 0 if result.complete else 130


async def _play(plan: Plan, progress: Progress, stop: asyncio.Event) -> RunResult:
    from bluke.arena.run import play_run

    plan.folder.make()
    with log_to(plan.folder.referee_log):
        return await play_run(plan, progress, stop)
