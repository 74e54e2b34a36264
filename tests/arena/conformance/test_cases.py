"""The cases as data: what every one of them must be."""

from __future__ import annotations

import itertools
import re
from functools import cache
from pathlib import Path

import pytest
from arena.conformance.mutants import CONTROL, MUTANTS

from bluke.arena.conformance import case as steps
from bluke.arena.conformance.case import Case, load_cases
from bluke.arena.conformance.script import ACTS, CHECKS
from bluke.errors import ArenaError

PAGE = Path(__file__).parents[3] / "docs/protocol.md"
CASES = load_cases()
#: After these what was said before has been read by the bot.
HEARD = (steps.Hello, steps.Moves, steps.Hear, steps.Play, steps.Ask)
each_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def words(text: str) -> str:
    return " ".join(text.split())


@cache
def sections() -> dict[str, str]:
    """The text of each section of the page, without those below it."""
    found: dict[str, list[str]] = {}
    title, fenced = "", False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else re.fullmatch(r"#+ (.*)", line)
        if heading:
            title = heading[1]
        else:
            found.setdefault(title, []).append(line)
    return {title: words(" ".join(lines)) for title, lines in found.items()}


def test_names():
    """Every case has a name of its own, in small letters with dashes, and so has every mutant a case."""
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)
    assert {name for found in MUTANTS.values() for name in found} | {CONTROL} <= set(names)


@each_case
def test_the_sentence_stands_in_the_protocol(case: Case):
    """The words of the case stand in the section that it names."""
    assert words(case.sentence) in sections()[case.section]


@each_case
def test_a_mutant_fails_it(case: Case):
    """There is a bot that fails the case."""
    assert any(case.name in found for found in MUTANTS.values())


@each_case
def test_its_games_can_be_dealt(case: Case):
    """Rules and seats of its games go together, and steps name games that there are."""
    for data in case.games.values():
        data.rules.rules(data.seats)
        assert set(data.bot) <= set(range(data.seats))
    for step in case.steps:
        assert set(getattr(step, "games", ())) | set(getattr(step, "optional", ())) <= case.games.keys()
        assert set(getattr(step, "checks", ())) <= CHECKS.keys()


@each_case
def test_nothing_is_cut_before_it_was_read(case: Case):
    """Between a welcome or a result and a cut the bot answers something, so that it has read them."""
    for before, step in itertools.pairwise(case.steps):
        if isinstance(step, steps.Cut | steps.Away):
            assert isinstance(before, HEARD)


def test_every_step_is_in_use_and_done():
    """There is no step that no case needs, and none that nothing does."""
    used = {type(step) for case in CASES for step in case.steps}
    assert used == set(steps.Step.__args__)
    assert used - {steps.StrictGame} == ACTS.keys()


def test_strict_game_stands_alone():
    """The real referee's game is the only step of its case, the last one."""
    strict = [case for case in CASES if any(isinstance(step, steps.StrictGame) for step in case.steps)]
    assert strict == [CASES[-1]]
    assert len(CASES[-1].steps) == 1


def test_hostile_names_are_as_long_as_they_may_be():
    """The names reach 64 bytes, and none has more."""
    names = next(case for case in CASES if case.name == "hostile-names").games["a"].names
    assert max(len(name.encode()) for name in names) == 64


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("case = 1", "Expected `array`"),
        ("case = [", "Invalid value"),
        ('[[case]]\nname = "x"', "missing required field"),
        (
            '[[case]]\nname="x"\nabout=""\nsection=""\nsentence=""\nsteps=[{do="dance"}]',
            "Invalid value 'dance'",
        ),
        (
            '[[case]]\nname="x"\nabout=""\nsection=""\nsentence=""\nsteps=[{do="cut", who="me"}]',
            "unknown field `who`",
        ),
    ],
)
def test_a_file_that_is_none(text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file that is not what it should be is refused by its name."""
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/bad.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(steps.resources, "files", lambda _: tmp_path)
    with pytest.raises(ArenaError, match=rf"bad\.toml: .*{re.escape(said)}"):
        load_cases.__wrapped__()
