"""Tables whose games follow a record: what a seat was asked is asked again as it was then.

All of a turn follows from the replay file, but for what the file does not hold: how late the referee itself was
(`excused_us`, `excused`, and what that gave back to the bank), the last microsecond of a measured time, which the
file rounds, and whether a question was put a second time on a new stream (`again`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.referee.match import Match
from bluke.referee.table import Table
from bluke.rules import Card
from bluke.wire.turns import Last

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bluke.referee.spec import GameSpec, House
    from bluke.replay.reader import Replay
    from bluke.replay.records import FaultLine
    from bluke.replay.steps import Step

__all__ = ["KnownDeal", "Retraced"]


class KnownDeal(Match):
    """The ledger of games that are played once more on the deal of a recorded one.

    Args:
        replay: the recorded game, which has its last line.
        games: how many games will be played.
    """

    def __init__(self, replay: Replay, games: int = 1) -> None:
        """Take the seeds from the file."""
        header, end = replay.header, replay.end
        if end is None:
            msg = f"{replay.path}: a file without its last line has no seed"
            raise ValueError(msg)
        match_seed = None if end.match_seed is None else bytes.fromhex(end.match_seed)
        super().__init__(header.match, match_seed or b"", [header.deal] * games, open_ended=match_seed is None)
        self._game_seed = bytes.fromhex(end.game_seed)

    def game_seed(self, deal: int) -> bytes:
        """The seed of the deal; there is no other deal here."""
        del deal
        return self._game_seed


class Retraced(Table):
    """A table that takes over recorded decisions.

    Args:
        spec: the game; its rules are those of the record.
        house: clock, timers, disk.
        on_over: see `Table`.
        replay: the record.
        steps: its decisions.
    """

    def __init__(
        self, spec: GameSpec, house: House, on_over: Callable[[Table], None], *, replay: Replay, steps: Sequence[Step]
    ) -> None:
        """Deal the first hand; nothing is taken over yet."""
        super().__init__(spec, house, on_over)
        self.record = replay
        self.steps = steps
        played_out = () if replay.end is None else replay.end.played_out
        #: The fault of each seat after which the referee played it: it is the last, for no more are charged then.
        self._last_straw = {fault.seat: fault for step in steps for fault in step.faults if fault.seat in played_out}

    def _take_over(self, steps: Iterable[Step]) -> None:
        """Take over recorded decisions before anybody is there to be told of them."""
        for step in steps:
            for fault in step.faults:
                self._charge(fault)
            self._make(step)
        self._logged = len(self.game.events)

    def _charge(self, fault: FaultLine) -> None:
        """Charge a recorded fault once more."""
        seat = self.seats[fault.seat]
        seat.faults += 1
        seat.played_out = self._last_straw.get(fault.seat) is fault

    def _make(self, step: Step, *, issued: bool = False) -> None:
        """Make a recorded move, and keep of it what the seat is told the next time; `issued` if it was just asked."""
        if step.value is None:
            return
        self.game.answer(step.seat, step.value)
        if not step.was_asked:
            return
        if not issued:
            self._issued.append(step.seat)
        seat = self.seats[step.seat]
        elapsed = (step.ms or 0.0) / 1000
        seat.clock.start(0.0, 0.0)
        seat.clock.stop(elapsed, 0.0)
        seat.last = Last(
            decision_id=len(self._issued),
            measured_us=round(elapsed * 1e6),
            excused_us=0,
            applied=step.value.index if isinstance(step.value, Card) else step.value,
            by_referee=step.by_referee,
            excused=False,
        )
