"""A crew: several processes that play the games of one run, each with a referee and bots of its own."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from asyncio.subprocess import PIPE
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from bluke.arena.family import kill_marked
from bluke.arena.keeper import Stopped
from bluke.arena.worker import LONGEST, Answer, End, Order, Play, Setup
from bluke.errors import ArenaError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from bluke.arena.schedule import Fixture
    from bluke.arena.site import Played, Until

__all__ = ["RemoteSite"]

#: By this in their environment the bots of one worker are found when it has ended.
MARK = "BLUKE_WORKER"


class RemoteSite:
    """A site in a process of its own, which is started with exec: a fork of a process that runs gRPC may hang.

    Use it as an async context manager, which starts the process with its bots and ends them.

    Args:
        setup: what is to be played.
        log: takes what the process prints.
        until: what ends the run before its time.
    """

    #: How long a process that was told to end may take; its bots have time of their own within it.
    PATIENCE_SECONDS = 30.0

    def __init__(self, setup: Setup, log: Path, until: Until) -> None:
        """Prepare; nothing is started yet."""
        self._setup = setup
        self._log = log
        self._until = until
        self._process: asyncio.subprocess.Process
        self._waiting: dict[int | None, asyncio.Future[Answer]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        #: How the process ended, if it has.
        self._gone = ""
        self._mark = secrets.token_hex(16)

    async def __aenter__(self) -> Self:
        """Start the process, and in it the bots.

        Raises:
            ArenaError: it cannot be started, or a bot cannot.
            Stopped: the run is being stopped.
        """
        try:
            with self._log.open("ab") as log:
                self._process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "bluke.arena.worker"),
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=log,
                    # As for the command that has begun the run: bots are started by fork there too.
                    env={"GRPC_ENABLE_FORK_SUPPORT": "0", **os.environ, MARK: self._mark},
                    limit=LONGEST,
                    # Ctrl-C reaches every process of a terminal, and is for the one that started this.
                    start_new_session=True,
                )
        except OSError as error:
            msg = f"a worker of the arena cannot be started: {error.strerror}"
            raise ArenaError(msg) from None
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._pass_on())]
        try:
            await self._ask(None, self._setup)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the process; what it is at is given up."""
        stdin = self._process.stdin
        if stdin is not None:
            stdin.close()
        try:
            async with asyncio.timeout(self.PATIENCE_SECONDS):
                await self._process.wait()
        except TimeoutError:
            pass
        finally:
            with suppress(ProcessLookupError):
                self._process.kill()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._process.wait()
            # A process that was killed has left its bots behind.
            await asyncio.to_thread(kill_marked, f"{MARK}={self._mark}")

    async def play(self, fixture: Fixture, attempt: int) -> Played:
        """Play one game of the schedule; see `Site`."""
        answer = await self._ask(fixture.number, Play(fixture, attempt))
        if answer.played is None:
            msg = f"the worker says nothing of game {fixture.number}"
            raise ArenaError(msg)
        return answer.played

    def give_up(self) -> None:
        """Nothing more is to be done: the process was told when the run was to end."""

    async def _ask(self, about: int | None, order: Order) -> Answer:
        if self._gone:
            raise ArenaError(self._gone)
        future = self._waiting[about] = asyncio.get_running_loop().create_future()
        self._say(order)
        answer: Answer = await future
        if answer.stopped:
            raise Stopped
        if answer.trouble:
            raise ArenaError(answer.trouble)
        return answer

    def _say(self, order: Order) -> None:
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(msgspec.json.encode(order) + b"\n")

    async def _listen(self) -> None:
        decoder = msgspec.json.Decoder(Answer)
        stdout = self._process.stdout
        while stdout is not None and (line := await stdout.readline()):
            answer = decoder.decode(line)
            future = self._waiting.pop(answer.game, None)
            if future is not None and not future.done():
                future.set_result(answer)
        code = await self._process.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        pid = self._process.pid
        self._gone = f"a worker of the arena (process {pid}) ended with {how}; the log says more: {self._log}"
        for future in self._waiting.values():
            if not future.done():
                future.set_result(Answer(trouble=self._gone))
        self._waiting.clear()

    async def _pass_on(self) -> None:
        """Tell the process when the run is to end, also while its bots start."""
        draining = asyncio.create_task(self._until.drain.wait())
        stopping = asyncio.create_task(self._until.stop.wait())
        try:
            await asyncio.wait([draining, stopping], return_when=asyncio.FIRST_COMPLETED)
            if draining.done():
                self._say(End(drain=True))
            await stopping
            self._say(End(drain=False))
        finally:
            draining.cancel()
            stopping.cancel()
