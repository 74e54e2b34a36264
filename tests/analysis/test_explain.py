from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from analysis.hands import hand_of, one, play_on
from replay.recording import STRICT, lines_of, record_game, to_bytes
from rules.helpers import GivenPacks
from rules.test_hidden import exchanged

from bluke.analysis import explain_game
from bluke.analysis.explain import Maker, Task, explain_hand
from bluke.errors import ConfigError, ReplayError
from bluke.replay.reader import parse_replay, read_replay
from bluke.rules import CARDS, Asked, BlukeLed, CutRule, Game, Rules, Variant
from bluke.wire.values import GameLimits

FEW = 4


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    """A game of a few hands, played at random."""
    return read_replay(record_game(tmp_path_factory.mktemp("game"), Rules(4, hands=(5, 3, 1)), seed=3).path)


@pytest.fixture(scope="module")
def explained(game):
    """All of it."""
    return explain_game(game, samples=FEW)


def test_explain_all(game, explained):
    """Every bid and every card with a choice is there, in the order of the file, with the seat's own options."""
    assert [hand.hand for hand in explained.hands] == [0, 1, 2]
    assert explained.seats == (0, 1, 2, 3)
    assert explained.complete
    for hand, told in zip(explained.hands, game.hands, strict=True):
        assert hand.finished
        lines = [decision.line for decision in hand.decisions]
        assert lines == sorted(lines)
        bids = [decision for decision in hand.decisions if decision.asked is Asked.BID]
        assert [(bid.seat, bid.value) for bid in bids] == [(move.seat, move.value) for move in told.bids]
        assert all(len(bid.options) == told.size for bid in bids)
        assert all(len(decision.options) > 1 for decision in hand.decisions if decision.asked is Asked.PLAY)
        assert all(decision.value in {option.value for option in decision.options} for decision in hand.decisions)
        assert [endgame.seat for endgame in hand.hindsight] == [0, 1, 2, 3]


def test_pick_seats_and_hands(game, explained):
    """What is asked for is what there is of it in the whole, to the last digit."""
    part = explain_game(game, seats=(2,), hands=(1,), samples=FEW)
    [hand] = part.hands
    whole = explained.hands[1]
    assert hand.facts == (whole.facts[2],)
    assert hand.decisions == tuple(decision for decision in whole.decisions if decision.seat == 2)
    assert hand.hindsight == (whole.hindsight[2],)
    assert part.complete


@pytest.mark.slow
def test_explain_in_processes(tmp_path):
    """Two processes find what one does."""
    game = read_replay(record_game(tmp_path, Rules(4, hands=(10, 6, 8)), seed=1).path)
    told = []
    several = explain_game(game, samples=10, jobs=2, told=lambda *done: told.append(done))
    assert several == explain_game(game, samples=10)
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_exchange_what_a_seat_cannot_see():
    """Hindsight differs between two games that a seat cannot tell apart, and nothing else of that seat does."""
    random = Random(5)
    rules = one(3, 4)
    pack = tuple(random.sample(CARDS, 54))
    different = 0
    for _ in range(20):
        game = play_on(Game(rules, GivenPacks(pack)), random, 4)
        other = Game(rules, GivenPacks(exchanged(game, pack, game.seat, random)))
        for move in hand_of(game).bids:
            other.answer(move.seat, move.value)
        [(seat, card)] = [(move.seat, move.value) for move in hand_of(game).tricks[0].moves]
        if other.legal != game.legal and card not in other.legal:
            continue
        other.answer(seat, card)
        me = game.seat
        play_on(game, random, 1)
        last = hand_of(game).tricks[-1].moves[-1]
        other.answer(last.seat, last.value)
        one_task = Task("game", rules, hand_of(game), (me,), FEW, "rule")
        one_hand, other_hand = explain_hand(one_task), explain_hand(replace(one_task, hand=hand_of(other)))
        assert one_hand.decisions == other_hand.decisions
        assert one_hand.facts == other_hand.facts
        different += one_hand.hindsight != other_hand.hindsight
    assert different


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        pytest.param(Rules(4, hands=(4, 3)), {"stop": 11, "ending": None}, id="crashed"),
        pytest.param(Rules(4, hands=(4, 3)), {"stop": 3, "ending": None}, id="bidding"),
        pytest.param(Rules(2, max_hand=3, cut=CutRule.PLAYER), {"stop": 10, "reason": "stopped"}, id="void"),
        pytest.param(Rules(4, hands=(4, 3)), {"limits": STRICT, "fault_rate": 0.1, "seed": 3}, id="forfeited"),
        pytest.param(Rules(3, hands=(3, 2)), {"limits": GameLimits(max_faults=1), "fault_rate": 0.3}, id="played-out"),
        pytest.param(
            Rules(15, hands=(3, 1), variant=Variant.NEW_JERSEY), {}, id="fifteen-seats", marks=pytest.mark.slow
        ),
        pytest.param(Rules(9, hands=(6,), bluke_led=BlukeLed.TRUMP), {}, id="whole-pack", marks=pytest.mark.slow),
    ],
)
def test_explain_any_game(tmp_path, rules, options):
    """Games of every kind are explained as far as they go."""
    replay = read_replay(record_game(tmp_path, rules, **options).path)
    explained = explain_game(replay, samples=2)
    assert len(explained.hands) == len(replay.hands)
    assert [hand.finished for hand in explained.hands] == [hand.score is not None for hand in replay.hands]
    whole = all(hand.finished for hand in explained.hands) and len(replay.hands) == len(rules.schedule)
    assert explained.complete == whole
    moves = {
        move.line: move
        for hand in replay.hands
        for move in (*hand.bids, *(move for trick in hand.tricks for move in trick.moves))
    }
    for hand in explained.hands:
        for decision in hand.decisions:
            move = moves[decision.line]
            assert (decision.seat, decision.value) == (move.seat, move.value)
            assert decision.maker is (Maker.REFEREE if move.by_referee else Maker.BOT)


def test_a_person_chose(tmp_path):
    """A move that was forced on a branched game is told as a person's."""
    path = record_game(tmp_path, Rules(2, hands=(2,))).path
    lines = lines_of(path)
    lines[3]["forced"] = True
    replay = parse_replay(to_bytes(lines, seal=True), path)
    [hand] = explain_game(replay, samples=2).hands
    assert [decision.maker for decision in hand.decisions[:2]] == [Maker.PERSON, Maker.BOT]


def test_refuse_what_was_not_dealt(tmp_path):
    """Cards that do not follow from the seed are said with their line."""
    path = record_game(tmp_path, Rules(2, hands=(2,))).path
    lines = lines_of(path)
    lines[2]["cards"].reverse()
    with pytest.raises(ReplayError, match="line 3: is not the deal that follows from the seed"):
        explain_game(parse_replay(to_bytes(lines, seal=True), path))


def test_refuse_an_illegal_move(tmp_path):
    """A move that the rules refuse is said with its line."""
    path = record_game(tmp_path, Rules(2, hands=(2,))).path
    lines = lines_of(path)
    lines[3]["bid"] = 3
    with pytest.raises(ReplayError, match="line 4: a bid of 3"):
        explain_game(parse_replay(to_bytes(lines, seal=True), path))


def test_refuse_a_game_without_hands(tmp_path):
    """A file that ends before the first deal holds nothing to explain."""
    path = record_game(tmp_path, Rules(2, hands=(2,))).path
    replay = parse_replay(to_bytes(lines_of(path)[:2], seal=False), path)
    with pytest.raises(ReplayError, match="holds no hand"):
        explain_game(replay)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"seats": (4,)}, "there is no seat 4: seats are 0 to 3"),
        ({"seats": (-1,)}, "there is no seat -1"),
        ({"policy": "best"}, "there is no policy 'best': there is rule"),
        ({"samples": 1}, "1 sampled deals: an interval takes 2 or more"),
    ],
)
def test_refuse_what_cannot_be_asked(game, wrong, said):
    """A wrong question is answered by a sentence."""
    with pytest.raises(ConfigError, match=said):
        explain_game(game, **wrong)
