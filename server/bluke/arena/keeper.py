"""Keeps the bots of a run at hand: starts them, starts them again when they end, and lets them go."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bluke.arena.process import BotLog, BotProcess
from bluke.errors import ArenaError
from bluke.referee import Bot, Identity
from bluke.referee.bot import Gone
from bluke.wire.values import FaultKind, Player

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bluke.arena.config import BotConfig
    from bluke.referee import Referee

__all__ = ["Keeper"]


class Keeper:
    """Keeps one bot of the roster at hand for its games.

    Args:
        referee: where the bot dials.
        bot: which bot.
        logs: the folder for its log.
        number: its place in the roster.
        start_seconds: how long it may take from its start to its hello.
        restarts: how often it is started again when it has ended by itself.
    """

    def __init__(
        self, referee: Referee, bot: BotConfig, *, logs: Path, number: int, start_seconds: float, restarts: int
    ) -> None:
        """Prepare; nothing is started yet."""
        self.bot = bot
        self._referee = referee
        self._log = BotLog(logs / f"{number:02}-{_file_name(bot.name)}.log")
        self._start_seconds = start_seconds
        self._restarts = restarts
        self._starting = asyncio.Lock()
        self._running: tuple[BotProcess, str] | None = None
        self._present: Bot | None = None
        self._watch: asyncio.Task[None] | None = None
        self._dead: Gone | None = None

    async def first_start(self) -> None:
        """Start the bot, or for a fresh one see that it can be.

        Raises:
            ArenaError: it cannot; the message shows its command, how it ended and its last words.
        """
        if self.bot.fresh:
            process, token, _ = await self._start()
            await self._end(process, token)
        else:
            await self._ensure()

    @asynccontextmanager
    async def at_table(self) -> AsyncIterator[Bot]:
        """The bot for one game: the one that runs, or for a fresh one a process of its own."""
        if not self.bot.fresh:
            yield await self._ensure_or_dead()
            return
        try:
            process, token, bot = await self._start()
        except ArenaError as error:
            yield self._absent(Gone(FaultKind.CRASH, str(error).splitlines()[0]))
            return
        watch = asyncio.create_task(self._watch_process(process, token))
        try:
            yield bot
        finally:
            watch.cancel()
            await self._end(process, token)

    async def close(self) -> None:
        """End what still runs; the referee has said goodbye by now."""
        if self._watch is not None:
            self._watch.cancel()
        if self._running is not None:
            await self._running[0].stop()
        self._log.close()

    async def _ensure_or_dead(self) -> Bot:
        if self._dead is None:
            try:
                return await self._ensure()
            except ArenaError as error:
                self._dead = Gone(FaultKind.CRASH, str(error).splitlines()[0])
        return self._absent(self._dead)

    async def _ensure(self) -> Bot:
        """The bot that runs, started again if need be."""
        async with self._starting:
            if self._present is not None and self._present.gone is None:
                return self._present
            if self._present is not None:
                if self._restarts == 0:
                    msg = f"bot {self.bot.name!r} has ended too often and is not started again"
                    raise ArenaError(msg)
                self._restarts -= 1
                if self._running is not None:
                    await self._running[0].stop()
            process, token, self._present = await self._start()
            self._running = (process, token)
            self._watch = asyncio.create_task(self._watch_process(process, token))
            return self._present

    async def _start(self) -> tuple[BotProcess, str, Bot]:
        token = self._referee.expect(self.bot.name)
        process = await BotProcess.start(self.bot, address=self._referee.address, token=token, log=self._log)
        arrival = asyncio.ensure_future(self._referee.arrival(token))
        ended = asyncio.ensure_future(process.ended())
        await asyncio.wait({arrival, ended}, timeout=self._start_seconds, return_when=asyncio.FIRST_COMPLETED)
        if arrival.done():
            ended.cancel()
            return process, token, arrival.result()
        arrival.cancel()
        how = f"ended with {ended.result()}" if ended.done() else f"did not say hello within {self._start_seconds:g} s"
        ended.cancel()
        self._referee.forget(token, Gone(FaultKind.CRASH, "it could not be started"))
        await process.stop()
        words = "".join(f"\n  | {line}" for line in process.last_errors) or " nothing"
        msg = (
            f"bot {self.bot.name!r} could not be started: it {how} before it had joined\n"
            f"  command: {' '.join(self.bot.argv)}\n"
            f"  folder: {self.bot.folder}\n"
            f"  log: {self._log.path}\n"
            f"  its last words on stderr:{words}"
        )
        raise ArenaError(msg)

    async def _watch_process(self, process: BotProcess, token: str) -> None:
        how = await process.ended()
        self._log.line("arena", f"the process ended with {how}".encode())
        self._referee.forget(token, Gone(FaultKind.CRASH, f"the bot's process ended with {how}"))

    async def _end(self, process: BotProcess, token: str) -> None:
        self._referee.farewell(token, "the game of this process is over")
        await process.stop()
        self._referee.forget(token, Gone(FaultKind.DISCONNECTED, "its game is over"))

    def _absent(self, gone: Gone) -> Bot:
        """A bot that is not there: its seats are charged once and played out."""
        bot = Bot(Identity(self.bot.name), Player(self.bot.name), max_games=1, wants_events=False)
        bot.gone = gone
        return bot


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII)[:40] or "bot"
