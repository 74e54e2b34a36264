"""The bot's side of the stream: dial, say hello, answer turns, and dial again when the stream breaks.

One task reads the stream and is never interrupted while it does; one task writes it. A `def`
decision is made where the turn is read; an `async def` one gets a task of its own, which outlives
a broken stream. The end of a stream is never the end of a game: only the referee's goodbye or
refusal, or `Client.stop`, ends `Client.run`.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import operator
import platform
import random
import sys
import time
import traceback
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio

from bluke.v1 import play_pb2, play_pb2_grpc
from bluke_sdk import _wire
from bluke_sdk._outbox import Outbox, clip
from bluke_sdk.bot import Bot
from bluke_sdk.cards import Card
from bluke_sdk.errors import RefusedError, SdkError, SetupError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

    Stream = grpc.aio.StreamStreamCall[play_pb2.PlayRequest, play_pb2.PlayResponse]

__all__ = ["Client", "Settings", "sdk_version"]

log = logging.getLogger("bluke_sdk")

PROTOCOL = 1
#: Seconds that a referee which took the connection may take to answer the hello.
WELCOME_WAIT = 15.0
#: Before attempt n a wait is drawn from 0 to `FIRST_WAIT * 2**n` seconds, but no more than `LONGEST_WAIT`.
FIRST_WAIT, LONGEST_WAIT = 0.25, 5.0
#: Seconds of answering after which what there is goes out, so that slow answers do not hold up fast ones.
FLUSH_AFTER = 0.002
#: Seconds that the last words of either side may take.
PARTING_WAIT = 1.0

#: Statuses that dialling again cannot mend.
HOPELESS = frozenset(
    {
        # Another stream has taken over, or the referee has given this bot up: dialling again would only push it out.
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.UNIMPLEMENTED,
    }
)

# `http2.ping_timeout_ms` is the one that works: `keepalive_timeout_ms` is ignored by gRPC.
KEEPALIVE = [
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.enable_retries", 0),
]

ANSWER_FIELDS = {"cut": "cut", "bid": "bid", "play": "card"}
#: Results that are surely no awaitable: asking costs more than most bots think.
PLAIN = frozenset({int, Card, str, type(None)})


def sdk_version() -> str:
    """Version of the distribution that this SDK came with."""
    try:
        return metadata.version("bluke-arena")
    except metadata.PackageNotFoundError:
        return "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that a client needs to know besides the bot; `run` documents each."""

    server: str
    token: str = ""
    name: str = ""
    max_games: int = 0
    events: bool = False
    ca: str = ""
    insecure: bool = False
    give_up: float = 60.0

    def channel(self) -> grpc.aio.Channel:
        """Open a channel: TLS with the CA given, none on this machine, else TLS with the system's roots.

        Raises:
            SetupError: the CA cannot be read.
        """
        if self.ca:
            try:
                roots = Path(self.ca).read_bytes()
            except OSError as error:
                raise SetupError(f"cannot read the CA certificate {self.ca}: {error.strerror} (BLUKE_CA)") from None
            return grpc.aio.secure_channel(self.server, grpc.ssl_channel_credentials(roots), KEEPALIVE)
        if self.insecure or _is_local(self.server):
            # A proxy for the web, common in the environment, would be asked for this very machine.
            return grpc.aio.insecure_channel(self.server, [*KEEPALIVE, ("grpc.enable_http_proxy", 0)])
        return grpc.aio.secure_channel(self.server, grpc.ssl_channel_credentials(), KEEPALIVE)


def _is_local(server: str) -> bool:
    if server.startswith(("unix:", "unix-abstract:")):
        return True
    host = server.removeprefix("dns:").removeprefix("///").rpartition(":")[0].strip("[]")
    return host in {"localhost", "::1"} or host.startswith("127.")


class Interrupted(BaseException):
    """A signal came while the bot's own code was running; no bot can catch it by accident."""


class Seat:
    """One seat of one game.

    Attributes:
        tail: the last task begun for it, behind which the next one waits.
        deciding: the task that makes the open decision, if it is an `async def`.
        decision_id: the last decision begun.
        answer: arguments of the move that answered it, said again if it is asked again.
    """

    __slots__ = ("answer", "bot", "cache", "deciding", "decision_id", "game_id", "seat", "tail")

    def __init__(self, game_id: str, seat: int, cache: _wire.SeatCache) -> None:
        self.game_id = game_id
        self.seat = seat
        self.cache = cache
        self.bot: Bot | None = None
        self.tail: asyncio.Task[None] | None = None
        self.deciding: asyncio.Task[None] | None = None
        self.decision_id = 0
        self.answer: tuple[str, int, str | None] | None = None


class Client:
    """Plays with one class of bot until the referee says goodbye."""

    def __init__(self, bot_class: type[Bot], settings: Settings) -> None:
        """Prepare; nothing is dialled yet."""
        self.bot_class = bot_class
        self.settings = settings
        #: Whether the bot's own code is running at this moment, for `Interrupted`.
        self.in_bot = False
        #: Set by a signal before the loop can turn: no more of the bot's own code is begun.
        self.leaving = False
        self._heard = {
            hook for hook in ("hand_scored", "game_over", "event", "game_started") if _overrides(bot_class, hook)
        }
        self._games: dict[str, dict[int, Seat]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._resume_key = b""
        self._outbox: Outbox | None = None
        self._call: Stream | None = None
        self._attempt = 0
        self._deadline = 0.0
        self._stopped = asyncio.Event()
        self._warned: set[object] = set()

    async def run(self) -> None:
        """Play until the referee says goodbye or `stop` is called.

        Raises:
            UnreachableError: there was no welcome for `give_up` seconds.
            RefusedError: the referee refused the hello.
            SdkError: the referee ended the stream in a way that dialling again cannot mend.
        """
        loop = asyncio.get_running_loop()
        self._deadline = loop.time() + self.settings.give_up
        try:
            while not self._stopped.is_set():
                trouble = await self._dial()
                if trouble is None:
                    await self._settle()
                    return
                if self._stopped.is_set():
                    return
                wait = random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2**self._attempt))  # noqa: S311 - it spreads bots out
                if loop.time() + wait > self._deadline:
                    raise UnreachableError(
                        f"no referee at {self.settings.server} for {self.settings.give_up:g} s ({trouble}): "
                        "start one there, or set BLUKE_SERVER to where it listens"
                    )
                if self._attempt == 0:
                    log.warning("no referee at %s (%s); trying again", self.settings.server, trouble)
                self._attempt += 1
                await self._pause(wait)
        finally:
            for task in self._tasks:
                task.cancel()

    def stop(self, reason: str) -> None:
        """Say goodbye and let `run` return; the open games go on without this bot."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        self.leaving = True
        if self._outbox is not None:
            self._outbox.say(play_pb2.PlayRequest(goodbye=play_pb2.Goodbye(reason=reason)))
        if self._call is not None:
            parting = PARTING_WAIT if self._outbox is not None else 0
            asyncio.get_running_loop().call_later(parting, self._call.cancel)

    async def _pause(self, wait: float) -> None:
        try:
            async with asyncio.timeout(wait):
                await self._stopped.wait()
        except TimeoutError:
            pass

    async def _settle(self) -> None:
        """Let what is still being heard, such as an `async def game_over`, come to its end."""
        for seats in self._games.values():
            for seat in seats.values():
                if seat.deciding is not None:
                    seat.deciding.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=PARTING_WAIT)

    # The stream

    async def _dial(self) -> str | None:
        """Open one stream and follow it to its end; `None` after a goodbye, else what went wrong."""
        async with self.settings.channel() as channel:
            call = self._call = play_pb2_grpc.RefereeServiceStub(channel).Play()
            try:
                return await self._converse(call)
            except grpc.aio.AioRpcError as error:
                return self._status(error.code(), error.details())
            except asyncio.InvalidStateError:
                # The stream ended between two of our words.
                return self._status(await call.code(), await call.details())
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                return "it took the connection but did not answer"
            finally:
                self._call = self._outbox = None
                call.cancel()

    def _status(self, code: grpc.StatusCode, details: str | None) -> str:
        if code is grpc.StatusCode.UNIMPLEMENTED:
            raise SdkError(f"{self.settings.server} is not a Bluke referee: it speaks gRPC, but not bluke.v1")
        if code in HOPELESS:
            raise SdkError(f"the referee at {self.settings.server} ended the stream: {details} ({code.name})")
        return details or code.name

    async def _converse(self, call: Stream) -> str | None:
        loop = asyncio.get_running_loop()
        patience = loop.call_later(WELCOME_WAIT, call.cancel)
        try:
            await call.write(play_pb2.PlayRequest(hello=self._hello()))
            first = await self._hear(call)
        finally:
            patience.cancel()
        if first is None:
            return self._status(await call.code(), await call.details()) or "it closed the stream"
        match first.WhichOneof("payload"):
            case "welcome":
                self._welcomed(first.welcome)
            case "refusal":
                return self._refused(first.refusal)
            case "goodbye":
                return None
            case _:
                return "its first word was no welcome"
        self._outbox = Outbox(first.welcome.limits)
        if self._stopped.is_set():
            return None
        writer = asyncio.create_task(self._write(call, self._outbox))
        try:
            return await self._read(call, self._outbox)
        finally:
            writer.cancel()
            # Our dialling again begins with a clock of its own.
            self._deadline = loop.time() + self.settings.give_up

    def _hello(self) -> play_pb2.Hello:
        bot = self.bot_class
        return play_pb2.Hello(
            token=self.settings.token,
            name=self.settings.name or bot.name or bot.__name__,
            version=bot.version,
            author=bot.author,
            sdk=f"bluke_sdk/{sdk_version()} (Python {platform.python_version()})",
            protocols=[PROTOCOL],
            max_games=self.settings.max_games,
            resume_key=self._resume_key,
            wants_events=self.settings.events,
            skips_hand_scored="hand_scored" not in self._heard,
        )

    def _welcomed(self, welcome: play_pb2.Welcome) -> None:
        if self._attempt:
            log.warning("playing at %s", self.settings.server)
        if self._resume_key and not welcome.resumed:
            self._forget_games()
        self._resume_key = welcome.resume_key

    def _refused(self, refusal: play_pb2.Refusal) -> str:
        if self._resume_key and refusal.reason == play_pb2.REFUSAL_REASON_RESUME:
            # The seats are lost, the bot is not: it comes back as a new one.
            log.warning("the seats were not given back: %s", refusal.message)
            self._resume_key = b""
            self._forget_games()
            return refusal.message
        raise RefusedError(f"refused by the referee at {self.settings.server}: {refusal.message}")

    def _forget_games(self) -> None:
        for seats in self._games.values():
            for seat in seats.values():
                if seat.tail is not None:
                    seat.tail.cancel()
        self._games.clear()

    async def _write(self, call: Stream, outbox: Outbox) -> None:
        try:
            while True:
                for request in await outbox.take():
                    await call.write(request)
                    if request.HasField("goodbye"):
                        await call.done_writing()
                        return
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            # The stream is over; the reader sees it too and says why.
            return

    async def _read(self, call: Stream, outbox: Outbox) -> str | None:
        while True:
            response = await self._hear(call)
            if response is None:
                return self._status(await call.code(), await call.details() or "the stream ended")
            self._attempt = 0
            kind = response.WhichOneof("payload")
            if kind == "turns":
                await self._turns(response.turns.turns, outbox)
            elif kind == "goodbye":
                return None
            else:
                try:
                    self._told(kind, response)
                except _wire.UnknownCardError as error:
                    self._warn_once(kind, "a message (%s) was skipped: %s", kind, error)

    async def _hear(self, call: Stream) -> play_pb2.PlayResponse | None:
        """The next message; `None` at the end of the stream."""
        response: object = await call.read()
        if response is None:
            # gRPC could not decode it, and would go on as if nothing had been said.
            raise SdkError(f"the referee at {self.settings.server} sent bytes that are no message of bluke.v1")
        return response if isinstance(response, play_pb2.PlayResponse) else None

    # What the referee says

    async def _turns(self, turns: Iterable[play_pb2.Turn], outbox: Outbox) -> None:
        began = time.perf_counter()
        for turn in turns:
            if self.leaving:
                return
            self._turn(turn)
            if outbox and time.perf_counter() - began > FLUSH_AFTER:
                # Lets the writer begin to write what there is.
                await asyncio.sleep(0)
                began = time.perf_counter()

    def _turn(self, turn: play_pb2.Turn) -> None:
        asked = _wire.ASKED.get(turn.asked)
        if asked is None:
            self._warn_once(turn.asked, "asked for %s, which this SDK does not know: left to the referee", turn.asked)
            return
        method, view = asked
        seats = self._games.get(turn.game_id)
        if seats is None:
            seats = self._games[turn.game_id] = {}
        seat = seats.get(turn.seat)
        if seat is None:
            seat = seats[turn.seat] = Seat(turn.game_id, turn.seat, _wire.SeatCache(turn.view.rules))
        decision_id = turn.decision_id
        if decision_id == seat.decision_id:
            # Asked again on a new stream: the bot has thought about it, or still does.
            if seat.answer is not None and self._outbox is not None:
                self._outbox.move(seat.game_id, decision_id, *seat.answer)
                return
            if seat.deciding is not None and not seat.deciding.done():
                return
        elif seat.deciding is not None:
            if not seat.deciding.done():
                log.warning("%s: its time was over before it was made", _where(seat, "", seat.decision_id))
            seat.deciding.cancel()
            seat.deciding = None
        seat.decision_id = decision_id
        seat.answer = None
        self._begin(seat, method, _wire.read_view(view, turn, seat.cache), decision_id)

    def _told(self, kind: str | None, response: play_pb2.PlayResponse) -> None:
        match kind:
            case "game_started":
                started = response.game_started
                seats = self._games.setdefault(started.game_id, {})
                seat = seats.setdefault(
                    started.seat, Seat(started.game_id, started.seat, _wire.SeatCache(started.rules))
                )
                # Even for a bot that does not listen: makes its instance while no clock is running.
                self._begin(seat, "game_started", _wire.read_game_started(started), 0)
            case "hand_scored" if kind in self._heard:
                scored = response.hand_scored
                self._tell(scored.game_id, scored.seat, kind, _wire.read_hand_scored(scored))
            case "game_over":
                self._game_over(response.game_over)
            case "events" if "event" in self._heard:
                for message in response.events.events:
                    self._event(message)
            case "notice":
                notice = response.notice
                level = logging.DEBUG if notice.verdict == play_pb2.VERDICT_STALE else logging.WARNING
                log.log(level, "decision %d of game %s: %s", notice.decision_id, notice.game_id, notice.detail)
            case "fault":
                fault = response.fault
                log.warning("fault in game %s, seat %d: %s", fault.game_id, fault.seat, fault.detail)
            case None:
                self._warn_once(None, "a message that this SDK does not know was skipped")
            case _:
                pass

    def _event(self, message: play_pb2.Event) -> None:
        event = _wire.read_event(message)
        if event is not None:
            for number in list(self._games.get(event.game_id, ())):
                self._tell(event.game_id, number, "event", event)

    def _tell(self, game_id: str, number: int, method: str, argument: object) -> None:
        seat = self._games.get(game_id, {}).get(number)
        if seat is not None:
            self._begin(seat, method, argument, 0)

    def _game_over(self, over: play_pb2.GameOver) -> None:
        seats = self._games.get(over.game_id, {})
        seat = seats.pop(over.seat, None)
        if not seats:
            self._games.pop(over.game_id, None)
        if seat is None:
            return
        if seat.deciding is not None:
            seat.deciding.cancel()
        if "game_over" in self._heard:
            self._begin(seat, "game_over", _wire.read_game_over(over), 0)

    def _warn_once(self, key: object, text: str, *values: object) -> None:
        if key not in self._warned:
            self._warned.add(key)
            log.warning(text, *values)

    # The bot's own code

    def _begin(self, seat: Seat, method: str, argument: object, decision_id: int) -> None:
        """Call a method of the bot, at once or behind what the seat is still busy with."""
        if seat.tail is not None:
            if not seat.tail.done():
                self._spawn(seat, self._later(seat, method, argument, decision_id, seat.tail), decision_id)
                return
            seat.tail = seat.deciding = None
        try:
            result = self._enter(seat, method, argument)
            if result.__class__ not in PLAIN and inspect.isawaitable(result):
                task = self._spawn(seat, self._later(seat, method, result, decision_id, None), decision_id)
                if inspect.iscoroutine(result):
                    # Cancelled before its first step, the task has not awaited it, and Python would complain.
                    task.add_done_callback(lambda _: result.close())
            elif decision_id:
                self._answer(seat, method, decision_id, result)
        except Interrupted:
            return
        except Exception as error:  # noqa: BLE001 - the bot's own code may raise anything
            self._failed(seat, method, decision_id, error)

    def _spawn(self, seat: Seat, work: Coroutine[Any, Any, None], decision_id: int) -> asyncio.Task[None]:
        task = seat.tail = asyncio.create_task(work)
        if decision_id:
            seat.deciding = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _later(
        self, seat: Seat, method: str, subject: object, decision_id: int, before: asyncio.Task[None] | None
    ) -> None:
        """Await what a method returned (`subject`), or call it with `subject` once `before` is done."""
        try:
            if before is not None:
                await asyncio.wait([before])
                subject = self._enter(seat, method, subject)
            result = await subject if inspect.isawaitable(subject) else subject
            if decision_id:
                self._answer(seat, method, decision_id, result)
        except Interrupted:
            return
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(seat, method, decision_id, error)

    def _enter(self, seat: Seat, method: str, argument: object) -> object:
        self.in_bot = True
        try:
            bot = seat.bot
            if bot is None:
                bot = seat.bot = self.bot_class()
            bot._note = None  # noqa: SLF001 - the SDK's own
            return getattr(bot, method)(argument)
        finally:
            self.in_bot = False

    def _answer(self, seat: Seat, method: str, decision_id: int, result: object) -> None:
        answer = _card(result, self.bot_class) if method == "play" else _count(result, method, self.bot_class)
        note = None if seat.bot is None else seat.bot._note  # noqa: SLF001 - the SDK's own
        field = ANSWER_FIELDS[method]
        seat.answer = (field, answer, note)
        # Without a stream the answer waits for the decision to be asked again.
        if self._outbox is not None:
            self._outbox.move(seat.game_id, decision_id, field, answer, note)

    def _failed(self, seat: Seat, method: str, decision_id: int, error: Exception) -> None:
        where = _where(seat, method, decision_id)
        # Only the bot's own lines: the first frames are those of this module.
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
            frames = frames.tb_next
        text = "".join(traceback.format_exception(type(error), error, frames))
        sys.stderr.write(f"{self.bot_class.__name__} failed on {where}:\n{text}")
        sys.stderr.flush()
        if self._outbox is not None and method != "game_over":
            # The error itself stands at the end, and the referee would cut that off.
            detail = clip(f"{method}: {text}", self._outbox.note_bytes, keep_end=True)
            error_message = play_pb2.BotError(game_id=seat.game_id, decision_id=decision_id, detail=detail)
            self._outbox.say(play_pb2.PlayRequest(error=error_message))


def _overrides(bot_class: type[Bot], method: str) -> bool:
    return getattr(bot_class, method) is not getattr(Bot, method)


def _where(seat: Seat, method: str, decision_id: int) -> str:
    what = ", ".join(filter(None, (method, f"decision {decision_id}" if decision_id else "")))
    return f"{what} of game {seat.game_id}, seat {seat.seat}"


def _card(result: object, bot: type[Bot]) -> int:
    if isinstance(result, Card):
        return result.index
    if isinstance(result, str):
        return Card.parse(result).index
    raise TypeError(
        f"{bot.__name__}.play returned {result!r}: it must return a card out of view.legal, or its text such as '9H'"
    )


def _count(result: object, method: str, bot: type[Bot]) -> int:
    try:
        number = operator.index(result)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if isinstance(result, bool) or not 0 <= number < 2**32:
        raise TypeError(f"{bot.__name__}.{method} returned {result!r}: it must return a whole number out of view.legal")
    return number
