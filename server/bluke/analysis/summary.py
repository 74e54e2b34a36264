"""What an explanation comes to for each seat: the cards, its decisions, and hindsight apart."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import sqrt
from typing import TYPE_CHECKING

from bluke.rules import Asked, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.analysis.explain import Decision, Explanation, HandExplanation

__all__ = ["Luck", "SeatSummary", "summarize"]

#: With fewer hands the sum of their scores is not spread as sums of many are, and nothing is said of luck.
FEW_HANDS = 8
#: How many standard deviations to each side of the mean hold 95% of a sum of many hands.
Z_975 = 1.96


class Luck(Enum):
    """How what a seat scored compares with what its bids were worth on the sampled deals."""

    LESS = "less"
    WITHIN = "within"
    MORE = "more"


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """One seat over the hands that were played to their end.

    Attributes:
        seat: the seat.
        hands: how many hands.
        points: what it scored in them.
        outcomes: how many of its bids were set, made with overtricks and perfect.
        worth: what its bids scored on the sampled deals, on average, all hands added up.
        spread: 95% of such games come out no farther than this from `worth`, by the luck of the cards alone.
        choices: decisions with more than one legal answer, of all hands that were explained.
        regrets: those of them with a regret, the largest first, each with the number of its hand.
        slips: cards that hindsight would have played otherwise.
    """

    seat: int
    hands: int
    points: int
    outcomes: dict[Outcome, int]
    worth: float
    spread: float
    choices: int
    regrets: tuple[tuple[int, Decision], ...]
    slips: int

    @property
    def luck(self) -> Luck | None:
        """Whether luck explains what it scored, if all seats played by the policy; `None` for a few hands."""
        if self.hands < FEW_HANDS:
            return None
        if abs(self.points - self.worth) <= self.spread:
            return Luck.WITHIN
        return Luck.LESS if self.points < self.worth else Luck.MORE

    @property
    def total_regret(self) -> float:
        """All regrets added up."""
        return sum(decision.regret.mean for _, decision in self.regrets if decision.regret is not None)


def summarize(explanation: Explanation) -> tuple[SeatSummary, ...]:
    """Add the hands up for each seat that was asked for."""
    return tuple(_summary(seat, explanation.hands, explanation.samples) for seat in explanation.seats)


def _summary(seat: int, hands: Sequence[HandExplanation], samples: int) -> SeatSummary:
    outcomes = dict.fromkeys(Outcome, 0)
    scored = 0
    worth = variance = 0.0
    for hand in hands:
        facts = next(facts for facts in hand.facts if facts.seat == seat)
        if facts.outcome is None or facts.points is None:
            continue
        outcomes[facts.outcome] += 1
        scored += facts.points
        bid = next(decision for decision in hand.decisions if decision.seat == seat and decision.asked is Asked.BID)
        worth += bid.mean
        # The mean is one of so many deals itself.
        variance += bid.spread * (1 + 1 / samples)
    mine = [(hand.hand, decision) for hand in hands for decision in hand.decisions if decision.seat == seat]
    regrets = [(hand, decision.regret.mean, decision) for hand, decision in mine if decision.regret is not None]
    return SeatSummary(
        seat=seat,
        hands=sum(outcomes.values()),
        points=scored,
        outcomes=outcomes,
        worth=worth,
        spread=Z_975 * sqrt(variance),
        choices=sum(len(decision.options) > 1 for _, decision in mine),
        regrets=tuple((hand, decision) for hand, _, decision in sorted(regrets, key=lambda found: -found[1])),
        slips=sum(len(endgame.slips) for hand in hands for endgame in hand.hindsight if endgame.seat == seat),
    )
