"""The last case: a whole game of the real referee, which the first fault ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bluke.arena.conformance.talk import FailedError, NoVerdictError
from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.referee.bot import Gone
from bluke.wire.values import FaultKind, GameLimits, Policy, Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bluke.arena.conformance.case import StrictGame
    from bluke.arena.conformance.talk import Bot as Process

    Started = Callable[[str, str], AbstractAsyncContextManager[Process]]

__all__ = ["play_strict"]

SEED = b"the strict game of bluke check"


async def play_strict(step: StrictGame, folder: Path, started: Started, patience: float) -> None:
    """Play it.

    Args:
        step: which game.
        folder: where its replay may be written.
        started: a process of the bot, given the referee's address and a token.
        patience: how long the bot may take to its hello, in seconds.

    Raises:
        FailedError: the bot was charged with a fault, or did not come.
        NoVerdictError: the game came to no result through trouble of ours.
    """
    async with Referee(Settings(address="127.0.0.1:0", replays=folder)) as referee:
        token = referee.expect("the bot")
        async with started(referee.address, token) as process:
            ended = asyncio.ensure_future(process.ended())
            arrival = asyncio.ensure_future(referee.arrival(token))
            try:
                await asyncio.wait([ended, arrival], timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                if not arrival.done():
                    how = f"its process ended with {ended.result()}" if ended.done() else f"none within {patience:g} s"
                    raise FailedError("a hello that is accepted", how)
                watch = asyncio.create_task(_watch(referee, token, ended))
                match = Match("check", SEED, [0])
                limits = GameLimits(policy=Policy.STRICT)
                spec = GameSpec(
                    match, match.game_id(0), 0, step.rules.rules(step.seats), limits, (arrival.result(),) * step.seats
                )
                finished = await referee.play(spec)
                watch.cancel()
            finally:
                ended.cancel()
                arrival.cancel()
            if finished.faults:
                fault = finished.faults[0]
                raise FailedError(
                    "a game without a fault",
                    f"{fault.kind.value}, charged to seat {fault.seat} in hand {fault.hand}: {fault.detail}",
                )
            if finished.result.status is not Status.COMPLETE:
                raise NoVerdictError(f"the game is {finished.result.status.value}: {finished.result.reason}")


async def _watch(referee: Referee, token: str, ended: asyncio.Future[str]) -> None:
    how = await asyncio.shield(ended)
    referee.forget(token, Gone(FaultKind.CRASH, f"the bot's process ended with {how}"))
