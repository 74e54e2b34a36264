"""Cards and suits."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

__all__ = ["CARDS", "HI", "LO", "Card", "Suit"]

RANKS = "23456789TJQKA"
SUITS = "CDHS"


class Suit(Enum):
    """A suit; `str(suit)` is its letter and `Suit("H")` undoes it.

    Every suit is true, so `if view.trump:` asks whether there is one.
    """

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Card:
    """One card; `str(card)` is its notation (`9H`, `TD`, `LO`, `HI`) and `Card.parse` undoes it.

    Cards compare by index, which is not their strength in a trick: ask `beats` for that.

    Attributes:
        index: 0 to 53 in the order `2C … AC 2D … AD 2H … AH 2S … AS LO HI`.
        suit: its suit; `None` for a Bluke.
        rank: 0 for a two to 12 for an ace; 13 and 14 for the Lo and the Hi Bluke.
    """

    index: int
    suit: Suit | None = field(init=False, compare=False)
    rank: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.index <= 53:
            raise ValueError(f"there is no card {self.index}: cards are 0 to 53")
        suit, rank = divmod(self.index, 13)
        bluke = suit == 4
        object.__setattr__(self, "suit", None if bluke else Suit(SUITS[suit]))
        object.__setattr__(self, "rank", 13 + rank if bluke else rank)

    def __str__(self) -> str:
        return NOTATION[self.index]

    def __repr__(self) -> str:
        return f"Card.parse({NOTATION[self.index]!r})"

    def __hash__(self) -> int:
        return self.index

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read the notation of one card.

        Raises:
            ValueError: it is not a card.
        """
        card = BY_NOTATION.get(text)
        if card is None:
            raise ValueError(f"{text!r} is not a card: rank 2-9TJQKA and suit CDHS, such as TD, or LO or HI")
        return card

    @property
    def is_bluke(self) -> bool:
        """Whether it is one of the two jokers."""
        return self.index >= 52

    def beats(self, best: Card, trump: Suit | None) -> bool:
        """Whether this card, played later, takes a trick that `best` would take so far.

        Args:
            best: the card that is winning, which is of the suit led, a trump or a Bluke.
            trump: the trump of the hand, if any.
        """
        suit = self.suit
        if suit is best.suit:
            return self.index > best.index
        # Of two cards that differ in this, one may be a Bluke.
        return suit is None or (suit is trump and best.suit is not None)


NOTATION = (*(rank + suit for suit in SUITS for rank in RANKS), "LO", "HI")
#: All cards in index order; there is no need for others of the same index.
CARDS = tuple(Card(index) for index in range(54))
BY_NOTATION = dict(zip(NOTATION, CARDS, strict=True))
LO, HI = CARDS[52], CARDS[53]
