"""`bluke arena`: play a ladder."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bluke.cli.loop import log_to, run_loop

if TYPE_CHECKING:
    from bluke.arena.run import Plan, RunResult

__all__ = ["arena"]


@click.command()
@click.argument("config", type=click.Path(path_type=Path), default=Path("arena.toml"))
@click.option("--seats", type=int, help="Seats at a table.")
@click.option("--boards", type=int, help="How many deals; each is played in every rotation of the seats.")
@click.option("--seed", help="The match seed as text: the same seed gives the same deals.")
@click.option("--jobs", type=int, help="Games played at once.")
@click.option("--board", type=int, help="Play the games of this one board only.")
@click.option("--run", "run_folder", type=click.Path(path_type=Path), help="The run folder.  [default: runs/TIME]")
def arena(
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
    """
    from bluke.arena.config import read_config
    from bluke.arena.run import make_plan
    from bluke.arena.terminal import TerminalProgress, console, print_result

    settings = read_config(config, {"seats": seats, "boards": boards, "seed": seed, "jobs": jobs})
    if board is not None and not 0 <= board < settings.boards:
        msg = f"there is no board {board}: this match has boards 0 to {settings.boards - 1}"
        raise click.UsageError(msg)
    plan = make_plan(settings, run_folder or _new_folder(Path("runs")), board=board)
    out = console()
    progress = TerminalProgress(out)
    try:
        result = run_loop(_play(plan, progress))
    finally:
        progress.close()
    print_result(out, result)
    return 0 if result.complete else 130


async def _play(plan: Plan, progress: object) -> RunResult:
    from bluke.arena.run import play_run

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    me = asyncio.current_task()

    def interrupted() -> None:
        # The first time the run is brought to an orderly end, the second time it is cut off.
        if stop.is_set() and me is not None:
            me.cancel()
        stop.set()

    for sign in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):
            loop.add_signal_handler(sign, interrupted)
    plan.folder.make()
    with log_to(plan.folder.referee_log):
        return await play_run(plan, progress, stop)


def _new_folder(parent: Path) -> Path:
    """A folder that is not there yet, named after the time."""
    stem = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    number, folder = 1, parent / stem
    while folder.exists():
        number += 1
        folder = parent / f"{stem}-{number}"
    return folder
