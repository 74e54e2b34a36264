"""What makes a hello acceptable: a function of the message and of what the referee knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bluke.v1 import play_pb2 as play_pb
from bluke.wire.session import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["StreamLimits", "hello_problem", "limits_of_stream", "refusal"]

#: No bot speaks more versions than this: a refusal does not grow with a hello that says it does.
MOST_TOLD = 16


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """Every limit of a stream; the welcome names them all."""

    max_message_bytes: int = 64 * 1024
    max_note_bytes: int = 1024
    max_name_bytes: int = 64
    max_games: int = 1024
    max_streams: int = 4
    max_unanswered: int = 1000
    max_waiting: int = 10_000


def limits_of_stream(limits: StreamLimits, max_games: int) -> play_pb.StreamLimits:
    """The limits as the welcome tells them, `max_games` being what was agreed on for this stream."""
    return play_pb.StreamLimits(
        max_message_bytes=limits.max_message_bytes,
        max_note_bytes=limits.max_note_bytes,
        max_name_bytes=limits.max_name_bytes,
        max_games=max_games,
        max_streams=limits.max_streams,
        max_unanswered=limits.max_unanswered,
        max_waiting=limits.max_waiting,
    )


def refusal(
    reason: play_pb.RefusalReason, message: str, *, server: str, bot_protocols: Sequence[int] = ()
) -> play_pb.Refusal:
    """A refusal that names both sides' versions."""
    return play_pb.Refusal(
        reason=reason,
        message=message,
        server=server,
        server_protocols=PROTOCOLS,
        bot_protocols=bot_protocols[:MOST_TOLD],
    )


def hello_problem(hello: play_pb.Hello, limits: StreamLimits, server: str) -> play_pb.Refusal | None:
    """Why this hello must be refused whoever sends it, or `None`."""
    if not set(PROTOCOLS) & set(hello.protocols):
        ours = ", ".join(map(str, PROTOCOLS))
        theirs = ", ".join(map(str, hello.protocols[:MOST_TOLD])) or "none"
        if len(hello.protocols) > MOST_TOLD:
            theirs += " and more"
        newer = all(version > max(PROTOCOLS) for version in hello.protocols) and bool(hello.protocols)
        cure = "update the referee" if newer else "update the bot's SDK or its copy of the .proto files"
        return refusal(
            play_pb.REFUSAL_REASON_PROTOCOL,
            f"no protocol version in common: {server} speaks {ours}, the bot speaks {theirs}; {cure}",
            server=server,
            bot_protocols=hello.protocols,
        )
    for field in ("name", "version", "sdk", "author"):
        size = len(getattr(hello, field).encode())
        if size > limits.max_name_bytes:
            return refusal(
                play_pb.REFUSAL_REASON_HELLO,
                f"the {field} in the hello has {size} bytes; shorten it to at most {limits.max_name_bytes}",
                server=server,
                bot_protocols=hello.protocols,
            )
    return None
