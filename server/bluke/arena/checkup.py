"""What this machine can do for an arena, and what is missing: each check tries the thing itself."""

from __future__ import annotations

import importlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import msgspec
import psutil

from bluke.arena.config import LimitsConfig
from bluke.arena.isolation import bwrap_problem, limited

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Check", "Verdict", "examine"]

#: Releases of grpcio that exchange half as many messages again as the later ones.
FAST_GRPC = ((1, 76), (1, 79))
MEBIBYTE = 1024 * 1024
#: A ladder of a thousand games writes about eleven.
LITTLE_DISK_MB = 200
#: A bot costs the arena a socket and a few pipes, and a game a file for a moment.
FEW_FILES = 1024


class Verdict(Enum):
    """What came of a check."""

    OK = "ok"
    #: Something works without it, only slower or with less.
    ADVICE = "advice"
    #: Nothing can be played, or not as it should be.
    MISSING = "missing"


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        name: what.
        verdict: what came of it.
        detail: what was found.
        cure: what to do about it; empty if nothing.
    """

    name: str
    verdict: Verdict
    detail: str
    cure: str = ""


def examine(runs: Path) -> list[Check]:
    """Look at everything; `runs` is where run folders will be."""
    return [
        _python(),
        _grpc(),
        _protobuf(),
        _stubs(),
        _uvloop(),
        _cores(),
        _disk(runs),
        _open_files(),
        _port(),
        _processes(),
        _limits(),
        _bwrap(),
        _unix_socket(),
    ]


def _python() -> Check:
    # One that is too old cannot have got here.
    return Check("python", Verdict.OK, f"{sys.version.split()[0]}, {sys.executable}")


def _version(package: str) -> str | None:
    with suppress(PackageNotFoundError):
        return version(package)
    return None


def _grpc() -> Check:
    found = _version("grpcio")
    if found is None:
        return Check("grpcio", Verdict.MISSING, "not installed", "pip install 'bluke-arena[fast]'")
    number = tuple(int(part) for part in found.split(".")[:2])
    if FAST_GRPC[0] <= number < FAST_GRPC[1]:
        return Check("grpcio", Verdict.OK, f"{found}, one of the fast ones")
    cure = "1.76 to 1.78 are half as fast again: pip install 'bluke-arena[fast]'"
    return Check("grpcio", Verdict.ADVICE, found, cure)


def _protobuf() -> Check:
    found = _version("protobuf")
    if found is None:
        return Check("protobuf", Verdict.MISSING, "not installed", "pip install bluke-arena")
    api = importlib.import_module("google.protobuf.internal.api_implementation")
    if api.Type() == "python":
        cure = "it is the slow one in Python; a usual install has wheels: pip install --force-reinstall protobuf"
        return Check("protobuf", Verdict.ADVICE, found, cure)
    return Check("protobuf", Verdict.OK, f"{found} ({api.Type()})")


def _stubs() -> Check:
    try:
        importlib.import_module("bluke.wire.convert")
    except Exception as error:  # noqa: BLE001 - whatever generated code raises when its libraries do not fit
        cure = "make them with `make stubs`, or install bluke-arena again"
        return Check("stubs", Verdict.MISSING, f"{type(error).__name__}: {error}", cure)
    return Check("stubs", Verdict.OK, "of the protocol, fit for these libraries")


def _uvloop() -> Check:
    found = _version("uvloop")
    if found is None:
        return Check("uvloop", Verdict.ADVICE, "not installed", "the referee is quicker with it: pip install uvloop")
    return Check("uvloop", Verdict.OK, found)


def _cores() -> Check:
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = psutil.virtual_memory().total / MEBIBYTE / 1024
    detail = f"{mine}, with {memory:.1f} GiB of memory"
    if mine == 1:
        return Check("cores", Verdict.ADVICE, detail, "bots and referee share one: keep `tables` low")
    return Check("cores", Verdict.OK, detail)


def _disk(runs: Path) -> Check:
    place = next(folder for folder in (runs.absolute(), *runs.absolute().parents) if folder.is_dir())
    name = f"disk for {runs}"
    if not os.access(place, os.W_OK | os.X_OK):
        cure = "work in another folder, or name one with --run"
        return Check(name, Verdict.MISSING, f"{place} cannot be written", cure)
    free = shutil.disk_usage(place).free // MEBIBYTE
    detail = f"{free / 1024:.1f} GiB free"
    if free < LITTLE_DISK_MB:
        return Check(
            name, Verdict.MISSING, detail, f"make room: a thousand games and their logs want {LITTLE_DISK_MB} MiB"
        )
    return Check(name, Verdict.OK, detail)


def _open_files() -> Check:
    try:
        import resource  # noqa: PLC0415 - not there on every system
    except ImportError:
        return Check("open files", Verdict.OK, "no limit known")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    detail = "no limit" if soft == resource.RLIM_INFINITY else f"at most {soft}"
    if soft != resource.RLIM_INFINITY and soft < FEW_FILES:
        more = "as root " if hard != resource.RLIM_INFINITY and hard < FEW_FILES else ""
        return Check(
            "open files", Verdict.ADVICE, detail, f"for many bots {more}`ulimit -n {FEW_FILES}` before `bluke`"
        )
    return Check("open files", Verdict.OK, detail)


def _port() -> Check:
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname(), timeout=1),
        ):
            pass
    except OSError as error:
        cure = "bots dial 127.0.0.1: bring up the loopback interface, or allow it"
        return Check("loopback port", Verdict.MISSING, str(error), cure)
    return Check("loopback port", Verdict.OK, "bound and dialled")


def _processes() -> Check:
    try:
        count = len(psutil.pids())
        psutil.Process().children(recursive=True)
    except (OSError, psutil.Error) as error:
        return Check(
            "process table", Verdict.MISSING, str(error), "/proc must be mounted: children of bots are found there"
        )
    return Check("process table", Verdict.OK, f"{count} processes")


def _limits() -> Check:
    defaults = LimitsConfig()
    try:
        command = limited(
            [sys.executable, "-S", "-c", ""],
            answer=2,
            memory_mb=defaults.memory_mb,
            open_files=defaults.open_files,
            cpu_seconds=1,
        )
        done = subprocess.run(command, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("limits", Verdict.MISSING, str(error), 'write `isolation = "none"` under [limits] to do without')
    if done.returncode:
        said = (done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return Check("limits", Verdict.MISSING, said, 'write `isolation = "none"` under [limits] to do without')
    return Check("limits", Verdict.OK, 'isolation = "limits" works')


def _bwrap() -> Check:
    problem = bwrap_problem()
    if problem is None:
        return Check("sandbox", Verdict.OK, 'isolation = "bwrap" works')
    detail, _, cure = problem.partition("; ")
    return Check("sandbox", Verdict.ADVICE, detail, cure)


def _unix_socket() -> Check:
    try:
        with tempfile.TemporaryDirectory(prefix="bluke-") as folder, socket.socket(socket.AF_UNIX) as server:
            server.bind(f"{folder}/referee")
            server.listen()
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(f"{folder}/referee")
    except (AttributeError, OSError) as error:
        cure = "bots in a sandbox dial one; set TMPDIR to a folder with a short name that can be written"
        return Check("unix socket", Verdict.ADVICE, str(error), cure)
    return Check("unix socket", Verdict.OK, "bound and dialled")
