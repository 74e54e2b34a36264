"""`bluke replay step`: a game in the terminal, step by step."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from bluke.cli.replay_files import ReplayFile

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["step"]


@click.command()
@click.argument("file", type=ReplayFile())
@click.option("--seat", type=click.IntRange(0), help="Show only what this seat saw; `v` shows all again.")
@click.option("--at", help="Begin here: HAND.TRICK such as 3.7, HAND.bid, a hand such as 3, 3.score, draw or end.")
def step(file: Path, *, seat: int | None, at: str | None) -> None:
    """Step through a game in the terminal: the table, the hand, the score sheet, what was said and what went wrong.

    The arrows step on and back, `?` shows all keys, `q` quits. With --seat and --at it begins with the decision of
    that seat. All is counted from 0, as in the file. A game that was not finished is shown as far as it goes.

    Exit code: 0, 1 if the file cannot be shown, 2 for a mistake in the command, no terminal, or a missing package.
    """
    from bluke.errors import ConfigError
    from bluke.replay.reader import read_replay
    from bluke.replay.stepper.course import start
    from bluke.replay.stepper.tale import tale_of

    tale = tale_of(read_replay(file))
    state = start(tale, seat=seat, at=at)
    try:
        from bluke.replay.stepper.app import Stepper
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        msg = "this needs the package textual, which is not installed: pip install 'bluke-arena[tui]'"
        raise ConfigError(msg) from None
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        msg = "this needs a terminal; `bluke replay show` prints a game anywhere, `bluke replay html` makes a page"
        raise ConfigError(msg)
    Stepper(tale, state).run()
