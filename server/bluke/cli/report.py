"""`bluke report`: the page of a run, written again."""

from __future__ import annotations

from pathlib import Path

import click

from bluke.errors import ConfigError
from bluke.replay.text import visible

__all__ = ["report"]


@click.command()
@click.argument("run_folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
def report(run_folder: Path, output: Path | None) -> int:
    """Write the report of the run in RUN_FOLDER as a page for a browser, and print its path.

    It is one file that opens without a network: report.html in the folder unless another is named. Every run writes
    its own when it ends; this writes it again, for a run that is going on, that was killed, or that was played by an
    older arena.

    Exit code: 0 if it was written, 1 if its record is broken or the page cannot be written, 2 if there is no run.
    """
    from bluke.arena.folder import RunFolder
    from bluke.arena.report import write_report
    from bluke.arena.terminal import bluke_command

    if not RunFolder(run_folder).record.exists():
        msg = f"{run_folder} holds no run: there is no results.jsonl in it; `bluke arena` plays one"
        raise ConfigError(msg)
    click.echo(visible(str(write_report(run_folder, to=output, command=bluke_command()))))
    return 0
