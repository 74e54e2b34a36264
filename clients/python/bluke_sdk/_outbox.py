"""What a bot has to say and has not yet written."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bluke.v1 import play_pb2

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

__all__ = ["Outbox", "clip"]

#: A gathered message stays well below the referee's limit on one, and is worth no delay beyond this.
MOST_MOVES = 64
#: Bytes of a move besides its game id and note: tags, lengths, decision id and answer.
MOVE_BYTES = 32


def clip(text: str, most: int, *, keep_end: bool = False) -> str:
    """Cut `text` to at most `most` bytes of UTF-8, from its end or, with `keep_end`, from its beginning."""
    data = text.encode(errors="replace")
    if len(data) <= most:
        return text if text.isascii() else data.decode()
    return (data[-most:] if keep_end else data[:most]).decode(errors="ignore")


class Outbox:
    """Gathers moves into one message until the writer takes it.

    The cost of a stream is by message, not by move: what is said while one message is being
    written goes out together in the next.
    """

    def __init__(self, limits: play_pb2.StreamLimits) -> None:
        """Keep within the limits of the referee's welcome."""
        self.note_bytes = limits.max_note_bytes or 1024
        # Half of what is allowed, so that the estimate of a move's size need not be exact.
        self._message_bytes = (limits.max_message_bytes or 65_536) // 2
        self._requests: list[play_pb2.PlayRequest] = []
        self._moves: RepeatedCompositeFieldContainer[play_pb2.Move] | None = None
        self._count = 0
        self._room = 0
        self._filled = asyncio.Event()

    def __bool__(self) -> bool:
        return bool(self._requests)

    def move(self, game_id: str, decision_id: int, field: str, answer: int, note: str | None) -> None:
        """Say a move; `field` is that of the answer, a whole number of 32 bits."""
        size = MOVE_BYTES + len(game_id)
        if note is not None:
            note = clip(note, self.note_bytes)
            size += len(note.encode())
        if self._moves is None or self._count == MOST_MOVES or self._room < size:
            request = play_pb2.PlayRequest()
            self._moves = request.moves.moves
            self._count, self._room = 0, self._message_bytes
            self._requests.append(request)
            self._filled.set()
        # Filled field by field: arguments of `add` would take twice the time.
        move = self._moves.add()
        move.game_id = game_id
        move.decision_id = decision_id
        setattr(move, field, answer)
        if note is not None:
            move.note = note
        self._count += 1
        self._room -= size

    def say(self, request: play_pb2.PlayRequest) -> None:
        """Say anything else."""
        self._requests.append(request)
        self._moves = None
        self._filled.set()

    async def take(self) -> list[play_pb2.PlayRequest]:
        """Wait until there is something to write, and take all of it."""
        await self._filled.wait()
        self._filled.clear()
        requests, self._requests, self._moves = self._requests, [], None
        return requests
