from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analysis.hands import SPADES, hand_of, known_of, mask, one, one_hand, play_on
from hypothesis import given, settings
from hypothesis import strategies as st
from rules.helpers import GivenPacks, packs, randoms

from bluke.analysis.known import read
from bluke.analysis.playout import Position, Table, play_out, touching
from bluke.analysis.policy import POLICIES, Rule
from bluke.rules import CARDS, Asked, CardSet, Game, Scored, Variant, trick_winner

if TYPE_CHECKING:
    from random import Random


class AtRandom:
    """A policy that shows every corner of the rules."""

    def __init__(self, table: Table, random: Random) -> None:
        self.table = table
        self.random = random

    def bid(self, held):
        return self.random.randint(1, held.bit_count())

    def lead(self, held, others, need, tricks):
        return self.random.choice(list(CardSet(held))).bit

    def follow(self, legal, higher, others, after, spare):
        assert higher & legal == higher
        return self.random.choice(list(CardSet(legal))).bit


@pytest.mark.parametrize("policy", [*POLICIES, "random"])
@given(rules=one_hand(), pack=packs, random=randoms, begun=st.floats(0, 1))
@settings(max_examples=200)
def test_play_out(policy, rules, pack, random, begun):
    """From any moment of any game the cards of a playout are legal, and it ends with the tricks that the rules say."""
    game = Game(rules, GivenPacks(pack))
    play_on(game, random, rules.seats + int(begun * rules.seats * rules.schedule[0]) - 1)
    while game.asked is Asked.BID:
        play_on(game, random, 1)
    if game.over:
        return
    reading = read(known_of(game, game.seat))
    seated = AtRandom(reading.table, random) if policy == "random" else POLICIES[policy](reading.table)
    hands = [game.held(seat).mask for seat in range(rules.seats)]
    needs = [bid - taken for bid, taken in zip(reading.bids, reading.taken, strict=True)]
    moves: list[int] = []
    play_out(seated, hands, needs, reading.position, moves=moves)
    for card in moves:
        game.play(game.seat, CARDS[card.bit_length() - 1])
    scored = game.events[-1]
    assert isinstance(scored, Scored)
    assert scored.tricks == tuple(bid - need for bid, need in zip(reading.bids, needs, strict=True))
    assert not any(hands)


@given(rules=one_hand(), pack=packs, random=randoms)
def test_stop_at_a_sure_set(rules, pack, random):
    """A playout that stops early says rightly that the seat is set."""
    game = Game(rules, GivenPacks(pack))
    play_on(game, random, rules.seats)
    reading = read(known_of(game, game.seat))
    hands = [game.held(seat).mask for seat in range(rules.seats)]
    whole, short = list(reading.bids), list(reading.bids)
    play_out(Rule(reading.table), list(hands), whole, reading.position)
    play_out(Rule(reading.table), list(hands), short, reading.position, 0)
    assert (short[0] > 0) == (whole[0] > 0)
    assert short[0] > 0 or short == whole


@given(packs, st.sampled_from([None, SPADES]), st.integers(2, 15))
def test_beats(pack, trump, seats):
    """Played one after the other, the last card that beat the best so far is the one that takes the trick."""
    table = Table.of(one(seats, 1), 1, 0, trump, 0)
    trick = pack[:seats]
    best = 0
    for i in range(1, seats):
        if trick[i].bit & table.beats[trick[best].index]:
            best = i
    assert best == trick_winner(trick, trump)


@given(one_hand(), packs, randoms)
def test_positions_are_those_of_the_game(rules, pack, random):
    """Card by card the position knows who is to play, and what is legal."""
    game = Game(rules, GivenPacks(pack))
    play_on(game, random, rules.seats)
    table = read(known_of(game, 0)).table
    position = Position.first(table)
    while not game.over:
        assert isinstance(game.legal, CardSet)
        assert position.seat == game.seat
        assert position.legal(game.held(game.seat).mask) == game.legal.mask
        played = hand_of(game).tricks
        play_on(game, random, 1)
        last = hand_of(game).tricks[-1].moves[-1]
        assert hand_of(game).tricks != played
        position = position.after(table, last.value.bit)  # type: ignore[union-attr]
        if not position.to_play:
            position = position.next_trick(table)


@pytest.mark.parametrize(
    ("cards", "between", "groups"),
    [
        ("7H 8H TH", "9H", ["7H 8H", "TH"]),
        ("7H 8H TH", "", ["7H 8H TH"]),
        ("7H 8H", "7S 8S", ["7H 8H"]),
        ("AC 2D", "", ["AC", "2D"]),
        ("AS LO HI", "", ["AS", "LO HI"]),
        ("2C 4C 6C", "3C 5C 7C", ["2C", "4C", "6C"]),
    ],
)
def test_touching(cards, between, groups):
    """Cards of a suit that no other card stands between are as good as each other."""
    assert touching(mask(cards), mask(between)) == [mask(group) for group in groups]


def test_new_jersey_blukes_are_trumps():
    """The table follows the variant: to a led trump a Bluke must be played there."""
    standard = Table.of(one(2, 1), 1, 0, SPADES, 0)
    jersey = Table.of(one(2, 1, variant=Variant.NEW_JERSEY), 1, 0, SPADES, 0)
    two, hand = CARDS[39].index, mask("3C HI")
    assert hand & standard.follow[two][0] == 0
    assert hand & jersey.follow[two][0] == mask("HI")
