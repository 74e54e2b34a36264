"""Whether a record can be what it says: it is data from a file, and may come from anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bluke.arena.record import GameRecord, RunRecord

__all__ = ["problem"]

#: No game has numbers beyond this, and sums of smaller ones are numbers too.
LARGEST = 10**9
#: RULES 1.1
PACK = 54
#: Beyond this class a decision would have taken longer than anything lasts.
LAST_CLASS = 2_000


def problem(run: RunRecord, games: Sequence[GameRecord]) -> str | None:
    """The first thing that is wrong with the games of a run, and in which; `None` if nothing is."""
    roster = {bot.name for bot in run.bots}
    for game in games:
        wrong = next(_wrong(game, run.seats, roster), None)
        if wrong is not None:
            return f"game {game.game}: {wrong}"
    return None


def _wrong(game: GameRecord, seats: int, roster: set[str]) -> Iterator[str]:
    by_seat = (game.bots, game.versions, game.totals, game.bids, game.tricks, game.times, game.places or game.bots)
    if any(len(values) != seats for values in by_seat):
        yield f"its lists are not for {seats} seats"
        return
    if roster and not roster.issuperset(game.bots):
        yield "it was played by a bot that is not in the roster"
    if any(len(values) != len(game.sizes) for values in (*game.bids, *game.tricks)):
        yield f"its bids and tricks are not for {len(game.sizes)} hands"
    if any(not 0 <= seat < seats for seat in (*game.played_out, *(fault.seat for fault in game.faults))):
        yield "it has a seat that there is not"
    if any(not -LARGEST <= value <= LARGEST for value in (game.board, game.number, *game.totals)):
        yield "it has a number that no game has"
    if any(not 0 < size <= PACK for size in game.sizes):
        yield "it has a hand that cannot be dealt"
    if any(
        not 0 <= value <= size
        for row in (*game.bids, *game.tricks)
        for value, size in zip(row, game.sizes, strict=False)
    ):
        yield "it has more tricks than cards"
    if any(not 0 <= step <= LAST_CLASS or not 0 < count <= LARGEST for times in game.times for step, count in times):
        yield "it has times that no decision takes"
