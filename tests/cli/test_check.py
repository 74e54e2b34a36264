from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import pytest
from arena.conformance.mutants import COMMAND
from cli.commands import CODE

from bluke.arena.conformance import case
from bluke.cli import main

if TYPE_CHECKING:
    from pathlib import Path

GOOD = ["--", *COMMAND, "none"]
LATE_KEY = ["--case", "hello-token", "--case", "hello-first", "--", *COMMAND, "wrong-token"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_all_as_expected(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """A line for each case in the order of the list, the counts, exit code 0; nothing is left in the folder."""
    assert main(["check", "--case", "hello-token", "--case", "hello-first", *GOOD]) == 0
    assert capsys.readouterr().out == "ok          hello-first\nok          hello-token\n\n2 passed\n"
    assert list(tmp_path.iterdir()) == []


def test_failure(capsys: pytest.CaptureFixture[str]):
    """Exit code 1, and what was expected of the bot."""
    assert main(["check", *LATE_KEY]) == 1
    out = capsys.readouterr().out
    assert "ok          hello-first\nFAIL        hello-token\n" in out
    assert "expected  a hello whose token is that of BLUKE_TOKEN" in out
    assert 'arrived   token: "something else"' in out
    assert "docs/protocol.md, Where to dial" in out
    assert out.endswith("\n1 passed, 1 failed\n")


@pytest.mark.slow
def test_known_failure(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """A case on the list may fail; one that passes has to be removed from it."""
    known = tmp_path / "known.txt"
    known.write_text("hello-token # it has a reason\n", encoding="utf-8")
    assert main(["check", "--known-failing", str(known), *LATE_KEY]) == 0
    assert capsys.readouterr().out.endswith("known       hello-token\n\n1 passed, 1 failed as is known\n")
    known.write_text("hello-token\nhello-first\n", encoding="utf-8")
    assert main(["check", "--known-failing", str(known), *LATE_KEY]) == 1
    out = capsys.readouterr().out
    assert f"PASSES      hello-first\n              because   it is listed as failing: remove it from {known}\n" in out


def test_json(capsys: pytest.CaptureFixture[str]):
    """One object, and nothing else on stdout."""
    assert main(["check", "--json", *LATE_KEY]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["ok"], data["counts"]) == (False, {"pass": 1, "fail": 1})
    assert [one["name"] for one in data["cases"]] == ["hello-first", "hello-token"]


def test_list(capsys: pytest.CaptureFixture[str]):
    """Every case with what it is about; nothing is run, and no bot is needed."""
    assert main(["check", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [one.name for one in case.load_cases()]
    assert main(["check", "--list", "--json", "--case", "goodbye"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["name"], told["section"]) == ("goodbye", "The end")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no bot: say how it is started after --"),
        (["--case", "no-\x1b[1mcase", *GOOD], "there is no case no-\\x1b[1mcase; `bluke check --list` names them"),
        (["--", "no-such-program"], "no-such-program: there is no such program"),
        (["--known-failing", "missing.txt", *GOOD], "missing.txt: cannot be read: No such file or directory"),
        (["--known-failing", "bad.txt", *GOOD], "bad.txt:1: there is no case hello-furst"),
        (["--nonsense", *GOOD], "No such option"),
    ],
)
def test_mistakes(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """A mistake in the command line or in the list is exit code 2, and nothing is run."""
    (tmp_path / "bad.txt").write_text("hello-furst\n", encoding="utf-8")
    assert main(["check", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_bot_that_cannot_start(capsys: pytest.CaptureFixture[str]):
    """Exit code 1, with the command and its last words, and no case is blamed on it."""
    assert main(["check", "--", sys.executable, "-c", "raise SystemExit('no licence')"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "the bot could not be started: it ended with exit code 1" in captured.err
    assert "| no licence" in captured.err


@pytest.mark.slow
def test_interrupted(tmp_path: Path):
    """Ctrl-C ends it with 130, and no bot outlives it."""
    arguments = ["check", "--case", "long-silence", *GOOD]
    with subprocess.Popen([sys.executable, "-c", CODE, *arguments], cwd=tmp_path, stderr=subprocess.PIPE) as process:
        bots: list[psutil.Process] = []
        while not bots:
            with suppress(psutil.Error):
                children = psutil.Process(process.pid).children(recursive=True)
                bots = [child for child in children if "mutant_bot.py" in " ".join(child.cmdline())]
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.stderr.read().decode().strip() == "stopped"
        assert process.wait(60) == 130
    psutil.wait_procs(bots, timeout=20)
    assert not [bot for bot in bots if bot.is_running()]
