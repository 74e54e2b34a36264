from __future__ import annotations

from typing import Any

import msgspec
import pytest
from arena.report.hands import played, report_of, run_of
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.record import FaultRecord, GameRecord
from bluke.arena.report.sound import problem
from bluke.wire.values import FaultKind

GOOD = played(0, "ab", (1, [(1, 1), (1, 0)]), times_ms=[1])


def test_a_sound_record():
    """What the arena records is sound, forfeited before the first hand or not, and with guests."""
    assert problem(run_of("ab"), [GOOD, played(1, "ba", totals=[0, 0])]) is None
    assert problem(run_of(""), [GOOD]) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bots": ["a"]}, "its lists are not for 2 seats"),
        ({"totals": [1, 2, 3]}, "its lists are not for 2 seats"),
        ({"places": [1]}, "its lists are not for 2 seats"),
        ({"bots": ["a", "x"]}, "it was played by a bot that is not in the roster"),
        ({"sizes": []}, "its bids and tricks are not for 0 hands"),
        ({"played_out": [2]}, "it has a seat that there is not"),
        (
            {"faults": [FaultRecord(seat=-1, kind=FaultKind.CRASH, hand=0, detail="")]},
            "it has a seat that there is not",
        ),
        ({"totals": [10**400, 0]}, "it has a number that no game has"),
        ({"sizes": [55]}, "it has a hand that cannot be dealt"),
        ({"bids": [[2], [1]]}, "it has more tricks than cards"),
        ({"tricks": [[0], [-1]]}, "it has more tricks than cards"),
        ({"times": [[(10**6, 1)], []]}, "it has times that no decision takes"),
        ({"times": [[(1, -1)], []]}, "it has times that no decision takes"),
    ],
)
def test_records_that_cannot_be(change: dict[str, Any], said: str):
    """The first thing that is wrong is said, and in which game."""
    bad = msgspec.structs.replace(GOOD, **change)
    assert problem(run_of("ab"), [GOOD, bad]) == f"game m-0-0: {said}"


@given(st.data())
def test_what_is_sound_has_a_report(data: st.DataObject):
    """Whatever else such a record says, there is a page of it."""
    numbers = st.integers(-(10**9), 10**9)
    hands = data.draw(st.integers(0, 3))
    sizes = data.draw(st.lists(st.integers(1, 54), min_size=hands, max_size=hands))
    row = st.tuples(*(st.integers(0, size) for size in sizes)).map(list)
    rows = st.lists(row, min_size=2, max_size=2)
    times = st.lists(
        st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 10**9)), max_size=2), min_size=2, max_size=2
    )
    games = []
    for turn in range(data.draw(st.integers(0, 4))):
        game: GameRecord = msgspec.structs.replace(
            GOOD,
            number=turn,
            board=data.draw(st.integers(0, 1)),
            bots=data.draw(st.lists(st.sampled_from("ab"), min_size=2, max_size=2)),
            totals=data.draw(st.lists(numbers, min_size=2, max_size=2)),
            sizes=sizes,
            bids=data.draw(rows),
            tricks=data.draw(rows),
            times=data.draw(times),
        )
        games.append(game)
    assert problem(run_of("ab"), games) is None
    assert report_of(run_of("ab"), games).endswith("</html>")
