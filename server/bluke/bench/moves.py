"""Moves a second of the rules, beside another implementation of a game of the same family.

Ours: whole standard games of four seats, 25 hands each. Every move asks for the legal answers, takes the lowest and
gives it to `Game.bid` or `Game.play`, which check it again. Shuffling, dealing, scoring and the events are in the time.

Theirs: OpenSpiel's `oh_hell` (C++) from Python, four seats, hands of the same sizes, but 12 cards where ours has 13:
its pack has no jokers, and a card is left over for the trump. Every move asks for the legal actions and applies the
lowest, unchecked. Chance nodes (dealer and each card dealt) are never counted as moves; how much of their time counts
is measured three ways:

- "documented": all of it, driven as OpenSpiel's own Python examples do, by `chance_outcomes` and a weighted choice;
- "cheapest": all of it, driven as cheaply as Python can: a uniform choice among `legal_actions`;
- "decisions": none of it, while all of ours still counts.

Times are those of the process on its core.
"""

from __future__ import annotations

import random
from time import process_time
from typing import TYPE_CHECKING, Any

from bluke.rules import CARDS, Asked, CardSet, Game, Rules, SeededPacks, game_seed

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["beside_open_spiel", "play_lowest"]

RULES = Rules(seats=4)
#: Moves made, and seconds.
Measured = tuple[int, float]


def play_lowest(deals: int) -> Measured:
    """Play so many games with our rules."""
    packs = [SeededPacks(game_seed(b"bench", number)) for number in range(deals)]
    moves = 0
    began = process_time()
    for seeded in packs:
        game = Game(RULES, seeded)
        while not game.over:
            legal = game.legal
            if isinstance(legal, CardSet):
                game.play(game.seat, CARDS[(legal.mask & -legal.mask).bit_length() - 1])
            elif game.asked is Asked.BID:
                game.bid(game.seat, legal[0])
            else:
                game.cut(game.seat, legal[0])
            moves += 1
    return moves, process_time() - began


def _theirs(games: dict[int, Any], chance: Callable[[Any], int], deals: int, *, time_chance: bool = True) -> Measured:
    moves = 0
    seconds = 0.0
    for _ in range(deals):
        for size in RULES.schedule:
            began = process_time()
            state = games[min(size, 12)].new_initial_state()
            while state.is_chance_node():
                state.apply_action(chance(state))
            if not time_chance:
                began = process_time()
            while not state.is_terminal():
                state.apply_action(state.legal_actions()[0])
                moves += 1
            seconds += process_time() - began
    return moves, seconds


def beside_open_spiel(deals: int, *, theirs_first: bool) -> dict[str, float]:
    """One pair: moves a second of ours and of each of theirs.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import numpy as np  # noqa: PLC0415 - only here, and slow to load
    import pyspiel  # noqa: PLC0415 - an extra

    games = {
        size: pyspiel.load_game(f"oh_hell(players=4,num_cards_per_suit=13,num_suits=4,num_tricks_fixed={size})")
        for size in range(1, 13)
    }
    generator = random.Random(0)  # noqa: S311 - deals of a measurement
    numpy_choice = np.random.default_rng(0).choice

    def documented(state: Any) -> int:  # noqa: ANN401 - it has no types
        actions, probabilities = zip(*state.chance_outcomes(), strict=True)
        return int(numpy_choice(actions, p=probabilities))

    def cheapest(state: Any) -> int:  # noqa: ANN401 - it has no types
        return int(generator.choice(state.legal_actions()))

    # A quarter of our deals: one run of theirs then takes about as long as one of ours.
    some = max(1, deals // 4)
    runs: dict[str, Callable[[], Measured]] = {
        "ours": lambda: play_lowest(deals),
        "documented": lambda: _theirs(games, documented, some),
        "cheapest": lambda: _theirs(games, cheapest, some),
        "decisions": lambda: _theirs(games, cheapest, some, time_chance=False),
    }
    rates = {}
    for name in reversed(runs) if theirs_first else runs:
        moves, seconds = runs[name]()
        rates[name] = moves / seconds
    return rates
