"""What the bad bots have taught the referee, without their processes."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from faults.house import until
from referee.desk import Desk, make_move
from referee.raw_bot import RawBot, open_house

from bluke.referee.bot import Gone, Outbox
from bluke.referee.stream import Stream
from bluke.replay.verify import verify
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import FaultKind, GameLimits, Policy

if TYPE_CHECKING:
    from pathlib import Path

HAIR = 1e-4


@pytest.mark.parametrize("policy", Policy, ids=lambda policy: policy.value)
def test_meddle_while_the_end_is_settled(tmp_path: Path, policy: Policy):
    """A game that is over and not told yet cannot be changed any more: what is said then is stale, whatever it is."""
    desk = Desk(tmp_path, limits=GameLimits(policy)).start()
    first = desk.turn
    meddler = desk.bots[(first.seat + 1) % 3]
    desk.play_on()
    assert not desk.move(meddler, make_move(first))
    assert not desk.move(meddler, play_pb.Move(game_id=first.game_id, decision_id=9999))
    assert len(desk.over) == 1
    seat = desk.bots.index(meddler)
    assert [notice.verdict for notice in desk.told(seat, "notice")] == [play_pb.VERDICT_STALE] * 2
    finished = desk.close()
    assert finished.result.faults == (0, 0, 0)
    assert verify(finished.replay).ok


def test_answer_a_hair_before_and_after_the_deadline(tmp_path: Path):
    """A tenth of a millisecond decides, and the moment of the deadline itself is too late."""
    for early, late in ((HAIR, 0), (0, 1), (-HAIR, 1)):
        folder = tmp_path / str(early)
        folder.mkdir()
        desk = Desk(folder, limits=GameLimits(decision_ms=1000, bank_ms=0)).start()
        turn = desk.turn
        # Not `pass_time`: the answer is read before the timer rings.
        desk.clock.now += 1.0 - early
        desk.clock._tick_on_time()
        desk.answer(2, turn=turn)
        kinds = [fault.kind for fault in desk.table.faults]
        assert kinds == [FaultKind.TIMEOUT] * late
        assert desk.turn.view.bids[turn.seat] == (1 if late else 2)
        assert desk.table.replay is not None
        desk.table.replay.abandon()


def over(game: str) -> play_pb.PlayResponse:
    return play_pb.PlayResponse(game_over=play_pb.GameOver(game_id=game))


def taken(outbox: Outbox) -> list[Any]:
    return [getattr(message, message.WhichOneof("payload") or "") for message in iter(outbox.take, None)]


class NeverAsked:
    """A table whose question is not to be handed over."""

    def hand_over(self, *_: object) -> bool:
        raise AssertionError


def test_results_are_told_again():
    """What was told shortly before a stream broke goes first on the next one; turns, which are asked anew, do not."""
    now = 100.0
    outbox = Outbox(lambda: now)
    outbox.put(over("long ago"))
    assert len(taken(outbox)) == 1
    now = 110.0
    outbox.put(over("lately"))
    outbox.put(play_pb.PlayResponse(hand_scored=play_pb.HandScored(game_id="other")))
    outbox.put(play_pb.PlayResponse(seed_revealed=play_pb.SeedRevealed(game_id="lately")))
    assert len(taken(outbox)) == 3
    now = 112.0
    outbox.put(over("waiting"))
    outbox.ask(NeverAsked(), 1)  # type: ignore[arg-type]
    outbox.broken(5.0)
    assert [message.game_id for message in taken(outbox)] == ["lately", "lately", "waiting"]
    # It may break again.
    outbox.broken(5.0)
    assert [message.game_id for message in taken(outbox)] == ["lately", "lately", "waiting"]


def test_a_result_that_could_not_be_written():
    """It is told once on the next stream."""
    outbox = Outbox()
    outbox.put(over("g"))
    message = outbox.take()
    assert message is not None
    outbox.put_back(message)
    outbox.broken(5.0)
    assert [message.game_id for message in taken(outbox)] == ["g"]


async def test_further_streams_of_a_process_end_with_it(tmp_path: Path):
    """A process that has ended leaves no bot behind, so that its successor finds room for its streams."""
    async with open_house(tmp_path) as house:
        raw, _ = await house.bot("many")
        await speak(raw)
        more = [RawBot(house.referee.address) for _ in range(3)]
        for raw in more:
            assert (await raw.hello(house.tokens[0])).HasField("welcome")
        assert len(house.referee.bots["many"]) == 4
        house.referee.forget(house.tokens[0], Gone(FaultKind.CRASH, "its process ended"))
        assert "many" not in house.referee.bots
        await house.bot("many")
        for raw in more:
            await raw.close()


async def test_a_bot_that_has_spoken_is_not_taken_over_without_its_key(tmp_path: Path):
    """A hello without the key makes another bot, unless the one with that token has said nothing else yet."""
    async with open_house(tmp_path) as house:
        raw, bot = await house.bot("b")
        silent = RawBot(house.referee.address)
        assert (await silent.hello(house.tokens[0])).welcome.resume_key == raw.welcome.resume_key
        assert await raw.code() is grpc.StatusCode.ABORTED
        await speak(silent)
        another = RawBot(house.referee.address)
        assert (await another.hello(house.tokens[0])).welcome.resume_key != raw.welcome.resume_key
        assert bot.connected
        await silent.close()
        await another.close()


async def speak(raw: RawBot) -> None:
    """Say something after the hello, and wait until it was heard."""
    await raw.say(moves=play_pb.Moves(moves=[play_pb.Move(game_id="none")]))
    await raw.until("notice")


async def test_come_back_while_the_referee_drains(tmp_path: Path):
    """A referee that takes no new bots lets those in that have a seat to take back."""
    async with open_house(tmp_path) as house:
        raw, bot = await house.bot("b")
        raw.call.cancel()
        await until(lambda: not bot.connected, "the referee to notice")
        house.referee.draining = True
        second = RawBot(house.referee.address)
        assert (await second.hello(house.tokens[0], resume_key=raw.welcome.resume_key)).welcome.resumed
        new = RawBot(house.referee.address)
        assert (await new.hello(house.tokens[0])).refusal.reason == play_pb.REFUSAL_REASON_CLOSING
        await second.close()
        await new.close()


class Context:
    """Stands for gRPC's side of one stream: hands over what the test says, and takes everything."""

    def __init__(self) -> None:
        self.reads: asyncio.Queue[object] = asyncio.Queue()

    async def read(self) -> object:
        return await self.reads.get()

    async def write(self, _: bytes) -> None:
        pass

    async def abort(self, *_: object) -> None:
        pass


async def test_a_hello_that_is_read_too_late(tmp_path: Path):
    """A stream that is over is given to no bot, though its hello is still read."""
    async with open_house(tmp_path) as house:
        context = Context()
        stream = Stream(house.referee, context)  # type: ignore[arg-type]
        running = asyncio.create_task(stream.run())
        await asyncio.sleep(0)
        running.cancel()
        await running
        hello = play_pb.Hello(token=house.referee.expect("b"), protocols=[1])
        context.reads.put_nowait(play_pb.PlayRequest(hello=hello).SerializeToString())
        await until(context.reads.empty, "the hello to be read")
        await asyncio.sleep(0)
        assert house.referee.bots == {}


async def test_a_stream_is_cancelled_while_it_ends(tmp_path: Path):
    """Its writer ends with it."""
    async with open_house(tmp_path) as house:
        context = Context()
        stream = Stream(house.referee, context)  # type: ignore[arg-type]
        running = asyncio.create_task(stream.run())
        hello = play_pb.Hello(token=house.referee.expect("b"), protocols=[1])
        context.reads.put_nowait(play_pb.PlayRequest(hello=hello).SerializeToString())
        await until(lambda: "b" in house.referee.bots, "the bot")
        (bot,) = house.referee.bots["b"]
        context.reads.put_nowait(None)
        await until(lambda: not bot.connected, "the end to be noticed")
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await until(lambda: stream._writer is not None and stream._writer.done(), "the writer to end")
