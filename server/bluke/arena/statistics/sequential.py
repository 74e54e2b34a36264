"""Which of two versions is better, from boards that both played, looked at one at a time.

A board gives one difference: the mean over its seats of the new version's points less the old
one's, in the same seats of the same deal against the same field. After each board there is an
interval for the mean difference that holds at every board at once, however often one looks and
whenever one stops; the verdict is where that interval lies.

The interval is a confidence sequence for the mean of normal values of unknown deviation: those
means against which the Bayes factor of the t statistic is below 1 / error, with effects of
N(0, EFFECT^2) on the other side. Sources: Lai, "On confidence sequences", Annals of Statistics 4,
1976; Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with
unknown variance", Sequential Analysis 44, 2025. What it costs, and what it does with differences
that are not normal, is measured in docs/statistics.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import ceil, expm1, hypot, log, log1p, sqrt
from typing import TYPE_CHECKING

from bluke.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Judgement", "Sequential", "Stopping", "Verdict", "half_width", "judge", "unpaired_games"]

#: The deviation of the effects, in deviations of a board, that the interval is made to find: `c` of the papers. It
#: sets how wide the interval is when, and never how often it is wrong. Smaller is narrower with many boards; larger
#: decides obvious cases sooner, but trusts few boards so much that skewed differences are judged wrongly.
EFFECT = 0.15

#: No board of any game differs by so many points. It keeps squares finite.
LARGEST = 1e12


class Verdict(Enum):
    """What is known of the new version; the value is the phrase for people."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "no difference worth having"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Stopping:
    """What is asked, and how surely it has to be known.

    Attributes:
        worth: the smallest difference worth having, in points a game; above 0.
        error: how often, at most, anything said may be wrong: the verdict, or the interval at whatever board; between
            0 and 1.
        swing: the points a game by which one board more may differ, whatever was seen so far; 0 trusts what was seen.
            It keeps a row of boards that are all alike from being taken for certainty.

    Raises:
        ConfigError: one of them is out of its range.
    """

    worth: float = 5.0
    error: float = 0.05
    swing: float = 75.0

    def __post_init__(self) -> None:
        if not 0 < self.worth <= LARGEST:
            raise ConfigError(f"the difference worth having is {self.worth}: give points a game, more than 0")
        if not 0 < self.error < 1:
            raise ConfigError(f"the error rate is {self.error}: give a number between 0 and 1, such as 0.05")
        if not 0 <= self.swing <= LARGEST:
            raise ConfigError(f"the swing of a board is {self.swing}: give points a game, 0 or more")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known after some boards.

    Attributes:
        verdict: the answer, or that there is none yet.
        boards: how many boards it rests on: those up to the answer.
        differing: how many of them the versions did not score alike.
        mean: the mean difference in points a game; 0 without boards.
        deviation: the deviation of the differences, in points a game; `None` for fewer than two boards.
        low: the lower end of the interval for the difference, in points a game; `None` while it has no ends.
        high: the upper end; `None` with `low`.
    """

    verdict: Verdict
    boards: int
    differing: int
    mean: float
    deviation: float | None
    low: float | None
    high: float | None

    @property
    def known(self) -> bool:
        """Whether there is an answer."""
        return self.verdict is not Verdict.UNDECIDED

    @property
    def clear(self) -> bool:
        """Whether the interval excludes zero, be it worth having or not."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


class Sequential:
    """Judges differences one at a time, at the same cost for each.

    Attributes:
        stopping: what is asked.
        judgement: what is known so far.
    """

    __slots__ = ("_differing", "_mean", "_squares", "judgement", "stopping")

    def __init__(self, stopping: Stopping | None = None) -> None:
        self.stopping = stopping or Stopping()
        self.judgement = Judgement(Verdict.UNDECIDED, 0, 0, 0.0, None, None, None)
        self._differing = 0
        self._mean = 0.0
        self._squares = 0.0

    def add(self, difference: float) -> Judgement:
        """Look at the next board, unless the answer is known: then it is not looked at, and the answer stays.

        Raises:
            ValueError: `difference` is no finite number of points.
        """
        if self.judgement.known:
            return self.judgement
        if not abs(difference) <= LARGEST:
            raise ValueError(f"{difference} is no difference of points")
        boards = self.judgement.boards + 1
        # Welford 1962, since sums of squares cancel where all boards are nearly alike.
        change = difference - self._mean
        self._mean += change / boards
        self._squares += change * (difference - self._mean)
        self._differing += difference != 0
        half = half_width(boards, self._squares + self.stopping.swing**2, self.stopping.error)
        low, high = (None, None) if half is None else (self._mean - half, self._mean + half)
        self.judgement = Judgement(
            verdict=_verdict(low, high, self.stopping.worth),
            boards=boards,
            differing=self._differing,
            mean=self._mean,
            deviation=sqrt(self._squares / (boards - 1)) if boards > 1 else None,
            low=low,
            high=high,
        )
        return self.judgement


def judge(differences: Iterable[float], stopping: Stopping | None = None) -> Judgement:
    """What is known at the first of `differences` at which the answer is, or after all of them.

    They are looked at in their order, and none is after the answer.

    Raises:
        ValueError: one that is looked at is no finite number of points.
    """
    sequential = Sequential(stopping)
    for difference in differences:
        if sequential.add(difference).known:
            break
    return sequential.judgement


def half_width(boards: int, squares: float, error: float) -> float | None:
    """Half the width of the interval after one board or more; `None` while it has no ends.

    `squares` is the sum of the squared deviations from the mean. With `g = 1 + n EFFECT^2` and
    `T = n (mean - m)^2 / squares`, the Bayes factor against the mean `m` is
    `g^(-1/2) ((1 + T) / (1 + T / g))^(n / 2)`. It grows with `T` up to `g^((n - 1) / 2)`; where it is `1 / error`,
    `T = (R - 1) / (1 - R / g)` with `R = (g / error^2)^(1 / n)`.
    """
    log_g = log1p(boards * EFFECT**2)
    log_r = (log_g - 2 * log(error)) / boards
    if log_r >= log_g:
        return None
    return sqrt(expm1(log_r) / -expm1(log_r - log_g) * squares / boards)


def unpaired_games(deviation: float, boards: int, new: float, old: float) -> int | None:
    """How many games would tell as much without pairing: each bot for itself, half of the games each.

    The mean over `boards` differences has the variance `deviation^2 / boards`; the difference of the means of
    `games / 2` games of either bot has `(new^2 + old^2) / (games / 2)`. Where they are equal, so are the width of an
    interval and the power of a test.

    Args:
        deviation: of the boards' differences.
        boards: how many there are.
        new: the deviation of the new version's points in single games.
        old: the deviation of the old version's.

    Returns:
        The games of both together; `None` where the differences hardly vary, so that no number of games would do.
    """
    apart = hypot(new, old)
    if boards < 1 or deviation <= apart / LARGEST:
        return None
    return ceil(2 * boards * (apart / deviation) ** 2)


def _verdict(low: float | None, high: float | None, worth: float) -> Verdict:
    if low is None or high is None:
        return Verdict.UNDECIDED
    # First, so that "better" always means: perhaps by as much as is worth having.
    if -worth < low and high < worth:
        return Verdict.SAME
    if low > 0:
        return Verdict.BETTER
    if high < 0:
        return Verdict.WORSE
    return Verdict.UNDECIDED
