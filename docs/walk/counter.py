"""Counts the tricks that its cards are good for, and takes those it needs as cheaply as it can."""

from __future__ import annotations

import bluke_sdk

#: Tricks that an ace and a king of a side suit are good for.
SIDE = {12: 0.6, 11: 0.3}


class Counter(bluke_sdk.Bot):
    """A first bot that means to win: it counts, and remembers nothing."""

    name = "counter"

    def bid(self, view: bluke_sdk.BidView) -> int:
        """Bid the tricks that were counted."""
        counted = sum(self.worth(card, view) for card in view.cards)
        self.note(f"counts {counted:.1f} tricks")
        return min(max(1, round(counted)), view.size)

    def play(self, view: bluke_sdk.PlayView) -> bluke_sdk.Card:
        """Take the trick if one is needed, and let the weakest card go if not."""
        cards = sorted(view.legal, key=lambda card: self.strength(card, view))
        if view.trick is None:
            return cards[-1] if view.needed else cards[0]
        best = view.led
        takers = [card for card in cards if card.beats(best, view.trump)]
        if not takers or not view.needed:
            return cards[0]
        if view.seats_after:
            return takers[-1]
        self.note(f"last to play, {takers[0]} beats {best}: {view.needed - 1} to go")
        return takers[0]

    @staticmethod
    def worth(card: bluke_sdk.Card, view: bluke_sdk.View) -> float:
        """Tricks that a card is good for."""
        if card.is_bluke:
            return 1
        if card.suit is view.trump:
            return 0.3 + card.rank / 20
        return SIDE.get(card.rank, 0)

    @staticmethod
    def strength(card: bluke_sdk.Card, view: bluke_sdk.View) -> tuple[bool, int]:
        """What a card is kept for: Blukes and trumps above all side suits, then by rank."""
        return card.is_bluke or card.suit is view.trump, card.rank


bluke_sdk.run(Counter)
