"""One Play stream: one task that reads, one that writes, and the hello between them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc
import structlog

from bluke.errors import ArenaError, LimitError, PeerError
from bluke.replay.records import clean
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.session import StreamMachine, StreamState

if TYPE_CHECKING:
    from bluke.referee.bot import Bot, Outbox
    from bluke.referee.server import Referee

__all__ = ["Stream"]

log = structlog.get_logger(__name__)

#: The statuses of streams that ended through the bot's own doing.
BREACHES = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED)


class Stream:
    """A bot's stream from its opening to its end.

    Attributes:
        bot: who is at the other end, once the hello was accepted.
        left: what the bot said when it left of its own will, `None` if it did not.
        closed: set when the stream is over.
    """

    #: How long a last message may take to be handed to a bot that does not read.
    FLUSH_SECONDS = 2.0
    #: How long turns may be held back while the bot is at work on others. No clock runs meanwhile.
    HOLD_SECONDS = 0.002
    #: How often the loop turns before turns are written to a bot with several games. What is read meanwhile, from
    #: anybody, is judged, and the turns that follow leave in the same message: a message costs as much as five turns.
    GATHERING = 20

    def __init__(self, referee: Referee, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Begin before the hello."""
        self._referee = referee
        self._context = context
        self.machine = StreamMachine(referee.settings.stream_limits.max_message_bytes)
        self._ended: asyncio.Future[tuple[grpc.StatusCode, str]] = asyncio.get_running_loop().create_future()
        self._unanswered = 0
        self._writer: asyncio.Task[None] | None = None
        self.bot: Bot | None = None
        self.left: str | None = None
        self.closed = asyncio.Event()

    def end(self, code: grpc.StatusCode, text: str) -> None:
        """End the stream with a status; the first call counts."""
        if not self._ended.done():
            self._ended.set_result((code, text))

    def check_waiting(self) -> None:
        """End the stream of a bot that does not read."""
        limit = self._referee.settings.stream_limits.max_waiting
        if self.bot is not None and len(self.bot.outbox) > limit:
            self.end(
                grpc.StatusCode.RESOURCE_EXHAUSTED, f"more than {limit} messages wait for a bot that does not read"
            )

    async def run(self) -> None:
        """Serve the stream until it ends."""
        loop = asyncio.get_running_loop()
        hello_seconds = self._referee.settings.hello_seconds
        hello = loop.call_later(
            hello_seconds, self.end, grpc.StatusCode.DEADLINE_EXCEEDED, f"no hello within {hello_seconds:g} s"
        )
        # Not cancelled at the end: gRPC ends a pending read itself, and loses messages if it is cancelled.
        reader = loop.create_task(self._read(hello))
        self._referee.own(reader)
        try:
            code, text = await self._ended
        except asyncio.CancelledError:
            # The other side is gone; a handler that lets this out hangs its client.
            code, text = grpc.StatusCode.CANCELLED, "the stream was cancelled"
        hello.cancel()
        try:
            await self._finish(code, text)
        finally:
            self.closed.set()

    async def _finish(self, code: grpc.StatusCode, text: str) -> None:
        bot = self.bot
        if bot is not None and bot.stream is self:
            bot.stream = None
            bot.breach = text if code in BREACHES else ""
            self._referee.lost(bot, left=self.left)
        if self._writer is not None:
            # It ends by itself, after what it is writing: a status that overtook that would be lost.
            if bot is not None:
                bot.outbox.wake.set()
                bot.outbox.calm.set()
            try:
                if code is not grpc.StatusCode.CANCELLED and self.left is None:
                    await asyncio.wait([self._writer], timeout=self.FLUSH_SECONDS)
            finally:
                # Also when gRPC cancels this meanwhile: nobody else would end it.
                self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)
        if code is not grpc.StatusCode.OK:
            await self._context.abort(code, text)

    # Reading

    async def _read(self, hello: asyncio.TimerHandle) -> None:
        try:
            while True:
                data: object = await self._context.read()
                if not isinstance(data, bytes):  # the end of the stream
                    self.end(grpc.StatusCode.OK, "")
                    return
                if self._ended.done():
                    # Read too late: a hello would give a bot a stream that is over.
                    return
                request = self.machine.receive(data)
                if not await self._take(request, hello):
                    return
        except PeerError as error:
            log.info("a bot broke the protocol", bot=self._name, error=str(error))
            limit = isinstance(error, LimitError)
            self.end(grpc.StatusCode.RESOURCE_EXHAUSTED if limit else grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except asyncio.CancelledError:
            self.end(grpc.StatusCode.CANCELLED, "the stream was cancelled")
        except Exception as error:
            # Said to nobody but the log: the text of an exception is not a bot's business.
            if not self._ended.done():
                log.exception("failure on a stream", bot=self._name, error=repr(error))
            self.end(grpc.StatusCode.INTERNAL, "the referee failed on this stream")

    async def _take(self, request: play_pb.PlayRequest, hello: asyncio.TimerHandle) -> bool:
        """Act on one message; False when nothing more is to be read."""
        match request.WhichOneof("payload"):
            case "moves":
                self._moves(request.moves)
            case "error":
                self._bot_error(request.error)
            case "hello":
                hello.cancel()
                return await self._greet(request.hello)
            case "goodbye":
                # It goes into the replay of every game that the bot is in.
                limit = self._referee.settings.stream_limits.max_note_bytes
                self.left = clean(request.goodbye.reason, limit) or "the bot said goodbye"
                self.end(grpc.StatusCode.OK, "")
                return False
        return not self._ended.done()

    async def _greet(self, hello: play_pb.Hello) -> bool:
        answer = self._referee.greet(hello, self)
        if isinstance(answer, play_pb.Refusal):
            self.machine.send("refusal")
            await self._context.write(play_pb.PlayResponse(refusal=answer).SerializeToString())
            self.end(grpc.StatusCode.OK, "")
            return False
        if self.bot is None:
            msg = "a welcome without a bot"
            raise ArenaError(msg)
        # Not written here: on a connection that breaks just now a write can hang, and only a read says that it broke.
        self.machine.send("welcome")
        self._writer = asyncio.get_running_loop().create_task(self._write(self.bot, answer))
        return True

    def _moves(self, moves: play_pb.Moves) -> None:
        bot = self.bot
        if bot is None:
            return
        bot.heard = True
        read = self._referee.now()
        tables = bot.tables
        for move in moves.moves:
            table = tables.get(move.game_id)
            answered = self._referee.stray(bot, move) if table is None else table.move(bot, move, read)
            if answered:
                self._unanswered = 0
            elif not self._counted(answered=False):
                return

    def _bot_error(self, error: play_pb.BotError) -> None:
        bot = self.bot
        if bot is None:
            return
        bot.heard = True
        detail = clean(error.detail, self._referee.settings.stream_limits.max_note_bytes)
        log.warning("a bot reports a failure of its own", bot=self._name, game=error.game_id, detail=detail)
        table = bot.tables.get(error.game_id)
        self._counted(answered=table is not None and table.bot_error(bot, error))

    def _counted(self, *, answered: bool) -> bool:
        """Count what answers no open decision; False once it is too much and the stream is to end."""
        self._unanswered = 0 if answered else self._unanswered + 1
        limit = self._referee.settings.stream_limits.max_unanswered
        if self._unanswered > limit:
            text = f"more than {limit} moves or errors in a row that answer no open decision"
            self.end(grpc.StatusCode.RESOURCE_EXHAUSTED, text)
        return self._unanswered <= limit

    # Writing

    async def _write(self, bot: Bot, welcome: play_pb.Welcome) -> None:
        try:
            await self._context.write(play_pb.PlayResponse(welcome=welcome).SerializeToString())
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
            self.end(grpc.StatusCode.UNAVAILABLE, "the stream broke")
            return
        if bot.stream is not self:
            return
        self._referee.welcomed(bot)
        outbox = bot.outbox
        while True:
            await outbox.wake.wait()
            if len(bot.tables) > 1:
                await self._gather(outbox)
            # Another stream may have taken over: what waits is for that one.
            while bot.stream is self and (message := outbox.take()) is not None:
                self.machine.send(message.WhichOneof("payload") or "")
                try:
                    await self._context.write(message.SerializeToString())
                except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
                    outbox.put_back(message)
                    self.end(grpc.StatusCode.UNAVAILABLE, "the stream broke")
                    return
                if self.machine.state is StreamState.CLOSED:
                    self.end(grpc.StatusCode.OK, "")
                    return
            if bot.stream is not self:
                return

    async def _gather(self, outbox: Outbox) -> None:
        """Let more turns come, so that they leave together; a bot that is at work on others can wait longer."""
        if not outbox.calm.is_set():
            holding = asyncio.get_running_loop().call_later(self.HOLD_SECONDS, outbox.calm.set)
            await outbox.calm.wait()
            holding.cancel()
        for _ in range(self.GATHERING):
            await asyncio.sleep(0)

    @property
    def _name(self) -> str | None:
        return None if self.bot is None else self.bot.identity.name
