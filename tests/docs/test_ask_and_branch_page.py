"""The page on asking and branching shows commands that there are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from bluke.arena.rematch.ask import LABEL
from bluke.arena.rematch.regression import FORMAT, RegressionLine, SavedAnswer
from bluke.cli import replay_ask

PAGE = (Path(__file__).parents[2] / "docs" / "ask-and-branch.md").read_text(encoding="utf-8")
COMMANDS = [
    shlex.split(line.partition("bluke replay ")[2])
    for line in PAGE.splitlines()
    if re.search(r"bluke replay (ask|check|branch) .*\.jsonl", line)
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_can_be_parsed(words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Every command of the page, and those that the output offers, is one that the command line takes."""
    command: click.Command = getattr(replay_ask, words[0])
    monkeypatch.chdir(tmp_path)
    for word in words[1:]:
        if word.endswith(".jsonl"):
            (tmp_path / word).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / word).touch()
    context = command.make_context(words[0], words[1:])
    assert context.params


@pytest.mark.parametrize("name", ["ask", "check", "branch"])
def test_every_option_is_on_the_page(name: str):
    """No option is only in the help."""
    command: click.Command = getattr(replay_ask, name)
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.opts[0] in PAGE, parameter.opts


def test_the_regression_file_is_described():
    """Format and every key."""
    assert f'`"{FORMAT}"`' in PAGE
    for line in (RegressionLine, SavedAnswer):
        for key in line.__struct_fields__:
            assert f"`{key}`" in PAGE


def test_the_label_is_told():
    """What the welcome says is on the page."""
    assert f"`({LABEL})`" in PAGE
