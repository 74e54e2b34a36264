"""Turns: all that one seat may know when it is asked, and nothing else.

A `TurnWriter` keeps what everybody at the table may know as a message, and completes copies of it: each with what
the seat that is asked knows besides. What another seat holds, and what is left of the pack, never enters the first,
so there is nothing to delete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bluke.rules import Asked, Bid, CardSet, Dealt, Played, Scored, TrickTaken
from bluke.v1 import game_pb2 as game_pb
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.convert import ASKED, TRUMPS, rules_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from bluke.rules import Game
    from bluke.rules.game import Event

__all__ = ["Last", "TurnWriter"]


class Last(NamedTuple):
    """How a seat's last decision was measured, and what became of it; see `LastDecision` in the protocol."""

    decision_id: int
    measured_us: int
    excused_us: int
    applied: int
    by_referee: bool
    excused: bool


class TurnWriter:
    """Writes the turns of one game.

    Filling a message from Python costs far more than copying or serialising it, so what is public is kept for the
    whole game and completed with what has happened since.
    """

    __slots__ = ("_apply", "_game", "_public", "_read", "_trick", "_view")

    def __init__(self, game_id: str, game: Game) -> None:
        """Begin with what everybody knows of `game` before its first event."""
        self._game = game
        self._read = 0
        self._public = play_pb.Turn(game_id=game_id)
        self._view = self._public.view
        self._view.rules.CopyFrom(rules_message(game.rules))
        self._view.totals.extend(game.totals)
        # The trick that is being played, kept because reaching it through the view costs more than adding a card.
        self._trick: game_pb.Trick | None = None
        self._apply: dict[type[Event], Callable[..., None]] = {
            Played: self._played,
            TrickTaken: self._taken,
            Bid: self._bid,
            Dealt: self._dealt,
            Scored: self._scored,
        }
        self._begin_hand(game.hand, game.size, game.dealer)

    def write(self, decision_id: int, last: Last | None = None) -> play_pb.Turn:
        """The turn of the seat that is to act, as a message of its own; see `fill`."""
        turn = play_pb.Turn()
        self.fill(turn, decision_id, last)
        return turn

    def fill(self, turn: play_pb.Turn, decision_id: int, last: Last | None = None) -> None:
        """Make an empty message ask the seat that is to act; its owner adds the clock.

        Args:
            turn: the message.
            decision_id: number of the decision in its game, from 1.
            last: the last decision of that seat, if it has made one.
        """
        game = self._game
        events = game.events
        if self._read < len(events):
            apply = self._apply
            for event in events[self._read :]:
                apply[event.__class__](event)
            self._read = len(events)
        asked, seat = game.asked, game.seat
        if asked is Asked.CUT and self._view.hand != game.hand:
            self._begin_hand(game.hand, game.size, game.dealer)
        turn.CopyFrom(self._public)
        turn.seat = seat
        turn.decision_id = decision_id
        turn.asked = ASKED[asked]  # type: ignore[index]  # a finished game is never asked
        legal, held = game.legal, game.held(seat)
        cards = held.indices()
        turn.view.cards.extend(cards)
        if isinstance(legal, CardSet):
            # Whoever leads, or cannot follow, may play any of them.
            turn.legal.extend(cards if legal.mask == held.mask else legal.indices())
        else:
            turn.legal.extend(legal)
        if last is not None:
            told = turn.last
            told.decision_id = last.decision_id
            told.measured_us = last.measured_us
            told.applied = last.applied
            # Seldom anything but what an absent field says.
            if last.excused_us:
                told.excused_us = last.excused_us
            if last.excused:
                told.excused = True
            if last.by_referee:
                told.by_referee = True

    # What everybody sees

    def _played(self, event: Played) -> None:
        trick = self._trick
        if trick is None:
            trick = self._trick = self._view.tricks.add(leader=event.seat)
        trick.cards.append(event.card.index)

    def _taken(self, event: TrickTaken) -> None:
        if self._trick is not None:
            self._trick.winner = event.winner
            self._trick = None
        self._view.tricks_won[event.winner] += 1

    def _bid(self, event: Bid) -> None:
        self._view.bids[event.seat] = event.bid

    def _dealt(self, event: Dealt) -> None:
        self._begin_hand(event.hand, event.size, event.dealer)
        self._view.trump = TRUMPS[event.trump]
        if event.turned is not None:
            self._view.turned = event.turned.index

    def _scored(self, event: Scored) -> None:
        self._view.totals[:] = event.totals

    def _begin_hand(self, hand: int, size: int, dealer: int) -> None:
        view = self._view
        view.hand, view.size, view.dealer = hand, size, dealer
        view.ClearField("trump")
        view.ClearField("turned")
        view.ClearField("tricks")
        self._trick = None
        seats = self._game.rules.seats
        view.bids[:] = [0] * seats
        view.tricks_won[:] = [0] * seats
