"""A door between a bot and a referee that can be shut, and whose connections can be cut."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Self

from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Door", "Relay"]

HOST = "127.0.0.1"


class Door(Enum):
    """What happens to whoever dials."""

    OPEN = "open"
    #: Nobody listens.
    SHUT = "shut"
    #: The connection is taken and dropped at once.
    DROPPED = "dropped"


class Relay:
    """Passes connections on to a port that may change, from one that never does.

    Use it as an async context manager.

    Args:
        target: the port that new connections are passed on to.

    Attributes:
        dialled: how many connections were taken.
    """

    def __init__(self, target: Callable[[], int]) -> None:
        """Prepare; nothing listens yet."""
        self._target = target
        self._hold: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._door = Door.SHUT
        self._port = 0
        self.dialled = 0

    @property
    def address(self) -> str:
        """Where a bot dials."""
        return f"{HOST}:{self._port}"

    async def __aenter__(self) -> Self:
        """Take a port and open the door.

        Raises:
            ArenaError: there is none.
        """
        # Bound and never listening: it keeps the port for us while the door is shut.
        self._hold = _bound(0)
        self._port = self._hold.getsockname()[1]
        await self.set(Door.OPEN)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.set(Door.SHUT)
        self.cut()
        await asyncio.gather(*self._serving, return_exceptions=True)
        if self._hold is not None:
            self._hold.close()

    async def set(self, door: Door) -> None:
        """Open or shut the door; connections that are there stay.

        Raises:
            ArenaError: the port is taken.
        """
        self._door = door
        if door is Door.SHUT:
            if self._server is not None:
                self._server.close()
                self._server = None
        elif self._server is None:
            self._server = await asyncio.start_server(self._take, sock=_bound(self._port))

    def cut(self) -> None:
        """Break every connection, without a word to either side."""
        for writer in list(self._open):
            writer.transport.abort()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.dialled += 1
        if self._door is not Door.OPEN:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        if task is not None:
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        self._open.add(writer)
        try:
            behind = await asyncio.open_connection(HOST, self._target())
        except OSError:
            writer.transport.abort()
            self._open.discard(writer)
            return
        self._open.add(behind[1])
        try:
            await asyncio.gather(_pump(reader, behind[1]), _pump(behind[0], writer))
        finally:
            for one in (writer, behind[1]):
                self._open.discard(one)
                one.transport.abort()


def _bound(port: int) -> socket.socket:
    """A socket that has the port, 0 for a free one, together with others of ours.

    Raises:
        ArenaError: it cannot be had.
    """
    one = socket.socket()
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "SO_REUSEPORT"):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        one.bind((HOST, port))
    except OSError as error:
        one.close()
        raise ArenaError(f"no port to listen on: {error.strerror}") from None
    return one


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    # On uvloop a connection that was cut says so with a RuntimeError.
    with suppress(OSError, RuntimeError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    # Half of a connection is of no use to gRPC.
    writer.close()
