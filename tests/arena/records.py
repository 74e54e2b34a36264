"""Game records for the tests, made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.arena.record import DecisionTimes, FaultRecord, GameRecord
from bluke.rules.score import places
from bluke.wire.values import FaultKind, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

Outcomes = tuple[int, int, int]


def game(
    board: int,
    bots: Sequence[str],
    totals: Sequence[int],
    *,
    match: str = "m",
    status: Status = Status.COMPLETE,
    faults: Sequence[tuple[int, FaultKind]] = (),
    outcomes: Sequence[Outcomes] | None = None,
    versions: Sequence[str] | None = None,
    times_ms: Sequence[Sequence[float]] = (),
) -> GameRecord:
    times = []
    for decisions in times_ms or [[]] * len(bots):
        counted = DecisionTimes()
        counted.add(decisions)
        times.append(sorted(counted.counts.items()))
    tricks = [[0] * s + [2] * o + [1] * p for s, o, p in outcomes or [(0, 0, 0)] * len(bots)]
    return GameRecord(
        match=match,
        number=0,
        board=board,
        rotation=0,
        game=f"{match}-{board}-{'-'.join(bots)}",
        bots=list(bots),
        versions=list(versions or [""] * len(bots)),
        status=status,
        totals=list(totals),
        places=None if status is Status.VOID else list(places(tuple(totals), ())),
        faults=[FaultRecord(seat=seat, kind=kind, hand=0, detail="") for seat, kind in faults],
        played_out=[],
        sizes=[1] * max(map(len, tricks)),
        bids=[[1] * len(taken) for taken in tricks],
        tricks=tricks,
        times=times,
        replay="replays/x.jsonl",
        seconds=1.0,
    )
