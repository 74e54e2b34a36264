"""What each answer to one decision would have scored, over deals that the seat could not rule out.

Everything here follows from a `Known`: what the seat knew, and nothing that it did not.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

from bluke.analysis.known import Known, Reading, read
from bluke.analysis.paired import estimate
from bluke.analysis.playout import Position, play_out, touching
from bluke.analysis.policy import POLICIES
from bluke.analysis.sampler import Sampler
from bluke.rules import CardSet, points

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bluke.analysis.policy import Policy
    from bluke.rules import Card

    #: An answer as the playouts take it: a bid, or the lowest of cards that are as good as each other, as a set.
    Answer = int
    Score = Callable[[Reading, Policy, list[int], Answer], int]

__all__ = ["CONFIRM", "Option", "Regret", "Weighed", "legal_answers", "weigh"]

#: What looks better is dealt again, so many times the deals of the first look: the winner of a comparison looks
#: better than it is on the deals that it won on.
CONFIRM = 4
#: It is dealt again if its lead is more than this part of the half width of the interval of the first look.
WORTH_CONFIRMING = 0.5


@dataclass(frozen=True, slots=True)
class Option:
    """A legal answer, and the mean of what the seat scored in this hand after it."""

    value: int | Card
    mean: float


@dataclass(frozen=True, slots=True)
class Regret:
    """How much another answer would have scored more on average; only made where that is sure enough.

    Attributes:
        better: the other answer.
        mean: points in this hand.
        margin: half the width of the 95% interval, which does not reach down to zero.
        deals: how many deals both answers were played out on.
    """

    better: int | Card
    mean: float
    margin: float
    deals: int


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the estimates say of one decision.

    Attributes:
        options: every legal answer, in rising order.
        spread: the variance of the score after the answer given, from deal to deal.
        regret: `None` where no other answer is surely better.
    """

    options: tuple[Option, ...]
    spread: float
    regret: Regret | None


def legal_answers(known: Known) -> tuple[int | Card, ...]:
    """What the seat may answer: a bid while it has not made one, then a card."""
    if len(known.bids) < known.rules.seats:
        return tuple(range(1, known.size + 1))
    reading = read(known)
    return tuple(CardSet(reading.position.legal(reading.held)))


def weigh(known: Known, value: int | Card, samples: int, policy: str) -> Weighed:
    """Play every legal answer out on the same sampled deals.

    Args:
        known: what the seat knew.
        value: what it answered, a legal answer.
        samples: deals for the first look at all answers, 2 or more.
        policy: the name of the policy by which all seats play on.
    """
    reading = read(known)
    seated = POLICIES[policy](reading.table)
    sampler = Sampler(reading, seated)
    answers: dict[int | Card, Answer] = {}
    if isinstance(value, int):
        score: Score = _score_bid
        answers = {bid: bid for bid in range(1, known.size + 1)}
    else:
        score = _score_card
        answers = _alike(reading)
    mine = answers[value]
    roll = _dice(known, "first")
    deals = [sampler.deal(roll) for _ in range(samples)]
    scores = {
        answer: [score(reading, seated, hands, answer) for hands in deals] for answer in dict.fromkeys(answers.values())
    }
    means = {answer: fmean(found) for answer, found in scores.items()}
    best = max(means, key=lambda answer: (means[answer], answer == mine))
    regret = None
    if best != mine and _worth_confirming(scores[best], scores[mine]):
        roll = _dice(known, "again")
        deals = [sampler.deal(roll) for _ in range(CONFIRM * samples)]
        gain = estimate([score(reading, seated, hands, best) - score(reading, seated, hands, mine) for hands in deals])
        if gain.positive:
            better = next(value for value, answer in answers.items() if answer == best)
            regret = Regret(better, gain.mean, gain.margin, gain.values)
    return Weighed(
        options=tuple(Option(value, means[answer]) for value, answer in answers.items()),
        spread=_variance(scores[mine]),
        regret=regret,
    )


def _worth_confirming(best: Sequence[int], mine: Sequence[int]) -> bool:
    lead = estimate([one - other for one, other in zip(best, mine, strict=True)])
    return lead.mean > WORTH_CONFIRMING * lead.margin


def _alike(reading: Reading) -> dict[int | Card, Answer]:
    """The legal cards, each with the card that stands for all that are as good."""
    position = reading.position
    legal = position.legal(reading.held)
    table_card = 0 if position.best < 0 else 1 << position.best
    stands = {}
    for group in touching(legal, reading.hidden | table_card):
        for card in CardSet(group):
            stands[card] = group & -group
    return dict(sorted(stands.items()))


def _score_bid(reading: Reading, policy: Policy, hands: list[int], bid: int) -> int:
    me = reading.seat
    needs = [made or policy.bid(held) for made, held in zip(reading.bids, hands, strict=True)]
    needs[me] = bid
    play_out(policy, hands.copy(), needs, Position.first(reading.table), me)
    return points(bid, bid - needs[me])


def _score_card(reading: Reading, policy: Policy, hands: list[int], card: int) -> int:
    me = reading.seat
    needs = [bid - taken for bid, taken in zip(reading.bids, reading.taken, strict=True)]
    hands = hands.copy()
    hands[me] ^= card
    play_out(policy, hands, needs, reading.position.after(reading.table, card), me)
    return points(reading.bids[me], reading.bids[me] - needs[me])


def _dice(known: Known, purpose: str) -> Callable[[], float]:
    """Make the dice of one decision: they follow from the game's id and where in the game it is.

    `random` alone is the same in every version of Python.
    """
    where = f"{known.game}/{known.hand}/{known.seat}/{len(known.bids)}/{len(known.plays)}/{purpose}"
    return Random(int.from_bytes(sha256(where.encode()).digest(), "big")).random  # noqa: S311 - to be repeated


def _variance(scores: Sequence[int]) -> float:
    mean = fmean(scores)
    return sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
