from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from pathlib import Path

import pytest
from sdk.fake_referee import bid_turn, play_turn, view

from bluke.v1 import game_pb2, play_pb2
from bluke_sdk import CARDS, HI, LO, BidView, Card, PlayView, Rules, Suit, Trick
from bluke_sdk._wire import SeatCache, read_view


def read(turn: play_pb2.Turn) -> PlayView | BidView:
    kind = PlayView if turn.asked == game_pb2.ASKED_PLAY else BidView
    return read_view(kind, turn, SeatCache(turn.view.rules))  # type: ignore[return-value]


def test_parse_undoes_str():
    """All 54 cards have a notation of their own, and so has their repr."""
    assert len({str(card) for card in CARDS}) == 54
    for index, card in enumerate(CARDS):
        assert card.index == index
        assert Card.parse(str(card)) is card
        assert eval(repr(card)) is card
        assert pickle.loads(pickle.dumps(card)) == copy.deepcopy(card) == card


def test_index_follows_the_rules():
    """The index is 13 * suit + rank, and the Blukes come last (RULES 1.3)."""
    assert [str(CARDS[i]) for i in (0, 12, 13, 51, 52, 53)] == ["2C", "AC", "2D", "AS", "LO", "HI"]
    assert (CARDS[51].suit, CARDS[51].rank) == (Suit.SPADES, 12)
    assert (LO.suit, LO.rank, HI.rank) == (None, 13, 14)


@pytest.mark.parametrize("text", ["", "10H", "9h", "X", "1C"])
def test_parse_refuses_what_is_no_card(text):
    """Notation is exact, and the refusal quotes what came."""
    with pytest.raises(ValueError, match=f"'{text}' is not a card"):
        Card.parse(text)


def test_every_suit_is_true():
    """`if view.trump:` asks whether there is a trump, for clubs too."""
    assert all(Suit)
    assert [str(suit) for suit in Suit] == ["C", "D", "H", "S"]
    assert Suit("H") is Suit.HEARTS


def test_winning_is_the_strongest_card():
    """A higher card of the suit, a trump, a Bluke and the other Bluke take over; a side card does not (RULES 1.4)."""
    played = tuple(map(Card.parse, ["3C", "AC", "2H", "AD", "LO", "HI"]))
    for length in range(1, 7):
        cards = played[:length]
        shown = _table(Suit.HEARTS, cards)
        expected = [0, 1, 2, 2, 4, 5][length - 1]
        assert shown.winning == (expected, cards[expected])


def _table(trump: Suit | None, cards: tuple[Card, ...]) -> PlayView:
    return PlayView(
        seat=len(cards),
        rules=Rules(seats=15),
        totals=(0,) * 15,
        hand=0,
        size=3,
        dealer=14,
        trump=trump,
        turned=None,
        cards=(),
        bids=(1,) * 15,
        tricks=(Trick(0, cards),),
        tricks_won=(0,) * 15,
        legal=(),
    )


def test_winning_agrees_with_the_vectors():
    """Every trick of the vectors that is played out at a table is taken by the card they name."""
    path = Path(__file__).parents[1] / "vectors" / "tricks.json"
    if not path.exists():
        pytest.skip("the vectors are not here")
    for case in json.loads(path.read_text())["cases"]:
        cards = tuple(map(Card.parse, case["cards"]))
        if len(cards) < 15:
            trump = Suit(case["trump"]) if case["trump"] else None
            assert _table(trump, cards).winning == (case["winner"], cards[case["winner"]])


def test_bid_view_tells_all_of_the_turn():
    """Every field of the turn is there under its own name, as a value."""
    last = play_pb2.LastDecision(decision_id=6, measured_us=1500, excused_us=500, applied=3, excused=True)
    shown = read(bid_turn("game", 7, decision_left_ms=1500, bank_left_ms=60_000, last=last, again=True))
    assert isinstance(shown, BidView)
    assert (shown.game_id, shown.decision_id, shown.seat, shown.again) == ("game", 7, 2, True)
    assert (shown.hand, shown.size, shown.dealer, shown.totals) == (0, 3, 0, (0, -10, 20, 30))
    assert (shown.trump, str(shown.turned)) == (Suit.HEARTS, "2H")
    assert [str(card) for card in shown.cards] == ["2C", "AC", "HI"]
    assert (shown.bids, shown.tricks, shown.tricks_won) == ((None, 2, None, None), (), (0, 0, 0, 0))
    assert shown.legal == (1, 2, 3)
    assert (shown.time_left, shown.bank_left) == (1.5, 60.0)
    assert shown.last is not None
    assert (shown.last.measured, shown.last.excused_time, shown.last.excused) == (0.0015, 0.0005, True)
    assert shown.rules.hands == (3, 2, 1, 2, 3)
    assert (shown.my_bid, shown.needed, shown.trick, shown.led, shown.winning) == (None, 0, None, None, None)


def test_play_view_tells_of_the_table():
    """The trick on the table, who is taking it, who is still to come and what has been seen."""
    done = game_pb2.Trick(leader=0, cards=[13, 14, 15, 16], winner=3)
    open_ = game_pb2.Trick(leader=3, cards=[20, 30, 21])
    table = view(bids=[1, 2, 2, 1], tricks=[done, open_], tricks_won=[0, 0, 0, 1])
    shown = read(play_turn(view=table))
    assert isinstance(shown, PlayView)
    assert [str(card) for card in shown.legal] == ["2C", "AC", "HI"]
    assert shown.tricks[0] == Trick(0, CARDS[13:17], 3)
    assert shown.trick == Trick(3, (CARDS[20], CARDS[30], CARDS[21]), None)
    assert shown.led is CARDS[20]
    assert shown.winning == (0, CARDS[30])
    assert shown.seats_after == ()
    assert (shown.my_bid, shown.my_tricks, shown.needed, shown.needed_by(3)) == (2, 0, 2, 0)
    assert {card.index for card in shown.seen} == {0, 12, 53, 26, 13, 14, 15, 16, 20, 30, 21}


def test_a_seat_to_lead_sees_no_trick_on_the_table():
    """A trick that is over, or has no card yet, is not on the table."""
    for tricks in ([], [game_pb2.Trick(leader=2)], [game_pb2.Trick(leader=0, cards=[1, 2, 3, 4], winner=2)]):
        shown = read(play_turn(view=view(bids=[1, 1, 1, 1], tricks=tricks)))
        assert (shown.trick, shown.led, shown.winning) == (None, None, None)
        assert shown.seats_after == (3, 0, 1)


def test_a_view_never_changes():
    """What is read lazily stays what it was, and nothing can be assigned."""
    shown = read(play_turn())
    assert shown.cards is shown.cards
    assert shown == copy.copy(shown) == pickle.loads(pickle.dumps(shown))
    with pytest.raises(dataclasses.FrozenInstanceError):
        shown.seat = 3  # type: ignore[misc]
    with pytest.raises(AttributeError, match="PlayView has no 'colour'"):
        _ = shown.colour  # type: ignore[union-attr]


def test_tricks_that_are_over_are_shared():
    """Views of one hand share its finished tricks; an older view and another hand still read their own."""
    turn = play_turn()
    cache = SeatCache(turn.view.rules)
    one = [game_pb2.Trick(leader=0, cards=[1, 2, 3, 4], winner=1)]
    two = [*one, game_pb2.Trick(leader=1, cards=[5, 6, 7, 8], winner=2), game_pb2.Trick(leader=2, cards=[9])]
    older = read_view(PlayView, play_turn(view=view(tricks=one)), cache)
    newer = read_view(PlayView, play_turn(view=view(tricks=two)), cache)
    other = read_view(PlayView, play_turn(view=view(hand=1, tricks=[game_pb2.Trick(leader=3, cards=[40])])), cache)
    assert len(newer.tricks) == 3
    assert older.tricks == newer.tricks[:1]
    assert older.tricks[0] is newer.tricks[0]
    assert other.tricks == (Trick(3, (CARDS[40],)),)


def test_values_of_a_newer_referee_are_something_else():
    """Enum values that this SDK does not know are OTHER, and an unknown trump is no trump."""
    strange = view()
    strange.rules.variant = 99  # type: ignore[assignment]
    strange.rules.cut = 99  # type: ignore[assignment]
    strange.trump = 99  # type: ignore[assignment]
    shown = read(bid_turn(view=strange))
    assert (shown.rules.variant.value, shown.rules.cut.value, shown.trump) == ("other", "other", None)
