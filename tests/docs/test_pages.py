"""Pages refer to what is there: links, sections of the rules, configurations."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from bluke.arena.config import ArenaConfig

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^ *```(?P<kind>[^\n]*)\n(?P<code>.*?)^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^()\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
SECTION = r"\d+(?:\.\d+)?"
CITED = re.compile(rf"RULES §?({SECTION}(?:(?:, | and | to )§?{SECTION})*)|(?:Rule|Turn)Error\(\s*\"({SECTION})\"")


def prose(page):
    """A page without its code, where nothing is a link or a heading."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page):
    """What a link into a page may name: its headings, written as GitHub does."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(prose(page))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links(page):
    """Every relative link leads to a file of the tree, and its anchor to a heading in it."""
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", prose(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target} is not there"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{target} names no heading"


def configurations():
    """Every whole arena.toml in the pages: a block of TOML that says so in its first line, or has bots."""
    for page in PAGES:
        for number, (kind, code) in enumerate(FENCE.findall(page.read_text(encoding="utf-8"))):
            if kind.split()[:1] == ["toml"] and (code.lstrip().startswith("# arena.toml") or "[[bots]]" in code):
                yield pytest.param(code, id=f"{page.relative_to(ROOT).as_posix()} block {number}")


@pytest.mark.parametrize("text", list(configurations()))
def test_arena_configurations(text):
    """A configuration that a page shows has known keys, right types, and rules that can be played."""
    config = msgspec.convert(tomllib.loads(text), ArenaConfig)
    assert config.game_rules.schedule
    assert all(bot.argv for bot in config.bots)


def test_rules_cited():
    """Every section of the rules that the code or the protocol cites is in docs/rules.md."""
    rules = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    sections = set(re.findall(rf"^(?:#+ |\*\*)({SECTION})\b", rules, re.MULTILINE))
    cited: dict[str, str] = {}
    for file in [*(ROOT / "server").rglob("*.py"), *(ROOT / "proto").rglob("*.proto")]:
        for match in CITED.finditer(file.read_text(encoding="utf-8")):
            for section in re.findall(SECTION, match[0]):
                cited.setdefault(section, file.relative_to(ROOT).as_posix())
    assert {"1.3", "6.2", "8.2"} <= cited.keys(), "the search finds what is known to be cited"
    assert {section: file for section, file in cited.items() if section not in sections} == {}
