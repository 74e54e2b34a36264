"""The tables of the store; docs/store.md tells what each column holds."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

__all__ = ["VERSION", "bots", "faults", "games", "metadata", "records", "runs", "seats", "store"]

#: Another number is another form of these tables, and a store of it is made anew.
VERSION = 1


class Packed(TypeDecorator[Any]):
    """A list, kept as JSON text so that SQL can look into it."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: Any) -> None:  # noqa: ANN401 - a type such as list[int]
        """Keep values of this type."""
        super().__init__()
        self.kind = kind
        self._decode = msgspec.json.Decoder(kind).decode

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ANN401
        """Encode a value."""
        del dialect
        return None if value is None else msgspec.json.encode(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ANN401
        """Decode a value."""
        del dialect
        return None if value is None else self._decode(value)


metadata = MetaData()

store = Table("store", metadata, Column("version", Integer, primary_key=True))

records = Table(
    "records",
    metadata,
    Column("folder", Text, primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("match_id", Text),
    Column("fault", Text),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("folder", Text, nullable=False),
    Column("match_id", Text, nullable=False, unique=True),
    Column("started", DateTime, nullable=False, index=True),
    Column("finished", DateTime),
    Column("status", Text),
    Column("server", Text, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("per_board", Integer, nullable=False),
    Column("games", Integer, nullable=False),
    Column("variant", Text),
    Column("hands", Packed(list[int])),
    Column("bluke_led", Text),
    Column("cut", Text),
)

bots = Table(
    "bots",
    metadata,
    Column("bot_id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("author", Text, nullable=False),
    UniqueConstraint("name", "version", "digest"),
)

games = Table(
    "games",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("match_id", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("board", Integer, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("game_id", Text, nullable=False, index=True),
    Column("status", Text, nullable=False),
    Column("sizes", Packed(list[int]), nullable=False),
    Column("replay", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    sqlite_with_rowid=False,
)

seats = Table(
    "seats",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("bot_id", ForeignKey("bots.bot_id"), nullable=False),
    Column("points", Integer, nullable=False),
    Column("place", Integer),
    Column("played_out", Boolean, nullable=False),
    Column("bids_set", Integer, nullable=False),
    Column("bids_over", Integer, nullable=False),
    Column("bids_perfect", Integer, nullable=False),
    Column("bids", Packed(list[int]), nullable=False),
    Column("tricks", Packed(list[int]), nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("times", Packed(list[tuple[int, int]]), nullable=False),
    ForeignKeyConstraint(["run_id", "n"], ["games.run_id", "games.n"]),
    Index("ix_seats_bot_id", "bot_id"),
    sqlite_with_rowid=False,
)

faults = Table(
    "faults",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("fault", Integer, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("kind", Text, nullable=False, index=True),
    Column("hand", Integer, nullable=False),
    Column("detail", Text, nullable=False),
    ForeignKeyConstraint(["run_id", "n"], ["games.run_id", "games.n"]),
    sqlite_with_rowid=False,
)
