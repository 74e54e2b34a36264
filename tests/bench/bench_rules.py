"""Moves a second of the rules, alone and beside another implementation of a game of the same family.

Ours: whole standard games of four seats, 25 hands each. Every move asks for the legal answers, takes the lowest and
gives it to `Game.bid` or `Game.play`, which check it again. Shuffling, dealing, scoring and the events are in the time.

Theirs: OpenSpiel's `oh_hell` (C++) from Python, four seats, hands of the same sizes, but 12 cards where ours has 13:
its pack has no jokers, and a card is left over for the trump. Every move asks for the legal actions and applies the
lowest, unchecked. Chance nodes (dealer and each card dealt) are never counted as moves; how much of their time counts
is measured three ways:

- "documented": all of it, driven as OpenSpiel's own Python examples do, by `chance_outcomes` and a weighted choice;
- "cheapest": all of it, driven as cheaply as Python can: a uniform choice among `legal_actions`;
- "decisions": none of it, while all of ours still counts.

Times are those of the process on its core. Each pair measures ours and each of theirs once, in turn; medians count.
"""

from __future__ import annotations

import random
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest

from bluke.rules import CARDS, Asked, CardSet, Game, Rules, SeededPacks, game_seed

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.bench

PAIRS = 9
GAMES = 40
GOAL_RATE = 250_000
GOAL_RATIO = 2
RULES = Rules(seats=4)
PACKS = [SeededPacks(game_seed(b"bench", number)) for number in range(GAMES)]

#: Moves made, and seconds.
Measured = tuple[int, float]


# Ours


def play_lowest() -> Measured:
    moves = 0
    began = process_time()
    for packs in PACKS:
        game = Game(RULES, packs)
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


def recorded() -> list[list[tuple[int, Any]]]:
    """The moves of each game, played at random."""
    choice = random.Random(0).choice
    games = []
    for packs in PACKS:
        game = Game(RULES, packs)
        moves = []
        while not game.over:
            moves.append((game.seat, choice([*game.legal])))
            game.answer(*moves[-1])
        games.append(moves)
    return games


def replay(games: list[list[tuple[int, Any]]]) -> Measured:
    """What checking a replay does: the moves are given and need only be checked."""
    count = 0
    began = process_time()
    for packs, moves in zip(PACKS, games, strict=True):
        game = Game(RULES, packs)
        for move in moves:
            game.answer(*move)
        count += len(moves)
    return count, process_time() - began


def bench_rate() -> str:
    rates = [rate(play_lowest()) for _ in range(PAIRS)]
    games = recorded()
    replays = [rate(replay(games)) for _ in range(PAIRS)]
    verdict = "met" if median(rates) >= GOAL_RATE else "missed"
    return (
        f"rules: {median(rates):,.0f} validated moves a second with the legal answers asked for "
        f"(goal {GOAL_RATE:,}: {verdict}), {median(replays):,.0f} replaying given moves; {spread(rates)}"
    )


def rate(measured: Measured) -> float:
    moves, seconds = measured
    return moves / seconds


def spread(rates: list[float]) -> str:
    return f"median of {len(rates)}, {min(rates):,.0f} to {max(rates):,.0f}"


# Theirs


def theirs(games: dict[int, Any], chance: Callable[[Any], int], *, time_chance: bool = True) -> Measured:
    moves = 0
    seconds = 0.0
    # A quarter of our deals: one run of theirs then takes about as long as one of ours.
    for _ in range(GAMES // 4):
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


def bench_beside(pyspiel: Any) -> list[str]:
    games = {
        size: pyspiel.load_game(f"oh_hell(players=4,num_cards_per_suit=13,num_suits=4,num_tricks_fixed={size})")
        for size in range(1, 13)
    }
    generator = random.Random(0)
    # OpenSpiel brings numpy, whose choice its examples use.
    numpy_choice = pytest.importorskip("numpy").random.default_rng(0).choice

    def documented(state: Any) -> int:
        actions, probabilities = zip(*state.chance_outcomes(), strict=True)
        return int(numpy_choice(actions, p=probabilities))

    def cheapest(state: Any) -> int:
        return generator.choice(state.legal_actions())

    runs: dict[str, Callable[[], Measured]] = {
        "ours": play_lowest,
        "documented": lambda: theirs(games, documented),
        "cheapest": lambda: theirs(games, cheapest),
        "decisions": lambda: theirs(games, cheapest, time_chance=False),
    }
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(PAIRS):
        for name, run in runs.items():
            rates[name].append(rate(run()))

    lines = [f"ours: {median(rates['ours']):,.0f} moves a second; {spread(rates['ours'])}"]
    for name in ("documented", "cheapest", "decisions"):
        ratio = median(ours / other for ours, other in zip(rates["ours"], rates[name], strict=True))
        verdict = "met" if ratio >= GOAL_RATIO else "missed"
        lines.append(
            f"oh_hell, chance {name}: {median(rates[name]):,.0f} moves a second; {spread(rates[name])}; "
            f"ours is {ratio:.2f} times that (goal {GOAL_RATIO}: {verdict})"
        )
    return lines


def test_measure_the_rules(capsys):
    """How many validated moves a second the rules make on one core."""
    line = bench_rate()
    with capsys.disabled():
        print(f"\n{line}")


def test_measure_beside_openspiel(capsys):
    """How many moves a second OpenSpiel makes of a like game when it is driven from Python, in the same run."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is nothing to compare with")
    lines = bench_beside(pyspiel)
    with capsys.disabled():
        print("", *lines, sep="\n")
