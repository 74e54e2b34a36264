"""Games made into what the fits need of each board, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from bluke.arena.statistics.values import Played

    Floats: TypeAlias = NDArray[np.floating[Any]]
    Ints: TypeAlias = NDArray[np.int64]
    Truths: TypeAlias = NDArray[np.bool_]

__all__ = ["Boards", "chunks", "make_boards"]

#: Arrays that are made on the way have about so many entries, 32 MB, whatever the number of boards.
CHUNK = 4_000_000


@dataclass(frozen=True, slots=True)
class Boards:
    """N boards of K bots, with at most D different ones on each; bots that are no bot fill up short rows.

    Attributes:
        names: the bots in alphabetical order; elsewhere a bot is its place in here.
        who: N x D, the bots of each board in ascending order; -1 is none.
        means: N x D, points a game of each: over its games on the board, in each of them over its seats.
        wins: N x D x D, games in which the row's bot beat the column's, a tie being half of one. In a game in which
            they have several seats, each pair of seats is an equal part of a game.
    """

    names: tuple[str, ...]
    who: Ints
    means: Floats
    wins: Floats

    def __len__(self) -> int:
        return len(self.who)

    @property
    def there(self) -> Truths:
        """N x D, whether there is a bot."""
        return self.who >= 0

    def pick(self, rows: slice) -> Boards:
        """Some of the boards; the bots keep their places."""
        return Boards(self.names, self.who[rows], self.means[rows], self.wins[rows])

    def table(self, values: Floats) -> Floats:
        """N x D values in the columns of their bots, N x K; a bot that was not there has 0."""
        flat = np.zeros((len(self), len(self.names) + 1))
        # What is -1 goes into the last column, which is cut off.
        np.put_along_axis(flat, self.who, values, axis=1)
        return flat[:, :-1]

    def square(self, values: Floats) -> Floats:
        """N x D x D values in the rows and columns of their bots, N x K x K."""
        side = len(self.names) + 1
        flat = np.zeros((len(self), side * side))
        # None is the place K here: negative places would meet those of bots.
        at = np.where(self.there, self.who, side - 1)
        np.put_along_axis(
            flat, (at[:, :, None] * side + at[:, None, :]).reshape(len(self), -1), values.reshape(len(self), -1), 1
        )
        return flat.reshape(-1, side, side)[:, :-1, :-1]


def chunks(total: int, entries: int) -> Iterator[slice]:
    """Slices of `total` things that take so many entries each, for one to be dealt with at a time."""
    size = max(1, CHUNK // max(1, entries))
    return (slice(start, min(total, start + size)) for start in range(0, total, size))


def make_boards(games: Iterable[Played]) -> Boards:
    """Sum up games; their order is nothing.

    Raises:
        ValueError: the games are not all for the same number of seats.
    """
    # Floats depend on the order in which they are added.
    ordered = sorted(games)
    names = tuple(sorted({bot for game in ordered for bot in game.bots}))
    if not ordered:
        return Boards((), np.zeros((0, 0), np.int64), np.zeros((0, 0)), np.zeros((0, 0, 0)))
    seats = len(ordered[0].bots)
    if any(len(game.bots) != seats or len(game.points) != seats for game in ordered):
        raise ValueError("games with different numbers of seats do not go into one table")
    place = {name: at for at, name in enumerate(names)}
    bots = np.array([[place[bot] for bot in game.bots] for game in ordered], np.int64)
    points = np.array([game.points for game in ordered], np.float64)
    # Sorted, the games of a board are neighbours, and a board is new where its name changes.
    numbers = {board: at for at, board in enumerate(dict.fromkeys(game.board for game in ordered))}
    board = np.array([numbers[game.board] for game in ordered], np.int64)
    return _sum_up(names, board, bots, points)


def _sum_up(names: Sequence[str], board: Ints, bots: Ints, points: Floats) -> Boards:
    """Add up M games, whose bots and points are M x seats."""
    total, seats = int(board[-1]) + 1, bots.shape[1]
    # Every bot of every board once, and for each seat of each game which of these it is.
    found, slot = np.unique(board[:, None] * len(names) + bots, return_inverse=True)
    slot = slot.reshape(bots.shape)
    row, bot = np.divmod(found, len(names))
    first = np.searchsorted(row, np.arange(total))
    column = np.arange(len(found)) - first[row]
    width = int(column.max()) + 1
    share = 1 / (bots[:, :, None] == bots[:, None, :]).sum(2)
    means = np.bincount(slot.ravel(), (share * points).ravel()) / np.bincount(slot.ravel(), share.ravel())
    wins = np.zeros(total * width * width)
    for part in chunks(len(board), seats * seats):
        ahead = points[part, :, None] - points[part, None, :]
        won = (0.5 + 0.5 * np.sign(ahead)) * share[part, :, None] * share[part, None, :]
        won[bots[part, :, None] == bots[part, None, :]] = 0
        at = column[slot[part]]
        cell = (board[part, None, None] * width + at[:, :, None]) * width + at[:, None, :]
        wins += np.bincount(cell.ravel(), won.ravel(), len(wins))
    who = np.full((total, width), -1, np.int64)
    who[row, column] = bot
    filled = np.zeros((total, width))
    filled[row, column] = means
    return Boards(tuple(names), who, filled, wins.reshape(total, width, width))
