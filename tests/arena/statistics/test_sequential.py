from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, chain, count, repeat
from math import exp, inf, isfinite, log, log1p, nan, sqrt
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.statistics.sequential import (
    EFFECT,
    Judgement,
    Sequential,
    Stopping,
    Verdict,
    half_width,
    judge,
    unpaired_games,
)
from bluke.errors import ConfigError

PLAIN = Stopping(swing=0)
OPPOSITE = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}

#: Means over four seats are quarters of a point.
quarters = st.integers(-400, 400).map(lambda n: n / 4)
boards = st.lists(quarters, max_size=80)
#: Boards that often have an answer, of one kind or another.
leaning = st.tuples(st.integers(-60, 60), st.integers(0, 80), st.randoms(use_true_random=False)).map(
    lambda made: [made[0] + made[2].randint(-made[1], made[1]) / 4 for _ in range(120)]
)


def log_bayes_factor(n: int, spread: float) -> float:
    """Of the t statistic, `spread` being its square over its degrees of freedom."""
    g = 1 + n * EFFECT**2
    return -log(g) / 2 + n / 2 * (log1p(spread) - log1p(spread / g))


def ends(judgement: Judgement) -> tuple[float, float]:
    """The interval of a judgement that has one."""
    assert judgement.low is not None
    assert judgement.high is not None
    return judgement.low, judgement.high


# --- the interval --------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "error"), [(19, 0.05), (20, 0.05), (40, 0.05), (100, 0.05), (15, 0.2), (40, 0.01)])
def test_the_interval_against_the_integral(n: int, error: float):
    """At the ends of the interval the t statistic is 1 / error times as likely with effects of N(0, EFFECT^2)."""
    stats = pytest.importorskip("scipy.stats")
    integrate = pytest.importorskip("scipy.integrate")
    deviation = 25.0
    half = half_width(n, (n - 1) * deviation**2, error)
    assert half is not None
    t = half * sqrt(n) / deviation

    def mixed(effect: float) -> float:
        return float(stats.nct.pdf(t, n - 1, effect * sqrt(n)) * stats.norm.pdf(effect, scale=EFFECT))

    with_effects, _ = integrate.quad(mixed, -9 * EFFECT, 9 * EFFECT, points=[0], limit=200)
    assert with_effects / stats.t.pdf(t, n - 1) == pytest.approx(1 / error, rel=1e-6)


@given(st.integers(2, 10**6), st.floats(1e-9, 0.5), st.floats(1e-3, 1e9))
def test_the_interval_inverts_the_bayes_factor(n: int, error: float, squares: float):
    """The closed form is where the Bayes factor is 1 / error, and there are no ends where it never gets there."""
    half = half_width(n, squares, error)
    if half is None:
        assert log_bayes_factor(n, 1e30) <= log(1 / error) + 1e-9
    else:
        assert log_bayes_factor(n, n * half**2 / squares) == pytest.approx(log(1 / error), rel=1e-6, abs=1e-6)


def test_the_interval_by_bisection():
    """A search that knows nothing of the closed form finds the same ends."""
    optimize = pytest.importorskip("scipy.optimize")
    for n in (19, 60, 300, 5000):
        spread = optimize.brentq(lambda x, n=n: log_bayes_factor(n, x) - log(20), 0, 1e9, xtol=1e-14)
        assert half_width(n, 700.0, 0.05) == pytest.approx(sqrt(spread * 700 / n), rel=1e-9)


@pytest.mark.parametrize("points", [0.0, 3.0, 500.0, 1e12])
def test_no_interval_from_few_boards(points: float):
    """Below 19 boards the interval has no ends at an error of 5%, whatever was seen."""
    judgement = judge([points, -points] * 9)
    assert (judgement.boards, judgement.verdict) == (18, Verdict.UNDECIDED)
    assert (judgement.low, judgement.high) == (None, None)
    found = judge(chain([points, -points] * 9, [points]), Stopping(worth=1e-9))
    low, high = ends(found)
    assert low < found.mean < high


@given(boards, st.floats(0.1, 200))
def test_the_swing_widens(differences: list[float], swing: float):
    """Reckoning with a board not seen never makes the interval narrower, so that it errs no more often."""
    narrow, wide = Sequential(Stopping(worth=1e-9, swing=0)), Sequential(Stopping(worth=1e-9, swing=swing))
    for difference in differences:
        near, far = narrow.add(difference), wide.add(difference)
        if near.known:
            break
        assert (near.low is None) == (far.low is None)
        if near.low is not None:
            (low, high), (lowest, highest) = ends(near), ends(far)
            assert lowest <= low <= high <= highest


# --- the verdict ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "verdict", "after", "clear"),
    [
        (0.0, Verdict.SAME, 57, False),
        (1.0, Verdict.SAME, 68, False),
        (2.5, Verdict.SAME, 100, True),
        (3.0, Verdict.BETTER, 86, True),
        (-3.0, Verdict.WORSE, 86, True),
        (20.0, Verdict.BETTER, 25, True),
        (-500.0, Verdict.WORSE, 19, True),
    ],
)
def test_boards_all_alike(points: float, verdict: Verdict, after: int, clear: bool):
    """Boards that do not vary have an answer after a number of boards that the swing alone sets."""
    judgement = judge(repeat(points))
    assert (judgement.verdict, judgement.boards, judgement.clear) == (verdict, after, clear)
    assert (judgement.mean, judgement.deviation) == (points, 0)
    assert judgement.differing == (after if points else 0)


def test_the_same_bot_twice():
    """Two copies of a bot that answers alike to like questions end as no difference, and not at once."""
    judgement = judge([0.0] * 57)
    assert judgement.verdict is Verdict.SAME
    low, high = ends(judgement)
    assert low == -high
    assert not judge([0.0] * 56).known


def test_sure_but_less_than_is_worth_having():
    """Where the interval excludes zero and what is worth having at the same board, it is no difference worth having."""
    judgement = judge(repeat(2.5))
    assert judgement.verdict is Verdict.SAME
    low, high = ends(judgement)
    assert 0 < low < high < 5
    assert judgement.clear


def test_clear_needs_an_interval():
    """Nothing is clear before there is an interval, nor with zero in it."""
    assert not judge([9.0] * 5).clear
    assert not judge([0.0] * 57).clear


def test_known_values():
    """Mean, deviation and interval are those worked out by hand."""
    judgement = judge([-10.0, 30.0] * 18, PLAIN)
    assert (judgement.verdict, judgement.boards, judgement.differing) == (Verdict.UNDECIDED, 36, 36)
    assert judgement.mean == 10
    assert judgement.deviation == pytest.approx(sqrt(36 * 400 / 35))
    # g = 1 + 36 * 0.0225 = 1.81, R = (1.81 * 400)^(1/36) = 1.20070..., T = (R - 1) / (1 - R / g) = 0.59623...
    # and half the width is sqrt(T * 36 * 400 / 36)
    low, high = ends(judgement)
    assert low == pytest.approx(10 - 15.4432, abs=1e-3)
    assert high == pytest.approx(10 + 15.4432, abs=1e-3)


def test_no_board_and_one():
    """Without boards and with one there is an estimate, and no more."""
    assert judge([]) == Judgement(Verdict.UNDECIDED, 0, 0, 0.0, None, None, None)
    assert judge([7.5]) == Judgement(Verdict.UNDECIDED, 1, 1, 7.5, None, None, None)
    two = judge([7.5, 0.0])
    assert two.deviation == pytest.approx(7.5 / sqrt(2))
    assert replace(two, deviation=None) == Judgement(Verdict.UNDECIDED, 2, 1, 3.75, None, None, None)


def test_what_comes_after_is_not_looked_at():
    """Not a single board after the answer is asked for."""
    asked = count()
    judgement = judge(0.0 for _ in asked)
    assert next(asked) == judgement.boards == 57


def test_an_answer_stays():
    """Boards that arrive after the answer change nothing, not even if they are no numbers."""
    sequential = Sequential()
    for _ in range(57):
        known = sequential.add(0.0)
    assert known.known
    assert sequential.add(-400.0) is known
    assert sequential.add(nan) is known
    assert sequential.judgement is known


@given(leaning, boards)
def test_more_boards_do_not_change_an_answer(first: list[float], more: list[float]):
    """What is known from some boards is known from them and any others after them."""
    known = judge(first)
    if known.known:
        assert judge(first + more) == known == judge(first[: known.boards])
        assert not judge(first[: known.boards - 1]).known
    else:
        assert known.boards == len(first)


@given(leaning)
def test_one_at_a_time(differences: list[float]):
    """Adding boards one at a time gives, after each, what judging all of them gives."""
    sequential = Sequential()
    for n, difference in enumerate(differences, start=1):
        assert sequential.add(difference) == judge(differences[:n])


@given(leaning)
def test_the_verdict_is_where_the_interval_lies(differences: list[float]):
    """Each verdict says exactly one thing of the interval, whose middle is the mean."""
    judgement = judge(differences)
    low, high = judgement.low, judgement.high
    if low is None or high is None:
        assert judgement.verdict is Verdict.UNDECIDED
        return
    within = low > -5 and high < 5
    assert (judgement.verdict is Verdict.SAME) == within
    assert (judgement.verdict is Verdict.BETTER) == (low > 0 and not within)
    assert (judgement.verdict is Verdict.WORSE) == (high < 0 and not within)
    assert (low + high) / 2 == pytest.approx(judgement.mean, abs=1e-9)


@given(leaning)
def test_the_other_way_round(differences: list[float]):
    """Exchanging the versions exchanges better and worse, after the same board."""
    judgement, other = judge(differences), judge(-difference for difference in differences)
    assert other.verdict is OPPOSITE.get(judgement.verdict, judgement.verdict)
    assert (other.boards, other.differing, other.deviation) == (
        judgement.boards,
        judgement.differing,
        judgement.deviation,
    )
    assert other.mean == -judgement.mean
    assert (other.low, other.high) == (
        None if judgement.high is None else -judgement.high,
        None if judgement.low is None else -judgement.low,
    )


@given(leaning, st.integers(-10, 10))
def test_other_units(differences: list[float], power: int):
    """Points in any other unit have the same answer after the same board."""
    # A power of two, so that no rounding is in the way.
    unit = 2.0**power
    judgement = judge(differences)
    options = Stopping()
    other = judge(
        (difference * unit for difference in differences),
        replace(options, worth=options.worth * unit, swing=options.swing * unit),
    )
    assert (other.verdict, other.boards, other.mean) == (judgement.verdict, judgement.boards, judgement.mean * unit)
    assert other.low == (None if judgement.low is None else judgement.low * unit)


@given(st.lists(quarters, min_size=2, max_size=18), st.randoms(use_true_random=False))
def test_order_is_nothing_without_an_answer(differences: list[float], random):
    """The estimate after some boards does not depend on which of them was first."""
    shuffled = differences[:]
    random.shuffle(shuffled)
    one, other = judge(differences), judge(shuffled)
    assert other.mean == pytest.approx(one.mean, abs=1e-9)
    assert other.deviation == pytest.approx(one.deviation, abs=1e-6)
    assert other.mean == pytest.approx(fmean(differences), abs=1e-9)
    assert other.deviation == pytest.approx(stdev(differences), abs=1e-6)


@given(
    st.lists(st.floats(-1e12, 1e12), max_size=40),
    st.builds(
        Stopping,
        worth=st.floats(0, 1e12, exclude_min=True),
        error=st.floats(0, 1, exclude_min=True, exclude_max=True),
        swing=st.floats(0, 1e12),
    ),
)
def test_nothing_is_infinite(differences: list[float], stopping: Stopping):
    """Whatever is asked of whatever differences, every figure is a finite number or absent."""
    judgement = judge(differences, stopping)
    figures = (judgement.mean, judgement.deviation, judgement.low, judgement.high)
    assert all(figure is None or isfinite(figure) for figure in figures)


@pytest.mark.parametrize("difference", [nan, inf, -inf, 1.1e12])
def test_no_number_of_points(difference: float):
    """A difference that is no finite number of points is refused, and nothing has changed."""
    sequential = Sequential()
    before = sequential.add(3.0)
    with pytest.raises(ValueError, match="no difference of points"):
        sequential.add(difference)
    assert sequential.judgement == before
    assert sequential.add(5.0).mean == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"worth": 0.0}, "worth having is 0.0"),
        ({"worth": -5.0}, "worth having is -5.0"),
        ({"worth": nan}, "worth having is nan"),
        ({"worth": inf}, "worth having is inf"),
        ({"error": 0.0}, "error rate is 0.0"),
        ({"error": 1.0}, "error rate is 1.0"),
        ({"error": 5.0}, "error rate is 5.0"),
        ({"error": nan}, "error rate is nan"),
        ({"swing": -1.0}, "swing of a board is -1.0"),
        ({"swing": inf}, "swing of a board is inf"),
    ],
)
def test_options_out_of_range(options: dict[str, float], said: str):
    """An option out of its range is refused with what was given."""
    with pytest.raises(ConfigError, match=said):
        Stopping(**options)


# --- without pairing -----------------------------------------------------------------------------


def test_unpaired_games_by_hand():
    """60 boards of deviation 30 are as sure as 1000 games of either bot, of deviations 90 and 80 by themselves."""
    # 30^2 / 60 = 15, and (90^2 + 80^2) / 15 = 966.67
    assert unpaired_games(30.0, 60, 90.0, 80.0) == 1934


@given(st.floats(0.5, 60), st.integers(2, 5000), st.floats(40, 200), st.floats(40, 200))
def test_unpaired_games_are_as_sure(deviation: float, played: int, new: float, old: float):
    """They are the fewest games, half by each bot, whose difference of means varies no more than the boards' mean."""
    games = unpaired_games(deviation, played, new, old)
    assert games is not None
    paired = deviation**2 / played
    assert (new**2 + old**2) / (games / 2) <= paired * (1 + 1e-9)
    assert (new**2 + old**2) / ((games - 1) / 2) > paired * (1 - 1e-9)


@pytest.mark.parametrize(("deviation", "played"), [(0.0, 57), (5e-324, 57), (25.0, 0)])
def test_no_number_of_games_would_do(deviation: float, played: int):
    """Where the differences do not vary, or there are none, there is no number to give."""
    assert unpaired_games(deviation, played, 70.0, 60.0) is None


# --- how often it is wrong -----------------------------------------------------------------------

WORTH = 5.0
SHAPES = {
    "normal": lambda rng, size: rng.normal(0, 1, size),
    "long tails": lambda rng, size: rng.standard_t(4, size) / sqrt(2),
    "skewed up": lambda rng, size: rng.exponential(1, size) - 1,
    "skewed down": lambda rng, size: 1 - rng.exponential(1, size),
    "a fifth differ": lambda rng, size: np.where(rng.random(size) < 0.2, rng.normal(0, sqrt(5), size), 0),
}


def simulate(differences: np.ndarray, stopping: Stopping) -> tuple[np.ndarray, np.ndarray]:
    """What `judge` says of each row: 1 better, -1 worse, 0 no difference, 9 undecided; and after how many boards."""
    n = np.arange(1, differences.shape[1] + 1)
    mean = np.cumsum(differences, axis=1) / n
    squares = np.maximum(np.cumsum(differences**2, axis=1) - n * mean**2, 0) + stopping.swing**2
    widths = [half_width(boards, 1.0, stopping.error) for boards in n.tolist()]
    half = np.array([width or 0.0 for width in widths]) * np.sqrt(squares)
    low, high = mean - half, mean + half
    same = (low > -stopping.worth) & (high < stopping.worth)
    no_ends = np.array([width is None for width in widths])
    said = np.select([no_ends, same, low > 0, high < 0], [9, 0, 1, -1], 9)
    at = np.argmax(said != 9, axis=1)
    verdicts = said[np.arange(len(said)), at]
    return verdicts, np.where(verdicts == 9, differences.shape[1], at + 1)


def sample(shape: str, mean: float, deviation: float, runs: int, boards: int) -> np.ndarray:
    # Each case draws numbers of its own, the same every time.
    rng = np.random.default_rng([list(SHAPES).index(shape), round(4 * mean) % 1000, round(deviation)])
    noise: np.ndarray = SHAPES[shape](rng, (runs, boards))
    return mean + deviation * noise


def test_the_simulation_is_of_the_code():
    """What is simulated at once is what is judged one board at a time."""
    codes = {Verdict.BETTER: 1, Verdict.WORSE: -1, Verdict.SAME: 0, Verdict.UNDECIDED: 9}
    seen = set()
    for shape in SHAPES:
        for mean in (-9.0, 0.0, 3.0):
            rows = sample(shape, mean, 15.0, 8, 150)
            verdicts, after = simulate(rows, Stopping())
            for row, verdict, boards in zip(rows.tolist(), verdicts, after, strict=True):
                judgement = judge(row)
                assert (codes[judgement.verdict], judgement.boards) == (verdict, boards)
                seen.add(judgement.verdict)
    assert seen == set(Verdict)


@pytest.mark.slow
@pytest.mark.parametrize("deviation", [15.0, 25.0, 60.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_error_rates(shape: str, deviation: float):
    """Looking after each of 1000 boards, no wrong answer is given more often than the error rate allows."""
    stopping = Stopping()
    verdicts, _ = simulate(sample(shape, 0.0, deviation, 2000, 1000), stopping)
    assert np.mean((verdicts == 1) | (verdicts == -1)) <= stopping.error
    for mean, opposite in ((WORTH, -1), (-WORTH, 1)):
        verdicts, _ = simulate(sample(shape, mean, deviation, 1000, 1000), stopping)
        assert np.mean((verdicts == opposite) | (verdicts == 0)) <= stopping.error


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.2, 0.1, 0.08])
def test_rare_differences(share: float):
    """A gain worth having that comes from few boards, each within the swing, is seldom taken for no difference."""
    gain = WORTH / share
    assert gain <= Stopping().swing
    differences = np.where(np.random.default_rng(3).random((2000, 1000)) < share, gain, 0.0)
    wrong, without_swing = (np.mean(simulate(differences, stopping)[0] == 0) for stopping in (Stopping(), PLAIN))
    assert wrong <= 0.05
    assert without_swing > wrong


@pytest.mark.slow
def test_looking_again_and_again_without_it():
    """The same simulation finds out a t test that is repeated after each board: it errs many times too often."""
    rows = sample("normal", 0.0, 25.0, 1000, 1000)
    n = np.arange(1, 1001)
    mean = np.cumsum(rows, axis=1) / n
    squares = np.cumsum(rows**2, axis=1) - n * mean**2
    t = np.abs(mean[:, 19:]) / np.sqrt(squares[:, 19:] / (n[19:] - 1) / n[19:])
    assert np.mean((t > 2.1).any(axis=1)) > 0.3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "verdict", "boards"),
    [(0.0, 0, 345), (2.5, None, 440), (5.0, 1, 235), (10.0, 1, 84), (20.0, 1, 39), (-20.0, -1, 39)],
)
def test_boards_needed(mean: float, verdict: int | None, boards: int):
    """The boards that it takes, on the average, are those that the documentation gives."""
    verdicts, after = simulate(sample("normal", mean, 25.0, 1000, 2000), Stopping())
    assert np.mean(after) == pytest.approx(boards, rel=0.06)
    assert 9 not in verdicts
    if verdict is not None:
        assert np.mean(verdicts == verdict) > 0.95


def test_the_interval_holds_at_every_board():
    """The mean is outside of the interval at some board in fewer runs than the error rate allows."""
    rng = np.random.default_rng(11)
    outside = 0
    for row in rng.normal(3, 25, (200, 300)).tolist():
        sums = accumulate(row)
        squares = accumulate(value * value for value in row)
        for n, (total, square) in enumerate(zip(sums, squares, strict=True), start=1):
            half = half_width(n, square - total * total / n, 0.05)
            if half is not None and abs(total / n - 3) > half:
                outside += 1
                break
    assert 0 < outside <= 0.05 * 200


def test_the_error_rate_sets_the_width():
    """A smaller error rate gives a wider interval, and one that needs more boards to have ends."""
    narrow, wide = half_width(200, 1.0, 0.05), half_width(200, 1.0, 0.01)
    assert narrow is not None
    assert wide is not None
    assert wide > narrow
    first = [next(n for n in count(1) if half_width(n, 1.0, error) is not None) for error in (0.2, 0.05, 0.001)]
    assert first == sorted(set(first))
    assert exp(log_bayes_factor(first[1] - 1, 1e30)) < 20
