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

import grpc

from bluke.arena.loop import run
from bluke.bench.pingpong import SERVICE, question
from bluke.bench.tally import obey, say
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

    async def play(self, _: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Serve one stream."""
        seat = next(self._streams) % SEATS
        await context.read()
        await context.write(play_pb.PlayResponse(welcome=play_pb.Welcome(protocol=1)).SerializeToString())
        writer = asyncio.create_task(self._write(seat, context))
        try:
            while isinstance(data := await context.read(), bytes):
                for _move in play_pb.PlayRequest.FromString(data).moves.moves:
                    after = next_seat(seat, next(self._answers))
                    self._waiting[after] += 1
                    self._wake[after].set()
        finally:
            writer.cancel()

    async def _write(self, seat: int, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
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


async def _serve(questions: int) -> None:
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    play = Lists(questions).play
    handler = grpc.method_handlers_generic_handler(SERVICE, {"Play": grpc.stream_stream_rpc_method_handler(play)})
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    say({"address": f"127.0.0.1:{port}", "tokens": ["none"] * SEATS})
    await obey()
    await server.stop(0)


if __name__ == "__main__":
    run(_serve(int(sys.argv[1])))
