"""Plays by two numbers for each card: the chance that it takes this trick, and that it takes a later one.

Whole numbers only, in thousandths and rounded down, so that the same bot can be written in any
language; it is a pure function of the view. The chances come from counting: a card that this seat
has not seen is as likely to be in one place as in any other.
"""

from __future__ import annotations

from functools import cache

import bluke_sdk

SURE = 1000
#: The least that a trump is worth, the two and each rank above it: it may ruff, or be left over in the end.
TRUMP_WORTH, TRUMP_STEP = 300, 40
#: Added to the worth of a hand before it is rounded down to a bid, for tricks that low cards take.
LUCK = 400

BLUKES = 3 << 52
SUITS = {suit: number for number, suit in enumerate(bluke_sdk.Suit)}


def mask(cards: tuple[bluke_sdk.Card, ...]) -> int:
    """The cards as a set: bit `index` for each."""
    bits = 0
    for card in cards:
        bits |= 1 << card.index
    return bits


@cache
def miss(marked: int, drawn: int, hidden: int) -> int:
    """The chance that `drawn` cards out of `hidden` hold none of the `marked` ones, in thousandths."""
    chance = 1_000_000
    for i in range(marked):
        left = hidden - drawn - i
        if left <= 0:
            return 0
        chance = chance * left // (hidden - i)
    return chance // 1000


class Sight:
    """What one seat makes of the cards that it cannot see.

    Attributes:
        hidden: the cards that are neither held nor turned up nor played, as bits by index.
        count: how many they are.
        trump: number of the trump suit, -1 for none.
        others: number of the other seats.
    """

    __slots__ = ("count", "hidden", "others", "trump")

    def __init__(self, view: bluke_sdk.View) -> None:
        """Take in a view."""
        seen = mask(view.cards)
        if view.turned is not None:
            seen |= 1 << view.turned.index
        for trick in view.tricks:
            seen |= mask(trick.cards)
        self.hidden = ~seen & (1 << 54) - 1
        self.count = self.hidden.bit_count()
        self.trump = -1 if view.trump is None else SUITS[view.trump]
        self.others = view.rules.seats - 1

    def of_suit(self, suit: int) -> int:
        """How many hidden cards are of a suit."""
        return (self.hidden >> 13 * suit & 0x1FFF).bit_count()

    def above(self, card: int) -> int:
        """How many hidden cards beat `card` in a trick of its own suit, but for ruffs."""
        if card >= 52:
            return (self.hidden >> card + 1).bit_count()
        end = card - card % 13 + 13
        higher = self.hidden & (1 << end) - (2 << card) | self.hidden & BLUKES
        return higher.bit_count()

    def stands(self, card: int, led: int, seats: int, held: int) -> int:
        """The chance that none of `seats` seats with `held` cards each will beat `card`, in thousandths.

        Args:
            card: index of a card that is winning the trick.
            led: number of the suit led.
            seats: how many seats are still to play.
            held: how many cards each of them holds.
        """
        suit = card // 13
        above = self.above(card)
        if suit == 4 or suit == self.trump == led:
            return miss(above, seats * held, self.count)
        # A seat that has none of the suit led may ruff; of a trump, only such a seat may play a better one.
        void = miss(self.of_suit(led), held, self.count)
        if suit == self.trump:
            one = SURE - void * (SURE - miss(above, held, self.count)) // SURE
        else:
            one = miss(above, held, self.count)
            if self.trump >= 0:
                trumps = miss(self.of_suit(self.trump), held, self.count - self.of_suit(led))
                one = max(0, one - void * (SURE - trumps) // SURE)
        chance = SURE
        for _ in range(seats):
            chance = chance * one // SURE
        return chance

    def worth(self, card: int, held: int) -> int:
        """The chance that `card` takes a trick when every other seat holds `held` cards, in thousandths."""
        suit, rank = divmod(card, 13)
        chance = self.stands(card, suit, self.others, held)
        return max(chance, TRUMP_WORTH + TRUMP_STEP * rank) if suit == self.trump else chance


class Rule(bluke_sdk.Bot):
    """Bids what its cards are worth, and spends the card that gives most for what it would be worth later."""

    name = "rule"

    def bid(self, view: bluke_sdk.BidView) -> int:
        """Add up what the cards are worth."""
        sight = Sight(view)
        worth = sum(sight.worth(card.index, view.size) for card in view.cards)
        return min(max((worth + LUCK) // SURE, 1), view.size)

    def play(self, view: bluke_sdk.PlayView) -> bluke_sdk.Card:
        """Choose the card whose chance now exceeds its worth later by most; the weaker one of equals.

        So the last seat to play takes a trick with its cheapest winner, and where nothing can win
        the least useful card goes. A seat that leads and needs no trick lets go of its least useful
        card too: what is strong is kept to stop others.
        """
        if len(view.legal) == 1:
            return view.legal[0]
        sight = Sight(view)
        held = len(view.cards)
        after = len(view.seats_after)
        led, winning = view.led, view.winning
        idle = led is None and not 0 < view.needed <= held
        best, best_gain = view.legal[0], -SURE - 1
        for card in sorted(view.legal, key=lambda card: (card.rank, card.index)):
            suit = (card if led is None else led).index // 13
            if idle or (winning is not None and not card.beats(winning[1], view.trump)):
                now = 0
            else:
                now = sight.stands(card.index, suit, after, held)
            gain = now - sight.worth(card.index, held - 1)
            if gain > best_gain:
                best, best_gain = card, gain
        return best


if __name__ == "__main__":
    bluke_sdk.run(Rule)
