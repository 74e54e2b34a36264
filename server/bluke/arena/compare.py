"""Is the new version better than the old one: games of a comparison, made into one difference for each board."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from bluke.arena.statistics.sequential import Sequential, Verdict, unpaired_games

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bluke.arena.record import GameRecord
    from bluke.arena.statistics.sequential import Judgement, Stopping

__all__ = ["Comparing", "Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known of two versions of a bot.

    Attributes:
        new: the name of the new version.
        old: the name of the old one.
        judgement: the verdict, the estimate and its interval, in points a game.
        games: the games that it rests on: those of the boards up to the answer.
        beyond: games that were played by then and are not looked at.
        unpaired: how many games would have told as much without the same deals; `None` where no number would.
        new_points: points a game of the new version on those boards; `None` without any.
        old_points: points a game of the old one.
        forfeited: on how many of those boards either was played out by the referee, or a game was given up.
        stopping: what was asked.
    """

    new: str
    old: str
    judgement: Judgement
    games: int
    beyond: int
    unpaired: int | None
    new_points: float | None
    old_points: float | None
    forfeited: int
    stopping: Stopping

    @property
    def sentence(self) -> str:
        """The verdict in words, without its figures."""
        return SENTENCES[self.judgement.verdict]


#: The verdicts as sentences about two versions that are named elsewhere.
SENTENCES = {
    Verdict.BETTER: "the new version is better",
    Verdict.WORSE: "the new version is worse",
    Verdict.SAME: "there is no difference worth having",
    Verdict.UNDECIDED: "undecided",
}


class Comparing:
    """Takes the games of a comparison in whatever order they end, and looks at its boards in theirs.

    Only the boards before the first that is not whole are looked at, so that short games are not favoured, and none
    after the one that gave the answer.

    Args:
        new: the name of the new version.
        old: the name of the old one.
        per_board: the games of a whole board.
        stopping: what is asked.
    """

    def __init__(self, new: str, old: str, per_board: int, stopping: Stopping) -> None:
        self._new = new
        self._old = old
        self._per_board = per_board
        self._sequential = Sequential(stopping)
        self._boards: defaultdict[int, list[GameRecord]] = defaultdict(list)
        self._games = self._forfeited = 0
        self._points: dict[str, list[float]] = {new: [], old: []}

    def add(self, game: GameRecord) -> bool:
        """Take in one more game.

        Returns:
            Whether the answer is known.
        """
        self._games += 1
        self._boards[game.board].append(game)
        # The boards that were looked at are the first ones, so their number is the next one's name.
        while not self.known and len(self._boards[self.boards]) == self._per_board:
            self._look(self._boards[self.boards])
        return self.known

    @property
    def known(self) -> bool:
        """Whether the answer is known."""
        return self._sequential.judgement.known

    @property
    def boards(self) -> int:
        """How many boards were looked at."""
        return self._sequential.judgement.boards

    def _look(self, games: Iterable[GameRecord]) -> None:
        points: dict[str, list[float]] = {self._new: [], self._old: []}
        forfeited = False
        for game in games:
            for seat, name in enumerate(game.bots):
                if name in points:
                    points[name].append(game.totals[seat])
            forfeited |= game.forfeited
        self._forfeited += forfeited
        for name, values in points.items():
            # One seat after the other in the order of their games would make the figures depend on it.
            self._points[name] += sorted(values)
        self._sequential.add(fmean(points[self._new]) - fmean(points[self._old]))

    def result(self) -> Comparison:
        """What is known by now."""
        judgement = self._sequential.judgement
        used = judgement.boards * self._per_board
        new, old = (self._points[name] for name in (self._new, self._old))
        unpaired = None
        if judgement.deviation is not None:
            unpaired = unpaired_games(judgement.deviation, judgement.boards, stdev(new), stdev(old))
        return Comparison(
            new=self._new,
            old=self._old,
            judgement=judgement,
            games=used,
            beyond=self._games - used,
            unpaired=unpaired,
            new_points=fmean(new) if new else None,
            old_points=fmean(old) if old else None,
            forfeited=self._forfeited,
            stopping=self._sequential.stopping,
        )


def compare(games: Iterable[GameRecord], new: str, old: str, per_board: int, stopping: Stopping) -> Comparison:
    """What the games of a comparison say."""
    comparing = Comparing(new, old, per_board, stopping)
    for game in games:
        comparing.add(game)
    return comparing.result()
