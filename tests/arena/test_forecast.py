from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import pytest
from arena.records import game
from arena.rosters import SMALLEST, configured
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.forecast import (
    MOST_RUNS,
    Decisions,
    Pace,
    clock_seconds,
    decisions,
    expected_seconds,
    find_pace,
    tally,
)
from bluke.arena.form import Form, Kind, Rotations
from bluke.arena.identity import bot_records
from bluke.arena.record import RunRecord
from bluke.arena.run import without_seed
from bluke.arena.schedule import Fixture, make_schedule
from bluke.rules import Asked, CutRule, Game, Rules, SeededPacks, Variant
from bluke.wire.values import GameLimits

if TYPE_CHECKING:
    from pathlib import Path

    from bluke.arena.config import ArenaConfig

RULES = [
    Rules(4),
    Rules(2, cut=CutRule.PLAYER),
    Rules(9, cut=CutRule.PLAYER),
    Rules(15, Variant.NEW_JERSEY),
    Rules(3, max_hand=4, last_hand=2),
    # 54 cards: there is nothing left to cut.
    Rules(2, hands=(27, 26, 1), cut=CutRule.PLAYER),
    Rules(6, hands=(9, 9), cut=CutRule.PLAYER),
]


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_decisions_of_a_game(rules: Rules):
    """The number is that of a game that was played, kind by kind."""
    played: Counter[Asked | None] = Counter()
    one = Game(rules, SeededPacks(bytes(32)))
    while not one.over:
        played[one.asked] += 1
        one.answer(one.seat, one.fixed_answer())
    assert decisions(rules) == Decisions(played[Asked.CUT], played[Asked.BID], played[Asked.PLAY])
    assert decisions(rules).total == played.total()


def test_decisions_known_beforehand():
    """Hands from thirteen cards to one and back at four seats: 25 hands, 181 tricks."""
    assert decisions(Rules(4)) == Decisions(0, 100, 724)
    assert decisions(Rules(4, cut=CutRule.PLAYER)).cuts == 25
    assert decisions(Rules(2, hands=(27, 1), cut=CutRule.PLAYER)).cuts == 1


def test_a_tally_by_hand():
    """Two games of one board and one of another, counted on paper; the seat to the left is the next one."""
    games = [Fixture(0, 0, 0, (0, 1, 2)), Fixture(1, 0, 1, (2, 0, 1)), Fixture(2, 1, 0, (1, 1, 3))]
    found = tally(4, 3, games)
    assert found.boards == (1, 2, 1, 1)
    assert found.games == (2, 3, 2, 1)
    assert found.seats == ((1, 1, 0), (1, 2, 1), (1, 0, 1), (0, 0, 1))
    assert found.met == ((0, 2, 2, 0), (2, 0, 2, 1), (2, 2, 0, 0), (0, 1, 0, 0))
    assert found.left == ((0, 2, 0, 0), (0, 1, 2, 1), (2, 0, 0, 0), (0, 1, 0, 0))


@given(st.integers(1, 7), st.integers(2, 4), st.integers(1, 6), st.sampled_from(Rotations), st.binary(max_size=3))
def test_a_tally_adds_up(bots: int, seats: int, boards: int, rotations: Rotations, seed: bytes):
    """Seats, neighbours and meetings are three ways to look at the same games."""
    fixtures = make_schedule(bots, seats, boards, seed, Form(rotations=rotations))
    found = tally(bots, seats, fixtures)
    assert sum(map(sum, found.seats)) == len(fixtures) * seats
    assert sum(found.boards) == boards * min(bots, seats)
    for bot in range(bots):
        assert sum(found.left[bot]) == sum(found.seats[bot]) == sum(row[bot] for row in found.left)
        assert len(set(found.seats[bot])) == 1
        assert found.met[bot] == tuple(found.met[other][bot] for other in range(bots))
        assert all(met <= found.games[bot] for met in found.met[bot])
        if rotations is Rotations.ALL:
            assert found.left[bot] == tuple(found.left[other][bot] for other in range(bots))


def test_a_tally_of_a_comparison():
    """NEW and OLD play every board, half of the games each, and never meet."""
    found = tally(5, 3, make_schedule(5, 3, 6, b"", Form(Kind.COMPARE, heads=(4, 1))))
    assert (found.boards[4], found.boards[1]) == (6, 6)
    assert (found.games[4], found.games[1]) == (18, 18)
    assert found.met[4][1] == found.left[4][1] == found.left[1][4] == 0


def test_expected_seconds_by_hand():
    """Games share the cores there are, as many at once as are played at once, and the last ones are waited for."""
    assert expected_seconds(1000, 10, 4, 2, 0.001) == 5
    assert expected_seconds(1000, 10, 1, 2, 0.001) == 10
    assert expected_seconds(1000, 9, 4, 2, 0.001) == 5
    assert expected_seconds(1000, 1, 1, 8, 0.001) == 1


@given(st.integers(1, 900), st.integers(1, 5000), st.integers(1, 99), st.integers(1, 64), st.floats(1e-6, 9))
def test_expected_seconds_grow(decided: int, games: int, tables: int, cores: int, seconds: float):
    """More games, slower bots and fewer cores never take less; no machine is faster than all its cores at work."""
    found = expected_seconds(decided, games, tables, cores, seconds)
    assert found >= decided * games * seconds / cores * (1 - 1e-9)
    assert expected_seconds(decided, games + 1, tables, cores, seconds) >= found
    assert expected_seconds(decided, games, tables, cores + 1, seconds) <= found
    assert expected_seconds(decided, games, tables, cores, seconds * 2) >= found


def test_the_clock_by_hand():
    """A game ends when every decision has taken its time and every bank is empty, or, untimed, at the wall limit."""
    limits = GameLimits(decision_ms=2_000, bank_ms=60_000, wall_ms=600_000)
    assert clock_seconds(100, 1, 1, 4, limits) == 440
    assert clock_seconds(100, 9, 4, 4, limits) == 3 * 440
    assert clock_seconds(100, 1, 1, 4, GameLimits(decision_ms=2_000, bank_ms=60_000, wall_ms=100)) == 10
    assert clock_seconds(100, 1, 1, 4, GameLimits(decision_ms=None, wall_ms=3_000)) == 300


def test_a_pace_is_not_outrun():
    """More games at once than there were then are not taken for faster, fewer are slower."""
    pace = Pace(None, seconds=3.0, at_once=4)  # type: ignore[arg-type]
    assert pace.expected_seconds(40, 4) == pace.expected_seconds(40, 16) == 30
    assert pace.expected_seconds(40, 1) == 120
    assert pace.expected_seconds(2, 8) == 3


# The pace of earlier runs


def record(folder: Path, config: ArenaConfig, seconds: list[float], age: int = 0, *, scheduled: bool = True) -> Path:
    """A run of a configuration, so long ago, with games of so many seconds."""
    folder.mkdir(parents=True)
    run = {
        "type": "run",
        "match": "match-x",
        "started": "2030-01-01T00:00:00Z",
        "server": "x",
        "bots": msgspec.to_builtins(bot_records(config.bots)),
        "seats": config.seats,
        "boards": 3,
        "games": 6,
        "config": msgspec.to_builtins(without_seed(config)) if scheduled else None,
    }
    lines = [msgspec.json.encode(msgspec.convert({"format": "bluke-results/1", **run}, RunRecord))]
    for taken in seconds:
        one = game(0, ["a", "b"], [1, 2])
        lines.append(msgspec.json.encode(msgspec.structs.replace(one, seconds=taken)))
    path = folder / "results.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def test_the_pace_of_the_newest_run(tmp_path: Path):
    """It is the mean of the games of the newest run of the same bots, with as many at once as that had."""
    config = configured(tmp_path, SMALLEST, SMALLEST, tables=2)
    record(tmp_path / "runs" / "older", config, [9.0, 9.0], age=9)
    record(tmp_path / "runs" / "newer", config, [1.0, 2.0], age=5)
    assert find_pace(config, tmp_path / "runs") == Pace(tmp_path / "runs" / "newer", 1.5, 2)


def test_a_pace_of_others(tmp_path: Path):
    """Runs of other bots, seats or rules say nothing; other deals, clocks and names of folders do not matter."""
    config = configured(tmp_path, SMALLEST, SMALLEST)
    runs = tmp_path / "runs"
    record(runs / "bots", configured(tmp_path, SMALLEST, ["true"]), [1.0])
    record(runs / "fewer", configured(tmp_path, SMALLEST), [1.0])
    record(runs / "seats", configured(tmp_path, SMALLEST, SMALLEST, seats=3), [1.0])
    record(runs / "rules", configured(tmp_path, SMALLEST, SMALLEST, rules={"hands": [1, 3]}), [1.0])
    assert find_pace(config, runs) is None
    record(runs / "same", configured(tmp_path, SMALLEST, SMALLEST, boards=7, seed="x", clock={"bank_ms": 0}), [1.0])
    found = find_pace(config, runs)
    assert found is not None
    assert found.run == runs / "same"


def test_only_the_newest_are_looked_at(tmp_path: Path):
    """What is older than a few other runs is not read, however many there are."""
    config = configured(tmp_path, SMALLEST, SMALLEST)
    other = configured(tmp_path, SMALLEST, SMALLEST, seats=3)
    record(tmp_path / "runs" / "mine", config, [1.0], age=9)
    for number in range(MOST_RUNS - 1):
        record(tmp_path / "runs" / str(number), other, [1.0], age=1)
    assert find_pace(config, tmp_path / "runs") is not None
    record(tmp_path / "runs" / "one more", other, [1.0], age=2)
    assert find_pace(config, tmp_path / "runs") is None


def test_what_is_no_run(tmp_path: Path):
    """Folders without a record, open tables, spoilt records and impossible numbers are passed over."""
    config = configured(tmp_path, SMALLEST, SMALLEST)
    runs = tmp_path / "runs"
    assert find_pace(config, runs) is None
    record(runs / "none", config, [])
    record(runs / "served", config, [1.0], scheduled=False)
    record(runs / "for ever", config, [1e300])
    record(runs / "not at all", config, [0.0])
    for name, data in {
        "empty": b"",
        "spoilt": b"spoilt\n",
        "deep": b"[" * 100_000 + b"\n",
        "bytes": b'"\xff"\n',
        "long": b" " * (1 << 21) + b"\n",
    }.items():
        (runs / name).mkdir()
        (runs / name / "results.jsonl").write_bytes(data)
    (runs / "folder" / "results.jsonl").mkdir(parents=True)
    (runs / "pipe").mkdir()
    os.mkfifo(runs / "pipe" / "results.jsonl")
    (runs / "file").touch()
    for folder in runs.iterdir():
        alone = tmp_path / "alone"
        alone.mkdir(exist_ok=True)
        moved = folder.rename(alone / "run")
        assert find_pace(config, alone) is None, folder
        moved.rename(tmp_path / folder.name)


def test_a_torn_record(tmp_path: Path):
    """Of a run that was killed the games that were recorded count."""
    config = configured(tmp_path, SMALLEST, SMALLEST)
    path = record(tmp_path / "runs" / "killed", config, [1.0, 3.0])
    with path.open("ab") as file:
        file.write(json.dumps({"type": "game", "seconds": 9}).encode()[:-5])
    found = find_pace(config, tmp_path / "runs")
    assert found is not None
    assert found.seconds == 2.0
