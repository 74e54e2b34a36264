"""Dealing that anyone can check: seeds, packs, the draw and the turn-up (RULES 3, 4, 8)."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256
from struct import Struct
from typing import TYPE_CHECKING, Protocol

from bluke.rules.cards import CARDS, PACK_SIZE, Card

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["SEED_BYTES", "Draw", "Packs", "SeededPacks", "commitment", "deal", "draw", "game_seed", "pack"]

SEED_BYTES = 32
DRAW_LABEL = b"bluke/1/draw"
WORD_VALUES = 1 << 32
#: The eight words of a block of the stream.
WORDS = Struct(">8I")
#: For each place filled, the cards left to choose from and the first word that would favour low numbers (RULES 8.3).
SWAPS = tuple((i, i + 1, WORD_VALUES - WORD_VALUES % (i + 1)) for i in range(PACK_SIZE - 1, 0, -1))


def game_seed(match_seed: bytes, deal_number: int) -> bytes:
    """The 32-byte seed of one deal of a match (RULES 8.2); `deal_number` is 0 to 2^64-1."""
    return hmac.digest(match_seed, b"bluke/1/game" + deal_number.to_bytes(8, "big"), "sha256")


def commitment(seed: bytes, game_id: str) -> bytes:
    """What is published of a game seed before the first card: 32 bytes (RULES 8.1)."""
    return sha256(b"bluke/1/commit" + seed + game_id.encode()).digest()


def pack(seed: bytes, label: bytes) -> tuple[Card, ...]:
    """The whole pack shuffled for one purpose, its top card first (RULES 8.3)."""
    words = _words(hmac.digest(seed, label, "sha256"))
    cards = list(CARDS)
    for i, count, limit in SWAPS:
        word = next(words)
        while word >= limit:
            word = next(words)
        j = word % count
        cards[i], cards[j] = cards[j], cards[i]
    return tuple(cards)


def _words(key: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = sha256(key + counter.to_bytes(4, "big")).digest()
        yield from WORDS.unpack(block)
        counter += 1


class Packs(Protocol):
    """Where a game gets its shuffled packs from."""

    def draw(self) -> Sequence[Card]:
        """The pack of the draw, top card first."""

    def hand(self, number: int) -> Sequence[Card]:
        """The pack of hand `number`, top card first."""


@dataclass(frozen=True, slots=True)
class SeededPacks:
    """The packs that follow from a game seed of 32 bytes (RULES 8.4)."""

    seed: bytes

    def draw(self) -> tuple[Card, ...]:
        """The pack of the draw."""
        return pack(self.seed, DRAW_LABEL)

    def hand(self, number: int) -> tuple[Card, ...]:
        """The pack of hand `number`, counted from 0."""
        return pack(self.seed, b"bluke/1/hand" + number.to_bytes(4, "big"))


@dataclass(frozen=True, slots=True)
class Draw:
    """The draw for the deal (RULES 3).

    Attributes:
        rounds: each round's `(seat, card)` pairs in the order drawn: first the draw of all seats,
            then the redraws for the dealer, then those for the scorekeeper.
        dealer: the seat that deals first.
        scorekeeper: the seat that keeps the score.
    """

    rounds: tuple[tuple[tuple[int, Card], ...], ...]
    dealer: int
    scorekeeper: int


def draw(cards: Sequence[Card], seats: int) -> Draw:
    """Draw for the deal from `cards`, top card first."""
    left = iter(cards)
    rest = len(cards) - seats
    rounds = [tuple(zip(range(seats), left, strict=False))]

    def settle(sign: int) -> int:
        """Redraw from the first round on until one seat has the best rank; `sign` -1 turns best into worst."""
        nonlocal rest
        drawn = rounds[0]
        while True:
            best = max(sign * card.rank for _, card in drawn)
            tied = [seat for seat, card in drawn if sign * card.rank == best]
            if len(tied) == 1 or rest < len(tied):
                return tied[0]
            drawn = tuple(zip(tied, left, strict=False))
            rest -= len(tied)
            rounds.append(drawn)

    dealer = settle(1)
    scorekeeper = settle(-1)
    return Draw(tuple(rounds), dealer, scorekeeper)


def deal(
    cards: Sequence[Card], seats: int, size: int, dealer: int
) -> tuple[tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    """Deal `size` cards to each seat, one at a time from the dealer's left (RULES 4.1).

    Returns:
        The cards of each seat in the order dealt, and what is left of the pack, top card first.
    """
    used = seats * size
    first = dealer + 1
    hands = tuple(tuple(cards[(seat - first) % seats : used : seats]) for seat in range(seats))
    return hands, tuple(cards[used:])
