"""`bluke replay explain`: was it the bot or the cards, and what else could it have done?"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bluke.cli.folder import need_folder_of
from bluke.cli.replay_files import Hands, ReplayFile, is_terminal, print_rows, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bluke.analysis import Explanation
    from bluke.replay.reader import Replay

__all__ = ["explain"]


@click.command()
@click.argument("file", type=ReplayFile())
@click.option("--seat", "seats", type=click.IntRange(0), multiple=True, help="Only this seat; may be repeated.")
@click.option("--hand", "hands", type=Hands(), multiple=True, help="Only these hands, from 0; may be repeated.")
@click.option(
    "--samples", type=click.IntRange(2, 10_000), default=20, show_default=True, help="Sampled deals for each decision."
)
@click.option(
    "--policy",
    type=click.Choice(["rule"]),
    default="rule",
    show_default=True,
    help="How all seats play on in sampled deals.",
)
@click.option("--cards", is_flag=True, help="Show the means of every card, not only of bids.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object for programs instead of the text.")
@click.option(
    "--write",
    "copy",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write a copy of FILE with the regrets in the notes of its moves; OUT must not be there yet.",
)
@click.pass_context
def explain(
    ctx: click.Context,
    file: Path,
    *,
    seats: tuple[int, ...],
    hands: tuple[range, ...],
    samples: int,
    policy: str,
    cards: bool,
    as_json: bool,
    copy: Path | None,
) -> None:
    """Explain a game: what happened, what else a seat could have done by what it knew, and what hindsight says.

    For every bid the mean score of each legal bid is shown, over deals that the seat could not rule out. A card is
    shown where another one would surely have scored more: its regret is what the better one gains on average. With
    all cards known, which no seat does, the last five tricks of each hand are worked out exactly, and shown apart.
    A game that was not finished is explained as far as it goes.

    Exit code: 0, 1 if the file is no sound replay or the copy cannot be written, 2 for a mistake in the command.
    """
    from bluke.analysis import explain_game
    from bluke.errors import ReplayError
    from bluke.replay.reader import read_replay

    if copy is not None:
        _check_copy(file, copy)
    try:
        replay = read_replay(file)
        numbers = _selected(replay, seats, hands)
        with _progress() as told:
            explanation = explain_game(replay, seats, numbers, samples, policy, jobs=_processors(), told=told)
        if copy is not None:
            _write(ctx, file, copy, replay, explanation)
    except ReplayError as error:
        say(f"error: {error}", err=True)
        ctx.exit(1)
    if as_json:
        from msgspec.json import encode

        from bluke.analysis.report import data

        click.echo(encode(data(explanation)))
    else:
        from bluke.analysis.report import report

        print_rows(report(explanation, cards=cards), terminal=is_terminal(sys.stdout))
    if copy is not None:
        say(f"written with its regrets to {copy}", err=True)


def _selected(replay: Replay, seats: tuple[int, ...], hands: tuple[range, ...]) -> set[int]:
    """The numbers of the hands that were asked for, empty for all."""
    count = replay.header.rules.seats
    for seat in seats:
        if seat >= count:
            raise click.BadParameter(f"there is no seat {seat}: seats are 0 to {count - 1}", param_hint="--seat")
    wanted = {number for numbers in hands for number in numbers if number < len(replay.hands)}
    if hands and not wanted:
        there = f"0 to {len(replay.hands) - 1}" if replay.hands else "none"
        raise click.BadParameter(f"the file has no such hand: its hands are {there}", param_hint="--hand")
    return wanted


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _check_copy(file: Path, copy: Path) -> None:
    if not file.is_file():
        raise click.BadParameter(
            f"{file} is no file, and a copy takes one that can be read twice", param_hint="--write"
        )
    if copy.exists() or copy.is_symlink():
        raise click.BadParameter(
            f"{copy} is there already, and nothing is written over: name another file", param_hint="--write"
        )
    need_folder_of(copy, "--write")


def _write(ctx: click.Context, file: Path, copy: Path, replay: Replay, explanation: Explanation) -> None:
    """Write the copy whole or not at all."""
    from bluke.analysis.annotate import annotate, pack
    from bluke.replay.reader import read_bytes

    sound = replay.end is not None and replay.end.sha256 == replay.sha256
    data = read_bytes(file)
    try:
        noted = pack(annotate(data, explanation, sound=sound), copy)
        with copy.open("xb") as handle:
            try:
                handle.write(noted)
                handle.flush()
            except BaseException:
                copy.unlink(missing_ok=True)
                raise
    except OSError as error:
        say(f"error: {copy} cannot be written: {error.strerror or error}", err=True)
        ctx.exit(1)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show how far it is: a bar on a terminal, and lines elsewhere."""
    if not is_terminal(sys.stderr):
        yield _tell
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("explaining hands", total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def _tell(done: int, total: int) -> None:
    # Five lines at most: they end up in logs.
    if done == total or done * 5 // total > (done - 1) * 5 // total:
        say(f"explained {done} of {total} hands", err=True)
