from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner, Result
from replay.recording import lines_of, record_game, to_bytes

from bluke.cli import replay_files as module
from bluke.cli.replay import replay
from bluke.replay.reader import read_replay
from bluke.replay.render import plain, render
from bluke.rules import Rules
from bluke.wire.values import Player


def run(*args: object) -> Result:
    """Run `bluke replay` with these arguments."""
    return CliRunner().invoke(replay, [str(arg) for arg in args])


@pytest.fixture
def good(tmp_path):
    """A file that is right."""
    return record_game(tmp_path / "runs" / "a", Rules(3, max_hand=2), note=lambda *_: "hm").path


@pytest.fixture
def bad(tmp_path, good):
    """A file with one false trump."""
    lines = lines_of(good)
    lines[2]["trump"] = None if lines[2]["trump"] else "C"
    path = tmp_path / "runs" / "bad.jsonl"
    path.write_bytes(to_bytes(lines, seal=True))
    return path


def test_verify_says_ok(good):
    """A right file is said to be ok, with exit code 0 and no summary for one file."""
    result = run("verify", good)
    assert (result.exit_code, result.output) == (0, f"{good}: ok\n")


def test_verify_says_what_is_wrong_and_where(bad):
    """A wrong file is said with its line, with exit code 1."""
    result = run("verify", bad)
    assert result.exit_code == 1
    assert result.output.startswith(f"{bad}: line 3: trump is ")


def test_verify_takes_folders(tmp_path, good, bad):
    """In a folder every replay is checked, and a summary counts them."""
    record_game(tmp_path / "runs", Rules(2, max_hand=2), game_id="packed", compress=True)
    (tmp_path / "runs" / "notes.txt").write_text("not a replay")
    result = run("verify", tmp_path / "runs")
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == "3 files: 2 ok, 1 wrong"
    assert f"{good}: ok" in result.output
    quiet = run("verify", "-q", tmp_path / "runs").output.splitlines()
    assert len(quiet) == 2
    assert quiet[0].startswith(str(bad))


@pytest.mark.parametrize("args", [["verify"], ["verify", "none.jsonl"], ["show", "none.jsonl"], ["show"], ["what"]])
def test_usage_mistakes(args):
    """A mistake of usage has exit code 2."""
    assert run(*args).exit_code == 2


def test_verify_an_empty_folder(tmp_path):
    """A folder without replays is a mistake, not a success."""
    result = run("verify", tmp_path)
    assert result.exit_code == 2
    assert "no replay" in result.output


def test_verify_junk(tmp_path):
    """A file that is no replay is wrong like any other."""
    junk = tmp_path / "junk.jsonl"
    junk.write_bytes(b"\x00\xff")
    result = run("verify", junk)
    assert result.exit_code == 1
    assert "no Bluke replay" in result.output


def test_show(good):
    """A game is shown as plain text where there is no terminal."""
    result = run("show", good)
    assert result.exit_code == 0
    assert result.output == plain(render(read_replay(good)))


def test_show_narrowed(good):
    """Hands may be named singly and as ranges."""
    output = run("show", good, "--hand", "0", "--hand", "1-2", "--seat", "1").output
    assert [line.split()[1] for line in output.splitlines() if line.startswith("Hand ")] == ["0", "1", "2"]
    assert "  ms  " in run("show", good, "--times").output


@pytest.mark.parametrize(
    "args", [["--hand", "9"], ["--hand", "x"], ["--hand", "2-1"], ["--seat", "3"], ["--seat", "-1"]]
)
def test_show_what_is_not_there(good, args):
    """A hand or a seat that the game does not have is a mistake of usage."""
    assert run("show", good, *args).exit_code == 2


def test_show_junk(tmp_path):
    """What is no replay is one line on standard error and exit code 1."""
    junk = tmp_path / "junk.jsonl"
    junk.write_bytes(b"hello\n")
    result = run("show", junk)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {junk}: line 1: ")
    assert result.stdout == ""


def test_a_terminal_gets_text_and_no_markup(tmp_path, capsys):
    """On a terminal names are not read as markup: what is printed is the plain text, but for the colours."""
    path = record_game(tmp_path, Rules(2, max_hand=2), players=(Player("[bold]x[/bold]"), Player(":smile:"))).path
    game = read_replay(path)
    module.print_rows(render(game), terminal=True)
    printed = capsys.readouterr().out
    assert [line.rstrip() for line in printed.splitlines()] == plain(render(game)).splitlines()


def test_verify_imports_little(good):
    """Verifying a plain file loads neither rich nor zstandard nor gRPC: it starts at once."""
    code = (
        "import sys\n"
        "from bluke.cli.replay import replay\n"
        f"replay(['verify', {str(good)!r}], standalone_mode=False)\n"
        "print(sorted({'rich', 'zstandard', 'grpc', 'asyncio', 'google'} & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
