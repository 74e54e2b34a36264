"""A TCP proxy between a bot and the referee that can delay, stall, reset and cut."""

from __future__ import annotations

import asyncio
import socket
import struct
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Break", "Link", "Proxy"]


class Break(Enum):
    """How a connection ends."""

    #: Both sides get an RST, as from a machine that has forgotten the connection.
    RESET = "reset"
    #: Both sides get a FIN, as from a process that was killed.
    CUT = "cut"


class Link:
    """One connection through the proxy; `up` is from the bot to the referee.

    Attributes:
        held_up: bytes that came from the bot and wait.
        passed_up: bytes of the bot that went on to the referee.
    """

    def __init__(self, proxy: Proxy, bot: asyncio.StreamWriter, referee: asyncio.StreamWriter) -> None:
        self._proxy = proxy
        self.bot = bot
        self.referee = referee
        self.held_up = 0
        self.passed_up = 0

    async def pump_up(self, source: asyncio.StreamReader) -> None:
        while data := await source.read(65536):
            self.held_up += len(data)
            await self._proxy.gate_up.wait()
            await asyncio.sleep(self._proxy.delay)
            self.held_up -= len(data)
            self.passed_up += len(data)
            self.referee.write(data)
            await self.referee.drain()
            self._proxy.on_up(self)

    async def pump_down(self, source: asyncio.StreamReader) -> None:
        while data := await source.read(65536):
            await self._proxy.gate_down.wait()
            await asyncio.sleep(self._proxy.delay)
            self.bot.write(data)
            await self.bot.drain()

    def end(self, how: Break, *sides: asyncio.StreamWriter) -> None:
        """End the connection, to both sides unless told to which."""
        for side in sides or (self.bot, self.referee):
            if how is Break.RESET:
                # A linger of nothing makes a close an RST.
                with suppress(OSError):
                    handle: socket.socket = side.get_extra_info("socket")
                    handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                side.transport.abort()
            else:
                side.close()


class Proxy:
    """Listens on loopback and passes everything on to `target`, `HOST:PORT`, as it is told to.

    Attributes:
        links: the connections that are open.
        made: how many there have been.
        refusing: whether new connections are reset at once.
        delay: seconds that whatever passes is held up, in each direction.
        on_link: called with each new connection before anything passes.
        on_up: called when something of the bot has gone on to the referee.
    """

    def __init__(self, target: str) -> None:
        self._host, _, port = target.rpartition(":")
        self._port = int(port)
        self.links: list[Link] = []
        self.made = 0
        self.refusing = False
        self.delay = 0.0
        self.gate_up, self.gate_down = asyncio.Event(), asyncio.Event()
        self.go_on()
        self.on_link: Callable[[Link], None] = lambda _: None
        self.on_up: Callable[[Link], None] = lambda _: None
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.address = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.refusing = True
        self.end(Break.RESET)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def stall(self, *, up: bool = True, down: bool = True) -> None:
        """Let nothing pass any more in these directions, and keep what comes."""
        if up:
            self.gate_up.clear()
        if down:
            self.gate_down.clear()

    def go_on(self) -> None:
        """Let everything pass again, what was kept first."""
        self.gate_up.set()
        self.gate_down.set()

    def end(self, how: Break) -> None:
        """End every connection."""
        for link in self.links:
            link.end(how)
        self.links.clear()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refusing:
            writer.transport.abort()
            return
        from_referee, to_referee = await asyncio.open_connection(self._host, self._port)
        link = Link(self, writer, to_referee)
        self.links.append(link)
        self.made += 1
        self.on_link(link)
        try:
            pumps = [asyncio.ensure_future(link.pump_up(reader)), asyncio.ensure_future(link.pump_down(from_referee))]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
        finally:
            if link in self.links:
                self.links.remove(link)
            for side in (writer, to_referee):
                side.close()
                with suppress(OSError):
                    await side.wait_closed()
