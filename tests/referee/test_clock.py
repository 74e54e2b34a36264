"""Clocks, on a clock of the test's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.referee.clock import LagMeter, SeatClock
from bluke.wire.values import GameLimits


def clock(**limits: int | None) -> SeatClock:
    return SeatClock(GameLimits(**{"decision_ms": 100, "bank_ms": 1000, "wall_ms": 5000, **limits}))  # type: ignore[arg-type]


def test_a_quick_answer_leaves_the_bank_alone():
    """What stays within the limit of a decision costs nothing."""
    seat = clock()
    seat.start(10.0, 0.0)
    measured = seat.stop(10.09, 0.0)
    assert (measured.late, measured.excused, seat.bank) == (False, False, 1.0)


def test_the_bank_pays_for_what_exceeds_the_decision():
    """Only the excess is taken from the bank, and the next decision has that much less."""
    seat = clock()
    seat.start(0.0, 0.0)
    assert not seat.stop(0.4, 0.0).late
    assert seat.bank == pytest.approx(0.7)
    assert seat.allowed == pytest.approx(0.8)


def test_late_begins_where_nothing_is_left():
    """A seat is late when limit and bank are used up, not before."""
    for at, late in ((1.0999, False), (1.1, True), (9.0, True)):
        seat = clock()
        seat.start(0.0, 0.0)
        assert seat.stop(at, 0.0).late is late


def test_the_wall_limit_holds_without_a_clock():
    """With no clock a decision may take the wall limit and no longer, and the bank is not touched."""
    seat = clock(decision_ms=None)
    seat.start(0.0, 0.0)
    assert seat.shown(1.0, 0.0) is None
    assert seat.left(4.0, 0.0) == pytest.approx(1.0)
    assert seat.stop(5.0, 0.0).late


def test_the_wall_limit_caps_the_bank():
    """However full the bank, one decision may not take longer than the wall limit."""
    seat = clock(bank_ms=60_000)
    seat.start(0.0, 0.0)
    assert seat.allowed == pytest.approx(5.0)


def test_the_referees_lateness_is_not_charged():
    """What the referee lost itself counts for the seat, and is told apart from a plain answer in time."""
    seat = clock()
    seat.start(0.0, 2.0)
    measured = seat.stop(1.5, 2.6)
    assert (measured.late, measured.excused) == (False, True)
    assert measured.lag == pytest.approx(0.6)
    assert seat.bank == pytest.approx(0.2)


def test_shown_is_what_is_left():
    """A turn that is asked again shows what is left of the decision, and then of the bank."""
    seat = clock()
    seat.start(0.0, 0.0)
    assert seat.shown(0.04, 0.0) == (60, 1000)
    assert seat.shown(0.35, 0.0) == (0, 750)


def test_a_full_clock_shows_its_limits():
    """A clock that has just begun shows what the game allows, to the millisecond, however a float writes that."""
    for limit in range(1, 3000):
        seat = clock(decision_ms=limit, bank_ms=limit)
        seat.start(0.0, 0.0)
        assert seat.whole == seat.shown(0.0, 0.0) == (limit, limit)
    assert clock(decision_ms=None).whole is None


def test_a_meter_that_ticks_on_time_measures_nothing():
    """Ticks within the tolerance are no lateness."""
    meter = LagMeter(0.0, period=0.02)
    for n in range(1, 50):
        meter.tick(n * 0.02)
    assert meter.total(0.99) == 0.0


def test_a_meter_counts_late_ticks_and_the_one_that_is_overdue():
    """Lateness is known before the late tick comes, and stays when it has come."""
    meter = LagMeter(0.0, period=0.02)
    assert meter.total(0.52) == pytest.approx(0.5)
    meter.tick(0.52)
    assert meter.total(0.53) == pytest.approx(0.5)


@given(st.lists(st.floats(0, 2), max_size=30))
def test_total_lateness_never_falls(steps: list[float]):
    """Whatever the ticks, the total only grows, and never exceeds the time gone by."""
    meter = LagMeter(0.0)
    now = total = 0.0
    for step in steps:
        now += step
        assert total <= meter.total(now) <= now
        total = meter.total(now)
        meter.tick(now)
        assert meter.total(now) == total


@given(st.floats(0, 10), st.floats(0, 10))
def test_charged_and_lag_make_up_the_time(elapsed: float, lag: float):
    """A decision is charged the time gone by less the referee's part, never less than nothing."""
    seat = clock()
    seat.start(0.0, 0.0)
    measured = seat.stop(elapsed, lag)
    assert measured.elapsed == elapsed
    assert elapsed - measured.lag == pytest.approx(max(0.0, elapsed - lag))
    assert 0.0 <= seat.bank <= 1.0
