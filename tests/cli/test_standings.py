from __future__ import annotations

import json
import shutil
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from arena.records import game
from arena.rosters import SMALLEST, write_roster
from arena.store.written import append, boards, run_record, write_run
from cli.commands import command, refused

from bluke.arena.record import read_record
from bluke.arena.store import database
from bluke.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs"


def table(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    """The lines of `bluke standings`, which has nothing to complain about."""
    assert main(["standings", *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def rows(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    """The bots of the table, best first."""
    return [line.split()[1] for line in table(capsys, *arguments)[2:] if line[:1].isdigit()]


def test_standings_over_all_runs(runs: Path, capsys: pytest.CaptureFixture[str]):
    """Whatever is recorded counts, also what was recorded since the last look."""
    write_run(runs / "1", run_record("m1"), boards("m1", ["a", "b"]))
    lines = table(capsys)
    assert lines[0] == "1 run of 2030-01-15, 4 games at 2 seats"
    assert [line.split()[:2] for line in lines[2:4]] == [["1", "b"], ["2", "a"]]
    later = datetime(2030, 2, 1, tzinfo=UTC)
    write_run(runs / "2", run_record("m2", started=later), boards("m2", ["b", "c"]))
    lines = table(capsys)
    assert lines[0] == "2 runs of 2030-01-15 to 2030-02-01, 8 games at 2 seats"
    assert sorted(rows(capsys)) == ["a", "b", "c"]


def test_some_runs(runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """A run is named by its folder, from wherever that is seen, by its folder's name, or by the id of its match."""
    for name in ("a", "b", "c"):
        write_run(runs / name, run_record(f"m{name}"), boards(f"m{name}", [name, "x"]))
    assert sorted(rows(capsys, "runs/a", runs / "b")) == ["a", "b", "x"]
    assert sorted(rows(capsys, "mb", "c")) == ["b", "c", "x"]
    monkeypatch.chdir(runs / "a")
    assert sorted(rows(capsys, ".", "../b", "--store", "../store.sqlite")) == ["a", "b", "x"]
    assert "runs/none: there is no such run" in refused(capsys, "standings", "runs/none", "--store", "../store.sqlite")


def test_a_run_of_another_folder(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """It has a store of its own, and its standings are had from there with the options that are told."""
    write_run(runs / "a")
    write_run(tmp_path / "other" / "z", games=boards(bots=["y", "z"]))
    assert "for others name their store: --store other/store.sqlite" in refused(capsys, "standings", "other/z")
    assert sorted(rows(capsys, "other/z", "--store", "other/store.sqlite")) == ["y", "z"]


def test_filters(runs: Path, capsys: pytest.CaptureFixture[str]):
    """Each option leaves out the runs that are not so."""
    for day, name, options in (
        (10, "a", {}),
        (11, "b", {"rules": {"max_hand": 3}}),
        (12, "c", {"rules": {"hands": [1, 2]}}),
        (13, "d", {"rules": {"variant": "new_jersey"}}),
    ):
        started = datetime(2030, 1, day, 23, 59, tzinfo=UTC)
        write_run(runs / name, run_record(name, started=started, **options), boards(name, [name, "x"]))  # type: ignore[arg-type]
    write_run(runs / "three", run_record("three", seats=3), boards("three", ["k", "l", "m"]))
    for arguments, expected in {
        ("--seats", "3"): ["k", "l", "m"],
        ("--rules", "max_hand=3"): ["b", "x"],
        ("--rules", "hands=1,2"): ["c", "x"],
        ("--rules", "variant=new_jersey"): ["d", "x"],
        ("--since", "2030-01-13", "--seats", "2"): ["d", "x"],
        ("--until", "2030-01-10"): ["a", "x"],
        ("--since", "2030-01-11", "--until", "2030-01-11"): ["b", "x"],
        ("--since", "2030-01-11T23:59", "--until", "2030-01-12T23:59"): ["b", "x"],
        ("--since", "2030-01-12T00:58:00+01:00", "--until", "2030-01-11T23:59:01"): ["b", "x"],
    }.items():
        assert sorted(rows(capsys, *arguments)) == expected, arguments


def test_runs_that_cannot_be_compared(runs: Path, capsys: pytest.CaptureFixture[str]):
    """They are listed by kind, with the options that choose one."""
    write_run(runs / "a", run_record("a"), boards("a"))
    write_run(runs / "b", run_record("b", seats=3), boards("b", "xyz"))
    said = refused(capsys, "standings")
    assert said == (
        "error: these 2 runs are of 2 kinds, which cannot be compared; choose one of them:\n"
        "  --seats 3  (1 run, 6 games)\n"
        "  --seats 2  (1 run, 4 games)\n"
    )


def test_boards_of_some_bots(runs: Path, capsys: pytest.CaptureFixture[str]):
    """`--bot` leaves the boards that all named bots played, with everybody who played them."""
    write_run(runs / "1", run_record("m1", seats=3), boards("m1", ["a", "b", "c"]))
    write_run(runs / "2", run_record("m2", seats=3), boards("m2", ["a", "d", "e"]))
    assert sorted(rows(capsys, "--bot", "d")) == ["a", "d", "e"]
    assert sorted(rows(capsys, "--bot", "a")) == ["a", "b", "c", "d", "e"]
    assert sorted(rows(capsys, "--bot", "a", "--bot", "b")) == ["a", "b", "c"]
    assert "no board of these runs was played by 'b' and 'd'" in refused(
        capsys, "standings", "--bot", "b", "--bot", "d"
    )
    assert "--bot 'f': there is no such bot" in refused(capsys, "standings", "--bot", "f")


def test_versions_of_a_bot(runs: Path, capsys: pytest.CaptureFixture[str]):
    """A changed bot is another bot, called by what changed; `--by name` makes them one again."""
    write_run(runs / "1", run_record("m1", digests={"a": "old", "b": "b"}), boards("m1"))
    write_run(runs / "2", run_record("m2", digests={"a": "new", "b": "b"}), boards("m2"))
    write_run(runs / "3", run_record("m3"), boards("m3", ["c", "d"], versions=["1", "2"]))
    assert sorted(rows(capsys, "1", "2")) == ["a#new", "a#old", "b"]
    assert sorted(rows(capsys, "1", "2", "--bot", "a#new")) == ["a", "b"]
    assert sorted(rows(capsys, "3")) == ["c@1", "c@2", "d@1", "d@2"]
    assert sorted(rows(capsys, "--by", "name")) == ["a", "b", "c", "d"]
    assert "did you mean 'a#new'?" in refused(capsys, "standings", "--bot", "a#nwe")


def rating(capsys: pytest.CaptureFixture[str], bot: str, *arguments: str) -> float:
    assert main(["standings", "--json", *arguments]) == 0
    found = {row["bot"]: row["rating"]["mean"] for row in json.loads(capsys.readouterr().out)["rows"]}
    return float(found[bot])


def test_the_anchor_of_the_ratings(runs: Path, capsys: pytest.CaptureFixture[str]):
    """The bot that is named has 1500, whichever of its labels it is named by; it has to be one bot of the table."""
    write_run(runs / "1", run_record("m1", digests={"a": "old"}), boards("m1"))
    write_run(runs / "2", run_record("m2", digests={"a": "new"}), boards("m2"))
    assert rating(capsys, "b") > 1500
    assert rating(capsys, "b", "--anchor", "b") == 1500
    assert rating(capsys, "a#new", "--anchor", "a#new") == 1500
    assert rating(capsys, "a", "1", "--anchor", "a#old") == 1500
    assert rating(capsys, "a", "--by", "name", "--anchor", "a") == 1500
    assert "--anchor 'a': it may be 'a#new' or 'a#old'" in refused(capsys, "standings", "--anchor", "a")
    assert "--anchor '\\x1b': no bot in the table is called that" in refused(capsys, "standings", "--anchor", "\x1b")


def test_boards_of_different_sizes(runs: Path, capsys: pytest.CaptureFixture[str]):
    """Runs whose boards have different numbers of games are told apart by name."""
    write_run(runs / "1", run_record("m1"), boards("m1"))
    write_run(runs / "2", run_record("m2", games=8), [*boards("m2"), *boards("m2")])
    assert refused(capsys, "standings").splitlines()[1:] == ["  2 games: 1", "  4 games: 2"]
    assert table(capsys, "2")[0].startswith("1 run of 2030-01-15, 8 games")


def test_only_complete_boards_count(runs: Path, capsys: pytest.CaptureFixture[str]):
    """A board counts when it has as many games as those of its run have, seats or more."""
    write_run(runs / "1", run_record("m1", games=8), [*boards("m1"), *boards("m1", count=1)])
    lines = table(capsys)
    assert [line.split()[:3] for line in lines[2:4]] == [["1", "b", "10.0"], ["2", "a", "0.0"]]
    assert any("Left out: 2 games of boards" in line for line in lines)


def test_standings_as_json(runs: Path, capsys: pytest.CaptureFixture[str]):
    """They are in the form of standings.json, and nothing else is on stdout."""
    write_run(runs / "1")
    (runs / "bad").mkdir()
    (runs / "bad" / "results.jsonl").touch()
    assert main(["standings", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert [row["bot"] for row in found["rows"]] == ["b", "a"]
    assert found["games"] == 4
    assert err == "left out: runs/bad/results.jsonl: line 1: not a record of results in the form bluke-results/1\n"


HOSTILE = ["\x1b[2J", "[red]x[/red]", "'; DROP TABLE bots; --", "\u202eevil", "a\nb", "日本", "x" * 300, "\0"]


def test_hostile_names(runs: Path, capsys: pytest.CaptureFixture[str]):
    """Whatever a bot is called, it is stored as that, shown as text, and found again."""
    for number, name in enumerate(HOSTILE):
        write_run(runs / f"{number}", run_record(f"m{number}"), boards(f"m{number}", [name, "b"]))
    out = "\n".join(table(capsys))
    for shown in (
        "\\x1b[2J",
        "[red]x[/red]",
        "'; DROP TABLE bots; --",
        "\\u202eevil",
        "a\\nb",
        "日本",
        "x" * 300,
        "\\x00",
    ):
        assert f"  {shown} " in out
    assert not {"\x1b", "\u202e", "\0"} & set(out)
    for name in HOSTILE:
        assert main(["standings", "--bot", name, "--json"]) == 0
        assert {row["bot"] for row in json.loads(capsys.readouterr().out)["rows"]} == {name, "b"}
        assert "\x1b" not in refused(capsys, "standings", "--bot", f"{name} ")


def test_refuse_wrong_options(runs: Path, capsys: pytest.CaptureFixture[str]):
    """Each says what would be right."""
    assert "there are no runs below runs; `bluke arena` plays one" in refused(capsys, "standings")
    assert not runs.exists()
    write_run(runs / "1")
    for arguments, said in {
        ("--since", "yesterday"): "'yesterday' is no date: write 2026-01-15, or 2026-01-15T18:30, in UTC",
        ("--until", "2030-02-30"): "'2030-02-30' is no date",
        ("--since", "2031-01-01"): "none of the runs with games (1) is all that was asked for",
        ("--rules", "variant"): "write KEY=VALUE, such as variant=new_jersey",
        ("--rules", "variants=x"): "unknown key 'variants'; did you mean variant?",
        ("--rules", "variant=x"): "it is one of standard, new_jersey",
        ("--rules", "max_hand=x"): "max_hand: ",
        ("--rules", "cut=tap", "--rules", "cut=tap"): "cut was given before",
        ("--store", "none/store.sqlite"): "there are no runs below none",
        ("--by", "age"): "'age' is not one of 'identity', 'name'",
        ("m7",): "m7: there is no such run, neither a folder nor the id of a match",
        ("\x1b[2J",): "\\x1b[2J: there is no such run",
    }.items():
        assert said in refused(capsys, "standings", *arguments), arguments


@pytest.mark.parametrize("how", ["broken", "of another version", "busy", "no file"])
def test_a_store_that_cannot_be_used(
    runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, how: str
):
    """The standings come from the records, and one sentence says what is the matter with the store."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.0)
    write_run(runs / "1")
    expected = table(capsys)
    append(runs / "1", game(7, ["a", "b"], [1, 2]), game(7, ["b", "a"], [2, 1]))
    path = runs / "store.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    if how == "busy":
        connection.execute("BEGIN IMMEDIATE")
    elif how == "of another version":
        connection.execute("UPDATE store SET version = 2")
    elif how == "broken":
        path.write_bytes(b"no database" * 1000)
    else:
        connection.close()
        path.unlink()
        path.symlink_to(runs / "none" / "store.sqlite")
    try:
        assert main(["standings"]) == 0
    finally:
        connection.close()
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == expected[0].replace("4 games", "6 games")
    assert err.startswith("runs/store.sqlite: ")
    assert err.endswith("\nthese standings come from the records themselves\n")
    assert "Traceback" not in err


def test_runs_that_are_gone(runs: Path, capsys: pytest.CaptureFixture[str]):
    """What the store has of them counts, and they are named."""
    for number in range(5):
        write_run(runs / f"{number}", run_record(f"m{number}"), boards(f"m{number}"))
    table(capsys)
    for number in range(4):
        shutil.rmtree(runs / f"{number}")
    assert main(["standings"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("5 runs")
    assert err == (
        "these runs have no record any more: 0, 1, 2 and 1 more; `bluke store rebuild runs` leaves them out\n"
    )
    assert main(["store", "rebuild"]) == 0
    capsys.readouterr()
    assert table(capsys)[0].startswith("1 run ")


@pytest.mark.slow
def test_real_runs(tmp_path: Path):
    """The standings over one run of real bots are those that it printed itself, and over two runs those of both."""
    for seed in ("one", "two"):
        write_roster(tmp_path / f"{seed}.toml", SMALLEST, SMALLEST, seed=seed, boards=2)
        code, played, err = command(tmp_path, "arena", f"{seed}.toml", "--run", f"runs/{seed}")
        assert (code, err) == (0, "")
    code, out, err = command(tmp_path, "standings", "runs/two")
    assert (code, err) == (0, "")
    head, *lines = out.splitlines()
    assert head.endswith(", 4 games at 2 seats")
    assert "\n".join(lines) in played
    code, out, err = command(tmp_path, "standings", "--json")
    assert (code, err) == (0, "")
    rows = {row["bot"]: row for row in json.loads(out)["rows"]}
    games = [one for seed in ("one", "two") for one in read_record(tmp_path / "runs" / seed / "results.jsonl")[1]]
    assert len(games) == 8
    for name, row in rows.items():
        points = [total for one in games for bot, total in zip(one.bots, one.totals, strict=True) if bot == name]
        assert row["points"]["mean"] == pytest.approx(sum(points) / len(points))
        assert row["games"] == 8
