"""Judging moves before the rules are asked."""

from __future__ import annotations

from typing import Any

import pytest

from bluke.rules import Asked
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.judge import Ruling, judge

ISSUED = [0, 1, 2, 0]


@pytest.mark.parametrize(
    ("decision", "answer", "asked", "seats", "ruling"),
    [
        (4, {"bid": 1}, Asked.BID, (0,), Ruling.ANSWER),
        (4, {"bid": 0}, Asked.BID, (0,), Ruling.ANSWER),
        (4, {"cut": 0}, Asked.CUT, (0,), Ruling.ANSWER),
        (4, {"card": 0}, Asked.PLAY, (0,), Ruling.ANSWER),
        (4, {"card": 0}, Asked.PLAY, (0, 2), Ruling.ANSWER),
        (4, {"bid": 1}, None, (0,), Ruling.STALE),
        (1, {"bid": 1}, Asked.BID, (0,), Ruling.STALE),
        (1, {}, Asked.BID, (0,), Ruling.STALE),
        (2, {"bid": 1}, Asked.BID, (1,), Ruling.STALE),
        (2, {"bid": 1}, Asked.BID, (0,), Ruling.MALFORMED),
        (4, {"bid": 1}, Asked.BID, (1, 2), Ruling.MALFORMED),
        (5, {"bid": 1}, Asked.BID, (0,), Ruling.MALFORMED),
        (0, {"bid": 1}, Asked.BID, (0,), Ruling.MALFORMED),
        (4, {}, Asked.BID, (0,), Ruling.MALFORMED),
        (4, {"card": 1}, Asked.BID, (0,), Ruling.MALFORMED),
        (4, {"bid": 1}, Asked.PLAY, (0,), Ruling.MALFORMED),
    ],
)
def test_judge(decision: int, answer: dict[str, Any], asked: Asked | None, seats: tuple[int, ...], ruling: Ruling):
    """A move is an answer, stale or malformed by what was asked of whom; every ruling but the first says why."""
    move = play_pb.Move(game_id="g", decision_id=decision, **answer)
    judgement = judge(move, issued=ISSUED, asked=asked, seats=seats)
    assert judgement.ruling is ruling
    assert bool(judgement.detail) is (ruling is not Ruling.ANSWER)
