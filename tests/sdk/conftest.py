from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from sdk.fake_referee import PATIENCE, FakeReferee

import bluke_sdk
from bluke.v1 import play_pb2

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sdk.fake_referee import Stream


@pytest.fixture
async def referee() -> AsyncIterator[FakeReferee]:
    async with FakeReferee() as fake:
        yield fake


@pytest.fixture
async def start(referee: FakeReferee) -> AsyncIterator[Callable[..., asyncio.Task[None]]]:
    """Start a bot against the fake referee; it is ended with the test."""
    tasks = []

    def begin(bot: type[bluke_sdk.Bot], **options: Any) -> asyncio.Task[None]:
        task = asyncio.create_task(bluke_sdk.play(bot, **{"server": referee.address, **options}))
        tasks.append(task)
        return task

    yield begin
    for task in tasks:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, bluke_sdk.SdkError):
            await task


@pytest.fixture
def part() -> Callable[[Stream, asyncio.Task[None]], Any]:
    """Say goodbye to a bot and wait until it has left."""

    async def goodbye(stream: Stream, task: asyncio.Task[None]) -> None:
        await stream.say(goodbye=play_pb2.Goodbye(reason="closing"))
        async with asyncio.timeout(PATIENCE):
            await task

    return goodbye
