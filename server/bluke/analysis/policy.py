"""How the seats of a sampled deal are taken to bid and play: policies, by name.

A policy sees what a seat sees and nothing else: its own cards, those that may be in other hands, what it needs.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, NamedTuple, Protocol

from bluke.analysis.playout import JOKERS, Table
from bluke.rules.cards import PACK_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["POLICIES", "Policy", "Rule"]

#: The least that a trump is worth: it may ruff, or be left over in the end. The two, and each rank above it.
TRUMP_WORTH, TRUMP_STEP = 0.30, 0.04
#: Added to the worth of a hand before it is rounded down to a bid, for tricks that low cards take.
LUCK = 0.4
#: How many better cards of the suit led may be out, times the seats still to play, for a seat to try its best one.
DARING = 3


class Policy(Protocol):
    """One way to bid and to play, at one table; sets of cards are bit masks."""

    @property
    def table(self) -> Table:
        """The table."""

    def bid(self, held: int) -> int:
        """Bid with these cards."""

    def lead(self, held: int, others: int, need: int, tricks: int) -> int:
        """Choose one of several cards to lead.

        Args:
            held: the cards of the seat.
            others: the cards that may be in other hands.
            need: tricks that its bid lacks, 0 or less if it is made.
            tricks: tricks that are left.
        """

    def follow(self, legal: int, higher: int, others: int, after: int, spare: int) -> int:
        """Choose one of several legal cards for a trick that has begun.

        Args:
            legal: the cards.
            higher: those of them that would win the trick so far.
            others: the cards that may be in other hands.
            after: how many seats are still to play.
            spare: how many of the tricks that are left the seat can do without.
        """


class Crowd(NamedTuple):
    """Who else plays: other seats, cards of each, and the cards that a seat has not seen before the first trick."""

    seats: int
    size: int
    hidden: int


class Rule:
    """Bids by adding up what each card is worth, and plays to what it still needs.

    It leads what nothing can beat but a ruff while it needs tricks, and else lets go of its least card; last to play
    it takes the trick as cheaply as it can, and before that if it is likely to keep it.
    """

    def __init__(self, table: Table) -> None:
        """Look at the table."""
        self.table = table
        self._strong = table.strong
        self._sides = table.sides
        self._crowd = Crowd(table.seats - 1, table.size, PACK_SIZE - table.size - table.turned.bit_count())

    def bid(self, held: int) -> int:
        """Add up the chances of the cards to take a trick."""
        unseen = self._strong & ~held & ~self.table.turned
        jokers = (unseen & JOKERS).bit_count()
        trumps = unseen.bit_count() - jokers
        crowd = self._crowd
        worth = LUCK + _worth_of_strong(crowd, held & self._strong, unseen)
        for suit in self._sides:
            if held & suit:
                worth += _worth_of_side(crowd, trumps, jokers, held & suit, suit)
        return min(max(int(worth), 1), crowd.size)

    def lead(self, held: int, others: int, need: int, tricks: int) -> int:
        """Lead a side suit's card that nothing is above, while tricks are needed; else let go of the least."""
        if 0 < need <= tricks:
            best, most = 0, -1
            for suit in self._sides:
                mine = held & suit
                theirs = others & suit
                # The more of the suit is out, the less likely is a ruff.
                if mine > theirs and theirs.bit_count() > most:
                    best, most = mine, theirs.bit_count()
            if best:
                return 1 << best.bit_length() - 1
            strong = held & self._strong
            if strong > others & self._strong and (need == tricks or strong == held):
                return 1 << strong.bit_length() - 1
        return self._least(held)

    def follow(self, legal: int, higher: int, others: int, after: int, spare: int) -> int:
        """Take the trick with the least that will do, if that is likely to; else throw the least."""
        if not higher:
            return self._least(legal)
        strong = self._strong
        weak = legal & ~strong
        in_suit = higher & ~strong
        if not after:
            cards = in_suit or higher
            return cards & -cards
        if not in_suit and weak and higher & ~JOKERS:
            # Seldom does another seat ruff higher.
            return higher & -higher
        top = 1 << (in_suit or higher).bit_length() - 1
        above = others & self.table.beats[top.bit_length() - 1]
        takes = (above & ~strong).bit_count() * after <= DARING if in_suit else not above
        if takes or spare <= 0:
            return top
        return self._least(weak if in_suit else legal & ~JOKERS or legal)

    def _least(self, cards: int) -> int:
        """The card of lowest rank outside trumps and Blukes, else the weakest of all."""
        least, rank = 0, 14
        for suit in self._sides:
            mine = cards & suit
            if mine:
                low = mine & -mine
                its = (low.bit_length() - 1) % 13
                if its < rank:
                    least, rank = low, its
        return least or cards & -cards


@lru_cache(maxsize=1 << 16)
def _worth_of_side(crowd: Crowd, trumps: int, jokers: int, mine: int, suit: int) -> float:
    """The tricks to expect of cards of one side suit: each stands if no other seat is above it or ruffs it.

    Args:
        crowd: who else plays.
        trumps: how many trumps the seat has not seen.
        jokers: how many Blukes it has not seen.
        mine: its cards of the suit.
        suit: all cards of the suit.
    """
    others = suit & ~mine
    void = _none_of(others.bit_count(), crowd.size, crowd.hidden)
    ruffs = void * (1 - _none_of(trumps, crowd.size, crowd.hidden - others.bit_count()))
    worth = 0.0
    left = mine
    while left:
        low = left & -left
        left ^= low
        above = (others & ~(low - 1)).bit_count() + jokers
        worth += max(0.0, _none_of(above, crowd.size, crowd.hidden) - ruffs) ** crowd.seats
    return worth


@lru_cache(maxsize=1 << 16)
def _worth_of_strong(crowd: Crowd, mine: int, unseen: int) -> float:
    """The tricks to expect of trumps and Blukes, while `unseen` are those that the seat has not seen."""
    worth = 0.0
    left = mine
    while left:
        low = left & -left
        left ^= low
        stands = _none_of((unseen & ~(low - 1)).bit_count(), crowd.seats * crowd.size, crowd.hidden)
        rank = (low.bit_length() - 1) % 13
        worth += stands if low & JOKERS else max(stands, TRUMP_WORTH + TRUMP_STEP * rank)
    return worth


def _none_of(marked: int, drawn: int, hidden: int) -> float:
    """The chance that `drawn` of `hidden` cards hold none of the `marked` ones."""
    return comb(hidden - marked, drawn) / comb(hidden, drawn) if hidden - marked >= drawn else 0.0


#: How each policy sits down at a table.
POLICIES: dict[str, Callable[[Table], Policy]] = {"rule": Rule}
