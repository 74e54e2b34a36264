"""Standings: what the games of a run say about its bots, with how sure that is.

The unit is the board, one deal played in all rotations: single games differ by the luck of the
deal far more than by the bots. How the figures come about is told in docs/statistics.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from bluke.arena.record import DecisionTimes
from bluke.arena.statistics.values import Estimate, Estimates, Pair, Played, Score
from bluke.rules import Outcome, outcome
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bluke.arena.record import GameRecord
    from bluke.arena.statistics.values import Board

__all__ = ["Estimate", "Estimates", "Pair", "Score", "Standing", "Standings", "make_standings"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's row.

    Attributes:
        place: 1 is best; equal points share the better place.
        places: the best and the worst place that it may have, for all rows together with 95%; `None` if it has not
            played.
        bot: its name.
        points: points a game.
        ahead: how far it is ahead of the next bot; `None` for the last, and where the boards do not say.
        rating: its rating; without a margin it rests on the prior, or is that of the anchor. `None` where nothing says.
        games: seats it played.
        boards: boards it played.
        wins: games won or shared.
        bids: bids made.
        set: bids set.
        overtricks: bids made with overtricks.
        perfect: perfect bids.
        faults: faults by kind.
        p50_ms: median decision time; `None` if the referee made every decision.
        p95_ms: the time that 95% of its decisions did not exceed.
    """

    place: int
    places: tuple[int, int] | None
    bot: str
    points: Estimate
    ahead: Estimate | None
    rating: Estimate | None
    games: int
    boards: int
    wins: int
    bids: int
    set: int
    overtricks: int
    perfect: int
    faults: dict[str, int]
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class Standings:
    """All rows, best first.

    Attributes:
        rows: one for each bot.
        pairs: each two bots that played once, the better placed first.
        games: games that count here.
        boards: the boards that these are of.
        left_out: finished games that do not count, since their board is incomplete.
        forfeited: boards that count, but on which a seat was played out by the referee or a game ended by a fault.
        unforfeited: what the other boards say alone; `None` where no board is forfeited.
        anchor: the bot whose rating is 1500 whatever it did; `None` where that is the average.
    """

    rows: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    games: int
    boards: int
    left_out: int
    forfeited: int
    unforfeited: Estimates | None
    anchor: str | None = None


@dataclass(slots=True)
class _Tally:
    """What is counted of one bot, seat by seat."""

    games: int = 0
    wins: int = 0
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    times: DecisionTimes = field(default_factory=DecisionTimes)

    def add(self, game: GameRecord, seat: int) -> None:
        self.games += 1
        self.wins += game.places is not None and game.places[seat] == 1
        self.outcomes.update(map(outcome, game.bids[seat], game.tricks[seat]))
        self.faults.update(fault.kind.value for fault in game.faults if fault.seat == seat)
        self.times.counts.update(dict(game.times[seat]))


def make_standings(
    games: Iterable[GameRecord],
    bots: Iterable[str],
    per_board: int,
    *,
    anchor: str | None = None,
    resamples: int | None = None,
) -> Standings:
    """Work out the standings from the games of complete boards.

    While no board is complete every game counts, and points are all that is estimated, without intervals.

    Args:
        games: what was played.
        bots: who has a row, besides those who played.
        per_board: the games of a complete board.
        anchor: the bot whose rating is 1500; left out, the average is.
        resamples: how often the boards are resampled, if not as often as is good; 0 saves a little time and gives
            rougher intervals of ratings.
    """
    counted = [game for game in games if game.status is not Status.VOID]
    by_board: dict[Board, list[GameRecord]] = defaultdict(list)
    for game in counted:
        by_board[game.match, game.board].append(game)
    complete = {board: played for board, played in by_board.items() if len(played) == per_board}
    chosen = complete or by_board
    clean = {board: played for board, played in chosen.items() if not any(game.forfeited for game in played)}
    used = [game for played in chosen.values() for game in played]

    def say(boards: Mapping[Board, Sequence[GameRecord]]) -> Estimates:
        return _estimates(boards, complete=bool(complete), anchor=anchor, resamples=resamples)

    found = say(chosen)
    return Standings(
        rows=_rows(found, used, bots),
        pairs=found.pairs,
        games=len(used),
        boards=len(chosen),
        left_out=len(counted) - len(used),
        forfeited=len(chosen) - len(clean),
        unforfeited=None if len(clean) == len(chosen) else say(clean),
        anchor=anchor,
    )


def _estimates(
    boards: Mapping[Board, Sequence[GameRecord]], *, complete: bool, anchor: str | None, resamples: int | None
) -> Estimates:
    if not boards:
        return Estimates((), ())
    # Numpy takes a tenth of a second to import, and nothing else here needs it.
    from bluke.arena.statistics.bootstrap import RESAMPLES  # noqa: PLC0415
    from bluke.arena.statistics.estimates import estimate_all  # noqa: PLC0415

    played = (Played(board, tuple(game.bots), tuple(game.totals)) for board, games in boards.items() for game in games)
    times = RESAMPLES if resamples is None else resamples
    return estimate_all(played, complete=complete, anchor=anchor, resamples=times)


def _rows(found: Estimates, games: Iterable[GameRecord], bots: Iterable[str]) -> tuple[Standing, ...]:
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    for game in games:
        for seat, bot in enumerate(game.bots):
            tallies[bot].add(game, seat)
    played = [score.bot for score in found.scores]
    ahead = {(pair.bot, pair.other): pair.points for pair in found.pairs}
    leads = {bot: ahead[bot, after] for bot, after in pairwise(played)}
    rows = [_row(score, leads.get(score.bot), tallies[score.bot]) for score in found.scores]
    # Who has not played comes last.
    last = 1 + len(played)
    idle = (Score(bot, last, (last, last), 0, Estimate(0.0, None), None) for bot in sorted(set(bots) - set(played)))
    return (*rows, *(_row(score, None, _Tally()) for score in idle))


def _row(score: Score, ahead: Estimate | None, tally: _Tally) -> Standing:
    return Standing(
        place=score.place,
        places=score.places if score.boards else None,
        bot=score.bot,
        points=score.points,
        ahead=ahead,
        rating=score.rating,
        games=tally.games,
        boards=score.boards,
        wins=tally.wins,
        bids=tally.outcomes.total(),
        set=tally.outcomes[Outcome.SET],
        overtricks=tally.outcomes[Outcome.OVERTRICKS],
        perfect=tally.outcomes[Outcome.PERFECT],
        faults=dict(sorted(tally.faults.items())),
        p50_ms=tally.times.quantile(0.5),
        p95_ms=tally.times.quantile(0.95),
    )
