"""Turns: all that one seat may know when it is asked, and nothing else.

A `TurnWriter` is told the game's events and takes over from each what its seat may know. What
another seat holds, and what is left of the pack, never enters it, so there is nothing to delete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.rules import Asked, Bid, CardSet, Dealt, Played, Scored, TrickTaken
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.convert import ASKED, TRUMPS, rules_message

if TYPE_CHECKING:
    from bluke.rules import Game

__all__ = ["TurnWriter"]


class TurnWriter:
    """Writes the turns of one seat of one game.

    Filling a message from Python costs far more than serialising it, so one message is kept for
    the whole game and completed from turn to turn with what has happened since.
    """

    __slots__ = ("_game", "_read", "_seat", "_turn")

    def __init__(self, game_id: str, seat: int, game: Game) -> None:
        """Begin with an empty view of `game` for `seat`."""
        self._game = game
        self._seat = seat
        self._read = 0
        self._turn = play_pb.Turn(game_id=game_id, seat=seat)
        self._turn.view.rules.CopyFrom(rules_message(game.rules))
        self._turn.view.totals.extend(game.totals)
        self._before_cut()

    @property
    def message(self) -> play_pb.Turn:
        """The turn as last written; its owner adds the clock to it. Copy it to keep it."""
        return self._turn

    def write(self, decision_id: int) -> play_pb.Turn:
        """Bring the turn up to date and make it ask the decision that is due now."""
        game, turn = self._game, self._turn
        view = turn.view
        events = game.events
        for event in events[self._read :]:
            match event:
                case Played(_, _, seat, card):
                    trick = view.tricks[-1] if view.tricks else None
                    if trick is None or trick.HasField("winner"):
                        trick = view.tricks.add(leader=seat)
                    trick.cards.append(card.index)
                case TrickTaken(_, _, winner):
                    view.tricks[-1].winner = winner
                    view.tricks_won[winner] += 1
                case Bid(_, seat, bid):
                    view.bids[seat] = bid
                case Dealt():
                    self._dealt(event)
                case Scored():
                    view.totals[:] = event.totals
        self._read = len(events)
        if game.asked is Asked.CUT and view.hand != game.hand:
            self._before_cut()
        legal = game.legal
        turn.legal[:] = legal.indices() if isinstance(legal, CardSet) else legal
        view.cards[:] = game.held(self._seat).indices()
        turn.decision_id = decision_id
        turn.asked = ASKED[game.asked]  # type: ignore[index]  # a finished game is never asked
        turn.again = False
        return turn

    def _dealt(self, event: Dealt) -> None:
        self._begin_hand(event.hand, event.size, event.dealer)
        view = self._turn.view
        view.trump = TRUMPS[event.trump]
        if event.turned is not None:
            view.turned = event.turned.index

    def _before_cut(self) -> None:
        self._begin_hand(self._game.hand, self._game.size, self._game.dealer)

    def _begin_hand(self, hand: int, size: int, dealer: int) -> None:
        view = self._turn.view
        view.hand, view.size, view.dealer = hand, size, dealer
        view.ClearField("trump")
        view.ClearField("turned")
        view.ClearField("tricks")
        seats = self._game.rules.seats
        view.bids[:] = [0] * seats
        view.tricks_won[:] = [0] * seats
