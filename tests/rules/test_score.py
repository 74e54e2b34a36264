from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rules import naive
from rules.helpers import vectors

from bluke.errors import RuleError
from bluke.rules import Outcome, outcome, places, points
from bluke.rules.score import hand_points

SCORECARDS = vectors("scorecards")
totals = st.lists(st.integers(-30, 30), min_size=2, max_size=15)


@pytest.mark.parametrize("case", SCORECARDS["cases"], ids=str)
def test_score_a_hand(case):
    """Points, totals and outcomes are those of the vectors (RULES 7)."""
    pairs = list(zip(case["bids"], case["tricks"], strict=True))
    assert [points(bid, tricks) for bid, tricks in pairs] == case["points"]
    assert [outcome(bid, tricks).value for bid, tricks in pairs] == case["outcomes"]
    if sum(case["tricks"]) == case["size"]:
        assert list(hand_points(case["size"], case["bids"], case["tricks"])) == case["points"]
    assert case.get("totals", case["points"]) == case["points"]


@pytest.mark.parametrize("case", SCORECARDS["invalid"], ids=str)
def test_score_tricks_that_do_not_add_up(case):
    """A scorecard whose tricks are not as many as the hand's cards is an error (RULES 9)."""
    with pytest.raises(RuleError, match=case["why"].replace("tricks", "the tricks")) as caught:
        hand_points(case["size"], case["bids"], case["tricks"])
    assert caught.value.rule == "9"


def test_add_up_a_published_sheet():
    """For each hand of the sheet some tricks, as many as there are cards, explain the totals from its bids."""
    sheet = SCORECARDS["sheet"]
    before = [0, 0, 0, 0]
    for size, bids, after in zip(sheet["hands"], sheet["bids"], sheet["totals"], strict=True):
        gained = [new - old for old, new in zip(before, after, strict=True)]
        ways = [
            [tricks for tricks in range(size + 1) if points(bid, tricks) == won]
            for bid, won in zip(bids, gained, strict=True)
        ]
        explained = [tricks for tricks in itertools.product(*ways) if sum(tricks) == size]
        assert explained, (size, bids, gained)
        assert all(list(hand_points(size, bids, tricks)) == gained for tricks in explained)
        before = after


@pytest.mark.parametrize("bid", range(1, 28))
def test_score_every_bid(bid):
    """Points are as written in RULES 7.1 and 7.2, and the outcome can be read off them."""
    for tricks in range(28):
        won = points(bid, tricks)
        assert won == naive.points(bid, tricks)
        assert (outcome(bid, tricks) is Outcome.SET) == (won < 0)
        assert (outcome(bid, tricks) is Outcome.PERFECT) == (won == 10 * bid)
        assert (outcome(bid, tricks) is Outcome.OVERTRICKS) == (won > 10 * bid)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([50, 50, 20, 10], (1, 1, 3, 4)),
        ([10, 20, 20, 50], (4, 2, 2, 1)),
        ([0, 0, 0], (1, 1, 1)),
        ([-10, 10], (2, 1)),
    ],
)
def test_place(scores, expected):
    """Equal totals share the better place (RULES 7.3)."""
    assert places(scores) == expected


def test_place_seats_behind():
    """Seats that are put behind come after all others, by their totals among themselves."""
    assert places([90, 10, 90, 20], behind={0, 2}) == (3, 2, 3, 1)
    assert places([90, 10, 80, 20], behind={0, 2}) == (3, 2, 4, 1)
    assert places([5, 7], behind={0, 1}) == (2, 1)


@given(totals, st.data())
def test_place_by_counting(scores, data):
    """A place is one more than the seats that are better; only the order of totals matters, not the seats'."""
    behind = data.draw(st.sets(st.sampled_from(range(len(scores)))))
    placed = places(scores, behind)
    for seat, score in enumerate(scores):
        better = 0
        for other, total in enumerate(scores):
            if (other in behind) == (seat in behind):
                better += total > score
            else:
                better += seat in behind
        assert placed[seat] == 1 + better
    order = data.draw(st.permutations(range(len(scores))))
    moved = places([scores[seat] for seat in order], {place for place, seat in enumerate(order) if seat in behind})
    assert moved == tuple(placed[seat] for seat in order)


@given(totals)
def test_place_a_whole_table(scores):
    """Somebody wins, and sorted places count up with shared ones repeated."""
    placed = places(scores)
    assert max(scores) == scores[placed.index(1)]
    for place in placed:
        assert sum(other < place for other in placed) == place - 1
    assert len(set(placed)) == len(set(scores))
