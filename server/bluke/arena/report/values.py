"""What the template is given: a page as values, every number already written.

Text in them is plain text, wherever it comes from; the template is what escapes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = [
    "Block",
    "Box",
    "Code",
    "Column",
    "Details",
    "Fact",
    "Facts",
    "Figure",
    "Heat",
    "Link",
    "Mark",
    "Page",
    "Panels",
    "Part",
    "Prose",
    "Section",
    "Strong",
    "Table",
    "Text",
    "say",
]


@dataclass(frozen=True, slots=True)
class Text:
    """Running text."""

    text: str
    kind: ClassVar[str] = "text"


@dataclass(frozen=True, slots=True)
class Strong:
    """Text that a reader in a hurry should see."""

    text: str
    kind: ClassVar[str] = "strong"


@dataclass(frozen=True, slots=True)
class Code:
    """A command or a key, to be copied whole."""

    text: str
    kind: ClassVar[str] = "code"


@dataclass(frozen=True, slots=True)
class Link:
    """A link; `href` is a part of this page or a path from where the page is."""

    text: str
    href: str
    kind: ClassVar[str] = "link"


Part = Text | Strong | Code | Link


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph; `note` makes it a small one, `command` one that holds nothing but a command."""

    parts: tuple[Part, ...]
    style: str = ""
    kind: ClassVar[str] = "prose"


def say(*parts: str | Part, style: str = "") -> Prose:
    """A paragraph of words and parts."""
    return Prose(tuple(Text(part) if isinstance(part, str) else part for part in parts), style)


@dataclass(frozen=True, slots=True)
class Mark:
    """An element of a drawing, with the elements in it."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    text: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing.

    Attributes:
        key: its id on the page.
        title: what it is, for who cannot see it.
        text: what it shows, for the same; for a panel, also the line under its title.
        height: in CSS pixels.
        box: the width of its own coordinates; 0 for one as wide as its place, drawn in percents of that.
        marks: what is drawn.
    """

    key: str
    title: str
    text: str
    height: int
    marks: tuple[Mark, ...]
    box: int = 0
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True, slots=True)
class Panels:
    """Small drawings of one kind side by side, each under its title."""

    figures: tuple[Figure, ...]
    kind: ClassVar[str] = "panels"


@dataclass(frozen=True, slots=True)
class Heat:
    """A cell with a colour: `level` is 0 to 10, and 5 has none."""

    text: str
    level: int
    kind: ClassVar[str] = "heat"


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; `title` says what a short one means, `words` that it holds no numbers."""

    text: str
    title: str = ""
    words: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of a row is its head, and a cell is text or one of the parts."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | Heat | Part, ...], ...]
    kind: ClassVar[str] = "table"


@dataclass(frozen=True, slots=True)
class Fact:
    """A term and what is said of it."""

    term: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """A list of facts."""

    facts: tuple[Fact, ...]
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks that are shown when they are asked for."""

    summary: str
    blocks: tuple[Block, ...]
    kind: ClassVar[str] = "details"


@dataclass(frozen=True, slots=True)
class Box:
    """Blocks that belong together under a title of their own."""

    title: str
    blocks: tuple[Block, ...]
    kind: ClassVar[str] = "box"


Block = Prose | Figure | Panels | Table | Facts | Details | Box


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; `key` is its id."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page.

    Attributes:
        title: of the window.
        heading: what was played, in a few words.
        facts: the same in numbers, and how it ended; a word or two each.
        verdict: who is better than whom, in sentences.
        notes: what to know before believing it.
        sections: the parts, in order.
        foot: who wrote the page.
    """

    title: str
    heading: str
    facts: tuple[str, ...]
    verdict: tuple[Prose, ...]
    notes: tuple[Prose, ...]
    sections: tuple[Section, ...]
    foot: str
