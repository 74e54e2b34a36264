"""The form of a match: who sits with whom, in which arrangements of the seats, and which forms cannot be played."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from math import comb, factorial, prod
from typing import TYPE_CHECKING

from bluke.errors import ConfigError
from bluke.replay.text import counted, listed, visible
from bluke.rules import MIN_SEATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bluke.arena.config import ArenaConfig
    from bluke.arena.run import Plan

__all__ = [
    "BELONGS",
    "MAX_BOARDS",
    "MAX_GAMES",
    "Form",
    "Kind",
    "Rotations",
    "form_of",
    "plan_lines",
    "schedule_problem",
]

#: The boards and the games that one match may have: its schedule is kept in memory.
MAX_BOARDS = 100_000
MAX_GAMES = 2_000_000
#: Six seats have 720 arrangements, seven have 5040.
MOST_SEATS_FOR_ALL = 6
#: So many bots, or authors, are named in a sentence; the others are counted.
MOST_NAMED = 6


class Kind(Enum):
    """Who sits at the table of a board."""

    #: Those who have played least, among them those who have met least.
    POOL = "pool"
    #: Every table that the roster can make, once in each round.
    ROUND_ROBIN = "round-robin"
    #: One bot always, the others in turns.
    GAUNTLET = "gauntlet"
    #: One bot and then another in its place, against the same others.
    COMPARE = "compare"


class Rotations(Enum):
    """In which arrangements a board is played."""

    #: Everybody moves on by a seat, until each has held every hand.
    CYCLIC = "cyclic"
    #: Everybody in every seat beside everybody.
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Form:
    """What makes the schedule of a match, but for its seed; bots are places in the roster.

    Attributes:
        kind: who sits at the table of a board.
        rotations: in which arrangements a board is played.
        heads: the bots that it is all about: the challenger of a gauntlet, or NEW and OLD of a comparison. Each of
            them plays every board, and never with another head. The others are the field.
        authors: who wrote each bot. Of an author, unless it is `""`, no two bots sit at one table; `()` lets all meet.
    """

    kind: Kind = Kind.POOL
    rotations: Rotations = Rotations.CYCLIC
    heads: tuple[int, ...] = ()
    authors: tuple[str, ...] = ()

    def field(self, bots: int) -> list[int]:
        """The bots of a roster that are no heads."""
        return [bot for bot in range(bots) if bot not in self.heads]

    def field_seats(self, seats: int) -> int:
        """The seats of a table that the field takes."""
        return seats - 1 if self.heads else seats

    def team(self, bot: int) -> str | int:
        """What no two bots of a table have in common: the author, or the bot itself where nobody is kept apart."""
        return (self.authors[bot] if self.authors else "") or bot

    def tables(self, bots: int, seats: int) -> int:
        """How many different tables the roster can make: the boards of a round."""
        if bots < seats:
            return comb(bots, seats % bots)
        # Of each author one bot or none: the coefficients of a product of (1 + bots x) over the authors.
        ways = [1] + [0] * seats
        for team in Counter(map(self.team, range(bots))).values():
            for taken in range(seats, 0, -1):
                ways[taken] += team * ways[taken - 1]
        return ways[seats]

    def lineups(self, bots: int, seats: int) -> int:
        """How many games a board has; it is the same for all boards."""
        turns = seats
        if self.rotations is Rotations.ALL:
            taken = self.field_seats(seats)
            different = min(taken, len(self.field(bots)))
            each, more = divmod(taken, different)
            turns = factorial(seats) // prod([factorial(each + 1)] * more + [factorial(each)] * (different - more))
        return turns * max(1, len(self.heads))

    def problem(self, names: Sequence[str], seats: int, boards: int) -> str | None:
        """Why this form cannot be played, in words for whoever wrote the roster; `None` if it can."""
        bots = len(names)
        if self.heads and not self.field(bots):
            return NO_FIELD[self.kind]
        games = self.lineups(bots, seats)
        if self.rotations is Rotations.ALL and seats > MOST_SEATS_FOR_ALL:
            return (
                f'rotations = "all": with {seats} seats a board would have {games} games; this goes up to '
                f'{MOST_SEATS_FOR_ALL} seats, so take fewer, or rotations = "cyclic"'
            )
        if games * boards > MAX_GAMES:
            return (
                f"{boards} boards of {games} games each are {games * boards} games, and a match has at most "
                f"{MAX_GAMES}; take fewer boards"
            )
        return self._author_problem(names, seats) or self._round_problem(bots, seats)

    def _author_problem(self, names: Sequence[str], seats: int) -> str | None:
        field = self.field(len(names))
        for head in self.heads:
            kept_apart = [names[bot] for bot in field if self.team(bot) == self.team(head)]
            if kept_apart:
                never = f"would never play: two bots of one author do not meet, and {self.authors[head]!r} also wrote"
                return f"{_listed(kept_apart)} {never} {names[head]!r}; leave them out, or {MEET}"
        different = min(self.field_seats(seats), len(field))
        teams = Counter(map(self.team, field))
        if len(teams) >= different:
            return None
        wrote = [
            f"{author!r} wrote {_listed([names[bot] for bot in field if self.team(bot) == author])}"
            for author, count in teams.items()
            if count > 1
        ]
        more = f", and {len(wrote) - MOST_NAMED} more authors several" if len(wrote) > MOST_NAMED else ""
        fewer = "take fewer seats, " if len(teams) + len(self.heads[:1]) >= MIN_SEATS else ""
        return (
            f"no table can be made: two bots of one author do not meet, so it takes {different} bots of different "
            f"authors, and there are {len(teams)}: {', '.join(wrote[:MOST_NAMED])}{more}; add bots of others, "
            f"{fewer}or {MEET}"
        )

    def _round_problem(self, bots: int, seats: int) -> str | None:
        tables = self.tables(bots, seats) if self.kind is Kind.ROUND_ROBIN else 0
        if tables <= MAX_BOARDS:
            return None
        return (
            f"a round of {bots} bots at tables of {seats} has {tables} boards, and a match has at most {MAX_BOARDS}; "
            'take fewer bots, or schedule = "pool"'
        )


#: The options of a configuration that go with one schedule only.
BELONGS = {"challenger": Kind.GAUNTLET, "compare": Kind.COMPARE}
NO_FIELD = {
    Kind.GAUNTLET: "the challenger has nobody to meet: a gauntlet needs another bot",
    Kind.COMPARE: "new and old have nobody to meet: both play against the same others, so add a third bot",
}
MEET = "let them meet with same_author = true (--same-author)"


def form_of(config: ArenaConfig) -> Form:
    """The form of schedule that a configuration asks for.

    Raises:
        ConfigError: a bot that it is about is not there, or an option goes with another schedule.
    """
    authors = () if config.same_author else tuple(bot.author for bot in config.bots)
    return Form(config.schedule, config.rotations, _heads(config), authors)


def schedule_problem(config: ArenaConfig) -> str | None:
    """Why there is no schedule for a roster in which every bot has a name of its own; `None` if there is one."""
    try:
        form = form_of(config)
    except ConfigError as error:
        return str(error)
    return form.problem([bot.name for bot in config.bots], config.seats, config.boards)


def _heads(config: ArenaConfig) -> tuple[int, ...]:
    given = {"challenger": config.challenger, "compare": config.compare}
    for key, kind in BELONGS.items():
        if given[key] is not None and config.schedule is not kind:
            msg = f'{key} goes with schedule = "{kind.value}", and this is "{config.schedule.value}"; leave one out'
            raise ConfigError(msg)
    if config.schedule is Kind.GAUNTLET:
        return (0 if config.challenger is None else _place(config, "challenger", config.challenger),)
    if config.schedule is not Kind.COMPARE:
        return ()
    if config.compare is None:
        msg = 'schedule = "compare" needs a [compare] table with new and old, the names of two bots'
        raise ConfigError(msg)
    new, old = config.compare.new, config.compare.old
    if new == old:
        msg = f"compare: new and old are both {new!r}; name two bots"
        raise ConfigError(msg)
    return _place(config, "compare.new", new), _place(config, "compare.old", old)


def _place(config: ArenaConfig, key: str, name: str) -> int:
    """The place in the roster of the bot that a key names."""
    names = [bot.name for bot in config.bots]
    if name not in names:
        msg = f"{key}: there is no bot {name!r}; the bots are {', '.join(map(repr, names))}"
        raise ConfigError(msg)
    return names.index(name)


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence; `repr` leaves nothing in them that a terminal would obey."""
    return listed([repr(name) for name in names], MOST_NAMED)


# In words


def plan_lines(plan: Plan) -> Iterator[str]:
    """What is to be played: first the number of games, then what is special about who sits with whom."""
    form = form_of(plan.config)
    turns = TURNS[form.rotations].format(plan.games_per_board // max(1, len(form.heads)))
    boards = counted(plan.config.boards if plan.board is None else 1, "board")
    compares = form.kind is Kind.COMPARE
    twice = "by each of the two " if compares else ""
    most = "at most " if compares else ""
    yield f"{most}{counted(len(plan.fixtures), 'game')}: {boards}, each one deal played {twice}in {turns} of the seats"
    if form.kind is not Kind.POOL:
        yield f"schedule: {_schedule(plan, form)}"
    field = form.field(len(plan.bots))
    if len(set(map(form.team, field))) < len(field):
        yield "bots of one author do not meet; --same-author lets them"


TURNS = {Rotations.CYCLIC: "{} rotations", Rotations.ALL: "all {} arrangements"}


def _schedule(plan: Plan, form: Form) -> str:
    heads = [visible(plan.bots[head]) for head in form.heads]
    field = counted(len(form.field(len(plan.bots))), "other bot")
    if form.kind is Kind.GAUNTLET:
        return f"gauntlet of {heads[0]} against {field}"
    if form.kind is Kind.COMPARE:
        return f"{heads[0]} is compared with {heads[1]}, against {field}"
    tables = form.tables(len(plan.bots), plan.config.seats)
    whole, rest = divmod(plan.config.boards, tables)
    text = f"round-robin, {counted(tables, 'table')} a round"
    if plan.board is not None:
        return text
    if not rest:
        return f"{text}, {counted(whole, 'whole round')}"
    around = [str(boards) for boards in (whole * tables, (whole + 1) * tables) if 0 < boards <= MAX_BOARDS]
    return f"{text}; the last round is unfinished, {rest} of {tables}: {' or '.join(around)} boards are whole rounds"
