"""The real server on loopback: hellos, limits, endings of streams, coming back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from referee.desk import SHORT, make_move
from referee.raw_bot import RawBot, open_house

from bluke.errors import ConfigError
from bluke.referee import Referee, Settings
from bluke.replay.verify import verify
from bluke.rules import BlukeLed, CutRule, Rules, Variant
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.hello import StreamLimits
from bluke.wire.values import FaultKind, GameLimits, Status

if TYPE_CHECKING:
    from pathlib import Path

EACH_KIND = [
    Rules(2),
    Rules(3),
    Rules(4),
    Rules(5),
    Rules(9),
    Rules(15),
    Rules(4, Variant.NEW_JERSEY),
    Rules(3, hands=(18,)),
    Rules(3, max_hand=4, last_hand=18),
    Rules(4, max_hand=5, cut=CutRule.PLAYER),
    Rules(4, hands=(7, 1, 7)),
    Rules(3, max_hand=6, bluke_led=BlukeLed.TRUMP),
]


@pytest.mark.parametrize("rules", EACH_KIND, ids=str)
async def test_play_a_game_of_each_kind(tmp_path: Path, rules: Rules):
    """Every kind of game is played to its end over the wire without a fault, and its replay verifies."""
    async with open_house(tmp_path) as house:
        finished = await house.play(rules, await house.players(rules.seats))
    assert finished.result.status is Status.COMPLETE
    assert finished.faults == ()
    verdict = verify(finished.replay)
    assert verdict.ok, str(verdict)


async def test_many_games_on_each_stream(tmp_path: Path):
    """Games are told apart by id, and turns of several games come in one message."""
    from bluke.referee import GameSpec, Match

    async with open_house(tmp_path) as house:
        bots = tuple(await house.players(3))
        match = Match("m", b"many", range(40))
        specs = [GameSpec(match, match.game_id(n), n, SHORT, GameLimits(), bots) for n in range(40)]
        async with asyncio.timeout(60):
            games = await asyncio.gather(*(house.referee.play(spec) for spec in specs))
        batches = [len(m.turns.turns) for raw in house.raw for m in raw.told if m.HasField("turns")]
    assert all(game.result.status is Status.COMPLETE and not game.faults for game in games)
    assert max(batches) > 1
    assert len({game.spec.game_id for game in games}) == 40


async def test_say_nothing_at_all(tmp_path: Path):
    """A stream without a hello is ended, and says so."""
    async with open_house(tmp_path, hello_seconds=0.05) as house:
        raw = RawBot(house.referee.address)
        assert await raw.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert "no hello within" in await raw.details()
        await raw.close()


async def test_speak_a_future_version(tmp_path: Path):
    """The refusal names both sides' versions and the cure."""
    async with open_house(tmp_path) as house:
        raw = RawBot(house.referee.address)
        answer = await raw.hello(house.referee.expect("x"), protocols=[7, 8])
        assert answer.refusal.reason == play_pb.REFUSAL_REASON_PROTOCOL
        assert "speaks 1" in answer.refusal.message
        assert "speaks 7, 8" in answer.refusal.message
        assert await raw.code() is grpc.StatusCode.OK
        await raw.close()


@pytest.mark.parametrize("token", ["", "wrong", "é" * 50])
async def test_a_wrong_token(tmp_path: Path, token: str):
    """Without the right token nobody is let in, and the refusal says where one comes from."""
    async with open_house(tmp_path) as house:
        raw = RawBot(house.referee.address)
        answer = await raw.hello(token)
        assert answer.refusal.reason == play_pb.REFUSAL_REASON_TOKEN
        assert "BLUKE_TOKEN" in answer.refusal.message
        await raw.close()


async def test_a_name_too_long(tmp_path: Path):
    """Labels that are too long are refused with the limit."""
    async with open_house(tmp_path) as house:
        raw = RawBot(house.referee.address)
        answer = await raw.hello(house.referee.expect("x"), name="n" * 65)
        assert answer.refusal.reason == play_pb.REFUSAL_REASON_HELLO
        assert "at most 64" in answer.refusal.message
        await raw.close()


async def test_identity_comes_from_the_token(tmp_path: Path):
    """A bot that was started is booked and shown under the name that it was started as, whatever it calls itself."""
    async with open_house(tmp_path) as house:
        raw, bot = await house.bot("booked", name="Ünïcode \u202e label")
        assert (raw.welcome.bot, raw.welcome.name) == ("booked", "booked")
        assert (bot.identity.name, bot.player.name) == ("booked", "booked")


async def test_garbage(tmp_path: Path):
    """Bytes that are no message end the stream with a status that says so, and nothing else."""
    async with open_house(tmp_path) as house:
        channel = grpc.aio.insecure_channel(house.referee.address)
        call: Any = channel.stream_stream("/bluke.v1.RefereeService/Play")()
        await call.write(b"\xff\xff\xff garbage")
        assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "not a PlayRequest" in (await call.details() or "")
        await channel.close()


async def test_garbage_right_behind_the_hello(tmp_path: Path):
    """The status of a stream that ends while its welcome is being written arrives."""
    async with open_house(tmp_path, open_door=True) as house:
        for _ in range(10):
            raw = RawBot(house.referee.address)
            await raw.say(hello=play_pb.Hello(name="raw", protocols=[1]))
            await raw.say(moves=play_pb.Moves(moves=[play_pb.Move(note="x" * 100_000)]))
            assert await raw.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            await raw.close()


async def test_a_message_over_the_limit(tmp_path: Path):
    """A message that is too long ends its stream; the others' games go on."""
    async with open_house(tmp_path) as house:
        bots = await house.players(3)
        raw, _ = await house.bot("loud")
        huge = play_pb.Move(note="x" * 100_000)
        await raw.say(moves=play_pb.Moves(moves=[huge]))
        assert await raw.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        finished = await house.play(SHORT, bots)
    assert finished.faults == ()


async def test_a_flood_of_moves(tmp_path: Path):
    """A flood ends the flooder's stream and costs the others nothing."""
    async with open_house(tmp_path, stream_limits=StreamLimits(max_unanswered=50)) as house:
        bots = await house.players(3)
        raw, _ = await house.bot("flood")
        await raw.say(moves=play_pb.Moves(moves=[play_pb.Move(game_id="none")] * 60))
        assert await raw.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "more than 50 moves" in await raw.details()
        finished = await house.play(SHORT, bots)
    assert finished.faults == ()


async def test_too_many_streams(tmp_path: Path):
    """One token has so many streams and no more."""
    async with open_house(tmp_path, stream_limits=StreamLimits(max_streams=2)) as house:
        raw, _ = await house.bot("many")
        # As long as it has said nothing, a second hello with its token is the same bot again.
        await raw.say(moves=play_pb.Moves(moves=[play_pb.Move(game_id="none")]))
        await raw.until("notice")
        again = RawBot(house.referee.address)
        assert (await again.hello(house.tokens[0])).HasField("welcome")
        third = RawBot(house.referee.address)
        answer = await third.hello(house.tokens[0])
        assert answer.refusal.reason == play_pb.REFUSAL_REASON_STREAMS
        await again.close()
        await third.close()


async def test_a_move_for_a_game_that_is_not_the_bots(tmp_path: Path):
    """It is told to the sender and touches no game; after the game is over it is stale."""
    async with open_house(tmp_path) as house:
        bots = await house.players(3)
        raw, _ = await house.bot("stranger")
        await raw.say(moves=play_pb.Moves(moves=[play_pb.Move(game_id="no such game", decision_id=1, bid=1)]))
        assert (await raw.until("notice")).notice.verdict == play_pb.VERDICT_MALFORMED
        finished = await house.play(SHORT, bots)
        assert finished.faults == ()
        first = house.raw[0]
        late = play_pb.Move(game_id=finished.spec.game_id, decision_id=1, bid=1)
        await first.say(moves=play_pb.Moves(moves=[late]))
        notice = (await first.heard("notice")).notice
        assert notice.verdict == play_pb.VERDICT_STALE


async def test_leave_with_a_goodbye(tmp_path: Path):
    """A goodbye is for good, without any grace: the seat is charged once and the game goes on at once."""
    async with open_house(tmp_path) as house:
        bots = await house.players(2)
        raw, leaver = await house.bot("leaver")
        game = asyncio.create_task(house.play(SHORT, [*bots, leaver]))
        await raw.until("turns")
        await raw.say(goodbye=play_pb.Goodbye(reason="enough"))
        finished = await game
    assert [(fault.seat, fault.kind) for fault in finished.faults] == [(2, FaultKind.DISCONNECTED)]
    assert "enough" in finished.faults[0].detail
    assert finished.result.played_out == (2,)
    assert verify(finished.replay).ok


async def test_come_back_in_time(tmp_path: Path):
    """With the resume key a bot takes back its seats; the open decision is asked again and nobody is charged."""
    async with open_house(tmp_path) as house:
        bots = await house.players(2)
        raw, back = await house.bot("back")
        game = asyncio.create_task(house.play(SHORT, [*bots, back]))
        asked = (await raw.until("turns")).turns.turns[0]
        raw.call.cancel()
        second = RawBot(house.referee.address)
        house.raw.append(second)
        answer = await second.hello(house.tokens[-1], resume_key=raw.welcome.resume_key)
        assert answer.welcome.resumed
        again = (await second.until("turns")).turns.turns[0]
        assert (again.decision_id, again.again, again.view) == (asked.decision_id, True, asked.view)
        await second.say(moves=play_pb.Moves(moves=[make_move(again)]))
        house.let_play(second)
        finished = await game
    assert finished.faults == ()
    assert finished.result.status is Status.COMPLETE


async def test_come_back_too_late(tmp_path: Path):
    """After the grace time the seat is charged once and played out, and the key is worth nothing."""
    async with open_house(tmp_path) as house:
        bots = await house.players(2)
        raw, late = await house.bot("late")
        game = asyncio.create_task(house.play(SHORT, [*bots, late], GameLimits(grace_ms=50)))
        await raw.until("turns")
        raw.call.cancel()
        finished = await game
        second = RawBot(house.referee.address)
        answer = await second.hello(house.tokens[-1], resume_key=raw.welcome.resume_key)
        assert answer.refusal.reason == play_pb.REFUSAL_REASON_RESUME
        await second.close()
    assert [(fault.seat, fault.kind) for fault in finished.faults] == [(2, FaultKind.DISCONNECTED)]
    assert finished.result.played_out == (2,)


async def test_a_second_stream_replaces_the_first(tmp_path: Path):
    """A live stream is ended when another resumes with its key, and the bot goes on on the new one."""
    async with open_house(tmp_path) as house:
        bots = await house.players(2)
        raw, twice = await house.bot("twice")
        second = RawBot(house.referee.address)
        house.raw.append(second)
        assert (await second.hello(house.tokens[-1], resume_key=raw.welcome.resume_key)).welcome.resumed
        assert await raw.code() is grpc.StatusCode.ABORTED
        house.let_play(second)
        finished = await house.play(SHORT, [*bots, twice])
    assert finished.faults == ()


async def test_a_key_of_somebody_else(tmp_path: Path):
    """A resume key is worth nothing with another bot's token."""
    async with open_house(tmp_path) as house:
        raw, _ = await house.bot("owner")
        await house.bot("thief")
        stream = RawBot(house.referee.address)
        answer = await stream.hello(house.tokens[-1], resume_key=raw.welcome.resume_key)
        assert answer.refusal.reason == play_pb.REFUSAL_REASON_RESUME
        await stream.close()


async def test_the_server_says_goodbye(tmp_path: Path):
    """When the referee closes, running games are void, every bot is told, and streams end cleanly."""
    async with open_house(tmp_path) as house:
        raw, silent = await house.bot("silent")
        bots = await house.players(2)
        game = asyncio.create_task(house.play(SHORT, [silent, *bots]))
        await raw.until("turns")
        closing = asyncio.create_task(house.referee.__aexit__())
        assert (await raw.until("game_over")).game_over.result.status == play_pb.GAME_STATUS_VOID
        await raw.until("goodbye")
        assert await raw.code() is grpc.StatusCode.OK
        await closing
        finished = await game
    assert finished.result.status is Status.VOID
    assert verify(finished.replay).ok


async def test_a_closing_referee_takes_no_new_bots(tmp_path: Path):
    """The refusal says so."""
    async with open_house(tmp_path) as house:
        house.referee.draining = True
        raw = RawBot(house.referee.address)
        answer = await raw.hello(house.referee.expect("x"))
        assert answer.refusal.reason == play_pb.REFUSAL_REASON_CLOSING
        await raw.close()


async def test_health_and_reflection(tmp_path: Path):
    """The usual tools find out that the server is ready and what it serves."""
    async with open_house(tmp_path) as house, grpc.aio.insecure_channel(house.referee.address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        for service in ("", "bluke.v1.RefereeService"):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=service))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        stub: Any = reflection_pb2_grpc.ServerReflectionStub
        reflection = stub(channel)
        call = reflection.ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        listed = await call.read()
        names = {service.name for service in listed.list_services_response.service}
        assert {"bluke.v1.RefereeService", "bluke.v1.ArenaService", "grpc.health.v1.Health"} <= names
        await call.done_writing()


async def test_a_port_in_use(tmp_path: Path):
    """A second referee on the port is a person's mistake, said at once, and not half of the bots lost."""
    async with open_house(tmp_path) as house:
        with pytest.raises(ConfigError, match="in use"):
            async with Referee(Settings(house.referee.address, tmp_path)):
                pass


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:7373", "example.org:7373"])
def test_listen_to_strangers(tmp_path: Path, address: str):
    """Off loopback a referee demands TLS and tokens unless told in so many words not to."""
    with pytest.raises(ConfigError, match=r"TLS .* and tokens"):
        Referee(Settings(address, tmp_path, open_door=True))
    Referee(Settings(address, tmp_path, open_door=True, insecure=True))


async def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A game that cannot be brought to disk does not count: its seats are told that it is void."""
    from bluke.errors import ArenaError
    from bluke.replay.writer import ReplayWriter

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    async with open_house(tmp_path) as house:
        bots = await house.players(3)
        monkeypatch.setattr(ReplayWriter, "finish", full)
        with pytest.raises(ArenaError, match="No space left"):
            await house.play(SHORT, bots)
        for raw in house.raw:
            over = (await raw.heard("game_over")).game_over
            assert over.result.status == play_pb.GAME_STATUS_VOID
            assert not over.HasField("game_seed")


async def test_seats_are_permuted(tmp_path: Path):
    """Results follow the seat, whatever the bots are called and in whichever order they came."""
    async with open_house(tmp_path) as house:
        bots = await house.players(3)
        one = await house.play(SHORT, bots)
    async with open_house(tmp_path / ".." / tmp_path.name) as house:
        bots = await house.players(3)
        other = await house.play(SHORT, bots[::-1])
    assert one.result.totals == other.result.totals
    assert [bot.identity.name for bot in other.spec.bots] == ["bot2", "bot1", "bot0"]


async def test_streams_are_limited_for_each_token(tmp_path: Path):
    """Several processes of one name, each with a token of its own, do not take each other's streams."""
    async with open_house(tmp_path, stream_limits=StreamLimits(max_streams=1)) as house:
        for _ in range(3):
            raw, bot = await house.bot("fresh")
            assert (raw.welcome.bot, bot.identity.name) == ("fresh", "fresh")
