"""The control: a bare grpc.aio server that asks one question at a time and does nothing with the answer.

    python -m bluke.bench.pingpong

It speaks as much of the protocol as a client needs to begin, so that the same client plays with it and with the
referee. Its question is a turn out of the middle of a hand, the same bytes every time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import grpc

from bluke.arena.loop import run
from bluke.bench.tally import obey, say
from bluke.rules import Asked, Game, Rules, SeededPacks
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.turns import Last, TurnWriter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["Context", "question", "serve", "welcome"]

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"
SERVICE = "bluke.v1.RefereeService"


def question() -> bytes:
    """A turn as long as most: four seats, a hand of seven, in its fourth trick."""
    game = Game(Rules(seats=4), SeededPacks(bytes(32)))
    while not (game.hand == 6 and game.trick == 3 and game.asked is Asked.PLAY and game.seat == 0):
        game.answer(game.seat, next(iter([*game.legal])))
    turn = TurnWriter("0123456789abcdef", game).write(1, Last(1, 350, 0, 5, by_referee=False, excused=False))
    turn.decision_left_ms, turn.bank_left_ms = 2000, 60000
    return play_pb.PlayResponse(turns=play_pb.Turns(turns=[turn])).SerializeToString()


async def welcome(context: Context) -> None:
    """Read the hello of a stream, and welcome whoever it is."""
    await context.read()
    await context.write(play_pb.PlayResponse(welcome=play_pb.Welcome(protocol=1)).SerializeToString())


async def _play(_: object, context: Context) -> None:
    asked = question()
    await welcome(context)
    while True:
        await context.write(asked)
        if not isinstance(await context.read(), bytes):  # the end of the stream
            return


async def serve(play: Callable[[object, Context], Awaitable[None]], *, streams: int = 1) -> None:
    """Serve so many streams by `play` until the input ends."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handler = grpc.method_handlers_generic_handler(SERVICE, {"Play": grpc.stream_stream_rpc_method_handler(play)})
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    say({"address": f"127.0.0.1:{port}", "tokens": ["none"] * streams})
    await obey()
    await server.stop(0)


if __name__ == "__main__":
    run(serve(_play))
