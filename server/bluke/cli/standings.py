"""`bluke standings`: the standings over many runs."""

from __future__ import annotations

import difflib
import shlex
from collections import defaultdict
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bluke.cli.folder import RUNS
from bluke.cli.rules import parse_rules
from bluke.cli.store import read_with_a_bar
from bluke.errors import ConfigError
from bluke.replay.text import counted, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bluke.arena.store import BotKey, Selection, Store, StoredRun, Update

__all__ = ["standings"]

#: The day in the form that is shortest to type.
DAY = len("2026-01-15")
#: More folders than this are counted, not listed.
MOST_LISTED = 3


def _moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    """Read a date or a time; a date after --until is its end."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is no date: write 2026-01-15, or 2026-01-15T18:30, in UTC", ctx, param
        ) from None
    if param.name == "until" and len(value) <= DAY:
        moment += timedelta(days=1)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--bot", "named", multiple=True, metavar="NAME", help="Only boards that this bot played; repeatable.")
@click.option("--seats", type=click.IntRange(min=2), help="Only runs with so many seats at a table.")
@click.option(
    "--rules",
    "rules_",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only runs with this option of the game, such as variant=new_jersey; repeatable.",
)
@click.option("--since", callback=_moment, metavar="DATE", help="Only runs that began on this day (UTC) or later.")
@click.option("--until", callback=_moment, metavar="DATE", help="Only runs that began on this day or earlier.")
@click.option(
    "--by",
    type=click.Choice(["identity", "name"]),
    default="identity",
    show_default=True,
    help="Whether a bot that was changed is another bot, or all that has its name is one.",
)
@click.option("--anchor", metavar="BOT", help="The bot whose rating is 1500.  [default: the average bot]")
@click.option(
    "--store",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=RUNS / "store.sqlite",
    show_default=True,
    help="The store of the runs.",
)
@click.option("--json", "as_json", is_flag=True, help="The standings as JSON instead of the table.")
def standings(*, path: Path, **options: Any) -> None:  # noqa: ANN401 - as many types as options
    """Print the standings over all runs, or over each RUN: a run folder or the id of a match.

    Whatever was recorded since is read first. Only complete boards count. Runs with different numbers
    of seats or different rules do not go into one table: choose with --seats and --rules.
    """
    with _up_to_date(path) as store:
        _print(store, _selection(store, **options), **options)


@contextmanager
def _up_to_date(path: Path) -> Iterator[Store]:
    """The store with all that is recorded; where its file cannot be used, one that is made for now from the records.

    Raises:
        ConfigError: there are no runs.
    """
    from bluke.arena.store import Store, StoreError, record_folders

    if not path.exists() and next(record_folders(path.parent), None) is None:
        raise ConfigError(f"there are no runs below {path.parent}; `bluke arena` plays one, and --store names others")
    try:
        with Store(path) as store:
            _tell(store.update(read_with_a_bar), path)
            yield store
            return
    except StoreError as error:
        click.echo(f"{error}\nthese standings come from the records themselves", err=True)
    with Store.temporary(path.parent) as store:
        _tell(store.update(read_with_a_bar), path)
        yield store


def _tell(update: Update, path: Path) -> None:
    """Say what is not as a reader of the table would think."""
    for fault in update.faults:
        click.echo(f"left out: {visible(fault)}", err=True)
    if update.gone:
        command = f"bluke store rebuild {shlex.quote(str(path.parent))}"
        gone = _listed(update.gone)
        click.echo(f"these runs have no record any more: {gone}; `{command}` leaves them out", err=True)


def _selection(
    store: Store,
    *,
    runs: tuple[str, ...],
    seats: int | None,
    rules_: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    **_: object,
) -> Selection:
    from bluke.arena.store import Selection

    # A folder is called as a person sees it from here, and a match by its id.
    names = tuple(store.name_of(Path(run)) if Path(run).is_dir() else run for run in runs)
    return Selection(runs=names, seats=seats, rules=_rules(rules_), since=since, until=until)


def _rules(pairs: tuple[str, ...]) -> dict[str, Any]:
    """The values of `--rules`, as `Selection` compares them."""
    values, keys = parse_rules(pairs)
    wanted = {key: getattr(values, key) for key in sorted(keys)}
    return {key: tuple(value) if key == "hands" else value for key, value in wanted.items()}


def _print(
    store: Store, selection: Selection, *, named: Sequence[str], by: str, anchor: str | None, as_json: bool, **_: object
) -> None:
    import msgspec

    from bluke.arena.standings import make_standings
    from bluke.arena.store import choose, labels
    from bluke.arena.terminal import console, print_standings

    _check_names(store, named)
    chosen = choose(store.runs(), selection)
    found = store.games(chosen, named)
    if not found:
        raise ConfigError(f"no board of these runs was played by {' and '.join(map(repr, named))}")
    called = labels((bot for one in found for bot in one.bots), by_name=by == "name")
    games = [msgspec.structs.replace(one.game, bots=[called[bot] for bot in one.bots]) for one in found]
    anchored = None if anchor is None else _anchor(called, anchor)
    result = make_standings(games, (), _per_board(chosen), anchor=anchored)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(result), indent=1))
        return
    out = console()
    first, last = (f"{run.started:%Y-%m-%d}" for run in (chosen[0], chosen[-1]))
    days = first if first == last else f"{first} to {last}"
    many = counted(len(chosen), "run")
    out.print(f"{many} of {days}, {len(games)} games at {chosen[0].kind.seats} seats")
    print_standings(out, result)


def _per_board(chosen: Sequence[StoredRun]) -> int:
    """The games of a complete board.

    Raises:
        ConfigError: it is not the same for all runs.
    """
    by_size = defaultdict(list)
    for run in chosen:
        by_size[run.per_board].append(run.folder)
    if len(by_size) > 1:
        raise ConfigError(
            "the boards of these runs are not of as many games each; name those of one size:\n"
            + "\n".join(f"  {size} games: {_listed(folders)}" for size, folders in sorted(by_size.items()))
        )
    return chosen[0].per_board


def _anchor(called: Mapping[BotKey, str], text: str) -> str:
    """The label of the one bot in the table that is meant.

    Raises:
        ConfigError: there is none, or more than one.
    """
    from bluke.arena.store import matches

    meant = sorted({label for bot, label in called.items() if text == label or matches(bot, text)})
    if len(meant) == 1:
        return meant[0]
    if text in meant:
        return text
    which = f"it may be {' or '.join(map(repr, meant))}" if meant else "no bot in the table is called that"
    raise ConfigError(f"--anchor {text!r}: {which}")


def _listed(folders: Sequence[str]) -> str:
    """Folders in a sentence."""
    more = f" and {len(folders) - MOST_LISTED} more" if len(folders) > MOST_LISTED else ""
    return ", ".join(visible(folder) for folder in folders[:MOST_LISTED]) + more


def _check_names(store: Store, named: Sequence[str]) -> None:
    """Refuse names that no bot has.

    Raises:
        ConfigError: there is one.
    """
    from bluke.arena.store import matches

    bots = store.bots()
    for name in named:
        if not any(matches(bot, name) for bot in bots):
            close = difflib.get_close_matches(name, [form for bot in bots for form in bot.forms], 1)
            hint = f"did you mean {close[0]!r}?" if close else "`bluke standings` alone lists those there are"
            raise ConfigError(f"--bot {name!r}: there is no such bot; {hint}")
