from __future__ import annotations

import asyncio
import errno
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
import pytest
from arena.records import game
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.record import (
    BotRecord,
    DecisionTimes,
    EndRecord,
    GameRecord,
    Record,
    RecordFile,
    RunRecord,
    read_record,
)
from bluke.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from pathlib import Path

BOTS = [BotRecord(name="a", author="", digest="0"), BotRecord(name="b", author="ann", digest="1")]
RUN = RunRecord(match="m", started=datetime(2030, 1, 1, tzinfo=UTC), server="s", bots=BOTS, seats=2, boards=1, games=2)
END = EndRecord(status="complete", finished=datetime(2030, 1, 2, tzinfo=UTC), match_seed="00")
GAMES: list[GameRecord] = [game(board, ["a", "b"], [board, 0]) for board in range(20)]


async def test_write_and_read(tmp_path: Path):
    """What was appended is read again, in the order of the calls although nobody waited between them."""
    path = tmp_path / "results.jsonl"
    with RecordFile(path) as record:
        lines: list[Record] = [RUN, *GAMES, END]
        await asyncio.gather(*map(record.append, lines))
    assert read_record(path) == (RUN, GAMES, END)


async def test_a_line_is_on_disk_when_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Every line is synced before its game counts."""
    path = tmp_path / "results.jsonl"
    synced = []
    monkeypatch.setattr(os, "fsync", lambda number: synced.append(os.pread(number, 10_000, 0).count(b"\n")))
    with RecordFile(path) as record:
        await record.append(RUN)
        await record.append(GAMES[0])
    assert synced == [1, 2]


async def test_a_line_whose_writer_gave_up(tmp_path: Path):
    """An append that was cancelled while it waited for the disk is in the record all the same."""
    path = tmp_path / "results.jsonl"
    with RecordFile(path) as record:
        await record.append(RUN)
        task = asyncio.create_task(record.append(GAMES[0]))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert read_record(path)[1] == GAMES[:1]


async def test_the_disk_fills_up_within_a_line(tmp_path: Path):
    """A line that does not fit is taken back whole: the record ends with the game before, and can go on."""
    path = tmp_path / "results.jsonl"
    with RecordFile(path) as record:
        await record.append(RUN)
        await record.append(GAMES[0])
        record._file = Filling(record._file, room=100)  # type: ignore[assignment]
        with pytest.raises(ArenaError, match=r"results\.jsonl: .*No space left on device; make room"):
            await record.append(GAMES[1])
        assert read_record(path) == (RUN, GAMES[:1], None)
        record._file.room = 10_000  # type: ignore[attr-defined]
        await record.append(GAMES[2])
    assert read_record(path) == (RUN, [GAMES[0], GAMES[2]], None)


class Filling:
    """A file on a disk with little room."""

    def __init__(self, file: object, room: int) -> None:
        self.file, self.room = file, room

    def __getattr__(self, name: str) -> object:
        return getattr(self.file, name)

    def write(self, data: memoryview) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        part = data[: self.room]
        self.room -= len(part)
        return self.file.write(part)  # type: ignore[attr-defined]


def test_a_record_that_is_there(tmp_path: Path):
    """A record is never written over."""
    path = tmp_path / "results.jsonl"
    path.write_text("old")
    with pytest.raises(ArenaError, match="File exists"):
        RecordFile(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


async def test_a_record_gets_its_name_with_its_first_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Nobody finds a record that does not say which run it is; what a killed process has left is written anew."""
    path = tmp_path / "results.jsonl"
    (tmp_path / "results.jsonl.new").write_text('{"type":"ru')
    with RecordFile(path) as record:
        assert not path.exists()
        await record.append(RUN)
        assert read_record(path) == (RUN, [], None)
    path.unlink()
    with RecordFile(path):
        pass
    assert not path.exists()
    assert not path.with_name("results.jsonl.new").exists()


async def test_a_record_has_one_writer(tmp_path: Path):
    """While a record is open, begun or taken up, nobody else can open it; its end frees it."""
    path = tmp_path / "results.jsonl"
    with RecordFile(path) as record:
        with pytest.raises(ConfigError, match="another process plays this run: "):
            RecordFile(path)
        await record.append(RUN)
        with pytest.raises(ConfigError, match="another process plays this run: "):
            RecordFile(path, resumed=True)
    with RecordFile(path, resumed=True), pytest.raises(ConfigError, match="another process plays this run: "):
        RecordFile(path, resumed=True)
    assert read_record(path) == (RUN, [], None)


async def test_a_disk_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where the disk knows no locks a run is played all the same."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with RecordFile(tmp_path / "results.jsonl") as record:
        await record.append(RUN)
    assert read_record(tmp_path / "results.jsonl") == (RUN, [], None)


async def test_take_up_a_record(tmp_path: Path):
    """Lines go on after the last whole one; a torn one is cut off first, however much of it was written."""
    path = tmp_path / "results.jsonl"
    with RecordFile(path) as record:
        for line in (RUN, GAMES[0], END):
            await record.append(line)
    whole = path.read_bytes()
    torn = msgspec.json.encode(GAMES[1])
    for size in (0, 1, len(torn) // 2, len(torn)):
        path.write_bytes(whole + torn[:size])
        with RecordFile(path, resumed=True) as record:
            assert path.read_bytes() == whole
            await record.append(GAMES[2])
        assert read_record(path) == (RUN, [GAMES[0], GAMES[2]], None)


async def test_a_torn_last_line(tmp_path: Path):
    """A last line that was being written when the power went is left out."""
    path = tmp_path / "results.jsonl"
    with RecordFile(path) as record:
        await record.append(RUN)
        await record.append(GAMES[0])
        await record.append(GAMES[1])
    whole = path.read_bytes()
    for size in range(whole.index(b"\n") + 1, len(whole)):
        path.write_bytes(whole[:size])
        games = read_record(path)[1]
        assert games == GAMES[: whole[:size].count(b"\n") - 1]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "line 1: not a record of results"),
        ("nothing\n", "line 1: "),
        ('{"type":"end","status":"x","finished":"2030-01-01T00:00:00Z","match_seed":""}\n', "line 1: not a record"),
    ],
)
def test_read_what_is_no_record(tmp_path: Path, text: str, match: str):
    """A file that is no record is refused with its name and line."""
    path = tmp_path / "results.jsonl"
    path.write_text(text)
    with pytest.raises(ArenaError, match=match):
        read_record(path)


def test_read_a_record_that_is_not_there(tmp_path: Path):
    """A missing file is one sentence."""
    with pytest.raises(ArenaError, match="cannot be read: No such file"):
        read_record(tmp_path / "none")


@given(st.lists(st.floats(0.02, 1e6), min_size=1, max_size=200), st.floats(0.01, 1))
def test_quantiles(times: list[float], q: float):
    """A quantile is the time that this share did not exceed, to 5%."""
    counted = DecisionTimes()
    counted.add(times)
    exact = sorted(times)[max(0, -(-int(q * len(times) * 1e9) // 10**9) - 1)]
    found = counted.quantile(q)
    assert found is not None
    assert exact * 0.999 <= found or sum(time <= found * 1.001 for time in times) >= q * len(times) - 1e-6
    assert found <= max(times) * 1.051


def test_quantiles_of_nothing():
    """Without decisions there is no quantile."""
    assert DecisionTimes().quantile(0.5) is None


def test_times_add_up():
    """Counts of several games together are those of all their decisions."""
    one, two, both = DecisionTimes(), DecisionTimes(), DecisionTimes()
    one.add([1, 2, 3])
    two.add([0.0, 100])
    both.add([1, 2, 3, 0.0, 100])
    one.counts.update(two.counts)
    assert one.counts == both.counts
