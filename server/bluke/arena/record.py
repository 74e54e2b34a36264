"""The results record: one append-only file that is the truth about a run (`results.jsonl`)."""

from __future__ import annotations

import asyncio
import errno
import io
import math
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

import msgspec
import structlog

from bluke.arena.machine import Machine
from bluke.errors import ArenaError, ConfigError
from bluke.wire.values import FaultKind, Status

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from bluke.arena.schedule import Fixture
    from bluke.referee import Finished

__all__ = [
    "BotRecord",
    "DecisionTimes",
    "EndRecord",
    "FaultRecord",
    "GameRecord",
    "Record",
    "RecordFile",
    "RunRecord",
    "game_record",
    "read_record",
]

log = structlog.get_logger(__name__)

FORMAT = "bluke-results/1"


class DecisionTimes:
    """How long decisions took, as counts in classes that are each 5% wide, so that games can be added up."""

    STEP = math.log(1.05)
    #: Times up to this, in milliseconds, share class 0.
    LEAST = 0.01

    def __init__(self, counts: Iterable[tuple[int, int]] = ()) -> None:
        """Begin with counts by class."""
        self.counts: Counter[int] = Counter(dict(counts))

    def add(self, times_ms: Iterable[float]) -> None:
        """Count some times."""
        for ms in times_ms:
            self.counts[max(0, math.ceil(math.log(max(ms, self.LEAST) / self.LEAST) / self.STEP))] += 1

    def quantile(self, q: float) -> float | None:
        """The time in milliseconds, to 5%, that a share `q` of the decisions did not exceed; `None` without any."""
        wanted = q * self.counts.total()
        seen = 0
        for step in sorted(self.counts):
            seen += self.counts[step]
            if seen >= wanted:
                return self.LEAST * math.exp(step * self.STEP)
        return None


class BotRecord(msgspec.Struct, kw_only=True):
    """One bot of the roster.

    Attributes:
        name: the name under which results are booked.
        author: who wrote it, if the roster says so.
        digest: a hash of its command and its files: another digest is another bot.
    """

    name: str
    author: str
    digest: str


class RunRecord(msgspec.Struct, tag="run", kw_only=True):
    """The first line: what was to be played.

    Attributes:
        format: the form of the record.
        match: the id of the match.
        started: when.
        server: the referee and its version.
        bots: the roster; empty where bots come as they like.
        seats: seats at a table.
        boards: how many deals.
        games: how many games; 0 for as many as there will be.
        board: the only board that is played, `None` for all.
        config: the whole configuration but its seed, `None` where bots come as they like.
        machine: where it was begun.
        rules: the rules, where there is no configuration.
    """

    format: str = FORMAT
    match: str
    started: datetime
    server: str
    bots: list[BotRecord]
    seats: int
    boards: int
    games: int
    board: int | None = None
    config: dict[str, Any] | None = None
    rules: dict[str, Any] | None = None
    machine: Machine | None = None


class FaultRecord(msgspec.Struct, kw_only=True):
    """One fault."""

    seat: int
    kind: FaultKind
    hand: int
    detail: str


class GameRecord(msgspec.Struct, tag="game", kw_only=True):
    """One game that is over; lists have one entry for each seat.

    Attributes:
        match: the match it belongs to; a referee that is asked for matches plays several.
        number: its number in the schedule.
        board: its deal in that match.
        rotation: the number of its arrangement among those of its board; a cyclic one is how far the seats were turned.
        game: its id.
        bots: who sat where, by name.
        versions: what each of them called its version.
        status: how it ended; a void game counts for nobody.
        totals: points.
        places: places; `None` for a void game.
        faults: faults charged, in order.
        played_out: seats that the referee took over.
        sizes: cards of each hand that was scored; it is for hands what the other lists are for seats.
        bids: bids, by hand.
        tricks: tricks taken, by hand.
        times: decision times by class, as `[class, count]`.
        replay: the replay file, from the run folder.
        seconds: how long it took.
    """

    match: str
    number: int
    board: int
    rotation: int
    game: str
    bots: list[str]
    versions: list[str]
    status: Status
    totals: list[int]
    places: list[int] | None
    faults: list[FaultRecord]
    played_out: list[int]
    sizes: list[int]
    bids: list[list[int]]
    tricks: list[list[int]]
    times: list[list[tuple[int, int]]]
    replay: str
    seconds: float

    @property
    def forfeited(self) -> bool:
        """Whether not everybody played to the end: a seat was played out by the referee, or a fault ended the game."""
        return bool(self.played_out) or self.status is Status.FORFEITED


class EndRecord(msgspec.Struct, tag="end", kw_only=True):
    """How the run ended; games after it were played when the run was taken up again.

    Attributes:
        status: `complete`, `stopped` or `failed`.
        finished: when.
        match_seed: the match seed, as soon as it is no secret.
    """

    status: str
    finished: datetime
    match_seed: str | None


Record = RunRecord | GameRecord | EndRecord


def game_record(fixture: Fixture, bots: Sequence[str], finished: Finished, folder: Path) -> GameRecord:
    """What is kept of a finished game of a run in `folder`; `bots` names the roster."""
    result = finished.result
    seats = range(len(fixture.lineup))
    times = []
    for decisions in finished.decision_ms:
        counted = DecisionTimes()
        counted.add(decisions)
        times.append(sorted(counted.counts.items()))
    return GameRecord(
        match=finished.spec.match.match_id,
        number=fixture.number,
        board=fixture.board,
        rotation=fixture.rotation,
        game=finished.spec.game_id,
        bots=[bots[bot] for bot in fixture.lineup],
        versions=[player.version for player in finished.players],
        status=result.status,
        totals=list(result.totals),
        places=None if result.places is None else list(result.places),
        faults=[
            FaultRecord(seat=fault.seat, kind=fault.kind, hand=fault.hand, detail=fault.detail)
            for fault in finished.faults
        ],
        played_out=list(result.played_out),
        sizes=[sum(hand.tricks) for hand in finished.hands],
        bids=[[hand.bids[seat] for hand in finished.hands] for seat in seats],
        tricks=[[hand.tricks[seat] for hand in finished.hands] for seat in seats],
        times=times,
        replay=str(finished.replay.relative_to(folder)),
        seconds=round((finished.finished - finished.started).total_seconds(), 3),
    )


class RecordFile:
    """The record of a run that is going on, held by its writer: no other process can open it this way meanwhile.

    A thread of its own writes it: lines keep their order, and no clock runs while a disk is waited for.
    A new record gets its name together with its first line, so a file of that name always says which run it is.
    """

    def __init__(self, path: Path, *, resumed: bool = False) -> None:
        """Open a new record or, with `resumed`, one that is there, whose last line is cut off if it was torn.

        Raises:
            ConfigError: another process has it.
            ArenaError: it cannot be written.
        """
        self.path = path
        self._draft = None if resumed else path.with_name(path.name + ".new")
        self._length = 0
        try:
            self._file = _open_and_lock(path if self._draft is None else self._draft)
            if resumed:
                self._length = self._file.read().rfind(b"\n") + 1
            elif path.exists():
                self._give_up_draft()
                self._file.close()
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            self._file.truncate(self._length)
        except BlockingIOError:
            msg = f"another process plays this run: {path.parent}; wait until it has ended, or stop it"
            raise ConfigError(msg) from None
        except OSError as error:
            raise self._trouble(error) from None
        self._disk = ThreadPoolExecutor(1, "record")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._disk.shutdown()
        self._give_up_draft()
        with suppress(OSError):
            self._file.close()

    def _give_up_draft(self) -> None:
        """A record without a line is none."""
        if self._draft is not None:
            with suppress(OSError):
                self._draft.unlink()

    async def append(self, record: Record) -> None:
        """Add a line; it is on disk when this returns, and gets there even if nobody waits any more.

        Raises:
            ArenaError: the disk refuses; the record ends with the line before.
        """
        line = msgspec.json.encode(record) + b"\n"
        writing = asyncio.get_running_loop().run_in_executor(self._disk, self._write, line)
        try:
            await asyncio.shield(writing)
        except OSError as error:
            raise self._trouble(error) from None

    def _write(self, line: bytes) -> None:
        self._file.seek(self._length)
        try:
            left = memoryview(line)
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
            if self._draft is not None:
                self._draft.replace(self.path)
                self._draft = None
        except OSError:
            # Half a line would spoil the one after it.
            with suppress(OSError):
                self._file.truncate(self._length)
            raise
        self._length += len(line)

    def _trouble(self, error: OSError) -> ArenaError:
        return ArenaError(f"{self.path}: the results cannot be written: {error.strerror}; make room")


def _open_and_lock(path: Path) -> io.FileIO:
    """Open a file, made if it is not there, for this process alone.

    Raises:
        BlockingIOError: another process has it.
        OSError: it cannot be opened.
    """
    file = io.FileIO(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+")
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise
        except OSError as error:
            # Some network disks know no locks; the run is played there all the same.
            log.warning("the record cannot be locked", path=str(path), reason=error.strerror)
    return file


def read_record(path: Path) -> tuple[RunRecord, list[GameRecord], EndRecord | None]:
    """Read a record; a last line without its line end was torn and is left out.

    Returns:
        The run, its games, and how it ended if nothing was recorded after that.

    Raises:
        ArenaError: it is no record; the message says where.
    """
    decoder = msgspec.json.Decoder(Record)
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise ArenaError(msg) from None
    records: list[Record] = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            records.append(decoder.decode(line))
        # Deep nesting is a RecursionError, and what is not UTF-8 may be a UnicodeDecodeError.
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            msg = f"{path}: line {number}: {error}"
            raise ArenaError(msg) from None
    if not records or not isinstance(records[0], RunRecord) or records[0].format != FORMAT:
        msg = f"{path}: line 1: not a record of results in the form {FORMAT}"
        raise ArenaError(msg)
    games = [record for record in records if isinstance(record, GameRecord)]
    end = records[-1] if isinstance(records[-1], EndRecord) else None
    return records[0], games, end
