from __future__ import annotations

import json
import os
import sys

import pytest
from click.testing import CliRunner, Result
from replay.recording import lines_of, record_game, to_bytes

from bluke.analysis import POLICIES
from bluke.cli.replay_explain import explain
from bluke.replay.reader import read_replay
from bluke.replay.verify import verify
from bluke.rules import Rules


def run(*args: object) -> Result:
    """Run `bluke replay explain` with these arguments."""
    return CliRunner().invoke(explain, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    return record_game(tmp_path_factory.mktemp("game"), Rules(3, hands=(5, 3, 1)), note=lambda *_: "hm").path


def test_explain(game):
    """The text goes to stdout, how far it is to stderr."""
    result = run(game, "--samples", 3)
    assert result.exit_code == 0
    assert result.stdout.startswith("Game game-1, policy rule\n")
    assert "HINDSIGHT" in result.stdout
    assert result.stderr.splitlines()[-1] == "explained 3 of 3 hands"


def test_pick(game):
    """Hands and seats can be picked, as for `show`."""
    result = run(game, "--samples", 3, "--hand", "1-2", "--seat", 2, "--json")
    told = json.loads(result.stdout)
    assert [hand["hand"] for hand in told["hands"]] == [1, 2]
    assert {decision["seat"] for hand in told["hands"] for decision in hand["decisions"]} == {2}
    assert [summary["seat"] for summary in told["summary"]] == [2]


def test_cards(game):
    """The means of all cards are shown if asked for."""
    asked = (game, "--samples", 3, "--hand", 0, "--seat", 1)
    assert not [line for line in run(*asked).stdout.splitlines() if "  0." in line and "; means" in line]
    told = [line for line in run(*asked, "--cards").stdout.splitlines() if line.startswith("  seat  1  0.")]
    assert all("; means  " in line for line in told)
    assert told


def test_write(game, tmp_path):
    """The copy has regrets in its notes and passes `verify`; the original is as it was."""
    before = game.read_bytes()
    copy = tmp_path / "explained.jsonl"
    result = run(game, "--samples", 6, "--write", copy)
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1] == f"written with its regrets to {copy}"
    assert verify(copy).ok
    assert game.read_bytes() == before
    notes = [line["note"] for line in lines_of(copy) if "note" in line]
    regrets = [note for note in notes if note.startswith("regret ")]
    assert regrets
    assert all(note.endswith(" | hm") for note in regrets)
    assert set(notes) - set(regrets) == {"hm"}


@pytest.mark.parametrize("name", ["there.jsonl", "game-1.jsonl", "link.jsonl"])
def test_never_write_over(tmp_path, name):
    """Whatever is there stays: the original, another file, even where a link points nowhere."""
    path = record_game(tmp_path, Rules(2, hands=(1,))).path
    (tmp_path / "there.jsonl").write_text("mine")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "nowhere")
    before = path.read_bytes()
    result = run(path, "--write", tmp_path / name)
    assert result.exit_code == 2
    assert "is there already, and nothing is written over" in result.stderr
    assert path.read_bytes() == before
    assert (tmp_path / "there.jsonl").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--seat", 3], "there is no seat 3: seats are 0 to 2"),
        (["--hand", "3-9"], "the file has no such hand: its hands are 0 to 2"),
        (["--hand", "x"], "is neither a hand such as 3"),
        (["--samples", 1], "1 is not in the range"),
        (["--policy", "best"], "'best' is not 'rule'"),
        (["--write", "no/where/a.jsonl"], "there is no folder no/where: make it first"),
    ],
)
def test_mistakes(game, args, said):
    """A mistake in the command is said before anything is worked out, with exit code 2."""
    result = run(game, *args)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not result.stdout


def test_no_such_file(tmp_path):
    """A file that is not there is a mistake in the command too."""
    assert run(tmp_path / "none.jsonl").exit_code == 2


def test_wrong_files(tmp_path):
    """A file that is no replay, or whose moves are not possible, is said with its line, with exit code 1."""
    junk = tmp_path / "junk.jsonl"
    junk.write_text("junk\n")
    result = run(junk)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {junk}: line 1: ")
    path = record_game(tmp_path, Rules(2, hands=(2,))).path
    lines = lines_of(path)
    lines[3]["bid"] = 3
    path.write_bytes(to_bytes(lines, seal=True))
    result = run(path)
    assert result.exit_code == 1
    assert f"error: {path}: line 4: a bid of 3" in result.stderr


def test_a_full_disk(game, tmp_path, monkeypatch):
    """A copy that cannot be written is said with why, with exit code 1, and leaves nothing behind."""
    monkeypatch.setattr("bluke.analysis.annotate.pack", full)
    result = run(game, "--samples", 2, "--hand", 2, "--write", tmp_path / "copy.jsonl")
    assert result.exit_code == 1
    assert f"error: {tmp_path / 'copy.jsonl'} cannot be written: No space left on device" in result.stderr
    assert list(tmp_path.iterdir()) == []


def full(*_: object, **__: object) -> bytes:
    raise OSError(28, "No space left on device")


def test_the_copy_is_not_blamed(game, tmp_path, monkeypatch):
    """What goes wrong before the copy is written, a process that cannot be started for one, is not said of the copy."""
    monkeypatch.setattr("bluke.analysis.explain_game", full)
    result = run(game, "--write", tmp_path / "copy.jsonl")
    assert isinstance(result.exception, OSError)
    assert "cannot be written" not in result.stderr


def test_whole_or_not_at_all(game, tmp_path, monkeypatch):
    """A copy that was begun is taken away again whatever interrupts it."""
    monkeypatch.setattr("bluke.analysis.annotate.pack", lambda *_: "text, which a file of bytes does not take")
    copy = tmp_path / "copy.jsonl"
    assert isinstance(run(game, "--samples", 2, "--hand", 2, "--write", copy).exception, TypeError)
    assert not copy.exists()


def test_a_copy_of_a_pipe(game, tmp_path):
    """A copy takes a file that can be read twice, which is said before anything is worked out."""
    reader, writer = os.pipe()
    os.write(writer, game.read_bytes())
    os.close(writer)
    try:
        result = run(f"/dev/fd/{reader}", "--samples", 2, "--write", tmp_path / "copy.jsonl")
        assert result.exit_code == 2
        assert "is no file, and a copy takes one that can be read twice" in result.stderr
        assert run(f"/dev/fd/{reader}", "--samples", 2).exit_code == 0
    finally:
        os.close(reader)


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_closed_streams(game, monkeypatch, closed):
    """Without stdout or stderr, as after `>&-` in a shell, it does its work all the same."""
    monkeypatch.setattr(sys, closed, None)
    explain.main([str(game), "--samples", "2", "--hand", "2"], standalone_mode=False)


def test_unfinished(tmp_path):
    """A file of a game that was not finished can be explained and annotated."""
    path = record_game(tmp_path, Rules(3, hands=(5, 3)), stop=20, ending=None).path
    copy = tmp_path / "copy.jsonl"
    result = run(path, "--samples", 4, "--write", copy)
    assert result.exit_code == 0
    assert "The file does not hold the whole game" in result.stdout
    assert read_replay(copy).end is None


def test_policies():
    """Every policy can be named."""
    [policy] = [option for option in explain.params if option.name == "policy"]
    assert list(policy.type.choices) == list(POLICIES)  # type: ignore[attr-defined]
