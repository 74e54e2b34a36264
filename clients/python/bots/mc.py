"""Plays as `rule` does, but bids by dealing the cards that it cannot see many times and playing each deal out."""

from __future__ import annotations

import bluke_sdk
from bots.chance import chance
from bots.playout import PACK, Deal, play_out
from bots.rule import Rule


class MonteCarlo(Rule):
    """The bid with the best mean score over sampled deals.

    A deal is sampled by shuffling the unseen cards. Each is played in every rotation of the other
    seats' hands: that costs no more dealing and evens out who sits where.
    """

    name = "mc"
    #: Deals that are sampled for one bid.
    deals = 40

    def bid(self, view: bluke_sdk.BidView) -> int:
        """Play the sampled deals out and choose the bid that would have scored best; the lower of equals."""
        counts = self.tricks(view)
        self.note("tricks taken in playouts: " + " ".join(map(str, counts)))
        return max(view.legal, key=lambda bid: (score(bid, counts), -bid))

    def tricks(self, view: bluke_sdk.BidView) -> list[int]:
        """Count in how many playouts this seat takes 0, 1, … `view.size` tricks."""
        seats, size, me = view.rules.seats, view.size, view.seat
        deal = Deal.make(view.rules, size, (view.dealer + 1) % seats, view.trump, view.turned)
        mine = deal.bits(view.cards)
        unseen = [1 << i for i in range(54) if (deal.out & ~mine & PACK) >> i & 1]
        roll = chance(view).random
        counts = [0] * (size + 1)
        for _ in range(self.deals):
            others = []
            at = 0
            for _ in range(seats - 1):
                hand = 0
                for i in range(at, at + size):
                    j = i + int(roll() * (len(unseen) - i))
                    unseen[i], unseen[j] = unseen[j], unseen[i]
                    hand |= unseen[i]
                others.append(hand)
                at += size
            for first in range(seats - 1):
                hands = others[first:] + others[:first]
                hands.insert(me, mine)
                counts[play_out(deal, hands)[me]] += 1
        return counts


def score(bid: int, counts: list[int]) -> int:
    """What `bid` would have scored in all playouts together (RULES 7)."""
    return sum(count * (10 * bid + tricks - bid if tricks >= bid else -10 * bid) for tricks, count in enumerate(counts))


if __name__ == "__main__":
    bluke_sdk.run(MonteCarlo)
