"""The page of a run, from values to HTML: `make_report` is pure, and what the page says is decided below it."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from bluke import __version__
from bluke.arena.report.bidding import bids_section, outcomes_section, sizes_section
from bluke.arena.report.boards import worst_boards
from bluke.arena.report.compared import comparison_verdict
from bluke.arena.report.conditions import conditions_of, conditions_section, schedule_of
from bluke.arena.report.ladder import ladder_of, matrix_section, standings_section, verdict
from bluke.arena.report.numbers import counted, took, when, whole
from bluke.arena.report.places import Places
from bluke.arena.report.spread import points_section, times_section
from bluke.arena.report.tally import boards_of, tally_games
from bluke.arena.report.trouble import boards_section, faults_section
from bluke.arena.report.values import Code, Column, Link, Page, Section, Table, say
from bluke.arena.report.words import outside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jinja2 import Template

    from bluke.arena.record import EndRecord, GameRecord, RunRecord
    from bluke.arena.report.tally import Tally
    from bluke.arena.report.values import Prose
    from bluke.arena.standings import Standings

__all__ = ["bots_of", "games_per_board", "make_page", "make_report"]

#: Boards that are shown of each bot.
WORST = 5
#: Bots that are named in the heading.
NAMED = 4
ENDINGS = {"complete": "complete", "stopped": "stopped before its end", "failed": "failed before its end"}


def bots_of(run: RunRecord, games: Sequence[GameRecord]) -> list[str]:
    """The bots of a run: its roster or, where they came as they liked, those that played."""
    return [bot.name for bot in run.bots] or sorted({bot for game in games for bot in game.bots})


def make_report(
    run: RunRecord,
    games: Sequence[GameRecord],
    end: EndRecord | None,
    standings: Standings,
    places: Places | None = None,
) -> str:
    """The page of a run as HTML that needs nothing beside itself.

    Args:
        run: what was to be played.
        games: the games that were.
        end: how it ended, `None` if it has not.
        standings: what the games say.
        places: where the run folder is, from the page and for commands.
    """
    page = make_page(run, games, end, standings, places or Places())
    style, script = _asset("report.css"), _asset("report.js")
    return _template().render(
        page=page, style=style, script=script, style_hash=_digest(style), script_hash=_digest(script)
    )


def make_page(
    run: RunRecord, games: Sequence[GameRecord], end: EndRecord | None, standings: Standings, places: Places
) -> Page:
    """The page as values; the arguments are those of `make_report`."""
    boards = boards_of(games)
    whole_board = games_per_board(run)
    complete = {board: played for board, played in boards.items() if len(played) == whole_board}
    # The same games as in the standings, so that the figures agree.
    counted_games = [game for played in (complete or boards).values() for game in played]
    ladder = ladder_of(standings)
    order = [rung.bot for rung in ladder.rungs]
    found = tally_games(counted_games, order)
    tallies = [found[bot] for bot in order]
    conditions = conditions_of(run)
    asked = conditions.compare
    compared = () if asked is None else comparison_verdict(asked, games, whole_board)
    several = len({match for match, _ in boards}) > 1
    sections = (
        standings_section(ladder),
        matrix_section(ladder),
        bids_section(tallies),
        outcomes_section(tallies),
        sizes_section(tallies),
        points_section(tallies),
        boards_section(worst_boards(complete, order, WORST), places, several=several),
        faults_section(games, order, places),
        times_section(tallies, conditions.decision_ms),
        _bots_section(run, found),
        conditions_section(run, games, end, conditions, places),
    )
    return Page(
        title=f"Bluke: {_names(order)}",
        heading=_names(order) or "No bots",
        facts=_facts(run, games, end, len(boards), schedule_of(conditions)),
        verdict=(*compared, *verdict(ladder)),
        notes=_notes(run, games, end, places),
        sections=sections,
        foot=f"Written by bluke-arena {__version__} from the record of the run; the record is what counts.",
    )


def _names(bots: Sequence[str]) -> str:
    names = [outside(bot) for bot in bots[:NAMED]]
    if len(bots) > NAMED:
        return f"{', '.join(names)} and {whole(len(bots) - NAMED)} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def games_per_board(run: RunRecord) -> int:
    """The games of a complete board; where bots come as they like, a group plays one in every rotation."""
    return run.games // run.boards if run.config is not None and run.games and run.boards else run.seats


def _notes(run: RunRecord, games: Sequence[GameRecord], end: EndRecord | None, places: Places) -> tuple[Prose, ...]:
    """What to know before believing the verdict."""
    notes = []
    if run.config is not None and len(games) < run.games and (end is None or end.status != "complete"):
        resume = Code(f"{places.command} arena --resume {places.run}")
        played = f"{whole(len(games))} of {whole(run.games)} games are played, and all of this is about those. "
        notes.append(say(played, "To play the rest: ", resume))
    faults = sum(len(game.faults) for game in games)
    if faults:
        affected = sum(bool(game.faults) for game in games)
        said = f"There were {counted(faults, 'fault')} in {counted(affected, 'game')}: "
        notes.append(say(said, Link("which, and in which games", "#faults"), "."))
    return tuple(notes)


def _facts(
    run: RunRecord, games: Sequence[GameRecord], end: EndRecord | None, boards: int, schedule: str | None
) -> tuple[str, ...]:
    ending = "not ended yet, or was killed" if end is None else ENDINGS.get(end.status, outside(end.status))
    # A comparison is complete when its answer is known.
    complete = end is not None and end.status == "complete"
    left = "" if complete or run.games in {0, len(games)} else f" of {whole(run.games)}"
    length = "" if end is None else f", {took((end.finished - run.started).total_seconds())}"
    return (
        ending,
        *filter(None, (schedule,)),
        f"{whole(run.seats)} seats",
        f"{counted(boards, 'board')}",
        f"{whole(len(games))}{left} game{'' if len(games) == 1 and not left else 's'}",
        f"{when(run.started)}{length}",
    )


def _bots_section(run: RunRecord, tallies: Mapping[str, Tally]) -> Section:
    known = {bot.name: bot for bot in run.bots}
    table = Table(
        "Bots",
        (
            Column("bot", words=True),
            Column("version", words=True),
            Column("author", words=True),
            Column("digest", "of its command and its files: another digest is another bot", words=True),
        ),
        tuple(
            (
                outside(bot),
                ", ".join(map(outside, tally.versions)) or "none given",
                outside(known[bot].author) if bot in known and known[bot].author else "none given",
                outside(known[bot].digest) if bot in known else "unknown: it came by itself",
            )
            for bot, tally in tallies.items()
        ),
    )
    lead = say("A bot is known by its name, its version and a digest: when one of them changes it is another bot.")
    return Section("bots", "Bots", (lead, table))


@cache
def _asset(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8").strip()


def _digest(text: str) -> str:
    """How the page's policy names a style or script that is allowed."""
    # The newlines that the template puts around it are part of what is hashed.
    return base64.b64encode(hashlib.sha256(f"\n{text}\n".encode()).digest()).decode()


@cache
def _template() -> Template:
    # Imported here, so that a run that has not ended yet has no need of it.
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    return environment.from_string(_asset("report.html.j2"))
