from __future__ import annotations

import asyncio
import os

import pytest

from bluke.arena.pipe import PipeReader


def piped() -> tuple[PipeReader, int]:
    read_end, write_end = os.pipe()
    return PipeReader(read_end), write_end


async def test_read_to_the_end():
    """What was written comes in order, however much, and nothing when the last writer has closed its end."""
    reader, write_end = piped()
    sent = os.urandom(1_000_000)

    def write() -> None:
        with os.fdopen(write_end, "wb") as file:
            file.write(sent)

    writing = asyncio.create_task(asyncio.to_thread(write))
    got = b""
    while more := await reader.read(10_000):
        got += more
    await writing
    assert got == sent
    assert await reader.read() == b""
    reader.close()


async def test_give_up_waiting():
    """Whoever is cut off while waiting loses nothing of what comes later."""
    reader, write_end = piped()
    waiting = asyncio.create_task(reader.read())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    os.write(write_end, b"later")
    assert await reader.read() == b"later"
    os.close(write_end)
    reader.close()


async def test_close_once(monkeypatch: pytest.MonkeyPatch):
    """A descriptor is closed once: what has its number by then is left alone."""
    reader, write_end = piped()
    closed: list[int] = []
    close = os.close

    def counted(number: int) -> None:
        closed.append(number)
        close(number)

    monkeypatch.setattr(os, "close", counted)
    reader.close()
    reader.close()
    assert closed == [reader._descriptor]
    assert await reader.read() == b""
    close(write_end)


def test_on_uvloop():
    """A descriptor is not taken over by uvloop: at the end of the pipe it is still open, and its reader's to close."""
    uvloop = pytest.importorskip("uvloop")

    async def work() -> None:
        reader, write_end = piped()
        reading = asyncio.create_task(reader.read())
        await asyncio.sleep(0)
        os.write(write_end, b"said")
        assert await reading == b"said"
        os.close(write_end)
        assert await reader.read() == b""
        os.fstat(reader._descriptor)
        reader.close()

    uvloop.run(work())
