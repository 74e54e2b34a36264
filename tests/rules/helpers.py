"""Games to test: options, packs, moves and what can be seen of a game."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from bluke.rules import (
    CARDS,
    MAX_SEATS,
    MIN_SEATS,
    Asked,
    Bid,
    BlukeLed,
    Card,
    CutRule,
    Dealt,
    Game,
    Packs,
    Played,
    Rules,
    Variant,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bluke.rules import Event

Move = tuple[int, int | Card]

OBSERVABLES = [name for name in dir(Game) if isinstance(getattr(Game, name), property)]


def vectors(name: str) -> Any:
    return json.loads((Path(__file__).parents[1] / "vectors" / f"{name}.json").read_text(encoding="utf-8"))


def cards(text: str | Iterable[str]) -> tuple[Card, ...]:
    return tuple(map(Card.parse, text.split() if isinstance(text, str) else text))


def card(text: str) -> Card:
    return Card.parse(text)


def texts(some: Iterable[Card]) -> list[str]:
    return [str(card) for card in some]


@dataclass(frozen=True)
class GivenPacks:
    """Packs written by hand; every hand is dealt from the same one."""

    hands: tuple[Card, ...]
    drawn: tuple[Card, ...] = CARDS

    def draw(self) -> Sequence[Card]:
        return self.drawn

    def hand(self, number: int) -> Sequence[Card]:
        return self.hands


# Drawn by hypothesis

seeds = st.binary(min_size=32, max_size=32)
# Not `st.randoms`, whose every choice counts against the size of an example: long games would not fit.
randoms = st.builds(Random, st.integers(0, 2**32 - 1))
packs = st.permutations(CARDS).map(tuple)


@st.composite
def rules(draw: st.DrawFn, largest: int = 54, seats: st.SearchStrategy[int] | None = None) -> Rules:
    """Any rules with hands of at most `largest` cards, few enough of them to be quick."""
    n = draw(st.integers(MIN_SEATS, MAX_SEATS) if seats is None else seats)
    variant = draw(st.sampled_from(Variant))
    sizes = st.integers(1, min(largest, 54 // n))
    hands = max_hand = last_hand = None
    shape = draw(st.sampled_from(["hands", "max_hand", "last_hand"]))
    if shape == "hands":
        hands = tuple(draw(st.lists(sizes, min_size=1, max_size=4)))
    else:
        max_hand = draw(sizes)
        if shape == "last_hand" and variant is Variant.STANDARD:
            last_hand = draw(sizes)
    return Rules(
        seats=n,
        variant=variant,
        max_hand=max_hand,
        last_hand=last_hand,
        hands=hands,
        bluke_led=draw(st.sampled_from(BlukeLed)),
        cut=draw(st.sampled_from(CutRule)),
    )


# Played


def random_move(game: Game, random: Random) -> Move:
    legal: list[int | Card] = [*game.legal]
    return game.seat, random.choice(legal)


def play_out(game: Game, random: Random) -> list[Move]:
    """Play at random to the end, and return the moves."""
    moves = []
    while not game.over:
        moves.append(random_move(game, random))
        game.answer(*moves[-1])
    return moves


def moves_of(events: Iterable[Event], rules: Rules) -> list[Move]:
    """The moves that the events tell of."""
    moves: list[Move] = []
    for event in events:
        match event:
            case Dealt(dealer=dealer, cut=int(cut)) if rules.cut is CutRule.PLAYER:
                moves.append(((dealer + 1) % rules.seats, cut))
            case Bid(seat=seat, bid=bid):
                moves.append((seat, bid))
            case Played(seat=seat, card=card):
                moves.append((seat, card))
    return moves


def replayed(rules: Rules, packs: Packs, moves: Iterable[Move]) -> Game:
    game = Game(rules, packs)
    for seat, value in moves:
        game.answer(seat, value)
    return game


def twin(game: Game) -> Game:
    """Another game in the same state, that can go on in its own way."""
    other = copy.copy(game)
    for name in Game.__slots__:
        value = getattr(game, name)
        if isinstance(value, list):
            setattr(other, name, list(value))
    return other


def deals(game: Game) -> list[Dealt]:
    """The deals so far."""
    return [event for event in game.events if isinstance(event, Dealt)]


# Seen


def snapshot(game: Game) -> dict[str, Any]:
    """All that a caller can see and all that the game keeps for itself, as values."""
    # Before the first cut there is nothing yet in some slots.
    seen = {name: getattr(game, name, None) for name in (*OBSERVABLES, *Game.__slots__)}
    seen = {name: tuple(value) if isinstance(value, list) else value for name, value in seen.items()}
    seen["held"] = [game.held(seat) for seat in range(game.rules.seats)]
    seen["fixed_answer"] = game.fixed_answer()
    return seen


def view(game: Game, seat: int) -> dict[str, Any]:
    """All that `seat` may know: what lies open on the table, its own cards, and what it is asked."""
    seen = {name: getattr(game, name) for name in OBSERVABLES if name not in {"events", "legal"}}
    seen["draw"] = game.draw
    seen["schedule"] = game.schedule
    seen["events"] = [
        event._replace(cards=(event.cards[seat],)) if isinstance(event, Dealt) else event for event in game.events
    ]
    seen["held"] = game.held(seat)
    if game.seat == seat and game.asked is not None:
        seen["legal"] = list(game.legal)
        seen["fixed_answer"] = game.fixed_answer()
    return seen


def illegal_answers(game: Game) -> list[tuple[int | Card, str]]:
    """What the seat to act may not answer, with the section of RULES that says so."""
    rules = game.rules
    if game.asked is Asked.CUT:
        left = 54 - rules.seats * game.size
        return [(cut, "4.2") for cut in (-1, left, left + 1, 1_000_000)]
    if game.asked is Asked.BID:
        return [(bid, "5.2") for bid in (-1, 0, game.size + 1, 1_000_000)]
    follow = "6.2"
    if rules.variant is Variant.NEW_JERSEY:
        follow = "6.4"
    elif game.led is not None and game.led.is_bluke:
        follow = "6.3"
    held = game.held(game.seat)
    return [(card, follow if card in held else "6.1") for card in CARDS if card not in game.legal]
