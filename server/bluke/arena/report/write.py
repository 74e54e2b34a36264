"""The thin part: reads a run folder, and writes its page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog

from bluke.arena.folder import RunFolder
from bluke.arena.record import read_record
from bluke.arena.report.page import bots_of, games_per_board, make_report
from bluke.arena.report.places import Places
from bluke.arena.report.sound import problem
from bluke.arena.standings import make_standings
from bluke.errors import ArenaError
from bluke.replay.text import visible

if TYPE_CHECKING:
    from bluke.arena.standings import Standings

__all__ = ["try_report", "write_report"]

log = structlog.get_logger(__name__)


def write_report(
    folder: Path, standings: Standings | None = None, *, to: Path | None = None, command: str = "bluke"
) -> Path:
    """Write the page of the run in `folder`.

    Args:
        folder: the run folder.
        standings: what its games say, if that is known already.
        to: the file; `report.html` in the folder unless it is named.
        command: how a person calls `bluke`.

    Returns:
        The file.

    Raises:
        ArenaError: there is no record, it is none, or the file cannot be written.
    """
    files = RunFolder(folder)
    target = to or files.report
    run, games, end = read_record(files.record)
    wrong = problem(run, games)
    if wrong is not None:
        raise ArenaError(f"{files.record}: {visible(wrong)}, so there is nothing to report")
    if standings is None:
        standings = make_standings(games, bots_of(run, games), games_per_board(run))
    places = Places(folder=str(folder), base=_base(folder, target.parent), command=command)
    files.write(target, make_report(run, games, end, standings, places))
    return target


def try_report(folder: Path, standings: Standings | None = None, *, command: str = "bluke") -> Path | None:
    """Write the page of a run that was just played; a run without its page is one all the same.

    Returns:
        The file, or `None` if it could not be written; the log says why.
    """
    try:
        return write_report(folder, standings, command=command)
    except Exception:
        # Whatever it was: the games are recorded, and `bluke report` will say the same.
        log.exception("the report could not be written", folder=str(folder))
        return None


def _base(folder: Path, start: Path) -> str:
    """The beginning of links to the run folder from another."""
    if folder.resolve() == start.resolve():
        return ""
    try:
        # The dot, so that no name can pass for the scheme of an address.
        return "./" + quote(Path(os.path.relpath(folder.resolve(), start.resolve())).as_posix())
    except ValueError:  # another drive
        return folder.resolve().as_uri()
