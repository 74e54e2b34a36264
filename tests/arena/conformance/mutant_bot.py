"""A bot that keeps to the protocol, but for one thing that its argument names.

    mutant_bot.py MUTATION

Without a mutation (`none`) it passes every case of the conformance kit. It needs grpcio and the stubs.
"""

from __future__ import annotations

import os
import queue
import random
import signal
import sys
import time
from typing import Any

import grpc
from google.protobuf.unknown_fields import UnknownFieldSet

from bluke.v1 import game_pb2, play_pb2

MUTATION = sys.argv[1]
PLAY = "/bluke.v1.RefereeService/Play"
FIELDS = {game_pb2.ASKED_CUT: "cut", game_pb2.ASKED_BID: "bid", game_pb2.ASKED_PLAY: "card"}
HOPELESS = {
    grpc.StatusCode.ABORTED: "redials-after-aborted",
    grpc.StatusCode.INVALID_ARGUMENT: "redials-after-invalid-argument",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "redials-after-resource-exhausted",
    grpc.StatusCode.UNIMPLEMENTED: "redials-after-unimplemented",
}
GIVES_UP = {
    grpc.StatusCode.CANCELLED: "gives-up-after-cancelled",
    grpc.StatusCode.INTERNAL: "gives-up-after-internal",
    grpc.StatusCode.OK: "takes-ok-for-the-end",
}
VERDICTS = {
    play_pb2.VERDICT_STALE: "ends-at-stale",
    play_pb2.VERDICT_ILLEGAL: "ends-at-illegal",
    play_pb2.VERDICT_MALFORMED: "ends-at-malformed",
}
PASSING = {play_pb2.REFUSAL_REASON_STREAMS, play_pb2.REFUSAL_REASON_CLOSING}


def mutated(*names: str) -> bool:
    return MUTATION in names


def die(why: str) -> None:
    print("dies:", why, file=sys.stderr, flush=True)
    os._exit(7)


def die_if(wrong: object, name: str) -> None:
    """End if this is the mutation and something is as it cannot bear it."""
    if mutated(name) and wrong:
        die(name)


def serialized(request: play_pb2.PlayRequest) -> bytes:
    data = request.SerializeToString()
    return data.replace(b"mutant", b"m\xfftant") if mutated("latin-1") else data


class MutantBot:
    def __init__(self) -> None:
        self.key = b""
        self.said: queue.Queue[play_pb2.PlayRequest | None] = queue.Queue()
        self.most = 65536
        self.welcomed = False
        self.welcomes = 0
        self.started: dict[str, set[int]] = {}
        self.over: set[str] = set()
        self.scored: dict[str, int] = {}
        self.waiting: list[play_pb2.Turn] = []
        self.again = 0
        self.answers: dict[tuple[str, int], int] = {}

    def run(self) -> None:
        pause = 0.05
        while True:
            status = self.converse()
            die_if(not self.welcomed, "gives-up-before-the-welcome")
            die_if(status is grpc.StatusCode.UNAVAILABLE, "never-redials")
            if status in HOPELESS and not mutated(HOPELESS[status]):
                die(f"hopeless: {status}")
            die_if(True, GIVES_UP.get(status, ""))
            die_if(pause > 0.1, "dials-twice-at-most")
            if self.welcomed:
                pause = 0.05
            if not mutated("dials-without-a-pause"):
                time.sleep(random.uniform(pause / 2, pause))
            pause = min(2 * pause, 2.0)

    def hello(self) -> play_pb2.Hello:
        hello = play_pb2.Hello(name="mutant", protocols=[1], token=os.environ["BLUKE_TOKEN"], wants_events=True)
        hello.resume_key = self.key
        if mutated("speaks-version-2"):
            hello.protocols[:] = [2]
        if mutated("long-name"):
            hello.name = "ä" * 33
        if mutated("sdk-in-words"):
            hello.sdk = "none of your business"
        if mutated("wrong-token") or (mutated("token-only-once") and self.key):
            hello.token = "something else"
        if mutated("key-at-first") and not self.key:
            hello.resume_key = b"key"
        if mutated("key-only-once") and self.welcomes > 1:
            hello.resume_key = b""
        return hello

    def converse(self) -> grpc.StatusCode:
        self.said = queue.Queue()
        self.welcomed = False
        if mutated("moves-before-hello"):
            self.say(play_pb2.PlayRequest(moves=play_pb2.Moves()))
        self.say(play_pb2.PlayRequest(hello=self.hello()))
        options = [("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1)]
        if mutated("small-receive-limit"):
            options.append(("grpc.max_receive_message_length", 500_000))
        address = os.environ.get("BLUKE_SERVER", "127.0.0.1:7373" if mutated("dials-a-default") else "")
        if not address:
            die("BLUKE_SERVER is not set")
        die_if(address.startswith("unix:"), "dials-tcp-only")
        with grpc.insecure_channel(address, options) as channel:
            if mutated("ends-at-goaway"):
                ready = False

                def changed(state: grpc.ChannelConnectivity) -> None:
                    nonlocal ready
                    die_if(ready and state is not grpc.ChannelConnectivity.READY, "ends-at-goaway")
                    ready = state is grpc.ChannelConnectivity.READY

                channel.subscribe(changed)
            play = channel.stream_stream(PLAY, serialized, play_pb2.PlayResponse.FromString)
            call: Any = play(iter(self.said.get, None), timeout=100 if mutated("deadline") else None)
            if mutated("second-stream"):
                self.other = play(iter(queue.Queue().get, None))
            if mutated("impatient"):
                signal.alarm(2)
            try:
                for message in call:
                    self.hear(message)
            except grpc.RpcError:
                pass
            status: grpc.StatusCode = call.code()
            self.said.put(None)
            return status

    def say(self, request: play_pb2.PlayRequest) -> None:
        self.said.put(request)

    def hear(self, message: play_pb2.PlayResponse) -> None:
        signal.alarm(0)
        die_if(len(UnknownFieldSet(message)) and message.WhichOneof("payload"), "refuses-unknown-fields")
        payload = message.WhichOneof("payload")
        if payload is None:
            die_if(True, "refuses-unknown-payloads")
            return
        getattr(self, payload)(getattr(message, payload))

    def welcome(self, welcome: play_pb2.Welcome) -> None:
        self.key = welcome.resume_key
        self.most = welcome.limits.max_message_bytes
        self.welcomed = True
        self.welcomes += 1
        if mutated("chatty"):
            self.say(play_pb2.PlayRequest(moves=play_pb2.Moves()))
        if mutated("impatient"):
            signal.alarm(2)

    def refusal(self, refusal: play_pb2.Refusal) -> None:
        reason = refusal.reason
        if mutated("names-the-reason"):
            play_pb2.RefusalReason.Name(reason)
        if reason == play_pb2.REFUSAL_REASON_RESUME and not mutated("gives-up-lost-seats"):
            self.key = b""
            return
        if mutated("hangs-when-it-passes") and reason in PASSING:
            signal.pause()
        if not mutated("refused-quietly"):
            print("refused:", refusal.message, file=sys.stderr, flush=True)
        os._exit(0 if mutated("refused-happily") else 3)

    def game_started(self, started: play_pb2.GameStarted) -> None:
        self.started.setdefault(started.game_id, set()).add(started.seat)
        die_if(started.rules.variant == game_pb2.VARIANT_UNSPECIFIED, "refuses-unspecified")
        if mutated("prints-names-as-ascii"):
            for player in started.players:
                player.name.encode("ascii")

    def turns(self, turns: play_pb2.Turns) -> None:
        self.waiting += turns.turns
        if mutated("answers-in-pairs") and len(self.waiting) < 2:
            return
        asked, self.waiting = self.waiting, []
        if mutated("answers-one-of-a-list"):
            asked = asked[:1]
        moves = [move for turn in asked if (move := self.answer(turn)) is not None]
        sent: list[play_pb2.Move] = []
        size = 0
        for move in moves:
            size += move.ByteSize() + 8
            if size > self.most - 16 and not mutated("one-message-whatever"):
                self.say(play_pb2.PlayRequest(moves=play_pb2.Moves(moves=sent)))
                sent, size = [], move.ByteSize() + 8
            sent.append(move)
        self.say(play_pb2.PlayRequest(moves=play_pb2.Moves(moves=sent)))

    def answer(self, turn: play_pb2.Turn) -> play_pb2.Move | None:
        self.burden(turn)
        if turn.again:
            self.again += 1
            if mutated("ignores-again") or (mutated("one-again") and self.again > 1):
                return None
        if mutated("one-seat") and turn.seat != min(self.started[turn.game_id]):
            return None
        if mutated("one-game") and turn.game_id != next(iter(self.started), turn.game_id):
            return None
        if turn.asked not in FIELDS:
            die_if(True, "refuses-unknown-questions")
            return None
        move = play_pb2.Move(game_id=turn.game_id, decision_id=turn.decision_id)
        if mutated("tidies-ids"):
            move.game_id = turn.game_id.strip()
        if mutated("small-numbers"):
            move.decision_id &= 0xFFFFFFFF
        setattr(move, FIELDS[turn.asked], self.value(turn))
        return move

    def value(self, turn: play_pb2.Turn) -> int:
        """The first legal answer."""
        view, rules = turn.view, turn.view.rules
        value = turn.legal[0]
        if mutated("bids-zero") and turn.asked == game_pb2.ASKED_BID:
            value = 0
        if mutated("plays-by-position") and turn.asked == game_pb2.ASKED_PLAY:
            value = list(view.cards).index(value)
        if mutated("own-rules") and rules.variant == game_pb2.VARIANT_NEW_JERSEY and turn.asked == game_pb2.ASKED_PLAY:
            value = view.cards[0]
        if mutated("late-mistake") and view.hand == 4 and turn.asked == game_pb2.ASKED_BID:
            value = view.size + 1
        if mutated("remembers-answers"):
            value = self.answers.setdefault((turn.game_id, turn.decision_id), value)
        return value

    def burden(self, turn: play_pb2.Turn) -> None:
        """What a mutant cannot bear in a turn."""
        view, rules = turn.view, turn.view.rules
        bidding = turn.asked == game_pb2.ASKED_BID
        die_if(turn.game_id not in self.started, "needs-the-beginning")
        die_if(turn.asked == game_pb2.ASKED_CUT and not view.HasField("trump"), "needs-a-trump")
        die_if(bidding and not view.HasField("turned"), "needs-a-turned-card")
        die_if(view.size > 8, "small-hands")
        die_if(rules.seats > 10, "small-tables")
        die_if(not turn.HasField("decision_left_ms"), "needs-a-clock")
        die_if(turn.last.by_referee, "ends-when-answered-for")
        die_if(rules.variant == game_pb2.VARIANT_UNSPECIFIED, "refuses-unspecified")
        die_if(view.hand != self.scored.get(turn.game_id, 0), "needs-the-scores")
        if mutated("names-the-rules"):
            game_pb2.Trump.Name(view.trump)
            game_pb2.Variant.Name(rules.variant)

    def notice(self, notice: play_pb2.MoveNotice) -> None:
        if mutated("names-the-causes"):
            play_pb2.Verdict.Name(notice.verdict)
        die_if(True, VERDICTS.get(notice.verdict, ""))

    def fault(self, fault: play_pb2.FaultNotice) -> None:
        die_if(fault.kind == play_pb2.FAULT_KIND_TIMEOUT, "ends-at-timeout")
        die_if(fault.played_out, "ends-when-played-out")
        die_if(fault.game_id not in self.started, "needs-to-know-games")

    def hand_scored(self, scored: play_pb2.HandScored) -> None:
        self.scored[scored.game_id] = scored.result.hand + 1
        die_if(scored.game_id not in self.started, "needs-to-know-games")

    def game_over(self, over: play_pb2.GameOver) -> None:
        die_if(over.game_id in self.over, "refuses-a-second-result")
        self.over.add(over.game_id)
        if mutated("needs-a-place"):
            min(over.result.places)
        die_if(not over.HasField("game_seed"), "needs-the-seed")

    def seed_revealed(self, _: play_pb2.SeedRevealed) -> None:
        """Nothing to do."""

    def events(self, events: play_pb2.Events) -> None:
        die_if(any(event.game_id not in self.started for event in events.events), "needs-to-know-games")

    def goodbye(self, _: play_pb2.Goodbye) -> None:
        if mutated("ignores-goodbye") or (mutated("ignores-an-early-goodbye") and not self.welcomed):
            signal.pause()
        open_games = set(self.started) - self.over
        os._exit(5 if mutated("minds-open-games") and open_games else 0)


if __name__ == "__main__":
    if mutated("ignores-sigterm"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if mutated("impatient"):
        signal.signal(signal.SIGALRM, lambda *_: die("impatient"))
    MutantBot().run()
