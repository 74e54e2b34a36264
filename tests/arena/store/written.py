"""Run folders for the tests of the store, made by hand."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
from arena.records import game

from bluke.arena.record import BotRecord, EndRecord, GameRecord, Record, RunRecord
from bluke.arena.store import Kind, Store, StoredRun
from bluke.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

START = datetime(2030, 1, 15, 12, 30, tzinfo=UTC)
END = EndRecord(status="complete", finished=datetime(2030, 1, 15, 13, tzinfo=UTC), match_seed="00")


def run_record(
    match: str = "m",
    *,
    digests: Mapping[str, str] | None = None,
    seats: int = 2,
    boards: int = 2,
    games: int | None = None,
    started: datetime = START,
    rules: dict[str, Any] | None = None,
    served: bool = False,
) -> RunRecord:
    return RunRecord(
        match=match,
        started=started,
        server="bluke/0",
        bots=[BotRecord(name=name, author=f"{name}'s", digest=digest) for name, digest in (digests or {}).items()],
        seats=seats,
        boards=boards,
        games=boards * seats if games is None else games,
        config=None if served else {"rules": rules or {}},
    )


def boards(match: str = "m", bots: Sequence[str] = ("a", "b"), count: int = 2, **options: Any) -> list[GameRecord]:
    """The games of so many boards in all rotations; the bot of place n has n points more than the one before."""
    return [
        game(board, turned, [100 * board + 10 * list(bots).index(bot) for bot in turned], match=match, **options)
        for board in range(count)
        for turn in range(len(bots))
        for turned in [[*bots[turn:], *bots[:turn]]]
    ]


def write_run(folder: Path, run: RunRecord | None = None, games: Sequence[GameRecord] | None = None) -> Path:
    """A folder with the record of a run that is complete."""
    run = run or run_record()
    lines: list[Record] = [run, *(boards(run.match) if games is None else games), END]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return folder


def append(folder: Path, *games: GameRecord) -> None:
    with (folder / "results.jsonl").open("ab") as file:
        file.writelines(msgspec.json.encode(line) + b"\n" for line in games)


def stored_run(
    folder: str = "r", *, rules: Rules | None = None, seats: int = 4, games: int = 8, day: int = 15
) -> StoredRun:
    """A run as the store tells of it."""
    spelt = rules and Rules(rules.seats, rules.variant, hands=rules.schedule, bluke_led=rules.bluke_led, cut=rules.cut)
    kind = Kind(rules.seats if rules else seats, spelt)
    return StoredRun(0, folder, f"match-{folder}", datetime(2030, 1, day, 12, tzinfo=UTC), kind, 4, games)


def opened(root: Path) -> Store:
    return Store(root / "store.sqlite")


def stored(root: Path) -> list[GameRecord]:
    """What the store has, nothing brought up to date."""
    with opened(root) as store:
        return [found.game for found in store.games(store.runs())]


def sqlite(root: Path, statement: str) -> list[Any]:
    connection = sqlite3.connect(root / "store.sqlite", isolation_level=None)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()
