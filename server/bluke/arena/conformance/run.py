"""Runs cases against a bot: a process for each, several at once, and what came of it."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import signal
import time
from contextlib import asynccontextmanager
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from bluke.arena.config import BotConfig, LimitsConfig, bot_program
from bluke.arena.conformance.case import Case, Dial, StrictGame
from bluke.arena.conformance.relay import Relay
from bluke.arena.conformance.script import Script
from bluke.arena.conformance.strict import play_strict
from bluke.arena.conformance.talk import FailedError, NoVerdictError, Talk
from bluke.arena.isolation import MEBIBYTE
from bluke.arena.process import BotLog, BotProcess, StartError
from bluke.errors import ArenaError, ConfigError
from bluke.referee.clock import LagMeter
from bluke.referee.scripted import ScriptedReferee
from bluke.replay.text import visible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

__all__ = ["Result", "Verdict", "bot_of", "check_bot"]

#: Cases at a time: most of them wait most of the time.
AT_ONCE = 4
#: How long a bot may take for each thing that it should do. A machine with much other work is no bot's fault.
PATIENCE_SECONDS = 20.0


class Verdict(Enum):
    """What came of a case."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    NONE = "no verdict"


class Result(msgspec.Struct, frozen=True):
    """What came of one case.

    Attributes:
        case: which.
        verdict: what came of it.
        expected: what was expected when it failed.
        arrived: what came instead, or what went wrong with us.
        step: number of the step, from 1; 0 where there is none.
        stderr: the bot's last lines on stderr, if it failed.
        seconds: how long it took.
    """

    case: Case
    verdict: Verdict
    expected: str = ""
    arrived: str = ""
    step: int = 0
    stderr: list[str] = []
    seconds: float = 0.0


class Place(NamedTuple):
    """Where and how a case is run: the bot, a folder of its own, our lateness, and how long the bot may take."""

    bot: BotConfig
    folder: Path
    lag: LagMeter
    patience: float


class CheckedBot(BotProcess):
    """A bot's process, with what a script asks of it."""

    token: str
    log_path: Path

    def terminate(self) -> None:
        """Send SIGTERM to it and its children."""
        self._signal(signal.SIGTERM)

    def printed(self) -> str:
        """All that it has printed so far."""
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    @property
    def last_lines(self) -> list[str]:
        """Its last lines on stderr, as they came."""
        return [line.decode(errors="replace") for line in self.last_errors]


def bot_of(command: Sequence[str]) -> BotConfig:
    """The bot that a command starts, in the current folder.

    Raises:
        ConfigError: there is no such program.
    """
    if bot_program(command[0], ".") is None:
        msg = f"{visible(command[0])}: there is no such program on the PATH; say how your bot is started after --"
        raise ConfigError(msg)
    return BotConfig(name="the bot", command=list(command))


async def check_bot(
    bot: BotConfig,
    cases: Sequence[Case],
    folder: Path,
    tell: Callable[[Result], None],
    *,
    patience: float = PATIENCE_SECONDS,
) -> list[Result]:
    """Hold a bot to cases.

    Args:
        bot: how it is started.
        cases: what it is held to.
        folder: where logs and replays may be written.
        tell: told each result, in the order of the cases.
        patience: how long the bot may take for each thing that it should do, in seconds.

    Returns:
        The results, in the order of the cases.

    Raises:
        ArenaError: the bot cannot be started, or never dials.
    """
    lag = LagMeter(time.monotonic())
    ticking = asyncio.create_task(_tick(lag))
    room = asyncio.Semaphore(AT_ONCE)

    async def one(number: int, case: Case) -> Result:
        async with room:
            return await _result(case, Place(bot, _made(folder / f"{number:02}-{case.name}"), lag, patience))

    running: list[asyncio.Task[Result]] = []
    try:
        await _probe(Place(bot, _made(folder / "start"), lag, patience))
        running = [asyncio.create_task(one(number, case)) for number, case in enumerate(cases)]
        results = []
        for task in running:
            results.append(await task)
            tell(results[-1])
        return results
    finally:
        ticking.cancel()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


async def _tick(lag: LagMeter) -> None:
    while True:
        await asyncio.sleep(lag.period)
        lag.tick(time.monotonic())


@asynccontextmanager
async def _started(place: Place, address: str, token: str) -> AsyncIterator[CheckedBot]:
    """A process of the bot for as long as the context lasts."""
    limits = LimitsConfig()
    log = BotLog(place.folder / "bot.log", limits.output_mb * MEBIBYTE)
    process: Any = None
    try:
        process = await CheckedBot.start(place.bot, address=address, token=token, log=log, limits=limits)
        process.token, process.log_path = token, log.path
        yield process
    finally:
        if process is not None:
            process.kill()
            await process.stop()
        log.close()


async def _probe(place: Place) -> None:
    """See that the bot can be started, and dials."""
    async with (
        ScriptedReferee() as referee,
        Relay(lambda: referee.port) as relay,
        _started(place, relay.address, secrets.token_urlsafe()) as process,
    ):
        stream = asyncio.ensure_future(referee.streams.get())
        ended = asyncio.ensure_future(process.ended())
        await asyncio.wait([stream, ended], timeout=place.patience, return_when=asyncio.FIRST_COMPLETED)
        stream.cancel()
        ended.cancel()
        if stream.done() and not stream.cancelled():
            return
        how = f"ended with {ended.result()}" if ended.done() else f"opened no stream within {place.patience:g} s"
        # Its last words are under way.
        process.kill()
        await process.stop()
        words = "".join(f"\n  | {visible(line)}" for line in process.last_lines)
        msg = (
            f"the bot could not be started: it {how}\n  command: {visible(shlex.join(place.bot.argv))}\n"
            f"  its last words on stderr: {words or 'none'}"
        )
        raise StartError(msg)


async def _result(case: Case, place: Place) -> Result:
    """Run one case; whatever goes wrong with us is no verdict."""
    began = time.monotonic()
    said: dict[str, Any] = {}
    try:
        if any(isinstance(step, StrictGame) for step in case.steps):
            verdict = await _strict(case, place, said)
        else:
            verdict = await _scripted(case, place, said)
    except NoVerdictError as error:
        verdict, said = Verdict.NONE, {"arrived": str(error)}
    except Exception as error:  # noqa: BLE001 - a bug of ours says nothing about the bot
        text = str(error) if isinstance(error, ArenaError) else f"{type(error).__name__}: {error}"
        verdict, said = Verdict.NONE, {"arrived": text}
    return Result(case, verdict, **said, seconds=round(time.monotonic() - began, 3))


def _dialling(dial: Dial, place: Place, tcp: str, unix: str) -> AbstractAsyncContextManager[CheckedBot]:
    """A process of the bot, given what it is to dial."""
    bot = place.bot
    if dial is Dial.NOWHERE:
        bot = msgspec.structs.replace(bot, command=["env", "-u", "BLUKE_SERVER", *bot.argv])
    address = unix if dial is Dial.UNIX else tcp
    return _started(place._replace(bot=bot), address, secrets.token_urlsafe())


async def _scripted(case: Case, place: Place, said: dict[str, Any]) -> Verdict:
    socket = place.folder / "referee"
    async with (
        ScriptedReferee(socket) as referee,
        Relay(lambda: referee.port) as relay,
        _dialling(case.dial, place, relay.address, f"unix:{socket}") as process,
    ):
        script = Script(case, referee, relay, Talk(process, place.lag, place.patience))
        try:
            await script.run()
        except FailedError as error:
            process.kill()
            await process.stop()
            said |= {
                "expected": error.expected,
                "arrived": error.arrived,
                "step": script.at,
                "stderr": process.last_lines,
            }
            return Verdict.FAIL
        return Verdict.PASS


async def _strict(case: Case, place: Place, said: dict[str, Any]) -> Verdict:
    step = next(step for step in case.steps if isinstance(step, StrictGame))

    @asynccontextmanager
    async def started(address: str, token: str) -> AsyncIterator[CheckedBot]:
        async with _started(place, address, token) as process:
            try:
                yield process
            except FailedError:
                process.kill()
                await process.stop()
                said["stderr"] = process.last_lines
                raise

    try:
        await play_strict(step, place.folder, started, place.patience)
    except FailedError as error:
        said |= {"expected": error.expected, "arrived": error.arrived, "step": 1}
        return Verdict.FAIL
    return Verdict.PASS
