"""A referee with three healthy bots that stay while bad ones come and go."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import psutil

from bluke.arena.config import BotConfig
from bluke.arena.keeper import Keeper
from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.referee.table import Table
from bluke.rules import Rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Sequence

    from bluke.referee import Bot, Finished
    from bluke.v1 import play_pb2 as play_pb
    from bluke.wire.values import GameLimits

__all__ = ["PATIENCE", "Household", "ImpatientTable", "Seen", "bad_bot", "left_over", "open_household", "until"]

ROOT = Path(__file__).parents[2]
SMALLEST = [sys.executable, str(ROOT / "docs" / "smallest_bot.py")]
BAD = str(ROOT / "tests" / "bots" / "bad_bot.py")
#: What ends a test that hangs; nothing is expected to come near it.
PATIENCE = 60.0
#: In the environment of every process of one keeper, and of its children.
MARK = "BLUKE_TEST_MARK"
HANDS = (4, 2, 1)


def bad_bot(name: str, behaviour: str, *flags: str, fresh: bool = False) -> BotConfig:
    return BotConfig(name=name, command=[sys.executable, BAD, behaviour, *flags], folder=str(ROOT), fresh=fresh)


class ImpatientTable(Table):
    """A table at which some bots have no bank: only they are short of time, whatever else the machine does."""

    hurried: ClassVar[set[Bot]] = set()

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        for seat in self.seats:
            if seat.bot in self.hurried:
                seat.clock.bank = 0.0


@dataclass
class Seen:
    """A finished game, and what was told of it.

    Attributes:
        finished: the game.
        told: everything that each seat's bot was told since the game began; it still grows.
        public: what everybody could see.
    """

    finished: Finished
    told: list[Told]
    public: list[play_pb.Event]

    def payloads(self, seat: int, payload: str) -> list[Any]:
        """What a seat's bot was told of one kind: about this game and seat, where that is said."""
        found = []
        for message in self.told[seat].since():
            if message.HasField(payload):  # type: ignore[arg-type]
                inner = getattr(message, payload)
                game, number = getattr(inner, "game_id", None), getattr(inner, "seat", seat)
                if number == seat and (payload == "notice" or game == self.finished.spec.game_id):
                    found.append(inner)
        return found


@dataclass
class Told:
    """What a bot was told from some moment on."""

    messages: list[play_pb.PlayResponse]
    start: int

    def since(self) -> list[play_pb.PlayResponse]:
        return self.messages[self.start :]


@dataclass
class Household:
    """A running referee, and the keepers of its healthy bots."""

    referee: Referee
    folder: Path
    healthy: list[Keeper] = field(default_factory=list)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    keepers: int = 0
    heard: dict[Bot, list[play_pb.PlayResponse]] = field(default_factory=dict)

    def keeper(self, bot: BotConfig, *, start_seconds: float = PATIENCE, restarts: int = 9) -> Keeper:
        self.keepers += 1
        return Keeper(
            self.referee,
            bot,
            logs=self.folder,
            number=self.keepers,
            start_seconds=start_seconds,
            restarts=restarts,
            stop=self.stop,
        )

    async def play(
        self,
        bots: Sequence[Bot],
        limits: GameLimits,
        *,
        seed: bytes = b"s",
        number: int | None = None,
        at_event: Callable[[play_pb.Event], None] = lambda _: None,
    ) -> Seen:
        """Play one game and note all that is told; `at_event` is called with each public event as it happens.

        Bots that play by chance take it from the game's id, which follows from the seed and `number`: a new one if
        that is left out.
        """
        match = Match(f"match-{secrets.token_hex(6)}", seed, [0])
        game_id = match.game_id(len(self.referee.over) + 1000 if number is None else number)
        spec = GameSpec(match, game_id, 0, Rules(len(bots), hands=HANDS), limits, tuple(bots))
        told = [self._listen(bot) for bot in bots]
        public: list[play_pb.Event] = []

        def watch(events: Sequence[play_pb.Event]) -> None:
            public.extend(events)
            for event in events:
                at_event(event)

        async with asyncio.timeout(PATIENCE):
            playing = asyncio.create_task(self.referee.play(spec))
            await asyncio.sleep(0)
            if spec.game_id in self.referee.tables:
                table = self.referee.tables[spec.game_id]
                watch(table.public_history())
                table.watchers.append(watch)
            finished = await playing
        return Seen(finished, told, public)

    def _listen(self, bot: Bot) -> Told:
        """Note all that a bot is told from now on."""
        if bot not in self.heard:
            messages: list[play_pb.PlayResponse] = []
            tell = bot.tell

            def listening(message: play_pb.PlayResponse) -> None:
                messages.append(message)
                tell(message)

            bot.tell = listening  # type: ignore[method-assign]
            self.heard[bot] = messages
        return Told(self.heard[bot], len(self.heard[bot]))


@asynccontextmanager
async def open_household(folder: Path, healthy: int = 3, **settings: object) -> AsyncIterator[Household]:
    """A referee and its healthy bots; everything is ended in the end."""
    async with Referee(Settings("127.0.0.1:0", folder, **settings)) as referee:  # type: ignore[arg-type]
        house = Household(referee, folder)
        house.healthy = [
            house.keeper(BotConfig(name=f"healthy{number}", command=SMALLEST, folder=str(ROOT)))
            for number in range(healthy)
        ]
        try:
            await asyncio.gather(*(keeper.first_start() for keeper in house.healthy))
            yield house
        finally:
            await asyncio.gather(*(keeper.close() for keeper in house.healthy))


async def until(true: Callable[[], object], what: str) -> None:
    """Wait until something is so that sends nobody an event."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not true():  # noqa: ASYNC110 - see above
                await asyncio.sleep(0.005)
    except TimeoutError:
        raise AssertionError(f"in vain waited for: {what}") from None


def left_over(mark: str, pids: Collection[int] = ()) -> list[str]:
    """The processes that run with a mark in their environment, or in the session or group of one that did."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, ProcessLookupError):
            theirs = {process.pid, os.getsid(process.pid), os.getpgid(process.pid)}
            marked = process.pid != os.getpid() and (process.environ().get(MARK) == mark or not theirs.isdisjoint(pids))
            if marked and process.status() != psutil.STATUS_ZOMBIE:
                found.append(f"{process.pid}: {' '.join(process.cmdline())}")
    return found
