from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rules import naive
from rules.helpers import cards, texts, vectors

from bluke.rules import CARDS, BlukeLed, CardSet, Rules, Suit, Variant, legal_plays, trick_winner
from bluke.rules.tricks import weakest

LEGAL = vectors("legal_plays")["cases"]
TRICKS = vectors("tricks")["cases"]

trumps = st.none() | st.sampled_from(Suit)
card_sets = st.sets(st.sampled_from(CARDS), min_size=1)
all_rules = [Rules(variant=variant, bluke_led=bluke_led) for variant in Variant for bluke_led in BlukeLed]


def suit(text: str | None) -> Suit | None:
    return None if text is None else Suit.parse(text)


@pytest.mark.parametrize("case", LEGAL, ids=lambda case: f"{case['variant']}-{case['led']}-{' '.join(case['hand'])}")
def test_follow(case):
    """What may be played is what the vectors say (RULES 6)."""
    rules = Rules(variant=Variant(case["variant"]), bluke_led=BlukeLed(case["bluke_led"]))
    (led,) = cards([case["led"]]) if case["led"] else (None,)
    held = CardSet.of(cards(case["hand"]))
    assert texts(legal_plays(held, led, suit(case["trump"]), rules)) == case["legal"]


@pytest.mark.parametrize("case", TRICKS, ids=lambda case: f"{case['trump']}-{' '.join(case['cards'])}")
def test_take_a_trick(case):
    """The trick goes to whom the vectors say (RULES 1.4)."""
    assert trick_winner(cards(case["cards"]), suit(case["trump"])) == case["winner"]


@given(card_sets, st.none() | st.sampled_from(CARDS), trumps, st.sampled_from(all_rules))
@settings(max_examples=1000)
def test_follow_as_the_text_says(held, led, trump, rules):
    """Something may always be played, from the hand only, and it is what the text of RULES 6 says."""
    legal = legal_plays(CardSet.of(held), led, trump, rules)
    assert legal
    assert legal - CardSet.of(held) == CardSet()
    assert texts(legal) == naive.legal(
        texts(sorted(held)),
        None if led is None else str(led),
        None if trump is None else str(trump),
        rules.variant.value,
        rules.bluke_led.value,
    )


@given(st.lists(st.sampled_from(CARDS), min_size=1, max_size=15, unique=True), trumps)
@settings(max_examples=1000)
def test_take_a_trick_as_the_text_says(played, trump):
    """The strongest card by RULES 1.4 takes the trick, and only the led card's place matters, not the others' order."""
    won = trick_winner(played, trump)
    assert won == naive.winner(texts(played), None if trump is None else str(trump))
    turned = [played[0], *reversed(played[1:])]
    assert turned[trick_winner(turned, trump)] == played[won]


def test_hold_nothing():
    """An empty hand has nothing to play."""
    assert legal_plays(CardSet(), CARDS[0], Suit.CLUBS, Rules()) == CardSet()


# New Jersey

NEW_JERSEY = Rules(variant=Variant.NEW_JERSEY)


def legal(held: str, led: str, trump: Suit | None, rules: Rules) -> str:
    return str(legal_plays(CardSet.of(cards(held)), cards(led)[0], trump, rules))


def test_follow_trumps_with_a_bluke_in_new_jersey():
    """Spades are led and are trump: a seat whose only trump is a Bluke must play it (RULES 6.4)."""
    assert legal("2H 9C LO", "5S", Suit.SPADES, NEW_JERSEY) == "LO"
    assert legal("2H 9C AS LO", "5S", Suit.SPADES, NEW_JERSEY) == "AS LO"


def test_follow_a_plain_suit_in_new_jersey():
    """Hearts are led and spades trump: a seat with a heart must play it and may not play its Bluke (RULES 6.4)."""
    assert legal("2H 9S HI", "AH", Suit.SPADES, NEW_JERSEY) == "2H"
    assert legal("2C 9S HI", "AH", Suit.SPADES, NEW_JERSEY) == "2C 9S HI"


@pytest.mark.parametrize("led", ["LO", "HI"])
def test_follow_a_bluke_without_trump_in_new_jersey(led):
    """Without trump the Blukes are a suit of their own: a led one asks for the other (RULES 6.4)."""
    other = "HI" if led == "LO" else "LO"
    assert legal(f"2H AS {other}", led, None, NEW_JERSEY) == other
    assert legal("2H AS", led, None, NEW_JERSEY) == "2H AS"


def test_follow_a_suit_without_trump_in_new_jersey():
    """Without trump a Bluke follows no other suit and may be thrown in only by a seat that has none of it."""
    assert legal("2H AS LO", "KH", None, NEW_JERSEY) == "2H"
    assert legal("AS LO HI", "KH", None, NEW_JERSEY) == "AS LO HI"
    assert trick_winner(cards("KH AH LO"), None) == 2


def test_lead_a_bluke_that_calls_for_trumps():
    """With `bluke_led: trump` a seat with a trump plays a trump or a Bluke; Blukes alone bind nobody (RULES 6.3)."""
    trump = Rules(bluke_led=BlukeLed.TRUMP)
    assert legal("2H 9C 3S LO", "HI", Suit.SPADES, trump) == "3S LO"
    assert legal("2H 9C LO", "HI", Suit.SPADES, trump) == "9C 2H LO"
    assert legal("2H 9C LO", "HI", None, trump) == "9C 2H LO"
    assert legal("2H 9C 3S LO", "HI", Suit.SPADES, Rules()) == "9C 2H 3S LO"


def test_choose_the_bluke_instead_of_following():
    """A published example: the 6D may stay in the hand for the Lo Bluke, which a trump then cannot beat."""
    assert legal("6D 4C LO", "JD", Suit.SPADES, Rules()) == "6D LO"
    assert trick_winner(cards("JD KD LO 2S"), Suit.SPADES) == 2
    assert trick_winner(cards("JD KD LO HI"), Suit.SPADES) == 3


# The weakest card


@given(card_sets, st.none() | st.sampled_from(CARDS), trumps)
@settings(max_examples=500)
def test_choose_the_weakest_card(held, led, trump):
    """The weakest card is the lowest of those that take no trick, then of the suit led, of trumps, of the Blukes."""

    def strength(card):
        text = str(card)
        trumps = trump is not None and naive.is_of_suit(text, str(trump))
        follows = led is None or naive.is_of_suit(text, str(led)[1])
        counts = card.is_bluke or trumps or follows
        return card.is_bluke, trumps, counts, naive.height(text) if counts else 0, card.index

    assert weakest(CardSet.of(held), led, trump) == min(held, key=strength)


@pytest.mark.parametrize(
    ("held", "led", "trump", "expected"),
    [
        ("5C 2S LO", None, Suit.SPADES, "5C"),
        ("5C 5D 9H", None, Suit.SPADES, "5C"),
        ("AC 2S HI", "KC", Suit.SPADES, "AC"),
        ("AD 2S HI", "KC", Suit.SPADES, "AD"),
        ("AD 2H", "KC", None, "AD"),
        ("LO HI", "KC", None, "LO"),
        ("AS 2S", "HI", Suit.SPADES, "2S"),
        ("AD 2H KC", "LO", None, "KC"),
    ],
)
def test_choose_the_weakest_card_of_some(held, led, trump, expected):
    """Cards that can take no trick come first, ties by card index; then the suit led, trumps, the Lo and the Hi."""
    (lead,) = cards([led]) if led else (None,)
    assert str(weakest(CardSet.of(cards(held)), lead, trump)) == expected
