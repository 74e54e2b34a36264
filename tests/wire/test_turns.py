"""Turns: everything that a seat may know, and nothing that it may not."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bluke.rules import (
    CARDS,
    Asked,
    BlukeLed,
    Card,
    CardSet,
    CutRule,
    Game,
    Played,
    Rules,
    SeededPacks,
    Variant,
    game_seed,
)
from bluke.v1 import game_pb2 as game_pb
from bluke.wire.convert import TRUMPS
from bluke.wire.turns import TurnWriter

if TYPE_CHECKING:
    from bluke.v1 import play_pb2 as play_pb

ALL_RULES = [
    Rules(2, hands=(4, 2)),
    Rules(3, hands=(5, 1), cut=CutRule.PLAYER),
    Rules(4, hands=(3, 2), variant=Variant.NEW_JERSEY),
    Rules(5, hands=(3,), bluke_led=BlukeLed.TRUMP),
    Rules(6, hands=(9,)),
    Rules(9, hands=(2,)),
    Rules(15, hands=(3,)),
]


def check_view(turn: play_pb.Turn, game: Game) -> None:
    """Hold every field of a turn against the game."""
    view, seat = turn.view, game.seat
    assert turn.seat == seat
    assert (view.hand, view.size, view.dealer) == (game.hand, game.size, game.dealer)
    assert tuple(view.totals) == game.totals
    assert tuple(view.bids) == tuple(bid or 0 for bid in game.bids)
    assert tuple(view.tricks_won) == game.tricks_won
    assert list(view.cards) == game.held(seat).indices()
    legal = game.legal
    assert list(turn.legal) == (legal.indices() if isinstance(legal, CardSet) else list(legal))
    if game.asked is Asked.CUT:
        assert not view.HasField("trump")
        assert not view.HasField("turned")
    else:
        assert view.trump == TRUMPS[game.trump]
        assert view.HasField("turned") == (game.turned is not None)
        assert game.turned is None or view.turned == game.turned.index
    assert len(view.tricks) == game.trick + (game.led is not None)
    for trick in view.tricks:
        whole = len(trick.cards) == game.rules.seats
        assert trick.HasField("winner") == whole
    if game.led is not None:
        assert view.tricks[-1].cards[0] == game.led.index
    assert list(view.rules.hands) == list(game.schedule)


def playing(game: Game, random: Random, *, moves: int = 10**9):
    """Play random legal moves; yields before each."""
    while not game.over and moves > 0:
        yield
        legal = game.legal
        if isinstance(legal, CardSet):
            game.play(game.seat, random.choice(list(legal)))
        else:
            game.answer(game.seat, random.choice(legal))
        moves -= 1


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_every_seat_in_every_phase(rules: Rules):
    """At each decision of a game the turn agrees with the game in every field."""
    game = Game(rules, SeededPacks(game_seed(b"views", rules.seats)))
    writer = TurnWriter("g", game)
    for decision, _ in enumerate(playing(game, Random(rules.seats)), 1):
        turn = writer.write(decision)
        assert turn.decision_id == decision
        check_view(turn, game)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_a_turn_does_not_depend_on_earlier_ones(rules: Rules):
    """A turn written first in mid-game, as for a reconnected bot, is the same to the byte."""
    game = Game(rules, SeededPacks(game_seed(b"fresh", rules.seats)))
    writer = TurnWriter("g", game)
    for _ in playing(game, Random(1)):
        old = writer.write(7).SerializeToString()
        assert old == TurnWriter("g", game).write(7).SerializeToString()


class Exchanged:
    """The packs of a game, with one hand's pack replaced."""

    def __init__(self, packs: SeededPacks, hand: int, cards: tuple[Card, ...]) -> None:
        self._packs, self._hand, self._cards = packs, hand, cards

    def draw(self):
        return self._packs.draw()

    def hand(self, number: int):
        return self._cards if number == self._hand else self._packs.hand(number)


def replayed(rules: Rules, packs, moves: list[tuple[int, int | Card]]) -> Game | None:
    """The game after these moves; `None` if they cannot be made with such packs."""
    from bluke.errors import RuleError

    game = Game(rules, packs)
    try:
        for seat, value in moves:
            game.answer(seat, value)
    except RuleError:
        return None
    return game


@given(st.data())
def test_exchange_what_is_hidden(data: st.DataObject):
    """Exchange the hidden cards of the other seats and the undealt pack: every byte for the seat stays the same."""
    rules = data.draw(st.sampled_from(ALL_RULES))
    seed = game_seed(b"exchange", data.draw(st.integers(0, 500)))
    random = Random(data.draw(st.integers(0, 10**6)))
    packs = SeededPacks(seed)
    game = Game(rules, packs)
    # Stop somewhere in the game, at a decision of some seat.
    stop = data.draw(st.integers(0, 40))
    moves: list[tuple[int, int | Card]] = []
    writer = TurnWriter("g", game)
    told: list[list[bytes]] = [[] for _ in range(rules.seats)]
    while len(moves) < stop:
        options: list[int | Card] = list(game.legal)
        value = random.choice(options)
        told[game.seat].append(writer.write(len(moves)).SerializeToString())
        moves.append((game.seat, value))
        game.answer(game.seat, value)
        if game.over:
            break
    assume(not game.over)
    seat = game.seat
    told[seat].append(writer.write(len(moves)).SerializeToString())
    # What is hidden from the seat now: places in the pack that hold neither its own cards nor one it has seen.
    pack = packs.hand(game.hand)
    dealt = rules.seats * game.size
    seen = {event.card for event in game.events if isinstance(event, Played) and event.hand == game.hand}
    mine = {pack[(seat - game.dealer - 1) % rules.seats + rules.seats * n] for n in range(game.size)}
    hidden = [n for n, card in enumerate(pack) if card not in seen and card not in mine and card != game.turned]
    assume(len(hidden) >= 2)
    shuffled = hidden[:]
    random.shuffle(shuffled)
    assert dealt <= len(pack)
    changed = list(pack)
    for at, taken in zip(hidden, shuffled, strict=True):
        changed[at] = pack[taken]
    assume(tuple(changed) != tuple(pack))
    other = replayed(rules, Exchanged(packs, game.hand, tuple(changed)), moves)
    # A card that a seat would have had to play before is one that this seat could have missed.
    assume(other is not None)
    assert other is not None
    assert (other.seat, other.asked) == (seat, game.asked)
    again = TurnWriter("g", other).write(len(moves)).SerializeToString()
    assert again == told[seat][-1]


def test_a_card_index_zero_is_said():
    """The two of clubs is index 0 and still present wherever absence would mean something else."""
    packs = Exchanged(SeededPacks(bytes(32)), 0, CARDS)
    game = Game(Rules(2, hands=(1,)), packs)
    turn = TurnWriter("g", game).write(1)
    assert turn.view.HasField("turned")
    assert turn.view.turned == 2
    assert list(turn.view.cards) == [0]
    reversed_game = Game(Rules(2, hands=(1,)), Exchanged(SeededPacks(bytes(32)), 0, (*CARDS[1:3], CARDS[0])))
    zero = TurnWriter("g", reversed_game).write(1)
    assert zero.view.HasField("turned")
    assert zero.view.turned == 0
    assert zero.view.trump == game_pb.TRUMP_CLUBS
