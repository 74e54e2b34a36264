"""Looking on and starting matches over gRPC, at an open house with real streams."""

from __future__ import annotations

import asyncio
import io
import json
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from referee.desk import make_move
from referee.raw_bot import PATIENCE, RawBot

from bluke.arena.house import OpenHouse
from bluke.arena.record import read_record
from bluke.arena.run import RunFolder
from bluke.arena.terminal import TextConsole
from bluke.referee import Settings
from bluke.referee.tokens import TokenFile
from bluke.replay.verify import verify
from bluke.rules import Rules
from bluke.v1 import arena_pb2 as arena_pb
from bluke.v1 import arena_pb2_grpc
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import GameLimits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

RULES = Rules(2, hands=(2, 1))


class Output(io.StringIO):
    """What the house prints; a test can wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self._written = asyncio.Event()

    def write(self, text: str) -> int:
        self._written.set()
        return super().write(text)

    async def until(self, fact: Callable[[str], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not fact(self.getvalue()):
                self._written.clear()
                await self._written.wait()


class Served:
    """A `bluke serve` within the test, and a client of it."""

    def __init__(self, folder: RunFolder, address: str, stop: asyncio.Event, out: Output) -> None:
        self.folder, self.address, self.stop, self.out = folder, address, stop, out
        self.stack = AsyncExitStack()
        self.channel = grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.stub = arena_pb2_grpc.ArenaServiceStub(self.channel)
        self.gates: dict[RawBot, asyncio.Event] = {}

    async def join(self, name: str, token: str = "", *, held: bool = False) -> RawBot:
        """Let a bot join that plays its first legal answers; a held one begins when its gate is opened."""
        raw = RawBot(self.address)
        self.stack.push_async_callback(raw.close)
        answer = await raw.hello(token, name=name)
        assert answer.HasField("welcome"), answer
        gate = self.gates[raw] = asyncio.Event()
        if not held:
            gate.set()
        task = asyncio.create_task(self._play(raw, gate))
        self.stack.callback(task.cancel)
        return raw

    @staticmethod
    async def _play(raw: RawBot, gate: asyncio.Event) -> None:
        await gate.wait()
        await raw.play(make_move)

    async def games(self, count: int) -> list[arena_pb.GameSummary]:
        """The games that are known, once so many are over."""
        async with asyncio.timeout(PATIENCE):
            while True:
                games = list((await self.stub.ListGames(arena_pb.ListGamesRequest())).games)
                if sum(game.result.status != play_pb.GAME_STATUS_RUNNING for game in games) >= count:
                    return games


@asynccontextmanager
async def served(tmp_path: Path, *, games: int | None = None, tokens: TokenFile | None = None) -> AsyncIterator[Served]:
    folder = RunFolder(tmp_path / "run")
    folder.make()
    out = Output()
    stop = asyncio.Event()
    settings = Settings("127.0.0.1:0", folder.replays, tokens=tokens, open_door=tokens is None)
    house = OpenHouse(TextConsole(file=out), folder)
    serving = asyncio.create_task(
        house.run(
            settings, rules=RULES, limits=GameLimits(), seed=b"seed", games=games, stop=stop, drain=asyncio.Event()
        )
    )
    await out.until(lambda text: "BLUKE_SERVER=" in text)
    client = Served(folder, out.getvalue().partition("BLUKE_SERVER=")[2].split()[0], stop, out)
    try:
        yield client
    finally:
        stop.set()
        await serving
        await client.stack.aclose()
        await client.channel.close()


async def error_of(call: Any) -> tuple[grpc.StatusCode, str]:
    """The status with which a call fails."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await (drain(call) if hasattr(call, "__aiter__") else call)
    return caught.value.code(), caught.value.details() or ""


async def drain(call: AsyncIterator[object]) -> None:
    async for _ in call:
        pass


async def test_an_empty_house(tmp_path: Path):
    """Before anybody is there the lists are empty."""
    async with served(tmp_path) as house:
        assert await house.stub.ListBots(arena_pb.ListBotsRequest()) == arena_pb.ListBotsResponse()
        assert await house.stub.ListGames(arena_pb.ListGamesRequest()) == arena_pb.ListGamesResponse()
        assert await house.stub.GetStandings(arena_pb.GetStandingsRequest()) == arena_pb.GetStandingsResponse()


async def test_list_bots(tmp_path: Path):
    """Bots are listed by identity; guests of one name are told apart, and their label is as they said it."""
    async with served(tmp_path) as house:
        await house.join("ann", held=True)
        await house.join("ann", held=True)
        bots = (await house.stub.ListBots(arena_pb.ListBotsRequest())).bots
    assert [(bot.bot, bot.player.name) for bot in bots] == [("ann", "ann"), ("ann#2", "ann")]


async def test_list_games_and_standings(tmp_path: Path):
    """Finished games are listed with their results, and the standings are those of the record."""
    async with served(tmp_path, games=4) as house:
        await house.join("ann")
        await house.join("bob")
        games = await house.games(2)
        standings = (await house.stub.GetStandings(arena_pb.GetStandingsRequest())).standings
    for game in games[:2]:
        assert [player.name for player in game.players] in (["ann", "bob"], ["bob", "ann"])
        assert game.result.status == play_pb.GAME_STATUS_COMPLETE
        assert (len(game.result.totals), game.hands) == (2, 2)
    assert {row.bot for row in standings} == {"ann", "bob"}
    assert all(row.games >= 1 and row.faults == 0 for row in standings)


async def test_watch_a_game(tmp_path: Path):
    """A watcher is told all that everybody may see, from the beginning to the result, and no hidden card."""
    async with served(tmp_path, games=1) as house:
        await house.join("ann", held=True)
        await house.join("bob", held=True)
        (game,) = await running(house)
        events: list[play_pb.Event] = []
        async for message in house.stub.WatchGame(arena_pb.WatchGameRequest(game_id=game.game_id)):
            if not events:
                # The house is full, and nobody has made a move.
                assert [event.WhichOneof("event") for event in message.events] == ["game_opened", "hand_dealt"]
                for gate in house.gates.values():
                    gate.set()
            events += message.events
    assert events[-1].game_result.status == play_pb.GAME_STATUS_COMPLETE
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds == [
        "game_opened",
        "hand_dealt", *["bid_made"] * 2, *[*["card_played"] * 2, "trick_taken"] * 2, "hand_result",
        "hand_dealt", *["bid_made"] * 2, *["card_played"] * 2, "trick_taken", "hand_result",
        "game_result",
    ]  # fmt: skip
    for event in events:
        if event.HasField("hand_dealt"):
            told = {field.name for field, _ in event.hand_dealt.ListFields()}
            assert told <= {"hand", "size", "dealer", "cut", "turned", "trump"}
    replay = (house.folder.path / read_record(house.folder.record)[1][0].replay).read_text()
    seed = bytes.fromhex(json.loads(replay.splitlines()[-1])["game_seed"])
    assert seed not in b"".join(event.SerializeToString() for event in events)


async def running(house: Served) -> list[arena_pb.GameSummary]:
    async with asyncio.timeout(PATIENCE):
        while True:
            games = (await house.stub.ListGames(arena_pb.ListGamesRequest())).games
            if games:
                return list(games)


async def test_watch_what_is_not_played(tmp_path: Path):
    """There is nothing to watch where no game is."""
    async with served(tmp_path) as house:
        code, text = await error_of(house.stub.WatchGame(arena_pb.WatchGameRequest(game_id="none")))
    assert code is grpc.StatusCode.NOT_FOUND
    assert "no game 'none' is being played; a finished one's replay can be fetched" in text


async def test_fetch_a_replay(tmp_path: Path):
    """A finished game's replay is the file, byte for byte, once no game on its deal is left to be played."""
    async with served(tmp_path, games=3) as house:
        await house.join("ann")
        await house.join("bob")
        await house.out.until(lambda text: text.count("\ngame ") >= 2)
        games = read_record(house.folder.record)[1]
        boards = [game.board for game in games]
        whole = [game for game in games if boards.count(game.board) == 2]
        for game in whole:
            data = b""
            async for part in house.stub.FetchReplay(arena_pb.FetchReplayRequest(game_id=game.game)):
                data += part.chunk
            path = house.folder.path / game.replay
            assert data == path.read_bytes()
            assert verify(path).ok
        code, text = await error_of(house.stub.FetchReplay(arena_pb.FetchReplayRequest(game_id="none")))
    assert code is grpc.StatusCode.NOT_FOUND
    assert "no finished game 'none'" in text


async def test_no_replay_while_the_deal_is_secret(tmp_path: Path):
    """The first rotation of a board is not handed out while another is being played."""
    async with served(tmp_path, games=2) as house:
        ann = await house.join("ann", held=True)
        bob = await house.join("bob", held=True)
        first = (await running(house))[0].game_id
        turns = {first: asyncio.Event()}

        async def only_the_first(raw: RawBot) -> None:
            while True:
                message = await raw.read()
                if message is None:
                    return
                moves = [make_move(turn) for turn in message.turns.turns if turn.game_id == first]
                if moves:
                    await raw.say(moves=play_pb.Moves(moves=moves))
                if message.HasField("game_over"):
                    turns[first].set()
                    return

        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(only_the_first(ann), only_the_first(bob))
        code, text = await error_of(house.stub.FetchReplay(arena_pb.FetchReplayRequest(game_id=first)))
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "another game on the same deal is still to be played" in text


async def test_start_a_match(tmp_path: Path):
    """A match of named bots is played before the games of whoever comes, with boards of its own in the record."""
    async with served(tmp_path, games=2) as house:
        await house.join("ann", held=True)
        await house.join("bob", held=True)
        answer = await house.stub.StartMatch(arena_pb.StartMatchRequest(bots=["bob", "ann"], boards=2))
        assert answer.games == 4
        for gate in house.gates.values():
            gate.set()
        await house.out.until(lambda text: "points" in text)
    run, games, end = read_record(house.folder.record)
    assert end is not None
    assert end.status == "complete"
    assert sorted(game.match for game in games).count(answer.match_id) == 4
    assert sorted(game.match for game in games).count(run.match) == 2
    assert len({game.game for game in games}) == 6
    assert "Left out" not in house.out.getvalue()


async def test_refuse_a_match(tmp_path: Path):
    """A match that cannot be played is refused with the reason."""
    async with served(tmp_path) as house:
        await house.join("ann", held=True)
        for bots, boards, why in (
            (["ann"], 1, "1 bots for a table of 2: name one for each seat"),
            (["ann", "eve"], 1, "not connected: eve; ListBots tells who is"),
            (["ann", "ann"], 0, "0 boards: ask for 1 to 1000000"),
        ):
            code, text = await error_of(house.stub.StartMatch(arena_pb.StartMatchRequest(bots=bots, boards=boards)))
            assert code is grpc.StatusCode.INVALID_ARGUMENT
            assert why in text


async def test_tokens_are_demanded(tmp_path: Path):
    """With tokens nobody looks on without one, only an operator starts matches, and revoking works at once."""
    tokens = TokenFile(tmp_path / "tokens.json")
    ann, boss = tokens.add("ann"), tokens.add("boss", operator=True)
    match = arena_pb.StartMatchRequest(bots=["x", "y"], boards=1)

    def shown(token: str) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {token}"),)

    async with served(tmp_path, tokens=tokens) as house:
        ask = house.stub.ListBots
        assert (await error_of(ask(arena_pb.ListBotsRequest())))[0] is grpc.StatusCode.UNAUTHENTICATED
        wrong = ask(arena_pb.ListBotsRequest(), metadata=shown("wrong"))
        assert (await error_of(wrong))[0] is grpc.StatusCode.UNAUTHENTICATED
        await ask(arena_pb.ListBotsRequest(), metadata=shown(ann))
        code, text = await error_of(house.stub.StartMatch(match, metadata=shown(ann)))
        assert code is grpc.StatusCode.PERMISSION_DENIED
        assert "bluke token add NAME --operator" in text
        code, _ = await error_of(house.stub.StartMatch(match, metadata=shown(boss)))
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        tokens.revoke("ann")
        assert (await error_of(ask(arena_pb.ListBotsRequest(), metadata=shown(ann))))[0] is (
            grpc.StatusCode.UNAUTHENTICATED
        )
        raw = RawBot(house.address)
        house.stack.push_async_callback(raw.close)
        assert (await raw.hello(ann)).refusal.reason == play_pb.REFUSAL_REASON_TOKEN
