from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import pytest
from analysis.hands import dealt_game, hand_of, known, known_list, known_of, one, one_hand, play_on
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rules.helpers import GivenPacks, Move, packs, randoms
from rules.test_hidden import exchanged

from bluke.analysis import estimates
from bluke.analysis.estimates import legal_answers, weigh
from bluke.errors import RuleError
from bluke.rules import Card, CardSet, Game, Rules, SeededPacks, game_seed

DEALS = 20


@given(one_hand(seats=8, size=6), packs, randoms, st.floats(0, 1))
@settings(max_examples=40)
def test_weigh_every_legal_answer(rules, pack, random, begun):
    """Every legal answer has a mean, and no mean is beyond what can be scored."""
    game = Game(rules, GivenPacks(pack))
    play_on(game, random, int(begun * rules.seats * (1 + rules.schedule[0])))
    if game.over:
        return
    found = known_of(game, game.seat)
    assert legal_answers(found) == tuple(game.legal)
    value = random.choice(legal_answers(found))
    weighed = weigh(found, value, 4, "rule")
    assert tuple(option.value for option in weighed.options) == tuple(game.legal)
    size = rules.schedule[0]
    for option in weighed.options:
        bid = option.value if isinstance(option.value, int) else game.bids[game.seat]
        assert bid is not None
        assert -10 * bid <= option.mean <= 10 * bid + size - bid
    if weighed.regret is not None:
        assert weighed.regret.better in game.legal
        assert weighed.regret.better != value
        assert weighed.regret.mean > weighed.regret.margin >= 0


@given(one_hand(seats=6, size=6), packs, randoms, st.data())
@settings(max_examples=60)
def test_exchange_what_a_seat_cannot_see(rules, pack, random, data):
    """Games that a seat cannot tell apart have the same estimates for it, whatever the others hold."""
    seat = data.draw(st.integers(0, rules.seats - 1))
    game = Game(rules, GivenPacks(pack))
    play_on(game, random, data.draw(st.integers(0, rules.seats * (1 + rules.schedule[0]) - 1)))
    other = Game(rules, GivenPacks(exchanged(game, pack, seat, random)))
    try:
        for move in moves_of(game):
            other.answer(*move)
    except RuleError:
        assume(False)  # somebody else had to follow: the seat can tell them apart
    mine = [pair for pair in known_list(game) if pair[0].seat == seat]
    theirs = [pair for pair in known_list(other) if pair[0].seat == seat]
    assert [pair[0] for pair in mine] == [pair[0] for pair in theirs]
    for (one_known, made), (other_known, _) in zip(mine[-2:], theirs[-2:], strict=True):
        assert weigh(one_known, made.value, 3, "rule") == weigh(other_known, made.value, 3, "rule")


def moves_of(game: Game) -> list[Move]:
    hand = hand_of(game)
    moves = [*hand.bids, *(move for trick in hand.tricks for move in trick.moves)]
    return [(move.seat, move.value) for move in moves]


def test_a_wild_bid():
    """A hand without a trick in it that bids all of them rues it, and by how much can be told beforehand."""
    found = known(["2C 3C 2D 3D", "4C 5C 6C 7C", "8C 9C TC JC"], "2S")
    weighed = weigh(found, 4, DEALS, "rule")
    assert weighed.regret is not None
    assert weighed.regret.better == 1
    # A bid of one wins 10 at best and loses 10 at worst; a bid of four loses 40.
    assert 30 - 1 <= weighed.regret.mean <= 50
    assert weighed.regret.deals == estimates.CONFIRM * DEALS
    assert next(option.mean for option in weighed.options if option.value == 4) == -40


def test_a_bluke_thrown_away():
    """To play the Lo Bluke under the Hi Bluke, with a bid to be made, costs what the bid is worth."""
    hands = ["HI 3C", "LO 2D", "7C 8C"]
    found = known(hands, "2S", bids=[1, 1, 1], cards="HI")
    weighed = weigh(found, Card.parse("LO"), DEALS, "rule")
    assert weighed.regret is not None
    assert weighed.regret.better == Card.parse("2D")
    # The Lo Bluke takes the other trick for sure.
    assert next(option.mean for option in weighed.options if option.value == Card.parse("2D")) == 10
    assert weighed.regret.mean > 15


def test_the_right_card():
    """Who keeps it has nothing to rue."""
    found = known(["HI 3C", "LO 2D", "7C 8C"], "2S", bids=[1, 1, 1], cards="HI")
    assert weigh(found, Card.parse("2D"), DEALS, "rule").regret is None


def test_touching_cards_are_as_good():
    """Cards that nothing stands between have one mean, and no regret between them."""
    found = known(["7H 8H TH", "4C 5C 6C", "7C 8C 9C"], "9H", bids=[1, 1, 1])
    weighed = weigh(found, Card.parse("TH"), DEALS, "rule")
    assert len({option.mean for option in weighed.options}) == 1
    assert weighed.regret is None


def test_one_answer():
    """A single answer has a mean and no regret."""
    weighed = weigh(known(["HI", "4C", "7C"], "9H"), 1, DEALS, "rule")
    assert [option.value for option in weighed.options] == [1]
    assert weighed.options[0].mean == 10
    assert (weighed.spread, weighed.regret) == (0, None)


def test_other_game_other_dice():
    """The dice follow from the game's id and the moment, so that no two decisions share theirs."""
    found = known(["AH KC 2D", "4C 5C 6C", "7C 8C 9C"], "9H", bids=[1, 1, 1])
    ace = Card.parse("AH")
    assert weigh(found, ace, DEALS, "rule") == weigh(found, ace, DEALS, "rule")
    means = {weigh(replace(found, game=f"game {i}"), ace, 5, "rule").options for i in range(5)}
    assert len(means) > 1


@pytest.mark.slow
def test_a_perfect_player():
    """Who takes the best answer of many deals has a regret in fewer than 5% of its decisions."""
    decisions = regrets = 0
    for number in range(3):
        game = Game(Rules(4, hands=(6,)), SeededPacks(game_seed(b"perfect", number)))
        while not game.over:
            found = replace(known_of(game, game.seat), game=f"perfect {number}")
            answers = legal_answers(found)
            value = answers[0]
            if len(answers) > 1:
                best = weigh(replace(found, game=f"oracle {number}"), value, 300, "rule")
                value = max(best.options, key=lambda option: option.mean).value
                decisions += 1
                regrets += weigh(found, value, DEALS, "rule").regret is not None
            game.answer(game.seat, value)
    assert decisions > 50
    assert regrets <= 0.05 * decisions


@pytest.mark.slow
def test_an_imperfect_player():
    """Who bids and plays the first that comes has a regret in many more: the estimates can see."""
    regrets = []
    for number in range(3):
        game = Game(Rules(4, hands=(6,)), SeededPacks(game_seed(b"perfect", number)))
        while not game.over:
            found = replace(known_of(game, game.seat), game=f"imperfect {number}")
            answers = legal_answers(found)
            if len(answers) > 1:
                regrets.append(weigh(found, answers[-1], DEALS, "rule").regret is not None)
            game.answer(game.seat, answers[-1])
    assert fmean(regrets) > 0.2


def test_the_dealer_bids_last():
    """Seats that have not bid yet bid as the policy does in each sampled deal: no bid of theirs is used."""
    game = dealt_game(one(2, 2), ["AH KH", "QH JH"], "2S")
    other = dealt_game(one(2, 2), ["AH KH", "LO HI"], "2S")
    assert weigh(known_of(game, 0), 1, DEALS, "rule") == weigh(known_of(other, 0), 1, DEALS, "rule")


def test_legal_cards():
    """The answers are those that the rules allow."""
    found = known(["AH KC 2D", "4H 5C LO", "7C 8C 9C"], "9S", bids=[1, 1, 1], cards="AH")
    assert CardSet.of(card for card in legal_answers(found) if isinstance(card, Card)).mask == sum(
        Card.parse(card).bit for card in ("4H", "LO")
    )
