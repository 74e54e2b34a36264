"""What ratings are measured from: the average bot, or one that is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bluke.arena.statistics.links import linked_by_wins

if TYPE_CHECKING:
    from bluke.arena.statistics.boards import Boards, Floats, Ints, Truths

__all__ = ["Scale", "find_scale"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The zeros of the strengths of K bots.

    Attributes:
        zero: K x K, in the column of a bot the part that each bot has in the zero that it is measured from.
        rated: K, whether it has a zero.
        sure: K, whether wins and losses say how far it is from it, and not the prior alone.
        duels: K x K, whether they say how far two bots are apart.
    """

    zero: Floats
    rated: Truths
    sure: Truths
    duels: Truths


def find_scale(boards: Boards, strengths: Floats, groups: Ints, anchor: str | None = None) -> Scale:
    """Find the zeros.

    Bots that boards link are measured from the anchor, or else from their average. Those that wins and losses put at
    no finite distance from the others are not in that average: it is that of the most who are not apart like this.

    Args:
        boards: N of them.
        strengths: K of them.
        groups: K, which bots are linked by boards.
        anchor: the name of the bot that is the zero.
    """
    bots = len(boards.names)
    wins = linked_by_wins(boards)
    duels = wins[:, None] == wins
    zero, rated, sure = np.zeros((bots, bots)), np.zeros(bots, bool), np.zeros(bots, bool)
    played = np.bincount(boards.who[boards.there], minlength=bots)
    for group in range(int(groups.max()) + 1):
        here = groups == group
        named = here & (np.array(boards.names) == anchor)
        if here.sum() < 2 or (anchor is not None and not named.any()):
            continue
        # Two that are as large are not told apart by names, which may be anything.
        first = max(
            np.flatnonzero(here if anchor is None else named), key=lambda bot: _weight(duels[bot], played, strengths)
        )
        close = duels[first]
        basis = named if anchor is not None else close if close.sum() > 1 else here
        zero[:, here] = (basis / basis.sum())[:, None]
        rated |= here
        if close.sum() > 1:
            sure |= close & ~named
    return Scale(zero, rated, sure, duels)


def _weight(bots: Truths, played: Ints, strengths: Floats) -> tuple[int, int, float]:
    return int(bots.sum()), int(played[bots].sum()), float(strengths[bots].mean())
