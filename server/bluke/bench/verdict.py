"""Medians of pairs, and what they say of a goal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ENOUGH", "Goal", "Pair", "Spread", "Verdict", "judge", "spread"]

#: So many pairs are the least that a verdict needs.
ENOUGH = 7

#: The figures of one pair: what is measured and its control, taken one after the other.
Pair = dict[str, float]


class Verdict(Enum):
    """What the median says of a goal."""

    MET = "met"
    MISSED = "missed"
    NONE = "no verdict"
    SHOWN = "shown"


@dataclass(frozen=True, slots=True)
class Goal:
    """What is wanted of one figure of a pair.

    Attributes:
        figure: its key.
        label: what tells it from other goals of the same measurement.
        value: the least that it should be, or the most; `None` for a figure that is only shown.
        most: whether `value` is the most.
        measured: the key of what is shown beside it as measured; empty if that is the figure itself.
        control: the key of what is shown as its control; empty if it has none.
        stretch: what it would be good to reach beyond `value`, in the same direction; `None` for nothing.
    """

    figure: str
    value: float | None
    most: bool = False
    label: str = ""
    measured: str = ""
    control: str = ""
    stretch: float | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over all pairs."""

    median: float
    least: float
    most: float


def spread(pairs: Sequence[Mapping[str, float]], figure: str) -> Spread:
    """A figure over all pairs, of which there is at least one."""
    values = [pair[figure] for pair in pairs]
    return Spread(median(values), min(values), max(values))


def judge(goal: Goal, pairs: Sequence[Mapping[str, float]], *, quick: bool) -> Verdict:
    """What the median of the pairs says; nothing where they are too few or too short."""
    if goal.value is None:
        return Verdict.SHOWN
    if quick or len(pairs) < ENOUGH:
        return Verdict.NONE
    middle = spread(pairs, goal.figure).median
    reached = middle <= goal.value if goal.most else middle >= goal.value
    return Verdict.MET if reached else Verdict.MISSED
