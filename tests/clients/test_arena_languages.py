from __future__ import annotations

import os
import runpy
import subprocess
import sys
import uuid
from typing import TYPE_CHECKING

import msgspec
import psutil
import pytest
from clients.built import LANGUAGES, ROOT

from bluke.arena.record import read_record
from bluke.replay.reader import read_replay
from bluke.replay.steps import steps_of
from bluke.replay.verify import verify

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = ROOT / "clients" / "languages.py"
MARK = "BLUKE_TEST_MARK"


def languages(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "REQUIRE_ALL_CLIENTS"}
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    env |= environment
    return subprocess.run(command, check=False, env=env, cwd=ROOT, capture_output=True, text=True, timeout=240)


def bare(folder: Path, **programs: str) -> dict[str, str]:
    """The environment of a machine that has these programs, shell scripts, and no others."""
    folder.mkdir()
    for name, script in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder), "HOME": str(folder), "GO": "/nowhere/go", "CARGO": "/nowhere/cargo"}


def marked(mark: str) -> list[str]:
    """The processes that were started, however indirectly, with a mark in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark:
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_one_table_of_all_languages(tmp_path: Path):
    """Those that are built play one table; replays hold, processes end with code 0, and all games of a deal are one."""
    run, mark = tmp_path / "run", uuid.uuid4().hex
    done = languages("arena", "--boards", 1, "--seed", "languages", "--run", run, **{MARK: mark})
    if "a table takes two" in done.stdout and os.environ.get("REQUIRE_ALL_CLIENTS") != "1":
        pytest.skip("nothing but the Python client is built: make clients")
    assert done.returncode == 0, done.stdout + done.stderr
    assert marked(mark) == []
    games = read_record(run / "results.jsonl")[1]
    seated = {bot.removeprefix("rule-") for bot in games[0].bots}
    assert seated == set(LANGUAGES) if os.environ.get("REQUIRE_ALL_CLIENTS") == "1" else seated <= set(LANGUAGES)
    count = len(seated)
    assert f"replays verified  {count} files: {count} ok, 0 wrong" in done.stdout
    assert f"processes ended   {count} of {count} with exit code 0" in done.stdout
    assert [sorted(game.bots) for game in games] == [sorted(f"rule-{language}" for language in seated)] * count
    assert [game.faults for game in games] == [[]] * count
    replays = [run / game.replay for game in games]
    assert all(verify(replay).ok for replay in replays)
    moves = {tuple((step.seat, step.value) for step in steps_of(read_replay(replay))) for replay in replays}
    assert len(moves) == 1
    standings = msgspec.json.decode((run / "standings.json").read_bytes())
    assert {row["place"] for row in standings["rows"]} == {1}


def test_what_is_missing_is_named(tmp_path: Path):
    """Of each client that cannot be built it is said what for want of, and how to get it; that is no failure."""
    done = languages("build", **bare(tmp_path / "bin", node="exit 0"))
    assert (done.returncode, done.stderr) == (0, "")
    lines = dict(line.split(None, 1) for line in done.stdout.splitlines())
    assert lines.keys() == set(LANGUAGES)
    assert lines.pop("python").startswith("built")
    assert all(line.startswith("left out  ") and " not found; " in line for line in lines.values())
    assert lines["typescript"] == "left out  npm not found; Node 20 or newer; Debian 13: nodejs npm"


def test_all_may_be_demanded(tmp_path: Path):
    """With REQUIRE_ALL_CLIENTS=1 one that is left out is a failure."""
    assert languages("build", REQUIRE_ALL_CLIENTS="1", **bare(tmp_path / "bin")).returncode == 1


@pytest.mark.parametrize(("make", "code", "state"), [("exit 0", 0, "built"), ("echo broken >&2; exit 2", 1, "FAILED")])
def test_a_build_that_fails(tmp_path: Path, make: str, code: int, state: str):
    """Its words are shown, and the exit code is 1, but the others are built all the same."""
    there = bare(tmp_path / "bin", make=make, node="exit 0", npm="exit 0", javac="exit 0", mvn="exit 0")
    done = languages("build", **there)
    states = dict(line.split()[:2] for line in done.stdout.splitlines())
    assert done.returncode == code
    assert (states["typescript"], states["java"]) == (state, state)
    assert ("broken" in done.stderr) == (code == 1)


def test_a_table_takes_two(tmp_path: Path):
    """Where only Python is built that is said, and nothing is played."""
    done = languages("arena", "--run", tmp_path / "run", **bare(tmp_path / "bin", make="exit 2"))
    assert done.returncode == 1
    assert done.stdout == "only python stands built, and a table takes two: `make clients` says what is missing\n"
    assert not (tmp_path / "run").exists()


def test_a_process_that_ends_badly(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The bots' logs tell how each process ended; one that did not end by itself with code 0 is named."""
    logs = tmp_path / "bots"
    logs.mkdir()
    (logs / "00-rule-go.log").write_text("[arena] started: x\n[out] exit code 0\n")
    (logs / "01-rule-cpp.log").write_text("[arena] started: x\n[out] exit code 143\n")
    (logs / "02-rule-java.log").write_text("[arena] started: x\n[err] exit code 0\n")
    assert not runpy.run_path(str(SCRIPT))["ended_well"](tmp_path)
    assert capsys.readouterr().out.splitlines() == [
        "01-rule-cpp: exit code 143; it should have ended by itself with 0",
        "02-rule-java: exit code unknown; it should have ended by itself with 0",
    ]
