"""The machine that a run is played on: what times, and with clocks results too, depend on."""

from __future__ import annotations

import os
import platform
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
import psutil

__all__ = ["Machine", "this_machine"]

#: What answers, carries and times the messages; uvloop is not everywhere.
PACKAGES = ("bluke-arena", "grpcio", "protobuf", "uvloop")
MEBIBYTE = 1024 * 1024


class Machine(msgspec.Struct, kw_only=True, frozen=True):
    """One machine, as far as a reader of results wants to know it.

    Attributes:
        cpu: the model of its processor.
        cores: how many of its cores this process may use.
        memory_mb: its memory in mebibytes.
        os: system and kernel.
        python: implementation and version.
        packages: the versions of what is installed, by name.
    """

    cpu: str
    cores: int
    memory_mb: int
    os: str
    python: str
    packages: dict[str, str]


def this_machine() -> Machine:
    """The machine that this process runs on."""
    packages = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            packages[name] = version(name)
    return Machine(
        cpu=_cpu(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_mb=psutil.virtual_memory().total // MEBIBYTE,
        os=_system(),
        python=f"{platform.python_implementation()} {sys.version.split()[0]}",
        packages=packages,
    )


def _cpu() -> str:
    """The model where Linux tells it, and elsewhere what Python knows."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip().lower() in {"model name", "cpu model", "hardware"} and value.strip():
                return value.strip()
    return platform.processor() or platform.machine() or "unknown"


def _system() -> str:
    kernel = f"{platform.system()} {platform.release()}"
    with suppress(OSError):
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {kernel}"
    return kernel
