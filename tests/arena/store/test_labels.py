from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.store import BotKey, labels, matches

words = st.sampled_from(["", "1", "2", "1#x"])
names = st.sampled_from(["a", "a@1", "a#x", "a@1#x", "a (2)", "b", "a\x1b"])
keys = st.builds(BotKey, names, words, words)


@pytest.mark.parametrize(
    ("bots", "expected"),
    [
        ([("a", "1", "x"), ("b", "", "")], ["a", "b"]),
        ([("a", "1", "x"), ("a", "2", "x")], ["a@1", "a@2"]),
        ([("a", "1", "x"), ("a", "2", "y")], ["a@1", "a@2"]),
        ([("a", "1", "x"), ("a", "1", "y")], ["a#x", "a#y"]),
        ([("a", "", "x"), ("a", "", "y")], ["a#x", "a#y"]),
        ([("a", "", ""), ("a", "1", "")], ["a", "a@1"]),
        ([("a", "1", "x"), ("a", "1", "y"), ("a", "2", "x")], ["a@1#x", "a@1#y", "a@2#x"]),
        ([("a", "1", ""), ("a", "2", ""), ("a@1", "", "")], ["a@1 (2)", "a@2", "a@1"]),
    ],
)
def test_labels(bots: list[tuple[str, str, str]], expected: list[str]):
    """A name alone where it is one bot's, else with the version, or the digest, or both, whatever tells them apart."""
    found = labels(BotKey(*bot) for bot in bots)
    assert [found[BotKey(*bot)] for bot in bots] == expected


@given(st.sets(keys, max_size=12))
def test_no_two_bots_have_one_label(bots: set[BotKey]):
    """However odd the names, each bot has a label of its own, the same in whatever order they come."""
    found = labels(bots)
    assert found.keys() == bots
    assert len(set(found.values())) == len(bots)
    assert labels(sorted(bots, reverse=True)) == found


def test_by_name():
    """All bots of a name are one where somebody wants that."""
    bots = [BotKey("a", "1", "x"), BotKey("a", "2", "y"), BotKey("b", "", "")]
    assert labels(bots, by_name=True) == dict(zip(bots, ["a", "a", "b"], strict=True))


@given(keys, keys)
def test_who_is_meant(one: BotKey, other: BotKey):
    """Every label that a bot can have means this bot, and a name means all bots of that name."""
    assert matches(one, one.name)
    assert (other.name == one.name) <= matches(other, one.name)
    for label in labels([one, other]).values():
        assert matches(one, label) or matches(other, label) or label.endswith(" (2)")


def test_who_is_not_meant():
    """A version or digest that it has not is another bot's."""
    bot = BotKey("a", "1", "x")
    assert [text for text in ("a", "a@1", "a#x", "a@1#x", "a@2", "a#", "b", "A") if matches(bot, text)] == [
        "a",
        "a@1",
        "a#x",
        "a@1#x",
    ]
