"""Bluke once more, slowly: the text of RULES with lists and ifs, to hold the engine against.

Cards are their notation, suits their letter, and nothing here comes from `bluke`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

SUITS = "CDHS"
RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in SUITS for rank in RANKS] + ["LO", "HI"]


# 1 Cards


def is_bluke(card: str) -> bool:
    return card in {"LO", "HI"}


def is_of_suit(card: str, suit: str | None) -> bool:
    return not is_bluke(card) and card[1] == suit


def height(card: str) -> int:
    if card == "HI":
        return 14
    if card == "LO":
        return 13
    return RANKS.index(card[0])


# 6 Play


def legal(hand: list[str], led: str | None, trump: str | None, variant: str, bluke_led: str) -> list[str]:
    if led is None:
        return hand
    if variant == "new_jersey":
        return legal_in_new_jersey(hand, led, trump)
    if is_bluke(led):
        if bluke_led == "trump" and any(is_of_suit(card, trump) for card in hand):
            return [card for card in hand if is_of_suit(card, trump) or is_bluke(card)]
        return hand
    if any(is_of_suit(card, led[1]) for card in hand):
        return [card for card in hand if is_of_suit(card, led[1]) or is_bluke(card)]
    return hand


def legal_in_new_jersey(hand: list[str], led: str, trump: str | None) -> list[str]:
    if is_bluke(led) or is_of_suit(led, trump):
        # With no trump suit no card is of it, and the Blukes are left: a suit of their own.
        follows = [card for card in hand if is_of_suit(card, trump) or is_bluke(card)]
    else:
        follows = [card for card in hand if is_of_suit(card, led[1])]
    return follows or hand


def winner(cards: list[str], trump: str | None) -> int:
    if "HI" in cards:
        return cards.index("HI")
    if "LO" in cards:
        return cards.index("LO")
    trumps = [card for card in cards if is_of_suit(card, trump)]
    if trumps:
        return cards.index(max(trumps, key=height))
    return cards.index(max((card for card in cards if is_of_suit(card, cards[0][1])), key=height))


def playouts(
    hands: list[list[str]], leader: int, trump: str | None, variant: str, bluke_led: str
) -> Counter[tuple[int, ...]]:
    """How many different ways there are to play a hand out, by the tricks that each seat takes."""
    found: Counter[tuple[int, ...]] = Counter()

    def go(hands: list[list[str]], turn: int, trick: list[str], taken: list[int]) -> None:
        if len(trick) == len(hands):
            won = (turn + winner(trick, trump)) % len(hands)
            taken = [count + (seat == won) for seat, count in enumerate(taken)]
            turn, trick = won, []
        if not any(hands):
            found[tuple(taken)] += 1
            return
        for card in legal(hands[turn], trick[0] if trick else None, trump, variant, bluke_led):
            rest = [[other for other in hand if other != card] for hand in hands]
            go(rest, (turn + 1) % len(hands), [*trick, card], taken)

    go(hands, leader, [], [0] * len(hands))
    return found


# 3 The draw, 4 the deal, 7 the score


def draw(pack: list[str], seats: int) -> tuple[list[list[tuple[int, str]]], int, int]:
    """Rounds, dealer and scorekeeper."""
    pack = list(pack)
    first = [(seat, pack.pop(0)) for seat in range(seats)]
    rounds = [first]

    drawn = first
    while True:
        best = max(height(card) for _, card in drawn)
        tied = [seat for seat, card in drawn if height(card) == best]
        if len(tied) == 1 or len(pack) < len(tied):
            dealer = min(tied)
            break
        drawn = [(seat, pack.pop(0)) for seat in tied]
        rounds.append(drawn)

    drawn = first
    while True:
        worst = min(height(card) for _, card in drawn)
        tied = [seat for seat, card in drawn if height(card) == worst]
        if len(tied) == 1 or len(pack) < len(tied):
            scorekeeper = min(tied)
            break
        drawn = [(seat, pack.pop(0)) for seat in tied]
        rounds.append(drawn)

    return rounds, dealer, scorekeeper


def deal(pack: list[str], seats: int, size: int, dealer: int) -> tuple[list[list[str]], list[str]]:
    """The hands and what is left."""
    pack = list(pack)
    hands: list[list[str]] = [[] for _ in range(seats)]
    seat = dealer
    for _ in range(seats * size):
        seat = (seat + 1) % seats
        hands[seat].append(pack.pop(0))
    return hands, pack


def turn_up(rest: list[str], cut: int) -> tuple[str | None, str | None]:
    """The card turned up and the trump."""
    if not rest:
        return None, None
    turned = (rest[cut:] + rest[:cut])[0]
    return turned, None if is_bluke(turned) else turned[1]


def points(bid: int, tricks: int) -> int:
    if tricks < bid:
        return -10 * bid
    overtricks = tricks - bid
    return 10 * bid + 1 * overtricks


# 8 Shuffling


def shuffled(game_seed: bytes, label: bytes) -> list[str]:
    key = hmac.new(game_seed, label, hashlib.sha256).digest()
    stream = b"".join(hashlib.sha256(key + counter.to_bytes(4, "big")).digest() for counter in range(32))
    cards = list(PACK)
    for i in range(53, 0, -1):
        m = i + 1
        while True:
            w, stream = int.from_bytes(stream[:4], "big"), stream[4:]
            if w < 2**32 - (2**32 % m):
                break
        j = w % m
        cards[i], cards[j] = cards[j], cards[i]
    return cards
