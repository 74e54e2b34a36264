"""A worker: a process of its own that plays games of a run, as it is told to.

    python -m bluke.arena.worker

It is started by `bluke.arena.crew`, reads what to do from its input and answers on its output, a line of JSON for each
message. The end of its input is the end of its work, whatever it is at: so it ends, and its bots with it, when the
process that started it is gone.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import IO

import msgspec

from bluke.arena.config import ArenaConfig
from bluke.arena.folder import RunFolder
from bluke.arena.keeper import Stopped
from bluke.arena.log import log_to
from bluke.arena.loop import run
from bluke.arena.schedule import Fixture
from bluke.arena.site import LocalSite, Played, Until
from bluke.errors import ArenaError

__all__ = ["LONGEST", "Answer", "End", "Order", "Play", "Setup"]

#: The longest message, in bytes: a record of a game is some kilobytes.
LONGEST = 1 << 26


class Setup(msgspec.Struct, tag=True):
    """What a worker is told first; see `LocalSite`."""

    config: ArenaConfig
    folder: str
    match_id: str
    seed_hex: str
    deals: list[int]
    number: int


class Play(msgspec.Struct, tag=True):
    """A game is to be played."""

    fixture: Fixture
    attempt: int


class End(msgspec.Struct, tag=True):
    """No more games begin; what is being played is given up, or finished (`drain`)."""

    drain: bool


class Answer(msgspec.Struct, omit_defaults=True):
    """What became of a game, or, with no number, of the start; no more than one of the last three says something.

    Attributes:
        game: the number of the game in the schedule.
        played: the game, if it was played.
        stopped: whether no more games begin.
        trouble: why it could not be played.
    """

    game: int | None = None
    played: Played | None = None
    stopped: bool = False
    trouble: str = ""


Order = Setup | Play | End


class Worker:
    """Acts on orders until there are no more."""

    def __init__(self, orders: asyncio.StreamReader, answers: IO[bytes]) -> None:
        """Take over where orders come from and where answers go."""
        self._orders = orders
        self._answers = answers
        self._decoder = msgspec.json.Decoder(Order)
        self._until = Until(asyncio.Event())
        self._site: LocalSite
        self._tasks: set[asyncio.Task[None]] = set()

    async def work(self) -> None:
        """Play what is ordered until the input ends."""
        setup = await self._order()
        if not isinstance(setup, Setup):
            return
        folder = RunFolder(Path(setup.folder))
        with log_to(folder.referee_log):
            self._site = LocalSite(
                setup.config,
                folder,
                match_id=setup.match_id,
                seed=bytes.fromhex(setup.seed_hex),
                deals=setup.deals,
                until=self._until,
                number=setup.number,
            )
            # Orders are read while the bots start: an end is one of them.
            reading = asyncio.create_task(self._obey())
            opening = asyncio.create_task(self._open())
            await asyncio.wait([reading, opening], return_when=asyncio.FIRST_COMPLETED)
            if not opening.done():
                opening.cancel()
            await asyncio.wait([opening])
            opened = not opening.cancelled() and opening.result()
            try:
                await reading
            finally:
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)
                if opened:
                    await self._site.__aexit__(None, None, None)

    async def _open(self) -> bool:
        try:
            await self._site.__aenter__()
        except Stopped:
            self._say(Answer(stopped=True))
        except ArenaError as error:
            self._say(Answer(trouble=str(error)))
        else:
            self._say(Answer())
            return True
        return False

    async def _order(self) -> Order | None:
        line = await self._orders.readline()
        return self._decoder.decode(line) if line.endswith(b"\n") else None

    async def _obey(self) -> None:
        while (order := await self._order()) is not None:
            match order:
                case Play():
                    task = asyncio.create_task(self._play(order))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
                case End(drain=True):
                    self._until.drain.set()
                case End():
                    self._until.stop.set()
                    self._site.give_up()

    async def _play(self, order: Play) -> None:
        game = order.fixture.number
        try:
            answer = Answer(game, await self._site.play(order.fixture, order.attempt))
        except Stopped:
            answer = Answer(game, stopped=True)
        except ArenaError as error:
            answer = Answer(game, trouble=str(error))
        self._say(answer)

    def _say(self, answer: Answer) -> None:
        self._answers.write(msgspec.json.encode(answer) + b"\n")
        self._answers.flush()


async def _main(answers: IO[bytes]) -> None:
    reader = asyncio.StreamReader(limit=LONGEST)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await Worker(reader, answers).work()


def main() -> None:
    """Work; what anything else prints goes to stderr."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    run(_main(answers))


if __name__ == "__main__":
    main()
