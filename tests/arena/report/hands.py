"""Games of a few hands, made by hand, and the report of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bluke.arena.record import BotRecord, DecisionTimes, EndRecord, FaultRecord, GameRecord, RunRecord
from bluke.arena.report.page import bots_of, make_page, make_report
from bluke.arena.report.places import Places
from bluke.arena.report.values import Box, Code, Details, Facts, Link, Prose, Table
from bluke.arena.standings import make_standings
from bluke.rules import places, points
from bluke.wire.values import FaultKind, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bluke.arena.report.values import Block, Page, Section

#: A hand: its size, and for each seat what it bid and took.
Hand = tuple[int, list[tuple[int, int]]]
STARTED = datetime(2026, 1, 15, 10, 15, tzinfo=UTC)


def played(
    board: int,
    bots: Sequence[str],
    *hands: Hand,
    number: int = 0,
    match: str = "m",
    totals: Sequence[int] | None = None,
    status: Status = Status.COMPLETE,
    faults: Sequence[tuple[int, FaultKind, int, str]] = (),
    played_out: Sequence[int] = (),
    times_ms: Sequence[float] = (),
    replay: str = "",
    versions: Sequence[str] = (),
) -> GameRecord:
    """A game of these hands; totals are those of the hands unless they are given."""
    bids = [[hand[seat][0] for _, hand in hands] for seat in range(len(bots))]
    tricks = [[hand[seat][1] for _, hand in hands] for seat in range(len(bots))]
    made = totals or [sum(map(points, bids[seat], tricks[seat])) for seat in range(len(bots))]
    counted = DecisionTimes()
    counted.add(times_ms)
    name = f"{match}-{board}-{number}"
    return GameRecord(
        match=match,
        number=number,
        board=board,
        rotation=number,
        game=name,
        bots=list(bots),
        versions=list(versions or [""] * len(bots)),
        status=status,
        totals=list(made),
        places=None if status is Status.VOID else list(places(tuple(made), ())),
        faults=[FaultRecord(seat=seat, kind=kind, hand=hand, detail=detail) for seat, kind, hand, detail in faults],
        played_out=list(played_out),
        sizes=[size for size, _ in hands],
        bids=bids,
        tricks=tricks,
        times=[sorted(counted.counts.items()) for _ in bots],
        replay=replay or f"replays/{name}.jsonl",
        seconds=1.0,
    )


def run_of(bots: Sequence[str], seats: int = 2, boards: int = 1, **values: Any) -> RunRecord:
    values = {"games": boards * seats, "config": {}, **values}
    roster = [BotRecord(name=bot, author="", digest="0123456789ab") for bot in bots]
    return RunRecord(
        match="m", started=STARTED, server="bluke-arena 9.9", bots=roster, seats=seats, boards=boards, **values
    )


def end_of(status: str = "complete", seed: str | None = "c0ffee") -> EndRecord:
    return EndRecord(status=status, finished=STARTED + timedelta(hours=2, minutes=3), match_seed=seed)


def page_of(
    run: RunRecord, games: Sequence[GameRecord], end: EndRecord | None = None, where: Places | None = None
) -> Page:
    standings = make_standings(games, bots_of(run, games), run.seats)
    return make_page(run, games, end, standings, where or Places("runs/r"))


def report_of(run: RunRecord, games: Sequence[GameRecord], end: EndRecord | None = None) -> str:
    standings = make_standings(games, bots_of(run, games), run.seats)
    return make_report(run, games, end, standings, Places("runs/r"))


def section(page: Page, key: str) -> Section:
    return next(one for one in page.sections if one.key == key)


def blocks(part: Section | Details | Box) -> Iterator[Block]:
    """All blocks of a part, those in others too."""
    for block in part.blocks:
        yield block
        if isinstance(block, Details | Box):
            yield from blocks(block)


def tables(page: Page, key: str) -> dict[str, dict[str, dict[str, str]]]:
    """The tables of a section by caption, as text by the head of the row and of the column."""
    return {
        block.caption: {
            str(row[0]): {
                column.text: cell if isinstance(cell, str) else cell.text
                for column, cell in zip(block.columns[1:], row[1:], strict=True)
            }
            for row in block.rows
        }
        for block in blocks(section(page, key))
        if isinstance(block, Table)
    }


def words(page: Page, key: str) -> list[str]:
    """The paragraphs of a section."""
    return [said(block) for block in blocks(section(page, key)) if isinstance(block, Prose)]


def said(prose: Prose) -> str:
    return "".join(part.text for part in prose.parts)


def links(page: Page, key: str) -> list[str]:
    found = [block.parts for block in blocks(section(page, key)) if isinstance(block, Prose)]
    return [part.href for parts in found for part in parts if isinstance(part, Link)]


def commands(page: Page, key: str) -> list[str]:
    found = [block.parts for block in blocks(section(page, key)) if isinstance(block, Prose)]
    return [part.text for parts in found for part in parts if isinstance(part, Code)]


def facts(page: Page) -> dict[str, str]:
    """What the last section says, by term."""
    for block in section(page, "conditions").blocks:
        if isinstance(block, Facts):
            return {fact.term: "".join(part.text for part in fact.parts) for fact in block.facts}
    raise AssertionError(page)
