"""Which pairs are surely apart, and which places that leaves to each bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["places", "surely_apart"]

#: How often, at the most, any of the pairs that are said to be apart is not, or the other way round.
ERROR = 0.05


def surely_apart(p_values: Mapping[tuple[int, int], float], error: float = ERROR) -> set[tuple[int, int]]:
    """The pairs that differ, tested all together by the steps of Holm (1979).

    Args:
        p_values: of each pair the p-value of no difference.
        error: the probability that one pair or more is wrongly among them is at most this.
    """
    apart = set()
    for done, pair in enumerate(sorted(p_values, key=p_values.__getitem__)):
        if p_values[pair] * (len(p_values) - done) > error:
            break
        apart.add(pair)
    return apart


def places(bots: Sequence[int], apart: Iterable[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """The best and the worst place that each bot may have (Al Mohamad, Goeman and van Zwet 2021).

    Args:
        bots: all that are placed.
        apart: pairs of which the first is surely better than the second.
    """
    above = dict.fromkeys(bots, 0)
    below = dict.fromkeys(bots, 0)
    for better, worse in apart:
        above[worse] += 1
        below[better] += 1
    return {bot: (1 + above[bot], len(bots) - below[bot]) for bot in bots}
