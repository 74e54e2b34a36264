"""Clocks: what a seat is charged for a decision, and what the referee must take on itself.

All times here are seconds on a monotonic clock that the caller reads; nothing in here waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bluke.wire.values import GameLimits

__all__ = ["LagMeter", "Measured", "SeatClock"]


class LagMeter:
    """How late the referee itself has been, altogether.

    Something calls `tick` every `period`; by how much a tick comes late is time in which the
    referee could not have read an answer either.
    """

    __slots__ = ("_due", "_total", "period")

    #: A tick that is late by less says nothing: timers are no more exact than that.
    TOLERANCE = 0.002

    def __init__(self, now: float, period: float = 0.02) -> None:
        """Begin at `now`, expecting the first tick one `period` later."""
        self.period = period
        self._due = now + period
        self._total = 0.0

    def tick(self, now: float) -> None:
        """Note that a tick came at `now`."""
        self._total = self.total(now)
        self._due = now + self.period

    def total(self, now: float) -> float:
        """Lateness since the beginning, the tick that is overdue at `now` included. Never falls."""
        late = now - self._due
        return self._total + late if late > self.TOLERANCE else self._total


class Measured(NamedTuple):
    """One decision as the referee measured it.

    Attributes:
        elapsed: from the question to the answer.
        lag: the part of it that was the referee's own.
        late: whether what remains is more than the seat had.
        excused: whether it would have been late had the referee's part been charged.
    """

    elapsed: float
    lag: float
    late: bool
    excused: bool


class SeatClock:
    """The clock of one seat for one game: a limit for each decision, and a bank that pays for what exceeds it.

    Attributes:
        allowed: what the next decision may take in all.
        whole: milliseconds that it has for itself and in the bank, as a turn tells them; `None` without a clock.
    """

    __slots__ = ("_bank", "_began", "_began_lag", "_decision", "_wall", "allowed", "whole")

    def __init__(self, limits: GameLimits) -> None:
        """Begin with a full bank."""
        self._decision = None if limits.decision_ms is None else limits.decision_ms / 1000
        self._wall = limits.wall_ms / 1000
        self._began = self._began_lag = 0.0
        self.bank = limits.bank_ms / 1000

    @property
    def bank(self) -> float:
        """What is left for the rest of the game beyond the limit of each decision."""
        return self._bank

    @bank.setter
    def bank(self, seconds: float) -> None:
        self._bank = seconds
        # Worked out here, since a bank seldom changes and every turn tells it.
        self.allowed = self._wall if self._decision is None else min(self._decision + seconds, self._wall)
        self.whole = None if self._decision is None else (_ms(self._decision), _ms(seconds))

    def start(self, now: float, lag: float) -> None:
        """The question is handed over; `lag` is the referee's total lateness so far."""
        self._began, self._began_lag = now, lag

    def charged(self, now: float, lag: float) -> float:
        """What the seat is charged so far: the time gone by less the referee's part."""
        return max(0.0, now - self._began - (lag - self._began_lag))

    def left(self, now: float, lag: float) -> float:
        """What the seat has left for this decision, its bank included; negative when it is late."""
        return self.allowed - self.charged(now, lag)

    def shown(self, now: float, lag: float) -> tuple[int, int] | None:
        """Milliseconds left for the decision and in the bank, as a turn tells them; `None` without a clock."""
        if self._decision is None:
            return None
        left = self._decision - self.charged(now, lag)
        if left >= 0:
            return _ms(left), _ms(self._bank)
        return 0, _ms(max(0.0, self._bank + left))

    def stop(self, now: float, lag: float) -> Measured:
        """The answer was read, or will not be waited for: charge the bank."""
        charged = self.charged(now, lag)
        elapsed = now - self._began
        allowed = self.allowed
        if self._decision is not None and charged > self._decision:
            self.bank = max(0.0, self._bank - (charged - self._decision))
        late = charged >= allowed
        return Measured(elapsed, elapsed - charged, late, not late and elapsed >= allowed)


def _ms(seconds: float) -> int:
    # Nine tenths of a millisecond are none; what a float is short of a whole one is not missing.
    return int(seconds * 1000 + 1e-6)
