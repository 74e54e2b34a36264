"""`bluke store`: the results of all runs in one file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bluke.cli.folder import RUNS
from bluke.replay.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["read_with_a_bar", "store"]


@click.group()
def store() -> None:
    """Keep the results of all runs in one file.

    Runs add themselves to it when they end, and `bluke standings` adds what has changed since.
    """


@store.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=RUNS)
def rebuild(folder: Path) -> int:
    """Make FOLDER/store.sqlite anew from every record below FOLDER (runs unless named).

    The records are the truth, so nothing can be lost. A record that cannot be read is named and left out.

    Exit code: 0 if every record was read, 1 if not.
    """
    from bluke.arena.store import STORE, rebuild

    contents, found = rebuild(folder, read_with_a_bar)
    many = ", ".join(
        f"{number} {what if number == 1 else what + 's'}"
        for what, number in (("run", contents.runs), ("game", contents.games), ("bot", contents.bots))
    )
    click.echo(f"{visible(str(folder / STORE))}: {many}")
    for fault in found.faults:
        click.echo(f"left out: {visible(fault)}", err=True)
    return 1 if found.faults else 0


def read_with_a_bar(folders: Sequence[Path]) -> Iterable[Path]:
    """The folders, with a bar on stderr that shows how many of them have been read."""
    with click.progressbar(folders, label="reading records", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield from bar
