"""Looking on, and starting matches: `ArenaService` of the protocol."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import grpc
import structlog

from bluke.errors import BlukeError, ConfigError
from bluke.replay.reader import read_bytes
from bluke.v1 import arena_pb2 as arena_pb
from bluke.v1 import arena_pb2_grpc
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.convert import player_message, result_message

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from bluke.referee.bot import Identity
    from bluke.referee.server import Over, Referee
    from bluke.referee.table import Table

__all__ = ["ArenaService", "StandingRow"]

log = structlog.get_logger(__name__)

CHUNK_BYTES = 32 * 1024
Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True, slots=True)
class StandingRow:
    """One bot's row of the standings; `margin` is `None` where the boards do not say."""

    bot: str
    games: int
    points: float
    margin: float | None
    wins: int
    faults: int


class ArenaService(arena_pb2_grpc.ArenaServiceServicer):
    """Answers spectators and operators of one referee."""

    #: A watcher that is further behind than this is let go.
    MOST_BEHIND = 10_000

    def __init__(self, referee: Referee) -> None:
        """Look on at `referee`."""
        self._referee = referee

    async def _admit(self, context: Context, *, operator: bool = False) -> None:
        """Let in who may look on, or with `operator` who may act."""
        settings = self._referee.settings
        metadata = dict(context.invocation_metadata() or ())
        token = str(metadata.get("authorization", "")).removeprefix("Bearer ")
        # Only the file's tokens count here: a bot of a closed run could look at its own deal in another game.
        identity: Identity | None = None
        if token and settings.tokens is not None:
            try:
                identity = settings.tokens.identify(token)
            except ConfigError as error:
                log.error("the tokens cannot be read", error=str(error))  # noqa: TRY400 - a person's mistake
                text = "this referee cannot check tokens now, since its file of them cannot be read"
                await context.abort(grpc.StatusCode.UNAVAILABLE, text)
        if identity is None and not settings.open_door:
            text = "this needs a token of the referee's file, as metadata `authorization: Bearer TOKEN`"
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, text)
        if operator and not settings.open_door and not (identity is not None and identity.operator):
            text = "only an operator may do that: `bluke token add NAME --operator` makes one"
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, text)

    async def ListGames(  # noqa: N802 - the protocol's name
        self, _: arena_pb.ListGamesRequest, context: Context
    ) -> arena_pb.ListGamesResponse:
        """The games that are over, then those that are being played."""
        await self._admit(context)
        games = [_over(game) for game in self._referee.over]
        games += [_running(table) for table in self._referee.tables.values()]
        return arena_pb.ListGamesResponse(games=games)

    async def ListBots(  # noqa: N802
        self, _: arena_pb.ListBotsRequest, context: Context
    ) -> arena_pb.ListBotsResponse:
        """The bots that are connected or may still come back."""
        await self._admit(context)
        bots = [bot for name in sorted(self._referee.bots) for bot in self._referee.bots[name]]
        return arena_pb.ListBotsResponse(
            bots=[
                arena_pb.BotSummary(bot=bot.identity.name, player=player_message(bot.player), games=len(bot.tables))
                for bot in bots
            ]
        )

    async def GetStandings(  # noqa: N802
        self, _: arena_pb.GetStandingsRequest, context: Context
    ) -> arena_pb.GetStandingsResponse:
        """The standings of the games that count so far."""
        await self._admit(context)
        return arena_pb.GetStandingsResponse(
            standings=[
                arena_pb.Standing(
                    bot=row.bot,
                    games=row.games,
                    points=row.points,
                    margin=row.margin,
                    wins=row.wins,
                    faults=row.faults,
                )
                for row in self._referee.standings()
            ]
        )

    async def WatchGame(  # noqa: N802
        self, request: arena_pb.WatchGameRequest, context: Context
    ) -> AsyncIterator[arena_pb.WatchGameResponse]:
        """What has happened at a table, then what happens."""
        await self._admit(context)
        table = self._referee.tables.get(request.game_id)
        if table is None:
            text = f"no game {request.game_id!r} is being played; a finished one's replay can be fetched"
            await context.abort(grpc.StatusCode.NOT_FOUND, text)
        queue: asyncio.Queue[Sequence[play_pb.Event]] = asyncio.Queue(self.MOST_BEHIND)
        behind = asyncio.Event()

        def put(events: Sequence[play_pb.Event]) -> None:
            try:
                queue.put_nowait(events)
            except asyncio.QueueFull:
                behind.set()

        put(table.public_history())
        table.watchers.append(put)
        try:
            while True:
                events = await queue.get()
                yield arena_pb.WatchGameResponse(events=events)
                if events and events[-1].HasField("game_result"):
                    return
                if behind.is_set():
                    text = f"more than {self.MOST_BEHIND} messages behind"
                    await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, text)
        finally:
            if put in table.watchers:
                table.watchers.remove(put)

    async def FetchReplay(  # noqa: N802
        self, request: arena_pb.FetchReplayRequest, context: Context
    ) -> AsyncIterator[arena_pb.FetchReplayResponse]:
        """The replay of a finished game, once its deal is no secret."""
        await self._admit(context)
        finished = next((game for game in self._referee.over if game.game_id == request.game_id), None)
        if finished is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, f"no finished game {request.game_id!r} is known here")
        if not self._referee.is_revealed(finished.match_id, finished.deal):
            text = "another game on the same deal is still to be played; its cards are told after that"
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, text)
        try:
            data = await asyncio.to_thread(read_bytes, finished.replay)
        except (OSError, BlukeError):
            await context.abort(grpc.StatusCode.NOT_FOUND, "the replay file is no longer there")
        for at in range(0, len(data), CHUNK_BYTES):
            yield arena_pb.FetchReplayResponse(chunk=data[at : at + CHUNK_BYTES])

    async def StartMatch(  # noqa: N802
        self, request: arena_pb.StartMatchRequest, context: Context
    ) -> arena_pb.StartMatchResponse:
        """Ask for a match between connected bots."""
        await self._admit(context, operator=True)
        start = self._referee.start_match
        if start is None:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "this referee plays the matches of its own run")
        try:
            match_id, games = start(tuple(request.bots), request.boards)
        except BlukeError as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        return arena_pb.StartMatchResponse(match_id=match_id, games=games)


def _running(table: Table) -> arena_pb.GameSummary:
    return arena_pb.GameSummary(
        game_id=table.spec.game_id,
        match_id=table.spec.match.match_id,
        players=[player_message(bot.player) for bot in table.spec.bots],
        hand=table.game.hand,
        hands=len(table.game.schedule),
        result=play_pb.GameResult(
            status=play_pb.GAME_STATUS_RUNNING,
            totals=table.game.totals,
            faults=[seat.faults for seat in table.seats],
            played_out=[seat.number for seat in table.seats if seat.played_out],
        ),
    )


def _over(game: Over) -> arena_pb.GameSummary:
    return arena_pb.GameSummary(
        game_id=game.game_id,
        match_id=game.match_id,
        players=[player_message(player) for player in game.players],
        hand=game.hands - 1,
        hands=game.hands,
        result=result_message(game.result),
    )
