from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from referee.asked import MOODS, AskedDesk, play_roughly
from referee.desk import Desk, make_move

from bluke.errors import ReplayError
from bluke.replay.reader import read_replay
from bluke.replay.steps import steps_of
from bluke.replay.verify import verify
from bluke.rules import BlukeLed, Card, CutRule, Rules, Variant
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import FaultKind, GameLimits, Policy, Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALL_RULES = [
    Rules(2, hands=(4, 2, 1)),
    Rules(3, hands=(5, 1, 2), cut=CutRule.PLAYER),
    Rules(3, hands=(18,)),
    Rules(4, variant=Variant.NEW_JERSEY, max_hand=3),
    Rules(4, hands=(3, 2), cut=CutRule.PLAYER, variant=Variant.NEW_JERSEY),
    Rules(5, max_hand=3, bluke_led=BlukeLed.TRUMP),
    Rules(6, hands=(9, 1)),
    *(Rules(seats, hands=(3, 1, 2)) for seats in range(7, 16)),
]
LIMITS = {
    "lenient": GameLimits(max_faults=3),
    "patient": GameLimits(max_faults=50, decision_ms=1000, bank_ms=5000),
    "strict": GameLimits(policy=Policy.STRICT),
    "no clock": GameLimits(decision_ms=None, wall_ms=60_000),
}


def without_clock(turn: play_pb.Turn) -> play_pb.Turn:
    """A turn without what the file cannot say, and without times, which are compared apart."""
    plain = play_pb.Turn()
    plain.CopyFrom(turn)
    plain.again = False
    for name in ("decision_left_ms", "bank_left_ms"):
        plain.ClearField(name)
    for name in ("measured_us", "excused_us", "excused"):
        plain.last.ClearField(name)
    return plain


def compare_times(then: play_pb.Turn, now: play_pb.Turn, *, lag: bool) -> None:
    """Times agree as far as the file holds them: the referee's own lateness is not in it."""
    assert then.HasField("last") == now.HasField("last")
    assert abs(then.last.measured_us - now.last.measured_us) <= 1
    assert then.HasField("bank_left_ms") == now.HasField("bank_left_ms")
    if then.again:
        return
    assert then.decision_left_ms == now.decision_left_ms
    if lag:
        assert now.bank_left_ms <= then.bank_left_ms + 1
    else:
        assert (then.last.excused_us, then.last.excused) == (0, False)
        assert abs(then.bank_left_ms - now.bank_left_ms) <= 1


def turns_of(messages: list[play_pb.PlayResponse], seat: int) -> dict[int, play_pb.Turn]:
    """The turns of a seat by decision, each as it was asked first."""
    asked: dict[int, play_pb.Turn] = {}
    for message in messages:
        for turn in message.turns.turns:
            if turn.seat == seat:
                asked.setdefault(turn.decision_id, turn)
    return asked


def told_besides(messages: list[play_pb.PlayResponse], seat: int) -> list[bytes]:
    """All else that a seat was told, but for notices: of those the file has none."""
    kinds = ("game_started", "hand_scored", "fault", "game_over", "events")
    told = [message for message in messages if message.WhichOneof("payload") in kinds]
    return [
        message.SerializeToString()
        for message in told
        if message.HasField("events") or getattr(message, message.WhichOneof("payload") or "").seat == seat
    ]


def last_legal(turn: play_pb.Turn) -> int:
    return turn.legal[-1]


def game(folder: Path, number: int, **options: Any) -> tuple[Desk, Path]:
    """A game that went roughly, and its replay; the number stands for all chance in it."""
    random = Random(number)
    moods = options.pop("moods", random.choice([MOODS, MOODS, ("slow",), ()]))
    desk = Desk(folder, seed=str(number).encode(), events=random.random() < 0.5, **options)
    return desk, play_roughly(desk, random, moods, often=random.choice([0.05, 0.3]))


@pytest.mark.slow
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: f"{rules.seats}-{rules.variant.value}-{rules.cut.value}")
def test_every_turn_again(tmp_path: Path, rules: Rules, limits: str):
    """Whatever happened at the table, every seat is asked from the file what it was asked then, and told the same."""
    compared: Counter[str] = Counter()
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        shared = tuple(seat % 2 for seat in range(rules.seats)) if number == 2 else None
        desk, path = game(folder, number, rules=rules, limits=LIMITS[limits], shared=shared)
        assert verify(path).ok
        lag = desk.clock.lag.total(desk.clock.now) > 0
        for seat in Random(number).sample(range(rules.seats), min(4, rules.seats)):
            first = desk.bots.index(desk.bots[seat])
            again = AskedDesk(path, seat, events=desk.bots[seat].wants_events).play_on(last_legal)
            then, now = turns_of(desk.sent[first], seat), turns_of(again.sent, seat)
            # One that is away, and then gone, is never told what it was to decide.
            assert then.keys() <= now.keys()
            for decision, turn in then.items():
                assert without_clock(now[decision]) == without_clock(turn)
                compare_times(turn, now[decision], lag=lag)
            told, besides = told_besides(desk.sent[first], seat), told_besides(again.sent, seat)
            assert told == besides[: len(told)]
            assert len(told) == len(besides) or desk.bots[seat].gone is not None
            compared.update(asked=len(then), told=len(told))
    assert compared["asked"] >= 3
    assert compared["told"] >= 3 * min(4, rules.seats)


def test_the_legal_answers_are_those_of_the_rules(tmp_path: Path):
    """What is reported of each decision, its legal answers and cards, is what its turn says."""
    _, path = game(tmp_path, 5, rules=ALL_RULES[1], moods=())
    again = AskedDesk(path, 1).play_on(last_legal)
    turns = list(turns_of(again.sent, 1).values())
    assert len(again.replies) == len(turns) == 3 + 8 + 1
    for turn, reply in zip(turns, again.replies, strict=True):
        question = reply.question
        legal = [value.index if isinstance(value, Card) else value for value in question.legal]
        assert legal == list(turn.legal)
        assert [card.index for card in question.cards] == list(turn.view.cards)
        assert [bid or 0 for bid in question.bids] == list(turn.view.bids)
        trick = turn.view.tricks[-1] if turn.view.tricks else None
        on_table = [] if trick is None or trick.HasField("winner") else list(trick.cards)
        assert [card.index for _, card in question.on_table] == on_table


def test_whatever_it_answers_the_recorded_move_is_made(tmp_path: Path):
    """The game takes its old course, and each reply says what was done then and what would be done now."""
    desk, path = game(tmp_path, 6, rules=Rules(3, hands=(4, 2)), moods=())
    again = AskedDesk(path, 2).play_on(last_legal)
    assert list(again.table.game.events) == list(desk.table.game.events)
    assert again.table.result == desk.table.result
    mine = [step for step in steps_of(read_replay(path)) if step.seat == 2]
    assert [reply.step for reply in again.replies] == mine
    assert [reply.value for reply in again.replies] == [max(reply.question.legal) for reply in again.replies]
    assert any(reply.value != reply.step.value for reply in again.replies)


@pytest.mark.parametrize(
    ("act", "kind", "words"),
    [
        (lambda desk: desk.table.move(desk.bot, make_move(desk.turn, 53)), FaultKind.ILLEGAL, "[sent: decision"),
        (lambda desk: desk.desk.clock.pass_time(100), FaultKind.TIMEOUT, "no answer within"),
        (
            lambda desk: desk.table.move(desk.bot, play_pb.Move(game_id=desk.turn.game_id, decision_id=77)),
            FaultKind.PROTOCOL,
            "decision 77 was never asked",
        ),
        (
            lambda desk: desk.table.bot_error(desk.bot, play_pb.BotError(decision_id=desk.turn.decision_id)),
            FaultKind.CRASH,
            "the bot's own code failed",
        ),
    ],
    ids=["illegal", "late", "malformed", "crash"],
)
def test_faults_of_now(tmp_path: Path, act: Callable[[AskedDesk], object], kind: FaultKind, words: str):
    """A fault of now is told to the bot and reported with its decision, and the next question is the old one."""
    _, path = game(tmp_path, 7, rules=Rules(2, hands=(3, 2)), moods=())
    plain = AskedDesk(path, 0).play_on(last_legal)
    again = AskedDesk(path, 0).start()
    act(again)
    again.collect()
    (reply,) = again.replies
    assert (reply.value, reply.fault) == (None, kind)
    assert words in reply.detail
    (notice,) = [message.fault for message in again.sent if message.HasField("fault")]
    assert notice.decision_id == reply_decision(plain, 0)
    assert (notice.faults, notice.played_out) == (1, False)
    while again.table.result is None:
        again.table.move(again.bot, make_move(again.turn))
        again.collect()
    before, after = turns_of(plain.sent, 0), turns_of(again.sent, 0)
    assert before == after


def reply_decision(desk: AskedDesk, number: int) -> int:
    return list(turns_of(desk.sent, 0).values())[number].decision_id


def test_faults_of_then_are_told_again(tmp_path: Path):
    """Where the referee moved for the seat after a fault, a bot that answers well now is told of the old fault."""
    desk = Desk(tmp_path, rules=Rules(2, hands=(3, 2)))
    desk.start()
    seat = desk.turn.seat
    desk.answer(0)
    desk.play_on()
    path = desk.close().replay
    again = AskedDesk(path, seat).play_on(last_legal)
    (then,), (now,) = desk.told(seat, "fault"), [m.fault for m in again.sent if m.HasField("fault")]
    assert now == then
    reply = again.replies[0]
    assert reply.step.by_referee
    assert [fault.kind for fault in reply.step.faults] == [FaultKind.ILLEGAL]
    assert (reply.fault, reply.value) == (None, 3)


def test_a_seat_that_was_played_out_is_asked_no_more_than_then(tmp_path: Path):
    """The decisions that the referee made for a seat it had taken over are nobody's to be asked."""
    desk = Desk(tmp_path, rules=Rules(2, hands=(3, 2)), limits=GameLimits(max_faults=2))
    desk.start()
    desk.answer()
    seat = desk.turn.seat
    while desk.table.result is None:
        desk.answer(60 if desk.turn.seat == seat else None)
    path = desk.close().replay
    again = AskedDesk(path, seat).play_on(last_legal)
    assert len(again.replies) == 2
    assert [m.fault.played_out for m in again.sent if m.HasField("fault")] == [False, True]
    assert sum(step.seat == seat and not step.was_asked for step in again.steps) == 5


def test_one_decision_in_the_middle(tmp_path: Path):
    """A single decision is asked as after a start in mid-game: the whole view, no earlier news, and then no more."""
    desk, path = game(tmp_path, 8, rules=Rules(3, hands=(4, 3)), moods=("slow",))
    steps = steps_of(read_replay(path))
    for number, step in enumerate(steps):
        again = AskedDesk(path, step.seat, first=number, stop=number + 1).play_on(last_legal)
        then = turns_of(desk.sent[step.seat], step.seat)
        (asked,) = turns_of(again.sent, step.seat).values()
        assert without_clock(asked) == without_clock(then[asked.decision_id])
        compare_times(then[asked.decision_id], asked, lag=False)
        assert [reply.step for reply in again.replies] == [step]
        kinds = [message.WhichOneof("payload") for message in again.sent if not message.HasField("hand_scored")]
        assert kinds == ["game_started", "turns", "game_over"]
        over = play_pb.GAME_STATUS_VOID if number < len(steps) - 1 else play_pb.GAME_STATUS_COMPLETE
        assert again.sent[-1].game_over.result.status == over


def test_a_bot_that_is_never_in_time(tmp_path: Path):
    """After three answers that do not come nothing more is asked, and why is said."""
    _, path = game(tmp_path, 9, rules=Rules(2, hands=(4,)), moods=())
    again = AskedDesk(path, 1).start()
    again.desk.clock.pass_time(1000)
    assert [reply.fault for reply in again.replies] == [FaultKind.TIMEOUT] * 3
    assert again.table.broken_off == "it does not answer in time"
    assert again.table.result is not None
    assert again.table.result.status is Status.VOID


def test_the_open_decision_of_a_game_that_was_stopped(tmp_path: Path):
    """What was being asked when a game was voided or forfeited is asked too; there is nothing to compare it with."""
    for policy in Policy:
        folder = tmp_path / policy.value
        folder.mkdir()
        desk = Desk(folder, rules=Rules(3, hands=(4, 2)), limits=GameLimits(policy=policy))
        desk.start()
        for _ in range(6):
            desk.answer()
        seat = desk.turn.seat
        if policy is Policy.STRICT:
            desk.answer(60)
        else:
            desk.table.void("the run was stopped")
        path = desk.close().replay
        again = AskedDesk(path, seat).play_on(last_legal)
        reply = again.replies[-1]
        assert reply.step.value is None
        assert reply.value == max(reply.question.legal)
        assert turns_of(again.sent, seat) == turns_of(desk.sent[seat], seat)
        assert again.table.result == desk.table.result


def test_without_its_end_a_file_is_refused(tmp_path: Path):
    """A game that was not finished has no seed, and that is said."""
    desk = Desk(tmp_path, rules=Rules(2, hands=(2, 1)))
    desk.start()
    desk.play_on(until=lambda desk: desk.table.game.hand == 1)
    replay = desk.table.replay
    assert replay is not None
    replay.abandon()
    (path,) = tmp_path.iterdir()
    with pytest.raises(ReplayError, match="not finished: without its last line the file has no seed"):
        steps_of(read_replay(path))
