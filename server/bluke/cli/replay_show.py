"""`bluke replay verify` and `bluke replay show`: check replay files, and print a game."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bluke.cli.replay_files import Hands, ReplayFile, is_terminal, print_rows, replays_in, say

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["show", "verify"]

#: The width of what is shown where there is no terminal to ask.
COLUMNS = 100


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
@click.option("-q", "--quiet", is_flag=True, help="Say only what is wrong.")
@click.pass_context
def verify(ctx: click.Context, files: tuple[Path, ...], *, quiet: bool) -> None:
    """Work games out again and compare.

    FILE is a replay, or a folder: then all replays in it are checked. Every deal, move, trick, score and place is
    worked out again from the file alone. For each file it says "ok" or the first thing that is wrong and where.

    Exit code: 0 if all are right, 1 if any is wrong, 2 if there is nothing to check.
    """
    from bluke.replay.verify import verify as check

    checked = wrong = 0
    for path in _files(files):
        verdict = check(path)
        checked += 1
        wrong += not verdict.ok
        if not (quiet and verdict.ok):
            say(str(verdict))
    if checked > 1:
        say(f"{checked} files: {checked - wrong} ok, {wrong} wrong")
    ctx.exit(1 if wrong else 0)


@click.command()
@click.argument("file", type=ReplayFile())
@click.option("--hand", "hands", type=Hands(), multiple=True, help="Only these hands, from 0; may be repeated.")
@click.option("--seat", "seats", type=click.IntRange(0), multiple=True, help="Only this seat; may be repeated.")
@click.option("--times", is_flag=True, help="Show the time of every move: milliseconds, or seconds with an s.")
@click.pass_context
def show(ctx: click.Context, file: Path, hands: tuple[range, ...], seats: tuple[int, ...], *, times: bool) -> None:
    """Show a game: its hands and tricks, faults and notes, and the scorekeeper's sheet.

    In a trick ">" marks the card led, "*" the one that took it, and "!" a move that the referee made. Hands, tricks
    and seats are counted from 0, as in the file.
    """
    from bluke.errors import ReplayError
    from bluke.replay.reader import read_replay
    from bluke.replay.render import Selection, render

    try:
        game = read_replay(file)
    except ReplayError as error:
        say(f"error: {error}", err=True)
        ctx.exit(1)
    for seat in seats:
        if seat >= game.header.rules.seats:
            raise click.BadParameter(f"there is no seat {seat}: seats are 0 to {game.header.rules.seats - 1}")
    wanted = {number for numbers in hands for number in numbers if number < len(game.hands)}
    if hands and not wanted:
        there = f"0 to {len(game.hands) - 1}" if game.hands else "none"
        raise click.BadParameter(f"the file has no such hand: its hands are {there}")
    terminal = is_terminal(sys.stdout)
    columns = COLUMNS
    if terminal:
        from shutil import get_terminal_size

        columns = max(60, get_terminal_size((COLUMNS, 24)).columns)
    print_rows(render(game, Selection(wanted, seats, times, columns)), terminal=terminal)


def _files(paths: tuple[Path, ...]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = replays_in(path)
        if not found:
            raise click.BadParameter(f"there is no replay in the folder {path}", param_hint="FILE...")
        yield from found
