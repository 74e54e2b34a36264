"""What a seat is told does not depend on what it may not know."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from bluke.referee import table as table_module
from bluke.rules import Card, CutRule, Played, Rules, SeededPacks, Variant

if TYPE_CHECKING:
    from referee.conftest import Desks
    from referee.desk import Desk

    from bluke.rules.dealing import Packs

RULES = [
    Rules(3, hands=(4, 2)),
    Rules(4, hands=(2, 5), variant=Variant.NEW_JERSEY),
    Rules(2, hands=(6, 3), cut=CutRule.PLAYER),
]


class OneHandChanged:
    """The packs of a seed, the cards at some places of one hand's pack exchanged."""

    def __init__(self, seed: bytes, hand: int, places: dict[int, int]) -> None:
        self._packs = SeededPacks(seed)
        self._hand = hand
        self._places = places

    def draw(self) -> tuple[Card, ...]:
        return self._packs.draw()

    def hand(self, number: int) -> tuple[Card, ...]:
        pack = self._packs.hand(number)
        if number != self._hand:
            return pack
        return tuple(pack[self._places.get(place, place)] for place in range(len(pack)))


def start(desks: Desks, monkeypatch: pytest.MonkeyPatch, rules: Rules, packs: Packs | None = None) -> Desk:
    """A table whose cards come from `packs`; seed, id and commitment stay those of the seed."""
    with monkeypatch.context() as patch:
        if packs is not None:
            patch.setattr(table_module, "SeededPacks", lambda _: packs)
        return desks(rules=rules, events=True).start()


def hidden_places(desk: Desk, seat: int) -> list[int]:
    """Where in this hand's pack the cards lie that the seat has not seen."""
    game = desk.table.game
    pack = game.packs.hand(game.hand)
    seen = {e.card for e in game.events if isinstance(e, Played) and e.hand == game.hand}
    seen |= {pack[(seat - game.dealer - 1) % game.rules.seats + game.rules.seats * n] for n in range(game.size)}
    return [place for place, card in enumerate(pack) if card not in seen and card != game.turned]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("stop", [0, 1, 2, 4, 6, 9, 13])
def test_exchange_hidden_cards(desks: Desks, monkeypatch: pytest.MonkeyPatch, rules: Rules, stop: int):
    """Exchange hidden cards of the others and of the pack: every byte that the seat was sent stays the same."""
    random = Random(stop)
    plain = start(desks, monkeypatch, rules)
    answers = []
    for _ in range(stop):
        answers.append(random.choice(list(plain.turn.legal)))
        plain.answer(answers[-1])
    seat = plain.table.game.seat
    compared = 0
    for _ in range(30):
        places = hidden_places(plain, seat)
        one, two = random.sample(places, 2)
        packs = OneHandChanged(plain.table.seed, plain.table.game.hand, {one: two, two: one})
        other = start(desks, monkeypatch, rules, packs)
        # An exchange that makes an earlier move illegal is one that the seat could have told from the play.
        if not all(answer in other.turn.legal and other.answer(answer) for answer in answers):
            continue
        compared += 1
        assert [m.SerializeToString() for m in other.sent[seat]] == [m.SerializeToString() for m in plain.sent[seat]]
    assert compared >= 10


def test_seat_views_differ_where_they_should(desks: Desks, monkeypatch: pytest.MonkeyPatch):
    """The test above can fail: exchange a card of the seat's own and its bytes change."""
    plain = start(desks, monkeypatch, RULES[0])
    game = plain.table.game
    own = (game.seat - game.dealer - 1) % 3
    places = hidden_places(plain, game.seat)
    packs = OneHandChanged(plain.table.seed, 0, {own: places[0], places[0]: own})
    other = start(desks, monkeypatch, RULES[0], packs)
    assert other.sent[game.seat] != plain.sent[game.seat]


def test_nothing_tells_the_seed_or_the_deal(desks: Desks):
    """While a deal is still to be played again, no message holds its seed or its number."""
    desk = desks(rules=RULES[0], events=True)
    desk.match.add(0, 1)
    desk.start()
    desk.play_on()
    desk.close()
    for sent in desk.sent:
        for message in sent:
            assert desk.table.seed not in message.SerializeToString()
            assert "deal" not in {field.name for field, _ in message.ListFields()}


def test_game_ids_do_not_tell_which_games_share_a_deal(desks: Desks):
    """Ids follow from the match seed and look alike for every pair of games; commitments differ as ids do."""
    desk = desks()
    ids = [desk.match.game_id(number) for number in range(200)]
    assert len(set(ids)) == 200
    assert all(len(name) == 16 for name in ids)
    assert ids == [desk.match.game_id(number) for number in range(200)]
    assert desk.match.game_id(3, attempt=1) not in ids
