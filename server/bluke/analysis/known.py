"""What one seat knows when it is asked, and what follows from it: nothing else goes into an estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bluke.analysis.playout import PACK, Position, Table

if TYPE_CHECKING:
    from bluke.rules import Card, CardSet, Rules, Suit

__all__ = ["Known", "Reading", "read"]


@dataclass(frozen=True, slots=True)
class Known:
    """All that a seat knows of a hand when it is asked for a bid or a card.

    Two states of a game that the seat cannot tell apart are equal here.

    Attributes:
        game: the id of the game, which the dice of the estimates follow from.
        rules: the rules in force.
        hand: the number of the hand.
        size: cards dealt to each seat.
        dealer: the dealer.
        turned: the card turned up, if any.
        trump: its suit; `None` for no trump.
        seat: the seat that is asked.
        dealt: the cards that were dealt to it.
        bids: the bids made so far, in the order made: the first is of the seat left of the dealer.
        plays: the cards played so far in this hand, in the order played. The rules say by whom.
    """

    game: str
    rules: Rules
    hand: int
    size: int
    dealer: int
    turned: Card | None
    trump: Suit | None
    seat: int
    dealt: CardSet
    bids: tuple[int, ...]
    plays: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What follows from what a seat knows, in the bit masks of the playouts.

    Attributes:
        table: the hand.
        seat: the seat that is asked.
        held: the cards that it holds.
        bids: by seat, 0 for a seat that has not bid.
        taken: by seat, the tricks taken.
        played: by seat, the cards that it has played.
        lacks: by seat, cards that it cannot hold, since it did not follow when it had to.
        position: where the play stands.
        hidden: the cards that the seat has not seen: in other hands, or not dealt.
    """

    table: Table
    seat: int
    held: int
    bids: tuple[int, ...]
    taken: tuple[int, ...]
    played: tuple[int, ...]
    lacks: tuple[int, ...]
    position: Position
    hidden: int

    @property
    def left(self) -> tuple[int, ...]:
        """How many cards each seat holds."""
        return tuple(self.table.size - cards.bit_count() for cards in self.played)


def read(known: Known) -> Reading:
    """Work out what follows from what a seat knows."""
    turned = 0 if known.turned is None else known.turned.bit
    table = Table.of(known.rules, known.size, known.dealer, known.trump, turned)
    seats = table.seats
    bids = [0] * seats
    for turn, bid in enumerate(known.bids, table.dealer + 1):
        bids[turn % seats] = bid
    taken, played, lacks = [0] * seats, [0] * seats, [0] * seats
    position = Position.first(table)
    for card in known.plays:
        seat = position.seat
        binding, allowed = position.follow
        if not card.bit & allowed:
            lacks[seat] |= binding
        played[seat] |= card.bit
        position = position.after(table, card.bit)
        if not position.to_play:
            taken[position.winner] += 1
            position = position.next_trick(table)
    seen = turned | known.dealt.mask
    for cards in played:
        seen |= cards
    return Reading(
        table=table,
        seat=known.seat,
        held=known.dealt.mask & ~played[known.seat],
        bids=tuple(bids),
        taken=tuple(taken),
        played=tuple(played),
        lacks=tuple(lacks),
        position=position,
        hidden=PACK & ~seen,
    )
