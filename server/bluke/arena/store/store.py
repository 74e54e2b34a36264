"""The results of all runs in one file, by which they are found and put together."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from sqlalchemy import bindparam, delete, func, insert, select

from bluke.arena.record import read_record
from bluke.arena.store.database import STORE, StoreError, begin, open_file, open_temporary, replace_file, told
from bluke.arena.store.games import found_games, played_by
from bluke.arena.store.intake import game_rows, record_problem, run_row
from bluke.arena.store.kinds import Kind, stored_rules
from bluke.arena.store.labels import BotKey, matches
from bluke.arena.store.schema import bots, faults, games, records, runs, seats
from bluke.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from sqlalchemy import BindParameter, ColumnElement, Connection, Engine

    from bluke.arena.record import EndRecord, GameRecord, RunRecord

__all__ = ["Contents", "Store", "StoredGame", "StoredRun", "Update", "add_run", "rebuild"]

RECORD = "results.jsonl"
#: Where run folders are unless a person says otherwise; elsewhere no run makes a store that nobody asked for.
RUNS = "runs"


class Stamp(NamedTuple):
    """What tells that a record has changed: it is only ever appended to."""

    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run.

    Attributes:
        run_id: its number in the store.
        folder: its folder, from that of the store.
        match: the id of its match.
        started: when, in UTC.
        kind: how many seats its tables had, and by which rules they played.
        per_board: games of a complete board.
        games: games that it has recorded.
    """

    run_id: int
    folder: str
    match: str
    started: datetime
    kind: Kind
    per_board: int
    games: int


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game, with the run that it belongs to and the bots of its seats."""

    run: StoredRun
    bots: tuple[BotKey, ...]
    game: GameRecord


@dataclass(frozen=True, slots=True)
class Update:
    """What came of bringing a store up to date.

    Attributes:
        read: records that were read, since they were new or had changed.
        faults: what is wrong with those that cannot be read, each with the name of its file.
        gone: folders of runs that are in the store and nowhere else any more.
    """

    read: int
    faults: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """How much is in a store."""

    runs: int
    games: int
    bots: int


class Store:
    """The store of a folder of runs: what the records below that folder say, and nothing else.

    Every method raises a `StoreError` where the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        """Open the store in a file, made if it is not there.

        Raises:
            StoreError: it cannot be used; the message says why, and what to do.
        """
        self.path = path
        self.root = path.parent
        self._engine: Engine = open_file(path)

    @classmethod
    def temporary(cls, root: Path) -> Self:
        """An empty store for the records below a folder, which is gone when it is closed."""
        self = cls.__new__(cls)
        self.path, self.root = root / STORE, root
        with told(self.path):
            self._engine = open_temporary()
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def add(self, folder: Path) -> None:
        """Take the record of a run folder, in the place of what the store has of the same match.

        Raises:
            ArenaError: it cannot be read, which is noted, and what the store had from it stays.
            ConfigError: the folder is not below that of the store.
        """
        name = self.name_of(folder)
        record = folder / RECORD
        try:
            stamp = _stamp(record)
        except OSError as error:
            raise ArenaError(f"{record}: cannot be read: {error.strerror}") from None
        try:
            run, played, end = _sound_record(record)
        except ArenaError as error:
            with told(self.path), begin(self._engine) as connection:
                _note(connection, name, stamp, fault=str(error).removeprefix(f"{record}: "))
            raise
        with told(self.path), begin(self._engine) as connection:
            if not self._has_more(connection, run.match, name, len(played)):
                _replace(connection, name, run, played, end)
            _note(connection, name, stamp, match_id=run.match)

    def update(self, watch: Callable[[Sequence[Path]], Iterable[Path]] = iter) -> Update:
        """Take every record below the store's folder that is new or has changed.

        Nothing is removed: only `rebuild` leaves out what has no record any more.

        Args:
            watch: is given the folders that are to be read, and yields them one by one.
        """
        with told(self.path), begin(self._engine, write=False) as connection:
            known = {row.folder: Stamp(row.size, row.mtime_ns) for row in connection.execute(select(records))}
        found = {self.name_of(folder): folder for folder in record_folders(self.root)}
        changed = [folder for name, folder in found.items() if _stamp_or_none(folder / RECORD) != known.get(name)]
        lost = []
        for folder in watch(changed):
            try:
                self.add(folder)
            except StoreError:
                raise
            except ArenaError as error:
                lost.append(str(error))
        with told(self.path), begin(self._engine, write=False) as connection:
            noted = connection.execute(select(records.c.folder, records.c.fault).where(records.c.fault.is_not(None)))
            wrong = {f"{found[row.folder] / RECORD}: {row.fault}" for row in noted if row.folder in found}
            gone = [name for name in connection.scalars(select(runs.c.folder)) if name not in found]
        return Update(len(changed), tuple(sorted(wrong.union(lost))), tuple(sorted(gone)))

    def contents(self) -> Contents:
        """How much is in it."""
        with told(self.path), begin(self._engine, write=False) as connection:
            return Contents(
                *(connection.scalar(select(func.count()).select_from(table)) or 0 for table in (runs, games, bots))
            )

    def runs(self) -> list[StoredRun]:
        """Every run, in the order in which they began."""
        with told(self.path), begin(self._engine, write=False) as connection:
            rows = connection.execute(select(runs).order_by(runs.c.started, runs.c.run_id)).all()
            return [
                StoredRun(
                    row.run_id,
                    row.folder,
                    row.match_id,
                    row.started.replace(tzinfo=UTC),
                    Kind(row.seats, stored_rules(row)),
                    row.per_board,
                    row.games,
                )
                for row in rows
            ]

    def bots(self) -> list[BotKey]:
        """Every bot that has played."""
        with told(self.path), begin(self._engine, write=False) as connection:
            return sorted(_bots(connection))

    def games(self, chosen: Collection[StoredRun], named: Collection[str] = ()) -> list[StoredGame]:
        """The games of some runs, in the order of their records.

        Args:
            chosen: the runs.
            named: only games of boards that all of these bots played, each called as `labels.matches` understands.
        """
        by_id = {run.run_id: run for run in chosen}
        with told(self.path), begin(self._engine, write=False) as connection:
            known = {bot_id: bot for bot, bot_id in _bots(connection).items()}
            # Written out, since there may be more runs than a statement may have parameters.
            ids: BindParameter[Any] = bindparam("runs", list(by_id), expanding=True, literal_execute=True)
            wanted: list[ColumnElement[bool]] = [games.c.run_id.in_(ids)]
            wanted += [played_by([bot_id for bot_id, bot in known.items() if matches(bot, text)]) for text in named]
            found = found_games(connection, wanted, known)
            return [StoredGame(by_id[run_id], here, game) for run_id, here, game in found]

    def copy_to(self, path: Path) -> None:
        """Put all of it into a file, in the place of what that holds."""
        replace_file(self._engine, path)

    def name_of(self, folder: Path) -> str:
        """How the store calls a folder.

        Raises:
            ConfigError: the folder is not below that of the store.
        """
        path, root = _absolute(folder), _absolute(self.root)
        if root not in path.parents:
            raise ConfigError(
                f"{folder} is not below {self.root}, whose runs are in {self.path}; "
                f"for others name their store: --store {folder.parent / STORE}"
            )
        return path.relative_to(root).as_posix()

    def _has_more(self, connection: Connection, match_id: str, name: str, played: int) -> bool:
        """Whether a match is in the store from another folder that is still there, and says as much: one is a copy."""
        row = connection.execute(select(runs.c.folder, runs.c.games).where(runs.c.match_id == match_id)).one_or_none()
        return (
            row is not None
            and row.folder != name
            and row.games >= played
            and _stamp_or_none(self.root / row.folder / RECORD) is not None
        )


def add_run(folder: Path) -> str | None:
    """Take a run that has ended into the store of the folder that it lies in.

    It is the last thing that a run does, and never fails it: the record has everything already.

    Returns:
        Why the run is not in the store and what to do, if it should be and is not.
    """
    root = _absolute(folder).parent
    if root.name != RUNS and not (root / STORE).exists():
        return None
    try:
        # By its name from here, if it has one, since the sentence is for people.
        with Store((folder.parent if folder.name else root) / STORE) as store:
            store.add(folder)
    except Exception as error:  # noqa: BLE001 - the record is on the disk; nothing here is worth an error
        why = str(error) if isinstance(error, ArenaError) else f"{type(error).__name__}: {error}"
        return f"this run is not in the store yet, and `bluke standings` will add it: {why}"
    return None


def rebuild(root: Path, watch: Callable[[Sequence[Path]], Iterable[Path]] = iter) -> tuple[Contents, Update]:
    """Make the store of a folder anew from all records below it; until it is whole the old one is there.

    Returns:
        How much is in it now, and what could not be read.

    Raises:
        ConfigError: there is no such folder, or there are no records below it.
        StoreError: it cannot be written.
    """
    if next(record_folders(root), None) is None:
        raise ConfigError(f"there are no runs below {root}: no folder there has a {RECORD}")
    with Store.temporary(root) as made:
        made.update(watch)
        made.copy_to(root / STORE)
    # What was recorded meanwhile went into the store that was written over.
    with Store(root / STORE) as store:
        found = store.update()
        return store.contents(), found


def record_folders(root: Path) -> Iterator[Path]:
    """Every folder below `root` that holds a record, in order; what lies within one, or is hidden, is not looked at."""
    for path, folders, files in os.walk(root):
        if RECORD in files and Path(path) != root:
            folders.clear()
            yield Path(path)
        else:
            folders[:] = sorted(name for name in folders if not name.startswith("."))


def _sound_record(path: Path) -> tuple[RunRecord, list[GameRecord], EndRecord | None]:
    """Read a record of which standings can be made.

    Raises:
        ArenaError: it is none; the message says where.
    """
    run, played, end = read_record(path)
    problem = record_problem(run, played)
    if problem is not None:
        raise ArenaError(f"{path}: {problem}")
    return run, played, end


def _absolute(path: Path) -> Path:
    """The path without `..`."""
    # `absolute` would leave them, and `resolve` follows links: a run folder may be one, to another disk.
    return Path(os.path.abspath(path))  # noqa: PTH100


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return Stamp(found.st_size, found.st_mtime_ns)


def _stamp_or_none(path: Path) -> Stamp | None:
    try:
        return _stamp(path)
    except OSError:
        return None


def _note(connection: Connection, name: str, stamp: Stamp, **what: str) -> None:
    """Note what a record was when it was read."""
    connection.execute(delete(records).where(records.c.folder == name))
    connection.execute(insert(records).values(folder=name, **stamp._asdict(), **what))


def _replace(
    connection: Connection, name: str, run: RunRecord, played: Sequence[GameRecord], end: EndRecord | None
) -> None:
    """Put a run and its games in the place of what there was of it."""
    # A folder that was used again holds another match, and the old one is nowhere any more.
    old = connection.scalars(
        select(runs.c.run_id).where((runs.c.match_id == run.match) | (runs.c.folder == name))
    ).all()
    for table in (faults, seats, games, runs):
        connection.execute(delete(table).where(table.c.run_id.in_(old)))
    row = {**run_row(run, end), "folder": name, "games": len(played)}
    run_id = connection.execute(insert(runs).values(row)).inserted_primary_key
    assert run_id is not None  # noqa: S101 - the table has one
    known = _bots(connection)
    authors = {bot.name: bot.author for bot in run.bots}

    def bot_id(bot: BotKey) -> int:
        if bot not in known:
            values = {**bot._asdict(), "author": authors.get(bot.name, "")}
            key = connection.execute(insert(bots).values(values)).inserted_primary_key
            assert key is not None  # noqa: S101 - the table has one
            known[bot] = key[0]
        return known[bot]

    rows = game_rows(run, played, run_id[0], bot_id)
    for table, values in ((games, rows.games), (seats, rows.seats), (faults, rows.faults)):
        if values:
            connection.execute(insert(table), values)


def _bots(connection: Connection) -> dict[BotKey, int]:
    return {BotKey(row.name, row.version, row.digest): row.bot_id for row in connection.execute(select(bots))}
