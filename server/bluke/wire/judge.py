"""What a move is before the rules are asked: a function of data (who was asked what, and when)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from bluke.rules import Asked

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bluke.v1 import play_pb2 as play_pb

__all__ = ["Judgement", "Ruling", "judge"]


class Ruling(Enum):
    """What a move is."""

    #: It answers the open decision, and in the kind that was asked.
    ANSWER = "answer"
    #: Its decision is over; no fault.
    STALE = "stale"
    #: A fault.
    MALFORMED = "malformed"


class Judgement(NamedTuple):
    """A ruling, and a sentence for the bot's author where it is not an answer."""

    ruling: Ruling
    detail: str = ""


ANSWER = Judgement(Ruling.ANSWER)

#: The field of a move that answers what is asked.
ANSWER_FIELDS = {Asked.CUT: "cut", Asked.BID: "bid", Asked.PLAY: "card"}


def judge(move: play_pb.Move, *, issued: Sequence[int], asked: Asked | None, seats: Collection[int]) -> Judgement:
    """Judge a move by a bot that sits in `seats` of the game.

    Args:
        move: what the bot sent.
        issued: the seat that each decision of the game so far was asked of; decision 1 is `issued[0]`.
        asked: what the newest of these decisions asks, `None` if it is over.
        seats: the bot's own seats in that game.
    """
    decision = move.decision_id
    if not 1 <= decision <= len(issued):
        return Judgement(
            Ruling.MALFORMED, f"decision {decision} was never asked; the newest of this game is {len(issued)}"
        )
    if issued[decision - 1] not in seats:
        return Judgement(
            Ruling.MALFORMED, f"decision {decision} is seat {issued[decision - 1]}'s, which is not this bot's"
        )
    if asked is None or decision < len(issued):
        return Judgement(Ruling.STALE, f"decision {decision} is over")
    field, given = ANSWER_FIELDS[asked], move.WhichOneof("answer")
    if given != field:
        return Judgement(
            Ruling.MALFORMED,
            f"decision {decision} asks for a {field}, and the move holds {'a ' + given if given else 'no answer'}",
        )
    return ANSWER
