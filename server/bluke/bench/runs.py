"""Runs the programs of this room and reads what they measured."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import msgspec
import psutil

from bluke.errors import ArenaError

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = [
    "Figures",
    "Program",
    "command",
    "empty",
    "host",
    "lists",
    "measure",
    "need_files",
    "pingpong",
    "programs",
    "referee",
    "said_last",
]

#: The command `bluke` of this installation, whatever is on the PATH.
BLUKE = (sys.executable, "-c", "import sys; from bluke.cli import main; sys.exit(main())")
#: Seconds that a program may take to end, and a command to stop, before it is killed.
PATIENCE = 15.0


@dataclass(frozen=True, slots=True)
class Figures:
    """One measurement of a server and its client.

    Attributes:
        rate: decisions a second.
        server_us: the server's CPU time for each, in microseconds.
        client_us: the client's.
        batch: turns in a message; 0 where the client does not count messages.
        p50: half of the waits from an answer to the next turn of its game are shorter, in milliseconds.
        p99: 99 in 100 are.
    """

    rate: float
    server_us: float
    client_us: float
    batch: float
    p50: float
    p99: float


class Program:
    """A program of this room while it runs: it answers lines with lines of JSON, and ends with its input."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        self.name = name
        self.process = process
        self._errors = errors

    def said(self) -> Any:  # noqa: ANN401 - whatever it has to say
        """The next line that it prints.

        Raises:
            ArenaError: it has ended instead.
        """
        line = self.process.stdout.readline() if self.process.stdout else b""
        if not line:
            self.process.wait()
            self._errors.seek(0)
            why = said_last(self._errors.read()) or f"exit code {self.process.returncode}"
            raise ArenaError(f"the measurement's {self.name} ended before its time: {why}")
        return msgspec.json.decode(line)

    def ask(self, word: str) -> Any:  # noqa: ANN401 - whatever it has to say
        """Say a word and read the answer.

        Raises:
            ArenaError: it has ended instead.
        """
        if self.process.stdin:
            with suppress(BrokenPipeError):
                self.process.stdin.write(word.encode() + b"\n")
                self.process.stdin.flush()
        return self.said()

    def cpu_seconds(self) -> float:
        """The CPU time it has used."""
        times = psutil.Process(self.process.pid).cpu_times()
        return float(times.user + times.system)

    def memory_mib(self) -> float:
        """Its resident memory in MiB."""
        return float(psutil.Process(self.process.pid).memory_info().rss) / 2**20


def said_last(output: bytes) -> str:
    """The last line of what a program has printed, which is where a reason stands."""
    lines = output.decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


@contextmanager
def programs(name: str, *arguments: str) -> Iterator[Program]:
    """A program of this room, for as long as the context lasts."""
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [sys.executable, "-m", f"bluke.bench.{name}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            # Ctrl-C is for whoever started this: it ends its programs in order.
            start_new_session=True,
        ) as process,
    ):
        try:
            yield Program(name, process, errors)
        finally:
            if process.stdin:
                with suppress(BrokenPipeError):
                    process.stdin.close()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


def need_files(wanted: int) -> None:
    """Let the programs that are started from now on have so many files and connections open.

    Raises:
        ArenaError: this system does not allow it.
    """
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        if hard != resource.RLIM_INFINITY and hard < wanted:
            raise ArenaError(f"{wanted} open files are needed and {hard} are allowed here; raise it with `ulimit -n`")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def command(*arguments: str, folder: Path) -> tuple[bytes, float]:
    """Run a command of `bluke` to its end.

    Returns:
        What it printed, and how many seconds it took.

    Raises:
        ArenaError: it failed.
    """
    began = time.perf_counter()
    with subprocess.Popen(
        [*BLUKE, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate()
        except BaseException:
            # As Ctrl-C: an arena gives up what is being played, and ends its bots.
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    seconds = time.perf_counter() - began
    if process.returncode:
        raise ArenaError(f"`bluke {' '.join(arguments)}` failed: {said_last(output)}")
    return output, seconds


def measure(
    servers: Sequence[tuple[Program, dict[str, Any]]], *, client: str = "client", warm: float, seconds: float
) -> list[Figures]:
    """Play with each of some servers at the same time, with a client for each, and measure the later part of it.

    Raises:
        ArenaError: a program failed, or nothing was decided.
    """
    with ExitStack() as stack:
        clients = [stack.enter_context(programs(client, told["address"], *told["tokens"])) for _, told in servers]
        time.sleep(warm)
        for one in clients:
            one.ask("begin")
        before = [server.cpu_seconds() for server, _ in servers]
        time.sleep(seconds)
        used = [server.cpu_seconds() - began for (server, _), began in zip(servers, before, strict=True)]
        told = [one.ask("end") for one in clients]
    return [_figures(one, cpu) for one, cpu in zip(told, used, strict=True)]


def _figures(told: dict[str, Any], server_cpu: float) -> Figures:
    decisions = told["decisions"]
    if not decisions:
        raise ArenaError("nothing was decided in the time of a measurement; this machine has too much else to do")
    return Figures(
        rate=decisions / told["seconds"],
        server_us=server_cpu / decisions * 1e6,
        client_us=told["cpu"] / decisions * 1e6,
        batch=decisions / told["messages"] if told["messages"] else 0.0,
        p50=(told["p50"] or 0.0) * 1e3,
        p99=(told["p99"] or 0.0) * 1e3,
    )


@contextmanager
def host(seats: int, games: int, *more: str) -> Iterator[tuple[Program, dict[str, Any]]]:
    """A referee under load; see `bluke.bench.host`."""
    with programs("host", str(seats), str(games), *more) as server:
        yield server, server.said()


@contextmanager
def empty() -> Iterator[tuple[Program, dict[str, Any]]]:
    """A server without a service."""
    with programs("empty") as server:
        yield server, server.said()


def _bare(seconds: float, name: str, *arguments: str) -> Figures:
    with programs(name, *arguments) as server:
        return measure([(server, server.said())], warm=0.5, seconds=seconds)[0]


def pingpong(seconds: float) -> Figures:
    """The control: one stream, one question in flight."""
    return _bare(seconds, "pingpong")


def lists(questions: int, seconds: float) -> Figures:
    """The other control: four streams, many questions in flight."""
    return _bare(seconds, "lists", str(questions))


def referee(seats: int, games: int, seconds: float, *, client: str = "client") -> Figures:
    """A referee with so many games at once between one bot for each seat, on a stream each."""
    with host(seats, games) as server:
        return measure([server], client=client, warm=warm_up(games), seconds=seconds)[0]


def warm_up(games: int) -> float:
    """How many seconds to wait until so many games have all begun and go their way."""
    return 1.0 + games / 400
