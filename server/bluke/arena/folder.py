"""The run folder: where a run keeps everything, and what of it a run that was killed has left behind."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from bluke.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from bluke.arena.compare import Comparison
    from bluke.arena.standings import Standings

__all__ = ["RunFolder"]

#: The disk's own trouble, as opposed to a folder that was badly chosen.
DISK_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EIO}
#: A file is written under another name first, so that there is never half of it under its own.
DRAFT = ".new"
#: Replays that are being written, and those that are being compressed.
UNFINISHED = {".part", ".tmp"}


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where a run keeps everything."""

    path: Path

    @property
    def config(self) -> Path:
        """The configuration in force."""
        return self.path / "arena.toml"

    @property
    def record(self) -> Path:
        """The results record."""
        return self.path / "results.jsonl"

    @property
    def seed(self) -> Path:
        """The match seed, until the run is complete; a seed that somebody typed is in the configuration instead."""
        return self.path / "seed"

    @property
    def standings(self) -> Path:
        """The standings."""
        return self.path / "standings.json"

    @property
    def comparison(self) -> Path:
        """What a comparison says of its two bots."""
        return self.path / "comparison.json"

    @property
    def report(self) -> Path:
        """The report, a page for a browser."""
        return self.path / "report.html"

    @property
    def replays(self) -> Path:
        """The folder of replays."""
        return self.path / "replays"

    @property
    def logs(self) -> Path:
        """The folder of the bots' logs."""
        return self.path / "bots"

    @property
    def referee_log(self) -> Path:
        """The referee's own log."""
        return self.path / "referee.log"

    def make(self, *, resumed: bool = False) -> None:
        """Make the folders, for a new run or, with `resumed`, for one that has a record.

        Raises:
            ConfigError: they cannot be made here, or there is a run in them already.
            ArenaError: the disk is full, or fails.
        """
        try:
            for folder in (self.replays, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            msg = f"the run folder {self.path} cannot be made: {error.strerror}; name another with --run"
            raise (ArenaError if error.errno in DISK_TROUBLE else ConfigError)(msg) from None
        if self.record.exists() and not resumed:
            msg = f"{self.path} holds a run already; name another folder with --run"
            raise ConfigError(msg)

    def clear(self, games: Collection[str]) -> None:
        """Remove what a run that was killed has left: drafts, and every replay of `games`, which are played again.

        Raises:
            ArenaError: the disk refuses.
        """
        try:
            for path in [*self.path.iterdir(), *self.replays.iterdir()]:
                unrecorded = path.parent == self.replays and path.name.partition(".")[0] in games
                if unrecorded or path.suffix in UNFINISHED or path.suffix == DRAFT:
                    path.unlink()
        except OSError as error:
            msg = f"{error.filename}: cannot be removed: {error.strerror}"
            raise ArenaError(msg) from None

    def write_standings(self, standings: Standings) -> None:
        """Write the standings.

        Raises:
            ArenaError: the disk refuses.
        """
        self.write(self.standings, msgspec.json.format(msgspec.json.encode(standings), indent=1).decode() + "\n")

    def write_comparison(self, comparison: Comparison) -> None:
        """Write what a comparison says.

        Raises:
            ArenaError: the disk refuses.
        """
        self.write(self.comparison, msgspec.json.format(msgspec.json.encode(comparison), indent=1).decode() + "\n")

    def write_seed(self, seed: bytes) -> None:
        """Keep the match seed where no other user of this machine can read it.

        Raises:
            ArenaError: the disk refuses.
        """
        self.write(self.seed, seed.hex() + "\n", mode=0o600)

    def read_seed(self) -> bytes:
        """The match seed that was kept.

        Raises:
            ConfigError: it is not there, or is none.
        """
        try:
            return bytes.fromhex(self.seed.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not hexadecimal"
            msg = f"{self.seed}: cannot be read: {why}; without its seed this run cannot go on"
            raise ConfigError(msg) from None

    def forget_seed(self) -> None:
        """Remove the match seed, which stands elsewhere now.

        Raises:
            ArenaError: the disk refuses.
        """
        try:
            self.seed.unlink(missing_ok=True)
        except OSError as error:
            msg = f"{self.seed}: cannot be removed: {error.strerror}"
            raise ArenaError(msg) from None

    def write(self, path: Path, text: str, *, mode: int = 0o666) -> None:
        """Write a whole file of the folder, or leave the one that is there.

        Raises:
            ArenaError: the disk refuses.
        """
        draft = path.with_name(path.name + DRAFT)
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            msg = f"{path}: cannot be written: {error.strerror}; make room"
            raise ArenaError(msg) from None
