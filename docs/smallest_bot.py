"""A whole bot with nothing but grpcio and the stubs made from proto/: bids one, plays its first legal card."""

import os
import queue
import sys

import grpc

from bluke.v1 import game_pb2, play_pb2, play_pb2_grpc


def answer(turn: play_pb2.Turn) -> play_pb2.Move:
    """Answer one turn; the turn holds all that is needed, so nothing has to be remembered."""
    move = play_pb2.Move(game_id=turn.game_id, decision_id=turn.decision_id)
    if turn.asked == game_pb2.ASKED_CUT:
        move.cut = 0
    elif turn.asked == game_pb2.ASKED_BID:
        move.bid = turn.legal[0]
    else:
        move.card = turn.legal[0]
    return move


said: queue.Queue[play_pb2.PlayRequest | None] = queue.Queue()
token = os.environ.get("BLUKE_TOKEN", "")
said.put(play_pb2.PlayRequest(hello=play_pb2.Hello(token=token, name="smallest", protocols=[1])))
with grpc.insecure_channel(os.environ["BLUKE_SERVER"]) as channel:
    for message in play_pb2_grpc.RefereeServiceStub(channel).Play(iter(said.get, None)):
        if message.HasField("turns"):
            moves = [answer(turn) for turn in message.turns.turns]
            said.put(play_pb2.PlayRequest(moves=play_pb2.Moves(moves=moves)))
        elif message.HasField("refusal"):
            sys.exit(message.refusal.message)
        elif message.HasField("goodbye"):
            said.put(None)
            break
