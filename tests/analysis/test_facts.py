from __future__ import annotations

import pytest
from analysis.hands import hand_of, one_hand, play_on
from hypothesis import given
from hypothesis import strategies as st
from replay.recording import record_game
from rules.helpers import GivenPacks, packs, randoms

from bluke.analysis.facts import seat_facts, trick_winners
from bluke.replay.reader import read_replay
from bluke.rules import Game, Outcome, Rules, Scored, TrickTaken
from bluke.wire.values import GameLimits


@pytest.fixture
def golden(tmp_path):
    """The game of tests/golden/replay/complete.txt, where the cards can be looked up."""
    rules, limits = Rules(4, hands=(3, 2, 1)), GameLimits(max_faults=2)
    return read_replay(record_game(tmp_path, rules, fault_rate=0.12, seed=1, limits=limits).path)


def test_first_hand_by_hand(golden):
    """Hand 0 of the golden game, worked out with a pencil.

    Trump is clubs, seat 2 takes trick 0 with the ten, and seat 0 takes tricks 1 and 2.
    """
    facts = seat_facts(golden.header.rules, golden.hands[0])
    assert [(fact.bid, fact.taken, fact.outcome, fact.points) for fact in facts] == [
        (2, 2, Outcome.PERFECT, 20),
        (1, 0, Outcome.SET, -10),
        (1, 1, Outcome.PERFECT, 10),
        (1, 0, Outcome.SET, -10),
    ]
    assert [fact.safe_after for fact in facts] == [2, None, 0, None]
    assert [fact.lost_after for fact in facts] == [None, 2, None, 2]
    assert [fact.moves for fact in facts] == [4, 4, 4, 4]
    # The last card of each; seat 0 also had to follow the 4S with the 8S, and seat 2 the 9C with the TC.
    assert [fact.forced for fact in facts] == [2, 1, 2, 1]
    assert [fact.not_own for fact in facts] == [0, 1, 4, 0]


def test_second_hand_by_hand(golden):
    """Hand 1: seats 1 and 3 bid both tricks and took one each; seat 3 lost the first, seat 1 the second."""
    facts = seat_facts(golden.header.rules, golden.hands[1])
    assert [fact.safe_after for fact in facts] == [None, None, None, None]
    assert [fact.lost_after for fact in facts] == [1, 1, 1, 0]
    assert [fact.points for fact in facts] == [-10, -20, -10, -20]


def test_last_hand_by_hand(golden):
    """A hand of one card leaves nobody a choice: bid and card are forced."""
    facts = seat_facts(golden.header.rules, golden.hands[2])
    assert [fact.forced for fact in facts] == [2, 2, 2, 2]


def test_times(golden):
    """Times are those of the file, and there are none for moves that nobody was asked for."""
    hand = golden.hands[0]
    facts = seat_facts(golden.header.rules, hand)
    moves = [*hand.bids, *(move for trick in hand.tricks for move in trick.moves)]
    mine = [move.ms for move in moves if move.seat == 0]
    assert facts[0].ms == pytest.approx(sum(mine))
    assert facts[0].slowest_ms == max(mine)
    assert (facts[2].ms, facts[2].slowest_ms) == (None, None)


@given(one_hand(), packs, randoms, st.floats(0, 1))
def test_facts_are_those_of_the_game(rules, pack, random, begun):
    """However far a hand was played: tricks and points are those of the game, and a bid is never both safe and lost."""
    game = Game(rules, GivenPacks(pack))
    play_on(game, random, int(begun * (rules.seats * (1 + rules.schedule[0]) + 1)))
    hand = hand_of(game)
    facts = seat_facts(rules, hand)
    assert trick_winners(rules, hand) == [event.winner for event in game.events if isinstance(event, TrickTaken)]
    scored = game.events[-1]
    for fact in facts:
        assert fact.forced <= fact.moves
        assert fact.safe_after is None or fact.lost_after is None
        assert (fact.points is None) == (not game.over)
        if fact.bid is not None:
            assert (fact.safe_after is not None) == (fact.taken >= fact.bid)
        if isinstance(scored, Scored):
            assert (fact.bid, fact.taken, fact.points) == (
                scored.bids[fact.seat],
                scored.tricks[fact.seat],
                scored.points[fact.seat],
            )
            assert (fact.safe_after is None) == (fact.lost_after is not None)
