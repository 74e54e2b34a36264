"""Run folders: their names, and the store beside them; and the folders that other files go to."""

from __future__ import annotations

from datetime import datetime
from itertools import count
from pathlib import Path

import click

__all__ = ["RUNS", "keep", "need_folder_of", "new_folder"]

RUNS = Path("runs")


def new_folder() -> Path:
    """Take a folder that no other run has, named after the time.

    If it cannot be made, whoever is about to fill it says why.
    """
    stem = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    names = (RUNS / (stem if number == 1 else f"{stem}-{number}") for number in count(1))
    return next(folder for folder in names if _is_free(folder))


def need_folder_of(file: Path, option: str) -> None:
    """Refuse, before any work is done for it, to write a file where there is no folder.

    Raises:
        click.BadParameter: there is none for this `file`, which `option` names.
    """
    from bluke.replay.text import visible

    if not file.parent.is_dir():
        raise click.BadParameter(f"there is no folder {visible(str(file.parent))}: make it first", param_hint=option)


def keep(run: Path) -> None:
    """Add a run to the store of the folder that it lies in; what hinders that is said, and nothing else."""
    from bluke.arena.store import add_run

    note = add_run(run)
    if note is not None:
        click.echo(note, err=True)


def _is_free(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        return not folder.exists()
    except OSError:
        return True
    return True
