"""Asking a bot what a seat of a recorded game was asked: the bot is a process of its own, as in the arena."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import msgspec
import psutil

from bluke.arena.isolation import Isolation, private_socket
from bluke.arena.keeper import Keeper, Stopped
from bluke.arena.rematch.recorded import absent
from bluke.errors import ArenaError
from bluke.referee import GameSpec, Referee, Settings
from bluke.referee.asking import Asking
from bluke.referee.retrace import KnownDeal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from pathlib import Path

    from bluke.arena.rematch.recorded import Candidate, Recorded
    from bluke.referee import Bot
    from bluke.referee.asking import Reply
    from bluke.referee.spec import House
    from bluke.referee.table import Table
    from bluke.wire.values import GameLimits

__all__ = ["LABEL", "Answers", "Questions", "Summoned", "Verdict", "judge_reply", "summoned"]

#: What the welcome adds to the name of the referee: a bot that wants to know is told that this is no new game.
LABEL = "asking about a recorded game"
#: The longest time that a message can hold, in milliseconds: for somebody with a debugger, no limit at all.
FOR_EVER = 2**31 - 1


class Verdict(Enum):
    """How an answer of now stands to what was done then."""

    SAME = "same"
    DIFFERS = "differs"
    #: No legal answer in time.
    FAULT = "fault"
    #: The bot of then had no answer of its own.
    NEW = "new"


def judge_reply(reply: Reply) -> Verdict:
    """Hold an answer against the move that the bot of then made."""
    if reply.fault is not None:
        return Verdict.FAULT
    if reply.step.value is None or reply.step.by_referee:
        return Verdict.NEW
    return Verdict.SAME if reply.value == reply.step.value else Verdict.DIFFERS


@dataclass(frozen=True, slots=True)
class Questions:
    """What is to be asked of which game.

    Attributes:
        recorded: the game.
        seat: the seat.
        first: the number of the first decision of the game that is not taken over in silence.
        stop: the number of the decision before which the game is broken off.
        clock: whether the clock of then runs; without it there is only the wall limit.
    """

    recorded: Recorded
    seat: int
    first: int
    stop: int
    clock: bool = True

    @property
    def count(self) -> int:
        """How many decisions will be asked."""
        steps = self.recorded.steps[self.first : self.stop]
        return sum(step.seat == self.seat and step.was_asked for step in steps)

    @property
    def whole(self) -> bool:
        """Whether the game is gone through from its beginning."""
        return self.first == 0 and self.stop == len(self.recorded.steps)


@dataclass(slots=True)
class Answers:
    """What came of asking.

    Attributes:
        questions: what was to be asked.
        replies: what came of each decision, in order.
        broken_off: why not all was asked; empty if it was.
        stopped: whether that was since somebody stopped it.
    """

    questions: Questions
    replies: list[Reply] = field(default_factory=list)
    broken_off: str = ""
    stopped: bool = False

    @property
    def complete(self) -> bool:
        """Whether every question was asked."""
        return len(self.replies) == self.questions.count


class Summoned:
    """A bot that runs and can be asked, game after game.

    Attributes:
        pid: the number of its process.
    """

    def __init__(self, referee: Referee, keeper: Keeper, pid: int, stop: asyncio.Event, *, attached: bool) -> None:
        """Take over a bot that was started; see `summoned`."""
        self.pid = pid
        self._referee = referee
        self._keeper = keeper
        self._stop = stop
        self._attached = attached

    async def ask(self, questions: Questions, on_reply: Callable[[Reply], None] = lambda _: None) -> Answers:
        """Ask; `on_reply` is called with each reply as it comes, and what it raises ends the asking.

        Raises:
            ArenaError: the referee itself failed.
        """
        answers = Answers(questions)
        trouble: list[Exception] = []

        def told(reply: Reply) -> None:
            answers.replies.append(reply)
            try:
                on_reply(reply)
            except Exception as error:  # noqa: BLE001 - a reader who has gone, say; it is raised below
                # Not through the table, which would take it for its own failure.
                trouble.append(error)
                self._stop.set()

        tables: list[Asking] = []

        def make(spec: GameSpec, house: House, on_over: Callable[[Table], None]) -> Table:
            recorded = questions.recorded
            table = Asking(
                spec,
                house,
                on_over,
                replay=recorded.replay,
                steps=recorded.steps,
                seat=questions.seat,
                first=questions.first,
                stop=questions.stop,
                patience=spec.limits.max_faults if spec.limits.decision_ms is not None else 1,
                on_reply=told,
            )
            tables.append(table)
            return table

        async with self._keeper.at_table() as bot:
            stopping = asyncio.create_task(self._end_early())
            try:
                await self._referee.play(self._spec(questions, bot), make)
            finally:
                stopping.cancel()
        (table,) = tables
        if trouble:
            raise trouble[0]
        if table.error is not None:
            msg = f"the referee failed while it asked: {table.error}"
            raise ArenaError(msg) from table.error
        answers.stopped = self._stop.is_set() and not answers.complete
        answers.broken_off = "it was stopped" if answers.stopped else table.broken_off
        return answers

    async def _end_early(self) -> None:
        await self._stop.wait()
        self._referee.void_all("it was stopped")

    def _spec(self, questions: Questions, bot: Bot) -> GameSpec:
        replay = questions.recorded.replay
        header = replay.header
        bots = [absent(player) for player in header.players]
        bots[questions.seat] = bot
        limits = self._limits(header.limits, clock=questions.clock)
        return GameSpec(KnownDeal(replay), header.game, header.deal, header.rules, limits, tuple(bots))

    def _limits(self, limits: GameLimits, *, clock: bool) -> GameLimits:
        if self._attached:
            return replace(limits, decision_ms=None, wall_ms=FOR_EVER)
        return limits if clock else replace(limits, decision_ms=None)


@asynccontextmanager
async def summoned(
    candidate: Candidate,
    folder: Path,
    stop: asyncio.Event,
    *,
    restarts: int = 0,
    ready: Callable[[int], Coroutine[Any, Any, None]] | None = None,
) -> AsyncIterator[Summoned]:
    """A referee of its own for one bot, and the bot, started; both are gone in the end.

    Args:
        candidate: the bot.
        folder: takes its log, and what else lies about; a temporary one.
        stop: ends the asking in good order when it is set.
        restarts: how often a bot that has ended by itself is started again for another game.
        ready: waited for before the first question, with the number of the bot's process: somebody attaches a
            debugger to it, so nothing is a matter of time.

    Raises:
        ArenaError: the bot cannot be started; the message shows its last words.
        Stopped: `stop` was set before it had said hello.
    """
    attached = ready is not None
    bot = msgspec.structs.replace(candidate.bot, fresh=False)
    logs = folder / "bots"
    logs.mkdir(parents=True, exist_ok=True)
    with private_socket(wanted=(bot.isolation or candidate.limits.isolation) is Isolation.BWRAP) as socket:
        settings = Settings("127.0.0.1:0", folder, socket=socket)
        if attached:
            # A process that a debugger holds answers no ping either.
            settings = replace(settings, keepalive_ms=FOR_EVER, ping_timeout_ms=FOR_EVER)
        referee = Referee(settings)
        referee.server += f" ({LABEL})"
        async with referee:
            keeper = Keeper(
                referee,
                bot,
                logs=logs,
                number=0,
                start_seconds=candidate.start_seconds,
                restarts=restarts,
                stop=stop,
                limits=candidate.limits,
            )
            try:
                before = _children()
                await keeper.first_start()
                pid = max(_children() - before, default=0)
                if ready is not None:
                    await _unless(stop, ready(pid))
                if stop.is_set():
                    raise Stopped
                yield Summoned(referee, keeper, pid, stop, attached=attached)
            except asyncio.CancelledError:
                keeper.kill()
                raise
            finally:
                await keeper.close()


async def _unless(stop: asyncio.Event, wait: Coroutine[Any, Any, None]) -> None:
    """Wait for something, but no longer than until `stop` is set."""
    waits = [asyncio.create_task(wait), asyncio.create_task(stop.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waits:
            task.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


def _children() -> set[int]:
    return {process.pid for process in psutil.Process().children()}
