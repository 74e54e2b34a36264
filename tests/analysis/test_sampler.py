from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from analysis.hands import hand_of, known, known_of, mask, one, one_hand, play_on
from hypothesis import given, settings
from hypothesis import strategies as st
from rules.helpers import GivenPacks, packs, randoms

from bluke.analysis.known import read
from bluke.analysis.policy import Rule
from bluke.analysis.sampler import Sampler, sample_deals
from bluke.rules import CARDS, Card, CardSet, Game

if TYPE_CHECKING:
    from collections.abc import Iterator


def pack_like(game: Game, deal: tuple[CardSet, ...]) -> tuple[Card, ...]:
    """A pack that deals every seat what it holds in a sampled deal and has played."""
    hand = hand_of(game)
    hands = [list(cards) for cards in deal]
    for trick in hand.tricks:
        for move in trick.moves:
            assert isinstance(move.value, Card)
            hands[move.seat].append(move.value)
    order = [(hand.dealer + 1 + turn) % len(hands) for turn in range(len(hands))]
    top = [card for together in zip(*(hands[seat] for seat in order), strict=True) for card in together]
    turned = [] if hand.turned is None else [hand.turned]
    return (*top, *turned, *(card for card in CARDS if card not in top and card not in turned))


@given(one_hand(), packs, randoms, st.floats(0, 1))
@settings(max_examples=200)
def test_sample_deals(rules, pack, random, begun):
    """In every sampled deal the game could have gone as it went, and the seat that is asked sees no difference."""
    game = Game(rules, GivenPacks(pack))
    play_on(game, random, int(begun * rules.seats * (1 + rules.schedule[0])))
    if game.over:
        return
    hand = hand_of(game)
    for deal in sample_deals(known_of(game, game.seat), 3, random):
        other = Game(rules, GivenPacks(pack_like(game, deal)))
        for move in (*hand.bids, *(move for trick in hand.tricks for move in trick.moves)):
            other.answer(move.seat, move.value)
        assert deal == tuple(other.held(seat) for seat in range(rules.seats))
        assert replace(known_of(other, game.seat), game="game") == known_of(game, game.seat)


def every_deal(cards: set[int], counts: list[tuple[int, int, int]]) -> Iterator[tuple[int, ...]]:
    """Every way to deal some of the cards to seats of which each needs so many and lacks some."""
    if not counts:
        yield ()
        return
    (_, need, lacks), *rest = counts
    for taken in combinations(sorted(card for card in cards if not card & lacks), need):
        for others in every_deal(cards - set(taken), rest):
            yield (sum(taken), *others)


HEARTS, CLUBS, SPADES = (mask(" ".join(rank + suit for rank in "23456789TJQKA")) for suit in "HCS")
BLUKES = mask("LO HI")


@pytest.mark.parametrize(
    "lacks",
    [
        (0, 0, 0),
        (HEARTS, 0, 0),
        (HEARTS, HEARTS, 0),
        (HEARTS, CLUBS, 0),
        (HEARTS | CLUBS, CLUBS, 0),
        (HEARTS, CLUBS, SPADES),
        (HEARTS | CLUBS, CLUBS | SPADES, HEARTS),
        (SPADES | BLUKES, SPADES | BLUKES, HEARTS | CLUBS),
    ],
)
def test_deal_evenly(lacks):
    """Before bids are looked at, all deals that a seat cannot rule out are equally likely, whatever the voids."""
    reading = read(known(["2D 3D 4D 5D", "2C 3C 4C 5C", "6C 7C 8C 9C", "TC JC QC KC"], "2S", bids=[1, 1, 1, 1]))
    needs = [2, 1, 2]
    hidden = mask("2H 3H 6C 7C KS LO 7D 8D")
    small = replace(
        reading,
        held=mask("2D 3D"),
        lacks=(0, *lacks),
        # Only how many they are matters.
        played=(mask("4D 5D"), mask("2C 3C"), mask("6C 7C 8C"), mask("TC JC")),
        hidden=hidden,
        bids=(1, 0, 0, 0),
    )
    possible = list(
        every_deal({1 << i for i in range(54) if hidden >> i & 1}, list(zip(range(3), needs, lacks, strict=True)))
    )
    times = 40 * len(possible)
    sampler, roll = Sampler(small, Rule(small.table)), Random(1).random
    drawn = Counter(tuple(sampler.uniform(roll)[1:]) for _ in range(times))
    assert set(drawn) == set(possible)
    chi_square = sum((drawn[deal] - 40) ** 2 / 40 for deal in possible)
    free = len(possible) - 1
    assert abs(chi_square - free) < 4 * (2 * free) ** 0.5


def strong_cards(bid: int) -> float:
    """How many trumps and Blukes the bidder of `bid` holds in the sampled deals of the next seat."""
    found = known(["AH KH QH JH TH", "2C 3C 4C 5C 6C", "2D 3D 4D 5D 6D"], "2S", bids=[bid])
    strong = read(found).table.strong
    return fmean((deal[0].mask & strong).bit_count() for deal in sample_deals(found, 400, Random(1)))


def test_bids_are_heard():
    """Who bid much is dealt more of what takes tricks."""
    assert strong_cards(4) > strong_cards(1) + 0.3


def test_no_bid_rules_a_deal_out():
    """A bid that the policy never makes leaves the deals as they are."""
    found = known(["AH KH", "2C 3C", "2D 3D"], "2S", bids=[2])
    assert len(sample_deals(found, 20, Random(1))) == 20


def test_sample_what_is_settled():
    """Where nothing is hidden there is one deal."""
    game = Game(one(2, 27), GivenPacks(CARDS))
    [deal] = set(sample_deals(known_of(game, game.seat), 5, Random(1)))
    assert deal == (game.held(0), game.held(1))


def test_same_dice_same_deals():
    """The deals follow from what the seat knows and the dice."""
    found = known(["AH KH", "2C 3C", "2D 3D"], "2S", bids=[1])
    assert sample_deals(found, 5, Random(7)) == sample_deals(found, 5, Random(7))
    assert sample_deals(found, 5, Random(7)) != sample_deals(found, 5, Random(8))
