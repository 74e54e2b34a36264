"""A referee that says what a script tells it to, and hands over what a bot says: for tests of bots.

It decides nothing. What is said goes out byte by byte as it is put in, so that it can also be what
no referee of today says; what is heard is only decoded.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import grpc
import grpc.aio
from google.protobuf import json_format, text_format
from google.protobuf.message import DecodeError, Message

from bluke.errors import ArenaError, PeerError
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.hello import StreamLimits, limits_of_stream
from bluke.wire.session import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "END",
    "End",
    "ScriptedReferee",
    "ScriptedStream",
    "change",
    "message_of",
    "shown",
    "unknown",
    "welcome",
    "with_unknown",
]

#: A field that no message of this version has, with text in it.
UNKNOWN_NUMBER = 1999
#: How long a bot may take to read what is said to it.
WRITE_SECONDS = 20.0
#: A message is shown up to this many characters.
LONGEST_SHOWN = 400


class End:
    """What is heard when a bot has closed its half of the stream, or the stream is gone."""


END = End()


class ScriptedStream:
    """One stream of a bot.

    Attributes:
        heard: what the bot has said and nobody has looked at yet: messages, bytes that are none, and the end.
        deadline: seconds that the bot's call had left when it came, `None` if it set no deadline.
    """

    def __init__(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Begin before the hello."""
        self._context = context
        self._ended: asyncio.Future[tuple[grpc.StatusCode, str]] = asyncio.get_running_loop().create_future()
        self.heard: asyncio.Queue[play_pb.PlayRequest | PeerError | End] = asyncio.Queue()
        self.deadline: float | None = context.time_remaining()

    async def serve(self) -> None:
        """Read until the script ends the stream."""
        reader = asyncio.create_task(self._read())
        try:
            status, text = await self._ended
        except asyncio.CancelledError:
            # A handler that lets this out hangs its client.
            return
        finally:
            reader.cancel()
        if status is not grpc.StatusCode.OK:
            await self._context.abort(status, text)

    async def _read(self) -> None:
        with suppress(grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
            while isinstance(data := await self._context.read(), bytes):
                try:
                    self.heard.put_nowait(play_pb.PlayRequest.FromString(data))
                except DecodeError as error:
                    self.heard.put_nowait(PeerError(f"{len(data)} bytes that are not a PlayRequest: {error}"))
        self.heard.put_nowait(END)

    async def say(self, message: play_pb.PlayResponse | bytes) -> None:
        """Say something, whatever it is.

        Raises:
            PeerError: the stream is gone, or the bot does not read.
        """
        data = message if isinstance(message, bytes) else message.SerializeToString()
        try:
            async with asyncio.timeout(WRITE_SECONDS):
                await self._context.write(data)
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
            raise PeerError("the stream is gone") from None
        except TimeoutError:
            raise PeerError(f"the bot has read nothing for {WRITE_SECONDS:g} s") from None

    def end(self, status: str = "OK", text: str = "") -> None:
        """End the stream with the status of that name."""
        if not self._ended.done():
            self._ended.set_result((grpc.StatusCode[status], text))


class ScriptedReferee:
    """Listens, and hands over the streams that bots open; see `ScriptedStream`.

    Use it as an async context manager.

    Args:
        socket: a Unix socket to listen on as well.

    Attributes:
        streams: the streams that nobody has looked at yet.
        port: where new connections are taken.
    """

    def __init__(self, socket: Path | None = None) -> None:
        """Prepare; nothing listens yet."""
        self._socket = socket
        self.streams: asyncio.Queue[ScriptedStream] = asyncio.Queue()
        self.port = 0
        self._servers: list[grpc.aio.Server] = []
        self._parting: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        """Listen.

        Raises:
            ArenaError: there is no port to listen on.
        """
        await self._listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            await server.stop(0)
        await asyncio.gather(*self._parting, return_exceptions=True)

    async def _listen(self) -> None:
        server = grpc.aio.server(
            options=[
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", -1),
                # Sooner than a real one, so that a silence need not be long.
                ("grpc.keepalive_time_ms", 1_000),
                ("grpc.http2.ping_timeout_ms", 10_000),
                ("grpc.http2.min_ping_interval_without_data_ms", 1000),
                ("grpc.http2.max_ping_strikes", 0),
            ]
        )
        service = play_pb.DESCRIPTOR.services_by_name["RefereeService"].full_name
        server.add_generic_rpc_handlers(
            (
                grpc.method_handlers_generic_handler(
                    service, {"Play": grpc.stream_stream_rpc_method_handler(self._play)}
                ),
            )
        )
        try:
            self.port = server.add_insecure_port("127.0.0.1:0")
            if self._socket is not None and not self._servers:
                server.add_insecure_port(f"unix:{self._socket}")
        except RuntimeError as error:
            raise ArenaError(f"no port to listen on: {error}") from None
        await server.start()
        self._servers.append(server)

    async def _play(self, _: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        stream = ScriptedStream(context)
        self.streams.put_nowait(stream)
        await stream.serve()

    async def go_away(self, seconds: float) -> None:
        """Send GOAWAY on every connection; streams may last for `seconds` more, and new ones go to a new `port`."""
        old = self._servers[-1]
        await self._listen()
        self._parting.append(asyncio.ensure_future(old.stop(seconds)))


def welcome(*, resume_key: bytes, resumed: bool, bot: str, limits: Mapping[str, int]) -> play_pb.PlayResponse:
    """A welcome with the usual limits, of which `limits` changes some."""
    standard = StreamLimits()
    told = limits_of_stream(standard, standard.max_games)
    for name, value in limits.items():
        setattr(told, name, value)
    return play_pb.PlayResponse(
        welcome=play_pb.Welcome(
            bot=bot,
            name=bot,
            server="bluke check",
            protocol=PROTOCOLS[-1],
            limits=told,
            resume_key=resume_key,
            resumed=resumed,
        )
    )


def message_of(data: dict[str, Any]) -> play_pb.PlayResponse:
    """A message of the referee from its JSON form, in which the names are those of the .proto files.

    Raises:
        ArenaError: there is no such message.
    """
    try:
        return json_format.ParseDict(data, play_pb.PlayResponse())
    except json_format.ParseError as error:
        raise ArenaError(f"no message of the referee: {error}") from None


def change(turn: play_pb.Turn, data: dict[str, Any]) -> None:
    """Change fields of a turn, given in their JSON form; a list replaces a list.

    Raises:
        ArenaError: there are no such fields.
    """
    try:
        json_format.ParseDict(data, turn)
    except json_format.ParseError as error:
        raise ArenaError(f"no fields of a turn: {error}") from None


def with_unknown(message: Message, size: int) -> None:
    """Put fields that nobody knows, `size` bytes each, into a message and all that is in it."""
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in [value] if isinstance(value, Message) else value:
                with_unknown(part, size)
    message.MergeFromString(unknown(size))


def unknown(size: int) -> bytes:
    """A field with `size` bytes of text, and a number that no message has."""
    return _varint(UNKNOWN_NUMBER << 3 | 2) + _varint(size) + b"x" * size


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def shown(message: Message) -> str:
    """A message on one line, cut where it is long; it holds what a bot says, so print it with care."""
    text = text_format.MessageToString(message, as_one_line=True, use_short_repeated_primitives=True)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
