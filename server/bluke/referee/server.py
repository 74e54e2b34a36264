"""The referee as a server: who may connect, which games are on, and when each counts."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from bluke import __version__
from bluke.errors import ArenaError, ConfigError
from bluke.referee.arena_service import ArenaService, StandingRow
from bluke.referee.bot import Bot, Gone, Identity
from bluke.referee.clock import LagMeter
from bluke.referee.settings import Settings, check_exposure
from bluke.referee.spec import Finished, GameSpec, House
from bluke.referee.stream import Stream
from bluke.referee.table import Table
from bluke.referee.tokens import hash_token, new_token
from bluke.v1 import arena_pb2 as arena_pb
from bluke.v1 import arena_pb2_grpc
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.hello import hello_problem, limits_of_stream, refusal
from bluke.wire.session import PROTOCOLS
from bluke.wire.values import FaultKind, GameResult, Player, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from pathlib import Path

    MakeTable = Callable[[GameSpec, House, Callable[[Table], None]], Table]

__all__ = ["SERVER", "Over", "Referee"]

log = structlog.get_logger(__name__)

SERVER = f"bluke-arena {__version__}"


@dataclass(frozen=True, slots=True)
class Over:
    """What is remembered of a game that is over; see `Finished` and `GameSpec`."""

    game_id: str
    match_id: str
    deal: int
    hands: int
    players: tuple[Player, ...]
    result: GameResult
    replay: Path

    @classmethod
    def of(cls, finished: Finished) -> Over:
        """Take over what is worth remembering."""
        spec = finished.spec
        hands = len(spec.rules.schedule)
        return cls(
            spec.game_id, spec.match.match_id, spec.deal, hands, finished.players, finished.result, finished.replay
        )


class Referee:
    """A running referee.

    Use it as an async context manager; `address` is where bots dial it. Bots are let in by token
    (`expect`, or the file of the settings), or as guests, and games are played with `play`.
    """

    #: Games that are over are remembered for `ListGames` up to this number.
    REMEMBERED = 1000

    def __init__(self, settings: Settings) -> None:
        """Prepare; nothing listens yet.

        Raises:
            ConfigError: these settings would leave it open to strangers.
        """
        check_exposure(settings)
        self.settings = settings
        self.server = SERVER
        self.bots: dict[str, list[Bot]] = {}
        self.tables: dict[str, Table] = {}
        self.over: deque[Over] = deque(maxlen=self.REMEMBERED)
        self.on_arrival: Callable[[Bot], None] = lambda _: None
        self.on_departure: Callable[[Bot], None] = lambda _: None
        self.on_finished: Callable[[Finished], None] = lambda _: None
        self.standings: Callable[[], Sequence[StandingRow]] = list
        self.start_match: Callable[[Sequence[str], int], tuple[str, int]] | None = None
        self.draining = False
        self._revealed: set[tuple[str, int]] = set()
        self._expected: dict[str, Identity] = {}
        self._arrivals: dict[str, asyncio.Future[Bot]] = {}
        self._resumable: dict[bytes, Bot] = {}
        self._waiting: dict[str, asyncio.Future[Finished]] = {}
        self._sealed: dict[tuple[str, int], list[Table]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._lag_timer: asyncio.TimerHandle | None = None
        self._grpc: grpc.aio.Server | None = None
        self._health: health.aio.HealthServicer | None = None
        self._house: House | None = None
        self.address = settings.address

    # Coming and going of the server

    async def __aenter__(self) -> Self:
        """Listen.

        Raises:
            ConfigError: the address cannot be listened on.
        """
        loop = asyncio.get_running_loop()
        self._house = House(
            # Not the loop's own clock: uvloop's counts whole milliseconds.
            now=time.monotonic,
            call_at=lambda when, *call: loop.call_later(max(0.0, when - time.monotonic()), *call),
            lag=LagMeter(time.monotonic()),
            utc=lambda: datetime.now(UTC),
            replays=self.settings.replays,
            compress=self.settings.compress,
            server=self.server,
            max_note_bytes=self.settings.stream_limits.max_note_bytes,
        )
        self._tick()
        self._grpc = server = grpc.aio.server(
            options=[
                # A second server on the port would silently take half of the bots.
                ("grpc.so_reuseport", 0),
                # The session machine has the limit that bots are told; this is what is not even read.
                ("grpc.max_receive_message_length", 4 * self.settings.stream_limits.max_message_bytes),
                ("grpc.keepalive_time_ms", self.settings.keepalive_ms),
                ("grpc.http2.ping_timeout_ms", self.settings.ping_timeout_ms),
                # Bots may ping as they like; the default answers a second early ping with GOAWAY.
                ("grpc.http2.min_ping_interval_without_data_ms", 1000),
                ("grpc.http2.max_ping_strikes", 0),
            ]
        )
        server.add_generic_rpc_handlers((self._play_handler(),))
        arena_pb2_grpc.add_ArenaServiceServicer_to_server(ArenaService(self), server)
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        names = (
            play_pb.DESCRIPTOR.services_by_name["RefereeService"].full_name,
            arena_pb.DESCRIPTOR.services_by_name["ArenaService"].full_name,
            health_pb2.DESCRIPTOR.services_by_name["Health"].full_name,
            reflection.SERVICE_NAME,
        )
        reflection.enable_server_reflection(names, server)
        self.address = self._listen(server)
        if self.settings.socket is not None:
            server.add_insecure_port(f"unix:{self.settings.socket}")
        await server.start()
        for name in ("", *names[:2]):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        log.info("listening", address=self.address)
        return self

    def _listen(self, server: grpc.aio.Server) -> str:
        address = self.settings.address
        try:
            if self.settings.tls is None:
                port = server.add_insecure_port(address)
            else:
                tls = self.settings.tls
                port = server.add_secure_port(address, grpc.ssl_server_credentials([(tls.key, tls.certificate)]))
        except (RuntimeError, ValueError):
            msg = (
                f"cannot listen on {address}: the port is in use, or this machine has no such address, or "
                "the certificate is none; choose another port, or 0 for a free one"
            )
            raise ConfigError(msg) from None
        if address.startswith("unix:"):
            return address
        return f"{address.rpartition(':')[0]}:{port}"

    async def __aexit__(self, *_: object) -> None:
        """Void what is still being played, say goodbye, and stop listening."""
        await self.drain()
        self.void_all("the referee was stopped")
        await self._settled()
        for bot in [bot for bots in self.bots.values() for bot in bots]:
            bot.tell(play_pb.PlayResponse(goodbye=play_pb.Goodbye(reason="the referee closes")))
        # `stop` waits the whole grace for streams that are still open: let them end first.
        streams = [bot.stream for bots in self.bots.values() for bot in bots if bot.stream is not None]
        with suppress(TimeoutError):
            async with asyncio.timeout(Stream.FLUSH_SECONDS):
                await asyncio.gather(*(stream.closed.wait() for stream in streams))
        if self._grpc is not None:
            await self._grpc.stop(0.2)
        if self._lag_timer is not None:
            self._lag_timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def drain(self) -> None:
        """Take no new bots, and tell whoever asks for the server's health that it is not serving."""
        self.draining = True
        if self._health is not None:
            await self._health.enter_graceful_shutdown()

    async def _settled(self) -> None:
        while self._waiting:
            await asyncio.wait(list(self._waiting.values()))
            await asyncio.sleep(0)

    def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        house = self._in_house()
        house.lag.tick(time.monotonic())
        self._lag_timer = loop.call_later(house.lag.period, self._tick)

    def _play_handler(self) -> grpc.GenericRpcHandler:
        # Messages pass as bytes: the session machine parses them, so that garbage is an error of its own.
        async def play(_: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
            await Stream(self, context).run()

        service = play_pb.DESCRIPTOR.services_by_name["RefereeService"].full_name
        return grpc.method_handlers_generic_handler(service, {"Play": grpc.stream_stream_rpc_method_handler(play)})

    def own(self, task: asyncio.Task[Any]) -> None:
        """Keep a task until it ends, and end it with the referee."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Bots

    def expect(self, name: str) -> str:
        """Make a token for a bot that will be started; results are booked under `name`."""
        token = new_token()
        key = hash_token(token)
        self._expected[key] = Identity(name, key=key)
        self._arrivals[key] = asyncio.get_running_loop().create_future()
        return token

    async def arrival(self, token: str) -> Bot:
        """Wait for the bot with this token to be let in."""
        return await asyncio.shield(self._arrivals[hash_token(token)])

    def farewell(self, token: str, reason: str) -> None:
        """Say goodbye to the bot with this token, if it is here."""
        for bot in self._bots_of(token):
            bot.tell(play_pb.PlayResponse(goodbye=play_pb.Goodbye(reason=reason)))

    def forget(self, token: str, gone: Gone) -> None:
        """Take a token back: its bot will not come back."""
        bots = self._bots_of(token)
        key = hash_token(token)
        self._expected.pop(key, None)
        arrival = self._arrivals.pop(key, None)
        if arrival is not None:
            arrival.cancel()
        for bot in bots:
            self.dismiss(bot, gone)

    def _bots_of(self, token: str) -> list[Bot]:
        """The bot of a process that was started, and those of further streams that it has opened."""
        identity = self._expected.get(hash_token(token))
        if identity is None:
            return []
        return [bot for bot in self.bots.get(identity.name, ()) if bot.identity is identity]

    def identify(self, token: str) -> Identity | None:
        """Who has this token."""
        # The key is a hash of 256 random bits: how long its look-up takes tells nobody a token.
        found = self._expected.get(hash_token(token))
        if found is None and self.settings.tokens is not None:
            found = self.settings.tokens.identify(token)
        return found

    def greet(self, hello: play_pb.Hello, stream: Stream) -> play_pb.Welcome | play_pb.Refusal:
        """Answer a hello; a welcome has attached the stream to its bot."""
        identity = hello_problem(hello, self.settings.stream_limits, self.server) or self._identity(hello)
        bot = identity if isinstance(identity, play_pb.Refusal) else self._bot(hello, identity)
        if isinstance(bot, play_pb.Refusal):
            return bot
        self._attach(bot, stream)
        # Before the welcome is written: a bot that ends when it reads that has ended as one that had come.
        arrival = self._arrivals.get(hash_token(hello.token))
        if arrival is not None and not arrival.done():
            arrival.set_result(bot)
        return play_pb.Welcome(
            bot=bot.identity.name,
            name=bot.player.name,
            server=self.server,
            protocol=max(set(PROTOCOLS) & set(hello.protocols)),
            limits=limits_of_stream(self.settings.stream_limits, bot.max_games),
            resume_key=bot.resume_key,
            resumed=bool(hello.resume_key),
        )

    def _identity(self, hello: play_pb.Hello) -> Identity | play_pb.Refusal:
        """Who says hello, if anybody may come in who is that."""
        # Games that are being played go on while a referee drains: whoever is in one may take the seat back.
        if self.draining and hello.resume_key not in self._resumable:
            return self._refuse(play_pb.REFUSAL_REASON_CLOSING, "the referee is closing and takes no new bots", hello)
        try:
            identity = self.identify(hello.token)
        except ConfigError as error:
            # The file became unreadable while it was served: nobody is let in, and nobody but the log is told why.
            log.error("the tokens cannot be read", error=str(error))  # noqa: TRY400 - a person's mistake has no trace
            text = "this referee cannot check tokens now, since its file of them cannot be read; tell its operator"
            return self._refuse(play_pb.REFUSAL_REASON_TOKEN, text, hello)
        if identity is None and self.settings.open_door:
            # A token that nobody asked for, from an environment set up for another referee say, is no reason to refuse.
            identity = Identity(self._guest_name(hello))
        if identity is None:
            what = "the token is unknown or was revoked" if hello.token else "this referee asks for a token"
            cure = "set BLUKE_TOKEN to one that its operator made with `bluke token add NAME`"
            return self._refuse(play_pb.REFUSAL_REASON_TOKEN, f"{what}; {cure}", hello)
        return identity

    def _bot(self, hello: play_pb.Hello, identity: Identity) -> Bot | play_pb.Refusal:
        """The bot that is to have the stream: one that was here before, or a new one."""
        if hello.resume_key:
            found = self._resumable.get(hello.resume_key)
            if found is None or found.identity != identity:
                text = "the resume key is unknown, or its grace time is over; say hello without it"
                return self._refuse(play_pb.REFUSAL_REASON_RESUME, text, hello)
            return found
        unheard = self._unheard(hello.token)
        if unheard is not None:
            return unheard
        most = self.settings.stream_limits.max_streams
        if sum(bot.identity == identity for bot in self.bots.get(identity.name, ())) >= most:
            text = f"{identity.name} has {most} streams already; end one of them first"
            return self._refuse(play_pb.REFUSAL_REASON_STREAMS, text, hello)
        return self._new_bot(hello, identity)

    def _attach(self, bot: Bot, stream: Stream) -> None:
        """Give a bot a stream, on which its open decisions are asked again; a stream that it had ends."""
        if bot.grace is not None:
            bot.grace.cancel()
        if bot.stream is not None:
            bot.stream.end(grpc.StatusCode.ABORTED, "another stream has taken this bot over")
            self._stream_broke(bot)
        bot.stream = stream
        bot.breach = ""
        stream.bot = bot
        for table in list(bot.tables.values()):
            table.ask_again(bot)

    def _unheard(self, token: str) -> Bot | None:
        """The bot of a started process that has said nothing but hello.

        The welcome, and the resume key with it, may never have reached it, even if its stream seems to be up: gRPC
        may take until its pings fail to notice a connection that broke in the middle of a write.
        """
        arrival = self._arrivals.get(hash_token(token))
        if arrival is None or not arrival.done() or arrival.cancelled():
            return None
        bot = arrival.result()
        return None if bot.heard or bot.gone is not None else bot

    def _new_bot(self, hello: play_pb.Hello, identity: Identity) -> Bot:
        most = self.settings.stream_limits.max_games
        # Two versions of a bot call themselves alike, and a roster tells them apart.
        started = identity.key in self._expected
        name = identity.name if started else hello.name or identity.name
        bot = Bot(
            identity,
            Player(name, hello.version, hello.sdk, hello.author),
            max_games=min(hello.max_games or most, most),
            wants_events=hello.wants_events,
            skips_hand_scored=hello.skips_hand_scored,
        )
        self.bots.setdefault(identity.name, []).append(bot)
        self._resumable[bot.resume_key] = bot
        return bot

    def welcomed(self, bot: Bot) -> None:
        """The welcome is written: whoever seats bots is told."""
        log.info("a bot is here", bot=bot.identity.name, sdk=bot.player.sdk)
        self.on_arrival(bot)

    def lost(self, bot: Bot, *, left: str | None) -> None:
        """A bot's stream has ended: for good if it said so, otherwise it may come back within the grace time."""
        log.info("a bot's stream ended", bot=bot.identity.name, left=left)
        if left is not None:
            self.dismiss(bot, Gone(FaultKind.DISCONNECTED, f"the bot left: {left}"))
            return
        grace = self._stream_broke(bot)
        bot.grace = asyncio.get_running_loop().call_later(grace, self._grace_over, bot, grace)

    def _stream_broke(self, bot: Bot) -> float:
        """Make ready what a bot is told when it is back; returns its grace time in seconds."""
        grace = max(
            [table.spec.limits.grace_ms / 1000 for table in bot.tables.values()] or [self.settings.grace_seconds]
        )
        # A connection may have been dead for as long as that before it was noticed.
        unnoticed = (self.settings.keepalive_ms + self.settings.ping_timeout_ms) / 1000
        bot.outbox.broken(grace + unnoticed)
        return grace

    def _grace_over(self, bot: Bot, grace: float) -> None:
        absence = bot.absence
        self.dismiss(bot, Gone(absence.kind, f"{absence.detail}, and nobody came back within {grace:g} s"))

    def dismiss(self, bot: Bot, gone: Gone) -> None:
        """Give a bot up: its seats are charged and played out."""
        if bot.gone is not None:
            return
        self._resumable.pop(bot.resume_key, None)
        if bot.grace is not None:
            bot.grace.cancel()
        others = self.bots.get(bot.identity.name, [])
        if bot in others:
            others.remove(bot)
        if not others:
            self.bots.pop(bot.identity.name, None)
        bot.leave(gone)
        if bot.stream is not None:
            bot.stream.end(grpc.StatusCode.ABORTED, gone.detail)
        self.on_departure(bot)

    def stray(self, bot: Bot, move: play_pb.Move) -> bool:
        """Answer a move for a game that the bot has no seat in, or no longer; always False."""
        stale = move.game_id in bot.recent
        bot.tell(
            play_pb.PlayResponse(
                notice=play_pb.MoveNotice(
                    game_id=move.game_id,
                    decision_id=move.decision_id,
                    verdict=play_pb.VERDICT_STALE if stale else play_pb.VERDICT_MALFORMED,
                    detail="the game is over" if stale else "this bot has no seat in such a game",
                    move=move,
                )
            )
        )
        return False

    def _guest_name(self, hello: play_pb.Hello) -> str:
        """A name for a bot without a token: its own, made different from those that are here."""
        if hello.resume_key in self._resumable:
            return self._resumable[hello.resume_key].identity.name
        name = hello.name or "guest"
        number, chosen = 1, name
        while chosen in self.bots:
            number += 1
            chosen = f"{name}#{number}"
        return chosen

    def _refuse(self, reason: play_pb.RefusalReason, text: str, hello: play_pb.Hello) -> play_pb.Refusal:
        return refusal(reason, text, server=self.server, bot_protocols=hello.protocols)

    # Games

    async def play(self, spec: GameSpec, make_table: MakeTable | None = None) -> Finished:
        """Play one game to its end.

        Args:
            spec: the game.
            make_table: makes its table; `None` for an ordinary one, which plays from the first card.

        Returns:
            The game, which is on disk and whose result was told to its seats. A `void` one counts
            for nobody and may be played again under another id.

        Raises:
            ArenaError: its replay could not be written; the seats were told that it is void.
        """
        if spec.game_id in self.tables:
            msg = f"game {spec.game_id} is being played already"
            raise ArenaError(msg)
        table = (make_table or Table)(spec, self._in_house(), self._table_over)
        self.tables[spec.game_id] = table
        waiting: asyncio.Future[Finished] = asyncio.get_running_loop().create_future()
        self._waiting[spec.game_id] = waiting
        table.start()
        return await waiting

    def void_all(self, reason: str) -> None:
        """End every game that is being played as counting for nobody."""
        for table in list(self.tables.values()):
            table.void(reason)

    def _table_over(self, table: Table) -> None:
        self._spawn(self._settle(table))

    async def _settle(self, table: Table) -> None:
        """Bring a finished game to disk, and only then tell it and count it."""
        spec = table.spec
        waiting = self._waiting[spec.game_id]
        counts = table.result is not None and table.result.status is not Status.VOID
        last = counts and spec.match.finish(spec.deal)
        try:
            path = await asyncio.to_thread(table.save, spec.match.told_seed() if counts else None)
        except Exception as error:  # whatever it is, it is ours: the game counts for nobody
            if counts:
                spec.match.add(spec.deal, 1)
            if not isinstance(error, OSError):
                log.exception("failure at the end of a game", game=spec.game_id)
            text = f"the replay of game {spec.game_id} could not be written to {self.settings.replays}: {_why(error)}"
            table.spoil(text)
            if not waiting.done():  # whoever waited may have given up
                waiting.set_exception(ArenaError(text))
        else:
            self._tell_settled(table, path, waiting, last=last, counts=counts)
        finally:
            self.tables.pop(spec.game_id, None)
            self._waiting.pop(spec.game_id, None)

    def _tell_settled(
        self, table: Table, path: Path, waiting: asyncio.Future[Finished], *, last: bool, counts: bool
    ) -> None:
        spec = table.spec
        deal = (spec.match.match_id, spec.deal)
        try:
            finished = table.close(path, tell_seed=last)
            self.over.append(Over.of(finished))
            self.on_finished(finished)
            if last:
                self.reveal(*deal)
            elif counts:
                self._sealed.setdefault(deal, []).append(table)
        except Exception as error:  # noqa: BLE001 - ours as well, and nobody may wait for ever because of it
            if not waiting.done():
                text = f"game {spec.game_id} could not be told to its seats: {type(error).__name__}: {error}"
                waiting.set_exception(ArenaError(text))
            log.error("failure after the end of a game", game=spec.game_id, trace=traceback.format_exc())  # noqa: TRY400
        else:
            if not waiting.done():
                waiting.set_result(finished)

    def reveal(self, match_id: str, deal: int) -> None:
        """Nothing is left to be played on a deal: tell its seed to the seats of its games."""
        self._revealed.add((match_id, deal))
        for earlier in self._sealed.pop((match_id, deal), ()):
            earlier.reveal()

    def is_revealed(self, match_id: str, deal: int) -> bool:
        """Whether a deal is no secret any more."""
        return (match_id, deal) in self._revealed

    def now(self) -> float:
        """The time on the clock that decisions are measured with, in seconds."""
        return self._in_house().now()

    @property
    def lag_seconds(self) -> float:
        """How late the referee itself has been since it began, altogether."""
        return self._in_house().lag.total(time.monotonic())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.own(asyncio.get_running_loop().create_task(work))

    def _in_house(self) -> House:
        if self._house is None:
            msg = "the referee is not running"
            raise ArenaError(msg)
        return self._house


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.strerror or error}; make room or name another folder"
    return str(error)
