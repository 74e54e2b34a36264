"""Whole games of reference bots in one process: what the referee does, without stream or clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bluke_sdk
from bluke.rules import Asked, Dealt, Game, Played, Rules, Scored, SeededPacks, TrickTaken
from bluke_sdk import CARDS, BidView, PlayView, Trick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SUITS = tuple(bluke_sdk.Suit)


@dataclass(frozen=True)
class Result:
    """How a game went: points of each seat, and every move in the order made."""

    totals: tuple[int, ...]
    moves: tuple[int, ...]


def sdk_rules(rules: Rules) -> bluke_sdk.Rules:
    """The rules as a bot is told them."""
    return bluke_sdk.Rules(
        seats=rules.seats,
        variant=bluke_sdk.Variant(rules.variant.value),
        hands=rules.schedule,
        bluke_led=bluke_sdk.BlukeLed(rules.bluke_led.value),
        cut=bluke_sdk.CutRule(rules.cut.value),
    )


class Table:
    """A game, and what its seats may see of it."""

    def __init__(self, rules: Rules, seed: bytes, game_id: str) -> None:
        self.game = Game(rules, SeededPacks(seed))
        self.game_id = game_id
        self.rules = sdk_rules(rules)
        self._read = 0
        self._tricks: list[Trick] = []
        self._open: list[bluke_sdk.Card] = []
        self._leader = 0

    def view(self) -> BidView | PlayView:
        """What the seat to act is shown."""
        game = self.game
        self._catch_up()
        seat = game.seat
        common: dict[str, Any] = {
            "game_id": self.game_id,
            "seat": seat,
            "rules": self.rules,
            "totals": game.totals,
            "hand": game.hand,
            "size": game.size,
            "dealer": game.dealer,
            "trump": None if game.trump is None else SUITS[game.trump],
            "turned": game.turned and CARDS[game.turned.index],
            "cards": tuple(CARDS[i] for i in game.held(seat).indices()),
            "bids": game.bids,
            "tricks": (*self._tricks, Trick(self._leader, tuple(self._open))) if self._open else tuple(self._tricks),
            "tricks_won": game.tricks_won,
        }
        if game.asked is Asked.BID:
            return BidView(**common, legal=tuple(game.legal))  # type: ignore[arg-type]
        return PlayView(**common, legal=tuple(CARDS[card.index] for card in game.legal))  # type: ignore[union-attr]

    def _catch_up(self) -> None:
        events = self.game.events
        for event in events[self._read :]:
            match event:
                case Played():
                    if not self._open:
                        self._leader = event.seat
                    self._open.append(CARDS[event.card.index])
                case TrickTaken():
                    self._tricks.append(Trick(self._leader, tuple(self._open), event.winner))
                    self._open = []
                case Dealt() | Scored():
                    self._tricks = []
        self._read = len(events)


def play_game(
    rules: Rules,
    seed: bytes,
    bots: Sequence[bluke_sdk.Bot],
    game_id: str = "game",
    check: Callable[[BidView | PlayView, object], None] | None = None,
) -> Result:
    """Let `bots` play one game; the rules refuse whatever is not legal."""
    from bluke.rules import CARDS as RULES_CARDS

    table = Table(rules, seed, game_id)
    game = table.game
    moves = []
    while not game.over:
        view = table.view()
        bot = bots[view.seat]
        answer = bot.bid(view) if isinstance(view, BidView) else bot.play(view)
        if check:
            check(view, answer)
        if isinstance(answer, int):
            game.bid(view.seat, answer)
            moves.append(answer)
        else:
            assert isinstance(answer, bluke_sdk.Card)
            game.play(view.seat, RULES_CARDS[answer.index])
            moves.append(answer.index)
    return Result(game.totals, tuple(moves))
