"""Tables without a network: who is asked, what each answer costs, and how games end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from referee.desk import Desk, make_move

from bluke.referee.bot import Gone
from bluke.replay.verify import verify
from bluke.replay.writer import ReplayWriter
from bluke.rules import CARDS, Card, CutRule, Rules
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import FaultKind, GameLimits, Policy, Status

if TYPE_CHECKING:
    from referee.conftest import Desks

STRICT = GameLimits(policy=Policy.STRICT)


def in_play(desk: Desk) -> bool:
    return 0 not in desk.turn.view.bids


def not_held(turn: play_pb.Turn) -> int:
    return next(card.index for card in CARDS if card.index not in turn.view.cards)


def test_play_a_whole_game(desks: Desks):
    """Every seat is asked for all of its decisions, told every result, and the replay verifies."""
    desk = desks().start()
    desk.play_on()
    finished = desk.close()
    assert finished.result.status is Status.COMPLETE
    assert verify(finished.replay).ok
    for seat in range(3):
        assert [m.result.hand for m in desk.told(seat, "hand_scored")] == [0, 1, 2]
        (started,) = desk.told(seat, "game_started")
        (over,) = desk.told(seat, "game_over")
        assert (started.seat, over.seat) == (seat, seat)
        assert tuple(over.result.totals) == finished.result.totals
        assert len(finished.decision_ms[seat]) == 3 + 3 + 2 + 1
        assert [hand.bids[seat] for hand in finished.hands] == [1, 1, 1]


def test_decisions_are_numbered_from_one_and_only_grow(desks: Desks):
    """Decision ids are monotone within the game, over all seats."""
    desk = desks().start()
    seen = []
    while desk.table.result is None:
        seen.append(desk.turn.decision_id)
        desk.answer()
    assert seen == list(range(1, len(seen) + 1))


def test_the_seat_left_of_the_dealer_is_asked_to_cut(desks: Desks):
    """With `cut: player` each hand begins with a cut, whose legal answers are all cuts of what is left."""
    desk = desks(rules=Rules(3, hands=(2, 1), cut=CutRule.PLAYER)).start()
    turn = desk.turn
    assert turn.seat == (turn.view.dealer + 1) % 3
    assert list(turn.legal) == list(range(54 - 6))
    assert not turn.view.HasField("trump")
    assert not turn.view.HasField("turned")
    assert len(turn.view.cards) == 2
    desk.answer(7)
    assert desk.turn.view.HasField("trump")
    desk.play_on()
    assert verify(desk.close().replay).ok


def test_a_note_goes_to_the_replay_and_to_no_other_seat(desks: Desks):
    """Notes are cut to their limit, kept with the move, and never sent to anybody."""
    desk = desks().start()
    desk.answer(note="só " * 1000)
    desk.play_on()
    text = desk.close().replay.read_text(encoding="utf-8")
    assert '"note":"só só' in text
    assert all(b"s\xc3\xb3" not in m.SerializeToString() for sent in desk.sent for m in sent)


@pytest.mark.parametrize(
    ("value", "rule", "words"),
    [(0, "5.2", "a bid of 0"), (1_000_000, "5.2", "a bid of 1000000")],
)
def test_bid_what_is_no_bid(desks: Desks, value: int, rule: str, words: str):
    """An illegal bid is told with its section, what arrived and what was legal, and costs one fault."""
    desk = desks().start()
    turn = desk.turn
    assert desk.answer(value)
    (notice,) = desk.told(turn.seat, "notice")
    assert (notice.verdict, notice.rule, list(notice.legal)) == (play_pb.VERDICT_ILLEGAL, rule, [1, 2, 3])
    assert words in notice.detail
    assert notice.move.bid == value
    (fault,) = desk.told(turn.seat, "fault")
    assert (fault.kind, fault.applied, fault.faults) == (play_pb.FAULT_KIND_ILLEGAL, 1, 1)
    assert desk.turn.seat == (turn.seat + 1) % 3
    assert desk.turn.view.bids[turn.seat] == 1


@pytest.mark.parametrize("card", ["not held", 54, 4_000_000_000])
def test_play_a_card_that_cannot_be_played(desks: Desks, card: int | str):
    """The weakest legal card is played instead of a card that is not held, or that there is not."""
    desk = desks().start()
    desk.play_on(until=in_play)
    turn = desk.turn
    desk.answer(not_held(turn) if card == "not held" else int(card))
    (notice,) = desk.told(turn.seat, "notice")
    assert notice.verdict == play_pb.VERDICT_ILLEGAL
    assert list(notice.legal) == list(turn.legal)
    desk.play_on()
    finished = desk.close()
    assert finished.result.faults[turn.seat] == 1
    assert [fault.kind for fault in finished.faults] == [FaultKind.ILLEGAL]
    assert verify(finished.replay).ok


def test_answer_twice(desks: Desks):
    """The first answer counts; the second, the same or another, is stale and no fault."""
    desk = desks().start()
    turn = desk.turn
    assert desk.answer(2, turn=turn)
    assert not desk.answer(2, turn=turn)
    assert not desk.answer(3, turn=turn)
    assert [n.verdict for n in desk.told(turn.seat, "notice")] == [play_pb.VERDICT_STALE] * 2
    assert desk.turn.view.bids[turn.seat] == 2
    desk.play_on()
    assert desk.close().result.faults == (0, 0, 0)


def test_answer_for_another_seat(desks: Desks):
    """A decision that was asked of another seat is not this bot's to make, and costs the one who tried."""
    desk = desks().start()
    turn = desk.turn
    meddler = (turn.seat + 1) % 3
    assert not desk.move(desk.bots[meddler], make_move(turn, 3))
    (notice,) = desk.told(meddler, "notice")
    assert notice.verdict == play_pb.VERDICT_MALFORMED
    (fault,) = desk.told(meddler, "fault")
    assert (fault.kind, fault.decision_id, fault.HasField("applied")) == (play_pb.FAULT_KIND_PROTOCOL, 0, False)
    assert desk.turn.decision_id == turn.decision_id
    desk.play_on()
    finished = desk.close()
    assert finished.result.faults[meddler] == 1
    assert verify(finished.replay).ok


@pytest.mark.parametrize("decision", [0, 2, 10**12])
def test_answer_a_decision_that_was_never_asked(desks: Desks, decision: int):
    """Such a move is malformed; the open decision is closed with the fixed move."""
    desk = desks().start()
    turn = desk.turn
    desk.move(desk.bots[turn.seat], play_pb.Move(game_id=turn.game_id, decision_id=decision, bid=2))
    (fault,) = desk.told(turn.seat, "fault")
    assert (fault.kind, fault.applied) == (play_pb.FAULT_KIND_PROTOCOL, 1)
    assert desk.turn.seat != turn.seat


@pytest.mark.parametrize("answer", [{}, {"card": 3}, {"cut": 0}])
def test_answer_in_another_kind(desks: Desks, answer: dict[str, Any]):
    """No answer, or one of another kind, is malformed even where its number would be legal."""
    desk = desks().start()
    turn = desk.turn
    desk.move(desk.bots[turn.seat], play_pb.Move(game_id=turn.game_id, decision_id=turn.decision_id, **answer))
    (fault,) = desk.told(turn.seat, "fault")
    assert fault.kind == play_pb.FAULT_KIND_PROTOCOL


def test_say_nothing(desks: Desks):
    """Silence is a timeout when limit and bank are used up, not a moment earlier; the others play on."""
    desk = desks(limits=GameLimits(decision_ms=1000, bank_ms=500)).start()
    seat = desk.turn.seat
    desk.clock.pass_time(1.4999)
    assert desk.turn.seat == seat
    desk.clock.pass_time(0.001)
    desk.collect()
    (fault,) = desk.told(seat, "fault")
    assert (fault.kind, fault.applied) == (play_pb.FAULT_KIND_TIMEOUT, 1)
    assert desk.turn.seat != seat


def test_answer_too_late(desks: Desks):
    """An answer that comes after its timeout is stale, and only the timeout is charged."""
    desk = desks(limits=GameLimits(decision_ms=1000, bank_ms=0)).start()
    turn = desk.turn
    desk.clock.pass_time(1.01)
    desk.collect()
    desk.answer(2, turn=turn)
    assert [f.kind for f in desk.told(turn.seat, "fault")] == [play_pb.FAULT_KIND_TIMEOUT]
    assert [n.verdict for n in desk.told(turn.seat, "notice")] == [play_pb.VERDICT_STALE]


def test_answer_too_late_and_wrong_before_the_timer_rang(desks: Desks):
    """Late comes before malformed and illegal: one cause is recorded."""
    for value in (0, None):
        desk = desks(limits=GameLimits(decision_ms=1000, bank_ms=0))
        desk.start()
        turn = desk.turn
        desk.clock.now += 1.5
        desk.clock._tick_on_time()
        desk.answer(value, turn=turn)
        assert [f.kind for f in desk.told(turn.seat, "fault")] == [play_pb.FAULT_KIND_TIMEOUT]
        assert [fault.kind for fault in desk.table.faults] == [FaultKind.TIMEOUT]


def test_a_late_referee_charges_nobody(desks: Desks):
    """A decision that was late because the referee was is no fault, and the next turn says so."""
    desk = desks(limits=GameLimits(decision_ms=1000, bank_ms=0)).start()
    turn = desk.turn
    desk.clock.stall(5.0)
    desk.clock.run_due()
    desk.answer(2, turn=turn)
    assert desk.table.faults == []
    desk.play_on(until=lambda desk: desk.turn.seat == turn.seat)
    last = desk.turn.last
    assert (last.decision_id, last.excused, last.applied) == (turn.decision_id, True, 2)
    assert last.measured_us == pytest.approx(5_000_000, rel=0.01)
    assert last.excused_us == pytest.approx(4_980_000, rel=0.01)


def test_the_turn_tells_what_the_clock_has_left(desks: Desks):
    """Each turn carries what is left of the decision and of the bank, which pays for the excess."""
    desk = desks(limits=GameLimits(decision_ms=1000, bank_ms=5000)).start()
    seat = desk.turn.seat
    assert (desk.turn.decision_left_ms, desk.turn.bank_left_ms) == (1000, 5000)
    desk.clock.pass_time(3.0)
    desk.answer()
    desk.play_on(until=lambda desk: desk.turn.seat == seat)
    assert (desk.turn.decision_left_ms, desk.turn.bank_left_ms) == (1000, 3000)


def test_without_a_clock_turns_show_none(desks: Desks):
    """No clock is absence, not a large number; the wall limit still ends the wait."""
    desk = desks(limits=GameLimits(decision_ms=None, wall_ms=60_000)).start()
    seat = desk.turn.seat
    assert not desk.turn.HasField("decision_left_ms")
    assert not desk.turn.HasField("bank_left_ms")
    desk.clock.pass_time(60.01)
    assert [fault.kind for fault in desk.table.faults] == [FaultKind.TIMEOUT]
    assert desk.table.faults[0].seat == seat


def test_too_many_faults(desks: Desks):
    """After `max_faults` the referee plays the seat out, asks it nothing more, and places it last."""
    desk = desks(limits=GameLimits(max_faults=2)).start()
    seat = desk.turn.seat
    while desk.table.result is None:
        desk.answer(99 if desk.turn.seat == seat else None)
    finished = desk.close()
    assert [f.played_out for f in desk.told(seat, "fault")] == [False, True]
    assert finished.result.faults[seat] == 2
    assert finished.result.played_out == (seat,)
    assert finished.result.places is not None
    assert finished.result.places[seat] == 3
    assert len(desk.told(seat, "turns")) == 2
    assert verify(finished.replay).ok


def test_strict(desks: Desks):
    """The first fault ends the game: the seat is last, the others are placed by their totals."""
    desk = desks(limits=STRICT).start()
    desk.play_on(until=lambda desk: desk.turn.view.hand == 1)
    totals = desk.table.game.totals
    seat = desk.turn.seat
    desk.answer(0)
    finished = desk.close()
    assert finished.result.status is Status.FORFEITED
    assert finished.result.totals == totals
    assert finished.result.places is not None
    assert finished.result.places[seat] == 3
    assert finished.result.reason == f"seat {seat} forfeited the game: illegal"
    assert all(len(desk.told(n, "game_over")) == 1 for n in range(3))
    assert verify(finished.replay).ok


def test_the_bots_own_code_fails(desks: Desks):
    """A bot that says so is charged a crash at once, with its own words in the replay."""
    desk = desks().start()
    turn = desk.turn
    error = play_pb.BotError(game_id=turn.game_id, decision_id=turn.decision_id, detail="ValueError: ünknown")
    desk.table.bot_error(desk.bots[turn.seat], error)
    desk.table.bot_error(desk.bots[turn.seat], error)
    desk.collect()
    assert [fault.kind for fault in desk.table.faults] == [FaultKind.CRASH]
    desk.play_on()
    assert "ünknown" in desk.close().replay.read_text(encoding="utf-8")


def test_leave_for_ever(desks: Desks):
    """A bot that will not come back is charged once and played out; the others finish and are told."""
    desk = desks().start()
    desk.play_on(until=in_play)
    seat = desk.turn.seat
    desk.bots[seat].stream = None
    desk.bots[seat].leave(Gone(FaultKind.CRASH, "exit code 3"))
    desk.collect()
    desk.play_on()
    finished = desk.close()
    assert [(fault.seat, fault.kind) for fault in finished.faults] == [(seat, FaultKind.CRASH)]
    assert finished.result.played_out == (seat,)
    assert [len(desk.told(n, "game_over")) for n in range(3)] == [0 if n == seat else 1 for n in range(3)]
    assert verify(finished.replay).ok


def test_leave_when_another_seat_is_asked(desks: Desks):
    """The charge comes with the seat's next decision, so that a bot with nothing left to do is not charged."""
    desk = desks().start()
    leaver = (desk.turn.seat + 1) % 3
    desk.bots[leaver].leave(Gone(FaultKind.DISCONNECTED, "gone"))
    assert desk.table.faults == []
    desk.answer()
    assert [fault.seat for fault in desk.table.faults] == [leaver]


def test_everybody_leaves(desks: Desks):
    """A game without bots is played out to its end."""
    desk = desks().start()
    for bot in desk.bots:
        bot.leave(Gone(FaultKind.DISCONNECTED, "gone"))
    finished = desk.close()
    assert finished.result.status is Status.COMPLETE
    assert finished.result.played_out == (0, 1, 2)
    assert finished.result.faults == (1, 1, 1)
    assert verify(finished.replay).ok


def test_come_back(desks: Desks):
    """An open decision is asked again on the new stream, with what is left of its clock."""
    desk = desks(limits=GameLimits(decision_ms=1000, bank_ms=5000)).start()
    turn = desk.turn
    bot = desk.bots[turn.seat]
    stream, bot.stream = bot.stream, None
    desk.clock.pass_time(1.5)
    bot.stream = stream
    desk.table.ask_again(bot)
    desk.collect()
    again = desk.turn
    assert (again.decision_id, again.again) == (turn.decision_id, True)
    assert (again.decision_left_ms, again.bank_left_ms) == (0, 4500)
    assert again.view == turn.view
    assert desk.answer()
    assert not desk.turn.again
    assert desk.table.faults == []


def test_the_clock_runs_out_while_a_bot_is_away(desks: Desks):
    """Disconnected comes before timeout, and is not for good: the bot may still come back."""
    desk = desks(limits=GameLimits(decision_ms=1000, bank_ms=0)).start()
    seat = desk.turn.seat
    desk.bots[seat].stream = None
    desk.clock.pass_time(1.01)
    assert [(fault.seat, fault.kind) for fault in desk.table.faults] == [(seat, FaultKind.DISCONNECTED)]
    assert not desk.table.seats[seat].played_out


def test_one_bot_in_two_seats(desks: Desks):
    """A bot that sits twice is told everything for each seat, and may answer for both."""
    desk = desks(shared=(0, 1, 0)).start()
    desk.play_on()
    finished = desk.close()
    assert [m.seat for m in desk.told(0, "game_started")] == [0, 2]
    assert [m.seat for m in desk.told(0, "game_over")] == [0, 2]
    assert finished.result.faults == (0, 0, 0)


def test_the_seed_waits_for_the_deal(desks: Desks):
    """The seed is in the end message only if nothing is left to be played on the deal; otherwise it follows."""
    last = desks().start()
    last.play_on()
    last.close()
    assert all(last.told(seat, "game_over")[0].game_seed == last.table.seed for seat in range(3))
    early = desks()
    early.match.add(0, 1)
    early.start()
    early.play_on()
    early.close()
    assert not any(early.told(seat, "game_over")[0].HasField("game_seed") for seat in range(3))
    assert all(early.table.seed not in m.SerializeToString() for sent in early.sent for m in sent)
    early.table.reveal()
    early.collect()
    assert all(early.told(seat, "seed_revealed")[0].game_seed == early.table.seed for seat in range(3))


def test_trouble_of_our_own_voids_the_game(desks: Desks, monkeypatch: pytest.MonkeyPatch):
    """A failure of the referee is nobody's fault: the game is void, and no exception gets out."""
    desk = desks().start()
    monkeypatch.setattr(desk.table.game, "packs", None)
    desk.play_on()
    assert desk.table.result is not None
    assert desk.table.result.status is Status.VOID
    assert desk.table.result.places is None
    assert desk.table.faults == []
    finished = desk.close()
    assert finished.result.status is Status.VOID
    assert all(len(desk.told(seat, "game_over")) == 1 for seat in range(3))


def test_a_full_disk_voids_the_game(desks: Desks, monkeypatch: pytest.MonkeyPatch):
    """A replay that cannot be written is nobody's fault either."""
    desk = desks().start()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ReplayWriter, "record", full)
    desk.answer()
    assert desk.table.result is not None
    assert desk.table.result.status is Status.VOID
    assert "No space left" in desk.table.result.reason


def test_public_events_are_the_same_for_all_and_hide_details(desks: Desks):
    """Bots that ask for events get all public ones; a fault's details, which name cards, are not among them."""
    desk = desks(events=True).start()
    desk.play_on(until=in_play)
    turn = desk.turn
    desk.answer(not_held(turn))
    desk.play_on()
    history = desk.table.public_history()
    desk.close()
    for seat in range(3):
        events = [event for m in desk.told(seat, "events") for event in m.events]
        assert events[:-1] == history[1:]
        assert events[-1].HasField("game_result")
    (charged,) = [e.fault_charged for e in history if e.HasField("fault_charged")]
    assert (charged.seat, charged.kind) == (turn.seat, play_pb.FAULT_KIND_ILLEGAL)
    others = [m for seat in range(3) if seat != turn.seat for m in desk.sent[seat]]
    words = [str(Card(index)) for index in turn.legal]
    assert not any(m.HasField("fault") or m.HasField("notice") for m in others)
    assert all(word.encode() not in m.SerializeToString() for m in others for word in words)


def test_the_last_decision_is_told(desks: Desks):
    """Each turn says what was measured for the seat's last decision, and what was applied."""
    desk = desks().start()
    first = desk.turn
    assert not first.HasField("last")
    desk.clock.pass_time(0.25)
    desk.answer(3)
    desk.play_on(until=lambda desk: desk.turn.seat == first.seat)
    last = desk.turn.last
    assert (last.decision_id, last.applied, last.by_referee, last.excused) == (first.decision_id, 3, False, False)
    assert last.measured_us == pytest.approx(250_000)
