"""`bluke new`: a first bot to start from."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from bluke.arena.starter.languages import LANGUAGES

__all__ = ["new"]


@click.command()
@click.argument("language", type=click.Choice(tuple(LANGUAGES), case_sensitive=False))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def new(*, language: str, folder: Path) -> int:
    """Write a small whole bot in LANGUAGE into DIR, with all that builds it and bots to play against.

    DIR must be empty or not be there; the bot is named after it. The SDK comes along, so that building takes nothing
    but the language's own tools. README.md in DIR says what is there and how to go on.

    Exit code: 0 if it was written, 2 for an unknown language or a DIR that is not empty, 1 if it cannot be written.
    """
    from bluke.arena.starter import missing_tools, write_starter
    from bluke.replay.text import counted, listed, visible

    files = write_starter(language, folder)
    chosen = LANGUAGES[language]
    click.echo(f"{visible(str(folder))}: a bot in {chosen.title}, {counted(len(files), 'file')}")
    click.echo()
    dash = "-- " if str(folder).startswith("-") else ""
    home = () if folder.resolve() == Path.cwd() else (f"cd {dash}{visible(shlex.quote(str(folder)))}",)
    for step in (*home, *chosen.steps):
        click.echo(f"  {step}")
    missing = missing_tools(chosen)
    if missing:
        click.echo(f"\nnot on the PATH: {listed(missing, 9)}. Building takes {chosen.needs}; {chosen.cure}.")
    return 0
