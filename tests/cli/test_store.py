from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from arena.store.written import run_record, write_run
from cli.commands import command, refused

from bluke.arena.store import Store
from bluke.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_rebuild(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The store of `runs` is made from all records there, and what is in it is counted."""
    write_run(tmp_path / "runs" / "1", run_record("m1", digests={"a": "x"}))
    write_run(tmp_path / "runs" / "2", run_record("m2"))
    assert main(["store", "rebuild"]) == 0
    assert capsys.readouterr() == ("runs/store.sqlite: 2 runs, 8 games, 3 bots\n", "")
    with Store(tmp_path / "runs" / "store.sqlite") as store:
        assert len(store.runs()) == 2


def test_rebuild_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Any folder of runs has a store of its own."""
    write_run(tmp_path / "other place" / "1")
    assert main(["store", "rebuild", "other place"]) == 0
    assert capsys.readouterr().out == "other place/store.sqlite: 1 run, 4 games, 2 bots\n"
    assert not (tmp_path / "runs").exists()


def test_a_record_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """It is named with its fault, the rest is stored, and the exit code is 1; nothing in it reaches the terminal."""
    write_run(tmp_path / "runs" / "1")
    bad = tmp_path / "runs" / "bad\x1b[2J"
    bad.mkdir()
    (bad / "results.jsonl").write_text('{"type":"\\u001b[31m"}\n')
    assert main(["store", "rebuild"]) == 1
    out, err = capsys.readouterr()
    assert out == "runs/store.sqlite: 1 run, 4 games, 2 bots\n"
    assert err.startswith("left out: runs/bad\\x1b[2J/results.jsonl: line 1: ")
    assert "\x1b" not in err
    assert err.count("\n") == 1


def test_nothing_to_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Where there are no runs no store is made; a run folder is not a folder of runs."""
    assert "there are no runs below runs: no folder there has a results.jsonl" in refused(capsys, "store", "rebuild")
    write_run(tmp_path / "r")
    assert "there are no runs below r: " in refused(capsys, "store", "rebuild", "r")
    (tmp_path / "file").touch()
    assert "'file' is a file" in refused(capsys, "store", "rebuild", "file")
    assert sorted(path.name for path in tmp_path.rglob("*.sqlite*")) == []


@pytest.mark.slow
def test_what_a_store_needs_is_imported_when_it_is_used(tmp_path: Path):
    """Neither help, nor a command that has no store, waits for SQLAlchemy."""
    heavy = "{'sqlalchemy', 'sqlite3', 'bluke.arena.store'}"
    for arguments in (["-h"], ["store", "-h"], ["store", "rebuild", "-h"], ["standings", "-h"], ["arena", "none"]):
        code = f"import sys; from bluke.cli import main; main({arguments}); print(sorted({heavy} & set(sys.modules)))"
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
        assert printed.splitlines()[-1] == "[]", arguments


def test_the_command(tmp_path: Path):
    """As people run it, without a terminal there is no bar."""
    write_run(tmp_path / "runs" / "1")
    assert command(tmp_path, "store", "rebuild") == (0, "runs/store.sqlite: 1 run, 4 games, 2 bots\n", "")
