"""`bluke replay html`: make pages that a browser opens without a server."""

from __future__ import annotations

import sys
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import quote

import click

from bluke.cli.replay_files import ENDINGS, is_terminal, replays_in, say, stem
from bluke.replay.text import counted, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bluke.replay.page.index import Entry

__all__ = ["html"]

#: Up to so many games all get a page unasked: some seconds' work, and a quarter of a megabyte each.
PAGES = 200
#: Where pages go if several are made and no place is named.
FOLDER = Path("replay-pages")
#: How every page begins.
DOCTYPE = b"<!doctype html>"


Item = TypeVar("Item")


class _Source(NamedTuple):
    """A replay, and the name of its page without an ending: a path relative to the folder of the pages."""

    path: Path
    name: str


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="The page to write, or for several games the folder. Without it NAME.html here, or the folder replay-pages.",
)
@click.option(
    "--games",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help='Make pages only for games whose file, id or one of whose bots is like PATTERN, "rule*" for example; '
    "may be repeated.",
)
@click.pass_context
def html(ctx: click.Context, files: tuple[Path, ...], out: Path | None, patterns: tuple[str, ...]) -> None:
    """Make a page of a game, to step through it in a browser.

    FILE is a replay, or a folder: then all replays in it. One replay makes one page, which holds all it needs. Several
    make a folder with a list of them, index.html, and a page for each; of more than 200 games only those named by
    --games get one. Files that cannot be read are listed as such.

    The address of a move is #hand.trick.card, such as #3.0.2, or #3.bid.1: all are counted from 0.

    Exit code: 0, 1 if nothing could be made, 2 for a mistake in the command.
    """
    if len(files) == 1 and not files[0].is_dir():
        if patterns:
            raise click.BadParameter("it picks from several games, and there is one", param_hint="--games")
        _one(ctx, files[0], out)
    else:
        _many(ctx, files, out or FOLDER, patterns)


def _one(ctx: click.Context, file: Path, out: Path | None) -> None:
    from bluke.errors import ReplayError
    from bluke.replay.page.game import game_page
    from bluke.replay.reader import read_replay

    target = Path(f"{stem(file.name)}.html") if out is None else out
    if target.is_dir():
        target /= f"{stem(file.name)}.html"
    _spare(target)
    try:
        made = game_page(read_replay(file))
    except ReplayError as error:
        _say(f"error: {error}", err=True)
        ctx.exit(1)
    _write(ctx, target, made.html)
    hands, steps = counted(made.hands, "hand"), counted(made.steps, "step")
    _say(f"{target}: {hands}, {steps}, {len(made.html.encode()) / 1000:.0f} kB")
    _say(f"open it    {_address(target)}")
    _say(f"at a move  {_address(target)}#{made.example}")


def _many(ctx: click.Context, files: Sequence[Path], out: Path, patterns: tuple[str, ...]) -> None:
    from bluke.replay.page.index import BROKEN, glance, index_page

    if out.is_file():
        raise click.BadParameter(f"{out} is a file, and several games need a folder", param_hint="--out")
    sources = list(_sources(files))
    _spare(out / "index.html")
    with _progress(sources, "Reading") as shown:
        entries: list[Entry] = [glance(source.path) for source in shown]
    picked = [i for i, entry in enumerate(entries) if entry.status != BROKEN and _is_picked(entry, patterns, entries)]
    if patterns and not picked:
        raise click.BadParameter(f"none of {len(entries)} games is like {' or '.join(patterns)}", param_hint="--games")
    with _progress(picked, "Making pages") as chosen:
        for i in chosen:
            entries[i] = _make(ctx, sources[i], out, entries[i])
    for i, source in enumerate(sources):
        if not entries[i].page and entries[i].status != BROKEN:
            entries[i] = _linked(entries[i], source, out)
    index = out / "index.html"
    _write(ctx, index, index_page(entries))
    broken = sum(entry.status == BROKEN for entry in entries)
    pages = sum(bool(entry.page) for entry in entries)
    _say(f"{index}: {counted(len(entries), 'file')}, {pages} with a page" + (f", {broken} broken" if broken else ""))
    _say(f"open it  {_address(index)}")
    if not picked and pages < len(entries) - broken:
        _say("For the page of a game name it with --games, or make it alone: bluke replay html FILE")
    if broken == len(entries):
        _say("error: none of the files can be read: the index says why", err=True)
        ctx.exit(1)


def _is_picked(entry: Entry, patterns: tuple[str, ...], entries: Sequence[Entry]) -> bool:
    if not patterns:
        return len(entries) <= PAGES
    words = (entry.game, entry.file, Path(entry.file).name, *entry.names)
    return any(fnmatchcase(word, pattern) for pattern in patterns for word in words)


def _make(ctx: click.Context, source: _Source, out: Path, entry: Entry) -> Entry:
    """Write the page of one game; the entry with its address, or with what is wrong."""
    from msgspec.structs import replace

    from bluke.errors import ReplayError
    from bluke.replay.page.game import game_page
    from bluke.replay.page.index import BROKEN
    from bluke.replay.reader import read_replay

    name = _page(source)
    try:
        made = game_page(read_replay(source.path), index="../" * name.count("/") + "index.html")
    except ReplayError as error:
        return replace(entry, status=BROKEN, error=str(error))
    _write(ctx, out / name, made.html)
    return replace(entry, page=_href(name))


def _linked(entry: Entry, source: _Source, out: Path) -> Entry:
    """The entry with the page that an earlier command made, if it is there and not older than the replay."""
    from msgspec.structs import replace

    try:
        made, played = (out / _page(source)).stat().st_mtime, source.path.stat().st_mtime
    except OSError:
        return entry
    return replace(entry, page=_href(_page(source))) if made >= played else entry


def _href(name: str) -> str:
    """A path as an address; names of files need not be text."""
    return quote(name, errors="surrogateescape")


def _page(source: _Source) -> str:
    return f"games/{source.name}.html"


def _sources(paths: Sequence[Path]) -> Iterator[_Source]:
    """All replays, each with a name that no other has."""
    names: set[str] = set()
    for path in paths:
        inner = _inside(path) if path.is_dir() else [path]
        root = path if path.is_dir() else path.parent
        for file in inner:
            plain = stem(file.relative_to(root).as_posix())
            name = plain
            number = 1
            while name in names:
                number += 1
                name = f"{plain}-{number}"
            names.add(name)
            yield _Source(file, name)


def _inside(folder: Path) -> list[Path]:
    found = replays_in(folder)
    if not found:
        raise click.BadParameter(f"there is no replay in the folder {folder}", param_hint="FILE...")
    return found


def _spare(target: Path) -> None:
    """Refuse to write over anything that is no page, a replay above all."""
    if target.name.endswith(ENDINGS):
        raise click.BadParameter(f"{target} would be taken for a replay: name a page .html", param_hint="--out")
    if not target.exists():
        return
    if not target.is_file():
        raise click.BadParameter(f"{target} is no file that a page could take the place of", param_hint="--out")
    try:
        with target.open("rb") as there:
            beginning = there.read(len(DOCTYPE))
    except OSError:
        # Why it cannot be read, writing will say.
        return
    if beginning and beginning != DOCTYPE:
        raise click.BadParameter(f"{target} is there already and is no page: name another file", param_hint="--out")


def _write(ctx: click.Context, path: Path, text: str) -> None:
    """Write a page whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_text(text, encoding="utf-8", newline="\n")
            part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        _say(f"error: {path} cannot be written: {error.strerror or error}", err=True)
        ctx.exit(1)


def _address(path: Path) -> str:
    return path.resolve().as_uri()


@contextmanager
def _progress(items: Sequence[Item], what: str) -> Iterator[Iterable[Item]]:
    """The items, with a bar on a terminal if there are many."""
    if len(items) <= 20 or not is_terminal(sys.stderr):
        yield items
        return
    with click.progressbar(items, label=what, file=sys.stderr) as bar:
        yield bar


def _say(text: str, *, err: bool = False) -> None:
    """Print text whatever a file is called."""
    say(visible(text), err=err)
