"""The other control: many questions in flight on four streams, in lists, and no game behind them.

    python -m bluke.bench.lists QUESTIONS

It is what gRPC in Python makes of many games at once, before any game. Each answer is followed by the next question,
on the stream of the seat that would mostly be asked next at a table of four, and on any of them after every fourth, as
after a trick. Questions are gathered and written as the referee does it, but none is held back.
"""

from __future__ import annotations

import asyncio
import sys
from itertools import count

from bluke.arena.loop import run
from bluke.bench.pingpong import Context, question, serve, welcome
from bluke.referee.bot import TURNS_A_MESSAGE
from bluke.referee.stream import Stream
from bluke.v1 import play_pb2 as play_pb

__all__ = ["SEATS", "next_seat"]

SEATS = 4


def next_seat(seat: int, answer: int) -> int:
    """Who is asked after the answer of a seat: the next one, and anybody after every fourth answer."""
    return (seat + (1 if answer % 4 else answer // 4)) % SEATS


class Lists:
    """Four streams, and the questions that wait for each of them."""

    def __init__(self, questions: int) -> None:
        self._turn = play_pb.PlayResponse.FromString(question()).turns.turns[0]
        self._waiting = [questions // SEATS] * SEATS
        self._wake = [asyncio.Event() for _ in range(SEATS)]
        self._streams = count()
        self._answers = count()

    async def play(self, _: object, context: Context) -> None:
        """Serve one stream."""
        seat = next(self._streams) % SEATS
        await welcome(context)
        writer = asyncio.create_task(self._write(seat, context))
        try:
            while isinstance(data := await context.read(), bytes):
                for _move in play_pb.PlayRequest.FromString(data).moves.moves:
                    after = next_seat(seat, next(self._answers))
                    self._waiting[after] += 1
                    self._wake[after].set()
        finally:
            writer.cancel()

    async def _write(self, seat: int, context: Context) -> None:
        wake = self._wake[seat]
        wake.set()
        while True:
            await wake.wait()
            wake.clear()
            for _ in range(Stream.GATHERING):
                await asyncio.sleep(0)
            while turns := min(self._waiting[seat], TURNS_A_MESSAGE):
                self._waiting[seat] -= turns
                message = play_pb.PlayResponse(turns=play_pb.Turns(turns=[self._turn] * turns))
                await context.write(message.SerializeToString())


if __name__ == "__main__":
    run(serve(Lists(int(sys.argv[1])).play, streams=SEATS))
