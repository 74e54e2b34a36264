"""What may be played on a trick, and who takes it (RULES 1.4, 6)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from bluke.rules.cards import BLUKES, CARDS, FULL_PACK, SUIT_CARDS, Card, CardSet, Suit
from bluke.rules.options import BlukeLed, Rules, Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Follow", "follow_table", "legal_plays", "strength_tables", "trick_winner", "weakest"]

#: For each card led: the cards that bind a seat that holds any of them, and those it may then play, as masks.
Follow = tuple[int, int]

#: The row of `strength_tables` for a trick that a Bluke led: no suit is led.
NO_SUIT_LED = 4


@cache
def follow_table(variant: Variant, bluke_led: BlukeLed, trump: Suit | None) -> tuple[Follow, ...]:
    """What each led card asks for, by card index (RULES 6.2 to 6.4)."""
    return tuple(_follow(card, variant, bluke_led, trump) for card in CARDS)


def _follow(led: Card, variant: Variant, bluke_led: BlukeLed, trump: Suit | None) -> Follow:
    anything = (0, FULL_PACK.mask)
    trumps = CardSet() if trump is None else SUIT_CARDS[trump]
    if variant is Variant.NEW_JERSEY:
        if led.suit is None or led.suit == trump:
            asked = (trumps | BLUKES).mask
            return asked, asked
        asked = SUIT_CARDS[led.suit].mask
        return asked, asked
    if led.suit is not None:
        return SUIT_CARDS[led.suit].mask, (SUIT_CARDS[led.suit] | BLUKES).mask
    if bluke_led is BlukeLed.TRUMP and trump is not None:
        return trumps.mask, (trumps | BLUKES).mask
    return anything


def legal_plays(held: CardSet, led: Card | None, trump: Suit | None, rules: Rules) -> CardSet:
    """The cards of `held` that may be played when `led` was led, or led when it is `None`.

    Never empty unless `held` is.
    """
    if led is None:
        return held
    binding, allowed = follow_table(rules.variant, rules.bluke_led, trump)[led.index]
    return CardSet(held.mask & allowed) if held.mask & binding else held


@cache
def strength_tables(trump: Suit | None) -> tuple[tuple[int, ...], ...]:
    """The strength of each card by the suit led, `NO_SUIT_LED` for none (RULES 1.4).

    Rows 0 to 4, columns by card index. Cards that can take no trick have strength 0.
    """
    return tuple(tuple(_strength(card, trump, led) for card in CARDS) for led in (*Suit, None))


def _strength(card: Card, trump: Suit | None, led: Suit | None) -> int:
    if card.suit is None:
        return 100 + card.rank
    if card.suit == trump:
        return 50 + card.rank
    return 1 + card.rank if card.suit == led else 0


def trick_winner(cards: Sequence[Card], trump: Suit | None) -> int:
    """Which of the cards of a whole trick takes it, as an index into `cards` in the order played."""
    led = cards[0].suit
    strength = strength_tables(trump)[NO_SUIT_LED if led is None else led]
    return max(range(len(cards)), key=lambda i: (strength[cards[i].index], -i))


def weakest(legal: CardSet, led: Card | None, trump: Suit | None) -> Card:
    """The weakest of the legal cards by RULES 1.4, ties by card index.

    A card that would be led is weighed as a card of the suit led, which it then is.
    """
    tables = strength_tables(trump)

    def strength(card: Card) -> int:
        suit = (card if led is None else led).suit
        return tables[NO_SUIT_LED if suit is None else suit][card.index]

    return min(legal, key=lambda card: (strength(card), card.index))
