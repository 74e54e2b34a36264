"""Lines of a terminal: cutting, padding and wrapping text that may be of any width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.replay.render import Piece, Row
from bluke.replay.text import width

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cut", "pad", "wrapped"]


def pad(text: str, columns: int) -> str:
    """The text with spaces after it, so many columns wide."""
    return text + " " * (columns - width(text))


def cut(row: Sequence[Piece], columns: int) -> Row:
    """The row, cut to so many columns; a cut one ends in `~`."""
    if sum(width(piece.text) for piece in row) <= columns:
        return tuple(row)
    left = columns - 1
    if left < 0:
        return ()
    pieces: list[Piece] = []
    for piece in row:
        wide = width(piece.text)
        if wide > left:
            pieces.append(Piece(f"{_head(piece.text, left)}~", piece.style))
            break
        pieces.append(piece)
        left -= wide
    return tuple(pieces)


def wrapped(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many columns, at least one; broken between words where that is possible."""
    columns = max(columns, 2)
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            if line and width(line) + 1 + width(word) <= columns:
                line = f"{line} {word}"
                continue
            if line:
                lines.append(line)
            line = word
            while width(line) > columns:
                head = _head(line, columns) or line[0]
                lines.append(head)
                line = line[len(head) :]
        lines.append(line)
    return lines


def _head(text: str, columns: int) -> str:
    """As much of the beginning as fits."""
    used = 0
    for i, char in enumerate(text):
        used += width(char)
        if used > columns:
            return text[:i]
    return text
