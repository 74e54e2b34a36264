"""What the commands of `bluke replay` have in common: which files are meant, and how text is printed."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bluke.replay.render import Row

__all__ = ["ENDINGS", "Hands", "ReplayFile", "is_terminal", "print_rows", "replays_in", "say", "stem"]

#: How the names of replay files end.
ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".jsonl.part")
#: The record of a run ends like one, and lies in the folder above.
RECORD = "results.jsonl"


def replays_in(folder: Path) -> list[Path]:
    """All replays below a folder, in order."""
    return sorted(
        file for file in folder.rglob("*") if file.name.endswith(ENDINGS) and file.name != RECORD and file.is_file()
    )


def stem(name: str) -> str:
    """A name without the ending of a replay."""
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if name.endswith(ending):
            return name.removesuffix(ending)
    return name


class ReplayFile(click.Path):
    """The file of one game; a folder is refused with what can be done with one."""

    def __init__(self) -> None:
        """Ask for a file that is there."""
        super().__init__(exists=True, path_type=Path)
        self.name = "file"

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Read what was typed."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path.is_dir():
            # No deeper than a run has them: somebody may have typed the root of a disk.
            games = (file for folder in (path, path / "replays") for file in folder.glob("*.jsonl*"))
            such = next((f" such as {file}" for file in games if file.name != RECORD), "")
            self.fail(
                f"{path} is a folder, and this is about one game: name a replay in it{such}. "
                f"`bluke replay html {path}` makes a page with all of them, `bluke replay grep` finds one",
                param,
                ctx,
            )
        return path


class Hands(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic only since click 8.4
    """One number or a range such as `3-7`, as the numbers it stands for."""

    name = "N|N-M"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> range:
        """Read what was typed."""
        if isinstance(value, range):
            return value
        found = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", str(value))
        if found is None:
            self.fail(f"{value!r} is neither a hand such as 3 nor a range such as 3-7", param, ctx)
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            self.fail(f"{value!r} goes backwards", param, ctx)
        return range(first, last + 1)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks; a stream that was closed before the start is none at all."""
    return stream is not None and stream.isatty()


def print_rows(rows: Iterable[Row], *, terminal: bool) -> None:
    """Print rows, with their styles where a person looks."""
    from bluke.replay.render import STYLES, plain

    if not terminal:
        say(plain(rows), nl=False)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for row in rows:
        # Text, never markup: a name such as "[red]" stays what it is.
        console.print(Text.assemble(*((piece.text, STYLES[piece.style]) for piece in row)))


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print text even where the output's encoding has no form for some of it."""
    encoding = getattr(sys.stderr if err else sys.stdout, "encoding", None) or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), err=err, nl=nl)
