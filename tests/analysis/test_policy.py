from __future__ import annotations

from random import Random

import pytest
from analysis.hands import SPADES, mask, one, one_hand
from bots_reference.offline import SUITS, sdk_rules
from hypothesis import given
from rules.helpers import packs

import bluke_sdk
from bluke.analysis.playout import Table
from bluke.analysis.policy import Rule
from bluke.rules import CARDS, CardSet, Rules
from bots.rule import Rule as ReferenceRule


def seated(size: int, *, seats: int = 4, turned: str = "2S") -> Rule:
    return Rule(Table.of(one(seats, size), size, 0, SPADES, mask(turned)))


@given(one_hand(), packs)
def test_bid(rules, pack):
    """A bid is always a legal one."""
    size = rules.schedule[0]
    held = CardSet.of(pack[:size]).mask
    for turned in (0, pack[-1].bit):
        rule = Rule(Table.of(rules, size, 0, pack[-1].suit if turned else None, turned))
        assert 1 <= rule.bid(held) <= size


def test_bid_as_the_reference_bot():
    """The bids are those of the reference bot `rule`, but for a few that rounding makes different."""
    random = Random(1)
    equal = 0
    for _ in range(300):
        size = random.randint(2, 13)
        cards = random.sample(CARDS, size + 1)
        turned = cards.pop()
        rules = Rules(4, hands=(size,))
        rule = Rule(Table.of(rules, size, 0, turned.suit, turned.bit))
        view = bluke_sdk.BidView(
            game_id="game",
            seat=0,
            rules=sdk_rules(rules),
            totals=(0, 0, 0, 0),
            hand=0,
            size=size,
            dealer=0,
            trump=None if turned.suit is None else SUITS[turned.suit],
            turned=bluke_sdk.CARDS[turned.index],
            cards=tuple(bluke_sdk.CARDS[card.index] for card in sorted(cards)),
            bids=(None, None, None, None),
            tricks=(),
            tricks_won=(0, 0, 0, 0),
            legal=tuple(range(1, size + 1)),
        )
        equal += rule.bid(CardSet.of(cards).mask) == ReferenceRule().bid(view)
    assert equal >= 290


@pytest.mark.parametrize(
    ("held", "others", "need", "tricks", "led"),
    [
        # An ace while tricks are needed, and the least once the bid is made or lost.
        ("AH 3C", "KH QH 2C", 1, 2, "AH"),
        ("AH 3C", "KH QH 2C", 0, 2, "3C"),
        ("AH 3C", "KH QH 2C", 3, 2, "3C"),
        # Of two the one whose suit is out most.
        ("AH AC 2D", "KH KC QC 3D", 1, 3, "AC"),
        # A trump that nothing beats only if every trick is needed.
        ("HI 3C", "LO 2C 4C", 2, 2, "HI"),
        ("HI 3C", "LO 2C 4C", 1, 2, "3C"),
    ],
)
def test_lead(held, others, need, tricks, led):
    """It leads to what it needs."""
    assert seated(2).lead(mask(held), mask(others), need, tricks) == mask(led)


@pytest.mark.parametrize(
    ("legal", "best", "others", "after", "spare", "played"),
    [
        # Nothing wins: the least goes.
        ("3H 4H", "KH", "", 1, 2, "3H"),
        # Last: as cheaply as it can.
        ("JH QH LO", "TH", "", 0, 2, "JH"),
        ("2S 9S LO", "TH", "", 0, 2, "2S"),
        # Not last: with what nothing is above, or not at all if it can spare the trick.
        ("AH 4H", "TH", "KH QH", 1, 2, "AH"),
        ("JH 4H", "TH", "AH KH QH", 2, 2, "4H"),
        ("JH 4H", "TH", "AH KH QH", 2, 0, "JH"),
        # It ruffs low, and keeps a Bluke that would be all it has to win with.
        ("2S AS 4C", "TH", "KS", 1, 2, "2S"),
        ("LO 4C", "TH", "HI", 1, 2, "4C"),
    ],
)
def test_follow(legal, best, others, after, spare, played):
    """It follows as cheaply as will do."""
    rule = seated(3)
    higher = mask(legal) & rule.table.beats[mask(best).bit_length() - 1]
    assert rule.follow(mask(legal), higher, mask(others), after, spare) == mask(played)
