"""Bots that say hello and then nothing, each on a connection of its own.

    python -m bluke.bench.idle ADDRESS TOKEN [TOKEN ...]

`connected` on its input is answered with how many have been welcomed.
"""

from __future__ import annotations

import asyncio
import sys

import grpc

from bluke.arena.loop import run
from bluke.bench.client import METHOD, OPTIONS, Stream
from bluke.bench.tally import obey
from bluke.v1 import play_pb2 as play_pb

#: So many connections are opened at once: servers lose some of those that come by the thousand.
AT_ONCE = 50


async def _main() -> None:
    address, *tokens = sys.argv[1:]
    door = asyncio.Semaphore(AT_ONCE)
    welcomed: list[str] = []

    async def sit(token: str) -> None:
        async with grpc.aio.insecure_channel(address, OPTIONS) as channel:
            call: Stream = channel.stream_stream(METHOD)()
            async with door:
                hello = play_pb.Hello(token=token, name=token[:8], protocols=[1])
                await call.write(play_pb.PlayRequest(hello=hello).SerializeToString())
                await call.read()
            welcomed.append(token)
            while isinstance(await call.read(), bytes):
                pass

    sitting = [asyncio.create_task(sit(token)) for token in tokens]
    await obey(connected=lambda: len(welcomed))
    for bot in sitting:
        bot.cancel()
    await asyncio.gather(*sitting, return_exceptions=True)


if __name__ == "__main__":
    run(_main())
