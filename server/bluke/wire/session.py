"""The session machines: who may say what, when, without any IO.

Two machines, both tables. A **stream** goes from its hello to its end; a **seat** goes from a
game's beginning to its result. What is absent from a table is refused: said by the bot it is a
`PeerError`, said by the referee an `ArenaError`, since that is a bug of ours. The state table in
the protocol's documentation is written from these tables.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from bluke.errors import ArenaError, LimitError, PeerError
from bluke.v1 import play_pb2 as play_pb

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "PROTOCOLS",
    "SEAT",
    "STREAM",
    "SeatState",
    "Speaker",
    "StreamMachine",
    "StreamState",
    "seat_step",
]

#: The protocol versions that this referee speaks.
PROTOCOLS = (1,)


class Speaker(Enum):
    """Who says something."""

    # An enum hashes its name in Python each time, and the tables are looked into for every message.
    __hash__ = object.__hash__

    BOT = "bot"
    REFEREE = "referee"


class StreamState(Enum):
    """Where a stream is."""

    __hash__ = object.__hash__

    HELLO = "hello"
    GREETED = "greeted"
    OPEN = "open"
    CLOSED = "closed"


class SeatState(Enum):
    """Where one seat of one game is."""

    __hash__ = object.__hash__

    NEW = "new"
    WAITING = "waiting"
    ASKED = "asked"
    OVER = "over"


B, R = Speaker.BOT, Speaker.REFEREE

#: state -> (speaker, payload of the envelope) -> next state. A terminal state is listed empty.
STREAM: Mapping[StreamState, Mapping[tuple[Speaker, str], StreamState]] = {
    StreamState.HELLO: {
        (B, "hello"): StreamState.GREETED,
        (B, "goodbye"): StreamState.CLOSED,
        (R, "refusal"): StreamState.CLOSED,
        (R, "goodbye"): StreamState.CLOSED,
    },
    StreamState.GREETED: {
        (R, "welcome"): StreamState.OPEN,
        (R, "refusal"): StreamState.CLOSED,
    },
    StreamState.OPEN: {
        (B, "moves"): StreamState.OPEN,
        (B, "error"): StreamState.OPEN,
        (B, "goodbye"): StreamState.CLOSED,
        (R, "turns"): StreamState.OPEN,
        (R, "notice"): StreamState.OPEN,
        (R, "fault"): StreamState.OPEN,
        (R, "game_started"): StreamState.OPEN,
        (R, "hand_scored"): StreamState.OPEN,
        (R, "game_over"): StreamState.OPEN,
        (R, "seed_revealed"): StreamState.OPEN,
        (R, "events"): StreamState.OPEN,
        (R, "goodbye"): StreamState.CLOSED,
    },
    StreamState.CLOSED: {},
}

#: The same for one seat of one game. After a broken stream a turn may be asked again, and a result
#: told again; a fault can be charged with no decision open; a late or unknown move gets its notice at any time.
SEAT: Mapping[SeatState, Mapping[tuple[Speaker, str], SeatState]] = {
    SeatState.NEW: {
        (R, "game_started"): SeatState.WAITING,
        (R, "game_over"): SeatState.OVER,
    },
    SeatState.WAITING: {
        (R, "turns"): SeatState.ASKED,
        (R, "hand_scored"): SeatState.WAITING,
        (R, "events"): SeatState.WAITING,
        (R, "notice"): SeatState.WAITING,
        (R, "fault"): SeatState.WAITING,
        (R, "game_over"): SeatState.OVER,
    },
    SeatState.ASKED: {
        (B, "moves"): SeatState.WAITING,
        (B, "error"): SeatState.WAITING,
        (R, "turns"): SeatState.ASKED,
        (R, "events"): SeatState.ASKED,
        (R, "notice"): SeatState.ASKED,
        (R, "fault"): SeatState.WAITING,
        (R, "game_over"): SeatState.OVER,
    },
    SeatState.OVER: {
        (R, "game_over"): SeatState.OVER,
        (R, "seed_revealed"): SeatState.OVER,
        (R, "notice"): SeatState.OVER,
    },
}


def seat_step(state: SeatState, speaker: Speaker, payload: str) -> SeatState:
    """The state of a seat after `speaker` said `payload`.

    Raises:
        PeerError: the bot may not say that now.
        ArenaError: the referee may not say that now.
    """
    after = SEAT[state].get((speaker, payload))
    if after is None:
        raise _refused(speaker, payload, f"a seat that is {state.value}")
    return after


class StreamMachine:
    """One stream as a state and the messages that may change it."""

    __slots__ = ("max_message_bytes", "state")

    def __init__(self, max_message_bytes: int) -> None:
        """Begin before the hello."""
        self.state = StreamState.HELLO
        self.max_message_bytes = max_message_bytes

    def receive(self, data: bytes) -> play_pb.PlayRequest:
        """Read one message of the bot.

        Raises:
            PeerError: it is no such message, too long, or not to be said now. The stream is over.
        """
        if len(data) > self.max_message_bytes:
            self.state = StreamState.CLOSED
            msg = f"a message of {len(data)} bytes; the limit is {self.max_message_bytes}"
            raise LimitError(msg)
        try:
            # A new message each time: one that is parsed into again and again gives no memory back while it lives.
            request = play_pb.PlayRequest.FromString(data)
        except DecodeError as error:
            self.state = StreamState.CLOSED
            msg = f"{len(data)} bytes that are not a PlayRequest: {error}"
            raise PeerError(msg) from None
        payload = request.WhichOneof("payload")
        if payload is None:
            # A payload of a later version of the protocol: a newer bot still plays (unknown fields are skipped).
            if self.state is StreamState.OPEN:
                return request
            self.state = StreamState.CLOSED
            msg = "the first message must be a hello, and this one says nothing that is known here"
            raise PeerError(msg)
        self._step(Speaker.BOT, payload)
        return request

    def send(self, payload: str) -> None:
        """Note that the referee says `payload`.

        Raises:
            ArenaError: it may not say that now.
        """
        self._step(Speaker.REFEREE, payload)

    def _step(self, speaker: Speaker, payload: str) -> None:
        after = STREAM[self.state].get((speaker, payload))
        if after is None:
            before, self.state = self.state, StreamState.CLOSED
            raise _refused(speaker, payload, f"a stream that is {before.value}")
        self.state = after


def _refused(speaker: Speaker, payload: str, where: str) -> PeerError | ArenaError:
    msg = f"{payload} may not be said by the {speaker.value} on {where}"
    return PeerError(msg) if speaker is Speaker.BOT else ArenaError(msg)
