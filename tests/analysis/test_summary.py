from __future__ import annotations

import pytest
from replay.recording import record_game

from bluke.analysis import explain_game
from bluke.analysis.summary import Luck, SeatSummary, summarize
from bluke.replay.reader import read_replay
from bluke.rules import Outcome, Rules


def seat(hands: int, points: int) -> SeatSummary:
    """A seat whose bids were worth 100 ± 50."""
    outcomes = {Outcome.SET: 1, Outcome.OVERTRICKS: 1, Outcome.PERFECT: hands - 2}
    return SeatSummary(0, hands, points, outcomes, worth=100.0, spread=50.0, choices=0, regrets=(), slips=0)


@pytest.mark.parametrize(
    ("points", "luck"), [(49, Luck.LESS), (50, Luck.WITHIN), (100, Luck.WITHIN), (150, Luck.WITHIN), (151, Luck.MORE)]
)
def test_luck(points, luck):
    """What is farther from the worth of the bids than the spread, luck does not explain."""
    assert seat(25, points).luck is luck


def test_few_hands():
    """Of a few hands nothing is said."""
    assert seat(3, 1000).luck is None


def test_summarize(tmp_path):
    """Regrets come largest first with the number of their hand, and unfinished hands count for nothing but them."""
    path = record_game(tmp_path, Rules(3, hands=(6, 6, 6)), seed=1, stop=3 * 7 * 2 + 8, ending=None).path
    explained = explain_game(read_replay(path), samples=6)
    assert [hand.finished for hand in explained.hands] == [True, True, False]
    summaries = summarize(explained)
    assert [summary.seat for summary in summaries] == [0, 1, 2]
    for summary in summaries:
        assert summary.hands == 2
        assert summary.points == sum(hand.facts[summary.seat].points or 0 for hand in explained.hands)
        regrets = [decision.regret.mean for _, decision in summary.regrets if decision.regret is not None]
        assert regrets == sorted(regrets, reverse=True)
        assert summary.total_regret == pytest.approx(sum(regrets))
        for number, decision in summary.regrets:
            assert decision in explained.hands[number].decisions
    # Every bid is worth what its mean says, and two finished hands make the sum.
    bids = [
        decision
        for hand in explained.hands[:2]
        for decision in hand.decisions
        if decision.trick is None and decision.seat == 1
    ]
    assert summaries[1].worth == pytest.approx(sum(bid.mean for bid in bids))
    assert summaries[1].spread == pytest.approx(1.96 * (sum(bid.spread for bid in bids) * 7 / 6) ** 0.5)
