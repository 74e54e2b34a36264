"""Which bots the data let be compared: those that are linked, whichever one board is left out.

A difference that rests on one board alone would look as if it were known to the last digit, since
nothing is left that could contradict it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bluke.arena.statistics.boards import Boards, Ints, Truths

__all__ = ["groups", "linked_by_boards", "linked_by_wins"]

#: On so many boards a bot has to have won, and to have lost, for its rating to be known.
ENOUGH = 5


def linked_by_boards(boards: Boards) -> Ints:
    """The group of each bot; a link of two bots is a board that both played."""
    there = boards.there
    return groups(boards, there[:, :, None] & there[:, None, :])


def linked_by_wins(boards: Boards) -> Ints:
    """The group of each bot; one leads to another by a board on which it beat it, or tied with it.

    Ratings of bots of which none ever beat the others are apart without limit (Ford 1957). And a bot of a group has
    beaten others of it on five boards or more, and lost to others on as many: one that wins once in a very long time
    would otherwise have a rating by luck, whenever it just did, and a wrong one.
    """
    arcs = boards.wins > 0
    while True:
        found = groups(boards, arcs)
        of = found[boards.who]
        arcs = arcs & (of[:, :, None] == of[:, None, :])
        won, lost = (np.bincount(boards.who[arcs.any(axis)], minlength=len(boards.names)) for axis in (2, 1))
        few = (np.minimum(won, lost) < ENOUGH) & (won > 0)
        if not few.any():
            return found
        # Without these it may be that others have not won enough.
        left = ~few[boards.who]
        arcs = arcs & left[:, :, None] & left[:, None, :]


def groups(boards: Boards, arcs: Truths) -> Ints:
    """Number the groups of bots of which each leads to each other, whichever one board is left out.

    Args:
        boards: N of them.
        arcs: N x D x D, whether the board leads from the row's bot to the column's.

    Returns:
        For each bot the number of its group, from 0 in the order of their first bots.
    """
    bots = len(boards.names)
    if not len(boards):
        return np.zeros(bots, np.int64)
    row, here, there = np.nonzero(arcs)
    cell = boards.who[row, here] * bots + boards.who[row, there]
    count = np.bincount(cell, minlength=bots * bots).reshape(bots, bots)
    together = _reachable(count > 0)
    # What other boards lead to as well needs no board to be left out: often that is all there is.
    surely = _reachable(count > 1)
    for board in np.unique(row[count.ravel()[cell] == 1]):
        if (together == surely).all():
            break
        left = count.copy()
        left.ravel()[cell[slice(*np.searchsorted(row, (board, board + 1)))]] -= 1
        together &= _reachable(left > 0)
    return np.unique(together.argmax(1), return_inverse=True)[1].astype(np.int64)


def _reachable(arcs: Truths) -> Truths:
    """Which bots lead to each other, on whatever way."""
    reach = arcs | np.eye(len(arcs), dtype=bool)
    while True:
        # Twice as far each time.
        further = reach.astype(np.float32) @ reach.astype(np.float32) > 0
        if (further == reach).all():
            return reach & reach.T
        reach = further
