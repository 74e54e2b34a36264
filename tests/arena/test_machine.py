from __future__ import annotations

import platform
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import msgspec

from bluke.arena import machine
from bluke.arena.machine import Machine, this_machine

if TYPE_CHECKING:
    import pytest


def test_this_machine():
    """It says what times depend on: processor, cores, memory, system, and the versions in use."""
    found = this_machine()
    assert found.cpu
    assert found.cores >= 1
    assert found.memory_mb > 64
    assert platform.release() in found.os
    assert found.python.endswith(sys.version.split()[0])
    assert found.packages["grpcio"] == version("grpcio")
    assert set(found.packages) <= {"bluke-arena", "grpcio", "protobuf", "uvloop"}


def test_it_is_recorded_whole():
    """What was written down is read again as the same."""
    found = this_machine()
    assert msgspec.json.decode(msgspec.json.encode(found), type=Machine) == found


def test_another_system(monkeypatch: pytest.MonkeyPatch):
    """Where there is no /proc and no release file, what Python knows is good enough."""

    def refuse(*_: object, **__: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(machine.Path, "read_text", refuse)
    monkeypatch.setattr(machine.platform, "freedesktop_os_release", refuse)
    monkeypatch.setattr(machine.platform, "processor", lambda: "")
    found = this_machine()
    assert found.cpu == platform.machine()
    assert found.os == f"{platform.system()} {platform.release()}"
