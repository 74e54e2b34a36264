"""A bot's process: started without a shell, listened to, and ended together with its children."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import shlex
import signal
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from bluke.arena.config import LimitsConfig, bot_path, bot_program
from bluke.arena.family import family, kill_marked, memory_in_use, usage
from bluke.arena.isolation import MEBIBYTE, Isolation, limited, sandbox_environment, sandboxed
from bluke.arena.pipe import PipeReader
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
#: How often it is looked at what a bot uses.
WATCH_SECONDS = 0.5

#: The sandbox ends with this and the signal's number when a signal ended the bot.
SIGNALLED = 128


class StartError(ArenaError):
    """A bot cannot be started, and the reason is its own."""


class BotLog:
    """What a bot prints, in one file of at most so many bytes, each line marked with its source.

    Raises:
        ArenaError: the file cannot be opened.
    """

    def __init__(self, path: Path, most_bytes: int) -> None:
        """Open the file, adding to it if it is there."""
        self.path = path
        self.most_bytes = most_bytes
        try:
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            msg = f"{path}: cannot be written: {error.strerror}; make room or name another folder with --run"
            raise ArenaError(msg) from None
        self._left = most_bytes - self._file.tell()

    def lines(self, source: str, lines: list[bytes]) -> None:
        """Add lines; when the file is full it says so once, and no more is kept."""
        if self._left <= 0 or not lines:
            return
        mark = f"[{source}] ".encode()
        data = b"".join(mark + line + b"\n" for line in lines)
        self._left -= len(data)
        if self._left <= 0:
            data = f"[arena] the log is full at {self.most_bytes} bytes; what follows is dropped\n".encode()
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

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        out: PipeReader,
        err: PipeReader,
        *,
        log: BotLog,
        limits: LimitsConfig,
        isolation: Isolation,
        mark: str,
    ) -> None:
        """Take over a process that was just started; see `start`."""
        self._process = process
        self._log = log
        self._limits = limits
        self._isolation = isolation
        self._mark = mark
        #: Which limit it was stopped for, with what it used.
        self._excess = ""
        self._pipes = (out, err)
        #: The last lines that it wrote to stderr.
        self.last_errors: deque[bytes] = deque(maxlen=LAST_LINES)
        self._pumps = [
            asyncio.ensure_future(self._pump("out", out)),
            asyncio.ensure_future(self._pump("err", err)),
        ]
        self._watch = asyncio.ensure_future(self._watch_limits())

    @classmethod
    async def start(
        cls,
        bot: BotConfig,
        *,
        address: str,
        token: str,
        log: BotLog,
        limits: LimitsConfig | None = None,
        hidden: Path | None = None,
    ) -> BotProcess:
        """Start a bot that will dial `address`; when this returns its program runs.

        Args:
            bot: which.
            address: of the referee.
            token: who it is to the referee.
            log: takes what it prints.
            limits: what it may use; `None` for the defaults.
            hidden: a folder that it may not see in a sandbox, though it be in its own.

        Raises:
            StartError: there is no such program, or it cannot be run.
            ArenaError: the system has no room for it.
        """
        limits = limits or LimitsConfig()
        isolation = bot.isolation or limits.isolation
        mark = secrets.token_hex(16)
        argv = bot.argv
        log.lines("arena", [f"started: {visible(shlex.join(argv))}".encode()])
        environment = {
            **os.environ,
            "PATH": bot_path(),
            "PYTHONUNBUFFERED": "1",
            "BLUKE_SERVER": address,
            "BLUKE_TOKEN": token,
            # By this its processes are found when it has ended.
            "BLUKE_BOT": mark,
            # The way to this machine leads through no proxy, whatever the environment says about others.
            "no_grpc_proxy": address.rpartition(":")[0],
        }
        command = [bot_program(argv[0], bot.folder) or argv[0], *argv[1:]]
        if isolation is Isolation.BWRAP:
            socket = os.path.dirname(address.removeprefix("unix:"))  # noqa: PTH120 - as it is written
            command = sandboxed(command, folder=bot.folder, readable=[*bot.readable, socket], hidden=hidden)
            environment = sandbox_environment(environment)
        write_ends: list[int] = []
        pipes: list[PipeReader] = []
        try:
            pipes += (_pipe(write_ends) for _ in range(3))
            out, err, answer = pipes
            if isolation is not Isolation.NONE:
                command = limited(
                    command,
                    answer=write_ends[2],
                    memory_mb=limits.memory_mb,
                    open_files=limits.open_files,
                    cpu_seconds=limits.cpu_seconds,
                )
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=bot.folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=write_ends[0],
                stderr=write_ends[1],
                pass_fds=() if isolation is Isolation.NONE else write_ends[2:],
                start_new_session=True,
            )
            while write_ends:
                os.close(write_ends.pop())
            self = cls(process, out, err, log=log, limits=limits, isolation=isolation, mark=mark)
            pipes = [answer]
            await self._executed(answer)
        except OSError as error:
            msg = (
                f"bot {bot.name!r} cannot be started: {error.strerror}\n"
                f"  command: {visible(shlex.join(argv))}\n  folder: {visible(bot.folder)}"
            )
            raise (ArenaError if error.errno in NO_ROOM else StartError)(msg) from None
        finally:
            while write_ends:
                os.close(write_ends.pop())
            # Those that nobody has taken over.
            for pipe in pipes:
                pipe.close()
        return self

    async def _executed(self, answer: PipeReader) -> None:
        """Wait until the program has taken the place of what sets the limits.

        Raises:
            OSError: it could not.
        """
        said = b""
        try:
            while more := await answer.read():
                said += more
        except asyncio.CancelledError:
            self.kill()
            raise
        if said:
            await self.stop()
            raise OSError(int(said), os.strerror(int(said)))

    async def _watch_limits(self) -> None:
        """Stop the bot when it is over a limit that no single process of it may be over."""
        if self._isolation is Isolation.NONE or not (self._limits.memory_mb or self._limits.cpu_seconds):
            return
        while self._process.returncode is None:
            await asyncio.sleep(WATCH_SECONDS)
            self._excess = await asyncio.to_thread(_excess, self._process.pid, self._limits)
            if self._excess:
                self.kill()
                return

    async def _pump(self, source: str, pipe: PipeReader) -> None:
        rest = b""
        while chunk := await pipe.read():
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
        if self._isolation is Isolation.BWRAP and code > SIGNALLED:
            code = SIGNALLED - code
        how = f"exit code {code}"
        if code < 0:
            how = f"signal {-code}"
            with suppress(ValueError):
                how = f"signal {signal.Signals(-code).name}"
        return f"{how}: {self._excess}" if self._excess else how

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
            # However it went: children may have outlived it.
            self.kill()
            self._watch.cancel()
        # A child that has left the group may hold the pipes open for as long as it likes.
        _, open_pumps = await asyncio.wait(self._pumps, timeout=0.2)
        for pump in open_pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, self._watch, return_exceptions=True)
        for pipe in self._pipes:
            pipe.close()

    def kill(self) -> None:
        """Kill the process and its children now, wherever they are; `stop` is still to be awaited."""
        self._signal(signal.SIGKILL)
        kill_marked(self._mark)

    def _signal(self, sign: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if self._isolation is Isolation.BWRAP and sign is not signal.SIGKILL:
                # What made the sandbox would end it at once instead of passing the signal on.
                for pid in family(self._process.pid)[1:]:
                    os.kill(pid, sign)
            else:
                os.killpg(self._process.pid, sign)


def _excess(pid: int, limits: LimitsConfig) -> str:
    """Which limit a bot is over, with what it uses; empty for none."""
    memory, seconds = usage(pid)
    if limits.cpu_seconds and seconds > limits.cpu_seconds:
        return f"over its limit cpu_seconds = {limits.cpu_seconds}: its processes took {seconds:.1f} s"
    if limits.memory_mb and memory > limits.memory_mb * MEBIBYTE:
        # What its processes share was counted for each of them, and looking closer costs more.
        memory = memory_in_use(pid)
        if memory > limits.memory_mb * MEBIBYTE:
            return f"over its limit memory_mb = {limits.memory_mb}: its processes held {memory / MEBIBYTE:.0f} MiB"
    return ""


def _pipe(write_ends: list[int]) -> PipeReader:
    """A pipe: returns where it is read, and adds the end that is to be given away to `write_ends`.

    With the event loop's own pipes, to wait for a process is to wait for every child that holds them open.
    """
    read_end, write_end = os.pipe()
    write_ends.append(write_end)
    return PipeReader(read_end)
