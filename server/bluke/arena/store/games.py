"""From the rows of the store to games again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

import msgspec
from sqlalchemy import Text, select, tuple_, type_coerce

from bluke.arena.record import FaultRecord, GameRecord
from bluke.arena.store.schema import faults, games, runs, seats
from bluke.wire.values import FaultKind, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import ColumnElement, Connection

    from bluke.arena.store.labels import BotKey

__all__ = ["found_games", "played_by"]

T = TypeVar("T")
_numbers_of = msgspec.json.Decoder(list[int]).decode
_times_of = msgspec.json.Decoder(list[tuple[int, int]]).decode
#: What is needed of a seat; lists are decoded later.
SEAT_COLUMNS = (
    *(seats.c[name] for name in ("bot_id", "points", "place", "played_out")),
    *(type_coerce(seats.c[name], Text) for name in ("bids", "tricks", "times")),
)
#: Rows that are fetched at once.
BATCH = 1000


class Lazy(Sequence[T]):
    """Lists of a game, one for each seat, decoded when they are asked for: all games of a store have millions."""

    __slots__ = ("_decode", "_texts")

    def __init__(self, decode: Callable[[str], T], texts: Sequence[str]) -> None:
        """Hold the JSON of each seat."""
        self._decode = decode
        self._texts = texts

    @overload
    def __getitem__(self, seat: int) -> T: ...
    @overload
    def __getitem__(self, seat: slice) -> list[T]: ...
    def __getitem__(self, seat: int | slice) -> T | list[T]:
        if isinstance(seat, slice):
            return [self._decode(text) for text in self._texts[seat]]
        return self._decode(self._texts[seat])

    def __len__(self) -> int:
        return len(self._texts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self._texts))


def found_games(
    connection: Connection, wanted: Sequence[ColumnElement[bool]], bots: Mapping[int, BotKey]
) -> Iterator[tuple[int, tuple[BotKey, ...], GameRecord]]:
    """The games that are as `wanted`, in the order of their records; `bots` knows every bot.

    Yields:
        The id of the run, the bots of the seats, and the game.
    """
    batches = connection.execution_options(yield_per=BATCH)
    order = games.c.run_id, games.c.n
    charged = batches.execute(select(faults).join_from(games, faults).where(*wanted).order_by(*order, faults.c.fault))
    by_game = {key: list(rows) for key, rows in groupby(charged, attrgetter("run_id", "n"))}
    seated = batches.execute(
        select(*SEAT_COLUMNS).join_from(games, seats).where(*wanted).order_by(*order, seats.c.seat)
    )
    # As many rows of seats follow for each game as its run has seats.
    table = select(games, runs.c.seats).join_from(games, runs).where(*wanted).order_by(*order)
    for row in batches.execute(table):
        ids, *columns = zip(*islice(seated, row.seats), strict=True)
        here = tuple(bots[bot_id] for bot_id in ids)
        yield row.run_id, here, _game(row, here, columns, by_game.get((row.run_id, row.n), ()))


def played_by(bot_ids: Sequence[int]) -> ColumnElement[bool]:
    """That a game is of a board that one of these bots played, in this game or in another of the board."""
    other = games.alias()
    boards = (
        select(other.c.run_id, other.c.match_id, other.c.board)
        .join_from(other, seats, (seats.c.run_id == other.c.run_id) & (seats.c.n == other.c.n))
        .where(seats.c.bot_id.in_(bot_ids))
    )
    return tuple_(games.c.run_id, games.c.match_id, games.c.board).in_(boards)


def _game(game: Any, bots: Sequence[BotKey], columns: Sequence[Sequence[Any]], charged: Iterable[Any]) -> GameRecord:  # noqa: ANN401
    """The game that `intake.game_rows` made these rows from."""
    points, places, played_out, bids, tricks, times = columns
    return GameRecord(
        match=game.match_id,
        number=game.number,
        board=game.board,
        rotation=game.rotation,
        game=game.game_id,
        bots=[bot.name for bot in bots],
        versions=[bot.version for bot in bots],
        status=Status(game.status),
        totals=list(points),
        places=None if None in places else list(places),
        faults=[
            FaultRecord(seat=fault.seat, kind=FaultKind(fault.kind), hand=fault.hand, detail=fault.detail)
            for fault in charged
        ],
        played_out=[seat for seat, out in enumerate(played_out) if out],
        sizes=game.sizes,
        # Sequences that serve as the lists which they stand for.
        bids=cast("list[list[int]]", Lazy(_numbers_of, bids)),
        tricks=cast("list[list[int]]", Lazy(_numbers_of, tricks)),
        times=cast("list[list[tuple[int, int]]]", Lazy(_times_of, times)),
        replay=game.replay,
        seconds=game.seconds,
    )
