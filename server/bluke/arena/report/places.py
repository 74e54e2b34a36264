"""Where things are: links from the page, and commands that show what it speaks of."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from urllib.parse import quote

from bluke.replay.text import visible

__all__ = ["Places"]


@dataclass(frozen=True, slots=True)
class Places:
    """How the page names what lies in the run folder.

    Attributes:
        folder: the run folder as a person names it in a command.
        base: the run folder from where the page is, as the beginning of a link; empty if the page is in it.
        command: how a person calls `bluke`.
    """

    folder: str = ""
    base: str = ""
    command: str = "bluke"

    def link(self, path: str) -> str:
        """A link to a file of the run folder; whatever the record calls its file, it stays a relative path."""
        return f"{self.base or '.'}/{quote(path, safe='/')}"

    def file(self, path: str) -> str:
        """A file of the run folder, as an argument of a command."""
        # A name that begins with a dash would be an option.
        whole = os.path.join(self.folder, path) if path and self.folder else path or self.folder  # noqa: PTH118 - text
        return shlex.quote(visible(f"./{whole}" if whole.startswith("-") else whole))

    @property
    def run(self) -> str:
        """The run folder, as an argument of a command."""
        return self.file("") if self.folder else "."

    def show(self, replay: str, hand: int | None = None, seat: int | None = None) -> str:
        """The command that shows a game in the terminal, or one seat of one hand of it."""
        wanted = "".join(f" --{name} {value}" for name, value in (("hand", hand), ("seat", seat)) if value is not None)
        return f"{self.command} replay show {self.file(replay)}{wanted}"

    def page(self, replay: str) -> str:
        """The command that makes a page of a game, beside its replay."""
        return f"{self.command} replay html {self.file(replay)} -o {self.file(_page(replay))}"

    def page_link(self, replay: str, hand: int) -> str:
        """A link to a hand on that page."""
        return f"{self.link(_page(replay))}#{hand}"

    @property
    def record(self) -> str:
        """The record, as an argument of a command."""
        return self.file("results.jsonl")


def _page(replay: str) -> str:
    """The file of a replay's page."""
    folder, slash, name = replay.rpartition("/")
    return f"{folder}{slash}{name.partition('.')[0]}.html"
