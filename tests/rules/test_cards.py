from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rules import naive

from bluke.rules import BLUKES, CARDS, HI, LO, Card, CardSet, Suit

card_sets = st.sets(st.sampled_from(CARDS))


def test_write_and_read_every_card():
    """Parsing undoes `str`, evaluating undoes `repr`, and 54 cards have 54 notations."""
    assert [str(card) for card in CARDS] == naive.PACK
    for card in CARDS:
        assert Card.parse(str(card)) is card
        assert eval(repr(card)) == card
        assert hash(eval(repr(card))) == hash(card)


def test_copy_and_pickle_cards():
    """A card that went through another process is the same card, bit and all."""
    for card in CARDS:
        for other in (copy.deepcopy(card), pickle.loads(pickle.dumps(card))):
            assert (other, other.bit, str(other)) == (card, card.bit, str(card))


def test_write_and_read_every_suit():
    """Parsing a suit undoes `str`."""
    assert "".join(map(str, Suit)) == naive.SUITS
    assert [Suit.parse(str(suit)) for suit in Suit] == list(Suit)


@pytest.mark.parametrize(("index", "text"), [(0, "2C"), (12, "AC"), (13, "2D"), (51, "AS"), (52, "LO"), (53, "HI")])
def test_index_cards(index, text):
    """The index of a card is that of RULES 1.3."""
    assert Card.parse(text).index == index
    assert str(Card(index)) == text


def test_take_cards_apart():
    """The index is 13 * suit + rank; Blukes have no suit and outrank the ace, the Lo below the Hi (RULES 1.3, 3.1)."""
    for card in CARDS[:52]:
        assert card.suit is not None
        assert 13 * card.suit + card.rank == card.index
        assert not card.is_bluke
    assert [card for card in CARDS if card.is_bluke] == [LO, HI] == list(BLUKES)
    assert LO.suit is None
    assert HI.suit is None
    assert [card.rank for card in (CARDS[51], LO, HI)] == [12, 13, 14]


@given(st.text(max_size=3))
def test_read_what_is_no_card(text):
    """Only the 54 notations are cards; the error shows what was read."""
    if text in naive.PACK:
        return
    with pytest.raises(ValueError, match="is not a card") as caught:
        Card.parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["", "2c", "1C", "10C", "CT", " 2C", "2C ", "lo", "Hi", "LOW", "JO"])
def test_read_what_is_nearly_a_card(text):
    """Notation is exact: no small letters, no blanks, no tens in digits."""
    with pytest.raises(ValueError, match="is not a card"):
        Card.parse(text)


@pytest.mark.parametrize("text", ["", "c", "CD", "N", "NT", "LO", "♣"])
def test_read_what_is_no_suit(text):
    """Only C, D, H and S are suits."""
    with pytest.raises(ValueError, match="is not a suit"):
        Suit.parse(text)


@pytest.mark.parametrize("index", [-1, 54, 1_000_000])
def test_make_a_card_that_does_not_exist(index):
    """Cards are 0 to 53."""
    with pytest.raises(ValueError, match="cards are 0 to 53"):
        Card(index)


def test_change_a_card():
    """Cards and sets are values."""
    with pytest.raises(AttributeError):
        LO.index = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        BLUKES.mask = 3  # type: ignore[misc]


@given(card_sets, card_sets)
def test_combine_sets_of_cards(one, other):
    """A `CardSet` is a set: it has the same members, length, union, meet and difference."""
    mine, theirs = CardSet.of(one), CardSet.of(other)
    assert list(mine) == sorted(one)
    assert mine.indices() == [card.index for card in sorted(one)]
    assert str(mine) == " ".join(str(card) for card in sorted(one))
    assert len(mine) == len(one)
    assert bool(mine) == bool(one)
    assert all((card in mine) == (card in one) for card in CARDS)
    assert set(mine | theirs) == one | other
    assert set(mine & theirs) == one & other
    assert set(mine - theirs) == one - other
    assert (mine == theirs) == (one == other)


def test_look_for_what_is_no_card_in_a_set():
    """Only cards are in a set of cards, not their indices or names."""
    everything = CardSet.of(CARDS)
    assert 0 not in everything
    assert "2C" not in everything
