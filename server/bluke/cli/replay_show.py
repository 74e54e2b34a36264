"""`bluke replay verify` and `bluke replay show`: check replay files, and print a game."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bluke.replay.render import Row

__all__ = ["show", "verify"]

#: How the names of replay files end.
ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".jsonl.part")
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
            _say(str(verdict))
    if checked > 1:
        _say(f"{checked} files: {checked - wrong} ok, {wrong} wrong")
    ctx.exit(1 if wrong else 0)


class _Hands(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic only since click 8.4
    """One number or a range such as `3-7`, as the numbers it stands for."""

    name = "N|N-M"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> range:
        if isinstance(value, range):
            return value
        found = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", str(value))
        if found is None:
            self.fail(f"{value!r} is neither a hand such as 3 nor a range such as 3-7", param, ctx)
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            self.fail(f"{value!r} goes backwards", param, ctx)
        return range(first, last + 1)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--hand", "hands", type=_Hands(), multiple=True, help="Only these hands, from 0; may be repeated.")
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
        _say(f"error: {error}", err=True)
        ctx.exit(1)
    for seat in seats:
        if seat >= game.header.rules.seats:
            raise click.BadParameter(f"there is no seat {seat}: seats are 0 to {game.header.rules.seats - 1}")
    wanted = {number for numbers in hands for number in numbers if number < len(game.hands)}
    if hands and not wanted:
        there = f"0 to {len(game.hands) - 1}" if game.hands else "none"
        raise click.BadParameter(f"the file has no such hand: its hands are {there}")
    terminal = sys.stdout.isatty()
    columns = COLUMNS
    if terminal:
        from shutil import get_terminal_size

        columns = max(60, get_terminal_size((COLUMNS, 24)).columns)
    _print(render(game, Selection(wanted, seats, times, columns)), terminal=terminal)


def _files(paths: tuple[Path, ...]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(inner for inner in path.rglob("*") if inner.name.endswith(ENDINGS) and inner.is_file())
        if not found:
            raise click.BadParameter(f"there is no replay in the folder {path}", param_hint="FILE...")
        yield from found


def _print(rows: Iterator[Row], *, terminal: bool) -> None:
    from bluke.replay.render import STYLES, plain

    if not terminal:
        _say(plain(rows), nl=False)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for row in rows:
        # Text, never markup: a name such as "[red]" stays what it is.
        console.print(Text.assemble(*((piece.text, STYLES[piece.style]) for piece in row)))


def _say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text even where the output's encoding has no form for some of it."""
    encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), err=err, nl=nl)
