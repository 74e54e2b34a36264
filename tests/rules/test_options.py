from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rules.helpers import rules, vectors

from bluke.errors import RuleError, TurnError
from bluke.rules import MAX_SEATS, MIN_SEATS, BlukeLed, CutRule, Rules, Variant

SCHEDULES = vectors("schedules")
#: RULES 2.2, written out once more.
LARGEST = {2: 13, 3: 13, 4: 13, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 5, 11: 4, 12: 4, 13: 4, 14: 3, 15: 3}


def options(case: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = {key: case[key] for key in ("seats", "max_hand", "last_hand") if key in case}
    if "variant" in case:
        read["variant"] = Variant(case["variant"])
    if "hands" in case:
        read["hands"] = tuple(case["hands"])
    return read


@pytest.mark.parametrize("case", SCHEDULES["cases"], ids=str)
def test_schedule(case):
    """The sizes of the hands are those of the vectors (RULES 2.3, 2.4, 6.4)."""
    assert list(Rules(**options(case)).schedule) == case["schedule"]


@pytest.mark.parametrize("case", SCHEDULES["invalid"], ids=str)
def test_make_rules_that_cannot_be(case):
    """Options that cannot be dealt or exclude each other are refused, and the section that says so is named."""
    with pytest.raises(RuleError) as caught:
        Rules(**options(case))
    if not MIN_SEATS <= case["seats"] <= MAX_SEATS:
        assert caught.value.rule == "2.1"
    elif case.get("variant") == "new_jersey":
        assert caught.value.rule == "6.4"
    else:
        assert caught.value.rule == "2.4"
    assert f"(RULES {caught.value.rule})" in str(caught.value)
    assert not isinstance(caught.value, TurnError)


@pytest.mark.parametrize("seats", LARGEST)
def test_standard_game(seats):
    """A standard game has 2M-1 hands, from M down to one card and back (RULES 2.2, 2.3)."""
    top = LARGEST[seats]
    schedule = Rules(seats=seats).schedule
    assert len(schedule) == 2 * top - 1
    assert schedule[0] == schedule[-1] == top
    assert schedule[top - 1] == 1
    assert all(abs(one - other) == 1 for one, other in itertools.pairwise(schedule))


def test_new_jersey_is_shorter():
    """New Jersey plays as many hands, but 169 tricks where the standard game plays 181."""
    assert sum(Rules(variant=Variant.NEW_JERSEY).schedule) == 169
    assert sum(Rules().schedule) == 181


@pytest.mark.parametrize(("seats", "last"), [(3, 18), (2, 27), (6, 9), (9, 6)])
def test_deal_the_whole_pack_at_the_end(seats, last):
    """The way back up may end with the whole pack (RULES 2.4), and with no more than that."""
    assert Rules(seats=seats, last_hand=last).schedule[-3:] == (last - 2, last - 1, last)
    assert Rules(seats=seats).largest_possible * seats == 54
    with pytest.raises(RuleError):
        Rules(seats=seats, last_hand=last + 1)


def test_play_from_thirteen_to_seventeen():
    """Three seats may play 13 … 1 … 17 in 29 hands (RULES 2.4)."""
    schedule = Rules(seats=3, last_hand=17).schedule
    assert (len(schedule), schedule[0], min(schedule), schedule[-1]) == (29, 13, 1, 17)


@pytest.mark.parametrize("extra", [{"max_hand": 3}, {"last_hand": 3}])
def test_list_hands_beside_a_schedule(extra):
    """A list of hands excludes what it replaces (RULES 2.4)."""
    with pytest.raises(RuleError, match="excludes"):
        Rules(hands=(1, 2), **extra)


@pytest.mark.parametrize("size", [-1, 0, 14, 1_000_000])
@pytest.mark.parametrize("where", ["max_hand", "last_hand", "hands"])
def test_ask_for_a_hand_that_cannot_be_dealt(where, size):
    """Hands have one card to what the pack allows, and the message says how many that is."""
    wrong: dict[str, Any] = {where: (5, size) if where == "hands" else size}
    with pytest.raises(RuleError, match="1 to 13") as caught:
        Rules(**wrong)
    assert caught.value.rule == "2.4"


@given(rules())
def test_make_any_rules(made):
    """Every schedule can be dealt, and equal options make equal rules."""
    assert made.schedule
    assert all(1 <= size <= 54 // made.seats for size in made.schedule)
    if made.hands is not None:
        assert made.schedule == made.hands
    names = ("seats", "variant", "max_hand", "last_hand", "hands", "bluke_led", "cut")
    again = Rules(**{name: getattr(made, name) for name in names})
    assert again == made
    assert hash(again) == hash(made)


@given(st.integers(MIN_SEATS, MAX_SEATS), st.data())
def test_turn_a_schedule_round(seats, data):
    """New Jersey goes up first: the same hands whichever half comes first, the ends deal one card."""
    top = data.draw(st.integers(1, 54 // seats))
    standard = Rules(seats=seats, max_hand=top).schedule
    new_jersey = Rules(seats=seats, max_hand=top, variant=Variant.NEW_JERSEY).schedule
    assert new_jersey == standard[top - 1 :] + standard[1:top]
    assert new_jersey[0] == new_jersey[-1] == 1
    assert max(new_jersey) == top


def test_defaults():
    """Left alone, a game is a standard one for four, a led Bluke asks for nothing and the referee taps."""
    assert Rules() == Rules(4, Variant.STANDARD, None, None, None, BlukeLed.FREE, CutRule.TAP)
