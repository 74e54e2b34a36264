"""Writing the replay of one game while it is played."""

from __future__ import annotations

import gzip
import hashlib
import os
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.json import Encoder

from bluke.replay.records import EndLine, FaultLine, Header, Record, clean, draw_line, event_line, game_line
from bluke.rules import Asked, CutRule, Dealt, Draw, Event, Scored

if TYPE_CHECKING:
    from pathlib import Path

    from bluke.wire.values import FaultKind, GameResult

__all__ = ["MAX_TEXT_BYTES", "ReplayWriter"]

#: What is kept of a note and of an answer, in bytes of UTF-8.
MAX_TEXT_BYTES = 1024


class ReplayWriter:
    """Writes `GAME.jsonl.part` hand by hand, and turns it into `GAME.jsonl` when the game is finished.

    Lines wait in memory, and are encoded and go to the operating system at the end of each hand: many together cost
    much less than one at a time, while a bot waits. Only `finish` waits for the disk. A file of the same game is
    replaced.

    Args:
        folder: where the file goes; made if it is not there.
        header: the first line.
        compress: whether the finished file is `GAME.jsonl.gz` instead.

    Raises:
        ValueError: the id of the game is no file name.
        OSError: the disk refuses. Every method but `abandon` may raise it; call `abandon` then.
    """

    __slots__ = ("_compress", "_encode", "_folder", "_handle", "_lines", "_name", "_part", "_player_cuts", "_sha256")

    def __init__(self, folder: Path, header: Header, *, compress: bool = False) -> None:
        """Open the file and note the header."""
        name = header.game
        if not name or name.startswith(".") or not set(name).isdisjoint("/\\:\0"):
            raise ValueError(f"{name!r} cannot be the name of a file")
        self._folder = folder
        self._name = f"{name}.jsonl"
        self._compress = compress
        self._player_cuts = header.rules.cut is CutRule.PLAYER
        self._sha256 = hashlib.sha256()
        self._encode = Encoder().encode_lines
        self._lines: list[Record] = [game_line(header)]
        folder.mkdir(parents=True, exist_ok=True)
        self._part = folder / f"{self._name}.part"
        self._handle = self._part.open("wb")

    def draw(self, draw: Draw) -> None:
        """Write the draw for the deal."""
        self._lines.append(draw_line(draw))
        self._flush()

    def copy(self, lines: bytes) -> None:
        """Take over the lines of another file that follow its first, each with its line end, as they are."""
        self._flush()
        self._write(lines)

    def record(
        self,
        event: Event,
        *,
        ms: float | None = None,
        note: str | None = None,
        by_referee: bool = False,
        forced: bool = False,
    ) -> None:
        """Write one event of the game.

        Args:
            event: events come in the order of `Game.events`, each once.
            ms: what the referee measured of the decision in milliseconds, `None` if nothing. It is written for
                bids and plays, and for a hand whose cut a seat was asked for.
            note: what the bot said about the decision; what is over 1 KiB of UTF-8 is cut off.
            by_referee: whether the referee made the move for the seat.
            forced: whether a person chose the move, for a branch.
        """
        if ms is not None:
            ms = round(ms, 3)
        note = clean(note, MAX_TEXT_BYTES) if note else ""
        if isinstance(event, Dealt) and not (self._player_cuts and event.cut is not None):
            # No seat decided anything.
            ms, note, by_referee, forced = None, "", False, False
        self._lines.append(event_line(event, ms, note, "referee" if by_referee else None, forced))
        if isinstance(event, Scored):
            self._flush()

    def fault(
        self, *, hand: int, seat: int, kind: FaultKind, asked: Asked | None, detail: str, answer: str | None = None
    ) -> None:
        """Write a fault that was charged to `seat`, before the move that the referee makes in its place.

        Args:
            hand: the hand being played.
            seat: who is charged.
            kind: the one cause that is recorded.
            asked: what the seat was being asked, `None` if nothing.
            detail: what happened, as a sentence.
            answer: what the seat sent; what is over 1 KiB of UTF-8 is cut off.
        """
        line = FaultLine(hand, seat, kind, asked, clean(detail), clean(answer or "", MAX_TEXT_BYTES))
        self._lines.append(line)

    def finish(
        self, result: GameResult, *, game_seed: bytes, match_seed: bytes | None = None, finished: datetime
    ) -> Path:
        """Write the last line, bring everything to the disk and give the file its final name.

        It waits for the disk: call it in a worker thread. Nothing can be recorded afterwards.

        Args:
            result: how the game ended.
            game_seed: the 32 bytes that the header committed to.
            match_seed: the seed of the match, if it may be told.
            finished: when, with a time zone.

        Returns:
            The finished file.
        """
        self._flush()
        end = EndLine(
            status=result.status,
            totals=result.totals,
            places=result.places,
            faults=result.faults,
            played_out=tuple(sorted(result.played_out)),
            reason=clean(result.reason),
            game_seed=game_seed.hex(),
            match_seed=None if match_seed is None else match_seed.hex(),
            finished=finished.astimezone(UTC),
            sha256=self._sha256.hexdigest(),
        )
        self._lines.append(end)
        self._flush()
        os.fsync(self._handle.fileno())
        self._handle.close()
        if self._compress:
            final = self._folder / f"{self._name}.gz"
            self._pack(final)
        else:
            final = self._folder / self._name
            self._part.replace(final)
        _sync_folder(self._folder)
        return final

    def abandon(self) -> None:
        """Close the file and leave it as `GAME.jsonl.part`, with all that the disk will still take.

        It never raises and may be called at any time, again too.
        """
        if self._handle.closed:
            return
        with suppress(OSError):
            self._flush()
        # A failed write is tried again by close, which fails again but closes.
        with suppress(OSError):
            self._handle.close()

    def _flush(self) -> None:
        if self._lines:
            data = self._encode(self._lines)
            # Forgotten before they are written: what a failed write has taken must not be written twice.
            self._lines.clear()
            self._write(data)

    def _write(self, data: bytes) -> None:
        self._sha256.update(data)
        self._handle.write(data)
        self._handle.flush()

    def _pack(self, final: Path) -> None:
        """Compress the whole `.part` file into `final` and remove it."""
        packing = final.with_name(f"{final.name}.tmp")
        try:
            with packing.open("wb") as handle:
                # No time in it: equal games make equal files.
                handle.write(gzip.compress(self._part.read_bytes(), 6, mtime=0))
                handle.flush()
                os.fsync(handle.fileno())
            packing.replace(final)
        except OSError:
            packing.unlink(missing_ok=True)
            raise
        self._part.unlink()


def _sync_folder(folder: Path) -> None:
    # The new name is on the disk only when the folder is; Windows cannot open folders and needs not.
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
