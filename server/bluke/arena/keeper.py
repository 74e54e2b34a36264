"""Keeps the bots of a run at hand: starts them, starts them again when they end, and lets them go."""

from __future__ import annotations

import asyncio
import re
import shlex
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bluke.arena.config import LimitsConfig
from bluke.arena.isolation import MEBIBYTE, Isolation
from bluke.arena.process import BotLog, BotProcess, StartError
from bluke.referee import Bot, Identity
from bluke.referee.bot import Gone
from bluke.replay.text import visible
from bluke.wire.values import FaultKind, Player

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bluke.arena.config import BotConfig
    from bluke.referee import Referee

__all__ = ["Keeper", "Stopped"]

#: Where run folders are unless a person says otherwise.
RUNS = "runs"


class Stopped(Exception):  # noqa: N818 - not an error
    """The run is being stopped, and a bot that has not said hello yet is not waited for."""


@dataclass(frozen=True, slots=True)
class Running:
    """A process whose bot has said hello."""

    process: BotProcess
    token: str
    bot: Bot
    watch: asyncio.Task[None]


class Keeper:
    """Keeps one bot of the roster at hand for its games.

    Args:
        referee: where the bot dials.
        bot: which bot.
        logs: the folder for its log.
        number: its place in the roster.
        site: which of several sites of a run starts it, from 0.
        start_seconds: how long it may take from its start to its hello.
        restarts: how often it is started again when it has ended by itself.
        stop: ends every wait for a hello when it is set.
        limits: what it may use; `None` for the defaults.
    """

    def __init__(
        self,
        referee: Referee,
        bot: BotConfig,
        *,
        logs: Path,
        number: int,
        site: int = 0,
        start_seconds: float,
        restarts: int,
        stop: asyncio.Event,
        limits: LimitsConfig | None = None,
    ) -> None:
        """Prepare; nothing is started yet."""
        self.bot = bot
        self._referee = referee
        self._limits = limits or LimitsConfig()
        label = f"{number:02}.{site}" if site else f"{number:02}"
        self._log = BotLog(logs / f"{label}-{_file_name(bot.name)}.log", self._limits.output_mb * MEBIBYTE)
        # Other runs may be going on next to this one.
        self._hidden = logs.parent.parent if logs.parent.parent.name == RUNS else logs.parent
        self._start_seconds = start_seconds
        self._restarts = restarts
        self._stop = stop
        self._starting = asyncio.Lock()
        self._slots = asyncio.Semaphore()
        self._running: Running | None = None
        self._dead: Gone | None = None

    async def first_start(self) -> None:
        """Start the bot, or for a fresh one see that it can be.

        Raises:
            ArenaError: it cannot; the message shows its command, how it ended and its last words.
            Stopped: the run is being stopped.
        """
        if self.bot.fresh:
            await self._end(await self._start())
        else:
            self._running = await self._start()
            # It said how many games it will play at once; its successors are the same program.
            self._slots = asyncio.Semaphore(self._running.bot.max_games)

    @asynccontextmanager
    async def at_table(self) -> AsyncIterator[Bot]:
        """The bot for one game: the one that runs, or for a fresh one a process of its own.

        A bot that cannot be had is there as one that is gone: its seats are charged and played out.

        Raises:
            ArenaError: the system has no room for its process.
            Stopped: the run is being stopped.
        """
        if not self.bot.fresh:
            async with self._slots:
                yield await self._ensure()
            return
        try:
            running = await self._start()
        except StartError as error:
            yield self._absent(_gone(error))
            return
        try:
            yield running.bot
        except asyncio.CancelledError:
            running.process.kill()
            raise
        finally:
            await self._end(running)

    def kill(self) -> None:
        """Kill what runs; `close` is still to be awaited."""
        if self._running is not None:
            self._running.process.kill()

    async def close(self) -> None:
        """Say goodbye to what still runs, and end it."""
        if self._running is not None:
            await self._end(self._running)
        self._log.close()

    async def _ensure(self) -> Bot:
        """The bot that runs, started again if need be."""
        async with self._starting:
            last = self._running
            if last is not None and last.bot.gone is None:
                return last.bot
            if self._dead is None and self._restarts == 0:
                self._dead = Gone(FaultKind.CRASH, "the bot has ended too often and is not started again")
            if self._dead is None:
                self._restarts -= 1
                self._running = None
                if last is not None:
                    await self._end(last)
                try:
                    self._running = await self._start()
                except StartError as error:
                    self._dead = _gone(error)
                else:
                    return self._running.bot
            return self._absent(self._dead)

    async def _start(self) -> Running:
        token = self._referee.expect(self.bot.name)
        address = self._referee.address
        if (self.bot.isolation or self._limits.isolation) is Isolation.BWRAP:
            address = f"unix:{self._referee.settings.socket}"
        process = await BotProcess.start(
            self.bot, address=address, token=token, log=self._log, limits=self._limits, hidden=self._hidden
        )
        arrival = asyncio.ensure_future(self._referee.arrival(token))
        ended = asyncio.ensure_future(process.ended())
        stopping = asyncio.ensure_future(self._stop.wait())
        waits = (arrival, ended, stopping)
        try:
            await asyncio.wait(waits, timeout=self._start_seconds, return_when=asyncio.FIRST_COMPLETED)
            if arrival.done():
                watch = asyncio.create_task(self._watch_process(process, token))
                return Running(process, token, arrival.result(), watch)
            stopped = stopping.done()
            if ended.done():
                how = f"ended with {ended.result()}"
            else:
                how = f"did not say hello within {self._start_seconds:g} s"
                process.kill()
        except asyncio.CancelledError:
            process.kill()
            raise
        finally:
            for wait in waits:
                wait.cancel()
        self._referee.forget(token, Gone(FaultKind.CRASH, "it could not be started"))
        await process.stop()
        if stopped:
            raise Stopped
        words = "".join(f"\n  | {visible(line.decode(errors='replace'))}" for line in process.last_errors)
        msg = (
            f"bot {self.bot.name!r} could not be started: it {how} before it had joined\n"
            f"  command: {visible(shlex.join(self.bot.argv))}\n"
            f"  folder: {visible(self.bot.folder)}\n"
            f"  log: {self._log.path}\n"
            f"  its last words on stderr: {words or 'none'}"
        )
        raise StartError(msg)

    async def _watch_process(self, process: BotProcess, token: str) -> None:
        how = await process.ended()
        self._log.lines("arena", [f"the process ended with {how}".encode()])
        self._referee.forget(token, Gone(FaultKind.CRASH, f"the bot's process ended with {how}"))

    async def _end(self, running: Running) -> None:
        running.watch.cancel()
        self._referee.farewell(running.token, "no more games")
        await running.process.stop()
        self._referee.forget(running.token, Gone(FaultKind.DISCONNECTED, "its games are over"))

    def _absent(self, gone: Gone) -> Bot:
        bot = Bot(Identity(self.bot.name), Player(self.bot.name), max_games=1, wants_events=False)
        bot.gone = gone
        return bot


def _gone(error: StartError) -> Gone:
    return Gone(FaultKind.CRASH, str(error).splitlines()[0])


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII)[:40] or "bot"
