"""The client of every measurement: as many streams as asked for, and the first legal answer to every turn.

    python -m bluke.bench.client ADDRESS TOKEN [TOKEN ...]

One process, a connection for each stream, told when to measure by `bluke.bench.tally`. It does the least that a correct
bot can do: parse, take the first legal answer, serialise.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

import grpc

from bluke.arena.loop import run
from bluke.bench.tally import Tally, obey
from bluke.v1 import game_pb2 as game_pb
from bluke.v1 import play_pb2 as play_pb

Stream = grpc.aio.StreamStreamCall[bytes, bytes]

#: A connection for each channel, and none through a proxy.
OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0)]
METHOD = "/bluke.v1.RefereeService/Play"
FIELDS = {game_pb.ASKED_CUT: "cut", game_pb.ASKED_BID: "bid", game_pb.ASKED_PLAY: "card"}


class Player:
    """All streams of this process.

    Attributes:
        tally: what is being measured.
        answered: when the last answer in each game was given.
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self.answered: dict[str, float] = {}

    def begin(self) -> None:
        """Measure from now on."""
        self.tally = Tally()

    def end(self) -> dict[str, Any]:
        """The figures of what began last."""
        return self.tally.told()

    async def play(self, address: str, token: str) -> None:
        """Hold one stream until the other side ends it."""
        async with grpc.aio.insecure_channel(address, OPTIONS) as channel:
            call: Stream = channel.stream_stream(METHOD)()
            hello = play_pb.Hello(token=token, name=token[:8], protocols=[1], max_games=4096, skips_hand_scored=True)
            await call.write(play_pb.PlayRequest(hello=hello).SerializeToString())
            while isinstance(data := await call.read(), bytes):
                response = play_pb.PlayResponse.FromString(data)
                if response.HasField("turns"):
                    await call.write(self.answers(response.turns))

    def answers(self, turns: play_pb.Turns) -> bytes:
        """Answer a batch of turns with a batch of moves."""
        now = time.perf_counter()
        request = play_pb.PlayRequest()
        add = request.moves.moves.add
        answered, waits = self.answered, self.tally.waits
        count = 0
        for turn in turns.turns:
            game = turn.game_id
            before = answered.get(game)
            if before is not None:
                waits.append(now - before)
            answered[game] = now
            add(game_id=game, decision_id=turn.decision_id, **{FIELDS[turn.asked]: turn.legal[0]})
            count += 1
        self.tally.decisions += count
        self.tally.messages += 1
        return request.SerializeToString()


async def _main() -> None:
    player = Player()
    streams = [asyncio.create_task(player.play(sys.argv[1], token)) for token in sys.argv[2:]]
    await obey(begin=player.begin, end=player.end)
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)


if __name__ == "__main__":
    run(_main())
