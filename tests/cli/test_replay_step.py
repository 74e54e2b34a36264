from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.commands import CODE, refused
from click.testing import CliRunner
from replay.recording import record_game

from bluke.cli import main
from bluke.cli.replay_step import step
from bluke.rules import Rules
from bluke.wire.values import Player

PATIENCE = 60


@pytest.fixture
def game(tmp_path):
    """A small game."""
    return record_game(
        tmp_path, Rules(3, max_hand=3), players=(Player("mc"), Player("[red]x"), Player("\x1b[31m"))
    ).path


def test_without_the_package(game):
    """Where textual is not installed a sentence says how to install it, with exit code 2."""
    code = f"import sys; sys.modules['textual'] = None\nsys.argv[1:] = ['replay', 'step', {str(game)!r}]\n{CODE}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: this needs the package textual, which is not installed: pip install 'bluke-arena[tui]'\n"
    )


def test_without_a_terminal(capsys, game):
    """Where there is no terminal a sentence names what works there, with exit code 2."""
    pytest.importorskip("textual")
    assert "this needs a terminal; `bluke replay show` prints" in refused(capsys, "replay", "step", game)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--seat", "3"], "there is no seat 3: seats are 0 to 2"),
        (["--seat", "-1"], "--seat"),
        (["--at", "7"], "names no moment"),
        (["--at", "0.9"], "there is no moment 0.9"),
        (["--at", "9.0"], "the file has hands 0 to 4"),
    ],
)
def test_mistakes(capsys, game, arguments, words):
    """A seat or a moment that the game does not have is a mistake of the person's."""
    assert words in refused(capsys, "replay", "step", game, *arguments)


def test_what_is_no_replay(capsys, tmp_path):
    """A file that cannot be shown is one line on standard error and exit code 1."""
    junk = tmp_path / "junk.jsonl"
    junk.write_text("hello\n")
    assert main(["replay", "step", str(junk)]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {junk}: line 1: this is no Bluke replay")
    refused(capsys, "replay", "step", tmp_path / "none.jsonl")
    refused(capsys, "replay", "step", tmp_path)


def test_help_imports_no_textual():
    """The help comes without loading textual."""
    result = CliRunner().invoke(step, ["--help"])
    assert result.exit_code == 0
    assert "Exit code" in result.output
    code = "import sys; from bluke.cli.replay_step import step; print('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout == "False\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_in_a_terminal(game):
    """In a terminal the game is shown, names from bots send it no codes, and `q` leaves with exit code 0."""
    pytest.importorskip("textual")
    import pty

    main_end, end = pty.openpty()
    arguments = [sys.executable, "-c", CODE, "replay", "step", str(game), "--at", "0.bid"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    with subprocess.Popen(arguments, stdin=end, stdout=end, stderr=end, env=environment) as running:
        os.close(end)
        seen = _until(main_end, b"q quit", b"")
        os.write(main_end, b"\x1b[C")
        seen = _until(main_end, b"0.bid.", seen)
        os.write(main_end, b"q")
        while running.poll() is None:
            # Somebody has to read for it to end.
            seen += _some(main_end)
        os.close(main_end)
    assert running.returncode == 0
    assert b"[red]x" in seen
    assert b"\\x1b[31m" in seen


def _some(handle: int) -> bytes:
    ready, _, _ = select.select([handle], [], [], 0.1)
    try:
        return os.read(handle, 65536) if ready else b""
    except OSError:
        return b""


def _until(handle: int, words: bytes, seen: bytes) -> bytes:
    """Read on until these words came."""
    stop = time.monotonic() + PATIENCE
    while words not in seen:
        assert time.monotonic() < stop, seen
        seen += _some(handle)
    return seen


def test_the_page_names_every_key():
    """The page of the command has the keys of the help."""
    from bluke.replay.stepper.course import HELP

    page = (Path(__file__).parent.parent.parent / "docs/replay-step.md").read_text(encoding="utf-8")
    for keys, _ in HELP:
        for key in keys.replace(" or ", " ").split():
            assert f"`{key}`" in page
