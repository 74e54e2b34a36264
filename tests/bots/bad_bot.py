"""A bot that is bad on purpose, in one way that its argument names.

    bad_bot.py BEHAVIOUR [--only GAME]
    bad_bot.py --list

Otherwise it plays its first legal answer. Each behaviour shows in every game, or in that one game of the process
(counted from 0) that `--only` names. It needs grpcio and the stubs, and finds the arena as every bot does.
"""

from __future__ import annotations

import argparse
import os
import queue
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, NoReturn

import grpc

from bluke.v1 import game_pb2, play_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

Turn = play_pb2.Turn
Move = play_pb2.Move
Request = play_pb2.PlayRequest

PLAY = "/bluke.v1.RefereeService/Play"
FIELDS = {game_pb2.ASKED_CUT: "cut", game_pb2.ASKED_BID: "bid", game_pb2.ASKED_PLAY: "card"}
CRASH_CODE = 7


class At(Enum):
    """When a behaviour shows. Those of turns may change the answer."""

    START = auto()  # before it dials
    DIALLED = auto()  # instead of the hello
    HELLO = auto()  # in the hello
    WELCOME = auto()
    EVERY = auto()  # every turn
    BID = auto()  # the first bid of a game
    PLAY = auto()  # the first play of a game
    REVOKE = auto()  # the first play of a game where some card may not be played
    OVER = auto()  # the end of a game


@dataclass(frozen=True)
class Behaviour:
    """One way to be bad."""

    what: str
    at: At
    #: Called with the bot and the turn, the hello or nothing; at a turn it returns the moves to be said.
    act: Callable[[BadBot, Any], list[Move] | None]


@dataclass
class Memory:
    """What the bot remembers of one game."""

    number: int
    turns: list[Turn] = field(default_factory=list)
    done: bool = False
    unanswered: dict[int, Turn] = field(default_factory=dict)


class BadBot:
    """One process; it may have several streams one after the other."""

    def __init__(self, behaviour: Behaviour, only: int | None) -> None:
        self.behaviour = behaviour
        self.only = only
        self.games: dict[str, Memory] = {}
        self.started = 0
        self.said: queue.Queue[Request | bytes | None] = queue.Queue()
        self.resume_key = b""
        self.redial = False
        self.stubborn = False
        self.late = False
        self.call: Any = None
        self.others: list[Any] = []
        self.stub: Any = None

    def run(self) -> None:
        """Play until the goodbye, or wait for the end if the stream is lost for good."""
        self._now(At.START)
        # Each process dials for itself, past any proxy of the environment.
        options = [("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1)]
        channel = grpc.insecure_channel(os.environ["BLUKE_SERVER"], options)
        self.stub = channel.stream_stream(
            PLAY,
            request_serializer=lambda said: said if isinstance(said, bytes) else said.SerializeToString(),
            response_deserializer=play_pb2.PlayResponse.FromString,
        )
        while True:
            self.redial = False
            self.said = queue.Queue()
            self._now(At.DIALLED)
            hello = self.hello()
            self._now(At.HELLO, hello)
            self.said.put(Request(hello=hello))
            self.call = self.stub(iter(self.said.get, None))
            try:
                for message in self.call:
                    self.hear(message)
                    if self.redial:
                        break
            except grpc.RpcError as error:
                print("the stream ended:", self.call.code().name, error, file=sys.stderr)
            if not self.redial:
                wait_for_ever()

    def hello(self) -> play_pb2.Hello:
        return play_pb2.Hello(
            token=os.environ["BLUKE_TOKEN"], name="bad", protocols=[1], resume_key=self.resume_key, wants_events=True
        )

    def hear(self, message: play_pb2.PlayResponse) -> None:
        match message.WhichOneof("payload"):
            case "welcome":
                self.resume_key = message.welcome.resume_key
                self._now(At.WELCOME)
            case "refusal":
                sys.exit(f"refused: {message.refusal.message}")
            case "game_started":
                self.memory(message.game_started.game_id)
            case "turns":
                moves = [move for turn in message.turns.turns for move in self.turn(turn)]
                if moves:
                    self.say(*moves)
            case "fault":
                self.fault(message.fault)
            case "game_over":
                self.over(message.game_over)
            case "goodbye":
                if not self.stubborn:
                    self.said.put(None)
                    sys.exit()

    def memory(self, game: str) -> Memory:
        if game not in self.games:
            self.games[game] = Memory(self.started)
            self.started += 1
        return self.games[game]

    def turn(self, turn: Turn) -> list[Move]:
        memory = self.memory(turn.game_id)
        if self._shows(memory, turn):
            memory.done = self.behaviour.at is not At.EVERY
            moves = self.behaviour.act(self, turn)
        else:
            moves = [answer(turn)]
        memory.turns.append(turn)
        return moves or []

    def _shows(self, memory: Memory, turn: Turn) -> bool:
        if memory.done or self.only not in {None, memory.number}:
            return False
        match self.behaviour.at:
            case At.EVERY:
                return True
            case At.BID:
                return turn.asked == game_pb2.ASKED_BID
            case At.PLAY:
                return turn.asked == game_pb2.ASKED_PLAY
            case At.REVOKE:
                return turn.asked == game_pb2.ASKED_PLAY and set(turn.legal) != set(turn.view.cards)
        return False

    def fault(self, fault: play_pb2.FaultNotice) -> None:
        """The clock has run out: a bot that is late by a hair answers now."""
        if self.late:
            self.say(answer(self.memory(fault.game_id).unanswered.pop(fault.decision_id)))

    def over(self, over: play_pb2.GameOver) -> None:
        memory = self.memory(over.game_id)
        if memory.unanswered:
            self.say(*map(answer, memory.unanswered.values()))
            memory.unanswered.clear()
        if self.behaviour.at is At.OVER and self.only in {None, memory.number}:
            self.behaviour.act(self, None)

    def say(self, *moves: Move) -> None:
        self.said.put(Request(moves=play_pb2.Moves(moves=moves)))

    def _now(self, at: At, subject: object = None) -> None:
        if self.behaviour.at is at:
            self.behaviour.act(self, subject)


def answer(turn: Turn, value: int | None = None) -> Move:
    """The first legal answer, or `value` as one of the kind that is asked."""
    move = Move(game_id=turn.game_id, decision_id=turn.decision_id)
    setattr(move, FIELDS[turn.asked], turn.legal[0] if value is None else value)
    return move


def wait_for_ever() -> NoReturn:
    """Stay alive and silent until somebody ends the process."""
    while True:
        signal.pause()


# What the behaviours do


def crash(*_: object) -> None:
    print("crash on purpose", file=sys.stderr)
    os._exit(CRASH_CODE)


def dial_in_silence(bot: BadBot, _: object) -> None:
    bot.call = bot.stub(iter(bot.said.get, None))
    try:
        next(iter(bot.call), None)
    except grpc.RpcError as error:
        sys.exit(f"the stream ended: {error.code().name}: {error.details()}")


def crash_at_hello(bot: BadBot, hello: object) -> None:
    # gRPC asks for a second message when the first is on its way.
    bot.said.put(Request(hello=bot.hello()))
    bot.call = bot.stub(iter(lambda: bot.said.get_nowait() if not bot.said.empty() else crash(), None))
    wait_for_ever()


def never_read(bot: BadBot, _: object) -> None:
    bot.said.put(Request(hello=bot.hello()))
    bot.call = bot.stub(iter(bot.said.get, None))
    wait_for_ever()


def future_version(_: BadBot, hello: play_pb2.Hello) -> None:
    hello.protocols[:] = [7, 8]


def wrong_token(_: BadBot, hello: play_pb2.Hello) -> None:
    hello.token = "not the token"


def long_name(_: BadBot, hello: play_pb2.Hello) -> None:
    hello.name = "n" * 65


def freeze(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def be_late_by_a_hair(bot: BadBot, turn: Turn) -> None:
    bot.late = True
    bot.memory(turn.game_id).unanswered[turn.decision_id] = turn


def be_late_by_a_lot(bot: BadBot, turn: Turn) -> list[Move]:
    unanswered = bot.memory(turn.game_id).unanswered
    moves = [answer(before) for before in unanswered.values()]
    unanswered.clear()
    unanswered[turn.decision_id] = turn
    return moves


def illegal_card(_: BadBot, turn: Turn) -> list[Move]:
    return [answer(turn, next(card for card in turn.view.cards if card not in turn.legal))]


def card_not_held(_: BadBot, turn: Turn) -> list[Move]:
    return [answer(turn, next(card for card in range(54) if card not in turn.view.cards))]


def no_such_card(_: BadBot, turn: Turn) -> list[Move]:
    return [answer(turn, 4_000_000_000)]


def bid_zero(_: BadBot, turn: Turn) -> list[Move]:
    return [answer(turn, 0)]


def bid_a_million(_: BadBot, turn: Turn) -> list[Move]:
    return [answer(turn, 1_000_000)]


def wrong_kind(_: BadBot, turn: Turn) -> list[Move]:
    return [Move(game_id=turn.game_id, decision_id=turn.decision_id, card=turn.view.cards[0])]


def no_answer(_: BadBot, turn: Turn) -> list[Move]:
    return [Move(game_id=turn.game_id, decision_id=turn.decision_id)]


def another_seat(_: BadBot, turn: Turn) -> list[Move]:
    # Before a seat's first card somebody else has bid or played.
    move = answer(turn)
    move.decision_id -= 1
    return [move, answer(turn)]


def another_game(_: BadBot, turn: Turn) -> list[Move]:
    move = answer(turn)
    move.game_id = "no such game"
    return [move, answer(turn)]


def over_decision(bot: BadBot, turn: Turn) -> list[Move]:
    return [answer(bot.memory(turn.game_id).turns[-1]), answer(turn)]


def same_twice(_: BadBot, turn: Turn) -> list[Move]:
    return [answer(turn), answer(turn)]


def several_answers(_: BadBot, turn: Turn) -> list[Move]:
    return [answer(turn), answer(turn, turn.legal[-1]), answer(turn, 0)]


def own_code_fails(bot: BadBot, turn: Turn) -> None:
    error = play_pb2.BotError(game_id=turn.game_id, decision_id=turn.decision_id, detail="ValueError: on purpose")
    bot.said.put(Request(error=error))


def garbage(bot: BadBot, _: Turn) -> None:
    bot.said.put(b"\xff\xff\xff garbage")


def hello_twice(bot: BadBot, _: Turn) -> None:
    bot.said.put(Request(hello=bot.hello()))


def too_long(_: BadBot, turn: Turn) -> list[Move]:
    move = answer(turn)
    move.note = "x" * 100_000
    return [move]


def flood(bot: BadBot, turn: Turn) -> None:
    for _ in range(30):
        bot.say(*[Move(game_id="no such game", decision_id=1, bid=1)] * 100)


def hundred_streams(bot: BadBot, turn: Turn) -> list[Move]:
    hello = Request(hello=play_pb2.Hello(token=os.environ["BLUKE_TOKEN"], name="more", protocols=[1]))
    said: list[queue.Queue[Request | None]] = [queue.Queue() for _ in range(100)]
    calls = [bot.stub(iter(mine.get, None)) for mine in said]
    for mine in said:
        mine.put(hello)
    kinds = [next(call).WhichOneof("payload") for call in calls]
    print("a hundred streams:", kinds.count("welcome"), "welcomed,", kinds.count("refusal"), "refused")
    for mine, kind in zip(said, kinds, strict=True):
        # Each has a thread that waits for more to be said.
        if kind == "refusal":
            mine.put(None)
    bot.others += calls
    return [answer(turn)]


def print_megabytes(_: BadBot, turn: Turn) -> list[Move]:
    for out in (sys.stdout, sys.stderr):
        out.write("x" * 1_000_000 + "\n" + "line\n" * 400_000)
        out.flush()
    return [answer(turn)]


def have_children(*_: object) -> None:
    # One that is waited for by nobody, and one whose parent is gone at once.
    subprocess.Popen(["sleep", "1000"])
    subprocess.run(["sh", "-c", "sleep 1000 &"], check=True)


def have_a_daemon(*_: object) -> None:
    # In a session and a process group of its own, without the pipes.
    nowhere = subprocess.DEVNULL
    subprocess.Popen(["sleep", "1000"], start_new_session=True, stdout=nowhere, stderr=nowhere)


def have_children_and_crash(bot: BadBot, turn: Turn) -> None:
    have_children()
    crash()


def ignore_the_end(bot: BadBot, _: object) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    bot.stubborn = True


def come_back(bot: BadBot, _: Turn) -> None:
    bot.call.cancel()
    bot.redial = True


def say_goodbye(bot: BadBot, _: Turn) -> None:
    bot.said.put(Request(goodbye=play_pb2.Goodbye(reason="enough")))


def vanish(bot: BadBot, _: Turn) -> None:
    bot.call.cancel()


def close_half(bot: BadBot, _: Turn) -> None:
    bot.said.put(None)


def exit_quietly(*_: object) -> None:
    os._exit(0)


def do_nothing(*_: object) -> None:
    """No answer."""


BEHAVIOURS: dict[str, Behaviour] = {
    # It does not get as far as a game.
    "no-dial": Behaviour("never dials", At.START, lambda *_: wait_for_ever()),
    "no-hello": Behaviour("opens a stream and never says hello", At.DIALLED, dial_in_silence),
    "future-version": Behaviour("speaks only versions that are not out yet", At.HELLO, future_version),
    "wrong-token": Behaviour("has the wrong token", At.HELLO, wrong_token),
    "long-name": Behaviour("has a name of 65 bytes", At.HELLO, long_name),
    "crash-before-hello": Behaviour("crashes before it dials", At.START, crash),
    # It ends.
    "crash-at-hello": Behaviour("crashes while its hello is under way", At.DIALLED, crash_at_hello),
    "crash-after-hello": Behaviour("crashes when it is welcomed", At.WELCOME, crash),
    "crash-in-bid": Behaviour("crashes when it is asked to bid", At.BID, crash),
    "crash-in-play": Behaviour("crashes when it is asked to play", At.PLAY, crash),
    "crash-between-games": Behaviour("crashes when its game is over", At.OVER, crash),
    "crash-with-children": Behaviour("starts children and crashes", At.BID, have_children_and_crash),
    "exit": Behaviour("exits with code 0 when it is asked to play", At.PLAY, exit_quietly),
    "own-error": Behaviour("reports a failure of its own code", At.PLAY, own_code_fails),
    # It is silent.
    "stall": Behaviour("is alive and never answers", At.EVERY, do_nothing),
    "frozen": Behaviour("is stopped by SIGSTOP", At.BID, freeze),
    "never-reads": Behaviour("says hello and never reads", At.DIALLED, never_read),
    "late-by-a-hair": Behaviour("answers right after its clock has run out", At.EVERY, be_late_by_a_hair),
    "late-by-a-lot": Behaviour("answers when the next question is there", At.EVERY, be_late_by_a_lot),
    # It answers wrongly.
    "illegal-card": Behaviour("plays a card that does not follow", At.REVOKE, illegal_card),
    "card-not-held": Behaviour("plays a card that it does not hold", At.PLAY, card_not_held),
    "no-such-card": Behaviour("plays card 4,000,000,000", At.PLAY, no_such_card),
    "bid-zero": Behaviour("bids 0", At.BID, bid_zero),
    "bid-million": Behaviour("bids 1,000,000", At.BID, bid_a_million),
    "wrong-kind": Behaviour("answers a bid with a card", At.BID, wrong_kind),
    "no-answer": Behaviour("sends a move with no answer in it", At.BID, no_answer),
    "another-seat": Behaviour("answers a decision of another seat", At.PLAY, another_seat),
    "another-game": Behaviour("answers in a game that there is not", At.PLAY, another_game),
    "over-decision": Behaviour("answers a decision that is over", At.PLAY, over_decision),
    "same-twice": Behaviour("gives the same answer twice", At.BID, same_twice),
    "several-answers": Behaviour("gives three answers to one decision", At.BID, several_answers),
    # It breaks the stream.
    "garbage": Behaviour("sends bytes that are no message", At.BID, garbage),
    "hello-twice": Behaviour("says hello again", At.BID, hello_twice),
    "too-long": Behaviour("sends a message over the limit", At.BID, too_long),
    "flood": Behaviour("sends thousands of moves that answer nothing", At.BID, flood),
    "goodbye": Behaviour("says goodbye in mid-hand", At.PLAY, say_goodbye),
    "vanish": Behaviour("drops its stream in mid-hand and stays away", At.PLAY, vanish),
    "half-close": Behaviour("closes its half of the stream", At.PLAY, close_half),
    "come-back": Behaviour("drops its stream in mid-hand and comes back", At.PLAY, come_back),
    # It is a nuisance.
    "hundred-streams": Behaviour("opens a hundred streams", At.PLAY, hundred_streams),
    "prints": Behaviour("prints megabytes to stdout and stderr", At.BID, print_megabytes),
    "children": Behaviour("has children that outlive it", At.WELCOME, have_children),
    "daemon": Behaviour("has a child in a session of its own", At.WELCOME, have_a_daemon),
    "stubborn": Behaviour("ignores the goodbye and TERM", At.START, ignore_the_end),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="A bot that is bad on purpose.")
    parser.add_argument("behaviour", nargs="?", choices=BEHAVIOURS)
    parser.add_argument("--list", action="store_true", help="name all behaviours")
    parser.add_argument("--only", type=int, metavar="GAME", help="only in this game of the process, counted from 0")
    given = parser.parse_args()
    if given.list or given.behaviour is None:
        width = max(map(len, BEHAVIOURS))
        for name, behaviour in BEHAVIOURS.items():
            print(f"{name:{width}}  {behaviour.what}")
        return
    print("pid", os.getpid())
    BadBot(BEHAVIOURS[given.behaviour], given.only).run()


if __name__ == "__main__":
    main()
