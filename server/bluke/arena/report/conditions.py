"""Under which conditions the games were played: what a reader must know to believe the figures, or to repeat them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from bluke.arena.report.numbers import UNKNOWN, counted, took, when, whole
from bluke.arena.report.values import Code, Fact, Facts, Section, Text, say
from bluke.arena.report.words import outside
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bluke.arena.record import EndRecord, GameRecord, RunRecord
    from bluke.arena.report.places import Places
    from bluke.arena.report.values import Part

__all__ = ["Compare", "Conditions", "conditions_of", "conditions_section", "schedule_of"]

#: Where the method is told; there is no copy of it beside the page.
METHOD = "docs/statistics.md"
OPTIONS = {"variant": "standard", "max_hand": None, "last_hand": None, "hands": None, "bluke_led": "free", "cut": "tap"}


class Bot(msgspec.Struct, frozen=True):
    """A bot of the configuration, as far as the page tells of it."""

    name: str
    isolation: str | None = None
    fresh: bool = False


class Clock(msgspec.Struct, frozen=True):
    """The time control."""

    timed: bool
    decision_ms: int
    bank_ms: int
    wall_ms: int


class Faults(msgspec.Struct, frozen=True):
    """What faults cost."""

    policy: str
    max_faults: int


class Compare(msgspec.Struct, frozen=True):
    """A comparison of two bots; see `bluke.arena.statistics.sequential.Stopping`."""

    new: str
    old: str
    worth: float = 5.0
    error: float = 0.05
    swing: float = 75.0


class Limits(msgspec.Struct, frozen=True):
    """What a bot may use."""

    isolation: str
    memory_mb: int


class Conditions(msgspec.Struct, frozen=True):
    """A recorded configuration, as far as the page tells of it; what is not there is `None`.

    Newer arenas may record more, and a record may come from anywhere: nothing else of it is looked at.
    """

    bots: list[Bot] = []
    rules: dict[str, Any] | None = None
    clock: Clock | None = None
    faults: Faults | None = None
    limits: Limits | None = None
    tables: int | None = None
    schedule: str | None = None
    rotations: str | None = None
    challenger: str | None = None
    compare: Compare | None = None

    @property
    def decision_ms(self) -> int | None:
        """The time for a decision; `None` where there is no clock or none is known."""
        return self.clock.decision_ms if self.clock is not None and self.clock.timed else None


def conditions_of(run: RunRecord) -> Conditions:
    """What a record says of its configuration; nothing where it is no configuration of ours."""
    try:
        return msgspec.convert(run.config or {}, Conditions)
    except msgspec.ValidationError:
        return Conditions()


def conditions_section(
    run: RunRecord, games: Sequence[GameRecord], end: EndRecord | None, conditions: Conditions, places: Places
) -> Section:
    """How it was played."""
    facts = [
        *_played(run, games, end),
        *_terms(conditions),
        *_machine(run),
        Fact("seed", (_seed(end),)),
        Fact(
            "method",
            (
                Text(
                    "the unit is the board, one deal with the seats exchanged from game to game; only complete boards "
                    "count, unless none is complete; intervals are 95%. All of it: "
                ),
                Code(METHOD),
            ),
        ),
    ]
    again = say("This page again: ", Code(f"{places.command} report {places.run}"), style="note")
    return Section("conditions", "How it was played", (Facts(tuple(facts)), again))


def _played(run: RunRecord, games: Sequence[GameRecord], end: EndRecord | None) -> Iterator[Fact]:
    most = "at most " if end is not None and end.status == "complete" and len(games) < run.games else ""
    planned = f" of {most}{whole(run.games)}" if run.games else ""
    boards = {(game.match, game.board) for game in games}
    forfeited = {(game.match, game.board) for game in games if game.status is Status.FORFEITED}
    lost = {(game.match, game.board) for game in games if game.played_out}
    only = "" if run.board is None else f", of which only board {run.board} is played"
    yield Fact("begun", (Text(when(run.started)),))
    if end is not None:
        length = took((end.finished - run.started).total_seconds())
        yield Fact("ended", (Text(f"{when(end.finished)}, after {length}"),))
    yield Fact("match", (Text(outside(run.match)),))
    yield Fact("games", (Text(f"{whole(len(games))}{planned}, on {counted(len(boards), 'board')}{only}"),))
    yield Fact(
        "forfeits",
        (
            Text(
                f"{counted(len(forfeited), 'board')} with a forfeited game, {whole(len(lost))} with a seat that the "
                "referee played out"
            ),
        ),
    )


def schedule_of(conditions: Conditions) -> str | None:
    """Who met whom, in a few words; `None` where the record does not say."""
    if conditions.schedule is None:
        return None
    about = ""
    if conditions.compare is not None:
        about = f": {outside(conditions.compare.new)} or {outside(conditions.compare.old)}"
    elif conditions.challenger is not None:
        about = f" of {outside(conditions.challenger)}"
    return f"{outside(conditions.schedule)}{about}"


def _terms(conditions: Conditions) -> Iterator[Fact]:
    schedule = schedule_of(conditions)
    rotations = "" if conditions.rotations is None else f", {outside(conditions.rotations)} rotations of the seats"
    yield Fact("schedule", (Text(UNKNOWN if schedule is None else schedule + rotations),))
    yield Fact("rules", (Text(_rules(conditions.rules)),))
    clock, faults, limits = conditions.clock, conditions.faults, conditions.limits
    if clock is None:
        said = UNKNOWN
    elif clock.timed:
        said = f"{whole(clock.decision_ms)} ms a decision, and a bank of {took(clock.bank_ms / 1000)} a game"
    else:
        said = f"none; no decision may take longer than {took(clock.wall_ms / 1000)}"
    yield Fact("clock", (Text(said),))
    if faults is None:
        said = UNKNOWN
    elif faults.policy == "strict":
        said = "strict: the first fault ends the game"
    else:
        said = (
            f"{outside(faults.policy)}: the referee makes a fixed legal move; a seat with "
            f"{counted(faults.max_faults, 'fault')} is played out by it"
        )
    yield Fact("fault policy", (Text(said),))
    yield Fact("isolation", (Text(UNKNOWN if limits is None else _isolation(conditions, limits)),))
    yield Fact("games at once", (Text(UNKNOWN if conditions.tables is None else f"up to {whole(conditions.tables)}"),))


def _rules(rules: dict[str, Any] | None) -> str:
    if rules is None:
        return UNKNOWN
    others = [
        f"{outside(key)} = {outside(str(value))}"
        for key, value in rules.items()
        if key != "variant" and OPTIONS.get(key) != value
    ]
    return ", ".join([outside(str(rules.get("variant", "standard"))), *others])


def _isolation(conditions: Conditions, limits: Limits) -> str:
    memory = f"{whole(limits.memory_mb)} MiB of memory each" if limits.memory_mb else "no limit of memory"
    others = [
        f"{outside(bot.name)}: {outside(bot.isolation)}"
        for bot in conditions.bots
        if bot.isolation not in {None, limits.isolation}
    ]
    fresh = [outside(bot.name) for bot in conditions.bots if bot.fresh]
    parts = [outside(limits.isolation), memory, *others]
    if fresh:
        parts.append(f"a new process for each game: {', '.join(fresh)}")
    return "; ".join(parts)


def _machine(run: RunRecord) -> Iterator[Fact]:
    machine = run.machine
    yield Fact("referee", (Text(outside(run.server)),))
    if machine is None:
        yield Fact("machine", (Text(UNKNOWN),))
        return
    memory = f"{machine.memory_mb / 1024:.1f} GiB of memory"
    yield Fact("machine", (Text(f"{outside(machine.cpu)}, {counted(machine.cores, 'core')}, {memory}"),))
    yield Fact("system", (Text(outside(machine.os)),))
    versions = [f"{outside(name)} {outside(number)}" for name, number in machine.packages.items()]
    yield Fact("versions", (Text(", ".join([outside(machine.python), *versions])),))


def _seed(end: EndRecord | None) -> Part:
    if end is None or end.match_seed is None:
        return Text("a secret until the run is complete: whoever knows it knows all cards")
    return Code(outside(end.match_seed))
