from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest
from rules import naive
from rules.helpers import GivenPacks, cards, twin

from bluke.rules import Asked, BlukeLed, Card, CutRule, Game, Rules, Scored, Suit, Variant

OPTIONS = [
    pytest.param(Variant.STANDARD, BlukeLed.FREE, id="standard"),
    pytest.param(Variant.STANDARD, BlukeLed.TRUMP, id="bluke-led-trump"),
    pytest.param(Variant.NEW_JERSEY, BlukeLed.FREE, id="new-jersey"),
]
#: Seats, size and how many packs: play-outs grow with the factorial of the size to the power of the seats.
SIZES = [(2, 2, 40), (3, 2, 40), (4, 2, 15), (2, 3, 30), (3, 3, 24), (2, 4, 16), (3, 4, 4), (4, 1, 10), (5, 1, 10)]


def play_outs(game: Game) -> Counter[tuple[int, ...]]:
    """Every way to play the game out, by the tricks that each seat takes."""
    found: Counter[tuple[int, ...]] = Counter()
    stack = [game]
    while stack:
        state = stack.pop()
        if state.over:
            scored = state.events[-1]
            assert isinstance(scored, Scored)
            found[scored.tricks] += 1
            continue
        for card in state.legal:
            assert isinstance(card, Card)
            after = twin(state)
            after.play(state.seat, card)
            stack.append(after)
    return found


def game_at_the_play(rules: Rules, pack: list[str]) -> Game:
    """A game in which seat 0 deals this pack and everybody has bid one."""
    game = Game(rules, GivenPacks(cards(pack), cards(["AC", *naive.PACK[: rules.seats - 1]])))
    assert game.dealer == 0
    while game.asked is not Asked.PLAY:
        game.answer(game.seat, game.fixed_answer())
    return game


def small_pack(random: Random, seats: int, size: int) -> list[str]:
    """A few cards of few suits, mostly with Blukes, so that following matters."""
    suits = random.sample(naive.SUITS, random.choice([2, 2, 3]))
    plain = [rank + suit for suit in suits for rank in random.sample(naive.RANKS, 7)]
    blukes = random.choice([["LO", "HI"], ["LO", "HI"], ["HI"], []])
    pack = random.sample(plain, seats * size + 1 - len(blukes)) + blukes
    random.shuffle(pack)
    return pack


@pytest.mark.parametrize(("variant", "bluke_led"), OPTIONS)
@pytest.mark.parametrize(("seats", "size", "packs"), SIZES)
def test_count_play_outs(seats, size, packs, variant, bluke_led):
    """There are as many ways to play a small pack out as the text allows, with the same tricks taken."""
    random = Random(f"{seats} {size}")
    rules = Rules(seats=seats, hands=(size,), variant=variant, bluke_led=bluke_led)
    for _ in range(packs):
        pack = small_pack(random, seats, size)
        hands, rest = naive.deal(pack, seats, size, dealer=0)
        _, trump = naive.turn_up(rest, 0)
        expected = naive.playouts(hands, 1, trump, variant.value, bluke_led.value)
        assert play_outs(game_at_the_play(rules, pack)) == expected, pack


@pytest.mark.parametrize(("variant", "bluke_led"), OPTIONS)
@pytest.mark.parametrize(("seats", "size"), [(2, 3), (3, 2)])
def test_count_play_outs_without_trump(seats, size, variant, bluke_led):
    """The same where nothing is turned up, with both Blukes among the cards."""
    random = Random(seats)
    rules = Rules(seats=seats, hands=(size,), variant=variant, bluke_led=bluke_led, cut=CutRule.PLAYER)
    for _ in range(20):
        pack = [card for card in small_pack(random, seats, size) if card not in {"LO", "HI"}]
        pack = ["LO", "HI", *pack][: seats * size]
        random.shuffle(pack)
        hands, rest = naive.deal(pack, seats, size, dealer=0)
        assert not rest
        expected = naive.playouts(hands, 1, None, variant.value, bluke_led.value)
        assert play_outs(game_at_the_play(rules, pack)) == expected, pack


@pytest.mark.parametrize(("variant", "bluke_led"), OPTIONS)
@pytest.mark.parametrize(("seats", "size"), [(2, 2), (2, 3), (3, 2), (4, 2)])
def test_count_play_outs_of_suits_apart(seats, size, variant, bluke_led):
    """When each seat holds a suit of its own nobody need follow: (size!)^seats ways, and one has all tricks."""
    pack = [rank + naive.SUITS[turn] for rank in naive.RANKS[:size] for turn in range(seats)]
    rules = Rules(seats=seats, hands=(size,), variant=variant, bluke_led=bluke_led)
    game = game_at_the_play(rules, [*pack, "AC"])
    assert game.trump is Suit.CLUBS
    all_to_the_leader = tuple(size if seat == 1 else 0 for seat in range(seats))
    assert play_outs(game) == {all_to_the_leader: math.factorial(size) ** seats}


@pytest.mark.parametrize(
    ("variant", "bluke_led", "expected"),
    [
        # Seat 1 holds 2S LO, seat 0 holds 3S 4H, trump is hearts. To the 2S seat 0 must follow, to the LO it is free.
        (Variant.STANDARD, BlukeLed.FREE, 3),
        # The led LO calls for the 4H.
        (Variant.STANDARD, BlukeLed.TRUMP, 2),
        (Variant.NEW_JERSEY, BlukeLed.FREE, 2),
    ],
)
def test_count_play_outs_by_hand(variant, bluke_led, expected):
    """Small enough to be counted on fingers."""
    rules = Rules(seats=2, hands=(2,), variant=variant, bluke_led=bluke_led)
    assert play_outs(game_at_the_play(rules, ["2S", "3S", "LO", "4H", "5H"])).total() == expected
