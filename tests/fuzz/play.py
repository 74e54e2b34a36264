"""Targets: what a bot can say, to a table, to a stream and to the door."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import grpc
from fuzz.script import Script
from google.protobuf.message import DecodeError
from referee.desk import Desk, DeskStream, make_move, open_turn

from bluke.errors import PeerError
from bluke.referee import Referee, Settings
from bluke.referee.bot import Gone
from bluke.referee.stream import Stream
from bluke.referee.tokens import TokenFile
from bluke.replay.verify import verify
from bluke.rules import CutRule, Rules, Variant
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.hello import StreamLimits, hello_problem
from bluke.wire.session import StreamMachine, StreamState
from bluke.wire.values import FaultKind, GameLimits, Policy, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bluke.referee.bot import Bot

RULES = (
    Rules(2, hands=(2, 1)),
    Rules(3, hands=(3, 1)),
    Rules(2, hands=(2, 2), cut=CutRule.PLAYER),
    Rules(4, hands=(1, 2), variant=Variant.NEW_JERSEY),
    Rules(3, hands=(18,)),
)
LIMITS = (
    GameLimits(),
    GameLimits(policy=Policy.STRICT),
    GameLimits(max_faults=1, bank_ms=0),
    GameLimits(decision_ms=None, max_faults=1000),
)
SECONDS = (0.001, 1.99, 2.0, 3.0, 63.0, 700.0)
#: The longest script of a game; what comes after it is not read.
MOST_STEPS = 200
WALL_SECONDS = 601.0


@cache
def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder that lasts as long as the process."""
    return tempfile.TemporaryDirectory(prefix="bluke-fuzz-")


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for one input; nothing in it is waited for to reach the disk."""
    with tempfile.TemporaryDirectory(dir=scratch().name) as name, patch("os.fsync"):
        yield Path(name)


def a_move(script: Script, desk: Desk) -> play_pb.Move:
    """A move that is nearly right, in most of its parts."""
    issued = len(desk.table._issued)
    move = play_pb.Move(game_id=desk.table.spec.game_id, decision_id=script.long_number(near=issued))
    if script.one_in(8):
        move.game_id = script.text()
    legal = list(open_turn(desk.table).legal) or [0]
    kind = script.pick(("card", "bid", "cut", None))
    if kind is not None:
        setattr(move, kind, script.pick(legal) if script.one_in(2) else script.number(near=legal[-1]))
    if script.one_in(4):
        move.note = script.text()
    return move


def finish(desk: Desk) -> None:
    """Let whoever is there play on to the end, and let the clock run out for whoever is not."""
    for _ in range(1000):
        if desk.table.result is not None:
            return
        bot = desk.bots[desk.table.game.seat]
        if bot.stream is None:
            desk.clock.pass_time(WALL_SECONDS)
            desk.collect()
        else:
            # Played from the game, not from what was told: an open turn may have been dropped with a stream.
            turn = open_turn(desk.table)
            desk.move(bot, make_move(turn))
    raise AssertionError("the game does not end")


def check_told(desk: Desk) -> None:
    """What was told holds together: questions in order, at most one fault for each, and nothing after the end."""
    for bot in dict.fromkeys(desk.bots):
        seats = {seat for seat, other in enumerate(desk.bots) if other is bot}
        asked = 0
        faulted: set[int] = set()
        over: set[int] = set()
        for message in desk.sent[desk.bots.index(bot)]:
            kind = message.WhichOneof("payload")
            assert kind is not None
            if kind == "turns":
                for turn in message.turns.turns:
                    assert turn.seat in seats - over
                    assert turn.decision_id > asked or (turn.again and turn.decision_id == asked)
                    assert list(turn.legal) == sorted(set(turn.legal)) != []
                    asked = turn.decision_id
            elif kind == "fault":
                fault = message.fault
                assert fault.seat in seats - over
                assert fault.decision_id not in faulted
                faulted |= {fault.decision_id} - {0}
                assert fault.kind != play_pb.FAULT_KIND_UNSPECIFIED
            elif kind == "game_over":
                over.add(message.game_over.seat)
        assert over == (seats if bot.gone is None else set())


def check_over(desk: Desk) -> None:
    """The game came to an end of its own, and its replay shows how."""
    table = desk.table
    assert table.error is None, table.error
    assert table.result is not None
    assert table.result.status is not Status.VOID
    assert sum(table.result.faults) == len(table.faults)
    if table.spec.limits.policy is Policy.STRICT:
        assert len(table.faults) == (table.result.status is Status.FORFEITED)
    else:
        # A seat that is played out has nothing more to be charged.
        assert all(seat.faults <= table.spec.limits.max_faults for seat in table.seats)
    verdict = verify(desk.close().replay)
    assert verdict.ok, str(verdict)


def table(data: bytes) -> None:
    """Moves, errors, silence and absence at one table, in any order; one bot may sit on several seats."""
    script = Script(data)
    rules, limits = script.pick(RULES), script.pick(LIMITS)
    seats = range(rules.seats)
    shared = script.pick((None, tuple(seat % 2 for seat in seats), tuple(0 for _ in seats)))
    with folder() as path:
        desk = Desk(path, rules=rules, limits=limits, shared=shared, events=script.one_in(2)).start()
        try:
            said: list[play_pb.Move] = []
            for _ in range(MOST_STEPS):
                if not script:
                    break
                table_step(script, desk, said)
                assert desk.table.error is None, desk.table.error
            finish(desk)
            # While the game is being brought to disk its bots may still speak.
            for bot in dict.fromkeys(desk.bots):
                for move in (play_pb.Move(), a_move(script, desk), *said[-1:]):
                    assert not desk.move(bot, move)
                desk.table.bot_error(bot, play_pb.BotError(decision_id=len(desk.table._issued)))
            check_over(desk)
            check_told(desk)
        finally:
            if desk.table.replay is not None:
                desk.table.replay.abandon()


def check_charged(desk: Desk, bot: Bot, before: int) -> None:
    """Nobody but the bot pays for what it said; what follows may be charged to one that is gone."""
    assert all(desk.bots[fault.seat] is bot for fault in desk.table.faults[before:][:1])


def table_step(script: Script, desk: Desk, said: list[play_pb.Move]) -> None:  # noqa: C901, PLR0912 - one a happening
    """One thing that happens to a table."""
    table = desk.table
    bots = list(dict.fromkeys(desk.bots))
    bot = script.pick(bots)
    charged = len(table.faults)
    match script.byte() % 12:
        case 0 | 1 | 2 | 3 | 4:
            asked = table.seats[table.game.seat]
            if table.result is None and asked.bot.stream is not None:
                turn = open_turn(table)
                said.append(make_move(turn, script.pick(list(turn.legal))))
                assert desk.move(asked.bot, said[-1])
        case 5 | 6:
            if bot.stream is not None:
                said.append(a_move(script, desk))
                desk.move(bot, said[-1])
                check_charged(desk, bot, charged)
        case 7:
            if said and bot.stream is not None:
                desk.move(bot, script.pick(said[-256:]))
                check_charged(desk, bot, charged)
        case 8:
            error = play_pb.BotError(decision_id=script.long_number(near=len(table._issued)), detail=script.text())
            table.bot_error(bot, error)
            check_charged(desk, bot, charged)
        case 9:
            desk.clock.pass_time(script.pick(SECONDS))
        case 10 if bot.stream is not None:
            bot.stream = None
        case 10 if bot.gone is None:
            bot.stream = DeskStream()  # type: ignore[assignment]
            table.ask_again(bot)
        case _:
            if script.one_in(4):
                bot.stream = None
                bot.leave(Gone(script.pick((FaultKind.DISCONNECTED, FaultKind.CRASH)), script.text()))
            else:
                desk.clock.stall(script.pick(SECONDS))
    desk.collect()


def session(data: bytes) -> None:
    """Bytes in place of messages, at the machine that reads them: a message, or the one `PeerError`."""
    script = Script(data)
    machine = StreamMachine(max_message_bytes=script.pick((0, 16, 64, 65_536)))
    while script:
        before = machine.state
        chunk = script.rest() if script.one_in(4) else script.blob()
        try:
            request = machine.receive(chunk)
        except PeerError:
            assert machine.state is StreamState.CLOSED
            continue
        assert before is not StreamState.CLOSED
        assert len(chunk) <= machine.max_message_bytes
        if request.WhichOneof("payload") == "hello":
            machine.send(script.pick(("welcome", "welcome", "refusal")))


# Streams


class Context:
    """Stands for gRPC: what the bot says is put in, what it is told is taken out."""

    def __init__(self) -> None:
        self.said: asyncio.Queue[object] = asyncio.Queue()
        self.told: list[play_pb.PlayResponse] = []
        self.code = grpc.StatusCode.OK

    async def read(self) -> object:
        return await self.said.get()

    async def write(self, data: bytes) -> None:
        self.told.append(play_pb.PlayResponse.FromString(data))

    async def abort(self, code: grpc.StatusCode, _: str) -> None:
        self.code = code


class QuickStream(Stream):
    """Nobody reads here, so there is nobody to wait for."""

    FLUSH_SECONDS = 0.0


@dataclass
class Player:
    """One stream and the task that serves it."""

    context: Context
    stream: QuickStream
    task: asyncio.Task[None]

    @classmethod
    async def dial(cls, referee: Referee, hello: bytes) -> Player:
        context = Context()
        stream = QuickStream(referee, context)  # type: ignore[arg-type]
        player = cls(context, stream, asyncio.create_task(stream.run()))
        await player.say(hello)
        return player

    async def say(self, said: object) -> None:
        self.context.said.put_nowait(said)
        await settle()


@dataclass
class StreamDesk(Desk):
    """A desk whose bots came in by a stream."""

    made: list[Bot] = field(default_factory=list)

    def _bot(self, number: int) -> Bot:
        return self.made[number]

    def collect(self) -> None:
        """The streams write what is told."""


async def settle() -> None:
    """Let every task go as far as it gets."""
    for _ in range(6):
        await asyncio.sleep(0)


@cache
def loop() -> asyncio.AbstractEventLoop:
    """One event loop for all inputs: making one costs more than using it."""
    return asyncio.new_event_loop()


def stream(data: bytes) -> None:
    """Whole streams in a running game: any bytes in any order, hellos, resumed seats, half-closed ends.

    A stream ends with a status that the protocol's documentation lists for a fault of the bot, never with
    `INTERNAL`, and the game of those that are left comes to its end.
    """
    with folder() as path:
        loop().run_until_complete(a_stream(Script(data), path))


async def a_stream(script: Script, path: Path) -> None:
    limits = StreamLimits(max_unanswered=20, max_streams=2, max_message_bytes=4096)
    referee = Referee(Settings("127.0.0.1:0", path, stream_limits=limits, open_door=script.one_in(2)))
    rules = script.pick(RULES[:3])
    tokens = [referee.expect(f"bot{seat}") for seat in range(rules.seats)]
    players = [await Player.dial(referee, a_hello(token)) for token in tokens]
    bots = [await referee.arrival(token) for token in tokens]
    desk = StreamDesk(path, rules=rules, limits=script.pick(LIMITS), made=bots)
    referee._house = desk.table.house
    desk.start()
    keys = [bot.resume_key for bot in bots]
    try:
        for _ in range(MOST_STEPS):
            if not script:
                break
            await stream_step(script, referee, desk, players, tokens, keys)
            assert desk.table.error is None, desk.table.error
        finish(desk)
        await settle()
        check_over(desk)
        await settle()
    finally:
        for bot in bots:
            referee.dismiss(bot, Gone(FaultKind.DISCONNECTED, "the input is over"))
        for others in list(referee.bots.values()):
            for bot in list(others):
                referee.dismiss(bot, Gone(FaultKind.DISCONNECTED, "the input is over"))
        for player in players:
            player.stream.end(grpc.StatusCode.CANCELLED, "")
        await asyncio.gather(*(player.task for player in players))
        for task in list(referee._tasks):
            task.cancel()
        await asyncio.gather(*referee._tasks, return_exceptions=True)
        if desk.table.replay is not None:
            desk.table.replay.abandon()
    for player in players:
        assert player.context.code is not grpc.StatusCode.INTERNAL
        assert all(message.WhichOneof("payload") for message in player.context.told)


def a_hello(token: str, **fields: Any) -> bytes:
    hello = {"token": token, "name": "fuzz", "protocols": [1], **fields}
    return play_pb.PlayRequest(hello=play_pb.Hello(**hello)).SerializeToString()


async def stream_step(
    script: Script, referee: Referee, desk: Desk, players: list[Player], tokens: list[str], keys: list[bytes]
) -> None:
    """One thing that happens to the streams of a game."""
    table = desk.table
    player = script.pick(players[-256:])
    match script.byte() % 12:
        case 0 | 1 | 2 | 3:
            asked = table.seats[table.game.seat]
            turn = open_turn(table)
            if asked.bot.stream is not None and turn.legal:
                moves = [make_move(turn, script.pick(list(turn.legal)))]
                speaker = next(player for player in players if player.stream is asked.bot.stream)
                await speaker.say(play_pb.PlayRequest(moves=play_pb.Moves(moves=moves)).SerializeToString())
        case 4 | 5:
            moves = [a_move_of_a_stream(script, table) for _ in range(script.byte() % 25)]
            await player.say(play_pb.PlayRequest(moves=play_pb.Moves(moves=moves)).SerializeToString())
        case 6:
            error = play_pb.BotError(
                game_id=script.pick((table.spec.game_id, "", "other")),
                decision_id=script.long_number(near=len(table._issued)),
                detail=script.text(),
            )
            await player.say(play_pb.PlayRequest(error=error).SerializeToString())
        case 7:
            await player.say(script.blob())
        case 8:
            whole = bytearray(a_hello(script.pick(tokens)))
            whole[script.byte() % len(whole)] = script.byte()
            await player.say(bytes(whole))
        case 9:
            fields = {"resume_key": script.pick((*keys, b"", b"none")), "wants_events": script.one_in(2)}
            hello = a_hello(script.pick((*tokens, "")), **fields) if not script.one_in(4) else script.blob()
            players.append(await Player.dial(referee, hello))
        case 10:
            desk.clock.pass_time(script.pick(SECONDS))
        case _:
            if script.one_in(3):
                goodbye = play_pb.Goodbye(reason=script.text())
                await player.say(play_pb.PlayRequest(goodbye=goodbye).SerializeToString())
            else:
                await player.say(grpc.aio.EOF)
    await settle()


def a_move_of_a_stream(script: Script, table: Any) -> play_pb.Move:
    return play_pb.Move(
        game_id=script.pick((table.spec.game_id, table.spec.game_id, "", "other")),
        decision_id=script.long_number(near=len(table._issued)),
        card=script.number(near=20),
    )


# The door


class DoorStream(DeskStream):
    """Stands for the stream that a hello came on."""

    bot: Bot | None = None

    def end(self, *_: object) -> None:
        pass


@cache
def door() -> tuple[Referee, str]:
    """A referee with one token, and that token."""
    tokens = TokenFile(Path(scratch().name) / "tokens.json")
    return Referee(Settings("127.0.0.1:0", Path(scratch().name), tokens=tokens)), tokens.add("known")


def hello(data: bytes) -> None:
    """Any hello is welcomed or refused with a reason, in a message of a bounded size."""
    script = Script(data)
    referee, token = door()
    message = play_pb.Hello()
    if script.one_in(2):
        try:
            message.ParseFromString(script.rest())
        except DecodeError:
            return
    else:
        message = play_pb.Hello(
            token=script.pick((token, "", "wrong", "é")),
            name=script.text(),
            version=script.text(),
            sdk=script.text(),
            author=script.text(),
            protocols=[script.number(near=1) for _ in range(script.byte())],
            max_games=script.number(),
            resume_key=script.blob(),
        )
    problem = hello_problem(message, referee.settings.stream_limits, referee.server)
    seat: Any = DoorStream()
    answer = referee.greet(message, seat)
    if isinstance(answer, play_pb.Refusal):
        assert problem in (None, answer)
        assert answer.reason != play_pb.REFUSAL_REASON_UNSPECIFIED
        assert answer.message
    else:
        assert problem is None
        assert message.token == token
        assert answer.bot == "known"
        referee.dismiss(seat.bot, Gone(FaultKind.DISCONNECTED, "the input is over"))
    size = len(answer.SerializeToString())
    assert size <= 2048, size
