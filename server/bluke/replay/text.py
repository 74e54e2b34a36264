"""Words for people, and text from strangers made safe to print."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["counted", "fit", "listed", "named", "visible", "width"]


def visible(text: str) -> str:
    r"""The text with everything that does not print as itself spelled out, `\n` or `\u202e` for example.

    Names and notes come from bots: line ends, terminal codes and marks that turn the direction of
    writing could make a line of output say what the file does not.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def width(text: str) -> int:
    """How many columns of a terminal the visible text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def fit(text: str, columns: int) -> str:
    """The visible text, cut to so many columns; a cut one ends in `~`."""
    if width(text) <= columns:
        return text
    while text and width(text) >= columns:
        text = text[:-1]
    return text + "~"


def counted(number: int, what: str) -> str:
    """So many of something: `1 game`, `2 games`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def named(name: str) -> str:
    """What a bot calls itself as visible text, and words for it if that is nothing."""
    return visible(name) or "(no name)"


def listed(words: Sequence[str], most: int) -> str:
    """One or more words as they stand in a sentence; those beyond `most` are counted."""
    if len(words) > most:
        words = [*words[:most], f"{len(words) - most} more"]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
