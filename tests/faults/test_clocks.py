"""No healthy bot is ever called late, however busy the referee is.

`-m soak` runs this; `SOAK_GAMES` says how many games' worth of decisions, 20,000 unless it does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import TYPE_CHECKING

import psutil
import pytest
import structlog
from faults.house import ROOT

from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.rules import Rules
from bluke.wire.values import GameLimits

if TYPE_CHECKING:
    from pathlib import Path

GAMES = int(os.environ.get("SOAK_GAMES", "20000"))
TABLES = 64
SEATS = 4
#: Healthy bots answer within this or the referee was late itself.
LIMITS = GameLimits(decision_ms=250, bank_ms=0)


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.timeout(4 * 3600)
async def test_no_false_timeout(tmp_path: Path):
    """64 tables of bots that answer at once, a limit of 250 ms, no bank: nobody is charged."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    async with Referee(Settings("127.0.0.1:0", tmp_path)) as referee:
        tokens = [referee.expect(f"bot{seat}") for seat in range(SEATS)]
        environment = {**os.environ, "BLUKE_SERVER": referee.address}
        processes = [
            await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "bots.random",
                cwd=ROOT / "clients" / "python",
                env={**environment, "BLUKE_TOKEN": token},
            )
            for token in tokens
        ]
        bots = tuple([await referee.arrival(token) for token in tokens])
        match = Match("match-clocks", b"clocks", range(GAMES))
        left = iter(range(GAMES))
        decisions = played = 0
        slowest = 0.0
        memory: list[int] = []

        async def table() -> None:
            nonlocal decisions, played, slowest
            for number in left:
                spec = GameSpec(match, match.game_id(number), number, Rules(SEATS), LIMITS, bots)
                finished = await referee.play(spec)
                assert finished.faults == ()
                decisions += sum(map(len, finished.decision_ms))
                slowest = max(slowest, *(ms for seat in finished.decision_ms for ms in seat))
                # Some gigabytes otherwise.
                finished.replay.unlink()
                played += 1
                if played % max(1, GAMES // 10) == 0:
                    memory.append(psutil.Process().memory_info().rss)
                    print(f"{played} games, {decisions} decisions, {memory[-1] >> 20} MiB", flush=True)

        await asyncio.gather(*(table() for _ in range(TABLES)))
        lag = referee.lag_seconds
    print(f"{decisions} decisions, none late; the slowest took {slowest:.1f} ms; the referee was late by {lag:.2f} s")
    # What is remembered of the last games has its full size by then.
    assert max(memory[2:]) < memory[1] + 64 * 2**20, memory
    assert [await process.wait() for process in processes] == [0] * SEATS
    structlog.reset_defaults()
