from __future__ import annotations

import asyncio
import errno
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from arena.rosters import MOODY, SMALLEST, alive, pids, roster
from msgspec import convert

from bluke.arena import process as process_module
from bluke.arena.config import BotConfig, LimitsConfig, load_config
from bluke.arena.family import family, memory_in_use, usage
from bluke.arena.isolation import Isolation, bwrap_problem, limited, private_socket
from bluke.arena.process import BotLog, BotProcess
from bluke.arena.run import make_plan, play_run
from bluke.errors import ConfigError
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bluke.arena.run import RunResult

ROOT = Path(__file__).parents[2]
PROBE = [sys.executable, str(Path(__file__).with_name("probe_bot.py"))]
PROBLEM = bwrap_problem()
needs_bwrap = pytest.mark.skipif(PROBLEM is not None, reason=f"no sandbox can be made here: {PROBLEM}")
BWRAP = pytest.param("bwrap", marks=needs_bwrap)
pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits are those of a POSIX system")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[BotLog]:
    log = BotLog(tmp_path / "bot.log", 4_000_000)
    yield log
    log.close()


@pytest.fixture
def quick_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "WATCH_SECONDS", 0.05)


async def start(tmp_path: Path, log: BotLog, *argv: str, isolation: str = "limits", **limits: int) -> BotProcess:
    folder = tmp_path / "home"
    folder.mkdir(exist_ok=True)
    bot = BotConfig(name="a", command=list(argv), folder=str(folder), isolation=Isolation(isolation))
    return await BotProcess.start(
        bot, address=f"unix:{tmp_path}/socket/s", token="t", log=log, limits=convert(limits, LimitsConfig)
    )


async def said(log: BotLog, process: BotProcess) -> list[str]:
    """What a process prints until its end."""
    async with asyncio.timeout(60):
        how = await process.ended()
        await process.stop()
    lines = log.path.read_text().splitlines()
    assert how == "exit code 0", lines
    return [line.removeprefix("[out] ") for line in lines if line.startswith("[out] ")]


class Quiet:
    """A progress that nobody watches."""

    def planned(self, _: object) -> None: ...

    def started(self) -> None: ...

    def game(self, _: object) -> None: ...
    def compared(self, _: object) -> None: ...

    def stopping(self) -> None: ...
    def draining(self) -> None: ...


async def run(tmp_path: Path, *bots: Sequence[str], isolation: str, folder: str = "run", **options: Any) -> RunResult:
    """A whole run of bots with folders of their own, after which nothing of it may be left."""
    data = roster(*bots, **options)
    for bot in data["bots"]:  # type: ignore[attr-defined]
        home = tmp_path / "homes" / bot["name"]
        home.mkdir(parents=True, exist_ok=True)
        bot |= {
            "folder": str(home),
            "isolation": isolation,
            "readable": [str(ROOT / "docs"), str(ROOT / "tests/arena")],
        }
    config = load_config(data, where="test", folder=tmp_path)
    async with asyncio.timeout(100):
        result = await play_run(make_plan(config, tmp_path / folder), Quiet(), asyncio.Event())
    if isolation != "bwrap":  # in a sandbox processes have other numbers
        assert alive(pids(tmp_path / folder / "bots")) == []
    assert result.trouble is None
    return result


# Limits


async def test_limits_hold_from_the_first_instruction(tmp_path: Path, log: BotLog):
    """The first thing a program sees is its limits; nothing that Python has changed for itself is handed on."""
    script = "ulimit -n; ulimit -d; ulimit -t; ulimit -c"
    shown = await said(log, await start(tmp_path, log, "sh", "-c", script, open_files=99, memory_mb=64, cpu_seconds=7))
    assert shown == ["99", str((64 + 1024) * 1024), "12", "0"]


def my_limits() -> list[str]:
    script = "ulimit -n; ulimit -d; ulimit -t"
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout.split()


async def test_no_limit_is_no_limit(tmp_path: Path, log: BotLog):
    """With 0 for a limit, and without isolation, a bot has what the arena has."""
    script = "ulimit -n; ulimit -d; ulimit -t"
    process = await start(tmp_path, log, "sh", "-c", script, open_files=0, memory_mb=0, cpu_seconds=0)
    assert await said(log, process) == my_limits()
    again = BotLog(tmp_path / "again.log", 1_000_000)
    process = await start(tmp_path, again, "sh", "-c", script, isolation="none", open_files=9)
    assert await said(again, process) == my_limits()
    again.close()


def test_a_limit_above_the_arenas_own():
    """A bot gets at most what the arena may have, and starts all the same."""
    command = limited(["sh", "-c", "ulimit -n"], answer=2, memory_mb=0, open_files=4000, cpu_seconds=0)
    done = subprocess.run(["sh", "-c", 'ulimit -n 90; exec "$@"', "sh", *command], capture_output=True, check=True)
    assert done.stdout == b"90\n"


async def test_signals_are_as_usual(tmp_path: Path, log: BotLog):
    """What Python ignores for itself is not ignored in the program."""
    process = await start(tmp_path, log, "sh", "-c", "kill -PIPE $$; echo alive")
    assert await process.ended() == "signal SIGPIPE"
    await process.stop()


async def test_too_many_files(tmp_path: Path, log: BotLog):
    """A file too many is refused to the bot, which may go on."""
    script = "import os\nn = 0\ntry:\n  while os.open('/', 0): n += 1\nexcept OSError as e: print(n < 50, e.errno)"
    assert await said(log, await start(tmp_path, log, sys.executable, "-c", script, open_files=50)) == [
        f"True {errno.EMFILE}"
    ]


async def test_far_too_much_memory_is_refused(tmp_path: Path, log: BotLog):
    """What is asked for at one go, so that no watch could see it come, the system refuses."""
    script = "try: bytearray(3 << 30)\nexcept MemoryError: print('refused')"
    assert await said(log, await start(tmp_path, log, sys.executable, "-c", script, memory_mb=64)) == ["refused"]


@pytest.mark.parametrize("isolation", ["limits", BWRAP])
async def test_too_much_memory(tmp_path: Path, log: BotLog, quick_watch: None, isolation: str):
    """A bot whose processes hold too much together is stopped with them; limit, use and allowance are named."""
    script = "x = b'x' * (60 << 20)\nimport time\ntime.sleep(1000)"
    command = f'"{sys.executable}" -c "$0" & "{sys.executable}" -c "$0" & wait'
    process = await start(tmp_path, log, "sh", "-c", command, script, isolation=isolation, memory_mb=100)
    async with asyncio.timeout(60):
        how = await process.ended()
    found = re.fullmatch(r"signal SIGKILL: over its limit memory_mb = 100: its processes held ([0-9]+) MiB", how)
    assert found is not None, how
    assert 100 < int(found[1]) < 300
    await process.stop()


async def test_a_single_hog_within_its_limit(tmp_path: Path, log: BotLog):
    """Memory that processes share counts once."""
    script = (
        "import os, time\nx = bytearray(80 << 20)\nx[:] = b'x' * len(x)\n"
        "for _ in range(3):\n  if not os.fork(): time.sleep(1000)\nprint('ready')\ntime.sleep(1000)"
    )
    process = await start(tmp_path, log, sys.executable, "-c", script, isolation="none")
    try:
        async with asyncio.timeout(60):
            while "ready" not in log.path.read_text() or len(family(process._process.pid)) < 4:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert usage(process._process.pid)[0] > 300 << 20
        if psutil.LINUX:
            assert memory_in_use(process._process.pid) < 250 << 20
            assert process_module._excess(process._process.pid, LimitsConfig(memory_mb=250)) == ""
    finally:
        process.kill()
        await process.stop()


@pytest.mark.parametrize("isolation", ["limits", BWRAP])
async def test_too_much_cpu_time(tmp_path: Path, log: BotLog, quick_watch: None, isolation: str):
    """The CPU time of all processes of a bot counts, that of ended children too."""
    command = f'while :; do "{sys.executable}" -S -c "sum(range(3_000_000))"; done'
    process = await start(tmp_path, log, "sh", "-c", command, isolation=isolation, cpu_seconds=1)
    async with asyncio.timeout(60):
        how = await process.ended()
    assert re.fullmatch(r"signal SIGKILL: over its limit cpu_seconds = 1: its processes took [0-9]+\.[0-9] s", how)
    await process.stop()


async def test_the_crash_says_which_limit(tmp_path: Path, quick_watch: None):
    """A bot that is stopped for a limit is charged with a crash whose detail says why; the other plays on."""
    limits = {"memory_mb": 150}
    result = await run(
        tmp_path, SMALLEST, [*PROBE, "greedy"], isolation="limits",
        boards=1, tables=1, limits=limits, faults={"restarts": 0}, clock={"timed": False},
    )  # fmt: skip
    assert result.complete
    faults = [fault for game in result.games for fault in game.faults]
    assert {fault.kind for fault in faults} == {FaultKind.CRASH}
    assert faults[0].detail is not None
    assert "the bot's process ended with signal SIGKILL: over its limit memory_mb = 150: " in faults[0].detail


async def test_a_full_log(tmp_path: Path):
    """`output_mb` is where a log ends; the bot plays on."""
    code = "print('x' * 3_000_000); import runpy, sys; runpy.run_path(sys.argv[1])"
    loud = [sys.executable, "-c", code, SMALLEST[1]]
    result = await run(tmp_path, SMALLEST, loud, isolation="limits", boards=1, limits={"output_mb": 1})
    assert result.complete
    assert not any(game.faults for game in result.games)
    text = (tmp_path / "run/bots/01-b.log").read_text()
    assert "the log is full at 1048576 bytes" in text
    assert len(text) < 1.2 * 2**20


@pytest.mark.parametrize("program", ["node", "java"])
@pytest.mark.parametrize("isolation", ["limits", BWRAP])
async def test_other_languages_start(tmp_path: Path, log: BotLog, program: str, isolation: str):
    """Virtual machines that reserve memory by the gigabyte start under the default limits, and in a sandbox."""
    if shutil.which(program) is None:
        pytest.skip(f"no {program} here")
    arguments = {"node": ["-e", "console.log('hello')"], "java": ["-version"]}[program]
    process = await start(tmp_path, log, program, *arguments, isolation=isolation)
    await said(log, process)


# Children


@pytest.mark.parametrize("isolation", ["none", "limits", BWRAP])
async def test_a_child_that_left_the_session(tmp_path: Path, isolation: str):
    """A child in a session of its own, whose parent is dead, does not outlive the run."""
    seconds = f"1000.{os.getpid()}"
    await run(tmp_path, SMALLEST, [*PROBE, f"leave={seconds}"], isolation=isolation, boards=1)
    assert "[out] attempt 0 done" in (tmp_path / "run/bots/01-b.log").read_text()
    async with asyncio.timeout(20):
        while sleepers(seconds):  # noqa: ASYNC110 - they are nobody's children
            await asyncio.sleep(0.02)


def sleepers(seconds: str) -> list[int]:
    """Who sleeps so long."""
    found = psutil.process_iter(["cmdline"])
    return alive([process.pid for process in found if process.info["cmdline"] == ["sleep", seconds]])


# The sandbox


@needs_bwrap
async def test_what_a_bot_in_a_sandbox_can_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It plays its games; network, other files, the arena's environment and other processes are not there for it.

    The same bot without isolation gets it all, so that the attempts are known to be good ones.
    """
    monkeypatch.setenv("SECRET", "x")
    for name in ("home", "homes/a", "homes/b"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    (tmp_path / "home" / "diary").write_text("dear diary")
    (tmp_path / "homes/a/code").write_text("another's")
    (tmp_path / "homes/b/code").write_text("mine")
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0bluke-{os.getpid()}")
        abstract.listen()
        attempts = [
            f"tcp=127.0.0.1:{tcp.getsockname()[1]}",
            f"abstract=bluke-{os.getpid()}",
            f"read={tmp_path}/home/diary",
            f"read={tmp_path}/homes/a",
            "read=/etc/passwd",
            "read=RUN/results.jsonl",
            "read=RUN/arena.toml",
            f"write={tmp_path}/homes/b/note",
            f"write={tmp_path}/homes/b/code",
            "write=RUN/replays/x",
            "read=/sys",
        ]
        shown = {}
        for isolation in ("none", "bwrap"):
            # The run folder is in the bot's own, as it is for whoever has everything in one.
            folder = f"homes/b/runs/{isolation}"
            words = [word.replace("RUN", str(tmp_path / folder)) for word in attempts]
            result = await run(tmp_path, SMALLEST, [*PROBE, *words], isolation=isolation, folder=folder, boards=2)
            assert result.complete
            assert not any(game.faults for game in result.games)
            text = (tmp_path / folder / "bots/01-b.log").read_text()
            done = re.findall(r"^\[out\] attempt [0-9]+ (done|refused)", text, re.MULTILINE)
            shown[isolation] = dict(zip(attempts, done, strict=True))
            environment = re.findall(r"^\[out\] environment (.*)$", text, re.MULTILINE)[0].split()
            assert ("SECRET" in environment) is (isolation == "none")
            if isolation == "bwrap":
                # Whoever made the sandbox, and the bot.
                assert "[out] processes 2\n" in text
    assert set(shown["none"].values()) == {"done"}
    assert set(shown["bwrap"].values()) == {"refused"}
    assert (tmp_path / "homes/b/code").read_text() == "I was here", "without isolation it was"


@needs_bwrap
async def test_no_way_out(tmp_path: Path, log: BotLog):
    """The only network device is a loopback of its own, and whatever is bound in a sandbox is bound there only."""
    script = (
        "import errno, os, socket\n"
        "print(sorted(name for _, name in socket.if_nameindex()))\n"
        "try: socket.create_connection(('192.0.2.1', 80), 5)\n"
        "except OSError as error: print(error.errno == errno.ENETUNREACH)\n"
        "for path in ('/proc/sys/vm/swappiness', '/x', '/dev/x', os.path.expanduser('~/of-its-own'), '/dev/shm/x'):\n"
        "  try: open(path, 'a').close(); print('written', path)\n"
        "  except OSError as error: print(error.errno in (errno.EROFS, errno.EACCES))\n"
    )
    shown = await said(log, await start(tmp_path, log, sys.executable, "-c", script, isolation="bwrap"))
    assert shown == ["['lo']", "True", "True", "True", "True", "written /tmp/of-its-own", "written /dev/shm/x"]


@needs_bwrap
async def test_the_end_of_a_sandbox(tmp_path: Path, log: BotLog, monkeypatch: pytest.MonkeyPatch):
    """A bot in a sandbox hears TERM, how it ended is known, and it is killed with all that it has started."""
    process = await start(tmp_path, log, "sh", "-c", "kill -SEGV $$", isolation="bwrap")
    assert await process.ended() == "signal SIGSEGV"
    await process.stop()

    monkeypatch.setattr(BotProcess, "PATIENCE_SECONDS", 2.0)
    script = "trap 'exit 4' TERM; echo ready; while :; do sleep 0.02; done"
    process = await start(tmp_path, log, "sh", "-c", script, isolation="bwrap")
    await ready(log, 1)
    await process.stop()
    assert await process.ended() == "exit code 4"

    monkeypatch.setattr(BotProcess, "PATIENCE_SECONDS", 0.1)
    script = "trap '' TERM; setsid sleep 1000 & sleep 1000 & echo ready; while :; do sleep 0.02; done"
    process = await start(tmp_path, log, "sh", "-c", script, isolation="bwrap")
    await ready(log, 2)
    members = family(process._process.pid)
    assert len(members) >= 4
    await process.stop()
    async with asyncio.timeout(20):
        while alive(members):  # noqa: ASYNC110 - they are not children of this process
            await asyncio.sleep(0.02)


async def ready(log: BotLog, count: int) -> None:
    async with asyncio.timeout(20):
        while log.path.read_text().count("[out] ready") < count:  # noqa: ASYNC110 - a file sends no event
            await asyncio.sleep(0.02)


async def test_the_same_games_under_every_isolation(tmp_path: Path):
    """Isolation changes nothing about a match: one seed, one set of deals and results, fresh bots and restarts too."""
    played = {}
    for isolation in ["none", "limits", *(["bwrap"] if PROBLEM is None else [])]:
        result = await run(
            tmp_path, SMALLEST, [*MOODY, "die=4"], MOODY, isolation=isolation, folder=isolation,
            fresh="c", boards=2, tables=1, faults={"restarts": 1},
        )  # fmt: skip
        assert result.complete
        games = sorted(result.games, key=lambda game: game.number)
        faults = [[(fault.seat, fault.kind, fault.detail) for fault in game.faults] for game in games]
        played[isolation] = [(game.game, game.bots, game.totals, game.places) for game in games], faults
        assert sum("exit code 7" in str(fault) for fault in faults) == 2
    assert len(played) >= 2
    assert all(games == played["none"] for games in played.values())


async def test_the_socket_is_private():
    """The folder of the referee's socket is open to nobody else, its path short enough, and it goes with the run."""
    with private_socket(wanted=True) as path:
        assert path is not None
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert len(os.fsencode(path)) < 104
    assert not path.parent.exists()
    with private_socket(wanted=False) as path:
        assert path is None


async def test_a_long_way_to_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where the temporary folder has a long name, the socket is put where its path fits."""
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with private_socket(wanted=True) as path:
        assert path is not None
        assert path.is_relative_to("/tmp")


# Refusals


def fake_bwrap(tmp_path: Path, said: str) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/bwrap").write_text(f"#!/bin/sh\necho '{said}' >&2; exit 1\n")
    (tmp_path / "bin/bwrap").chmod(0o755)


@pytest.mark.parametrize(
    ("bwrap", "match"),
    [
        (None, "bubblewrap is not installed; `apt-get install bubblewrap`"),
        (
            "bwrap: No permissions to create new namespace",
            "does not work: bwrap: No permissions to create new namespace; ",
        ),
        ("bwrap: Unknown option --size", "Unknown option --size; it is too old: 0.7 or newer is needed"),
    ],
    ids=["none", "forbidden", "old"],
)
def test_a_machine_without_sandboxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bwrap: str | None, match: str):
    """A sandbox that cannot be had is refused before anything starts, with what to do; none asked for, none missed."""
    if bwrap is not None:
        fake_bwrap(tmp_path, bwrap)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "executable", "/bin/sh/python")
    (tmp_path / "home").mkdir()
    bot = {"name": "a", "command": "/bin/sh", "folder": "home"}
    with pytest.raises(ConfigError, match=f'test: isolation = "bwrap" cannot be had: .*{re.escape(match)}') as caught:
        load_config({"bots": [{**bot, "isolation": "bwrap"}]}, where="test", folder=tmp_path)
    assert "`bluke doctor` checks again" in str(caught.value)
    with pytest.raises(ConfigError, match="cannot be had"):
        load_config({"bots": [bot], "limits": {"isolation": "bwrap"}}, where="test", folder=tmp_path)
    data = {"bots": [{**bot, "isolation": "none"}], "limits": {"isolation": "bwrap"}}
    assert not load_config(data, where="test", folder=tmp_path).sandboxes


def test_a_sandbox_that_would_hide_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A home is no folder of a bot's own."""
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    (tmp_path / "me").mkdir()
    for folder in ("me", ".", "/"):
        bot = {"name": "a", "command": "/bin/sh", "folder": folder, "isolation": "bwrap"}
        with pytest.raises(ConfigError, match=r"a sandbox would show it all of '.*'; give it a folder of its own"):
            load_config({"bots": [bot]}, where="test", folder=tmp_path)


def test_readable_must_be_there(tmp_path: Path):
    """What a bot may read is named from the folder of the file, and has to exist."""
    (tmp_path / "book").write_text("")
    bot = {"name": "a", "command": "/bin/sh", "readable": ["book"]}
    assert load_config({"bots": [bot]}, where="t", folder=tmp_path).bots[0].readable == [str(tmp_path / "book")]
    bot["readable"] = ["none"]
    with pytest.raises(ConfigError, match=r"bots\[0\] \('a'\): readable: '.*none' is not there"):
        load_config({"bots": [bot]}, where="t", folder=tmp_path)


def test_signal_numbers():
    """A sandbox ends with 128 and the number of the signal that ended its bot, as shells do."""
    assert process_module.SIGNALLED + signal.SIGKILL == 137
