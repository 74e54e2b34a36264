"""The file of the store: opening it, transactions, and what its failures mean to a person."""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool, StaticPool

from bluke.arena.store import schema
from bluke.errors import ArenaError, RuleError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["STORE", "StoreError", "begin", "open_file", "open_temporary", "replace_file", "told"]

#: The name of the file, in the folder whose records it holds.
STORE = "store.sqlite"
#: How long another process that writes is waited for.
BUSY_SECONDS = 5.0
#: A commit need not reach the disk at once: what the store may lose, the records still have.
PRAGMAS = ("synchronous = normal",)

BUSY = ("another process is writing to it", "try again when that is over")
#: What SQLite's errors, by the beginning of their names, mean here, and what is to be done if not to make it anew.
TROUBLES: dict[str, tuple[str, str | None]] = {
    "SQLITE_BUSY": BUSY,
    "SQLITE_LOCKED": BUSY,
    "SQLITE_FULL": ("the disk is full", "make room"),
    "SQLITE_NOTADB": ("it is no database, or a broken one", None),
    "SQLITE_CORRUPT": ("it is broken", None),
    "SQLITE_CANTOPEN": ("it cannot be opened", "see that its folder is there and can be written to"),
    "SQLITE_READONLY": ("it cannot be written to", "see to its permissions and those of its folder"),
}


class StoreError(ArenaError):
    """The store cannot be used; the records can."""


def open_file(path: Path) -> Engine:
    """Open the store in a file, made if it is not there.

    Raises:
        StoreError: it cannot be used.
    """
    # No pool: the file is closed after each use, so that nothing of SQLite's stays beside it.
    engine = create_engine(
        URL.create("sqlite", database=str(path)), poolclass=NullPool, connect_args={"timeout": BUSY_SECONDS}
    )
    _configure(engine)
    with told(path):
        with begin(engine, write=False) as connection:
            new = _is_new(connection)
        if new:
            with begin(engine) as connection:
                # Another process may have been quicker.
                if _is_new(connection):
                    _make(connection)
        _write_ahead(engine)
    return engine


def open_temporary() -> Engine:
    """Open an empty store that is gone when it is closed, on disk if it grows large."""
    # SQLite's own: a database without a name is such a file.
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(""), poolclass=StaticPool)
    _configure(engine)
    with begin(engine) as connection:
        _make(connection)
    return engine


@contextmanager
def begin(engine: Engine, *, write: bool = True) -> Iterator[Connection]:
    """A transaction: all that is read in it is of one moment, and what is written in it is written whole or not."""
    how = "BEGIN IMMEDIATE" if write else "BEGIN"
    with engine.execution_options(begin=how).begin() as connection:
        yield connection


def replace_file(engine: Engine, path: Path) -> None:
    """Put all that a store holds into a file, in one transaction of that file.

    The file is written over, not renamed over: SQLite's log lies beside it under its name, and would be taken for
    that of the new file by whoever has the old one open.

    Raises:
        StoreError: it cannot be written, or is somebody else's database.
    """
    with told(path):
        try:
            _copy(engine, path)
        except sqlite3.DatabaseError as error:
            if not _name(error).startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
                raise
            for suffix in ("", "-wal", "-shm", "-journal"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            _copy(engine, path)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Errors in here are told to a person.

    Raises:
        StoreError: with what is wrong with the file at `path`, and what to do.
    """
    try:
        yield
    except DBAPIError as error:
        _raise(path, error.orig)
    except (sqlite3.Error, SQLAlchemyError, OSError) as error:
        _raise(path, error)
    # A row that holds what was never put into it.
    except (ValueError, LookupError, msgspec.MsgspecError, RuleError) as error:
        raise StoreError(f"{path}: it is broken: {error}; {_again(path)}") from None


def _raise(path: Path, error: BaseException | None) -> NoReturn:
    name = _name(error)
    reason = error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]
    known = (trouble for begins, trouble in TROUBLES.items() if name.startswith(begins))
    trouble, cure = next(known, (reason, None))
    raise StoreError(f"{path}: {trouble}; {cure or _again(path)}") from None


def _again(path: Path) -> str:
    """How a store is made anew."""
    if path.name == STORE:
        return f"make it anew with `bluke store rebuild {shlex.quote(str(path.parent))}`"
    return "move it away, and it is made anew"


def _name(error: BaseException | None) -> str:
    """SQLite's name for an error, such as SQLITE_BUSY."""
    return getattr(error, "sqlite_errorname", "")


def _configure(engine: Engine) -> None:
    """Let transactions begin as this module says, and set what SQLite forgets with each connection."""

    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, _: Any) -> None:  # noqa: ANN401 - the pool's record of it
        # Python's module would begin transactions where it pleases.
        connection.isolation_level = None
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def _write_ahead(engine: Engine) -> None:
    """Let readers and a writer work side by side; the file remembers it."""
    connection = engine.raw_connection()
    try:
        # Whoever is refused this works as well without, and another time with it.
        with suppress(sqlite3.OperationalError):
            connection.cursor().execute("PRAGMA journal_mode = wal")
    finally:
        connection.close()


def _is_new(connection: Connection) -> bool:
    """Whether nothing is in the file yet.

    Raises:
        StoreError: it is another version's, or no store.
    """
    path = Path(connection.engine.url.database or "")
    tables = inspect(connection).get_table_names()
    if not tables:
        return True
    if schema.store.name not in tables:
        raise StoreError(f"{path}: it is a database, but no store of results; move it away, or name another")
    version = connection.scalar(select(schema.store.c.version))
    if version != schema.VERSION:
        raise StoreError(
            f"{path}: another version of bluke made it, in form {version}, not {schema.VERSION}; {_again(path)}"
        )
    return False


def _make(connection: Connection) -> None:
    schema.metadata.create_all(connection)
    connection.execute(insert(schema.store).values(version=schema.VERSION))


def _copy(engine: Engine, path: Path) -> None:
    def check(status: int, _left: int, _pages: int) -> None:
        # Python would try for ever.
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreError(f"{path}: {'; '.join(BUSY)}")

    target = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        tables = {name for (name,) in target.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and schema.store.name not in tables:
            raise StoreError(f"{path}: it is a database, but no store of results; move it away, or name another folder")
        with engine.connect() as connection:
            source = connection.connection.driver_connection
            assert isinstance(source, sqlite3.Connection)  # noqa: S101 - no other has been opened
            source.backup(target, progress=check)
    finally:
        target.close()
