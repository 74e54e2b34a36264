"""The bot in Ruby that the page on other languages shows is a whole bot, from its stubs to its goodbye."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.replay.verify import verify
from bluke.rules import Rules
from bluke.wire.values import GameLimits, Policy, Status

ROOT = Path(__file__).parents[2]
BOT = ROOT / "docs/any_language/bot.rb"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ruby():
    """Ruby's own program; skips the test where it or its gRPC is not installed."""
    program = shutil.which("ruby")
    asked = [program or "ruby", "-e", "require 'grpc'"]
    if program is None or subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("no Ruby with gRPC here: apt-get install ruby ruby-grpc ruby-google-protobuf")
    return program


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    """The folder of the stubs, made as the page says."""
    if shutil.which("grpc_tools_ruby_protoc") is None:
        pytest.skip("no generator of stubs for Ruby here: apt-get install ruby-grpc-tools")
    gen = tmp_path_factory.mktemp("gen")
    protos = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "proto").glob("bluke/v1/*.proto"))
    subprocess.run(
        ["grpc_tools_ruby_protoc", "-I", "proto", f"--ruby_out={gen}", f"--grpc_out={gen}", *protos],
        cwd=ROOT,
        check=True,
    )
    return gen


async def start(command, address, token):
    """A process of the bot that dials `address`."""
    return await asyncio.create_subprocess_exec(
        *command,
        env={**os.environ, "BLUKE_SERVER": address, "BLUKE_TOKEN": token},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def test_play(ruby, stubs, tmp_path):
    """Two of them play a game without a fault, its replay is true, and they exit with 0 at the referee's goodbye."""
    command = [ruby, "-I", str(stubs), str(BOT)]
    processes = []
    try:
        async with Referee(Settings("127.0.0.1:0", tmp_path)) as referee, asyncio.timeout(120):
            tokens = [referee.expect(name) for name in ("one", "two")]
            processes = [await start(command, referee.address, token) for token in tokens]
            bots = [await referee.arrival(token) for token in tokens]
            match = Match("match-ruby", b"a language without a client", [0])
            # Strict, and with time to spare: a slow machine is no fault of the bot's.
            limits = GameLimits(policy=Policy.STRICT, decision_ms=30_000)
            spec = GameSpec(match, match.game_id(0), 0, Rules(2, hands=(9, 3, 1)), limits, tuple(bots))
            finished = await referee.play(spec)
        said = await asyncio.gather(*(process.communicate() for process in processes))
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
    assert (finished.result.status, finished.result.faults) == (Status.COMPLETE, (0, 0))
    assert str(verify(finished.replay)).endswith(": ok")
    assert [process.returncode for process in processes] == [0, 0]
    assert [out for out, _ in said] == [b"", b""]


async def test_refusal(ruby, stubs, tmp_path):
    """One whose token nobody made shows why it is refused, and exits with 2."""
    async with Referee(Settings("127.0.0.1:0", tmp_path)) as referee, asyncio.timeout(60):
        process = await start([ruby, "-I", str(stubs), str(BOT)], referee.address, "nobody's")
        _, err = await process.communicate()
    assert process.returncode == 2
    assert b"the token is unknown or was revoked" in err


async def test_without_address(ruby, stubs):
    """One that has nowhere to go says what is missing, and exits with 2."""
    process = await start([ruby, "-I", str(stubs), str(BOT)], "", "")
    _, err = await process.communicate()
    assert process.returncode == 2
    assert b"set BLUKE_SERVER" in err
