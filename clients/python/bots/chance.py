"""Randomness that a replay repeats."""

from __future__ import annotations

import random
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke_sdk import View

__all__ = ["chance", "choose"]

T = TypeVar("T")


def chance(view: View) -> random.Random:
    """Make the dice for one decision: they follow from the game's id, the seat, and where in the game it is.

    No secret goes in, and nothing but the view, so a bot that takes its luck from here decides alike
    whenever, wherever and beside whatever else it is asked. Use `random()` alone: the rest of
    `random.Random` may give other numbers in another version of Python.
    """
    tricks = sum(view.tricks_won)
    asked = "bid" if view.my_bid is None else "play"
    where = f"{view.game_id}/{view.seat}/{view.hand}/{asked}/{tricks}"
    return random.Random(int.from_bytes(sha256(where.encode()).digest(), "big"))


def choose(view: View, items: Sequence[T]) -> T:
    """Choose one of the items, each equally likely."""
    return items[int(chance(view).random() * len(items))]
