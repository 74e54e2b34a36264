from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest
from arena.report.hands import end_of, played, run_of
from cli.commands import refused

from bluke.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs" / "r"
    folder.mkdir(parents=True)
    games = [played(0, bots, (1, [(1, 1), (1, 0)]), number=turn) for turn, bots in enumerate(("ab", "ba"))]
    lines = [run_of("ab"), *games, end_of()]
    (folder / "results.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return folder


def test_write_it_again(run: Path, capsys: pytest.CaptureFixture[str]):
    """`bluke report RUN_FOLDER` writes the page into the folder and prints its path; commands on it are as typed."""
    assert main(["report", "runs/r"]) == 0
    assert capsys.readouterr() == ("runs/r/report.html\n", "")
    text = (run / "report.html").read_text()
    assert "replay show runs/r/replays/m-0-0.jsonl" in text
    assert main(["report", "runs/r"]) == 0
    assert (run / "report.html").read_text() == text


def test_to_another_file(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """-o writes another file, which links to the run from where it is."""
    assert main(["report", "runs/r", "-o", "page.html"]) == 0
    assert capsys.readouterr().out == "page.html\n"
    assert 'href="./runs/r/replays/m-0-0.jsonl"' in (tmp_path / "page.html").read_text()
    assert not (run / "report.html").exists()


def test_a_run_that_is_going_on(run: Path, capsys: pytest.CaptureFixture[str]):
    """Of a run that has not ended, with a line that is being written, there is a report of what was played."""
    record = run / "results.jsonl"
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[:2]) + lines[2][:40])
    assert main(["report", "runs/r"]) == 0
    capsys.readouterr()
    text = (run / "report.html").read_text()
    assert "not ended yet, or was killed" in text
    assert "1 of 2 games" in text


def test_what_is_no_run(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A folder that is not there, or holds no run, is a mistake (2); one with another record is a failure (1)."""
    assert "Directory 'nowhere' does not exist" in refused(capsys, "report", "nowhere")
    assert f"{tmp_path} holds no run: there is no results.jsonl in it" in refused(capsys, "report", tmp_path)
    (run / "results.jsonl").write_text(json.dumps({"type": "end"}) + "\n")
    assert main(["report", "runs/r"]) == 1
    assert capsys.readouterr().err.startswith("error: runs/r/results.jsonl: line 1: ")


def test_where_it_cannot_be_written(run: Path, capsys: pytest.CaptureFixture[str]):
    """A file that cannot be written is said in one sentence."""
    assert main(["report", str(run), "-o", "not/there/page.html"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: not/there/page.html: cannot be written: No such file or directory")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_help_is_quick():
    """Help does not import the engine of the template."""
    code = "import sys; from bluke.cli import main; main(['--help']); sys.exit('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "report" in done.stdout
