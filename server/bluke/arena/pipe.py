"""The reading end of a pipe, on any event loop."""

from __future__ import annotations

import asyncio
import os

__all__ = ["PipeReader"]


class PipeReader:
    """Reads a pipe, and closes it.

    The transports that event loops have for this are not used: uvloop closes the descriptor of a pipe, and then once
    more whatever has its number by then, such as a file that another thread has just opened.
    """

    def __init__(self, descriptor: int) -> None:
        """Take over the descriptor."""
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._closed = False

    async def read(self, most: int = 65536) -> bytes:
        """What has come, up to so many bytes; nothing at the end of the pipe, which is also where it was closed."""
        while not self._closed:
            try:
                return os.read(self._descriptor, most)
            except BlockingIOError:
                await self._readable()
        return b""

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_reader(self._descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            if not self._closed:
                loop.remove_reader(self._descriptor)

    def close(self) -> None:
        """Read no more; nobody may be reading now."""
        if not self._closed:
            self._closed = True
            os.close(self._descriptor)
