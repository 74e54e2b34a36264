from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rules.helpers import GivenPacks, Move, packs, random_move, randoms, view

from bluke.errors import RuleError
from bluke.rules import CARDS, BlukeLed, Card, CutRule, Dealt, Game, Played, Rules, Variant

one_hand = st.builds(
    Rules,
    seats=st.integers(2, 6),
    hands=st.tuples(st.integers(1, 6)),
    variant=st.sampled_from(Variant),
    bluke_led=st.sampled_from(BlukeLed),
)


def exchanged(game: Game, pack: tuple[Card, ...], seat: int, random) -> tuple[Card, ...]:
    """The same pack with all that `seat` has not seen dealt otherwise."""
    seen = set(game.held(seat)) | {game.turned}
    for event in game.events:
        if isinstance(event, Dealt):
            seen |= set(event.cards[seat])
        elif isinstance(event, Played):
            seen.add(event.card)
    hidden = [card for card in pack if card not in seen]
    mixed = list(hidden)
    random.shuffle(mixed)
    swap = dict(zip(hidden, mixed, strict=True))
    return tuple(swap.get(card, card) for card in pack)


def outcome_of(game: Game, move: Move) -> str:
    try:
        game.answer(*move)
    except RuleError as error:
        return str(error)
    return "accepted"


@given(one_hand, packs, randoms, st.data())
@settings(max_examples=150)
def test_exchange_what_a_seat_cannot_see(chosen, pack, random, data):
    """Games that differ only in what a seat cannot see look the same to it, all the way and in every answer."""
    seat = data.draw(st.integers(0, chosen.seats - 1))
    game = Game(chosen, GivenPacks(pack))
    moves: list[Move] = []
    for _ in range(data.draw(st.integers(0, chosen.seats * (1 + chosen.schedule[0]) - 1))):
        moves.append(random_move(game, random))
        game.answer(*moves[-1])

    other_pack = exchanged(game, pack, seat, random)
    one, other = Game(chosen, GivenPacks(pack)), Game(chosen, GivenPacks(other_pack))
    assert view(one, seat) == view(other, seat)
    for move in moves:
        one.answer(*move)
        # In the other game somebody else may have had to follow: then the seat could tell them apart.
        assume(outcome_of(other, move) == "accepted")
        assert view(one, seat) == view(other, seat)
    # Whatever this seat tries, right or wrong, it learns the same from the answer.
    tries: list[Move] = [(seat, value) for value in (0, 1, chosen.schedule[0] + 1)]
    tries += [(seat, card) for card in CARDS]
    random.shuffle(tries)
    for move in tries:
        if one.seat == seat and move[1] in one.legal:
            continue
        assert outcome_of(one, move) == outcome_of(other, move)


@given(one_hand, packs, randoms)
def test_look_before_the_cut(chosen, pack, random):
    """Before the cut nobody can tell what will be turned up."""
    chosen = replace(chosen, cut=CutRule.PLAYER)
    used = chosen.seats * chosen.schedule[0]
    rest = list(pack[used:])
    random.shuffle(rest)
    one, other = Game(chosen, GivenPacks(pack)), Game(chosen, GivenPacks((*pack[:used], *rest)))
    for seat in range(chosen.seats):
        assert view(one, seat) == view(other, seat)
    assert one.trump is None
    assert one.turned is None


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_show_the_deal_to_a_seat(seat):
    """The check above has eyes: a seat whose own cards differ does see it."""
    chosen = Rules(seats=3, hands=(2,))
    one = Game(chosen, GivenPacks(CARDS))
    other = Game(chosen, GivenPacks((*CARDS[6:12], *CARDS[:6], *CARDS[12:])))
    assert view(one, seat) != view(other, seat)
