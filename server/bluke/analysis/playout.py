"""Playing hands out fast: a set of cards is a whole number with bit `index` for each card, as in `bluke.rules.CardSet`.

The rules are those of `bluke.rules`: what must follow comes from its own tables, and which card beats which
is worked out from its strengths once for each trump.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from bluke.rules.cards import BLUKES, FULL_PACK, PACK_SIZE, SUIT_CARDS
from bluke.rules.tricks import NO_SUIT_LED, Follow, follow_table, strength_tables

if TYPE_CHECKING:
    from bluke.analysis.policy import Policy
    from bluke.rules import Rules, Suit

__all__ = ["JOKERS", "PACK", "SUITS", "Position", "Table", "play_out", "touching"]

PACK = FULL_PACK.mask
JOKERS = BLUKES.mask
#: The cards of each suit.
SUITS = tuple(cards.mask for cards in SUIT_CARDS)
NOTHING_LED: Follow = (0, PACK)


@dataclass(frozen=True, slots=True)
class Table:
    """What all playouts of one hand have in common.

    Attributes:
        seats: how many seats play.
        size: cards dealt to each.
        dealer: the dealer, who bids last.
        turned: the card turned up, as a set; it is in nobody's hand.
        strong: the trumps and the Blukes.
        sides: the suits that are not trump, as sets.
        follow: for each card led, by index: the cards that bind who holds any of them, and those then allowed.
        beats: for each card, by index: the cards that beat it where it is winning a trick.
    """

    seats: int
    size: int
    dealer: int
    turned: int
    strong: int
    sides: tuple[int, ...]
    follow: tuple[Follow, ...]
    beats: tuple[int, ...]

    @classmethod
    def of(cls, rules: Rules, size: int, dealer: int, trump: Suit | None, turned: int) -> Table:
        """Make the table of a hand of `size` cards."""
        return cls(
            seats=rules.seats,
            size=size,
            dealer=dealer,
            turned=turned,
            strong=JOKERS | (0 if trump is None else SUITS[trump]),
            sides=tuple(cards for suit, cards in enumerate(SUITS) if suit != trump),
            follow=follow_table(rules.variant, rules.bluke_led, trump),
            beats=_beats(trump),
        )


@cache
def _beats(trump: Suit | None) -> tuple[int, ...]:
    # A card that wins is of the suit led or beats all suits: its own row of the strengths is that of the trick.
    tables = strength_tables(trump)
    rows = [NO_SUIT_LED if index >= 52 else index // 13 for index in range(PACK_SIZE)]
    return tuple(
        sum(1 << other for other in range(PACK_SIZE) if tables[rows[index]][other] > tables[rows[index]][index])
        for index in range(PACK_SIZE)
    )


class Position(NamedTuple):
    """Where in a hand the play stands; who holds and needs what is kept beside it.

    Attributes:
        seat: who is to play, without meaning if `to_play` is 0.
        to_play: cards that the current trick still lacks.
        best: index of the card that is winning it, -1 before the lead.
        winner: the seat that is winning it.
        follow: what the card led asks for.
        out: the cards that nobody has played yet, but for the one turned up.
        tricks: tricks that are not taken yet, the current one among them.
    """

    seat: int
    to_play: int
    best: int
    winner: int
    follow: Follow
    out: int
    tricks: int

    @classmethod
    def first(cls, table: Table) -> Position:
        """The position before the first lead."""
        leader = (table.dealer + 1) % table.seats
        return cls(leader, table.seats, -1, leader, NOTHING_LED, PACK & ~table.turned, table.size)

    def legal(self, held: int) -> int:
        """What the seat to act may play of the cards that it holds."""
        binding, allowed = self.follow
        return held & allowed if held & binding else held

    def after(self, table: Table, card: int) -> Position:
        """The position after the seat to act has played `card`, a set of one; the trick may be full then."""
        index = card.bit_length() - 1
        takes = self.best < 0 or card & table.beats[self.best]
        return Position(
            seat=(self.seat + 1) % table.seats,
            to_play=self.to_play - 1,
            best=index if takes else self.best,
            winner=self.seat if takes else self.winner,
            follow=table.follow[index] if self.best < 0 else self.follow,
            out=self.out & ~card,
            tricks=self.tricks,
        )

    def next_trick(self, table: Table) -> Position:
        """The position before the next lead, once the trick is full."""
        return Position(self.winner, table.seats, -1, self.winner, NOTHING_LED, self.out, self.tricks - 1)


def play_out(
    policy: Policy,
    hands: list[int],
    needs: list[int],
    position: Position,
    me: int = -1,
    *,
    moves: list[int] | None = None,
) -> None:
    """Play on to the end of the hand, every seat by the same policy; uses up `hands` and `needs`.

    Args:
        policy: chooses the cards where there is a choice.
        hands: the cards that each seat still holds.
        needs: by seat, the bid less the tricks taken. Afterwards it is what is lacking, negative for overtricks.
        position: where to begin.
        me: the play stops once this seat is sure to be set, what the others need is without meaning then; -1 for none.
        moves: takes the cards that were played, as sets of one, if it is given.
    """
    table, lead, follow = policy.table, policy.lead, policy.follow
    seats, beats, asks = table.seats, table.beats, table.follow
    seat, to_play, best, winner, (binding, allowed), out, tricks = position
    while tricks:
        if best < 0:
            held = hands[seat]
            card = lead(held, out & ~held, needs[seat], tricks) if held & held - 1 else held
            best = card.bit_length() - 1
            winner = seat
            binding, allowed = asks[best]
            hands[seat] = held ^ card
            out ^= card
            to_play -= 1
            seat = seat + 1 if seat + 1 < seats else 0
            if moves is not None:
                moves.append(card)
        while to_play:
            to_play -= 1
            held = hands[seat]
            card = held & allowed if held & binding else held
            if card & card - 1:
                card = follow(card, card & beats[best], out & ~held, to_play, tricks - needs[seat])
            hands[seat] = held ^ card
            out ^= card
            if card & beats[best]:
                best = card.bit_length() - 1
                winner = seat
            seat = seat + 1 if seat + 1 < seats else 0
            if moves is not None:
                moves.append(card)
        needs[winner] -= 1
        seat, to_play, best = winner, seats, -1
        tricks -= 1
        if me >= 0 and needs[me] > tricks:
            break


def touching(cards: int, between: int) -> list[int]:
    """Group cards that no card of `between` stands between in rank: it makes no difference which of them is played.

    Args:
        cards: the cards that could be played.
        between: all other cards that can still matter: in other hands, or on the table in this trick.

    Returns:
        The groups as sets, each within a suit or of Blukes.
    """
    groups = []
    for suit in (*SUITS, JOKERS):
        group = 0
        left = (cards | between) & suit
        while left:
            low = left & -left
            left ^= low
            if low & cards:
                group |= low
            elif group:
                groups.append(group)
                group = 0
        if group:
            groups.append(group)
    return groups
