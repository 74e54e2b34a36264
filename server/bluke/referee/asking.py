"""A table that asks one seat of a recorded game what it was asked then, and goes on as the record does."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from bluke.referee.retrace import Retraced
from bluke.rules import Asked, Card, Played, Scored
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bluke.referee.bot import Bot
    from bluke.referee.clock import Measured
    from bluke.referee.spec import GameSpec, House
    from bluke.referee.table import Seat, Table
    from bluke.replay.reader import Replay
    from bluke.replay.records import FaultLine
    from bluke.replay.steps import Step
    from bluke.rules import Game, Suit
    from bluke.wire.values import Player

__all__ = ["Asking", "Question", "Reply", "question_of"]


@dataclass(frozen=True, slots=True)
class Question:
    """What a seat saw when it was asked, as far as a person wants to see it beside the answer.

    Attributes:
        size: cards dealt to each seat.
        cards: what it held.
        legal: every legal answer.
        on_table: who played what to the trick so far.
        bids: by seat; `None` for one that had not bid.
        taken: tricks taken, by seat.
        turned: the card turned up.
        trump: the trump; `None` for no trump, and before the cut.
    """

    size: int
    cards: tuple[Card, ...]
    legal: tuple[int | Card, ...]
    on_table: tuple[tuple[int, Card], ...]
    bids: tuple[int | None, ...]
    taken: tuple[int, ...]
    turned: Card | None
    trump: Suit | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of asking a recorded decision again.

    Attributes:
        step: the decision as it is recorded.
        question: what the seat saw.
        value: what the bot answers now; `None` for a fault.
        note: what it says about it.
        ms: what was measured now.
        fault: what it did wrong now, `None` for a legal answer in time.
        detail: what happened then, as a sentence; empty for a legal answer in time.
    """

    step: Step
    question: Question
    value: int | Card | None
    note: str
    ms: float
    fault: FaultKind | None = None
    detail: str = ""


def question_of(game: Game) -> Question:
    """What the seat to act sees."""
    cards = takewhile(lambda event: isinstance(event, Played), reversed(game.events))
    played = [(event.seat, event.card) for event in cards if isinstance(event, Played)]
    return Question(
        size=game.size,
        cards=tuple(game.held(game.seat)),
        legal=tuple(game.legal),
        on_table=tuple(reversed(played)) if game.asked is Asked.PLAY else (),
        bids=game.bids,
        taken=game.tricks_won,
        turned=game.turned,
        trump=game.trump,
    )


class Asking(Retraced):
    """One bot in one seat of a recorded game; whatever it answers, the recorded move is what is made.

    Args:
        spec: the game as it was; nobody but the bot of `seat` need be there.
        house: clock and timers; nothing is written to the disk.
        on_over: see `Table`.
        replay: the record.
        steps: its decisions.
        seat: the seat that is asked.
        first: the decisions before this one are taken over in silence, as by a bot that was started again.
        stop: the game is broken off before this one.
        patience: after so many answers that did not come in time nothing more is asked.
        on_reply: called with each reply as it comes.

    Attributes:
        broken_off: why not all was asked; empty if it was.
    """

    def __init__(
        self,
        spec: GameSpec,
        house: House,
        on_over: Callable[[Table], None],
        *,
        replay: Replay,
        steps: Sequence[Step],
        seat: int,
        first: int,
        stop: int,
        patience: int,
        on_reply: Callable[[Reply], None],
    ) -> None:
        """Deal the first hand; nothing is asked yet."""
        super().__init__(spec, house, on_over, replay=replay, steps=steps)
        self.broken_off = ""
        self._asked_seat = seat
        self._first = self._next = first
        self._stop = stop
        self._patience = patience
        self._on_reply = on_reply
        #: Faults that were not charged then, so that the count that the bot is told still grows by one.
        self._new_faults = 0
        #: Whether the decision that is being made again ended in a fault now.
        self._failed = False

    @property
    def players(self) -> tuple[Player, ...]:
        """Who sat there then."""
        return self.record.header.players

    def start(self) -> None:
        """Tell the seat that the game begins, and ask the first decision."""
        with self._ours:
            self._happened(self.house.now())
            if self._first:
                self._take_over(self.steps[: self._first])
            self._tell_started()
            self._log_events(None)
            self._advance()

    def save(self, match_seed: bytes | None) -> Path:
        """The file is there already."""
        del match_seed
        return self.record.path

    def bot_gone(self, bot: Bot) -> None:
        """Nothing more can be asked."""
        super().bot_gone(bot)
        if self.result is None and bot.gone is not None:
            self._break_off(bot.gone.detail)

    # The course of the game

    def _advance(self) -> None:
        while self.result is None and not self._open:
            if self._next == self._stop:
                self._conclude()
                return
            step = self.steps[self._next]
            if step.seat != self._asked_seat or not step.was_asked:
                self._go_on(step)
                continue
            seat = self.seats[step.seat]
            if seat.bot.gone is not None:
                self._break_off(seat.bot.gone.detail)
            else:
                self._ask(seat)

    def _go_on(self, step: Step, *, issued: bool = False) -> None:
        """Let the game take the recorded course."""
        for fault in step.faults:
            self._charge(fault)
        self._make(step, issued=issued)
        self._next += 1
        self._failed = False
        if step.value is not None:
            self._log_events(None)

    def _conclude(self) -> None:
        result = self.record.result
        if self._stop < len(self.steps) or result is None:
            self.void("no more of it is asked")
        else:
            self.result = result
            self._on_over(self)

    def _break_off(self, why: str) -> None:
        self.broken_off = why
        self.void(why)

    # What the bot answers

    def _apply(self, seat: Seat, value: int | Card, *, by_referee: bool = False, note: str | None = None) -> None:
        del by_referee
        if value not in self.game.legal:
            # In a real game's words.
            self.game.answer(seat.number, value)
        step = self.steps[self._next]
        self._on_reply(Reply(step, question_of(self.game), value, note or "", self._measure(seat)))
        self._go_on(step, issued=True)

    def _fault(
        self, seat: Seat, kind: FaultKind, detail: str, *, answer: str | None = None, for_good: bool = False
    ) -> None:
        step = self.steps[self._next]
        said = f"{detail} [sent: {answer}]" if answer else detail
        then = sum(fault.seat == seat.number for fault in step.faults)
        self._new_faults += not then
        self._failed = True
        told = seat.faults + then + self._new_faults
        self._tell_fault(seat, kind, detail, decision=len(self._issued), applied=step.value, faults=told)
        self._on_reply(Reply(step, question_of(self.game), None, "", self._measure(seat), kind, said))
        self._go_on(step, issued=True)
        self._patience -= kind is FaultKind.TIMEOUT
        if for_good:
            self._break_off(detail)
        elif self._patience <= 0:
            self._break_off("it does not answer in time")

    def _measure(self, seat: Seat) -> float:
        """What this answer took, in milliseconds; what is left in the bank is what was left then."""
        bank = seat.clock.bank
        measured = self._stop_clock(seat)
        seat.clock.bank = bank
        return round(measured.elapsed * 1000, 3)

    # What it is told

    def _charge(self, fault: FaultLine) -> None:
        super()._charge(fault)
        if self._next < self._first:
            return
        seat, step = self.seats[fault.seat], self.steps[self._next]
        if fault.seat == self._asked_seat and not self._failed:
            due = fault.asked is not None
            self._tell_fault(
                seat,
                fault.kind,
                fault.detail,
                decision=len(self._issued) if due and step.was_asked else 0,
                applied=step.value if due else None,
                faults=seat.faults + self._new_faults,
            )
        self._publish_fault(seat, fault.kind, fault.asked)

    def _log_events(self, measured: Measured | None, *, by_referee: bool = False, note: str | None = None) -> None:
        del measured, by_referee, note
        events = self.game.events[self._logged :]
        self._logged += len(events)
        for event in events:
            if isinstance(event, Scored):
                self._scored(event)
        self._publish_events(events)
