"""A bot's process: started without a shell, listened to, and ended together with its children."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from bluke.arena.config import bot_path
from bluke.errors import ArenaError

if TYPE_CHECKING:
    from pathlib import Path

    from bluke.arena.config import BotConfig

__all__ = ["BotLog", "BotProcess"]


class BotLog:
    """What a bot prints, in one file of limited size, each line marked with its source.

    Raises:
        ArenaError: the file cannot be opened.
    """

    MOST_BYTES = 4 * 1024 * 1024
    #: The last lines on stderr are kept for messages about a bot that fails.
    LAST_LINES = 20
    LONGEST_LINE = 4096

    def __init__(self, path: Path) -> None:
        """Open the file, adding to it if it is there."""
        self.path = path
        try:
            self._file = path.open("ab")
        except OSError as error:
            msg = f"{path}: cannot be written: {error.strerror}"
            raise ArenaError(msg) from None
        self._left = self.MOST_BYTES - self._file.tell()
        self.last_errors: deque[str] = deque(maxlen=self.LAST_LINES)

    def line(self, source: str, line: bytes) -> None:
        """Add a line; when the file is full it says so once, and no more is kept."""
        text = line.rstrip(b"\r\n")
        if source == "err":
            self.last_errors.append(text.decode(errors="replace"))
        if self._left <= 0:
            return
        data = f"[{source}] ".encode() + text + b"\n"
        self._left -= len(data)
        if self._left <= 0:
            data = f"[arena] the log is full at {self.MOST_BYTES} bytes; what follows is dropped\n".encode()
        # A log that cannot be written is no reason to end a match.
        with suppress(OSError):
            self._file.write(data)
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._file.close()


class BotProcess:
    """One running process of a bot, at the head of a process group of its own."""

    #: How long a bot has to end by itself after the goodbye, and then after TERM.
    PATIENCE_SECONDS = 2.0

    def __init__(self, bot: BotConfig, process: asyncio.subprocess.Process, log: BotLog) -> None:
        """Take over a process that was just started; see `start`."""
        self.bot = bot
        self._process = process
        self._log = log
        self._pumps = [
            asyncio.ensure_future(self._pump("out", process.stdout)),
            asyncio.ensure_future(self._pump("err", process.stderr)),
        ]

    @classmethod
    async def start(cls, bot: BotConfig, *, address: str, token: str, log: BotLog) -> BotProcess:
        """Start a bot that will dial `address`.

        Raises:
            ArenaError: the system refuses to start it.
        """
        argv = bot.argv
        log.line("arena", f"started: {' '.join(argv)}".encode())
        environment = {
            **os.environ,
            "PATH": bot_path(),
            "PYTHONUNBUFFERED": "1",
            "BLUKE_SERVER": address,
            "BLUKE_TOKEN": token,
        }
        program = argv[0]
        if os.sep in program:
            program = os.path.join(bot.folder, program)  # noqa: PTH118 - a Path would drop a leading ./
        try:
            process = await asyncio.create_subprocess_exec(
                program,
                *argv[1:],
                cwd=bot.folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=BotLog.LONGEST_LINE,
            )
        except OSError as error:
            msg = f"bot {bot.name!r} cannot be started with {' '.join(argv)}: {error.strerror}"
            raise ArenaError(msg) from None
        return cls(bot, process, log)

    async def _pump(self, source: str, stream: asyncio.StreamReader | None) -> None:
        if stream is None:
            return
        while True:
            try:
                line = await stream.readuntil(b"\n")
            except asyncio.IncompleteReadError as error:
                if error.partial:
                    self._log.line(source, error.partial)
                return
            except asyncio.LimitOverrunError as error:
                line = await stream.read(max(1, error.consumed))
            self._log.line(source, line)

    async def ended(self) -> str:
        """Wait until the process ends; returns how it did, such as `exit code 3`."""
        code = await self._process.wait()
        if code >= 0:
            return f"exit code {code}"
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
        return f"signal {-code}"

    @property
    def last_errors(self) -> list[str]:
        """The last lines that the bot wrote to stderr."""
        return list(self._log.last_errors)

    async def stop(self) -> None:
        """End the process and its children: it had its goodbye; TERM after a while, then KILL."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                async with asyncio.timeout(self.PATIENCE_SECONDS):
                    await self._process.wait()
                break
            except TimeoutError:
                self._signal(sign)
        # Children that have outlived it are in its group still.
        self._signal(signal.SIGKILL)
        await self._process.wait()
        # A child that has left the group may hold the pipes open for as long as it likes.
        _, open_pumps = await asyncio.wait(self._pumps, timeout=0.2)
        for pump in open_pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    def _signal(self, sign: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, sign)
