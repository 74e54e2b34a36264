"""`bluke replay grep`: find decisions in many games."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bluke.cli.replay_files import replays_in, say, stem
from bluke.replay.text import counted, named, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bluke.replay.search import Decision, Query

    Printer = Callable[[Path, Sequence[Decision]], Iterator[str]]

__all__ = ["grep"]

SUITS = {"C": "C", "D": "D", "H": "H", "S": "S", "none": None}
#: The word for any kind of fault.
ANY = "any"
FAULTS = ("crash", "disconnected", "timeout", "protocol", "illegal")
#: The words of `--commands`.
WAYS = ("show", "step", "ask", "html")


class _Numbers(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic only since click 8.4
    """One number or a range such as `3-7`, both ends in it."""

    name = "N|N-M"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> range:
        if isinstance(value, range):
            return value
        found = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", str(value), re.ASCII)
        if found is None:
            self.fail(f"{value!r} is neither a number such as 3 nor a range such as 3-7", param, ctx)
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            self.fail(f"{value!r} goes backwards", param, ctx)
        return range(first, last + 1)


class _Pattern(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic only since click 8.4
    """A regular expression."""

    name = "REGEX"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> re.Pattern[str]:
        if isinstance(value, re.Pattern):
            return value
        try:
            return re.compile(str(value))
        except (re.error, RecursionError, OverflowError) as error:
            self.fail(f"{value!r} is no regular expression: {error}", param, ctx)


class _Card(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic only since click 8.4
    """A card as files have it, in letters of either case."""

    name = "CARD"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from bluke.replay.reader import CARD_OF

        card = str(value).upper()
        if card not in CARD_OF:
            self.fail(f"{value!r} is no card: write 9H, TD, LO or HI for example", param, ctx)
        return card


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE|FOLDER...")
@click.option("--bot", "bots", multiple=True, metavar="PATTERN", help='The bot, "mc" or "rule*" for example.')
@click.option("--seat", "seats", type=click.IntRange(0), multiple=True, help="The seat.")
@click.option("--asked", type=click.Choice(["cut", "bid", "play"]), multiple=True, help="What the seat was asked.")
@click.option("--hand", "hands", type=_Numbers(), multiple=True, help="The number of the hand, from 0.")
@click.option("--size", "sizes", type=_Numbers(), multiple=True, help="Cards dealt to each seat.")
@click.option("--trump", "trumps", type=click.Choice(list(SUITS)), multiple=True, help="The trump of the hand.")
@click.option("--bid", "bids", type=_Numbers(), multiple=True, help="What the seat bid in this hand.")
@click.option("--set", "was_set", is_flag=True, help="It took fewer tricks than it bid.")
@click.option("--overtricks", is_flag=True, help="It took more.")
@click.option("--perfect", is_flag=True, help="It took exactly as many.")
@click.option("--lost", type=click.IntRange(1), metavar="N", help="It lost N points or more in this hand.")
@click.option("--card", "cards", type=_Card(), multiple=True, help="The card that was played.")
@click.option("--fault", "faults", type=click.Choice([*FAULTS, ANY]), multiple=True, help="The fault that was charged.")
@click.option("--referee", is_flag=True, help="The referee made the move.")
@click.option("--regret", is_flag=True, help="The note tells a regret, as `bluke replay explain` writes it.")
@click.option("--note", type=_Pattern(), help="The note has this in it.")
@click.option("--slow", type=click.FloatRange(0), metavar="MS", help="It took longer than so many milliseconds.")
@click.option("-l", "--files", "names_only", is_flag=True, help="Print only the names of files with a match.")
@click.option("-c", "--count", is_flag=True, help="Print only how many there are in each file that has any.")
@click.option("--json", "as_json", is_flag=True, help="Print each as a JSON object on a line of its own.")
@click.option("--commands", type=click.Choice(WAYS), help="Print the commands for them.")
@click.pass_context
def grep(
    ctx: click.Context,
    /,
    files: tuple[Path, ...],
    *,
    names_only: bool,
    count: bool,
    as_json: bool,
    commands: str | None,
    **conditions: Any,  # noqa: ANN401 -- click's values, each of which has an option above
) -> None:
    r"""Find decisions in games: all that fulfil every condition.

    FILE is a replay, FOLDER stands for all replays in it. An option that is given again, or another of --set,
    --overtricks and --perfect, is one more way to fulfil the same condition. Without conditions all are found.

    \b
        bluke replay grep --bot mc --size 5-8 --set --card HI runs/
        bluke replay grep --fault timeout --fault crash --commands show runs/
        bluke replay grep --bot 'rule*' --asked bid --lost 50 --json runs/ | jq .note

    A line begins FILE:HAND.TRICK, FILE:HAND.bid or FILE:HAND.cut, counted from 0, and then names the seat.

    Exit code: 0 if something was found, 1 if not, 2 for a mistake in the command or if a file could not be read.
    """
    if sum([names_only, count, as_json, commands is not None]) > 1:
        raise click.UsageError("-l, -c, --json and --commands are four ways to print: give one")
    query = _query(conditions)
    write: Printer = _lines
    if names_only:
        write = _name
    elif count:
        write = _count
    elif as_json:
        write = _json
    elif commands is not None:
        write = COMMANDS[commands]
    found = failed = False
    for path, missing in _replays(files):
        decisions, error = ((), missing) if missing else _search(path, query)
        if error:
            failed = True
            _say([f"error: {error}"], err=True)
        if decisions:
            found = True
            _say(write(path, decisions))
    ctx.exit(2 if failed else 0 if found else 1)


def _query(conditions: dict[str, Any]) -> Query:
    from bluke.replay.search import Query
    from bluke.rules import Asked, Outcome
    from bluke.wire.values import FaultKind

    came = {"was_set": Outcome.SET, "overtricks": Outcome.OVERTRICKS, "perfect": Outcome.PERFECT}
    faults: tuple[str, ...] = conditions["faults"]
    return Query(
        bots=conditions["bots"],
        seats=frozenset(conditions["seats"]),
        asked=frozenset(map(Asked, conditions["asked"])),
        hands=conditions["hands"],
        sizes=conditions["sizes"],
        trumps=frozenset(SUITS[trump] for trump in conditions["trumps"]),
        bids=conditions["bids"],
        outcomes=frozenset(outcome for option, outcome in came.items() if conditions[option]),
        lost=conditions["lost"],
        cards=frozenset(conditions["cards"]),
        faults=frozenset(FaultKind) if ANY in faults else frozenset(map(FaultKind, faults)),
        referee=conditions["referee"],
        regret=conditions["regret"],
        note=conditions["note"],
        slow=conditions["slow"],
    )


def _search(path: Path, query: Query) -> tuple[Sequence[Decision], str]:
    """The decisions of one file, or why there are none; what is torn is said and left out."""
    from bluke.replay.reader import ReplayFileError
    from bluke.replay.search import search

    try:
        found = search(path, query)
    except ReplayFileError as error:
        return (), str(error)
    _say([f"{visible(str(path))}: {problem}" for problem in found.problems], err=True)
    return found.decisions, ""


def _replays(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Files, and what is wrong with a folder."""
    for path in paths:
        if not path.is_dir():
            yield path, ""
            continue
        inner = replays_in(path)
        if not inner:
            yield path, f"there is no replay in the folder {visible(str(path))}"
        for file in inner:
            yield file, ""


# What is printed


def _name(path: Path, _found: Sequence[Decision]) -> Iterator[str]:
    yield visible(str(path))


def _count(path: Path, found: Sequence[Decision]) -> Iterator[str]:
    yield f"{visible(str(path))}:{len(found)}"


def _json(_path: Path, found: Sequence[Decision]) -> Iterator[str]:
    from msgspec.json import Encoder

    encode = Encoder().encode
    for decision in found:
        yield encode(decision).decode()


def _lines(path: Path, found: Sequence[Decision]) -> Iterator[str]:
    """The columns are two spaces apart: where, who, what, the hand, the bid and what became of it, the rest."""
    file = visible(str(path))
    for decision in found:
        columns = [
            f"{file}:{decision.at}",
            f"seat {decision.seat} {named(decision.bot)}",
            _what(decision),
            counted(decision.size, "card") + _trump(decision),
            _came(decision),
            "" if decision.ms is None else f"{decision.ms:.{1 if decision.ms < 10 else 0}f} ms",
            f"fault {', '.join(kind.value for kind in decision.faults)}" if decision.faults else "",
            "by the referee" if decision.referee else "forced" if decision.forced else "",
            visible(decision.note),
        ]
        yield "  ".join(filter(None, columns))


def _what(decision: Decision) -> str:
    asked = "" if decision.asked is None else decision.asked.value
    if decision.value is None:
        return f"asked to {asked}, no answer" if asked else "not asked any more"
    return "taps" if asked == "cut" and decision.value == 0 else f"{asked}s {decision.value}"


def _trump(decision: Decision) -> str:
    if decision.dealer is None:
        return ""
    return " no trump" if decision.trump is None else f" trump {decision.trump}"


def _came(decision: Decision) -> str:
    if decision.bid is None:
        return ""
    if decision.outcome is None:
        return f"bid {decision.bid}"
    return f"bid {decision.bid} took {decision.taken} {decision.outcome.name.lower()} {decision.points:+}"


# Commands


def _show(path: Path, found: Sequence[Decision]) -> Iterator[str]:
    # Several decisions of a seat in a hand are shown by one command.
    for hand, seat in dict.fromkeys((one.hand if one.dealer is not None else None, one.seat) for one in found):
        yield _command("show", path) + ("" if hand is None else f" --hand {hand}") + f" --seat {seat}"


def _step(path: Path, found: Sequence[Decision]) -> Iterator[str]:
    for one in found:
        yield _command("step", path) + f" --seat {one.seat} --at {'end' if one.value is None else one.at}"


def _ask(path: Path, found: Sequence[Decision]) -> Iterator[str]:
    for one in found:
        if one.asked is None or one.forced or (one.referee and one.ms is None):
            why = "a person chose this move" if one.forced else "the bot was not asked: the referee made the move"
            yield f"# {next(_lines(path, [one])).partition('  ')[0]} seat {one.seat}: {why}"
        else:
            yield _command("ask", path) + f" --seat {one.seat} --at {one.at} --bot {_quoted(one.bot)}"


def _html(path: Path, found: Sequence[Decision]) -> Iterator[str]:
    """One page for all of a game, and the addresses in it."""
    page = f"{visible(stem(path.name))}.html"
    shown = [f"{page}#{_address(one)}" for one in found[:ADDRESSES]]
    more = f" and {len(found) - ADDRESSES} more" if len(found) > ADDRESSES else ""
    yield f"{_command('html', path)}  # {' '.join(shown)}{more}"


#: So many addresses stand behind the command for one page.
ADDRESSES = 8


def _address(decision: Decision) -> str:
    """The address of a decision in the page of its game."""
    if decision.value is None or decision.asked is None:
        return "end"
    return {
        "cut": f"{decision.hand}",
        "bid": f"{decision.hand}.bid.{decision.seat}",
        "play": f"{decision.hand}.{decision.trick}.{decision.place}",
    }[decision.asked.value]


COMMANDS = dict(zip(WAYS, (_show, _step, _ask, _html), strict=True))


def _command(name: str, path: Path) -> str:
    from bluke.arena.terminal import bluke_command

    return f"{bluke_command()} replay {name} {_quoted(str(path))}"


def _quoted(text: str) -> str:
    return shlex.quote(visible(text))


def _say(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines at once."""
    say("".join(f"{line}\n" for line in lines), err=err, nl=False)
