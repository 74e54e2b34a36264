"""Deals that a seat cannot rule out, drawn at random.

Before bids are looked at, every deal that agrees with what the seat has seen is exactly as likely as any other:
how many cards of each kind the seats with known voids hold is drawn by counting the ways, the rest by shuffling.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

from bluke.analysis.known import Known, Reading, read
from bluke.analysis.policy import POLICIES
from bluke.rules import CardSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from bluke.analysis.policy import Policy

__all__ = ["NEARNESS", "PROPOSALS", "Sampler", "sample_deals"]

#: So many deals are tried for bids that are near those made, before one of them is taken in proportion.
PROPOSALS = 8
#: How likely a bid is that is so far from what the policy bids with the same cards, beside one that is the same. The
#: last stands for all beyond: a bot may bid as it likes, so no bid rules a deal out.
NEARNESS = (1.0, 0.5, 0.2, 0.1)

#: How many hidden cards there are of each kind. The kind is a mask: bit i for "group i may hold it".
Kinds = tuple[tuple[int, int], ...]
#: How many cards of each kind are taken.
Split = tuple[tuple[int, int], ...]


def sample_deals(known: Known, n: int, random: Random, policy: str = "rule") -> list[tuple[CardSet, ...]]:
    """Draw deals that agree with all that a seat knows.

    Args:
        known: what the seat knows.
        n: how many deals.
        random: where chance comes from; only its `random` is used.
        policy: the name of the policy that the bids made so far are compared with.

    Returns:
        For each deal the cards that each seat still holds, by seat.
    """
    reading = read(known)
    sampler = Sampler(reading, POLICIES[policy](reading.table))
    return [tuple(map(CardSet, sampler.deal(random.random))) for _ in range(n)]


class Sampler:
    """Draws deals for one decision, in bit masks; every deal is a new list by seat of the cards still held."""

    def __init__(self, reading: Reading, policy: Policy) -> None:
        """Group the seats by what they cannot hold."""
        self._bid = policy.bid
        self._mine = (reading.seat, reading.held)
        self._bidders = [
            (seat, bid, reading.played[seat]) for seat, bid in enumerate(reading.bids) if bid and seat != reading.seat
        ]
        left = reading.left
        self._seats = reading.table.seats
        self._free: list[tuple[int, int]] = []
        bound: dict[int, list[tuple[int, int]]] = {}
        for seat in range(self._seats):
            if seat == reading.seat or not left[seat]:
                continue
            lacks = reading.lacks[seat] & reading.hidden
            if lacks:
                bound.setdefault(lacks, []).append((seat, left[seat]))
            else:
                self._free.append((seat, left[seat]))
        self._groups = list(bound.values())
        self._needs = [sum(count for _, count in group) for group in self._groups]
        self._pools: dict[int, list[int]] = {}
        rest = reading.hidden
        while rest:
            card = rest & -rest
            rest ^= card
            kind = sum(1 << i for i, lacks in enumerate(bound) if not card & lacks)
            self._pools.setdefault(kind, []).append(card)
        self._splits: dict[tuple[int, Kinds], list[tuple[Split, int]]] = {}

    def deal(self, roll: Callable[[], float]) -> list[int]:
        """Draw a deal, the more likely the nearer the bids of the policy in it are to the bids made."""
        if not self._bidders:
            return self.uniform(roll)
        deals, weights = [], []
        for _ in range(PROPOSALS):
            hands = self.uniform(roll)
            weight = self._likelihood(hands)
            if roll() < weight:
                return hands
            deals.append(hands)
            weights.append(weight)
        at = roll() * sum(weights)
        for hands, weight in zip(deals, weights, strict=True):
            at -= weight
            if at < 0:
                return hands
        return deals[-1]

    def _likelihood(self, hands: list[int]) -> float:
        likely = 1.0
        for seat, bid, played in self._bidders:
            off = abs(self._bid(hands[seat] | played) - bid)
            likely *= NEARNESS[min(off, len(NEARNESS) - 1)]
        return likely

    def uniform(self, roll: Callable[[], float]) -> list[int]:
        """Draw a deal, all that agree with what was seen being equally likely."""
        hands = [0] * self._seats
        seat, held = self._mine
        hands[seat] = held
        pools = {kind: list(cards) for kind, cards in self._pools.items()}
        for group, seats in enumerate(self._groups):
            drawn: list[int] = []
            kinds = tuple(sorted((kind, len(cards)) for kind, cards in pools.items()))
            for kind, count in self._draw_split(group, kinds, roll):
                drawn += _take(pools[kind], count, roll)
            _give(hands, seats, drawn, roll)
            pools = _merged(pools)
        _give(hands, self._free, [card for cards in pools.values() for card in cards], roll)
        return hands

    def _draw_split(self, group: int, kinds: Kinds, roll: Callable[[], float]) -> Split:
        """Draw how many cards of each kind a group gets, in proportion to the ways to deal all cards then."""
        splits = self._weighed(group, kinds)
        at = roll() * sum(ways for _, ways in splits)
        for split, ways in splits:
            at -= ways
            if at < 0:
                return split
        return splits[-1][0]

    def _weighed(self, group: int, kinds: Kinds) -> list[tuple[Split, int]]:
        """Every way to split what a group needs among the kinds, each with the number of deals that it stands for."""
        found = self._splits.get((group, kinds))
        if found is None:
            usable = [(kind, count) for kind, count in kinds if kind & 1]
            found = []
            for counts, ways in _splits([count for _, count in usable], self._needs[group]):
                split = tuple((kind, count) for (kind, _), count in zip(usable, counts, strict=True))
                taken = dict(split)
                left: dict[int, int] = {}
                for kind, count in kinds:
                    left[kind >> 1] = left.get(kind >> 1, 0) + count - taken.get(kind, 0)
                all_ways = ways * self._count(group + 1, tuple(sorted(left.items())))
                if all_ways:
                    found.append((split, all_ways))
            self._splits[group, kinds] = found
        return found

    def _count(self, group: int, kinds: Kinds) -> int:
        """In how many ways the groups from this one on can get their cards."""
        if group == len(self._groups):
            return 1
        if group == len(self._groups) - 1:
            return comb(sum(count for kind, count in kinds if kind & 1), self._needs[group])
        return sum(ways for _, ways in self._weighed(group, kinds))


def _splits(sizes: list[int], need: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every way to take `need` cards out of heaps of these sizes, with the number of choices of cards it stands for."""
    if not sizes:
        if not need:
            yield (), 1
        return
    rest = sum(sizes[1:])
    for count in range(max(0, need - rest), min(sizes[0], need) + 1):
        ways = comb(sizes[0], count)
        for counts, others in _splits(sizes[1:], need - count):
            yield (count, *counts), ways * others


def _merged(pools: dict[int, list[int]]) -> dict[int, list[int]]:
    """The cards left, once the first group has its own: what set kinds apart for it no longer does."""
    merged: dict[int, list[int]] = {}
    for kind, cards in pools.items():
        merged.setdefault(kind >> 1, []).extend(cards)
    return merged


def _take(cards: list[int], count: int, roll: Callable[[], float]) -> list[int]:
    """Take so many cards out of a list at random."""
    left = len(cards)
    keep = left - count
    while left > keep:
        at = int(roll() * left)
        left -= 1
        cards[at], cards[left] = cards[left], cards[at]
    taken = cards[keep:]
    del cards[keep:]
    return taken


def _give(hands: list[int], seats: list[tuple[int, int]], cards: list[int], roll: Callable[[], float]) -> None:
    """Deal some of the cards at random to seats that need so many."""
    drawn = _take(cards, sum(count for _, count in seats), roll)
    at = 0
    for seat, count in seats:
        hands[seat] |= sum(drawn[at : at + count])
        at += count
