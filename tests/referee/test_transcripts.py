"""Golden transcripts: all that every seat is told, step by step, so that a leak or a change is a diff.

`UPDATE_GOLDEN=1 pytest tests/referee/test_transcripts.py` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from google.protobuf import text_format

from bluke.rules import BlukeLed, CutRule, Rules, Variant
from bluke.wire.values import GameLimits, Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.conftest import Desks
    from referee.desk import Desk

GOLDEN = Path(__file__).parent.parent / "golden" / "transcripts"


def plain(desk: Desk) -> None:
    desk.answer()


def highest(desk: Desk) -> None:
    desk.answer(max(desk.turn.legal))


def with_faults(desk: Desk) -> None:
    """Seat 1 bids nothing, then plays what it does not hold, then is silent."""
    turn = desk.turn
    if turn.seat != 1 or desk.table.seats[1].faults == 3:
        desk.answer()
    elif desk.table.seats[1].faults < 2:
        desk.answer(0 if turn.view.bids[1] == 0 else 54)
    else:
        desk.clock.pass_time(100)
        desk.collect()


CASES: dict[str, tuple[dict[str, object], Callable[[Desk], None]]] = {
    "standard": ({"rules": Rules(3, hands=(2, 1))}, plain),
    "two-seats-cut-by-player": ({"rules": Rules(2, hands=(2, 1), cut=CutRule.PLAYER)}, highest),
    "new-jersey": ({"rules": Rules(3, Variant.NEW_JERSEY, max_hand=2)}, highest),
    "bluke-led-asks-for-trumps": ({"rules": Rules(4, hands=(2,), bluke_led=BlukeLed.TRUMP)}, highest),
    "whole-pack": ({"rules": Rules(9, hands=(6,)), "seed": b"whole"}, plain),
    "faults-lenient": (
        {"rules": Rules(3, hands=(2, 1)), "limits": GameLimits(decision_ms=100, bank_ms=50), "events": True},
        with_faults,
    ),
    "faults-strict": ({"rules": Rules(3, hands=(2,)), "limits": GameLimits(policy=Policy.STRICT)}, with_faults),
}


def transcript(desk: Desk, step: Callable[[Desk], None]) -> Iterator[str]:
    """Every message to every seat, in order."""
    told = [0] * len(desk.bots)

    def news() -> Iterator[str]:
        for seat, sent in enumerate(desk.sent):
            for message in sent[told[seat] :]:
                yield f"to seat {seat}: {text_format.MessageToString(message, as_one_line=True)}"
            told[seat] = len(sent)

    desk.start()
    yield from news()
    number = 0
    while desk.table.result is None:
        number += 1
        yield f"--- step {number}: seat {desk.table.game.seat}"
        desk.clock.pass_time(0.001)
        step(desk)
        yield from news()
    desk.close()
    yield "--- the end"
    yield from news()


@pytest.mark.parametrize("name", CASES)
def test_transcript(desks: Desks, name: str):
    """Each seat is told what it was told before."""
    options, step = CASES[name]
    lines = "\n".join(transcript(desks(**options), step)) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(lines, encoding="utf-8")
    assert lines == path.read_text(encoding="utf-8")
