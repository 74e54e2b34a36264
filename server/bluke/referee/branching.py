"""A table that leaves a recorded game at some moment and plays on from there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bluke.referee.retrace import Retraced
from bluke.replay.records import Parent
from bluke.replay.writer import ReplayWriter
from bluke.rules import Scored

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bluke.referee.spec import GameSpec, House
    from bluke.referee.table import Table
    from bluke.replay.reader import Replay
    from bluke.replay.records import Header
    from bluke.replay.steps import Step
    from bluke.rules import Card

__all__ = ["Branching"]


class Branching(Retraced):
    """A game that has its beginning from another: the bots join in the middle, as after a resume.

    Args:
        spec: the game, with an id of its own.
        house: clock, timers, disk.
        on_over: see `Table`.
        replay: the other game.
        steps: its decisions.
        at: the first decision that is not taken over.
        forced: the answer to it, if nobody is to be asked.
        lines: the lines of the other file between its first and the question, each with its line end.
    """

    def __init__(
        self,
        spec: GameSpec,
        house: House,
        on_over: Callable[[Table], None],
        *,
        replay: Replay,
        steps: Sequence[Step],
        at: int,
        forced: int | Card | None,
        lines: bytes,
    ) -> None:
        """Deal the first hand; nothing is told to anybody yet."""
        super().__init__(spec, house, on_over, replay=replay, steps=steps)
        self._at = at
        self._forced = forced
        self._lines = lines

    def start(self) -> None:
        """Take over what is recorded, tell the seats that the game begins, and go on."""
        with self._ours:
            self._happened(self.house.now())
            self.replay = ReplayWriter(self.house.replays, self._header(), compress=self.house.compress)
            self.replay.copy(self._lines)
            self._take_over(self.steps[: self._at])
            self.hands += [event for event in self.game.events if isinstance(event, Scored)]
            self._tell_started()
            if self._forced is not None:
                self._force(self._forced)
            self._advance()

    def _header(self) -> Header:
        step, header = self.steps[self._at], self.record.header
        shared = sum(step.value is not None for step in self.steps[: self._at])
        parent = Parent(header.game, step.hand, step.trick, shared, header.players)
        return replace(super()._header(), parent=parent)

    def _force(self, value: int | Card) -> None:
        """Make the move that a person chose."""
        self.game.answer(self.game.seat, value)
        made = self.game.events[self._logged]
        self._logged += 1
        self._replay().record(made, forced=True)
        self._publish_events([made])
        self._log_events(None)
