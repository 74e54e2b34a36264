from __future__ import annotations

import re
from pathlib import Path

import pytest

from bluke.replay import records
from bluke.replay.verify import SECTIONS
from bluke.wire.values import FaultKind, Status

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture(scope="module")
def page() -> str:
    """The page about replay files."""
    return (DOCS / "replays.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", records.Record.__args__, ids=lambda line: line.__name__)
def test_every_key_is_described(page, line):
    """The page has a section for each type, and its table names every key in the order of the file."""
    section = page.split(f"### `{line.__struct_config__.tag}`")[1].split("\n### ")[0].split("\n## ")[0]
    first_table = section.split("\n\n", 3)[1 if section.startswith("\n\n|") else 2]
    named = re.findall(r"`(\w+)`\??", "".join(row.split("|")[1] for row in first_table.splitlines()[2:]))
    assert named == list(line.__struct_fields__)


@pytest.mark.parametrize("part", [records.RulesPart, records.LimitsPart, records.PlayerPart, records.ParentPart])
def test_every_inner_key_is_described(page, part):
    """Keys of the objects within the first line are on the page."""
    assert all(f"`{key}`" in page for key in part.__struct_fields__)


@pytest.mark.parametrize("value", [*FaultKind, *Status])
def test_every_word_is_described(page, value):
    """Every kind of fault and every status is on the page."""
    assert f"| `{value.value}` |" in page


def test_cited_sections_exist():
    """Every section of the rules that the room cites is on the page of the rules."""
    rules = (DOCS / "rules.md").read_text(encoding="utf-8")
    cited = set(SECTIONS.values())
    for file in (*Path(records.__file__).parent.glob("*.py"), DOCS / "replays.md"):
        cited |= set(re.findall(r"RULES (\d+\.\d+)", file.read_text(encoding="utf-8")))
    assert cited
    assert [section for section in cited if f"\n**{section}** " not in rules] == []
