"""A bot's process: started without a shell, listened to, and ended together with its children."""

from __future__ import annotations

import asyncio
import errno
import os
import shlex
import signal
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from bluke.arena.config import bot_path
from bluke.errors import ArenaError
from bluke.replay.text import visible

if TYPE_CHECKING:
    from pathlib import Path

    from bluke.arena.config import BotConfig

__all__ = ["BotLog", "BotProcess", "StartError"]

#: The system has no room for another process; the program is not to blame.
NO_ROOM = {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
#: A longer line is broken up.
LONGEST_LINE = 4096
#: So many of the last lines on stderr are kept for messages about a bot that fails.
LAST_LINES = 20

#: Where a pipe is read, and what closes it.
Pipe = tuple[asyncio.ReadTransport, asyncio.StreamReader]


class StartError(ArenaError):
    """A bot cannot be started, and the reason is its own."""


class BotLog:
    """What a bot prints, in one file of limited size, each line marked with its source.

    Raises:
        ArenaError: the file cannot be opened.
    """

    MOST_BYTES = 4 * 1024 * 1024

    def __init__(self, path: Path) -> None:
        """Open the file, adding to it if it is there."""
        self.path = path
        try:
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            msg = f"{path}: cannot be written: {error.strerror}; make room or name another folder with --run"
            raise ArenaError(msg) from None
        self._left = self.MOST_BYTES - self._file.tell()

    def lines(self, source: str, lines: list[bytes]) -> None:
        """Add lines; when the file is full it says so once, and no more is kept."""
        if self._left <= 0 or not lines:
            return
        mark = f"[{source}] ".encode()
        data = b"".join(mark + line + b"\n" for line in lines)
        self._left -= len(data)
        if self._left <= 0:
            data = f"[arena] the log is full at {self.MOST_BYTES} bytes; what follows is dropped\n".encode()
        # A log that cannot be written is no reason to end a match.
        with suppress(OSError, ValueError):
            self._file.write(data)

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._file.close()


class BotProcess:
    """One running process of a bot, at the head of a process group of its own."""

    #: How long a bot has to end by itself after the goodbye, and then after TERM.
    PATIENCE_SECONDS = 2.0

    def __init__(self, process: asyncio.subprocess.Process, out: Pipe, err: Pipe, log: BotLog) -> None:
        """Take over a process that was just started; see `start`."""
        self._process = process
        self._log = log
        self._transports = (out[0], err[0])
        #: The last lines that it wrote to stderr.
        self.last_errors: deque[bytes] = deque(maxlen=LAST_LINES)
        self._pumps = [
            asyncio.ensure_future(self._pump("out", out[1])),
            asyncio.ensure_future(self._pump("err", err[1])),
        ]

    @classmethod
    async def start(cls, bot: BotConfig, *, address: str, token: str, log: BotLog) -> BotProcess:
        """Start a bot that will dial `address`.

        Raises:
            StartError: there is no such program, or it cannot be run.
            ArenaError: the system has no room for it.
        """
        argv = bot.argv
        log.lines("arena", [f"started: {visible(shlex.join(argv))}".encode()])
        environment = {
            **os.environ,
            "PATH": bot_path(),
            "PYTHONUNBUFFERED": "1",
            "BLUKE_SERVER": address,
            "BLUKE_TOKEN": token,
            # The way to this machine leads through no proxy, whatever the environment says about others.
            "no_grpc_proxy": address.rpartition(":")[0],
        }
        program = argv[0]
        if os.sep in program:
            program = os.path.join(bot.folder, program)  # noqa: PTH118 - a Path would drop a leading ./
        write_ends: list[int] = []
        try:
            # Pipes of our own: with those of asyncio, `wait` also waits for every child that holds them open.
            out, err = await _pipe(write_ends), await _pipe(write_ends)
            process = await asyncio.create_subprocess_exec(
                program,
                *argv[1:],
                cwd=bot.folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=write_ends[0],
                stderr=write_ends[1],
                start_new_session=True,
            )
        except OSError as error:
            msg = (
                f"bot {bot.name!r} cannot be started: {error.strerror}\n"
                f"  command: {visible(shlex.join(argv))}\n  folder: {visible(bot.folder)}"
            )
            raise (ArenaError if error.errno in NO_ROOM else StartError)(msg) from None
        finally:
            for end in write_ends:
                os.close(end)
        return cls(process, out, err, log)

    async def _pump(self, source: str, stream: asyncio.StreamReader) -> None:
        rest = b""
        while chunk := await stream.read(65536):
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > LONGEST_LINE:
                lines.append(rest)
                rest = b""
            self._take(source, lines)
        if rest:
            self._take(source, [rest])

    def _take(self, source: str, lines: list[bytes]) -> None:
        short = [line[at : at + LONGEST_LINE] for line in lines for at in range(0, max(1, len(line)), LONGEST_LINE)]
        if source == "err":
            self.last_errors.extend(short)
        self._log.lines(source, short)

    async def ended(self) -> str:
        """Wait until the process ends; returns how it did, such as `exit code 3`."""
        code = await self._process.wait()
        if code >= 0:
            return f"exit code {code}"
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
        return f"signal {-code}"

    async def stop(self) -> None:
        """End the process and its children: it had its goodbye; TERM after a while, then KILL."""
        try:
            for sign in (signal.SIGTERM, signal.SIGKILL):
                try:
                    async with asyncio.timeout(self.PATIENCE_SECONDS):
                        await self._process.wait()
                    break
                except TimeoutError:
                    self._signal(sign)
            await self._process.wait()
        finally:
            # However it went: children that have outlived it are in its group still.
            self.kill()
        # A child that has left the group may hold the pipes open for as long as it likes.
        _, open_pumps = await asyncio.wait(self._pumps, timeout=0.2)
        for pump in open_pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)
        for transport in self._transports:
            transport.close()

    def kill(self) -> None:
        """Kill the process and its children now; `stop` is still to be awaited."""
        self._signal(signal.SIGKILL)

    def _signal(self, sign: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, sign)


async def _pipe(write_ends: list[int]) -> Pipe:
    """A pipe: returns where it is read, and adds the end that is to be given away to `write_ends`."""
    read_end, write_end = os.pipe()
    write_ends.append(write_end)
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb", buffering=0)
    )
    return transport, reader
