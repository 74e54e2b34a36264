from __future__ import annotations

import asyncio
import errno
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from arena.rosters import MOODY, SMALLEST, alive, configured, pids, write_roster
from arena.watch import Watch, made
from cli.commands import Command, command, refused

from bluke.arena.record import EndRecord, Record, RecordFile, read_record
from bluke.arena.resume import resume_plan
from bluke.arena.run import Plan, RunResult, _begin, make_plan, play_run
from bluke.errors import ArenaError, ConfigError
from bluke.referee import Match
from bluke.replay.verify import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.arena.config import ArenaConfig

KILLED = Path(__file__).with_name("killed_arena.py")
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
DEV_FULL = Path("/dev/full")

BOTS = "bluke.arena.process:BotProcess.start"
FOLDER = "bluke.arena.folder:RunFolder"
LINE = "bluke.arena.record:RecordFile._write"
REPLAY = "bluke.replay.writer:ReplayWriter"
#: Before a run has its first line there is none, and it is begun in the same folder again.
BEGINNING = [
    ("after", f"{FOLDER}.make", 2),
    ("before", f"{FOLDER}.write", 1),
    ("after", f"{FOLDER}.write", 1),
    ("after", f"{FOLDER}.write_seed", 1),
    ("within", LINE, 1),
]
#: Moments of a run that is going on, one after the other.
PLAYING = [
    ("after", BOTS, 1),
    ("after", f"{REPLAY}.__init__", 2),
    ("after", f"{REPLAY}.record", 9),
    ("before", f"{REPLAY}.finish", 2),
    ("after", f"{REPLAY}.finish", 1),
    ("within", LINE, 2),
    ("before", LINE, 2),
    ("after", LINE, 2),
]
#: Every game is played, and the end has to be written.
ENDING = [
    ("before", f"{FOLDER}.write_standings", 1),
    ("after", f"{FOLDER}.write_standings", 1),
    ("before", f"{FOLDER}.forget_seed", 1),
    ("after", f"{FOLDER}.forget_seed", 1),
    ("within", LINE, 1),
]


def killed(folder: Path, when: str, where: str, count: int, *arguments: object) -> None:
    """Run `bluke arena` to its end by SIGKILL at a moment."""
    words = [sys.executable, str(KILLED), when, where, str(count), "arena", *map(str, arguments)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stdout + done.stderr


def whole_lines(record: Path) -> bytes:
    data = record.read_bytes()
    return data[: data.rfind(b"\n") + 1]


def played(folder: Path) -> dict[str, object]:
    """What a run has come to, but for times; every game is there exactly once, and its replay is sound."""
    run, games, end = read_record(folder / "results.jsonl")
    assert end is not None
    assert end.status == "complete"
    assert len(games) == run.games
    assert set(Counter(game.number for game in games).values()) == {1}
    assert {folder / game.replay for game in games} == set((folder / "replays").iterdir())
    assert all(verify(folder / game.replay).ok for game in games)
    names = {"arena.toml", "bots", "replays", "results.jsonl", "standings.json"}
    assert {path.name for path in folder.iterdir()} - {"referee.log", "comparison.json", "report.html"} == names
    standings = json.loads((folder / "standings.json").read_text())
    for row in standings["rows"]:
        row["p50_ms"] = row["p95_ms"] = 0
    return {
        "games": {g.game: (g.number, g.board, g.rotation, g.bots, g.totals, g.places, g.bids, g.tricks) for g in games},
        "standings": standings,
        "seed": end.match_seed,
    }


async def resumed(folder: Path) -> RunResult:
    plan = resume_plan(folder)
    assert isinstance(plan, Plan)
    return await play_run(plan, Watch(), asyncio.Event())


@pytest.mark.slow
def test_killed_at_every_kind_of_moment(tmp_path: Path):
    """Killed again and again, a run is finished with every game once, as if nothing had been; no bot is left over."""
    write_roster(tmp_path / "arena.toml", SMALLEST, [*MOODY, "child"], boards=7, seed=None)
    folder = tmp_path / "run"
    record = folder / "results.jsonl"
    for moment in BEGINNING:
        killed(tmp_path, *moment, "--run", "run")
        assert not record.exists()
    killed(tmp_path, "after", LINE, 1, "--run", "run")
    before = record.read_bytes()
    for moment in PLAYING:
        killed(tmp_path, *moment, "--resume", "run", "--tables", "3")
        assert whole_lines(record).startswith(before)
        before = whole_lines(record)
        assert "seed_hex" not in (folder / "arena.toml").read_text()
        assert stat.S_IMODE((folder / "seed").stat().st_mode) == 0o600
    assert 0 < len(read_record(record)[1]) < 14
    for moment in ENDING:
        killed(tmp_path, *moment, "--resume", "run")
        assert len(read_record(record)[1]) == 14
        assert read_record(record)[2] is None
    code, out, err = command(tmp_path, "arena", "--resume", "run")
    assert (code, err) == (0, "")
    assert "taken up again: 14 games recorded, 0 left to play\n" in out
    assert alive(pids(folder / "bots")) == []

    code, _, err = command(tmp_path, "arena", "run/arena.toml", "--run", "again")
    assert (code, err) == (0, "")
    assert played(folder) == played(tmp_path / "again")


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 3])
def test_killed_at_random_moments(tmp_path: Path, jobs: int):
    """SIGKILL from outside while games are played costs nothing that was recorded, and nothing is counted twice."""
    write_roster(tmp_path / "arena.toml", SMALLEST, SMALLEST, boards=60, seed="here", jobs=jobs)
    record = tmp_path / "run" / "results.jsonl"
    arguments = ["--run", "run"]
    for _ in range(5):
        known = record.read_bytes().count(b"\n") if record.exists() else 0
        wanted = known + random.randint(1, 12)
        with Command(tmp_path, "arena", *arguments) as running:
            deadline = time.monotonic() + 60
            while not record.exists() or record.read_bytes().count(b"\n") < wanted:
                assert time.monotonic() < deadline
                assert running.process.poll() is None
            running.process.kill()
        arguments = ["--resume", "run"]
    assert command(tmp_path, "arena", *arguments)[0] == 0
    assert command(tmp_path, "arena", "--run", "again")[0] == 0
    assert played(tmp_path / "run") == played(tmp_path / "again")


async def test_stopped_and_taken_up_again(tmp_path: Path):
    """A run that was stopped is finished with what is left; its seed stays a secret until then."""
    stop = asyncio.Event()
    watch = Watch(lambda count: stop.set() if count == 3 else None)
    folder = tmp_path / "run"
    config = configured(tmp_path, SMALLEST, SMALLEST, SMALLEST, boards=6, seed=None)
    result = await play_run(make_plan(config, folder), watch, stop)
    assert not result.complete
    _, games, end = read_record(folder / "results.jsonl")
    assert end is not None
    assert (end.status, end.match_seed) == ("stopped", None)

    plan = resume_plan(folder, tables=1)
    assert isinstance(plan, Plan)
    assert (plan.config.tables, list(plan.done)) == (1, games)
    assert len(plan.left) == 12 - len(games)
    result = await play_run(plan, watch, asyncio.Event())
    assert result.complete
    assert result.games[: len(games)] == games
    again = make_plan(msgspec.structs.replace(config, seed_hex=plan.seed.hex()), tmp_path / "again")
    await play_run(again, Watch(), asyncio.Event())
    assert played(folder) == played(tmp_path / "again")


@pytest.mark.parametrize(
    "options",
    [
        {"schedule": "round-robin"},
        {"schedule": "gauntlet", "challenger": "b"},
        {"schedule": "compare", "compare": {"new": "b", "old": "a"}},
        {"seats": 3, "rotations": "all"},
    ],
    ids=str,
)
async def test_every_form_taken_up_again(tmp_path: Path, options: dict[str, Any]):
    """A run of any form has its form again when it is finished, and its standings once more when it is complete."""
    stop = asyncio.Event()
    folder = tmp_path / "run"
    config = configured(tmp_path, SMALLEST, SMALLEST, SMALLEST, boards=4, **options)
    plan = make_plan(config, folder)
    await play_run(plan, Watch(lambda count: stop.set() if count == 3 else None), stop)
    result = await resumed(folder)
    assert result.complete
    assert result.plan.fixtures == plan.fixtures
    played(folder)
    again = resume_plan(folder)
    assert isinstance(again, RunResult)
    assert again.standings == result.standings
    assert again.standings.left_out == 0


async def test_one_board_taken_up_again(tmp_path: Path):
    """A run of one board stays one."""
    stop = asyncio.Event()
    config = configured(tmp_path, SMALLEST, SMALLEST, tables=1)
    plan = make_plan(config, tmp_path / "run", board=1)
    await play_run(plan, Watch(lambda _: stop.set()), stop)
    result = await resumed(tmp_path / "run")
    assert (result.plan.fixtures, result.plan.board) == (plan.fixtures, 1)
    assert result.complete
    played(tmp_path / "run")


def lingering(run: str) -> tuple[subprocess.Popen[bytes], int]:
    """A process that a run has started, and the number of its child."""
    words = ["sh", "-c", "sleep 1000 & echo $!; wait"]
    environment = {**os.environ, "BLUKE_RUN": run}
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


async def test_bots_that_are_left_over(tmp_path: Path):
    """What a killed arena has left running is ended before the games go on; other runs' bots are left alone."""
    folder = tmp_path / "run"
    plan = await begin(folder, configured(tmp_path, SMALLEST, boards=1))
    old, child = lingering(plan.match_id)
    other, other_child = lingering("match-other")
    try:
        assert (await resumed(folder)).complete
        assert old.wait(60) == -signal.SIGKILL
        assert alive([child, other.pid, other_child]) == [other.pid, other_child]
    finally:
        os.killpg(other.pid, signal.SIGKILL)
        for process in (old, other):
            process.communicate()
    assert "BLUKE_RUN" not in os.environ


# A full disk. What is linked to /dev/full can be opened, and the first write to it says that there is no room.


def unwritable(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(DEV_FULL)


@pytest.mark.skipif(not DEV_FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("name", ["arena.toml", "seed"])
async def test_no_room_to_begin(tmp_path: Path, name: str):
    """A run whose first files cannot be written is none yet: one sentence says why, and the same command works then."""
    folder = tmp_path / "run"
    plan = make_plan(configured(tmp_path, SMALLEST, boards=1, seed=None), folder)
    unwritable(folder / f"{name}.new")
    with pytest.raises(ArenaError, match=rf"run/{name}: cannot be written: No space left on device; make room"):
        await play_run(plan, Watch(), asyncio.Event())
    assert not (folder / "results.jsonl").exists()
    assert (await play_run(plan, Watch(), asyncio.Event())).complete
    played(folder)


async def test_no_room_for_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The same holds where the disk has no room for the record itself."""
    folder = tmp_path / "run"
    plan = make_plan(configured(tmp_path, SMALLEST, boards=1), folder)
    with monkeypatch.context() as patch:
        no_room_to_open(patch, "results.jsonl.new")
        with pytest.raises(ArenaError, match=r"run/results\.jsonl: the results cannot be written: No space left"):
            await play_run(plan, Watch(), asyncio.Event())
    assert (await play_run(plan, Watch(), asyncio.Event())).complete
    played(folder)


async def test_no_room_for_a_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A log that cannot be opened ends the run before its first game, and it can be resumed."""
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        no_room_to_open(patch, "00-a.log")
        result = await play_run(make_plan(configured(tmp_path, SMALLEST, boards=1), folder), Watch(), asyncio.Event())
    assert "00-a.log: cannot be written: No space left on device; make room" in str(result.trouble)
    assert (await resumed(folder)).complete
    played(folder)


@pytest.mark.skipif(not DEV_FULL.exists(), reason="there is no /dev/full")
async def test_no_room_in_a_log(tmp_path: Path):
    """A log that is cut short is no reason to end a run."""
    folder = tmp_path / "run"
    unwritable(folder / "bots" / "00-a.log")
    result = await play_run(make_plan(configured(tmp_path, MOODY, boards=1), folder), Watch(), asyncio.Event())
    assert (result.complete, result.trouble) == (True, None)
    played(folder)


def no_room_to_open(patch: pytest.MonkeyPatch, name: str) -> None:
    def refusing(real: Any) -> Any:
        def opened(path: Any, *args: Any, **kwargs: Any) -> Any:
            if Path(os.fsdecode(path)).name == name:
                raise FULL
            return real(path, *args, **kwargs)

        return opened

    patch.setattr(os, "open", refusing(os.open))
    patch.setattr(Path, "open", refusing(Path.open))


@pytest.mark.skipif(not DEV_FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("compress", [False, True])
async def test_no_room_for_a_replay(tmp_path: Path, *, compress: bool):
    """A replay that cannot be written, or not be compressed, ends the run; with room the game is played and counted."""
    folder = tmp_path / "run"
    plan = make_plan(configured(tmp_path, SMALLEST, boards=4, compress=compress), folder)
    victim = Match("", plan.seed).game_id(2)
    draft = folder / "replays" / (f"{victim}.jsonl.gz.tmp" if compress else f"{victim}.jsonl.part")
    unwritable(draft)
    result = await play_run(plan, Watch(), asyncio.Event())
    assert not result.complete
    assert "No space left on device; make room" in str(result.trouble)
    assert read_record(folder / "results.jsonl")[1] == result.games
    assert victim not in {game.game for game in result.games}
    result = await resumed(folder)
    assert victim in {game.game for game in result.games}
    played(folder)


@pytest.mark.skipif(not DEV_FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("name", ["arena.toml", "standings.json"])
async def test_no_room_at_the_end(tmp_path: Path, name: str):
    """Where all is played and the end cannot be written the standings are told all the same, and resuming writes it."""
    folder = tmp_path / "run"
    watch = Watch(lambda count: unwritable(folder / f"{name}.new") if count == 2 else None)
    config = configured(tmp_path, SMALLEST, boards=1, seed=None)
    result = await play_run(make_plan(config, folder), watch, asyncio.Event())
    assert result.complete
    assert str(result.trouble) == f"{folder / name}: cannot be written: No space left on device; make room"
    end = read_record(folder / "results.jsonl")[2]
    assert end is not None
    assert (end.status, end.match_seed) == ("failed", None)
    result = await resumed(folder)
    assert (result.complete, result.trouble) == (True, None)
    played(folder)


@pytest.mark.parametrize("line", [1, 2, 4, 8])
async def test_no_room_for_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: int):
    """Whichever line of the record does not fit, what is before it is readable and counts, and the rest is played."""
    write = RecordFile._write
    lines = []

    def filling(self: RecordFile, data: bytes) -> None:
        lines.append(data)
        if len(lines) >= line:
            raise FULL
        write(self, data)

    folder = tmp_path / "run"
    plan = make_plan(configured(tmp_path, SMALLEST, boards=3), folder)
    with monkeypatch.context() as patch:
        patch.setattr(RecordFile, "_write", filling)
        if line == 1:
            with pytest.raises(ArenaError, match="No space left on device; make room"):
                await play_run(plan, Watch(), asyncio.Event())
            assert not (folder / "results.jsonl").exists()
        else:
            result = await play_run(plan, Watch(), asyncio.Event())
            assert "the results cannot be written: No space left on device; make room" in str(result.trouble)
            assert read_record(folder / "results.jsonl")[1] == result.games
            assert len(result.games) == line - 2
    await (play_run(plan, Watch(), asyncio.Event()) if line == 1 else resumed(folder))
    played(folder)


# What is refused


async def begin(folder: Path, config: ArenaConfig, *more: Record) -> Plan:
    """A run that was begun and cut off, without a process of its bots."""
    plan = make_plan(config, folder)
    plan.folder.make()
    with RecordFile(folder / "results.jsonl") as record:
        await _begin(plan, record)
        for line in more:
            await record.append(line)
    return plan


async def append(folder: Path, lines: Sequence[Record]) -> None:
    with RecordFile(folder / "results.jsonl", resumed=True) as record:
        for line in lines:
            await record.append(line)


def refusal(folder: Path, error: type[Exception] = ConfigError) -> str:
    with pytest.raises(error) as caught:
        resume_plan(folder)
    return str(caught.value)


async def test_resume_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A folder without a record, with one of open tables, or with a spoilt one, is refused in one sentence."""
    none = f"error: {tmp_path} holds no run: there is no results.jsonl in it; a run is begun with `bluke arena FILE`\n"
    assert refused(capsys, "arena", "--resume", tmp_path) == none
    plan = await begin(tmp_path / "run", configured(tmp_path, SMALLEST))
    record = plan.folder.record
    text = record.read_text()
    record.write_text(text.replace('"config":{', '"config":null,"x":{'))
    assert "holds a run without a schedule" in refusal(tmp_path / "run")
    record.write_text(text.replace('"start_seconds"', '"begin_seconds"'))
    assert "line 1: the configuration is that of another version of bluke: " in refusal(tmp_path / "run")
    record.write_text(text.replace('"schedule":"pool"', '"schedule":"gauntlet"'))
    assert "results.jsonl: line 1: the challenger has nobody to meet" in refusal(tmp_path / "run")
    record.write_text("spoilt\n" + text)
    assert "results.jsonl: line 1: " in refusal(tmp_path / "run", ArenaError)


async def test_resume_with_another_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What the games depend on may not change: key, old and new value are named. What they do not depend on may."""
    folder = tmp_path / "run"
    config = configured(tmp_path, SMALLEST, SMALLEST)
    await begin(folder, config)
    file = folder / "arena.toml"
    text = file.read_text()
    for old, new, sentence in [
        ("seats = 2", "seats = 3", "seats is 3, and was 2 when the run began"),
        ('rotations = "cyclic"', 'rotations = "all"', "rotations is 'all', and was 'cyclic' when the run began"),
        ('schedule = "pool"', 'schedule = "gauntlet"', "schedule is 'gauntlet', and was 'pool' when the run began"),
        ("same_author = false", "same_author = true", "same_author is True, and was False when the run began"),
        ('cut = "tap"', 'cut = "player"', "rules.cut is 'player', and was 'tap' when the run began"),
        ('name = "b"', 'name = "z"', "bots[1].name is 'z', and was 'b' when the run began"),
        ("smallest_bot.py", "generate.py", "bots[0].command is ['"),
    ]:
        assert old in text
        file.write_text(text.replace(old, new))
        said = refused(capsys, "arena", "--resume", folder)
        assert said.startswith(f"error: {file}: {sentence}")
        assert "standings would mix different games; put it back, or begin another run with `bluke arena" in said
    file.write_text(text.replace("tables = 3", "tables = 7").replace("start_seconds = 30.0", "start_seconds = 60.0"))
    plan = resume_plan(folder)
    assert isinstance(plan, Plan)
    assert (plan.config.tables, plan.config.start_seconds) == (7, 60)
    file.write_text(text + "[[bots]]\nname = 'c'\ncommand = 'true'\n")
    assert "bots[2].name is 'c', and was None when" in refusal(folder)


async def test_resume_with_a_changed_bot(tmp_path: Path):
    """A bot whose files have changed since the run began is another bot, and the run does not go on with it."""
    program = tmp_path / "mine.py"
    program.write_text("pass\n")
    await begin(tmp_path / "run", configured(tmp_path, [sys.executable, str(program)], SMALLEST))
    assert isinstance(resume_plan(tmp_path / "run"), Plan)
    program.write_text("pass  # better\n")
    assert "the files of bot 'a' have changed since the run began" in refusal(tmp_path / "run")


async def test_resume_with_another_seed_or_record(tmp_path: Path):
    """Games that the seed does not make, and games that are there twice, are refused; so is a run without its seed."""
    folder = tmp_path / "run"
    plan = await begin(folder, configured(tmp_path, SMALLEST, SMALLEST, seed=None))
    empty = (folder / "results.jsonl").read_bytes()
    await append(folder, [made(plan, 4)])
    again = resume_plan(folder)
    assert isinstance(again, Plan)
    assert [fixture.number for fixture in again.left] == [0, 1, 2, 3, 5]

    await append(folder, [made(plan, 4)])
    assert "game number 4 is there twice, or is not in the schedule" in refusal(folder)
    (folder / "results.jsonl").write_bytes(empty)
    wrong = [
        msgspec.structs.replace(made(plan, 1), game=made(plan, 2).game),
        msgspec.structs.replace(made(plan, 1), bots=["a", "a"]),
        msgspec.structs.replace(made(plan, 1), rotation=7),
    ]
    for line in wrong:
        await append(folder, [line])
        assert "is not the one that the seed makes of number 1; the record or the seed was changed" in refusal(folder)
        (folder / "results.jsonl").write_bytes(empty)
    (folder / "results.jsonl").write_bytes(empty.replace(b'"games":6', b'"games":8'))
    assert "it is about 8 games, and this version of bluke schedules 6" in refusal(folder)
    (folder / "results.jsonl").write_bytes(empty)
    (folder / "seed").write_text("nothing")
    assert "run/seed: cannot be read: it is not hexadecimal; without its seed this run cannot go on" in refusal(folder)
    (folder / "seed").unlink()
    assert "run/seed: cannot be read: No such file or directory; without" in refusal(folder)


async def test_resume_a_run_that_goes_on(tmp_path: Path):
    """While a process has the record no other gets it, and a run that was played on meanwhile is looked at again."""
    folder = tmp_path / "run"
    plan = await begin(folder, configured(tmp_path, SMALLEST, SMALLEST))
    watch = Watch()
    with (
        RecordFile(folder / "results.jsonl", resumed=True),
        pytest.raises(ConfigError, match=r"another process plays this run: .*run; wait until it has ended, or stop it"),
    ):
        await resumed(folder)
    late = resume_plan(folder)
    assert isinstance(late, Plan)
    await append(folder, [made(plan, 0)])
    with pytest.raises(ArenaError, match=r"another process has played on in .*run; give the same command again"):
        await play_run(late, watch, asyncio.Event())
    assert len(read_record(folder / "results.jsonl")[1]) == 1


async def test_resume_a_run_that_is_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Its standings are printed again and nothing is touched, though its bots may be gone."""
    folder = tmp_path / "run"
    plan = await begin(folder, configured(tmp_path, SMALLEST, boards=1))
    end = EndRecord(status="complete", finished=datetime(2030, 1, 1, tzinfo=UTC), match_seed=plan.seed.hex())
    await append(folder, [made(plan, 0), made(plan, 1), end])
    (folder / "arena.toml").unlink()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, out, err = command(tmp_path, "arena", "--resume", "run")
    assert (code, err) == (0, "")
    assert out.startswith("this run is complete: all of its 2 games are recorded\n\n#  bot")
    assert "play the rest" not in out
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["arena.toml"], "CONFIG"),
        (["--seats", 3], "--seats"),
        (["--boards", 3], "--boards"),
        (["--seed", "x"], "--seed"),
        (["--board", 0], "--board"),
        (["--schedule", "pool"], "--schedule"),
        (["--same-author", "--dry-run"], "--same-author and --dry-run"),
        (["--run", "x"], "--run"),
        (["--boards", 3, "--run", "x"], "--boards and --run"),
    ],
)
def test_what_does_not_go_with_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[object], named: str
):
    """The plan of a run is made once: what would change it cannot be given with --resume."""
    said = " ".join(refused(capsys, "arena", "--resume", tmp_path, *arguments).split())
    assert f"as it was planned, so {named} cannot go with it; --tables and --jobs can" in said
