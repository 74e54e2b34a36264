from __future__ import annotations

import pytest
from analysis.hands import known, known_of, mask, one_hand, play_on
from hypothesis import given
from hypothesis import strategies as st
from rules.helpers import GivenPacks, packs, randoms

from bluke.analysis.known import read
from bluke.analysis.playout import SUITS
from bluke.rules import Asked, BlukeLed, CardSet, Game, Variant

CLUBS, DIAMONDS, HEARTS, SPADES = SUITS
BLUKES = 3 << 52


@given(one_hand(), packs, randoms, st.floats(0, 1))
def test_read(rules, pack, random, begun):
    """What follows from what a seat knows is so, and no seat is said to lack what it has."""
    game = Game(rules, GivenPacks(pack))
    play_on(game, random, int(begun * rules.seats * (1 + rules.schedule[0])))
    if game.over:
        return
    for seat in range(rules.seats):
        reading = read(known_of(game, seat))
        assert reading.held == game.held(seat).mask
        assert reading.bids == tuple(bid or 0 for bid in game.bids)
        assert reading.taken == game.tricks_won
        assert reading.left == tuple(len(game.held(other)) for other in range(rules.seats))
        assert not any(reading.lacks[other] & game.held(other).mask for other in range(rules.seats))
        assert not reading.hidden & reading.held
        if game.asked is Asked.PLAY:
            assert reading.position.seat == game.seat
            assert CardSet(reading.position.legal(game.held(game.seat).mask)) == game.legal


@pytest.mark.parametrize(
    ("options", "led", "played", "lacks"),
    [
        # Who does not follow has none of the suit.
        ({}, "3H", "4C", HEARTS),
        ({}, "3H", "4H", 0),
        # A Bluke may always be played in the standard game, so it says nothing.
        ({}, "3H", "LO", 0),
        ({}, "LO", "4C", 0),
        ({"bluke_led": BlukeLed.TRUMP}, "LO", "4C", SPADES),
        ({"bluke_led": BlukeLed.TRUMP}, "LO", "HI", 0),
        # In New Jersey it may not: whoever plays one to a side suit has none of that.
        ({"variant": Variant.NEW_JERSEY}, "3H", "LO", HEARTS),
        ({"variant": Variant.NEW_JERSEY}, "LO", "4C", SPADES | BLUKES),
        ({"variant": Variant.NEW_JERSEY}, "3S", "4C", SPADES | BLUKES),
    ],
)
def test_lacks(options, led, played, lacks):
    """What a card that does not follow shows depends on the variant."""
    # Trump is spades, and each hand has one card beside the one it plays.
    found = known([f"{led} 5C", f"{played} 6C", "7C 8C"], "2S", bids=[1, 1, 1], cards=f"{led} {played}", **options)
    assert read(found).lacks == (0, lacks, 0)


def test_hidden():
    """Hidden is what is neither held nor turned up nor played."""
    found = known(["3H 5C", "4H 6C", "7C 8C"], "2S", bids=[1, 1, 1], cards="3H")
    reading = read(found)
    assert reading.seat == 1
    assert reading.hidden == (1 << 54) - 1 & ~mask("4H 6C 2S 3H")
