"""Plays out whole hands fast: sets of cards are whole numbers with one bit for each card.

The cards are renumbered so that the trump suit comes last of the suits. Then the cards that beat
every card of another suit, the trumps and the Blukes or the Blukes alone, are the highest bits,
and among them the higher bit is always the stronger card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bluke_sdk import BlukeLed, Rules, Suit, Variant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bluke_sdk import Card

__all__ = ["Deal", "play_out"]

PACK = (1 << 54) - 1
SUIT = 0x1FFF
SUIT_MASKS = (SUIT, SUIT << 13, SUIT << 26, SUIT << 39)
BLUKES = 3 << 52
SUIT_OF = (*(i // 13 for i in range(52)), 4, 4)


@dataclass(frozen=True, slots=True)
class Deal:
    """What the playouts of one hand have in common.

    Attributes:
        size: cards of each seat.
        leader: the seat that leads first.
        out: the cards that may turn up in play, all but the one turned up.
        top: the lowest bit of those that beat every other suit.
        follow: for each suit led, and a Bluke led at the end: the cards that bind a seat that
            holds any of them, and those that it may then play.
        order: the new number of each card by its index.
    """

    size: int
    leader: int
    out: int
    top: int
    follow: tuple[tuple[int, int], ...]
    order: tuple[int, ...]

    @classmethod
    def make(cls, rules: Rules, size: int, leader: int, trump: Suit | None, turned: Card | None) -> Deal:
        """Renumber the cards for a trump, and note what the rules ask for."""
        order = list(range(54))
        if trump is not None:
            first = 13 * list(Suit).index(trump)
            order[first : first + 13], order[39:52] = range(39, 52), range(first, first + 13)
        top = 52 if trump is None else 39
        strong = PACK >> top << top
        trumps = strong & ~BLUKES
        if rules.variant is Variant.NEW_JERSEY:
            follow = [(mask, mask) for mask in SUIT_MASKS]
            follow.append((strong, strong))
            if trump is not None:
                follow[3] = follow[4]
        else:
            follow = [(mask, mask | BLUKES) for mask in SUIT_MASKS]
            follow.append((trumps, trumps | BLUKES) if rules.bluke_led is BlukeLed.TRUMP and trumps else (0, PACK))
        out = PACK if turned is None else PACK ^ 1 << order[turned.index]
        return cls(size, leader, out, top, tuple(follow), tuple(order))

    def bits(self, cards: Iterable[Card]) -> int:
        """Make a set of cards."""
        return sum(1 << self.order[card.index] for card in cards)


def play_out(deal: Deal, hands: list[int]) -> list[int]:
    """Play a hand to its end, every seat by the same plain habits; uses up `hands`.

    Leads its highest card of a side suit in which nothing higher is out, else its least; takes the
    trick as cheaply as it can when it is last, before that with what nothing out can beat, or by
    ruffing low; throws its least card otherwise, and keeps Blukes for the end of a trick.

    Returns:
        The tricks that each seat takes.
    """
    seats = len(hands)
    taken = [0] * seats
    out, top, follow = deal.out, deal.top, deal.follow
    strong = PACK >> top << top
    leader = deal.leader
    for _ in range(deal.size):
        seat = leader
        held = hands[seat]
        card = _lead(held, out & ~held, top)
        best = card.bit_length() - 1
        suit = SUIT_OF[best]
        binding, allowed = follow[suit]
        of_suit = SUIT_MASKS[suit] if suit < 4 else 0
        hands[seat] = held ^ card
        out ^= card
        for after in range(seats - 2, -1, -1):
            seat += 1
            if seat == seats:
                seat = 0
            held = hands[seat]
            legal = held & allowed if held & binding else held
            if not legal & legal - 1:
                card = legal
            else:
                higher = legal >> best + 1 << best + 1
                if best < top:
                    higher &= of_suit | strong
                if not higher:
                    card = _least(legal, top)
                elif not after:
                    card = higher & -higher
                else:
                    card = _contest(legal, higher, of_suit if best < top else 0, out & ~held, top)
            hands[seat] = held ^ card
            out ^= card
            number = card.bit_length() - 1
            # A higher bit wins, but for one of a side suit that was not led.
            if number > best and (number >= top or card & of_suit):
                best, leader = number, seat
        taken[leader] += 1
    return taken


def _lead(held: int, others: int, top: int) -> int:
    for first in range(0, min(top, 51), 13):
        mine = held >> first & SUIT
        if mine > (others >> first & SUIT):
            return 1 << first + mine.bit_length() - 1
    return _least(held, top)


def _contest(legal: int, higher: int, side: int, others: int, top: int) -> int:
    """Choose where some legal cards would win so far (`higher`) but seats are still to play."""
    in_suit = higher & side
    if in_suit:
        highest = 1 << in_suit.bit_length() - 1
        return highest if highest > others & side else _least(legal & side, top)
    trumps = higher & ~BLUKES
    if not trumps:
        rest = legal & ~BLUKES
        return _least(rest, top) if rest else legal & -legal
    if side:
        return trumps & -trumps
    highest = 1 << trumps.bit_length() - 1
    if highest > others or not legal & (1 << top) - 1:
        return highest
    return _least(legal, top)


def _least(cards: int, top: int) -> int:
    """The card of lowest rank outside trumps and Blukes, else the lowest of all."""
    least, rank = 0, 14
    for first in range(0, min(top, 51), 13):
        mine = cards >> first & SUIT
        if mine:
            low = mine & -mine
            if low.bit_length() < rank:
                rank = low.bit_length()
                least = low << first
    return least or cards & -cards
