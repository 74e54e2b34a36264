from __future__ import annotations

import json
import re
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from arena.rosters import MOODY, SMALLEST, alive, pids, write_roster
from cli.commands import Command, command, refused

from bluke.arena.record import read_record
from bluke.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def test_play_a_ladder(tmp_path: Path):
    """`bluke arena` plays the arena.toml that is there, says first how many games, and prints the standings."""
    write_roster(tmp_path / "arena.toml", SMALLEST, SMALLEST, SMALLEST, seats=3, boards=2)
    with Command(tmp_path, "arena") as running:
        running.until("same deals again")
        began = time.monotonic()
        code, out, err = running.finish()
        # It takes a third of a second; one that waited for something would take for ever.
        assert time.monotonic() - began < 20
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "6 games: 2 boards, each one deal played in 3 rotations of the seats"
    (folder,) = run_folders(tmp_path)
    assert f"run folder: runs/{folder.name}" in lines
    assert [line.split()[1] for line in lines if re.match(r"\d  ", line)] == ["a", "b", "c"]
    assert (folder / "referee.log").read_text().count("a bot is here") == 3

    # The command that it names plays the same deals again.
    code, out, _ = command(tmp_path, "arena", f"runs/{folder.name}/arena.toml", "--run", "again", "--tables", "1")
    assert code == 0
    assert "same deals again  bluke arena again/arena.toml\n" in out
    before, after = (
        {(game.number, game.game, *game.bots, *game.totals) for game in read_record(path / "results.jsonl")[1]}
        for path in (folder, tmp_path / "again")
    )
    assert before == after


def run_folders(folder: Path) -> list[Path]:
    """The runs that were kept there; the store lies beside them."""
    return [path for path in (folder / "runs").iterdir() if path.is_dir()]


def test_a_dry_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """`--dry-run` says what would be played, starts nothing and writes nothing, with any schedule."""
    monkeypatch.chdir(tmp_path)
    write_roster(tmp_path / "arena.toml", ["false"], ["false"], ["false"], boards=4)
    before = sorted(tmp_path.iterdir())
    assert main(["arena", "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(
        "8 games: 4 boards, each one deal played in 2 rotations of the seats\n\n#  bot  boards  games  "
    )
    assert "by the clock it takes at most " in out
    assert main(["arena", "--dry-run", "--schedule", "gauntlet", "--boards", "2", "--run", "elsewhere/x"]) == 0
    assert "schedule: gauntlet of a against 2 other bots\n" in capsys.readouterr().out
    assert main(["arena", "--dry-run", "--schedule", "round-robin", "--board", "0"]) == 0
    assert "2 games: 1 board, " in capsys.readouterr().out
    assert sorted(tmp_path.iterdir()) == before


def test_a_dry_run_after_a_run(tmp_path: Path):
    """What it expects comes from the run of the same bots that is there, wherever the new one would be kept."""
    write_roster(tmp_path / "arena.toml", SMALLEST, SMALLEST, boards=2)
    assert command(tmp_path, "arena")[0] == 0
    (folder,) = run_folders(tmp_path)
    for arguments in (["--dry-run", "--boards", 9], ["--dry-run", "--run", "runs/mine", "--seed", "other"]):
        code, out, err = command(tmp_path, "arena", *arguments)
        assert (code, err) == (0, "")
        assert f"in runs/{folder.name} the same bots took " in out
    assert run_folders(tmp_path) == [folder]
    assert "the same bots took" not in command(tmp_path, "arena", "--dry-run", "--seats", 3)[1]


def test_a_gauntlet(tmp_path: Path):
    """A run of another schedule says so before it starts, and its folder plays the same games again."""
    write_roster(tmp_path / "arena.toml", SMALLEST, SMALLEST, SMALLEST, schedule="gauntlet", challenger="b", boards=2)
    code, out, err = command(tmp_path, "arena", "--run", "run")
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == [
        "4 games: 2 boards, each one deal played in 2 rotations of the seats",
        "schedule: gauntlet of b against 2 other bots",
    ]
    assert command(tmp_path, "arena", "run/arena.toml", "--run", "again")[0] == 0
    one, two = (
        {(game.number, *game.bots, *game.totals) for game in read_record(tmp_path / run / "results.jsonl")[1]}
        for run in ("run", "again")
    )
    assert one == two
    assert all("b" in game for game in one)


def test_a_bot_that_cannot_start(tmp_path: Path):
    """Exit code 1, and the command, its exit code and its last words; no game, no traceback, nothing left running."""
    script = "import sys; sys.exit('ModuleNotFoundError: my_engine')"
    path = write_roster(
        tmp_path / "ladder.toml", ["sh", "-c", "echo pid $$; exec sleep 1000"], ["python", "-c", script]
    )
    code, out, err = command(tmp_path, "arena", path, "--run", "run")
    assert code == 1
    assert out.startswith("6 games: ")
    assert "bot 'b' could not be started: it ended with exit code 1" in err
    assert "  command: python -c " in err
    assert "  | ModuleNotFoundError: my_engine\n" in err
    assert "  log: run/bots/01-b.log" in err
    assert "Traceback" not in out + err
    assert alive(pids(tmp_path / "run" / "bots")) == []


def test_interrupt_once(tmp_path: Path):
    """Ctrl-C stops in good order: the record stays, the standings so far are printed, nothing is left running."""
    write_roster(tmp_path / "arena.toml", SMALLEST, [*MOODY, "child"], boards=90_000, tables=2)
    with Command(tmp_path, "arena", "--run", "run") as running:
        running.until("starting the bots")
        recorded = tmp_path / "run" / "results.jsonl"
        wait_for(lambda: recorded.exists() and recorded.read_bytes().count(b"\n") > 5)
        running.interrupt()
        code, out, err = running.finish()
    assert (code, err) == (130, "")
    assert "stopping: what is being played is given up; Ctrl-C again stops at once\n" in out
    _, games, end = read_record(recorded)
    assert f"stopped after {len(games)} of 180000 games; standings so far:\n#  bot" in out
    assert "\nplay the rest     bluke arena --resume run\n" in out
    assert end is not None
    assert end.status == "stopped"
    standings = json.loads((tmp_path / "run" / "standings.json").read_text())
    assert standings["games"] + standings["left_out"] == len(games)
    assert len(pids(tmp_path / "run" / "bots")) == 2
    assert alive(pids(tmp_path / "run" / "bots")) == []


def test_terminate(tmp_path: Path):
    """SIGTERM drains: no more games begin, those being played are finished and count, and the rest can be played."""
    write_roster(tmp_path / "arena.toml", SMALLEST, [*MOODY, "child"], boards=90_000, tables=2)
    with Command(tmp_path, "arena", "--run", "run") as running:
        recorded = tmp_path / "run" / "results.jsonl"
        wait_for(lambda: recorded.exists() and recorded.read_bytes().count(b"\n") > 5)
        running.process.terminate()
        code, out, err = running.finish()
    assert (code, err) == (130, "")
    assert "draining: no more games begin; Ctrl-C gives up what is being played\n" in out
    _, games, end = read_record(recorded)
    assert end is not None
    assert end.status == "stopped"
    assert len(list((tmp_path / "run" / "replays").iterdir())) == len(games)
    assert "\nplay the rest     bluke arena --resume run\n" in out
    assert alive(pids(tmp_path / "run" / "bots")) == []


def test_interrupt_twice(tmp_path: Path):
    """The second Ctrl-C does not wait for bots that heed nothing: they are killed, and the record is readable."""
    stubborn = [*MOODY, "stubborn", "child"]
    write_roster(tmp_path / "arena.toml", stubborn, stubborn, boards=90_000)
    with Command(tmp_path, "arena", "--run", "run") as running:
        recorded = tmp_path / "run" / "results.jsonl"
        wait_for(lambda: recorded.exists() and recorded.read_bytes().count(b"\n") > 5)
        running.interrupt()
        running.until("stopping")
        began = time.monotonic()
        running.interrupt()
        code, out, err = running.finish()
        # Patience would take four seconds.
        assert time.monotonic() - began < 3.5
    assert (code, err.strip()) == (130, "stopped")
    assert "Traceback" not in out
    assert out.endswith("\nplay the rest     bluke arena --resume run\n")
    assert len(read_record(recorded)[1]) > 4
    assert alive(pids(tmp_path / "run" / "bots")) == []


def test_interrupt_while_bots_start(tmp_path: Path):
    """Ctrl-C is heard while a bot is waited for."""
    write_roster(tmp_path / "arena.toml", ["sh", "-c", "echo pid $$; exec sleep 1000"])
    with Command(tmp_path, "arena", "--run", "run") as running:
        logs = tmp_path / "run" / "bots"
        wait_for(lambda: logs.exists() and len(pids(logs)) == 1)
        running.interrupt()
        code, out, err = running.finish()
    assert (code, err) == (130, "")
    assert out.endswith("no game was finished\nplay the rest     bluke arena --resume run\n")
    assert alive(pids(logs)) == []


def test_the_reader_goes_away(tmp_path: Path):
    """A run whose output nobody reads any more is played and recorded to its end."""
    write_roster(tmp_path / "arena.toml", SMALLEST, SMALLEST, boards=2)
    with Command(tmp_path, "arena", "--run", "run") as running:
        running.until("4 games")
        assert running.process.stdout is not None
        running.process.stdout.close()
        running.process.stdout = None
        _, err = running.process.communicate(timeout=60)
    assert err == ""
    end = read_record(tmp_path / "run" / "results.jsonl")[2]
    assert end is not None
    assert end.status == "complete"


@pytest.mark.slow
def test_a_full_disk(tmp_path: Path):
    """On a disk that is full it ends with one sentence and exit code 1; with more room it is finished as it began."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be mounted only by root")
    try:
        path = write_roster(tmp_path / "arena.toml", SMALLEST, SMALLEST, boards=100, tables=4)
        code, out, err = command(tmp_path, "arena", path, "--run", "disk/run")
        assert code == 1
        assert "Traceback" not in out + err
        assert "No space left on device; make room" in err
        assert err.count("\n") == 1
        record = disk / "run" / "results.jsonl"
        games = read_record(record)[1]
        assert games
        assert f"failed after {len(games)} of 200 games; standings so far:\n#  bot" in out
        assert "\nplay the rest     bluke arena --resume disk/run\n" in out

        # Without room it is as before.
        code, _, err = command(tmp_path, "arena", "--resume", "disk/run")
        assert code == 1
        assert err.count("\n") == 1
        known = read_record(record)[1]
        assert known[: len(games)] == games
        subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)
        code, out, err = command(tmp_path, "arena", "--resume", "disk/run", "--tables", "2")
        assert (code, err) == (0, "")
        assert f"taken up again: {len(known)} games recorded, {200 - len(known)} left to play\n" in out
        games = read_record(record)[1]
        assert games[: len(known)] == known
        assert sorted(game.number for game in games) == list(range(200))
        code, out, _ = command(tmp_path, "replay", "verify", "disk/run/replays")
        assert code == 0
        assert out.endswith("200 files: 200 ok, 0 wrong\n")
    finally:
        subprocess.run(["umount", disk], check=True)


def test_two_runs_in_one_folder(tmp_path: Path):
    """A folder that holds a run is refused with exit code 2."""
    write_roster(tmp_path / "arena.toml", SMALLEST, SMALLEST, boards=1)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "results.jsonl").touch()
    code, out, err = command(tmp_path, "arena", "--run", "run")
    assert (code, out) == (2, "")
    assert err == "error: run holds a run already; name another folder with --run\n"


def test_refuse_what_cannot_be_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """Exit code 2 and one sentence for a wrong file, a wrong flag, and a folder that cannot be; nothing is made."""
    monkeypatch.chdir(tmp_path)
    assert "error: arena.toml: there is no such file; name one with `bluke arena FILE`\n" in refused(capsys, "arena")
    path = write_roster(tmp_path / "x.toml", SMALLEST, boards=3)
    assert "Invalid value for '--boards'" in refused(capsys, "arena", path, "--boards", 0)
    assert "Invalid value for '--tables'" in refused(capsys, "arena", path, "--tables", "many")
    assert "with --seats 16: the rules cannot be played" in refused(capsys, "arena", path, "--seats", 16)
    assert "there is no board 3: this match has boards 0 to 2" in refused(capsys, "arena", path, "--board", 3)
    said = refused(capsys, "arena", path, "--schedule", "swiss")
    assert f"error: {path} with --schedule swiss: schedule: Invalid enum value 'swiss'; it is one of pool, " in said
    assert "round-robin, gauntlet" in said
    assert "with --schedule gauntlet: the challenger has" in refused(capsys, "arena", path, "--schedule", "gauntlet")
    assert "needs a [compare] table" in refused(capsys, "arena", path, "--schedule", "compare", "--dry-run")
    assert "--same_author" in refused(capsys, "arena", path, "--same_author")
    assert "--bords" in refused(capsys, "arena", path, "--bords", 3)
    assert "x.toml/run cannot be made: Not a directory" in refused(capsys, "arena", path, "--run", path / "run")
    write_roster(tmp_path / "x.toml", ["no-such-program"])
    assert "there is no program 'no-such-program' on the PATH" in refused(capsys, "arena", path)
    assert not (tmp_path / "runs").exists()


def wait_for(fact: object) -> None:
    assert callable(fact)
    deadline = time.monotonic() + 60
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.01)
