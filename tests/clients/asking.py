"""One process of a bot is asked everything at once: all seats of all games, a round of decisions at a time."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdk.fake_referee import FakeReferee, Stream

from bluke.referee.bot import TURNS_A_MESSAGE
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.hello import StreamLimits, limits_of_stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clients.recorded import Talk

#: Seconds that all of it may take.
PATIENCE = 240.0


@dataclass(frozen=True)
class Asked:
    """A decision, and what was answered."""

    talk: Talk
    turn: play_pb.Turn
    move: play_pb.Move


async def ask_all(command: Sequence[str], talks: Sequence[Talk]) -> list[Asked]:
    """Start a bot, lead all talks with it side by side on one stream, and have it leave; it must do so with code 0."""
    async with FakeReferee() as referee, asyncio.timeout(PATIENCE):
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**os.environ, "BLUKE_SERVER": referee.address, "BLUKE_TOKEN": ""},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said = asyncio.create_task(process.communicate())
        try:
            limits = StreamLimits()
            stream = await referee.welcomed(name="rule", limits=limits_of_stream(limits, limits.max_games))
            asked = await _converse(stream, talks)
            await stream.say(goodbye=play_pb.Goodbye(reason="that is all"))
            assert await stream.hear_end() is None
            stream.end()
            out, err = await said
        finally:
            if process.returncode is None:
                process.kill()
            await asyncio.gather(said, return_exceptions=True)
    assert (process.returncode, out) == (0, b""), err.decode(errors="replace")[-2000:]
    return asked


async def _converse(stream: Stream, talks: Sequence[Talk]) -> list[Asked]:
    """Tell each seat what it was told until it has a decision to make; hear all those decisions; and so on."""
    asked: list[Asked] = []
    left = [(talk, deque(talk.messages)) for talk in talks]
    while left:
        open_turns: dict[tuple[str, int], tuple[Talk, play_pb.Turn]] = {}
        for talk, messages in left:
            while messages:
                message = messages.popleft()
                if message.HasField("turns"):
                    open_turns |= {(turn.game_id, turn.decision_id): (talk, turn) for turn in message.turns.turns}
                    break
                kind = message.WhichOneof("payload") or ""
                await stream.say(**{kind: getattr(message, kind)})
        turns = [turn for _, turn in open_turns.values()]
        for first in range(0, len(turns), TURNS_A_MESSAGE):
            await stream.ask(*turns[first : first + TURNS_A_MESSAGE])
        for move in await stream.hear_moves(len(open_turns)):
            talk, turn = open_turns.pop((move.game_id, move.decision_id))
            asked.append(Asked(talk, turn, move))
        left = [(talk, messages) for talk, messages in left if messages]
    return asked
