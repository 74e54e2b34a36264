"""What is plain from a hand as it was played: no deal is sampled and nothing is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from bluke.analysis.playout import Position, Table
from bluke.rules import CardSet, Outcome, outcome, points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bluke.replay.reader import ReplayHand, ReplayMove
    from bluke.rules import Card, Rules

__all__ = ["SeatFacts", "Turn", "seat_facts", "table_of", "trick_winners", "turns"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One card as it was played: the position and all hands before it, and what each seat had taken."""

    move: ReplayMove
    card: Card
    trick: int
    position: Position
    hands: tuple[int, ...]
    taken: tuple[int, ...]

    @property
    def legal(self) -> int:
        """What the seat to act could play."""
        return self.position.legal(self.hands[self.position.seat])


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """One seat's hand.

    Attributes:
        seat: the seat.
        bid: its bid, `None` if it made none.
        taken: tricks it took.
        outcome: what became of the bid, `None` for a hand that was not played to its end.
        points: what it scored, `None` likewise.
        safe_after: the trick after which the bid was made, whatever came; `None` for never.
        lost_after: the trick after which the tricks left were too few for the bid; `None` for never.
        moves: bids and plays of this seat.
        forced: those of them with one legal answer.
        not_own: those of them that the referee made, or a person who branched the game.
        ms: all the time that was measured, in milliseconds; `None` if none was.
        slowest_ms: the slowest move.
    """

    seat: int
    bid: int | None
    taken: int
    outcome: Outcome | None
    points: int | None
    safe_after: int | None
    lost_after: int | None
    moves: int
    forced: int
    not_own: int
    ms: float | None
    slowest_ms: float | None


def table_of(rules: Rules, hand: ReplayHand) -> Table:
    """The table that a hand was played at."""
    return Table.of(rules, hand.size, hand.dealer, hand.trump, 0 if hand.turned is None else hand.turned.bit)


def turns(rules: Rules, hand: ReplayHand) -> Iterator[Turn]:
    """Walk through the cards of a hand whose moves are legal."""
    table = table_of(rules, hand)
    hands = [CardSet.of(dealt).mask for dealt in hand.cards]
    taken = [0] * rules.seats
    position = Position.first(table)
    for trick in hand.tricks:
        for move in trick.moves:
            card = cast("Card", move.value)
            yield Turn(move, card, trick.number, position, tuple(hands), tuple(taken))
            hands[move.seat] ^= card.bit
            position = position.after(table, card.bit)
        if not position.to_play:
            taken[position.winner] += 1
            position = position.next_trick(table)


def seat_facts(rules: Rules, hand: ReplayHand) -> tuple[SeatFacts, ...]:
    """The facts of a hand by seat, as far as it was played."""
    winners = trick_winners(rules, hand)
    # Each move, and whether there was no other.
    moves = [(move, hand.size == 1) for move in hand.bids]
    moves += [(turn.move, turn.legal.bit_count() == 1) for turn in turns(rules, hand)]
    return tuple(
        _facts_of(seat, hand, winners, [found for found in moves if found[0].seat == seat])
        for seat in range(rules.seats)
    )


def trick_winners(rules: Rules, hand: ReplayHand) -> list[int]:
    """The seats that took the tricks which were played to their end, in order."""
    table = table_of(rules, hand)
    last = (turn for turn in turns(rules, hand) if turn.position.to_play == 1)
    return [turn.position.after(table, turn.card.bit).winner for turn in last]


def _facts_of(seat: int, hand: ReplayHand, winners: list[int], moves: list[tuple[ReplayMove, bool]]) -> SeatFacts:
    bid = next((cast("int", move.value) for move in hand.bids if move.seat == seat), None)
    taken = winners.count(seat)
    safe_after = lost_after = None
    if bid is not None:
        after = [bid - winners[: trick + 1].count(seat) for trick in range(len(winners))]
        safe_after = next((trick for trick, need in enumerate(after) if need <= 0), None)
        lost_after = next((trick for trick, need in enumerate(after) if need > hand.size - trick - 1), None)
    finished = bid is not None and len(winners) == hand.size
    times = [move.ms for move, _ in moves if move.ms is not None]
    return SeatFacts(
        seat=seat,
        bid=bid,
        taken=taken,
        outcome=outcome(bid, taken) if bid is not None and finished else None,
        points=points(bid, taken) if bid is not None and finished else None,
        safe_after=safe_after,
        lost_after=lost_after,
        moves=len(moves),
        forced=sum(forced for _, forced in moves),
        not_own=sum(move.by_referee or move.forced for move, _ in moves),
        ms=sum(times) if times else None,
        slowest_ms=max(times, default=None),
    )
