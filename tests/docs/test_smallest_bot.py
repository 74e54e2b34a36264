"""The program in the protocol page's appendix is a whole bot."""

import asyncio
import os
import sys
from pathlib import Path

from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.replay.verify import verify
from bluke.rules import Rules
from bluke.wire.values import GameLimits, Policy, Status

BOT = Path(__file__).parents[2] / "docs/smallest_bot.py"


def test_length():
    """It has fewer than 40 lines."""
    assert len(BOT.read_text(encoding="utf-8").splitlines()) < 40


async def start(referee, name):
    """A process of the smallest bot, and the bot that it is to the referee."""
    token = referee.expect(name)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        BOT,
        env={**os.environ, "BLUKE_SERVER": referee.address, "BLUKE_TOKEN": token},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    return process, token


async def test_play(tmp_path):
    """Two of them play a game without a fault, its replay is true, and they exit when the referee says goodbye."""
    processes = []
    try:
        async with Referee(Settings("127.0.0.1:0", tmp_path)) as referee, asyncio.timeout(60):
            started = [await start(referee, name) for name in ("one", "two")]
            processes = [process for process, _ in started]
            bots = [await referee.arrival(token) for _, token in started]
            match = Match("match-docs", b"the smallest bot", [0])
            # Strict, and with time to spare: a slow machine is no fault of the bot's.
            limits = GameLimits(policy=Policy.STRICT, decision_ms=30_000)
            spec = GameSpec(match, match.game_id(0), 0, Rules(2, hands=(3, 2, 1)), limits, tuple(bots))
            finished = await referee.play(spec)
        said = await asyncio.gather(*(process.communicate() for process in processes))
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
    assert finished.result.status is Status.COMPLETE
    assert finished.result.faults == (0, 0)
    assert [bot.player.name for bot in bots] == ["one", "two"]
    assert str(verify(finished.replay)).endswith(": ok")
    assert [(process.returncode, *texts) for process, texts in zip(processes, said, strict=True)] == [(0, b"", b"")] * 2
