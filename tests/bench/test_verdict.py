from __future__ import annotations

import pytest

from bluke.bench.verdict import ENOUGH, Goal, Spread, Verdict, judge, spread

LEAST = Goal("ratio", 2.0)
MOST = Goal("ratio", 2.0, most=True)


def pairs(*values: float) -> list[dict[str, float]]:
    return [{"ratio": value} for value in values]


def test_spread():
    """The median, and the ends."""
    assert spread(pairs(3, 1, 9, 2), "ratio") == Spread(2.5, 1, 9)


@pytest.mark.parametrize(
    ("goal", "median", "verdict"),
    [
        (LEAST, 2.0, Verdict.MET),
        (LEAST, 1.99, Verdict.MISSED),
        (MOST, 2.0, Verdict.MET),
        (MOST, 2.01, Verdict.MISSED),
    ],
)
def test_judge_by_the_median(goal: Goal, median: float, verdict: Verdict):
    """The median alone counts, whatever the pairs at the ends say; a goal that is just reached is met."""
    assert judge(goal, pairs(0, 0, 0, median, 99, 99, 99), quick=False) is verdict


def test_judge_too_few():
    """Fewer than seven pairs say nothing, and short ones neither."""
    assert judge(LEAST, pairs(*[3.0] * (ENOUGH - 1)), quick=False) is Verdict.NONE
    assert judge(LEAST, pairs(*[3.0] * ENOUGH), quick=True) is Verdict.NONE


def test_judge_without_a_goal():
    """A figure that is only shown is never met or missed."""
    assert judge(Goal("ratio", None), pairs(*[3.0] * ENOUGH), quick=False) is Verdict.SHOWN
    assert judge(Goal("ratio", None), pairs(3.0), quick=True) is Verdict.SHOWN
