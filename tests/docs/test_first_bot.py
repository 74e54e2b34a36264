"""The page for newcomers says what is so: its commands, its change to the bot, and its standings."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from cli.commands import command

from bluke.arena.starter.languages import LANGUAGES
from bluke.arena.starter.write import TEMPLATES

PAGE = (Path(__file__).parents[2] / "docs/first-bot.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\d  (\w+) +(-?[\d.]+) ±", re.MULTILINE)


def test_the_table_of_languages():
    """The page has the source, the build and the command of each starter."""
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| (?:`([^`]+)` )?\| `([^`]+)` \|$", PAGE, re.MULTILINE)
    assert rows == [(name, is_in.source, is_in.build or "", is_in.command) for name, is_in in LANGUAGES.items()]


def test_the_change():
    """The lines to be added fit where the page says, once."""
    added = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(added) == 1
    before = "        if view.needed and winners:\n"
    source = (TEMPLATES / "python/bot.py").read_text(encoding="utf-8")
    assert source.count(before) == 1
    assert f"`{before.strip()}`" in PAGE
    assert ast.parse(source.replace(before, added[0] + before))


@pytest.mark.slow
def test_the_standings(tmp_path: Path):
    """What the page shows of the first run is what anybody gets, but for times."""
    assert command(tmp_path, "new", "python", "cautious")[0] == 0
    code, out, err = command(tmp_path / "cautious", "arena", "--seed", "first-bot", "--run", "first")
    assert code == 0, err
    shown = ROW.findall(PAGE)
    assert len(shown) == 4
    assert ROW.findall(out) == shown
    found = re.findall(r"^\$ bluke replay show (first/replays/\w+\.jsonl) --hand 3$", PAGE, re.MULTILINE)
    assert len(found) == 1
    code, out, _ = command(tmp_path / "cautious", "replay", "show", found[0], "--hand", "3")
    assert code == 0
    assert "strong: 3" in out
