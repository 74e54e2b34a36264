from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from arena.records import game
from arena.store.written import append, boards, opened, run_record, sqlite, stored, write_run
from hypothesis import given, settings
from hypothesis import strategies as st

from bluke.arena.record import FaultRecord, GameRecord
from bluke.arena.store import Contents, Store, add_run, rebuild, record_folders
from bluke.errors import ArenaError, ConfigError
from bluke.wire.values import FaultKind, Status

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.integers(-(2**31) + 1, 2**31 - 1)
small = st.integers(0, 15)


@st.composite
def game_records(draw: st.DrawFn, seats: int = 2) -> GameRecord:
    def each(values: st.SearchStrategy[Any]) -> Any:
        return draw(st.lists(values, min_size=seats, max_size=seats))

    hands = draw(st.lists(small, max_size=3))
    scored = st.lists(small, min_size=len(hands), max_size=len(hands))
    faults = st.builds(
        FaultRecord, seat=st.integers(0, seats - 1), kind=st.sampled_from(FaultKind), hand=small, detail=texts
    )
    return GameRecord(
        match=draw(texts),
        number=draw(numbers),
        board=draw(numbers),
        rotation=draw(small),
        game=draw(texts),
        bots=each(texts),
        versions=each(texts),
        status=draw(st.sampled_from(Status)),
        totals=each(numbers),
        places=draw(st.none() | st.just(each(small))),
        faults=draw(st.lists(faults, max_size=3)),
        played_out=sorted(draw(st.sets(st.integers(0, seats - 1)))),
        sizes=hands,
        bids=each(scored),
        tricks=each(scored),
        times=each(st.lists(st.tuples(st.integers(0, 500), small), max_size=3)),
        replay=draw(texts),
        seconds=draw(st.floats(0, 1e6)),
    )


@settings(max_examples=25)
@given(st.lists(game_records(), max_size=4))
def test_games_come_back(tmp_path_factory: pytest.TempPathFactory, games: list[GameRecord]):
    """Whatever a record says of a game, the store says the same, with the bots that its roster and seats make."""
    root = tmp_path_factory.mktemp("runs")
    write_run(root / "r", run_record(digests={"a": "d1"}), games)
    with Store.temporary(root) as store:
        store.add(root / "r")
        (run,) = store.runs()
        found = store.games([run])
    assert [one.game for one in found] == games
    digests = {"a": "d1"}
    for one, played in zip(found, games, strict=True):
        keys = [(*pair, digests.get(pair[0], "")) for pair in zip(played.bots, played.versions, strict=True)]
        assert list(one.bots) == keys


def test_lists_of_seats_are_lists_to_their_readers(root: Path):
    """What is decoded later can be counted, sliced, compared and gone through like the list that it stands for."""
    write_run(root / "r", games=[game(0, ["a", "b"], [1, 2], times_ms=[[1.0], [2.0, 3.0]])])
    rebuild(root)
    (found,) = stored(root)
    assert len(found.times) == 2
    assert [sum(count for _, count in times) for times in found.times] == [1, 2]
    assert found.bids[0:2] == list(found.bids)
    assert found.times == found.times
    assert found.bids != "bids"


def test_a_run_is_added(root: Path):
    """A run has its folder, match, time and kind, and as many games as its record; the file is in WAL mode."""
    folder = write_run(root / "r", run_record("m1", rules={"max_hand": 3}))
    with opened(root) as store:
        store.add(folder)
        (run,) = store.runs()
    assert (run.folder, run.match, run.per_board, run.games) == ("r", "m1", 2, 4)
    assert run.started.isoformat() == "2030-01-15T12:30:00+00:00"
    assert run.kind.rules is not None
    assert (run.kind.seats, run.kind.rules.schedule) == (2, (3, 2, 1, 2, 3))
    assert sqlite(root, "PRAGMA journal_mode") == [("wal",)]
    assert sorted(path.name for path in root.iterdir()) == ["r", "store.sqlite"]


def test_the_same_run_again(root: Path):
    """A run that is added again takes the place of itself."""
    folder = write_run(root / "r")
    with opened(root) as store:
        store.add(folder)
        before = store.runs(), store.contents()
        store.add(folder)
        assert (store.runs(), store.contents()) == before
    assert stored(root) == boards()


def test_a_run_that_was_resumed(root: Path):
    """When more games were recorded the next look takes them in, and only them."""
    write_run(root / "other", run_record("m2"))
    folder = write_run(root / "r", games=boards(count=1))
    with opened(root) as store:
        assert store.update().read == 2
        append(folder, *boards()[2:])
        assert store.update().read == 1
        assert store.update().read == 0
        assert store.contents() == Contents(runs=2, games=8, bots=2)
    assert [one for one in stored(root) if one.match == "m"] == boards()


def test_a_changed_bot_is_a_new_bot(root: Path):
    """Another digest or another version is another bot; the same ones in another run are the same bot."""
    write_run(root / "1", run_record("m1", digests={"a": "x", "b": "y"}), boards("m1"))
    write_run(root / "2", run_record("m2", digests={"a": "x2", "b": "y"}), boards("m2"))
    write_run(root / "3", run_record("m3", digests={"a": "x", "b": "y"}), boards("m3", versions=["", "2"]))
    contents, _ = rebuild(root)
    assert contents.bots == 5
    with opened(root) as store:
        assert [tuple(bot) for bot in store.bots()] == [
            ("a", "", "x"),
            ("a", "", "x2"),
            ("a", "2", "x"),
            ("b", "", "y"),
            ("b", "2", "y"),
        ]
    assert sqlite(root, "SELECT DISTINCT author FROM bots ORDER BY 1") == [("a's",), ("b's",)]


def test_games_of_boards_that_some_bots_played(root: Path):
    """Named bots choose whole boards, also where they never sat at one table: a comparison's new and old bot do not."""
    games = [game(0, ["new", "x"], [1, 2]), game(0, ["old", "x"], [1, 2]), game(1, ["new", "x"], [1, 2])]
    write_run(root / "r", run_record(digests={"new": "n"}, games=4), games)
    rebuild(root)
    with opened(root) as store:
        runs = store.runs()
        assert [one.game.board for one in store.games(runs, ["new"])] == [0, 0, 1]
        assert [one.game.board for one in store.games(runs, ["old", "new"])] == [0, 0]
        assert [one.game.board for one in store.games(runs, ["new#n"])] == [0, 0, 1]
        assert store.games(runs, ["new@1"]) == []
        assert store.games([], ["new"]) == []


# Records that are wrong


BROKEN = {
    "nothing": (b"", "line 1: not a record of results"),
    "torn": (b'{"type":"run"', "line 1: not a record of results"),
    "no record": (b"hello\n", "line 1: "),
    "no text": (b"\xff\xfe\n", "line 1: "),
    "deep": (b"[" * 100_000 + b"\n", "line 1: "),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_record_that_cannot_be_read(root: Path, name: str):
    """It is named with its fault and left out, the others are stored, and it is read again when it has changed."""
    write_run(root / "good")
    bad = root / "bad"
    bad.mkdir()
    (bad / "results.jsonl").write_bytes(BROKEN[name][0])
    contents, found = rebuild(root)
    assert contents.runs == 1
    (fault,) = found.faults
    assert fault.startswith(f"{bad / 'results.jsonl'}: {BROKEN[name][1]}")
    with opened(root) as store:
        again = store.update()
        assert (again.read, again.faults) == (0, found.faults)
        write_run(bad, run_record("m2"))
        mended = store.update()
        assert (mended.read, mended.faults, store.contents().runs) == (1, (), 2)


WRONG = [
    ("its lists are not all of 2 seats", {"totals": [1]}),
    ("its lists are not all of 2 seats", {"places": [1]}),
    ("its lists are not all of 2 seats", {"bots": ["a", "b", "c"]}),
    ("its bids and tricks are not all of 1 hands", {"bids": [[1], []]}),
    ("it speaks of a seat that is not there", {"played_out": [2]}),
    (
        "it speaks of a seat that is not there",
        {"faults": [FaultRecord(seat=-1, kind=FaultKind.CRASH, hand=0, detail="")]},
    ),
    ("a number in it is absurd", {"board": 2**80}),
    ("a number in it is absurd", {"totals": [1, -(2**31)]}),
    ("a number in it is absurd", {"times": [[(100_000, 1)], []]}),
    ("a number in it is absurd", {"times": [[(1, 2**40)], []]}),
]


@pytest.mark.parametrize(("problem", "values"), WRONG)
def test_a_game_that_standings_cannot_be_made_of(root: Path, problem: str, values: dict[str, Any]):
    """A game whose parts do not fit together is a fault of its record, and what the store had of it stays."""
    good = game(0, ["a", "b"], [1, 2], outcomes=[(1, 0, 0), (0, 0, 1)])
    folder = write_run(root / "r", games=[good])
    with opened(root) as store:
        store.add(folder)
        append(folder, msgspec.structs.replace(good, game="\x1b[2J", **values))
        with pytest.raises(ArenaError) as caught:
            store.add(folder)
        assert str(caught.value) == f"{folder / 'results.jsonl'}: game \\x1b[2J: {problem}"
    assert stored(root) == [good]


def test_a_run_that_is_absurd(root: Path):
    """A table of a thousand seats is a fault of its record."""
    write_run(root / "r", run_record(seats=1000), [])
    assert rebuild(root)[1].faults == (f"{root / 'r' / 'results.jsonl'}: line 1: a number in it is absurd",)


def test_a_record_that_is_gone(root: Path):
    """To add it is refused with its name."""
    with opened(root) as store, pytest.raises(ArenaError, match=r"none/results\.jsonl: cannot be read: No such file"):
        store.add(root / "none")


def test_a_folder_elsewhere(root: Path, tmp_path: Path):
    """A store is that of one folder, and says how others are had."""
    folder = write_run(tmp_path / "elsewhere" / "r")
    for path in (folder, root, tmp_path):
        with opened(root) as store, pytest.raises(ConfigError, match=r"is not below .*runs.*: --store "):
            store.add(path)


def test_a_folder_is_known_however_it_is_written(root: Path, monkeypatch: pytest.MonkeyPatch):
    """A run has one name in the store, from wherever it is seen."""
    write_run(root / "a" / "r")
    with opened(root) as store:
        monkeypatch.chdir(root / "a")
        for path in ("r", "./r", "../a/r", root / "a" / "r", root / "b" / ".." / "a" / "r"):
            assert store.name_of(Path(path)) == "a/r"
        monkeypatch.chdir(root / "a" / "r")
        assert store.name_of(Path()) == "a/r"


# Folders that come, go and move


def test_which_folders_hold_runs(root: Path):
    """Folders of folders are looked into; a run folder, a hidden one, and the store's own are not."""
    for name in ("b", "a/x", "a/y", ".hidden/z", "b/inner"):
        write_run(root / name)
    shutil.copy(root / "b" / "results.jsonl", root)
    assert list(record_folders(root)) == [root / "a" / "x", root / "a" / "y", root / "b"]


def test_a_copy_of_a_run(root: Path):
    """A match counts once, from the folder that says most of it, and looking again changes nothing."""
    folder = write_run(root / "r", games=boards(count=1))
    shutil.copytree(folder, root / "a copy")
    with opened(root) as store:
        assert store.update().read == 2
        assert store.contents().games == 2
        append(root / "r", *boards()[2:])
        assert store.update().read == 1
        assert [(run.folder, run.games) for run in store.runs()] == [("r", 4)]
        assert store.update().read == 0
    rebuild(root)
    assert len(stored(root)) == 4


def test_a_run_that_was_moved(root: Path):
    """It is the same run in its new place."""
    folder = write_run(root / "r")
    with opened(root) as store:
        store.update()
        folder.rename(root / "moved")
        found = store.update()
        assert (found.read, found.gone) == (1, ())
        assert [run.folder for run in store.runs()] == ["moved"]


def test_a_folder_that_was_used_again(root: Path):
    """The run that was there before is nowhere any more."""
    folder = write_run(root / "r", run_record("m1"))
    with opened(root) as store:
        store.update()
        write_run(folder, run_record("another"))
        store.update()
        assert [run.match for run in store.runs()] == ["another"]


def test_a_run_that_is_gone(root: Path):
    """The store keeps it and says so, until it is made anew."""
    write_run(root / "stays", run_record("m1"))
    write_run(root / "goes", run_record("m2"))
    with opened(root) as store:
        store.update()
        shutil.rmtree(root / "goes")
        assert store.update().gone == ("goes",)
        assert store.contents().runs == 2
    contents, found = rebuild(root)
    assert (contents.runs, found.gone) == (1, ())


# A run that adds itself


def test_a_run_adds_itself(root: Path):
    """In a folder called `runs` the store is made when the first run ends."""
    assert add_run(write_run(root / "r")) is None
    assert stored(root) == boards()


def test_a_run_elsewhere(tmp_path: Path):
    """Elsewhere a run adds itself only to a store that is there."""
    folder = write_run(tmp_path / "elsewhere" / "r")
    assert add_run(folder) is None
    assert not (folder.parent / "store.sqlite").exists()
    rebuild(folder.parent)
    append(folder, game(7, ["a", "b"], [1, 2]))
    assert add_run(folder) is None
    assert len(stored(folder.parent)) == 5


def test_a_run_that_is_named_from_within(root: Path, monkeypatch: pytest.MonkeyPatch):
    """`--run .` is a run folder like any other."""
    monkeypatch.chdir(write_run(root / "r"))
    assert add_run(Path()) is None
    assert stored(root) == boards()
    assert not (root / "r" / "store.sqlite").exists()


@pytest.mark.parametrize("error", [ArenaError("no"), RuntimeError("no"), OSError(5, "no"), MemoryError("no")])
def test_a_run_never_fails_for_its_store(root: Path, monkeypatch: pytest.MonkeyPatch, error: Exception):
    """Whatever happens, a run that has ended gets a sentence and no exception."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(Store, "add", fail)
    told = add_run(write_run(root / "r"))
    assert told is not None
    assert told.startswith("this run is not in the store yet, and `bluke standings` will add it: ")
    assert "no" in told
