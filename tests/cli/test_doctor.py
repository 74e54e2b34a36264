from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from bluke.arena import checkup
from bluke.arena.checkup import Verdict, examine
from bluke.cli import main

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [
    "python", "grpcio", "protobuf", "stubs", "uvloop", "cores", "disk for runs", "open files", "loopback port",
    "process table", "limits", "sandbox", "unix socket",
]  # fmt: skip


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def verdicts(runs: Path) -> dict[str, Verdict]:
    return {check.name.split(" for ")[0]: check.verdict for check in examine(runs)}


def test_a_machine_that_can_play(capsys: pytest.CaptureFixture[str]):
    """Where these tests run nothing needed is missing; each check is a line, with a cure under what is not ok."""
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = [line for line in lines if not line.startswith(" ")]
    assert [re.split("  +", line)[1] for line in shown] == NAMES
    assert {line.split()[0] for line in shown} <= {"ok", "advice"}
    assert len(lines) - len(shown) == sum(line.startswith("advice") for line in shown)


def test_json(capsys: pytest.CaptureFixture[str]):
    """Programs get the same as an array."""
    assert main(["doctor", "--json"]) == 0
    checks = json.loads(capsys.readouterr().out)
    assert [check["name"] for check in checks] == NAMES
    assert all(set(check) == {"name", "verdict", "detail", "cure"} for check in checks)
    assert all(bool(check["cure"]) == (check["verdict"] != "ok") for check in checks)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [("1.75.9", "advice"), ("1.76.0", "ok"), ("1.78.2", "ok"), ("1.79.0", "advice"), (None, "missing")],
)
def test_grpc(monkeypatch: pytest.MonkeyPatch, found: str | None, verdict: str):
    """The fast releases of grpcio are fine, others are advised against, and none is one too few."""
    monkeypatch.setattr(checkup, "_version", lambda _: found)
    assert checkup._grpc().verdict.value == verdict


def test_what_is_needed_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Without room for a run, or without a way to set limits, it fails and says what to do."""
    monkeypatch.setattr(checkup, "LITTLE_DISK_MB", 2**40)
    monkeypatch.setattr(checkup, "limited", lambda *_, **__: ["sh", "-c", "echo 'no \x1b[31m limits' >&2; exit 3"])
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert re.search(r"^missing  disk for runs +[0-9.]+ GiB free\n +-> make room", out, re.MULTILINE)
    assert re.search(r'^missing  limits +no \\x1b\[31m limits\n +-> write `isolation = "none"`', out, re.MULTILINE)


def test_what_can_be_done_without_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Without sandboxes and the quick loop everything needed works: both are advice, and no failure."""
    monkeypatch.setattr(checkup, "_version", {"grpcio": "1.78.0", "protobuf": "6.33.0"}.get)
    monkeypatch.setattr(checkup, "bwrap_problem", lambda: "bubblewrap is not installed; `apt-get install bubblewrap`")
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^advice +sandbox +bubblewrap is not installed\n +-> `apt-get install", out, re.MULTILINE)
    assert re.search(r"^advice +uvloop +not installed\n +-> ", out, re.MULTILINE)


def test_a_network_without_loopback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """A machine where nothing can be bound, or no program started, is told so without a traceback."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(checkup.socket, "create_server", refuse)
    monkeypatch.setattr(checkup.socket, "socket", refuse)
    monkeypatch.setattr(subprocess, "run", refuse)
    monkeypatch.setattr(checkup, "bwrap_problem", lambda: None)
    found = verdicts(tmp_path)
    assert (found["loopback port"], found["limits"]) == (Verdict.MISSING, Verdict.MISSING)
    assert found["unix socket"] is Verdict.ADVICE


def test_runs_in_a_folder_that_is_not_there_yet(tmp_path: Path):
    """Room is looked for where the folder will be made."""
    assert verdicts(tmp_path / "a" / "b" / "runs")["disk"] is Verdict.OK
