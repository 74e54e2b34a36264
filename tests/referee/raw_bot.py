"""A bot on the real wire, without the SDK, that a test can hold by the hand."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
from referee.desk import make_move

from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.v1 import play_pb2 as play_pb
from bluke.v1 import play_pb2_grpc
from bluke.wire.values import GameLimits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from bluke.referee import Bot, Finished
    from bluke.rules import Rules

PATIENCE = 20.0


class RawBot:
    """One stream; `told` holds everything that came, `welcome` the first of it."""

    def __init__(self, address: str) -> None:
        self.channel = grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.call = play_pb2_grpc.RefereeServiceStub(self.channel).Play()
        self.told: list[play_pb.PlayResponse] = []
        self.welcome = play_pb.Welcome()
        self._news = asyncio.Event()

    async def say(self, **payload: object) -> None:
        await self.call.write(play_pb.PlayRequest(**payload))  # type: ignore[arg-type]

    async def hello(self, token: str = "", **fields: object) -> play_pb.PlayResponse:
        hello = {"token": token, "name": "raw", "protocols": [1], **fields}
        await self.say(hello=play_pb.Hello(**hello))  # type: ignore[arg-type]
        answer = await self.read()
        assert answer is not None
        if answer.HasField("welcome"):
            self.welcome = answer.welcome
        return answer

    async def read(self) -> play_pb.PlayResponse | None:
        """The next message; `None` at the end of the stream."""
        async with asyncio.timeout(PATIENCE):
            message = await self.call.read()
        if message is grpc.aio.EOF:
            return None
        self.told.append(message)
        self._news.set()
        return message

    async def heard(self, payload: str) -> play_pb.PlayResponse:
        """The first message of a kind, while somebody else reads on."""
        async with asyncio.timeout(PATIENCE):
            while not (found := [m for m in self.told if m.HasField(payload)]):
                self._news.clear()
                await self._news.wait()
        return found[0]

    async def until(self, payload: str) -> play_pb.PlayResponse:
        """Read on to the next message of a kind."""
        while True:
            message = await self.read()
            assert message is not None, f"the stream ended before a {payload}"
            if message.HasField(payload):
                return message

    async def code(self) -> grpc.StatusCode:
        """Read to the end and return the stream's status."""
        try:
            while await self.read() is not None:
                pass
        except grpc.RpcError:
            pass
        async with asyncio.timeout(PATIENCE):
            return await self.call.code()

    async def details(self) -> str:
        return await self.call.details() or ""

    async def play(self, choose: Callable[[play_pb.Turn], play_pb.Move | None] = make_move) -> None:
        """Answer every turn until the goodbye or the end of the stream."""
        while True:
            message = await self.read()
            if message is None or message.HasField("goodbye"):
                return
            if message.HasField("turns"):
                moves = [move for turn in message.turns.turns if (move := choose(turn)) is not None]
                if moves:
                    await self.say(moves=play_pb.Moves(moves=moves))

    async def close(self) -> None:
        self.call.cancel()
        await self.channel.close()


class House:
    """A real referee on loopback, with bots that were let in by token."""

    def __init__(self, referee: Referee) -> None:
        self.referee = referee
        self.raw: list[RawBot] = []
        self.tokens: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def bot(self, name: str, /, **hello: object) -> tuple[RawBot, Bot]:
        token = self.referee.expect(name)
        raw = RawBot(self.referee.address)
        self.raw.append(raw)
        self.tokens.append(token)
        answer = await raw.hello(token, **hello)
        assert answer.HasField("welcome")
        return raw, await self.referee.arrival(token)

    def let_play(self, raw: RawBot, choose: Callable[[play_pb.Turn], play_pb.Move | None] = make_move) -> None:
        self._tasks.append(asyncio.create_task(raw.play(choose)))

    async def players(self, count: int) -> list[Bot]:
        """Bots that play their first legal answer."""
        bots = []
        for number in range(count):
            raw, bot = await self.bot(f"bot{number}")
            self.let_play(raw)
            bots.append(bot)
        return bots

    async def play(
        self, rules: Rules, bots: list[Bot], limits: GameLimits | None = None, seed: bytes = b"s"
    ) -> Finished:
        match = Match("match-test", seed, [0])
        spec = GameSpec(match, match.game_id(0), 0, rules, limits or GameLimits(), tuple(bots))
        async with asyncio.timeout(60):
            return await self.referee.play(spec)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for raw in self.raw:
            await raw.close()


@asynccontextmanager
async def open_house(folder: Path, **settings: object) -> AsyncIterator[House]:
    """A referee for one test; everything is closed in the end."""
    async with Referee(Settings("127.0.0.1:0", folder, **settings)) as referee:  # type: ignore[arg-type]
        house = House(referee)
        try:
            yield house
        finally:
            await house.close()
