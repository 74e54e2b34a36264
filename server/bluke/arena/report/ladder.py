"""Who is better than whom: the verdict in words, the standings drawn, and how sure each pair is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from bluke.arena.report.figures import Row, Scale, circle, line, linear, rows_figure, short_name
from bluke.arena.report.numbers import NOTHING, counted, decimal, probability, share, span, whole
from bluke.arena.report.values import Column, Details, Heat, Section, Strong, Table, say
from bluke.arena.report.words import outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bluke.arena.report.values import Block, Figure, Mark, Prose
    from bluke.arena.standings import Estimate, Standings

__all__ = ["Duel", "Interval", "Ladder", "Rung", "ladder_of", "matrix_section", "standings_section", "verdict"]

#: Pairs of neighbours that the verdict tells one by one.
TOLD = 3
#: A gap between neighbours that takes more of the scale leaves too little for the rest.
WIDE = 0.5
#: With more bots the columns of the matrix have numbers instead of names.
NAMED = 6


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the ends of its 95% interval; `None` where the games do not say."""

    mean: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Rung:
    """A bot in its place.

    Attributes:
        bot: its name.
        place: 1 is best.
        places: the first and the last place it may have with 95%; `None` where the games do not say.
        points: points a game; `None` if it has played none that count.
        rating: its rating; `None` where the games do not say.
        unforfeited: points a game on boards without a forfeit; `None` if there are none.
        games: games and seats that count.
        boards: boards that count.
        wins: games it has won.
    """

    bot: str
    place: int
    places: tuple[int, int] | None
    points: Interval | None
    rating: Interval | None
    unforfeited: Interval | None
    games: int
    boards: int
    wins: int


@dataclass(frozen=True, slots=True)
class Duel:
    """Two bots compared.

    Attributes:
        ahead: how far the first is ahead, in points a game; `None` where the games do not say.
        better: the probability that it is the better one; `None` where the games do not say.
        surely: whether that is known with 95%, with all pairs looked at at once.
    """

    ahead: Interval | None
    better: float | None
    surely: bool

    @property
    def clear(self) -> bool:
        """Whether the interval excludes zero."""
        ends = None if self.ahead is None else (self.ahead.low, self.ahead.high)
        return ends is not None and ends[0] is not None and ends[1] is not None and (ends[0] > 0 or ends[1] < 0)


@dataclass(frozen=True, slots=True)
class Ladder:
    """All bots, best first.

    Attributes:
        rungs: one for each bot.
        duels: pairs of bots, the better placed first; not all of them need be there.
        boards: boards that count.
        left_out: games that do not count.
        forfeited: boards with a forfeit, of those that count.
        anchor: the bot whose rating is fixed; `None` if there is none.
    """

    rungs: tuple[Rung, ...]
    duels: Mapping[tuple[str, str], Duel]
    boards: int
    left_out: int
    forfeited: int
    anchor: str | None = None

    def better(self, bot: str, other: str) -> float | None:
        """The probability that `bot` is better than `other`; `None` where the games do not say."""
        if (bot, other) in self.duels:
            return self.duels[bot, other].better
        turned = self.duels.get((other, bot))
        return None if turned is None or turned.better is None else 1 - turned.better


def ladder_of(standings: Standings) -> Ladder:
    """The standings, as the page wants them."""
    clean = {} if standings.unforfeited is None else {score.bot: score.points for score in standings.unforfeited.scores}
    rungs = tuple(
        Rung(
            bot=row.bot,
            place=row.place,
            places=row.places,
            points=_interval(row.points) if row.games else None,
            rating=None if row.rating is None else _interval(row.rating),
            unforfeited=_interval(clean[row.bot]) if row.bot in clean else None,
            games=row.games,
            boards=row.boards,
            wins=row.wins,
        )
        for row in standings.rows
    )
    duels = {
        (pair.bot, pair.other): Duel(
            None if pair.points is None else _interval(pair.points), pair.better, surely=pair.surely
        )
        for pair in standings.pairs
    }
    return Ladder(
        rungs,
        duels,
        boards=standings.boards,
        left_out=standings.left_out,
        forfeited=standings.forfeited,
        anchor=standings.anchor,
    )


def _interval(estimate: Estimate) -> Interval:
    if estimate.margin is None:
        return Interval(estimate.mean)
    return Interval(estimate.mean, estimate.mean - estimate.margin, estimate.mean + estimate.margin)


def verdict(ladder: Ladder) -> tuple[Prose, ...]:
    """Who is better than the next, in sentences; the first pairs one by one."""
    rungs = [rung for rung in ladder.rungs if rung.points is not None]
    if not rungs:
        return (say("No game counts yet, so there is nothing to say of any bot."),)
    if len(rungs) == 1:
        return (say(Strong(outside(rungs[0].bot)), " has played alone: there is nobody to compare it with."),)
    pairs = [(first.bot, second.bot) for first, second in pairwise(rungs)]
    told = [_told(pair, ladder.duels.get(pair)) for pair in pairs[:TOLD]]
    others = pairs[TOLD:]
    if others:
        unknown = sum(pair not in ladder.duels or not ladder.duels[pair].clear for pair in others)
        said = f"Of the {counted(len(others), 'pair')} of neighbours below these, "
        told.append(say(f"{said}{whole(unknown) if unknown else 'none'} cannot be told apart yet."))
    return tuple(told)


def _told(pair: tuple[str, str], duel: Duel | None) -> Prose:
    first, second = (Strong(outside(bot)) for bot in pair)
    if duel is None or duel.ahead is None or duel.ahead.low is None:
        return say(first, " and ", second, " cannot be compared yet: that needs two complete boards that both played.")
    size = f"{decimal(duel.ahead.mean, sign=True)} points a game ({span(duel.ahead.low, duel.ahead.high)})"
    chance = "" if duel.better is None else f", {_chance(duel.better)}"
    if not duel.clear:
        return say(first, " and ", second, f" cannot be told apart yet: {size}{chance}.")
    return say(first, f" is {'' if duel.surely else 'probably '}better than ", second, f": {size}{chance}.")


def _chance(better: float) -> str:
    text = probability(better)
    sign, number = (text[0], text[1:]) if text[0] in "<>" else ("=", text)
    return f"P\N{NO-BREAK SPACE}{sign}\N{NO-BREAK SPACE}{number}"


def standings_section(ladder: Ladder) -> Section:
    """The standings, drawn and as a table."""
    lead = say(
        "Dot: mean points a game. Line: the 95% interval. The places before a name are those that the bot may have "
        "with 95%."
    )
    blocks: list[Block] = [lead, *_drawn(ladder.rungs), _table(ladder)]
    if ladder.forfeited:
        blocks += _without_forfeits(ladder)
    if any(rung.rating is not None for rung in ladder.rungs):
        rated = [replace(rung, points=rung.rating, places=None) for rung in ladder.rungs]
        drawn = _whiskers("standings-ratings", "Ratings with 95% intervals", rated, unit="rating", digits=0)
        blocks.append(Details("The ratings, drawn", (drawn,)))
    if ladder.left_out:
        left = f"Left out: {counted(ladder.left_out, 'game')} of boards that are not complete."
        blocks.append(say(left, style="note"))
    return Section("standings", "Standings", tuple(blocks))


def _drawn(rungs: Sequence[Rung]) -> list[Figure]:
    """All on one scale, and closer those that a far neighbour leaves no room for."""
    figures = [_whiskers("standings-figure", "Points a game with 95% intervals", rungs)]
    near = _near(rungs)
    if len(near) > 1:
        names = f"{counted(len(near), 'bot')} that are close"
        figures.append(_whiskers("standings-near", f"The same, closer: the {names}", near))
    return figures


def _without_forfeits(ladder: Ladder) -> Iterator[Block]:
    """The same without the boards on which somebody forfeited."""
    boards = counted(ladder.boards, "board")
    said = (
        f"On {whole(ladder.forfeited)} of {boards} somebody forfeited: a seat was played out by the referee, or a "
        "fault ended a game."
    )
    clean = [replace(rung, points=rung.unforfeited, places=None) for rung in ladder.rungs]
    if all(rung.points is None for rung in clean):
        yield say(f"{said} There is none to say what would be without that.")
        return
    yield say(f"{said} The others alone say:")
    yield _whiskers("standings-clean", "Points a game on boards without a forfeit", clean)


def _near(rungs: Sequence[Rung]) -> Sequence[Rung]:
    """The bots on the side of the widest gap that has more of them, if that gap takes most of the scale."""
    known = sorted((rung for rung in rungs if rung.points is not None), key=_mean, reverse=True)
    if len(known) < 3:
        return ()
    gaps = [_mean(first) - _mean(second) for first, second in pairwise(known)]
    widest = max(range(len(gaps)), key=gaps.__getitem__)
    scale = linear(_ends(known))
    if gaps[widest] <= WIDE * (scale.high - scale.low):
        return ()
    return max(known[: widest + 1], known[widest + 1 :], key=len)


def _mean(rung: Rung) -> float:
    return rung.points.mean if rung.points is not None else 0.0


def _ends(rungs: Sequence[Rung]) -> list[float]:
    """All values that a scale must have room for."""
    known = [rung.points for rung in rungs if rung.points is not None]
    ends = [end for points in known for end in (points.mean, points.low, points.high)]
    return [end for end in ends if end is not None]


def _whiskers(key: str, title: str, rungs: Sequence[Rung], *, unit: str = "points a game", digits: int = 1) -> Figure:
    scale = linear(_ends(rungs))
    widest = max(len(_places(rung)) for rung in rungs)
    rows = [
        Row(_named(rung, widest), _said(rung.points, digits=digits), _Whisker(rung, scale, digits).marks)
        for rung in rungs
    ]
    said = "; ".join(f"{outside(rung.bot)}: {_said(rung.points, digits=digits)}" for rung in rungs)
    return rows_figure(key, title, said, rows, scale=scale, unit=unit, track=20)


def _named(rung: Rung, wide: int) -> tuple[tuple[str, str], ...]:
    # Spaces as wide as a digit, so that the names stand under each other.
    return (_places(rung).rjust(wide, "\N{FIGURE SPACE}") + "  ", "place"), (short_name(rung.bot), "")


def _places(rung: Rung) -> str:
    if rung.places is None or rung.places[0] == rung.places[1]:
        return f"{rung.place}."
    return f"{rung.places[0]}\N{EN DASH}{rung.places[1]}."


def _said(interval: Interval | None, *, digits: int = 1, sign: bool = False) -> str:
    if interval is None:
        return NOTHING
    mean = decimal(interval.mean, digits, sign=sign)
    return f"{mean} ({'no interval yet' if interval.low is None else span(interval.low, interval.high, digits)})"


class _Whisker:
    """The row of one bot."""

    def __init__(self, rung: Rung, scale: Scale, digits: int) -> None:
        self._rung, self._scale, self._digits = rung, scale, digits

    def marks(self, y: float) -> Iterator[Mark]:
        """The interval as a line with ends, and the mean as a dot; a hollow one where there is no interval."""
        points = self._rung.points
        yield line((0, 100), (y, y), "track")
        if points is None:
            return
        title = f"{outside(self._rung.bot)}: {_said(points, digits=self._digits)}"
        mean = self._scale.at(points.mean)
        if points.low is None or points.high is None:
            yield circle(mean, y, "dot hollow", title=title)
            return
        low, high = self._scale.at(points.low), self._scale.at(points.high)
        yield line((low, high), (y, y), "whisker")
        yield line((low, low), (y - 5, y + 5), "whisker")
        yield line((high, high), (y - 5, y + 5), "whisker")
        yield circle(mean, y, "dot", title=title)


def _table(ladder: Ladder) -> Table:
    rated = any(rung.rating is not None for rung in ladder.rungs)
    columns = [
        Column("bot", words=True),
        Column("place", "with the places that it may have with 95%, all bots looked at at once"),
        Column("points a game", "with the 95% interval"),
        Column("ahead of next", "in points a game, with the 95% interval"),
        *([Column("rating", "with the 95% interval")] if rated else []),
        *([Column("without forfeits", "points a game on boards without a forfeit")] if ladder.forfeited else []),
        Column("wins"),
        Column("games"),
        Column("boards"),
    ]
    after = {first.bot: second.bot for first, second in pairwise(ladder.rungs)}
    rows = []
    for rung in ladder.rungs:
        duel = ladder.duels.get((rung.bot, after.get(rung.bot, "")))
        rows.append(
            (
                outside(rung.bot),
                _place(rung),
                _said(rung.points),
                "" if rung.bot not in after else _said(None if duel is None else duel.ahead, sign=True),
                *([_rating(rung, ladder.anchor)] if rated else []),
                *([_said(rung.unforfeited)] if ladder.forfeited else []),
                share(rung.wins, rung.games),
                whole(rung.games),
                whole(rung.boards),
            )
        )
    return Table("Standings", tuple(columns), tuple(rows))


def _place(rung: Rung) -> str:
    if rung.places is None:
        return NOTHING
    first, last = rung.places
    return str(rung.place) if first == last else f"{rung.place} ({first} to {last})"


def _rating(rung: Rung, anchor: str | None) -> str:
    if rung.rating is not None and rung.bot == anchor:
        return f"{decimal(rung.rating.mean, 0)} (by definition)"
    return _said(rung.rating, digits=0)


def matrix_section(ladder: Ladder) -> Section:
    """The probability that the bot of a row is better than the bot of a column."""
    rungs = ladder.rungs
    lead = say(
        "How sure it is that the bot of the row is better than the bot of the column: 0.5 is not at all, near 1 or 0 "
        "is as good as known."
    )
    if all(duel.better is None for duel in ladder.duels.values()):
        return Section("matrix", "Who is better than whom", (lead, say(NOTHING, style="note")))
    many = len(rungs) > NAMED
    columns = [
        Column(str(number) if many else short_name(rung.bot, 12), outside(rung.bot))
        for number, rung in enumerate(rungs, 1)
    ]
    rows = []
    for number, rung in enumerate(rungs, 1):
        name = f"{number} {short_name(rung.bot, 20)}" if many else outside(rung.bot)
        rows.append((name, *(_sure(ladder, rung.bot, other.bot) for other in rungs)))
    table = Table(
        "Probability that the row is better than the column", (Column("bot", words=True), *columns), tuple(rows)
    )
    return Section("matrix", "Who is better than whom", (lead, table))


def _sure(ladder: Ladder, bot: str, other: str) -> str | Heat:
    if bot == other:
        return ""
    sure = ladder.better(bot, other)
    return "\N{EN DASH}" if sure is None else Heat(probability(sure), round(10 * sure))
