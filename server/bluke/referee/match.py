"""A match: deals, the games still to be played on each, and when a seed may be told."""

from __future__ import annotations

import hmac
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, TypeVar

from bluke.rules import game_seed

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ATTEMPTS", "Match", "seeded_random", "shuffled"]

T = TypeVar("T")

#: A game that was void through no fault of a bot is played again until it was begun this often.
ATTEMPTS = 3


def seeded_random(seed: bytes, label: str) -> Random:
    """Numbers that follow from a match seed and a label: fair, and as secret as the seed is."""
    return Random(hmac.digest(seed, label.encode(), "sha256"))  # noqa: S311 - no card depends on it


def shuffled(items: Iterable[T], random: Random) -> list[T]:
    """The items in a random order.

    By drawn keys: unlike `shuffle`, `random()` promises the same numbers in every version of Python.
    """
    return [item for _, _, item in sorted((random.random(), n, item) for n, item in enumerate(items))]


class Match:
    """The ledger of one match.

    A game seed may be told only when no game on its deal is left to be played, and the match seed
    only when no game is left at all.

    Args:
        match_id: names the match; unique for each run.
        seed: any bytes (RULES 8.2).
        deals: the deal number of every game to be played, once for each game.
        open_ended: whether more deals may be added, so that the match seed stays a secret.
    """

    def __init__(self, match_id: str, seed: bytes, deals: Iterable[int] = (), *, open_ended: bool = False) -> None:
        """Begin with every game still to be played."""
        self.match_id = match_id
        self._seed = seed
        self._left = Counter(deals)
        self.open_ended = open_ended

    def add(self, deal: int, games: int) -> None:
        """Put `games` more games on a deal."""
        self._left[deal] += games

    def game_id(self, number: int, attempt: int = 0) -> str:
        """The name of the game with that number in the schedule.

        It follows from the seed and the numbers, so that a seed gives the same names again, and tells
        nobody without the match seed which games share a deal. `attempt` tells a game that is played
        again from the void one.
        """
        message = f"bluke/1/id {number} {attempt}".encode()
        return hmac.digest(self._seed, message, "sha256")[:8].hex()

    def shuffled(self, items: Iterable[T], label: str) -> list[T]:
        """The items in an order that follows from the match seed and a label."""
        return shuffled(items, seeded_random(self._seed, label))

    def game_seed(self, deal: int) -> bytes:
        """The seed of one deal (RULES 8.2)."""
        return game_seed(self._seed, deal)

    def finish(self, deal: int, games: int = 1) -> bool:
        """Note that `games` games on this deal are over, or will never be played.

        Returns:
            Whether none is left on it.
        """
        self._left[deal] -= games
        return self._left[deal] <= 0

    def told_seed(self) -> bytes | None:
        """The match seed, once no game is left to be played."""
        return None if self.open_ended or any(left > 0 for left in self._left.values()) else self._seed
