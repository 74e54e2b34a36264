from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from bluke.arena.conformance.relay import Door, Relay
from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1000):
        writer.write(data)
    writer.close()


@asynccontextmanager
async def relayed() -> AsyncIterator[Relay]:
    """A relay to something that says everything again."""
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with Relay(lambda: port) as relay:
        yield relay
    server.close()


async def dial(relay: Relay) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = relay.address.rpartition(":")
    return await asyncio.open_connection(host, int(port))


async def said(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, text: bytes) -> bytes:
    writer.write(text)
    async with asyncio.timeout(20):
        return await reader.readexactly(len(text))


async def gone(reader: asyncio.StreamReader) -> bool:
    async with asyncio.timeout(20):
        try:
            return await reader.read() == b""
        except OSError:
            return True


async def test_passes_on_both_ways():
    """What is said arrives, and so does the answer; connections are counted."""
    async with relayed() as relay:
        one, two = await dial(relay), await dial(relay)
        assert await said(*one, b"one" * 100_000) == b"one" * 100_000
        assert await said(*two, b"two") == b"two"
        assert relay.dialled == 2
        for _, writer in (one, two):
            writer.close()


async def test_cut():
    """Every connection breaks, and the next one works."""
    async with relayed() as relay:
        reader, writer = await dial(relay)
        await said(reader, writer, b"x")
        relay.cut()
        assert await gone(reader)
        writer.close()
        reader, writer = await dial(relay)
        assert await said(reader, writer, b"again") == b"again"
        writer.close()


async def test_shut_and_open_again():
    """While it is shut dialling is refused, the port is nobody else's, and afterwards it is the same one."""
    async with relayed() as relay:
        address = relay.address
        await relay.set(Door.SHUT)
        with pytest.raises(ConnectionRefusedError):
            await dial(relay)
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", int(address.rpartition(":")[2])))
        await relay.set(Door.OPEN)
        assert relay.address == address
        reader, writer = await dial(relay)
        assert await said(reader, writer, b"x") == b"x"
        writer.close()


async def test_dropped():
    """A connection is taken, counted and dropped."""
    async with relayed() as relay:
        await relay.set(Door.DROPPED)
        reader, writer = await dial(relay)
        assert await gone(reader)
        assert relay.dialled == 1
        writer.close()


async def test_nobody_behind():
    """Where nobody listens behind it, a connection is dropped."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        async with Relay(lambda: port) as relay:
            reader, writer = await dial(relay)
            assert await gone(reader)
            writer.close()


async def test_no_port():
    """A port that is somebody else's is trouble of ours."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        relay = Relay(lambda: 1)
        relay._port = taken.getsockname()[1]
        with pytest.raises(ArenaError, match="no port to listen on: Address already in use"):
            await relay.set(Door.OPEN)
