from __future__ import annotations

import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from arena.records import game
from arena.store.written import append, boards, opened, run_record, sqlite, stored, write_run

from bluke.arena.store import Contents, Store, StoreError, add_run, database, rebuild
from bluke.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

#: Adds every run of a folder, three times over.
ADD_ALL = """
import sys
from pathlib import Path
from bluke.arena.store import Store, record_folders
root = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(3):
    for folder in record_folders(root):
        with Store(root / "store.sqlite") as store:
            store.add(folder)
"""


def test_rebuild_what_is_broken(root: Path):
    """Whatever is in the file's place, afterwards the store is that of the records."""
    write_run(root / "r")
    path = root / "store.sqlite"
    rebuild(root)
    whole = path.read_bytes()
    for broken in (
        b"",
        b"no database, and not short of being one either" * 100,
        whole[:5000],
        whole[:4096] + b"\xff" * (len(whole) - 4096),
        b"\xff" * 100 + whole[100:],
    ):
        path.write_bytes(broken)
        (root / "store.sqlite-wal").write_bytes(b"left over")
        contents, found = rebuild(root)
        assert contents == Contents(runs=1, games=4, bots=2)
        assert found.faults == ()
        assert stored(root) == boards()
        assert sqlite(root, "PRAGMA integrity_check") == [("ok",)]


def test_open_what_is_broken(root: Path):
    """One sentence says what is wrong and how the store is made anew."""
    path = root / "store.sqlite"
    path.write_bytes(b"no database" * 1000)
    cure = f"make it anew with `bluke store rebuild {root}`$"
    with pytest.raises(StoreError, match=rf"store\.sqlite: it is no database, or a broken one; {cure}"):
        Store(path)
    path.unlink()
    write_run(root / "r")
    rebuild(root)
    path.write_bytes(path.read_bytes()[:8192] + b"\xff" * (path.stat().st_size - 8192))
    with opened(root) as store, pytest.raises(StoreError, match=rf"store\.sqlite: .*; {cure}"):
        store.games(store.runs())


def test_a_store_that_holds_nonsense(root: Path):
    """Rows that no record makes are a broken store, not a crash."""
    write_run(root / "r")
    for statement in (
        "DELETE FROM bots",
        "UPDATE games SET status = 'odd'",
        "UPDATE games SET sizes = '{'",
        "UPDATE runs SET variant = 1",
    ):
        rebuild(root)
        sqlite(root, statement)
        with opened(root) as store, pytest.raises(StoreError, match=r"it is broken: .*rebuild"):
            store.games(store.runs())


def test_a_store_of_another_version(root: Path):
    """It is not used, and is made anew when somebody asks for it."""
    write_run(root / "r")
    rebuild(root)
    sqlite(root, "UPDATE store SET version = 99")
    with pytest.raises(StoreError, match=r"another version of bluke made it, in form 99, not 1; make it anew with"):
        opened(root)
    rebuild(root)
    assert stored(root) == boards()


def test_a_database_of_somebody_else(root: Path):
    """It is neither used nor written over."""
    write_run(root / "r")
    sqlite(root, "CREATE TABLE mine (x)")
    before = (root / "store.sqlite").read_bytes()
    with pytest.raises(StoreError, match="it is a database, but no store of results"):
        opened(root)
    with pytest.raises(StoreError, match="it is a database, but no store of results"):
        rebuild(root)
    assert (root / "store.sqlite").read_bytes() == before


def test_a_store_under_another_name(tmp_path: Path):
    """Where `rebuild` would make another file, the cure is another one."""
    path = tmp_path / "mine.sqlite"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="move it away, and it is made anew"):
        Store(path)


def test_rebuild_below_a_reader(root: Path):
    """Who reads while the store is made anew sees the old one to the end, and the new one after that."""
    write_run(root / "1", run_record("m1"))
    rebuild(root)
    reader = sqlite3.connect(root / "store.sqlite", isolation_level=None)
    try:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM runs").fetchone() == (1,)
        write_run(root / "2", run_record("m2"))
        assert rebuild(root)[0].runs == 2
        assert reader.execute("SELECT count(*) FROM runs").fetchone() == (1,)
        reader.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM runs").fetchone() == (2,)
    finally:
        reader.close()


def test_a_run_that_ends_during_a_rebuild(root: Path):
    """It is in the new store, although it added itself to the old one."""
    write_run(root / "1", run_record("m1"))

    def watch(folders: Sequence[Path]) -> Iterator[Path]:
        yield from folders
        if not (root / "2").exists():
            assert add_run(write_run(root / "2", run_record("m2"))) is None

    contents, found = rebuild(root, watch)
    assert (contents.runs, found.read) == (2, 1)


def test_a_store_that_somebody_writes(root: Path, monkeypatch: pytest.MonkeyPatch):
    """After the time that it is waited for, one sentence says why; nothing has changed and it works later."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.0)
    folder = write_run(root / "r")
    rebuild(root)
    append(folder, game(7, ["a", "b"], [1, 2]))
    writer = sqlite3.connect(root / "store.sqlite", isolation_level=None)
    try:
        writer.execute("BEGIN IMMEDIATE")
        busy = "store.sqlite: another process is writing to it; try again when that is over"
        for write in (lambda store: store.add(folder), Store.update):
            with opened(root) as store, pytest.raises(StoreError, match=busy):
                write(store)
        with pytest.raises(StoreError, match=busy):
            rebuild(root)
        told = add_run(folder)
        assert told is not None
        assert busy in told
        assert len(stored(root)) == 4
    finally:
        writer.close()
    assert add_run(folder) is None
    assert len(stored(root)) == 5


def test_a_full_disk(root: Path, monkeypatch: pytest.MonkeyPatch):
    """A run that does not fit is not there by half, and what was there stays."""
    write_run(root / "1", run_record("m1"))
    rebuild(root)
    write_run(root / "2", run_record("m2"), boards("m2", count=2000))
    pages = sqlite(root, "PRAGMA page_count")[0][0]
    monkeypatch.setattr(database, "PRAGMAS", (*database.PRAGMAS, f"max_page_count = {pages + 5}"))
    told = add_run(root / "2")
    assert told is not None
    assert told.endswith("store.sqlite: the disk is full; make room")
    assert [one.match for one in stored(root)] == ["m1"] * 4


def test_a_folder_that_is_not_there(tmp_path: Path):
    """A store cannot be made where there is nothing."""
    with pytest.raises(StoreError, match=r"store\.sqlite: it cannot be opened; see that its folder is there"):
        Store(tmp_path / "none" / "store.sqlite")
    with pytest.raises(ConfigError, match=r"there are no runs below .*none: no folder there has a results\.jsonl"):
        rebuild(tmp_path / "none")


@pytest.mark.slow
def test_two_processes_at_once(root: Path):
    """Processes that add the same runs at the same moment to a store that is not there yet end with each run once."""
    for number in range(8):
        match = f"m{number}"
        write_run(root / f"r{number}", run_record(match), boards(match))
    words = [sys.executable, "-c", ADD_ALL, str(root)]
    adding = [
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in adding:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    said = []
    for process in adding:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [(process.communicate(timeout=60)[1], process.returncode) for process in adding]
    assert said == [("", 0)] * 2
    with opened(root) as store:
        assert store.contents() == Contents(runs=8, games=32, bots=2)
        assert store.update().read == 0
