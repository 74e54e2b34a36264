from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import pytest
from arena.rosters import alive

from bluke.arena.config import BotConfig
from bluke.arena.isolation import Isolation
from bluke.arena.process import BotLog, BotProcess, StartError
from bluke.errors import ArenaError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def log(tmp_path: Path):
    log = BotLog(tmp_path / "bot.log", 4_000_000)
    yield log
    log.close()


async def start(tmp_path: Path, log: BotLog, *argv: str, isolation: Isolation | None = None) -> BotProcess:
    bot = BotConfig(name="a", command=list(argv), folder=str(tmp_path), isolation=isolation)
    return await BotProcess.start(bot, address="127.0.0.1:1", token="secret", log=log)


def sh(script: str) -> tuple[str, str, str]:
    return "sh", "-c", script


async def numbers(log: BotLog, count: int) -> list[int]:
    """The numbers that a script has printed."""
    async with asyncio.timeout(20):
        while True:
            found = [int(line[6:]) for line in log.path.read_text().splitlines() if line.startswith("[out] ")]
            if len(found) == count:
                return found
            await asyncio.sleep(0.01)


async def test_output_is_marked_with_its_source(tmp_path: Path, log: BotLog):
    """The log holds every line of both streams; the last lines of stderr are at hand."""
    process = await start(tmp_path, log, *sh("echo one; echo two >&2; printf three >&2; exit 3"))
    assert await process.ended() == "exit code 3"
    await process.stop()
    lines = log.path.read_text().splitlines()
    assert lines[0] == "[arena] started: sh -c 'echo one; echo two >&2; printf three >&2; exit 3'"
    assert sorted(lines[1:]) == ["[err] three", "[err] two", "[out] one"]
    assert list(process.last_errors) == [b"two", b"three"]


async def test_what_a_bot_finds(tmp_path: Path, log: BotLog):
    """A bot runs in its folder, finds server and token in the environment, and has nothing on stdin."""
    process = await start(tmp_path, log, *sh("pwd; echo $BLUKE_SERVER $BLUKE_TOKEN; cat; command -v python"))
    await process.ended()
    await process.stop()
    lines = log.path.read_text().splitlines()[1:]
    assert lines[:2] == [f"[out] {tmp_path}", "[out] 127.0.0.1:1 secret"]
    assert lines[2].removeprefix("[out] ").rpartition("/")[0] == sys.executable.rpartition("/")[0]


async def test_no_shell_reads_a_command(tmp_path: Path, log: BotLog):
    """Words of a command reach the program as they are."""
    process = await start(tmp_path, log, "printf", "%s\n", "$HOME; *")
    await process.ended()
    await process.stop()
    assert log.path.read_text().splitlines()[1:] == ["[out] $HOME; *"]


async def test_a_flood_is_capped(tmp_path: Path, log: BotLog, monkeypatch: pytest.MonkeyPatch):
    """A log stops at its limit and says so; the bot is not held up, and its last words are still known."""
    monkeypatch.setattr(log, "_left", 10_000)
    script = "import sys; print('x' * 3_000_000); print('y\\n' * 100_000); print('last', file=sys.stderr)"
    process = await start(tmp_path, log, sys.executable, "-c", script)
    assert await process.ended() == "exit code 0"
    await process.stop()
    data = log.path.read_bytes()
    assert len(data) < 11_000
    assert data.endswith(b"what follows is dropped\n")
    assert list(process.last_errors) == [b"last"]


async def test_long_lines_are_broken(tmp_path: Path, log: BotLog):
    """A line without an end does not fill the memory."""
    process = await start(tmp_path, log, sys.executable, "-c", "import sys; sys.stderr.write('x' * 100_000)")
    await process.ended()
    await process.stop()
    assert max(map(len, process.last_errors)) <= 4096
    assert log.path.read_bytes().count(b"x") >= 100_000


async def test_the_end_is_seen_though_a_child_holds_the_pipes(tmp_path: Path, log: BotLog):
    """A process has ended when it has, whatever child of it still has its stdout."""
    process = await start(tmp_path, log, *sh("sleep 1000 & echo $!; exit 5"))
    async with asyncio.timeout(20):
        assert await process.ended() == "exit code 5"
    (child,) = await numbers(log, 1)
    assert alive([child])
    await process.stop()
    await gone([child])


async def test_goodbye_is_enough(tmp_path: Path, log: BotLog):
    """A process that ends by itself is not killed, and its children are."""
    process = await start(tmp_path, log, *sh("sleep 1000 & echo $!; sleep 0.05; exit 0"))
    await process.stop()
    assert await process.ended() == "exit code 0"
    await gone(await numbers(log, 1))


async def test_term_comes_before_kill(tmp_path: Path, log: BotLog, monkeypatch: pytest.MonkeyPatch):
    """A process that heeds TERM may still clean up."""
    monkeypatch.setattr(BotProcess, "PATIENCE_SECONDS", 1.0)
    process = await start(tmp_path, log, *sh("trap 'exit 4' TERM; echo 1; while :; do sleep 0.02; done"))
    await numbers(log, 1)
    await process.stop()
    assert await process.ended() == "exit code 4"


async def test_kill_reaches_the_whole_group(tmp_path: Path, log: BotLog, monkeypatch: pytest.MonkeyPatch):
    """A process that heeds nothing is killed with its children and theirs."""
    monkeypatch.setattr(BotProcess, "PATIENCE_SECONDS", 0.1)
    script = "trap '' TERM; echo $$; sh -c 'echo $$; sleep 1000 & echo $!; wait' & wait; sleep 1000"
    process = await start(tmp_path, log, *sh(script))
    family = await numbers(log, 3)
    await process.stop()
    assert await process.ended() == "signal SIGKILL"
    await gone(family)


async def test_a_stop_that_is_cut_off_kills(tmp_path: Path, log: BotLog):
    """Who has no patience left leaves no process behind."""
    process = await start(tmp_path, log, *sh("trap '' TERM; echo $$; sleep 1000 & echo $!; wait; sleep 1000"))
    family = await numbers(log, 2)
    stopping = asyncio.create_task(process.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    await gone(family)
    await process.stop()


async def test_a_child_that_left_the_group(tmp_path: Path, log: BotLog):
    """A child in a session of its own holds the pipes; nobody waits for it, and it is killed."""
    script = "import subprocess; print(subprocess.Popen(['sleep', '1000'], start_new_session=True).pid)"
    process = await start(tmp_path, log, sys.executable, "-c", script)
    await process.ended()
    (child,) = await numbers(log, 1)
    assert alive([child])
    async with asyncio.timeout(100):
        await process.stop()
    await gone([child])


async def test_a_start_that_is_cut_off(tmp_path: Path, log: BotLog):
    """Who gives up a start, whenever that is, leaves no process behind."""
    for turns in range(6):
        starting = asyncio.ensure_future(start(tmp_path, log, "sleep", f"1000.{os.getpid()}"))
        for _ in range(turns):
            await asyncio.sleep(0.002)
        starting.cancel()
        with suppress(asyncio.CancelledError):
            await (await starting).stop()
    async with asyncio.timeout(20):
        while any(  # noqa: ASYNC110 - they are nobody's children by now
            f"1000.{os.getpid()}" in (found.info["cmdline"] or []) for found in psutil.process_iter(["cmdline"])
        ):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("isolation", [Isolation.NONE, Isolation.LIMITS])
async def test_a_program_that_cannot_be_run(tmp_path: Path, log: BotLog, isolation: Isolation):
    """The command and the folder are in the message, and the bot is to blame."""
    (tmp_path / "text").write_text("not a program")
    (tmp_path / "text").chmod(0o755)
    with pytest.raises(
        StartError, match=r"bot 'a' cannot be started: Exec format error\n  command: ./text x\n  folder: /"
    ):
        await start(tmp_path, log, "./text", "x", isolation=isolation)


async def test_no_room_for_a_process(tmp_path: Path, log: BotLog, monkeypatch: pytest.MonkeyPatch):
    """That the system is out of processes or files is not the bot's fault."""
    import errno

    async def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)
    with pytest.raises(ArenaError, match="Too many open files") as caught:
        await start(tmp_path, log, "true")
    assert not isinstance(caught.value, StartError)


def test_a_log_that_cannot_be_opened(tmp_path: Path):
    """It says which, and what to do."""
    with pytest.raises(ArenaError, match=r"none/bot\.log: cannot be written: No such file or directory; make room or"):
        BotLog(tmp_path / "none" / "bot.log", 1)


async def gone(family: list[int]) -> None:
    """Wait until the system has taken note that they are dead."""
    async with asyncio.timeout(20):
        while alive(family):  # noqa: ASYNC110 - grandchildren send nobody an event
            await asyncio.sleep(0.01)
