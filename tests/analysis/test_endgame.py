from __future__ import annotations

from random import Random

import pytest
from analysis.hands import dealt_game, hand_of, known_of, one, play, play_on
from rules.helpers import cards, texts, twin
from rules.test_playouts import OPTIONS, game_at_the_play, small_pack

from bluke.analysis.endgame import Chance, Solver, endgames
from bluke.analysis.known import read
from bluke.rules import Card, Game, Rules, Scored, Variant


def most(game: Game, me: int, *, helped: bool) -> int:
    """The most tricks that `me` can take in the end, by trying every card of every seat."""
    if game.over:
        scored = game.events[-1]
        assert isinstance(scored, Scored)
        return scored.tricks[me]
    found = []
    for card in game.legal:
        assert isinstance(card, Card)
        after = twin(game)
        after.play(game.seat, card)
        found.append(most(after, me, helped=helped))
    return max(found) if helped or game.seat == me else min(found)


@pytest.mark.parametrize(("variant", "bluke_led"), OPTIONS)
@pytest.mark.parametrize(("seats", "size", "packs"), [(2, 3, 12), (3, 2, 12), (3, 3, 2), (4, 2, 5), (5, 1, 5)])
def test_against_brute_force(seats, size, packs, variant, bluke_led):
    """For every seat and number of tricks the answer is that of trying everything, also in the middle of a trick."""
    random = Random(f"{seats} {size}")
    for _ in range(packs):
        rules = Rules(seats, hands=(size,), variant=variant, bluke_led=bluke_led)
        game = game_at_the_play(rules, small_pack(random, seats, size))
        play_on(game, random, random.randint(0, seats))
        if game.over:
            continue
        reading = read(known_of(game, game.seat))
        hands = [game.held(seat).mask for seat in range(seats)]
        for me in range(seats):
            for helped in (False, True):
                can = most(game, me, helped=helped)
                solver = Solver(reading.table, me, helped=helped)
                for tricks in range(1, size + 1):
                    made = solver.makes(reading.position, hands, tricks - reading.taken[me])
                    assert made is (can >= tricks)


def test_give_up():
    """What takes too many cards is said not to be known, and asking again changes nothing."""
    game = game_at_the_play(Rules(3, hands=(4,)), texts(cards("2C 2D 2H 3C 3D 3H 4C 4D 4H 5C 5D 5H 6S")))
    reading = read(known_of(game, game.seat))
    hands = [game.held(seat).mask for seat in range(3)]
    solver = Solver(reading.table, 0, helped=False, budget=3)
    assert solver.makes(reading.position, hands, 2) is None
    assert solver.makes(reading.position, hands, 2) is None
    assert hands == [game.held(seat).mask for seat in range(3)]
    assert Solver(reading.table, 0, helped=False).makes(reading.position, hands, 2) is False


def ends(hands: list[str], turned: str, bids: list[int], cards: str, seats: int = 2, **options: object):
    """The endgames of a hand that was played so."""
    rules = one(seats, len(hands[0].split()), **options)
    return endgames(rules, hand_of(play(dealt_game(rules, hands, turned, bids), cards)), range(seats))


def test_against_all_play():
    """Seat 0 has the ace of hearts, and nobody can ruff it: its bid of one is sure, and seat 1 cannot take both."""
    first, second = ends(["AH 3C", "4C 4H"], "2S", [1, 2], "3C 4C 4H AH")
    assert (first.chance, first.slips) == (Chance.FORCED, ())
    assert (second.chance, second.slips) == (Chance.LOST, ())


def test_with_help():
    """Seat 0 takes two if seat 1 does not ruff the three of hearts; the three of clubs throws that chance away."""
    [first, _] = ends(["AH 3H 3C", "2S 4H 5C"], "3S", [2, 1], "AH 4H 3C 5C 2S 3H")
    assert first.chance is Chance.OPEN
    [slip] = first.slips
    assert (slip.trick, slip.card, slip.better) == (1, Card.parse("3C"), Card.parse("3H"))
    assert (slip.before, slip.after) == (Chance.OPEN, Chance.LOST)


def test_throw_a_sure_trick_away():
    """The Lo Bluke goes under the Hi Bluke, and with it the bid: the slip is told with the card to keep it."""
    first, second = ends(["HI 3C", "LO 2D"], "2S", [1, 1], "HI LO 3C 2D")
    assert first.chance is Chance.FORCED
    assert second.chance is Chance.FORCED
    [slip] = second.slips
    assert (slip.trick, slip.card, slip.better) == (0, Card.parse("LO"), Card.parse("2D"))
    assert slip.before is Chance.FORCED
    assert slip.after is Chance.LOST


def test_new_jersey():
    """There the Lo Bluke must be played to a led trump, so that it was no slip."""
    _, second = ends(["HI 3C", "LO 2D"], "2S", [1, 1], "HI LO 3C 2D", variant=Variant.NEW_JERSEY)
    # Had seat 0 led the clubs, it would have taken a trick.
    assert (second.chance, second.slips) == (Chance.OPEN, ())


def test_only_the_end():
    """Only the last five tricks are worked out, and only those that were begun."""
    rules = one(2, 8)
    game = dealt_game(rules, ["2C 3C 4C 5C 6C 7C 8C 9C", "2D 3D 4D 5D 6D 7D 8D 9D"], "2S", [1, 1])
    assert endgames(rules, hand_of(game), (0, 1)) == ()
    play(game, "9C 9D 8C 8D 7C 7D")
    assert endgames(rules, hand_of(game), (0, 1)) == ()
    play(game, "6C")
    [first] = endgames(rules, hand_of(game), (0,))
    assert (first.trick, first.chance) == (3, Chance.MADE)


def test_out_of_reach():
    """Seat 1 takes both tricks if it ruffs the ace; if it does not, one trick is too few for two."""
    _, second = ends(["AH 3H", "LO 2D"], "2S", [1, 2], "AH 2D 3H LO")
    assert second.chance is Chance.FORCED
    [slip] = second.slips
    assert (slip.card, slip.better, slip.after) == (Card.parse("2D"), Card.parse("LO"), Chance.LOST)
