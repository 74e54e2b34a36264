"""Target: whatever a referee says to a bot of the Python SDK."""

from __future__ import annotations

import asyncio
import io
import logging
from contextlib import redirect_stderr
from typing import Any

import grpc
from fuzz.play import loop
from fuzz.script import LONG_NUMBERS, Script
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError
from sdk.fake_referee import bid_turn, play_turn, view

import bluke_sdk
from bluke.v1 import game_pb2 as game_pb
from bluke.v1 import play_pb2 as play_pb
from bluke_sdk._client import Client, Settings


class Curious(bluke_sdk.Bot):
    """Looks at everything that there is to look at."""

    def cut(self, view):
        return self.look(view, 0)

    def bid(self, view):
        return self.look(view, view.legal[0])

    def play(self, view):
        return self.look(view, view.legal[-1])

    def event(self, event):
        self.note(repr(event))

    game_started = hand_scored = game_over = event

    def look(self, view, answer):
        self.note(repr(view))
        for name in dir(view):
            if not name.startswith("_"):
                getattr(view, name)
        return answer


class Slow(Curious):
    """The same, as tasks of their own."""

    async def bid(self, view):
        await asyncio.sleep(0)
        return super().bid(view)

    async def play(self, view):
        return super().play(view)


class Careless(Curious):
    """Looks at nothing, and answers all the same."""

    def bid(self, view):
        return 1

    def play(self, view):
        return "9H"


CODES = (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.ABORTED)


class Call:
    """Stands for the stream: says what it was made to say, then ends."""

    def __init__(self, said: list[play_pb.PlayResponse | None], code: grpc.StatusCode) -> None:
        self._said = iter(said)
        self._code = code
        self.heard: list[play_pb.PlayRequest] = []

    async def write(self, request: play_pb.PlayRequest) -> None:
        self.heard.append(play_pb.PlayRequest.FromString(request.SerializeToString()))

    async def done_writing(self) -> None:
        pass

    async def read(self) -> object:
        for _ in range(4):
            await asyncio.sleep(0)
        return next(self._said, grpc.aio.EOF)

    async def code(self) -> grpc.StatusCode:
        return self._code

    async def details(self) -> str:
        return "it was over"

    def cancel(self) -> None:
        pass


WELCOME = play_pb.PlayResponse(
    welcome=play_pb.Welcome(bot="b", resume_key=b"k", limits=play_pb.StreamLimits(max_message_bytes=100))
)
STARTED = play_pb.PlayResponse(
    game_started=play_pb.GameStarted(
        game_id="g",
        seat=2,
        rules=view().rules,
        players=[game_pb.Player(name="p")] * 4,
        limits=play_pb.GameLimits(policy=play_pb.POLICY_LENIENT, decision_ms=1),
        draw=[game_pb.DrawRound(cards=[game_pb.DrawnCard(seat=0, card=52)])],
    )
)
EVENTS = play_pb.PlayResponse(
    events=play_pb.Events(
        events=[
            play_pb.Event(game_id="g", hand_dealt=play_pb.HandDealt(turned=3, cut=1, trump=game_pb.TRUMP_CLUBS)),
            play_pb.Event(game_id="g", bid_made=play_pb.BidMade(bid=1)),
            play_pb.Event(game_id="g", card_played=play_pb.CardPlayed(card=7)),
            play_pb.Event(game_id="g", trick_taken=play_pb.TrickTaken(winner=1)),
            play_pb.Event(game_id="g", fault_charged=play_pb.FaultCharged(kind=play_pb.FAULT_KIND_ILLEGAL)),
            play_pb.Event(game_id="g", game_result=play_pb.GameResult()),
        ]
    )
)
RESULT = game_pb.HandResult(bids=[1], tricks=[1], points=[1], totals=[1], outcomes=[game_pb.OUTCOME_SET])
SAYINGS = (
    play_pb.PlayResponse(turns=play_pb.Turns(turns=[bid_turn(), play_turn(), play_turn("h", 3)])),
    play_pb.PlayResponse(turns=play_pb.Turns(turns=[play_turn(decision=9, last=play_pb.LastDecision(applied=1))])),
    play_pb.PlayResponse(
        turns=play_pb.Turns(turns=[play_pb.Turn(game_id="g", decision_id=5, asked=game_pb.ASKED_CUT, legal=[0, 1])])
    ),
    STARTED,
    EVENTS,
    play_pb.PlayResponse(hand_scored=play_pb.HandScored(game_id="g", seat=2, result=RESULT)),
    play_pb.PlayResponse(notice=play_pb.MoveNotice(verdict=play_pb.VERDICT_ILLEGAL, legal=[1], move=play_pb.Move())),
    play_pb.PlayResponse(fault=play_pb.FaultNotice(game_id="g", kind=play_pb.FAULT_KIND_CRASH, applied=3)),
    play_pb.PlayResponse(
        game_over=play_pb.GameOver(game_id="g", seat=2, result=play_pb.GameResult(totals=[1], places=[1]))
    ),
    play_pb.PlayResponse(seed_revealed=play_pb.SeedRevealed(game_id="g", seat=2, game_seed=b"s")),
    play_pb.PlayResponse(),
    WELCOME,
)
ENDINGS = (
    play_pb.PlayResponse(goodbye=play_pb.Goodbye(reason="enough")),
    play_pb.PlayResponse(refusal=play_pb.Refusal(reason=play_pb.REFUSAL_REASON_RESUME, message="no")),
)


def sdk(data: bytes) -> None:
    """A bot answers, skips what it does not understand, or ends in an `SdkError`; it answers only what was asked."""
    script = Script(data)
    said = [a_word(script, WELCOME, plain=7)]
    while script and len(said) < 20:
        said.append(a_word(script, script.pick((*SAYINGS, *SAYINGS, *ENDINGS)), plain=2))
    call = Call(said, script.pick(CODES))
    client = Client(script.pick((Curious, Slow, Careless)), Settings(server="localhost:1"))
    log = logging.getLogger("bluke_sdk")
    try:
        log.disabled = True
        with redirect_stderr(io.StringIO()):
            loop().run_until_complete(converse(client, call))
    finally:
        log.disabled = False
    assert call.heard[0].HasField("hello")
    turns = [turn for message in said if message is not None for turn in message.turns.turns]
    asked = {(turn.game_id, turn.decision_id) for turn in turns}
    for request in call.heard[1:]:
        assert request.WhichOneof("payload") in {"moves", "error", "goodbye"}
        assert {(move.game_id, move.decision_id) for move in request.moves.moves} <= asked


async def converse(client: Client, call: Any) -> None:
    try:
        trouble = await client._converse(call)
        assert trouble is None or isinstance(trouble, str)
    except bluke_sdk.SdkError:
        pass
    finally:
        for task in list(client._tasks):
            task.cancel()
        await asyncio.gather(*client._tasks, return_exceptions=True)
        # The writer was cancelled with the stream, and ends with the next turn of the loop.
        await asyncio.sleep(0)


def a_word(script: Script, saying: play_pb.PlayResponse, *, plain: int) -> play_pb.PlayResponse | None:
    """Something like `saying`: as it is `plain` times in so many and one, or with a value changed, or any bytes.

    `None` is what gRPC makes of bytes that are no message.
    """
    word = play_pb.PlayResponse()
    word.CopyFrom(saying)
    if script.byte() % (plain + 1) < plain:
        return word
    if script.one_in(4):
        try:
            return play_pb.PlayResponse.FromString(script.blob())
        except DecodeError:
            return None
    for _ in range(1 + script.byte() % 3):
        distort(script, word)
    return word


def distort(script: Script, message: Any) -> None:
    """Change a field somewhere inside of a message."""
    while True:
        fields: list[FieldDescriptor] = list(message.DESCRIPTOR.fields)
        present = [found for found, _ in message.ListFields()]
        at = script.pick(present if present and not script.one_in(4) else fields)
        name = at.name
        if at.type != FieldDescriptor.TYPE_MESSAGE:
            break
        if script.one_in(6):
            message.ClearField(name)
            return
        inside = getattr(message, name)
        if hasattr(inside, "add"):
            if not inside or script.one_in(4):
                inside.add()
            message = inside[script.byte() % len(inside)]
        else:
            inside.SetInParent()
            message = inside
    if script.one_in(6):
        message.ClearField(name)
    elif hasattr(values := getattr(message, name), "append"):
        values.append(any_value(script, at))
        if script.one_in(3):
            del values[: script.byte()]
    else:
        setattr(message, name, any_value(script, at))


def any_value(script: Script, at: FieldDescriptor) -> Any:
    if at.type == FieldDescriptor.TYPE_STRING:
        return script.text()
    if at.type == FieldDescriptor.TYPE_BYTES:
        return script.blob()
    if at.type == FieldDescriptor.TYPE_BOOL:
        return script.one_in(2)
    if at.type == FieldDescriptor.TYPE_UINT64:
        return script.pick(LONG_NUMBERS)
    if at.type == FieldDescriptor.TYPE_UINT32:
        return script.number(near=2)
    return script.pick((-(2**31), -1, 0, 1, 2, 5, 99, 2**31 - 1))
