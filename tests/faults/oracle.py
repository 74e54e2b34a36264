"""The games as they must have gone, worked out on the rules alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.rules import Asked, Game, Rules, SeededPacks, game_seed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from bluke.replay.reader import Replay, ReplayMove
    from bluke.rules import Card

__all__ = ["check_moves", "first_revoke", "healthy_totals", "places_of"]


def healthy_answer(game: Game) -> int | Card:
    """What a healthy bot answers: its first legal answer."""
    legal: Iterable[int | Card] = game.legal
    return next(iter(legal))


def moves_of(replay: Replay) -> Iterator[ReplayMove]:
    for hand in replay.hands:
        yield from hand.bids
        for trick in hand.tricks:
            yield from trick.moves


def check_moves(replay: Replay, bad: Collection[int]) -> Game:
    """Play a game again: healthy seats as they would have played, the bad ones as the replay says.

    What the referee answered for a bad seat must be its fixed answer, and it answers for no other.

    Returns:
        The game as far as it went.
    """
    assert replay.end is not None
    game = Game(replay.header.rules, SeededPacks(bytes.fromhex(replay.end.game_seed)))
    for move in moves_of(replay):
        assert move.seat == game.seat
        if move.seat not in bad:
            assert not move.by_referee, f"line {move.line}: the referee answered for a healthy seat"
            assert move.value == healthy_answer(game), f"line {move.line}: another answer than a healthy bot gives"
        elif move.by_referee:
            assert move.value == game.fixed_answer(), f"line {move.line}: not the fixed answer"
        game.answer(move.seat, move.value)
    return game


def new_game(seats: int, hands: tuple[int, ...], seed: bytes) -> Game:
    return Game(Rules(seats, hands=hands), SeededPacks(game_seed(seed, 0)))


def healthy_totals(seats: int, hands: tuple[int, ...], seed: bytes) -> tuple[int, ...]:
    """The points of a game in which every bot is healthy."""
    game = new_game(seats, hands, seed)
    while not game.over:
        game.answer(game.seat, healthy_answer(game))
    return game.totals


def first_revoke(seats: int, hands: tuple[int, ...], seed: bytes, among: Collection[int]) -> int | None:
    """The first seat of some that holds a card which it may not play, in a game of healthy bots."""
    game = new_game(seats, hands, seed)
    while not game.over:
        if game.asked is Asked.PLAY and game.seat in among and set(game.legal) != set(game.held(game.seat)):
            return game.seat
        game.answer(game.seat, healthy_answer(game))
    return None


def places_of(totals: tuple[int, ...], behind: Collection[int]) -> tuple[int, ...]:
    """Places: more points are better, and some seats are behind all others."""
    keys = [(seat in behind, -points) for seat, points in enumerate(totals)]
    return tuple(1 + sum(other < key for other in keys) for key in keys)
