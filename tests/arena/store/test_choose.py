from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from arena.store.written import run_record, stored_run
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.config import RulesConfig
from bluke.arena.store import Kind, Selection, choose
from bluke.arena.store.kinds import recorded_rules, rule_values
from bluke.cli.standings import _rules
from bluke.errors import ConfigError
from bluke.rules import BlukeLed, CutRule, Rules, Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.arena.store import StoredRun

STANDARD, JERSEY, SHORT = Rules(4), Rules(4, Variant.NEW_JERSEY), Rules(4, max_hand=3)


def names(runs: Sequence[StoredRun]) -> list[str]:
    return [run.folder for run in runs]


def refused(runs: Sequence[StoredRun], selection: Selection | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        choose(runs, selection or Selection())
    return str(caught.value)


def test_choose_by_name():
    """A run is named by its folder or by the id of its match; one that is not there is refused."""
    runs = [stored_run("a"), stored_run("b"), stored_run("c")]
    assert names(choose(runs, Selection(runs=("a", "match-c")))) == ["a", "c"]
    assert "z\\x1b: there is no such run" in refused(runs, Selection(runs=("a", "z\x1b")))


def test_choose_by_time():
    """The first moment is in, the last is not."""
    runs = [stored_run(str(day), day=day) for day in range(10, 20)]
    noon = [datetime(2030, 1, day, 12, tzinfo=UTC) for day in (12, 15)]
    assert names(choose(runs, Selection(since=noon[0], until=noon[1]))) == ["12", "13", "14"]


def test_choose_by_seats_and_rules():
    """Only runs that are as they should be."""
    runs = [
        stored_run("a"),
        stored_run("b", rules=JERSEY),
        stored_run("c", rules=Rules(3)),
        stored_run("d", rules=SHORT),
    ]
    assert names(choose(runs, Selection(seats=3))) == ["c"]
    assert names(choose(runs, Selection(rules={"variant": Variant.NEW_JERSEY}))) == ["b"]
    assert names(choose(runs, Selection(rules={"max_hand": 3, "last_hand": 3}))) == ["d"]
    assert names(choose(runs, Selection(rules={"hands": (3, 2, 1, 2, 3)}))) == ["d"]


def test_rules_that_play_alike():
    """Options that come to the same hands are the same rules; the defaults may be written out or not."""
    alike: list[dict[str, Any]] = [
        {},
        {"max_hand": 13},
        {"hands": list(STANDARD.schedule)},
        {"variant": "standard", "cut": "tap"},
    ]
    assert len({recorded_rules(run_record(seats=4, rules=rules)) for rules in alike}) == 1
    assert recorded_rules(run_record(seats=4, rules={"bluke_led": "trump"})) != recorded_rules(run_record(seats=4))


@pytest.mark.parametrize("rules", [{"max_hand": 99}, {"variant": "another"}, {"new": 1}, 5])
def test_rules_that_this_version_does_not_know(rules: Any):
    """They are rules that nobody knows, not an error."""
    assert recorded_rules(run_record(rules=rules)) is None


def test_runs_of_bluke_serve():
    """Their rules are known if the record tells them, and are then the same as those of a run with a configuration."""
    assert recorded_rules(run_record(served=True)) is None
    for rules in (STANDARD, JERSEY, SHORT, Rules(4, hands=(3, 1), bluke_led=BlukeLed.TRUMP, cut=CutRule.PLAYER)):
        told = msgspec.to_builtins(rules)
        served: Any = SimpleNamespace(config=None, rules=told, seats=4)
        del told["seats"]
        assert recorded_rules(served) == recorded_rules(run_record(seats=4, rules=told))


def test_runs_of_several_kinds():
    """They are not mixed: what there is is listed, with what to type for each, the most games first."""
    runs = [
        stored_run("a", rules=STANDARD),
        stored_run("b", rules=STANDARD, games=800),
        stored_run("c", rules=JERSEY, games=1),
        stored_run("d", rules=SHORT, games=40),
        stored_run("e", rules=Rules(2), games=20),
    ]
    assert refused(runs) == (
        "these 5 runs are of 4 kinds, which cannot be compared; choose one of them:\n"
        "  --seats 4 --rules variant=standard --rules max_hand=13  (2 runs, 808 games)\n"
        "  --seats 4 --rules variant=standard --rules max_hand=3  (1 run, 40 games)\n"
        "  --seats 2  (1 run, 20 games)\n"
        "  --seats 4 --rules variant=new_jersey  (1 run, 1 game)"
    )
    assert names(choose(runs, Selection(seats=2))) == ["e"]


def test_runs_whose_rules_nobody_knows():
    """They are a kind of their own, which is chosen by naming the runs."""
    runs = [stored_run("a", rules=STANDARD, games=100), *(stored_run(name) for name in "bcde")]
    assert refused(runs).splitlines()[1:] == [
        "  --rules variant=standard  (1 run, 100 games)",
        "  RUN ...  (4 runs, 32 games)",
        "      their records do not tell the rules, so name them: b, c, d and 1 more",
    ]
    assert names(choose(runs, Selection(rules={"variant": Variant.STANDARD}))) == ["a"]
    assert names(choose(runs, Selection(runs=("b", "c")))) == ["b", "c"]


def test_no_run_is_left():
    """It is said of how many none was so; runs without games are none."""
    runs = [stored_run("a"), stored_run("b", games=0, rules=JERSEY)]
    assert names(choose(runs, Selection())) == ["a"]
    assert refused(runs, Selection(seats=9)).startswith("none of the runs with games (1) is all that was asked for")
    assert "runs with games (0)" in refused([])


rules = st.builds(
    lambda seats, variant, led, cut, hands: Rules(seats, variant, hands=hands, bluke_led=led, cut=cut),
    st.integers(2, 3),
    st.sampled_from(Variant),
    st.sampled_from(BlukeLed),
    st.sampled_from(CutRule),
    st.sampled_from([(1,), (2,), (2, 1), (1, 2), (1, 1, 2), (2, 1, 2)]),
)


@given(st.sets(rules, min_size=2, max_size=12))
def test_what_is_listed_can_be_typed(kinds: set[Rules]):
    """Each line of the list, given as options, chooses the runs of that line and no others."""
    runs = [stored_run(f"{rules}", rules=rules) for rules in kinds]
    lines = refused(runs).splitlines()[1:]
    chosen = [choose(runs, typed(line.partition("(")[0].split())) for line in lines]
    assert sorted(names([run for found in chosen for run in found])) == sorted(names(runs))
    assert all(len(found) == 1 for found in chosen)


def typed(words: list[str]) -> Selection:
    options = list(zip(words[::2], words[1::2], strict=True))
    seats = next((int(value) for option, value in options if option == "--seats"), None)
    return Selection(seats=seats, rules=_rules(tuple(value for option, value in options if option == "--rules")))


def test_every_option_of_the_game_can_be_asked_for():
    """What `bluke serve --rules` takes, `bluke standings --rules` takes too."""
    assert rule_values(STANDARD).keys() == {field.name for field in msgspec.structs.fields(RulesConfig)}
    assert not Kind(4, None).has({"variant": Variant.STANDARD})
