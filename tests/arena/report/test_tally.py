from __future__ import annotations

from arena.report.hands import played
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.report.tally import Hands, boards_of, tally_games
from bluke.rules import Outcome, outcome, points
from bluke.wire.values import Status

TWO = [
    # a: set at 2 of 3 cards, made 1 with two over, perfect 1 of one card
    played(0, "ab", (3, [(2, 1), (1, 2)]), (3, [(1, 3), (1, 0)]), (1, [(1, 1), (1, 0)]), times_ms=[1, 2, 1000]),
    played(1, "ba", (3, [(1, 1), (2, 2)]), versions=["1.0", "2.1"]),
]


def test_sums_by_hand_size():
    """Hands of a size are added up: bids, tricks, outcomes and points."""
    a = tally_games(TWO, "ab")["a"]
    assert a.sizes == {
        1: Hands(hands=1, bid=1, taken=1, perfect=1, points=10),
        3: Hands(hands=3, bid=5, taken=6, set=1, overtricks=1, perfect=1, points=-20 + 12 + 20),
    }
    assert a.hands == Hands(hands=4, bid=6, taken=7, set=1, overtricks=1, perfect=2, points=22)
    assert a.hands.mean(a.hands.bid) == 1.5


def test_the_bias_is_over_boards():
    """Tricks less bids a hand is worked out on each board, and its interval is over boards."""
    bias = tally_games(TWO, "ab")["a"].bias
    assert bias is not None
    # one trick more in three hands on board 0, none in the one hand of board 1
    assert bias.mean == (1 / 3 + 0) / 2
    assert bias.margin is not None


def test_everything_else():
    """Totals in order, times of all games together, versions as they were called."""
    found = tally_games(TWO, "ab")
    assert found["a"].totals == (2, 20)
    assert found["b"].totals == (1 + 10 - 10 - 10, 10) == (-9, 10)
    assert found["a"].times.counts.total() == 3
    assert found["a"].versions == ("2.1",)
    assert found["b"].versions == ("1.0",)


def test_a_bot_that_has_not_played():
    """A bot without a game has no bias and no sizes."""
    idle = tally_games(TWO, ["a", "b", "idle"])["idle"]
    assert (idle.sizes, idle.bias, idle.totals, idle.hands.mean(0)) == ({}, None, (), None)


def test_games_without_a_hand():
    """A game that was forfeited before its first hand was scored counts with its totals alone."""
    tally = tally_games([played(0, "ab", totals=[0, -5], status=Status.FORFEITED)], "ab")["b"]
    assert (tally.totals, tally.sizes, tally.bias) == ((-5,), {}, None)


def test_boards():
    """Games are put together by match and deal, and void ones left out."""
    games = [*TWO, played(0, "ba", match="other"), played(1, "ab", status=Status.VOID)]
    assert {board: len(found) for board, found in boards_of(games).items()} == {
        ("m", 0): 1,
        ("m", 1): 1,
        ("other", 0): 1,
    }


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), min_size=1))
def test_sums_are_those_of_the_rules(hands: list[tuple[int, int]]):
    """Points and outcomes are the sums of those that the rules give each hand."""
    game = played(0, "a", *((5, [hand]) for hand in hands))
    found = tally_games([game], "a")["a"].hands
    became = [outcome(*hand) for hand in hands]
    assert found.points == sum(points(*hand) for hand in hands) == game.totals[0]
    assert [found.set, found.overtricks, found.perfect] == [became.count(kind) for kind in Outcome]
