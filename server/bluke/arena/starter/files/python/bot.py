"""A first bot: it bids its strong cards, and takes tricks while it needs them."""

from __future__ import annotations

import bluke_sdk


class Starter(bluke_sdk.Bot):
    """One is made for each seat in each game: what it keeps in `self` is the memory of one seat."""

    name = "@name@"

    def bid(self, view: bluke_sdk.BidView) -> int:
        """Count Blukes, aces, and trumps from the ten up. The bids before yours, `view.bids`, could say more."""
        strong = [card for card in view.cards if card.rank >= (8 if card.suit == view.trump else 12)]
        self.note(f"strong: {len(strong)}")  # notes are shown in the replay
        return max(1, len(strong))

    def play(self, view: bluke_sdk.PlayView) -> bluke_sdk.Card:
        """Win if a trick is needed, else throw the weakest card. It forgets what was played: `view.tricks` has it."""

        def strength(card: bluke_sdk.Card) -> int:
            return card.rank + (13 if card.is_bluke or card.suit == view.trump else 0)

        cards = sorted(view.legal, key=strength)
        winners = [card for card in cards if view.winning is None or card.beats(view.winning[1], view.trump)]
        if view.needed and winners:
            return winners[-1] if view.seats_after else winners[0]
        return cards[0]


if __name__ == "__main__":
    bluke_sdk.run(Starter)
