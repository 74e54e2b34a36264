"""The page that lists many replays, made from the first and the last line of each."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, NamedTuple

from msgspec import DecodeError, Struct, ValidationError
from msgspec.json import Decoder

from bluke.replay.page.parts import page
from bluke.replay.reader import GZIP_MAGIC, ZSTD_MAGIC, ReplayFileError, read_bytes, read_replay
from bluke.replay.records import FORMAT, EndLine, GameLine, Header, header_of
from bluke.replay.text import named, visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

__all__ = ["BROKEN", "Entry", "IndexData", "glance", "index_page"]

#: The status of a file that cannot be read.
BROKEN = "broken"
#: Bytes of the first and the last line that are read without reading the file. Longer ones are read with it.
MOST = 16 * 1024
STYLES = ("base.css", "index.css")
SCRIPTS = ("base.js", "index.js")

_decode_game = Decoder(GameLine).decode
_decode_end = Decoder(EndLine).decode


class Entry(Struct, frozen=True, array_like=True):
    """A row of the index; lists are by seat. Text is as a page may show it.

    Attributes:
        file: the path of the replay.
        page: the address of its page, relative to the index; empty for none.
        status: `complete`, `forfeited`, `void`, `unfinished` or `broken`.
        error: why it is broken.
        game: the id of the game.
        started: when, to the second, in UTC.
        names: of the bots.
        totals: points so far.
        places: `None` if nobody was placed.
        faults: how many there were.
    """

    file: str
    page: str
    status: str
    error: str = ""
    game: str = ""
    started: str = ""
    names: tuple[str, ...] = ()
    totals: tuple[int, ...] = ()
    places: tuple[int, ...] | None = None
    faults: int = 0


class _Result(NamedTuple):
    """How a game stands: `status`, `totals`, `places` and `faults` of an `Entry`."""

    status: str
    totals: tuple[int, ...]
    places: tuple[int, ...] | None
    faults: int


class IndexData(Struct, frozen=True):
    """What the script of the index works on."""

    entries: tuple[Entry, ...]


def glance(path: Path) -> Entry:
    """What the index says of one file. It raises nothing: what is wrong is in the entry.

    Of a plain file that is finished only the first and the last line are read, so a fault between them goes
    unseen here. `bluke.replay.verify` is for that.
    """
    try:
        return _quickly(path) or _wholly(path)
    except ReplayFileError as error:
        return Entry(visible(str(path)), "", BROKEN, str(error).removeprefix(f"{visible(str(path))}: "))


def index_page(entries: Sequence[Entry]) -> str:
    """Make the page that lists these games."""
    bots = sorted({name for entry in entries for name in entry.names})
    return page(
        "index.html",
        styles=STYLES,
        scripts=SCRIPTS,
        data=IndexData(tuple(entries)),
        bots=bots[:200],
        statuses=sorted({entry.status for entry in entries}),
        made_pages=sum(bool(entry.page) for entry in entries),
        pages_lack=any(not entry.page and entry.status != BROKEN for entry in entries),
        count=len(entries),
    )


def _quickly(path: Path) -> Entry | None:
    """The entry of a finished game from its first and last line, `None` if that is not enough to tell."""
    try:
        with path.open("rb") as handle:
            first, last = _outer_lines(handle)
        if first.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
            data = read_bytes(path)
            first, last = data[: data.find(b"\n") + 1], data[data.rfind(b"\n", 0, -1) + 1 :]
        if not last.endswith(b"\n"):
            return None
        line, end = _decode_game(first), _decode_end(last)
        header = header_of(line)
    except (OSError, ValueError, DecodeError, ValidationError, RecursionError):
        # The whole file is read then, by a reader who says what is wrong.
        return None
    seats = header.rules.seats
    if line.format != FORMAT or {len(end.totals), len(end.faults), len(end.places or end.totals)} != {seats}:
        return None
    return _entry(path, header, _result(end))


def _outer_lines(handle: BinaryIO) -> tuple[bytes, bytes]:
    """The first and the last line of a plain file, or pieces of them if they are long."""
    first = handle.readline(MOST)
    size = handle.seek(0, 2)
    handle.seek(max(0, size - MOST))
    tail = handle.read(MOST)
    return first, tail[tail.rfind(b"\n", 0, -1) + 1 :]


def _wholly(path: Path) -> Entry:
    replay = read_replay(path)
    end = replay.end
    if end is not None:
        return _entry(path, replay.header, _result(end))
    scores = [hand.score.totals for hand in replay.hands if hand.score is not None]
    totals = scores[-1] if scores else (0,) * replay.header.rules.seats
    return _entry(path, replay.header, _Result("unfinished", totals, None, len(replay.faults)))


def _entry(path: Path, header: Header, result: _Result) -> Entry:
    return Entry(
        file=visible(str(path)),
        page="",
        status=result.status,
        game=visible(header.game),
        started=f"{header.started.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
        names=tuple(named(player.name) for player in header.players),
        totals=result.totals,
        places=result.places,
        faults=result.faults,
    )


def _result(end: EndLine) -> _Result:
    return _Result(end.status.value, end.totals, end.places, sum(end.faults))
