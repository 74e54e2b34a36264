from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bluke.referee.bot import TURNS_A_MESSAGE, Outbox
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import FaultKind, GameLimits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.conftest import Desks
    from referee.desk import Desk


class Asks:
    """A table whose questions are open as long as they are listed."""

    def __init__(self, *opened: int) -> None:
        self.opened = set(opened)

    def hand_over(self, decision: int, turns: Any) -> bool:
        if decision in self.opened:
            turns.add(decision_id=decision)
        return decision in self.opened


def asked(outbox: Outbox, table: Asks, decisions: Iterable[int]) -> Outbox:
    for decision in decisions:
        outbox.ask(table, decision)  # type: ignore[arg-type]
    return outbox


def turns(outbox: Outbox) -> list[int]:
    """The decisions in the next message."""
    message = outbox.take()
    return [] if message is None else [turn.decision_id for turn in message.turns.turns]


def test_what_waits_together_leaves_together():
    """Turns that wait leave in one message, in order; what was said goes before them; then nothing waits."""
    outbox = asked(Outbox(), Asks(1, 2, 3), (1, 2, 3))
    outbox.put(play_pb.PlayResponse(hand_scored=play_pb.HandScored(game_id="g")))
    assert len(outbox) == 2
    message = outbox.take()
    assert message is not None
    assert message.hand_scored.game_id == "g"
    assert turns(outbox) == [1, 2, 3]
    assert outbox.wake.is_set()
    assert outbox.take() is None
    assert not outbox.wake.is_set()


def test_what_is_over_is_not_asked():
    """A question that is over when the message is made is left out, and a message of none is not written."""
    table = Asks(1, 2, 3)
    outbox = asked(Outbox(), table, (1, 2, 3))
    table.opened = {2}
    assert turns(outbox) == [2]
    asked(outbox, table, (4, 5))
    assert outbox.take() is None


def test_a_message_holds_no_more_than_so_many():
    """Many turns leave in several messages, so that the first is not held up by the last."""
    many = range(2 * TURNS_A_MESSAGE + 1)
    outbox = asked(Outbox(), Asks(*many), many)
    assert len(outbox) == 3
    assert [len(turns(outbox)) for _ in range(4)] == [TURNS_A_MESSAGE, TURNS_A_MESSAGE, 1, 0]


def test_hold_turns_back_while_the_bot_is_at_work():
    """It is calm until turns are written, and again when all are answered, something is said, or enough wait."""
    table = Asks(*range(1000))
    outbox = asked(Outbox(), table, (1, 2))
    assert outbox.calm.is_set()
    outbox.take()
    assert not outbox.calm.is_set()
    asked(outbox, table, (3,))
    outbox.settle()
    assert not outbox.calm.is_set()
    outbox.settle()
    assert outbox.calm.is_set()
    # Answers that nobody counts on any more change nothing.
    outbox.settle()
    outbox.take()
    assert not outbox.calm.is_set()
    outbox.put(play_pb.PlayResponse())
    assert outbox.calm.is_set()
    outbox.take()
    asked(outbox, table, (4,))
    outbox.take()
    asked(outbox, table, range(10, 10 + TURNS_A_MESSAGE))
    assert outbox.calm.is_set()


def test_a_stream_that_broke():
    """Turns are forgotten, and a bot that is back is not at work."""
    outbox = asked(Outbox(), Asks(1, 2), (1,))
    outbox.take()
    asked(outbox, Asks(2), (2,))
    outbox.broken(5.0)
    assert outbox.calm.is_set()
    assert outbox.take() is None


def test_the_clock_starts_when_the_turn_is_handed_over(desks: Desks):
    """Time in which a turn was held back is nobody's; a bot that never reads runs out of time all the same."""
    desk = desks(limits=GameLimits(decision_ms=100, bank_ms=0))
    desk.table.start()
    desk.clock.after = lambda: None
    desk.clock.pass_time(0.05)
    desk.collect()
    assert desk.turn.decision_left_ms == 100
    desk.clock.pass_time(0.08)
    assert desk.answer()
    assert desk.table.faults == []
    assert desk.turn.legal
    desk.table._look()
    desk.clock.pass_time(0.11)
    assert [fault.kind for fault in desk.table.faults] == [FaultKind.TIMEOUT]


def test_a_bot_that_does_not_read(desks: Desks):
    """A turn that nobody takes is charged when the time is over that began when it was ready."""
    desk = desks(limits=GameLimits(decision_ms=100, bank_ms=0))
    desk.table.start()
    desk.clock.after = lambda: None
    desk.clock.pass_time(0.11)
    assert [fault.kind for fault in desk.table.faults] == [FaultKind.TIMEOUT]


def slow_reader(desks: Desks, seconds: float, *, wall_ms: int = 60_000) -> Desk:
    """A table whose bot on turn takes a message off the very many before its turn each 90 ms of its 100."""
    desk = desks(limits=GameLimits(decision_ms=100, bank_ms=0, wall_ms=wall_ms))
    desk.table.start()
    desk.clock.after = lambda: None
    outbox = desk.bots[desk.table.game.seat].outbox
    end = desk.clock.now + seconds
    while desk.clock.now < end and not desk.table.faults:
        outbox.put(play_pb.PlayResponse(events=play_pb.Events()))
        assert outbox.take() is not None
        desk.clock.pass_time(0.09)
    return desk


def test_a_turn_behind_other_messages(desks: Desks):
    """As long as a bot is told other things, a turn that waits behind them is not charged; when that stops it is."""
    desk = slow_reader(desks, 5.0)
    assert desk.table.faults == []
    desk.clock.pass_time(0.11)
    assert [fault.kind for fault in desk.table.faults] == [FaultKind.TIMEOUT]


def test_a_bot_that_reads_slowly(desks: Desks):
    """A bot that reads just fast enough can hold the game up until the wall limit, and no longer."""
    desk = slow_reader(desks, 5.0, wall_ms=1000)
    assert [fault.kind for fault in desk.table.faults] == [FaultKind.TIMEOUT]
    assert desk.clock.now == pytest.approx(1001.0, abs=0.2)


def test_the_answer_counts_when_it_was_read(desks: Desks):
    """What the referee does between reading an answer and taking it is not the bot's time."""
    desk = desks(limits=GameLimits(decision_ms=100, bank_ms=0)).start()
    turn = desk.turn
    read = desk.clock.now + 0.09
    desk.clock.now += 0.2
    move = play_pb.Move(game_id=turn.game_id, decision_id=turn.decision_id, bid=turn.legal[0])
    assert desk.table.move(desk.bots[turn.seat], move, read)
    assert desk.table.faults == []
    last = desk.table.seats[turn.seat].last
    assert last is not None
    assert last.measured_us in {89999, 90000}


def test_skip_the_scores(desks: Desks):
    """A bot that said that it does nothing with scored hands is not told of them; the others are."""
    desk: Desk = desks()
    desk.bots[1].skips_hand_scored = True
    desk.start().play_on()
    assert [len(desk.told(seat, "hand_scored")) for seat in range(3)] == [3, 0, 3]
    assert len(desk.told(1, "turns")) > 0
