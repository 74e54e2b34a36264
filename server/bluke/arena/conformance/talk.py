"""Hearing and saying: every wait for a bot, with what ends it, and who is to blame for that."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Protocol

from bluke.errors import ArenaError, PeerError
from bluke.referee.scripted import End, ScriptedStream

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from bluke.referee.clock import LagMeter

__all__ = ["Bot", "FailedError", "NoVerdictError", "Talk"]

#: A wait that ended in vain says nothing about the bot if so much of it was our own lateness.
LATE_SHARE = 0.25
#: How long the last words of a process may be under way, and the news of its end.
PARTING_WORDS_SECONDS = 0.5
KILLED = "signal SIGKILL"
#: The largest message that a bot may say unless its welcome says otherwise.
MAX_MESSAGE_BYTES = 64 * 1024


class FailedError(Exception):
    """The bot did not do what was expected of it."""

    def __init__(self, expected: str, arrived: str) -> None:
        """Take what was expected and what came instead, as half sentences."""
        super().__init__(expected, arrived)
        self.expected = expected
        self.arrived = arrived


class NoVerdictError(Exception):
    """Trouble of our own: nothing can be said about the bot."""


class Bot(Protocol):
    """The process of the bot, as a script needs it."""

    token: str

    async def ended(self) -> str:
        """Wait until it ends; returns how it did, such as `exit code 0`."""

    def terminate(self) -> None:
        """Send SIGTERM."""

    def printed(self) -> str:
        """All that it has printed."""


class Talk:
    """A bot's process and its newest stream, and how long is waited for either.

    Args:
        bot: the process.
        lag: our own lateness.
        patience: how long the bot may take for each thing, in seconds.

    Attributes:
        stream: the stream that is talked on.
        most: the largest message that the bot may say on it, in bytes.
    """

    def __init__(self, bot: Bot, lag: LagMeter, patience: float) -> None:
        """Begin without a stream, in a running loop."""
        self.bot = bot
        self.most = MAX_MESSAGE_BYTES
        self._lag = lag
        self._patience = patience
        self._stream: ScriptedStream | None = None
        self._ended = asyncio.ensure_future(bot.ended())

    def close(self) -> None:
        """Wait for nothing any more."""
        self._ended.cancel()

    @property
    def stream(self) -> ScriptedStream:
        """The stream that is talked on."""
        if self._stream is None:
            raise ArenaError("a step that needs a stream stands before the hello")
        return self._stream

    @stream.setter
    def stream(self, stream: ScriptedStream) -> None:
        self._stream = stream
        self.most = MAX_MESSAGE_BYTES

    async def wait(self, waited: Coroutine[Any, Any, Any], expected: str) -> Any:  # noqa: ANN401 - what is waited for
        """Wait for something of the bot, unless its process ends or its time does.

        Raises:
            FailedError: it does.
            NoVerdictError: we were too late ourselves to blame it.
        """
        began = time.monotonic()
        late = self._lag.total(began)
        task = asyncio.ensure_future(waited)
        try:
            await asyncio.wait([task, self._ended], timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and self._ended.done():
                # What it said last may still be under way.
                await asyncio.wait([task], timeout=PARTING_WORDS_SECONDS)
            if task.done():
                return task.result()
        finally:
            task.cancel()
        if death := self.death():
            raise FailedError(expected, death)
        now = time.monotonic()
        ours = self._lag.total(now) - late
        if ours > LATE_SHARE * (now - began):
            raise NoVerdictError(f"in {now - began:.1f} s of waiting the kit itself was late by {ours:.1f} s")
        raise FailedError(expected, f"nothing within {self._patience:g} s")

    async def end(self, expected: str) -> str:
        """Wait for the end of the process; returns how it ended.

        Raises:
            FailedError: its time ends first.
            NoVerdictError: somebody else has killed it.
        """

        async def ended() -> str:
            return await asyncio.shield(self._ended)

        await self.wait(ended(), expected)
        self.death()
        return self._ended.result()

    def death(self) -> str:
        """How the process ended, as half a sentence; nothing while it lives.

        Raises:
            NoVerdictError: somebody else has killed it.
        """
        if not self._ended.done():
            return ""
        how = self._ended.result()
        if how == KILLED:
            raise NoVerdictError("somebody else has killed its process, the system for want of memory perhaps")
        return f"its process ended with {how}"

    async def hear(self, expected: str) -> Any:  # noqa: ANN401 - a message of the bot, whose type only the referee knows
        """The next message of the bot that says something.

        Raises:
            FailedError: what comes is no message, or too long, or the end.
            NoVerdictError: this says nothing about the bot.
        """
        while True:
            request = await self.wait(self.stream.heard.get(), expected)
            if isinstance(request, PeerError):
                raise FailedError(expected, str(request))
            if isinstance(request, End):
                await self.quiet(PARTING_WORDS_SECONDS)
                raise FailedError(expected, self.death() or "the end of the stream: the bot has closed it")
            size = request.ByteSize()
            if size > self.most:
                raise FailedError(f"messages of at most {self.most} bytes, as the welcome says", f"one of {size} bytes")
            if request.WhichOneof("payload") is not None:
                return request

    async def say(self, message: Any) -> None:  # noqa: ANN401 - a message of the referee
        """Say something.

        Raises:
            FailedError: nobody is there to read it.
            NoVerdictError: this says nothing about the bot.
        """
        try:
            await self.stream.say(message)
        except PeerError as error:
            await self.quiet(PARTING_WORDS_SECONDS)
            raise FailedError("an open stream", self.death() or str(error)) from None

    async def quiet(self, seconds: float) -> None:
        """Let time pass, but no longer than the bot lives."""
        await asyncio.wait([self._ended], timeout=seconds)
