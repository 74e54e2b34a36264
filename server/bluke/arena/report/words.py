"""Words from outside: names, versions and details are what strangers say, and are shown as text that stays its own."""

from __future__ import annotations

import unicodedata

from bluke.replay.text import fit, visible

__all__ = ["outside", "short"]

#: Classes of characters that are written from the right.
FROM_RIGHT = {"R", "AL", "AN"}
#: What keeps the direction of a text to itself, so that it cannot turn the words and numbers beside it.
ISOLATE, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


def outside(text: str) -> str:
    """A text from outside, with everything that does not print as itself spelled out."""
    return _isolated(visible(text))


def short(text: str, columns: int) -> str:
    """The same, cut to so many columns."""
    return _isolated(fit(visible(text), columns))


def _isolated(text: str) -> str:
    if text.isascii() or all(unicodedata.bidirectional(char) not in FROM_RIGHT for char in text):
        return text
    return f"{ISOLATE}{text}{END}"
