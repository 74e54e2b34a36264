"""Plays by two numbers for each card: the chance that it takes this trick, and that it takes a later one.

Whole numbers only, in thousandths and rounded down, so that the same bot can be written in any
language; it is a pure function of the view. The chances come from counting: a card that this seat
has not seen is as likely to be in one place as in any other.

Sets of cards are whole numbers too, with the bit `1 << index` for each card.
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
#: The cards of each suit by its number, and none for 4, the Blukes, nor for -1, no trump.
OF_SUIT = (*(0x1FFF << 13 * suit for suit in range(4)), 0)
#: For each card those that beat it in a trick of its own suit, but for ruffs: the higher ones, and the Blukes.
ABOVE = (*(OF_SUIT[card // 13] & -2 << card | BLUKES for card in range(52)), 1 << 53, 0)


@cache
def misses(drawn: int, hidden: int) -> tuple[int, ...]:
    """The chances that `drawn` cards out of `hidden` hold none of 0, 1, 2 ... 15 marked ones, in thousandths."""
    chances = []
    chance = 1_000_000
    for marked in range(16):
        chances.append(chance // 1000)
        left = hidden - drawn - marked
        chance = chance * left // (hidden - marked) if left > 0 else 0
    return tuple(chances)


@cache
def at_all(seats: int, one: int) -> int:
    """The chance of what has the chance `one` with one seat to come about with all of `seats`, in thousandths."""
    chance = SURE
    for _ in range(seats):
        chance = chance * one // SURE
    return chance


class Sight:
    """What one seat makes of the cards that it cannot see.

    Attributes:
        hidden: the cards that are neither held nor turned up nor played.
        count: how many they are.
        trump: number of the trump suit, -1 for none.
        trumps: how many hidden cards are of it.
        others: number of the other seats.
    """

    __slots__ = ("count", "hidden", "others", "trump", "trumps")

    def __init__(self, view: bluke_sdk.View) -> None:
        """Take in a view."""
        seen = 0 if view.turned is None else 1 << view.turned.index
        for card in view.cards:
            seen |= 1 << card.index
        for trick in view.tricks:
            for card in trick.cards:
                seen |= 1 << card.index
        self.hidden = ~seen & (1 << 54) - 1
        self.count = self.hidden.bit_count()
        self.trump = -1 if view.trump is None else SUITS[view.trump]
        self.trumps = self.of_suit(self.trump)
        self.others = view.rules.seats - 1

    def of_suit(self, suit: int) -> int:
        """How many hidden cards are of a suit."""
        return (self.hidden & OF_SUIT[suit]).bit_count()

    def above(self, card: int) -> int:
        """How many hidden cards beat `card` in a trick of its own suit, but for ruffs."""
        return (self.hidden & ABOVE[card]).bit_count()

    def stands(self, card: int, led: int, seats: int, held: int) -> int:
        """The chance that none of `seats` seats with `held` cards each will beat `card`, in thousandths.

        Args:
            card: index of a card that is winning the trick.
            led: number of the suit led.
            seats: how many seats are still to play.
            held: how many cards each of them holds.
        """
        suit, trump, count = card // 13, self.trump, self.count
        above = self.above(card)
        if suit == 4 or suit == trump == led:
            return misses(seats * held, count)[above]
        # A seat that has none of the suit led may ruff; of a trump, only such a seat may play a better one.
        of_led = self.of_suit(led)
        chances = misses(held, count)
        one, void = chances[above], chances[of_led]
        if suit == trump:
            one = SURE - void * (SURE - one) // SURE
        elif trump >= 0:
            trumpless = misses(held, count - of_led)[self.trumps]
            ruff = void * (SURE - trumpless) // SURE
            one = one - ruff if one > ruff else 0
        return at_all(seats, one)

    def worth(self, card: int, held: int) -> int:
        """The chance that `card` takes a trick when every other seat holds `held` cards, in thousandths."""
        suit = card // 13
        chance = self.stands(card, suit, self.others, held)
        return max(chance, TRUMP_WORTH + TRUMP_STEP * (card % 13)) if suit == self.trump else chance


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
        legal = view.legal
        if len(legal) == 1:
            return legal[0]
        sight = Sight(view)
        held, after, trick = len(view.cards), sight.others, view.trick
        led, winning, trump = None, None, view.trump
        if trick:
            after -= len(trick.cards)
            led, winning = trick.cards[0], view.winning
        idle = not trick and not 0 < view.needed <= held
        best, best_gain = legal[0], -SURE - 1
        for card in legal:
            index = card.index
            if idle or (winning and not card.beats(winning[1], trump)):
                now = 0
            else:
                now = sight.stands(index, (led or card).index // 13, after, held)
            gain = now - sight.worth(index, held - 1)
            # Seldom equal: to look at the rank then costs less than to sort the cards first.
            if gain > best_gain or (gain == best_gain and (card.rank, index) < (best.rank, best.index)):
                best, best_gain = card, gain
        return best


if __name__ == "__main__":
    bluke_sdk.run(Rule)
