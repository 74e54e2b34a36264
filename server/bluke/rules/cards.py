"""Cards, suits and sets of cards (RULES 1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["BLUKES", "CARDS", "FULL_PACK", "HI", "LO", "PACK_SIZE", "SUIT_CARDS", "Card", "CardSet", "Suit"]

RANKS = "23456789TJQKA"
PACK_SIZE = 54


class Suit(IntEnum):
    """A suit; `str(suit)` is its letter and `Suit.parse` undoes it (RULES 1.1)."""

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3

    def __str__(self) -> str:
        return "CDHS"[self]

    @classmethod
    def parse(cls, text: str) -> Suit:
        """Read a letter.

        Raises:
            ValueError: it is none of C, D, H, S.
        """
        if len(text) != 1 or text not in "CDHS":
            msg = f"{text!r} is not a suit: C, D, H or S"
            raise ValueError(msg)
        return cls("CDHS".index(text))


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """One card; `str(card)` is its notation (RULES 1.2) and `Card.parse` undoes it.

    Cards compare by index (RULES 1.3), which is not their strength in a trick.

    Raises:
        ValueError: there is no card of that index.
    """

    index: int
    #: The card as a set of one, for the bit masks that `CardSet` hides.
    bit: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.index < PACK_SIZE:
            msg = f"there is no card {self.index}: cards are 0 to {PACK_SIZE - 1}"
            raise ValueError(msg)
        object.__setattr__(self, "bit", 1 << self.index)

    def __str__(self) -> str:
        return NOTATION[self.index]

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read the notation of one card.

        Raises:
            ValueError: it is not a card.
        """
        card = BY_NOTATION.get(text)
        if card is None:
            msg = f"{text!r} is not a card: rank 2-9TJQKA and suit CDHS, such as TD, or LO or HI"
            raise ValueError(msg)
        return card

    @property
    def is_bluke(self) -> bool:
        """Whether it is one of the two jokers."""
        return self.index >= 52

    @property
    def suit(self) -> Suit | None:
        """Its suit; `None` for a Bluke, which has none of its own."""
        return None if self.index >= 52 else Suit(self.index // 13)

    @property
    def rank(self) -> int:
        """0 for a two to 12 for an ace; 13 and 14 for the Lo and the Hi Bluke (RULES 3.1)."""
        return self.index - 39 if self.index >= 52 else self.index % 13


NOTATION = (*(rank + suit for suit in "CDHS" for rank in RANKS), "LO", "HI")
#: All cards in index order; there is no need for others of the same index.
CARDS = tuple(Card(i) for i in range(PACK_SIZE))
BY_NOTATION = dict(zip(NOTATION, CARDS, strict=True))
LO, HI = CARDS[52], CARDS[53]


@dataclass(frozen=True, slots=True)
class CardSet:
    """A set of cards that iterates in index order.

    It holds a mask with bit `index` set for each card, because a hand is asked about for every
    card that is played and a mask answers in one operation.
    """

    mask: int = 0

    @classmethod
    def of(cls, cards: Iterable[Card]) -> CardSet:
        """Make the set of these cards."""
        mask = 0
        for card in cards:
            mask |= card.bit
        return cls(mask)

    def __iter__(self) -> Iterator[Card]:
        return (CARDS[i] for i in self.indices())

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __contains__(self, card: object) -> bool:
        return isinstance(card, Card) and bool(self.mask & card.bit)

    def __and__(self, other: CardSet) -> CardSet:
        return CardSet(self.mask & other.mask)

    def __or__(self, other: CardSet) -> CardSet:
        return CardSet(self.mask | other.mask)

    def __sub__(self, other: CardSet) -> CardSet:
        return CardSet(self.mask & ~other.mask)

    def __str__(self) -> str:
        return " ".join(str(card) for card in self)

    def indices(self) -> list[int]:
        """The indices of its cards, rising."""
        mask = self.mask
        a, b, c, d, e, f = NINES
        return [
            *a[mask & 511],
            *b[mask >> 9 & 511],
            *c[mask >> 18 & 511],
            *d[mask >> 27 & 511],
            *e[mask >> 36 & 511],
            *f[mask >> 45],
        ]


def _listed(first: int) -> tuple[tuple[int, ...], ...]:
    """For every set of the nine cards from index `first` on, as a mask, the indices in it."""
    listed: list[tuple[int, ...]] = [()]
    for index in range(first, first + 9):
        listed += [(*lower, index) for lower in listed]
    return tuple(listed)


#: The pack in six times nine cards: every turn lists two sets, and looking six times is quicker than walking the bits.
NINES = tuple(_listed(first) for first in range(0, PACK_SIZE, 9))

SUIT_CARDS = tuple(CardSet(0x1FFF << 13 * suit) for suit in Suit)
BLUKES = CardSet.of((LO, HI))
FULL_PACK = CardSet((1 << PACK_SIZE) - 1)
