"""A referee that says what a test tells it to, and shows what a bot said."""

from __future__ import annotations

import asyncio
from typing import Any, Self

import grpc.aio

from bluke.v1 import game_pb2, play_pb2, play_pb2_grpc

PATIENCE = 20.0


class Stream:
    """One stream as the referee sees it."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._ended = asyncio.Event()
        self._status: tuple[grpc.StatusCode, str] | None = None
        self.heard: asyncio.Queue[play_pb2.PlayRequest | None] = asyncio.Queue()

    async def serve(self) -> None:
        reader = asyncio.create_task(self._read())
        await self._ended.wait()
        reader.cancel()
        if self._status:
            await self._context.abort(*self._status)

    async def _read(self) -> None:
        while True:
            request = await self._context.read()
            if request is grpc.aio.EOF:
                self.heard.put_nowait(None)
                return
            self.heard.put_nowait(request)

    async def hear(self) -> play_pb2.PlayRequest:
        """The next message of the bot."""
        request = await self.hear_end()
        assert request is not None, "the bot closed its side"
        return request

    async def hear_end(self) -> play_pb2.PlayRequest | None:
        """The next message of the bot, or None once it has closed its side."""
        async with asyncio.timeout(PATIENCE):
            return await self.heard.get()

    async def hear_moves(self, count: int) -> list[play_pb2.Move]:
        """The next `count` moves, in however many messages."""
        moves: list[play_pb2.Move] = []
        while len(moves) < count:
            request = await self.hear()
            assert request.HasField("moves"), request
            moves.extend(request.moves.moves)
        return moves

    async def say(self, **payload: Any) -> None:
        await self._context.write(play_pb2.PlayResponse(**payload))

    async def ask(self, *turns: play_pb2.Turn) -> None:
        """Ask for several decisions in one message."""
        await self.say(turns=play_pb2.Turns(turns=turns))

    async def answer(self, turn: play_pb2.Turn) -> play_pb2.Move:
        """Ask for one decision and hear the move."""
        await self.ask(turn)
        return (await self.hear_moves(1))[0]

    def end(self, status: grpc.StatusCode | None = None, details: str = "") -> None:
        """End the stream without a word."""
        self._status = (status, details) if status else None
        self._ended.set()


class FakeReferee(play_pb2_grpc.RefereeServiceServicer):
    """Accepts streams and hands them to the test."""

    def __init__(self) -> None:
        self._streams: asyncio.Queue[Stream] = asyncio.Queue()
        self._open: list[Stream] = []
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        play_pb2_grpc.add_RefereeServiceServicer_to_server(self, self._server)
        port = self._server.add_insecure_port("127.0.0.1:0")
        self.address = f"127.0.0.1:{port}"

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for stream in self._open:
            stream.end()
        await self._server.stop(0.2)

    async def Play(self, _requests: object, context: Any) -> None:
        stream = Stream(context)
        self._open.append(stream)
        self._streams.put_nowait(stream)
        await stream.serve()

    async def stream(self) -> Stream:
        """The next stream that a bot opens."""
        async with asyncio.timeout(PATIENCE):
            return await self._streams.get()

    async def welcomed(self, **welcome: Any) -> Stream:
        """The next stream that a bot opens, after its hello and our welcome."""
        stream = await self.stream()
        hello = await stream.hear()
        assert hello.HasField("hello")
        standard: dict[str, Any] = {"bot": "bot", "resume_key": b"key", "protocol": 1}
        await stream.say(welcome=play_pb2.Welcome(**standard | welcome))
        return stream


def view(**fields: Any) -> game_pb2.View:
    """Four seats, hand of three with hearts trump, seat 1 has bid."""
    rules = game_pb2.Rules(
        seats=4,
        variant=game_pb2.VARIANT_STANDARD,
        hands=[3, 2, 1, 2, 3],
        bluke_led=game_pb2.BLUKE_LED_FREE,
        cut=game_pb2.CUT_RULE_TAP,
    )
    standard: dict[str, Any] = {
        "rules": rules,
        "totals": [0, -10, 20, 30],
        "hand": 0,
        "size": 3,
        "dealer": 0,
        "trump": game_pb2.TRUMP_HEARTS,
        "turned": 26,
        "cards": [0, 12, 53],
        "bids": [0, 2, 0, 0],
        "tricks_won": [0, 0, 0, 0],
    }
    return game_pb2.View(**standard | fields)


def bid_turn(game: str = "g", decision: int = 1, seat: int = 2, **fields: Any) -> play_pb2.Turn:
    standard: dict[str, Any] = {"asked": game_pb2.ASKED_BID, "legal": [1, 2, 3], "view": view()}
    return play_pb2.Turn(**standard | {"game_id": game, "seat": seat, "decision_id": decision} | fields)


def play_turn(game: str = "g", decision: int = 2, seat: int = 2, **fields: Any) -> play_pb2.Turn:
    """The seat has the two and ace of clubs and the Hi Bluke, and is to follow the three of clubs."""
    table = view(bids=[1, 2, 1, 1], tricks=[game_pb2.Trick(leader=1, cards=[1])])
    standard: dict[str, Any] = {"asked": game_pb2.ASKED_PLAY, "legal": [0, 12, 53], "view": table}
    return play_pb2.Turn(**standard | {"game_id": game, "seat": seat, "decision_id": decision} | fields)
