"""Points, outcomes and places (RULES 7)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from bluke.errors import RuleError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["Outcome", "hand_points", "outcome", "places", "points"]


class Outcome(Enum):
    """What became of a bid (RULES 7.4)."""

    SET = "S"
    OVERTRICKS = "O"
    PERFECT = "P"


def points(bid: int, tricks: int) -> int:
    """Points of one seat for one hand (RULES 7.1, 7.2)."""
    return 10 * bid + tricks - bid if tricks >= bid else -10 * bid


def outcome(bid: int, tricks: int) -> Outcome:
    """What became of one bid."""
    if tricks < bid:
        return Outcome.SET
    return Outcome.PERFECT if tricks == bid else Outcome.OVERTRICKS


def hand_points(size: int, bids: Sequence[int], tricks: Sequence[int]) -> tuple[int, ...]:
    """Points of every seat for a hand of `size` cards.

    Raises:
        RuleError: the tricks do not add up to the hand's size (RULES 9).
    """
    if sum(tricks) != size:
        raise RuleError("9", f"the tricks add up to {sum(tricks)}, not {size}")
    return tuple(map(points, bids, tricks))


def places(totals: Sequence[int], behind: Collection[int] = ()) -> tuple[int, ...]:
    """The place of each seat: 1 is best, equal totals share the better place (RULES 7.3).

    Seats in `behind` come after all others, by their totals among themselves.
    """
    worth = [(seat not in behind, total) for seat, total in enumerate(totals)]
    return tuple(1 + sum(other > mine for other in worth) for mine in worth)
