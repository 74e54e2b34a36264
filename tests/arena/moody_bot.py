"""A bot that plays its first legal answer and has moods, given as arguments.

die=N         exit code 7 instead of its Nth answer
hang=N        no answer from the Nth on
one           it will play one game at a time, and leaves with exit code 9 if it is asked to play two
stubborn      goodbyes and TERM are nothing to it
child         a child that outlives it, in its process group
"""

import os
import queue
import signal
import subprocess
import sys

import grpc

from bluke.v1 import game_pb2, play_pb2, play_pb2_grpc

MOODS = dict(word.partition("=")[::2] for word in sys.argv[1:])
print("pid", os.getpid())
if "stubborn" in MOODS:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "child" in MOODS:
    print("pid", subprocess.Popen(["sleep", "1000"]).pid)

said: queue.Queue[play_pb2.PlayRequest | None] = queue.Queue()
hello = play_pb2.Hello(token=os.environ["BLUKE_TOKEN"], name="moody", protocols=[1])
if "one" in MOODS:
    hello.max_games = 1
said.put(play_pb2.PlayRequest(hello=hello))
answers = 0
games: set[str] = set()
with grpc.insecure_channel(os.environ["BLUKE_SERVER"]) as channel:
    for message in play_pb2_grpc.RefereeServiceStub(channel).Play(iter(said.get, None)):
        if message.HasField("game_started"):
            games.add(message.game_started.game_id)
            if "one" in MOODS and len(games) > 1:
                os._exit(9)
        elif message.HasField("game_over"):
            games.discard(message.game_over.game_id)
        elif message.HasField("turns"):
            for turn in message.turns.turns:
                answers += 1
                if str(answers) == MOODS.get("die"):
                    print("I die \x1b[31mnow", file=sys.stderr)
                    os._exit(7)
                if answers >= int(MOODS.get("hang", sys.maxsize)):
                    continue
                move = play_pb2.Move(game_id=turn.game_id, decision_id=turn.decision_id)
                setattr(
                    move, {game_pb2.ASKED_CUT: "cut", game_pb2.ASKED_BID: "bid"}.get(turn.asked, "card"), turn.legal[0]
                )
                said.put(play_pb2.PlayRequest(moves=play_pb2.Moves(moves=[move])))
        elif message.HasField("goodbye") and "stubborn" not in MOODS:
            said.put(None)
            break
while "stubborn" in MOODS:
    signal.pause()
