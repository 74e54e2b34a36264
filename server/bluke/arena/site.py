"""Where games are played: a referee, and the bots that are kept at hand for it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from bluke.arena.isolation import private_socket
from bluke.arena.keeper import Keeper, Stopped
from bluke.arena.record import GameRecord, game_record
from bluke.errors import ArenaError
from bluke.referee import GameSpec, Match, Referee, Settings

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable
    from types import TracebackType
    from typing import Self

    from bluke.arena.config import ArenaConfig
    from bluke.arena.folder import RunFolder
    from bluke.arena.schedule import Fixture

__all__ = ["LocalSite", "Played", "Site", "Until", "all_at_once"]


class Until:
    """What ends a run before its time.

    Attributes:
        stop: what is being played is given up.
        drain: what is being played is finished.
    """

    __slots__ = ("drain", "stop")

    def __init__(self, stop: asyncio.Event, drain: asyncio.Event | None = None) -> None:
        """Take two events over; without `drain` there is one that nobody sets."""
        self.stop = stop
        self.drain = drain or asyncio.Event()

    @property
    def over(self) -> bool:
        """Whether no more games begin."""
        return self.stop.is_set() or self.drain.is_set()


class Played(msgspec.Struct):
    """One game that was played, and why it is void if it is."""

    record: GameRecord
    reason: str


class Site(Protocol):
    """Something that plays games; all games of one board are played at the same one."""

    async def play(self, fixture: Fixture, attempt: int) -> Played:
        """Play one game of the schedule.

        Raises:
            ArenaError: it cannot be played or written.
            Stopped: no more games begin.
        """

    def give_up(self) -> None:
        """End what is being played as counting for nobody."""


class LocalSite:
    """A referee in this process.

    Use it as an async context manager, which starts the bots and ends them.

    Args:
        config: the rules, the clock, and the roster.
        folder: where the run is kept.
        match_id: names the match.
        seed: the match seed.
        deals: the deal of every game that is still to be played, here or elsewhere.
        until: what ends the run before its time.
        number: which of several sites of the run this is, from 0.
    """

    def __init__(
        self,
        config: ArenaConfig,
        folder: RunFolder,
        *,
        match_id: str,
        seed: bytes,
        deals: Iterable[int],
        until: Until,
        number: int = 0,
    ) -> None:
        """Prepare; nothing is started yet."""
        self._config = config
        self._folder = folder
        self._match = Match(match_id, seed, deals)
        self._until = until
        self._number = number
        self._keepers: list[Keeper] = []
        self._stack = AsyncExitStack()
        self._referee: Referee | None = None

    async def __aenter__(self) -> Self:
        """Listen, and start all bots.

        Raises:
            ArenaError: a bot cannot be started.
            Stopped: the run is being stopped.
        """
        config = self._config
        try:
            socket = self._stack.enter_context(private_socket(wanted=config.sandboxes))
            settings = Settings(
                "127.0.0.1:0",
                self._folder.replays,
                compress=config.compress,
                grace_seconds=config.faults.grace_ms / 1000,
                socket=socket,
            )
            self._referee = referee = await self._stack.enter_async_context(Referee(settings))
            for place, bot in enumerate(config.bots):
                keeper = Keeper(
                    referee,
                    bot,
                    logs=self._folder.logs,
                    number=place,
                    site=self._number,
                    limits=config.limits,
                    start_seconds=config.start_seconds,
                    restarts=config.faults.restarts,
                    stop=self._until.stop,
                )
                self._keepers.append(keeper)
            await all_at_once(keeper.first_start() for keeper in self._keepers)
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the bots and the referee; at once where this was cut off."""
        if isinstance(error, asyncio.CancelledError):
            for keeper in self._keepers:
                keeper.kill()
        try:
            await asyncio.gather(*(keeper.close() for keeper in self._keepers))
        finally:
            await self._stack.aclose()

    def give_up(self) -> None:
        """End what is being played as counting for nobody."""
        if self._referee is not None:
            self._referee.void_all("the run was stopped")

    async def play(self, fixture: Fixture, attempt: int) -> Played:
        """Play one game of the schedule; see `Site`."""
        if self._referee is None:
            msg = "the bots were not started"
            raise ArenaError(msg)
        async with AsyncExitStack() as stack:
            # In the order of the roster, so that no two games can wait for each other's bots.
            bots = {
                place: await stack.enter_async_context(self._keepers[place].at_table())
                for place in sorted(set(fixture.lineup))
            }
            if self._until.over:
                raise Stopped
            spec = GameSpec(
                match=self._match,
                game_id=self._match.game_id(fixture.number, attempt),
                deal=fixture.board,
                rules=self._config.game_rules,
                limits=self._config.game_limits,
                bots=tuple(bots[place] for place in fixture.lineup),
            )
            finished = await self._referee.play(spec)
            record = game_record(fixture, [bot.name for bot in self._config.bots], finished, self._folder.path)
            return Played(record, finished.result.reason)


async def all_at_once(starts: Iterable[Coroutine[Any, Any, object]]) -> None:
    """Start several things at once; the first failure is raised as itself, when the others have been stopped."""
    try:
        async with asyncio.TaskGroup() as group:
            for start in starts:
                group.create_task(start)
    except* (ArenaError, Stopped) as errors:
        raise min(errors.exceptions, key=lambda error: isinstance(error, Stopped)) from None
