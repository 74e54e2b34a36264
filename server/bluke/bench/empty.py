"""The control of what a referee weighs: a grpc.aio server without a service, and nothing of Bluke.

python -m bluke.bench.empty
"""

from __future__ import annotations

import asyncio
import sys

import grpc

from bluke.arena.loop import run


async def _serve() -> None:
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f'{{"address": "127.0.0.1:{port}", "tokens": []}}', flush=True)  # noqa: T201 - whoever started it reads this
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop(0)


if __name__ == "__main__":
    run(_serve())
