"""What fuzzing has found, each as a fact of its own."""

from __future__ import annotations

import asyncio
import logging
import warnings
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from fuzz.play import folder
from fuzz.sdk import WELCOME, Call, Careless, Slow
from referee.desk import SHORT, Desk
from referee.raw_bot import PATIENCE, open_house
from sdk.fake_referee import bid_turn, play_turn

import bluke_sdk
from bluke.arena.config import load_config, read_config
from bluke.arena.record import read_record
from bluke.errors import ArenaError, ConfigError
from bluke.replay.verify import verify
from bluke.v1 import game_pb2 as game_pb
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.hello import StreamLimits, hello_problem
from bluke.wire.values import FaultKind, GameLimits
from bluke_sdk._client import Client, Settings
from bluke_sdk._wire import SeatCache, read_view

if TYPE_CHECKING:
    from pathlib import Path


def test_malformed_moves_of_a_seat_that_is_played_out():
    """They are answered and charged no more, so that a bot cannot fill the replay with faults."""
    with folder() as path:
        desk = Desk(path, limits=GameLimits(max_faults=2), shared=(0, 1, 1)).start()
        bot = next(bot for bot in desk.bots if bot is not desk.bots[desk.table.game.seat])
        for _ in range(20):
            desk.move(bot, play_pb.Move())
        number = desk.bots.index(bot)
        assert len(desk.told(number, "notice")) == 20
        assert len(desk.table.faults) == 2
        desk.play_on()
        assert verify(desk.close().replay).ok


async def test_a_flood_of_errors(tmp_path: Path):
    """Errors that name no open decision end the stream as moves do that answer none: they would fill the log."""
    async with open_house(tmp_path, stream_limits=StreamLimits(max_unanswered=50)) as house:
        raw, _ = await house.bot("flood")
        for _ in range(51):
            await raw.say(error=play_pb.BotError(detail="x" * 10_000))
        assert await raw.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "more than 50 moves or errors" in await raw.details()


async def test_a_long_goodbye(tmp_path: Path):
    """What a bot says when it leaves is cut like a note, since it goes into the replay of every game that it is in."""
    async with open_house(tmp_path) as house:
        bots = await house.players(2)
        raw, leaver = await house.bot("leaver")
        game = asyncio.create_task(house.play(SHORT, [*bots, leaver]))
        await raw.until("turns")
        await raw.say(goodbye=play_pb.Goodbye(reason="é" * 20_000))
        finished = await game
    assert [fault.kind for fault in finished.faults] == [FaultKind.DISCONNECTED]
    assert 1000 < len(finished.faults[0].detail.encode()) < 1100


def test_a_hello_of_very_many_versions():
    """The refusal names some of them, and is no longer for it."""
    refusal = hello_problem(play_pb.Hello(protocols=[7] * 60_000), StreamLimits(), "referee 1")
    assert refusal is not None
    assert "7, 7 and more" in refusal.message
    assert len(refusal.SerializeToString()) < 500


BOT = '[[bots]]\nname = "a"\ncommand = "true"\n'


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (f"a = {'[' * 10_000}", "not TOML: it is nested too deeply"),
        (f"a = {'1' * 5_000}", "not TOML: .*4300 digits"),
        (f"seats = 0x{'F' * 5_000}\n{BOT}", "seats: Expected `int` <= 2147483647"),
        (f"{BOT}[rules]\nhands = [0x{'F' * 5_000}]", r"rules\.hands\[0\]: Expected `int` <= 2147483647"),
        (f'{BOT}folder = "{"x" * 300}"', "File name too long"),
    ],
    ids=["nested", "digits", "seats", "hands", "folder"],
)
def test_an_absurd_configuration(tmp_path: Path, text: str, match: str):
    """It is refused as any other that is wrong."""
    path = tmp_path / "arena.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=match):
        read_config(path)


def test_an_absurd_command(tmp_path: Path):
    """A program whose name is too long for any file is refused."""
    with pytest.raises(ConfigError, match="is not there or cannot be run"):
        load_config({"bots": [{"name": "a", "command": "./" + "x" * 300}]}, where="x", folder=tmp_path)


def test_a_nested_record(tmp_path: Path):
    """A line of nothing but brackets is refused with its number."""
    path = tmp_path / "results.jsonl"
    path.write_bytes(b'{"type":"run","x":' + b"[" * 100_000 + b"\n")
    with pytest.raises(ArenaError, match="line 1: "):
        read_record(path)


# The SDK


async def converse(bot: type[bluke_sdk.Bot], *said: play_pb.PlayResponse | None) -> tuple[Call, Client]:
    call: Any = Call([WELCOME, *said], grpc.StatusCode.OK)
    client = Client(bot, Settings(server="localhost:1"))
    await client._converse(call)
    return call, client


DRAWN = [game_pb.DrawRound(cards=[game_pb.DrawnCard(card=99)])]
PLAYED = play_pb.Event(game_id="g", card_played=play_pb.CardPlayed(card=54))
UNKNOWN_CARDS = [
    play_pb.PlayResponse(game_started=play_pb.GameStarted(game_id="g", draw=DRAWN)),
    play_pb.PlayResponse(events=play_pb.Events(events=[PLAYED])),
]


@pytest.mark.parametrize("message", UNKNOWN_CARDS, ids=["game_started", "events"])
async def test_a_card_that_the_sdk_does_not_know(message: play_pb.PlayResponse, caplog: pytest.LogCaptureFixture):
    """What is told of it is skipped with one warning, and the bot plays on."""

    class Listening(Careless):
        def event(self, event):
            raise NotImplementedError

        game_started = event

    with caplog.at_level(logging.WARNING):
        turns = play_pb.PlayResponse(turns=play_pb.Turns(turns=[bid_turn(decision=7)]))
        call, _ = await converse(Listening, message, message, turns)
    assert [record.message for record in caplog.records].count(caplog.records[0].message) == 1
    assert "was skipped: the referee names a card that this SDK does not know" in caplog.text
    assert [move.decision_id for request in call.heard for move in request.moves.moves] == [7]


def test_a_table_of_very_many_seats():
    """A bot that asks who plays after it is not told of four thousand million seats."""
    turn = play_turn()
    turn.view.rules.seats = 2**32 - 1
    shown = read_view(bluke_sdk.PlayView, turn, SeatCache(turn.view.rules))
    assert isinstance(shown, bluke_sdk.PlayView)
    assert len(shown.seats_after) < 54


async def test_bytes_that_are_no_message():
    """A referee that sends garbage is no referee: the bot ends with a sentence, and waits for nothing."""

    async def play(_: object, context: Any) -> None:
        await context.read()
        await context.write(WELCOME.SerializeToString())
        await context.write(b"\xff\xff\xff")
        await context.read()

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    handlers: dict[str, Any] = {"Play": grpc.stream_stream_rpc_method_handler(play)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bluke.v1.RefereeService", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(bluke_sdk.SdkError, match=r"sent bytes that are no message of bluke\.v1"):
                await bluke_sdk.play(Careless, server=f"127.0.0.1:{port}")
    finally:
        await server.stop(0)


async def test_a_decision_that_is_never_begun():
    """A bot that is ended before it began to think leaves no warning of a coroutine that nobody awaited."""
    client = Client(Slow, Settings(server="localhost:1"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        client._turn(bid_turn())
        for task in list(client._tasks):
            task.cancel()
        await asyncio.gather(*client._tasks, return_exceptions=True)
        await asyncio.sleep(0)
    assert client._tasks == set()
