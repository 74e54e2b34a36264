from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from cli.commands import refused

from bluke.arena.starter.languages import LANGUAGES
from bluke.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_new(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str):
    """A starter is written, the commands to go on with are told, and a tool that is missing is, with its cure."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["new", language, "a/my bot"]) == 0
    lines = capsys.readouterr().out.splitlines()
    chosen = LANGUAGES[language]
    assert lines[0].startswith(f"a/my bot: a bot in {chosen.title}, ")
    assert [line.strip() for line in lines if line.startswith("  ")] == ["cd 'a/my bot'", *chosen.steps]
    assert (tmp_path / "a/my bot" / chosen.source).is_file()
    told = [line for line in lines if line.startswith("not on the PATH: ")]
    assert len(told) == (1 if chosen.tools else 0)
    assert all(word in told[0] for word in (*chosen.tools, chosen.needs, chosen.cure) if word)


def test_new_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """In the folder itself there is no way to go."""
    assert main(["new", "python", "."]) == 0
    assert "  cd " not in capsys.readouterr().out
    assert (tmp_path / "bot.py").is_file()


def test_a_folder_for_a_shell(capsys: pytest.CaptureFixture[str]):
    """What is printed to be typed leads to the folder, however that is called, and moves no cursor."""
    assert main(["new", "python", "--", "-x; $(id) \x1b[2J"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    cd = next(line for line in out.splitlines() if line.startswith("  cd "))
    assert shlex.split(cd) == ["cd", "--", "-x; $(id) \\x1b[2J"]


def test_an_unknown_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A language that there is no starter for is refused, with those that there are."""
    said = refused(capsys, "new", "cobol", "mine")
    assert all(f"'{language}'" in said for language in LANGUAGES)
    assert not (tmp_path / "mine").exists()


def test_a_folder_that_is_not_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A folder with something in it is refused in a sentence."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/bot.py").write_text("precious")
    assert refused(capsys, "new", "python", "mine") == (
        "error: mine is not empty; name a folder that is empty or not there\n"
    )
    assert (tmp_path / "mine/bot.py").read_text() == "precious"


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What the system refuses is told as it says it."""
    (tmp_path / "file").touch()
    assert main(["new", "python", "file/mine"]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_help_lists_the_languages(capsys: pytest.CaptureFixture[str]):
    """Whoever asks is told what there is."""
    assert main(["new", "--help"]) == 0
    assert "|".join(LANGUAGES) in capsys.readouterr().out
