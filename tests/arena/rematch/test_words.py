from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from arena.rematch.games import a_desk, a_game, everything, finish, highest

from bluke.arena.rematch.ask import Answers, Verdict, judge_reply
from bluke.arena.rematch.branch import BranchResult
from bluke.arena.rematch.plan import plan_branch
from bluke.arena.rematch.words import answers_data, plan_lines, reply_lines, result_lines, summary_lines
from bluke.referee.asking import Question, Reply
from bluke.replay.records import FaultLine
from bluke.replay.steps import Step
from bluke.rules import Asked, Card, Suit
from bluke.wire.values import FaultKind, GameLimits, GameResult, Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HOSTILE = "\x1b[2J\u202egnp\nnext"
PLAY = Question(
    size=5,
    cards=(Card.parse("9C"), Card.parse("9D"), Card.parse("HI")),
    legal=(Card.parse("9D"), Card.parse("HI")),
    on_table=((0, Card.parse("JD")), (1, Card.parse("2D"))),
    bids=(2, 1, 3),
    taken=(1, 0, 1),
    turned=Card.parse("4H"),
    trump=Suit.HEARTS,
)
BID = replace(PLAY, cards=PLAY.cards[:2], legal=(1, 2), on_table=(), bids=(None, 2, None), trump=None, turned=None)
STEP = Step(9, 8, 3, Asked.PLAY, 7, 2, 2, Card.parse("9D"), 12.5, "high enough")


def told(step: Step = STEP, question: Question = PLAY, **now: Any) -> list[str]:
    return list(reply_lines(Reply(step, question, **{"value": Card.parse("HI"), "note": "", "ms": 1.0, **now})))


def test_a_play():
    """What lies on the table, the contract, the cards, what was legal, and both answers with their notes."""
    assert told(note="to be sure") == [
        "3.7      on the table 0:JD 1:2D, 5 cards, trump H (turned 4H); bid 3, has 1",
        "  holds  9C 9D HI",
        "  legal  9D HI",
        "  then   9D  note: high enough",
        "  now    HI  note: to be sure",
    ]


def test_a_lead_a_bid_and_a_cut():
    """Each says what is to be known for it."""
    assert told(question=replace(PLAY, on_table=()))[0].startswith("3.7      to lead, 5 cards, trump H (turned 4H)")
    bid = replace(STEP, asked=Asked.BID, trick=0, value=1)
    assert told(bid, BID, value=2)[:1] == ["3.bid    to bid, 5 cards, no trump; bids so far 1:2"]
    assert told(bid, BID, value=2)[2:] == ["  legal  1 to 2", "  then   1  note: high enough", "  now    2"]
    assert told(bid, replace(BID, bids=(None,) * 3))[0].endswith("bids so far none")
    cut = replace(STEP, asked=Asked.CUT, trick=0, value=0, note="")
    assert told(cut, replace(BID, size=1, legal=tuple(range(30))), value=4) == [
        "3.cut    to cut, 1 card",
        "  holds  9C 9D",
        "  legal  0 to 29",
        "  then   0",
        "  now    4",
    ]


def test_what_the_referee_did_then():
    """A move that was none of the bot's is told with the fault before it, and so is the end of a game."""
    fault = FaultLine(3, 2, FaultKind.TIMEOUT, Asked.PLAY, "no answer within 100 ms\x1b")
    referee = replace(STEP, by_referee=True, note="", faults=(fault,))
    assert told(referee)[3] == "  then   9D, by the referee after a fault, timeout: no answer within 100 ms\\x1b"
    assert told(replace(referee, value=None))[3].startswith("  then   nothing: the game ended here after a fault, ")
    assert told(replace(STEP, value=None))[3] == "  then   nothing: the game ended here"


def test_a_fault_of_now():
    """It is told with what happened."""
    lines = told(value=None, fault=FaultKind.ILLEGAL, detail="2C does not follow")
    assert lines[4] == "  now    a fault, illegal: 2C does not follow"


def test_what_bots_say_is_text():
    """No control character and no mark that turns the direction of writing reaches a terminal."""
    for lines in (
        told(replace(STEP, note=HOSTILE), note=HOSTILE),
        told(value=None, fault=FaultKind.CRASH, detail=HOSTILE),
    ):
        assert all(line.isprintable() for line in lines)
        assert any("\\x1b[2J\\u202egnp\\nnext" in line for line in lines)


@pytest.mark.parametrize(
    ("step", "now", "verdict"),
    [
        (STEP, {"value": Card.parse("9D")}, Verdict.SAME),
        (STEP, {}, Verdict.DIFFERS),
        (STEP, {"value": None, "fault": FaultKind.CRASH}, Verdict.FAULT),
        (replace(STEP, by_referee=True), {"value": Card.parse("9D")}, Verdict.NEW),
        (replace(STEP, value=None), {}, Verdict.NEW),
    ],
)
def test_verdicts(step: Step, now: dict[str, Any], verdict: Verdict):
    """An answer is held against a move of the bot of then, and a fault is one whatever was done then."""
    reply = Reply(step, PLAY, **{"value": Card.parse("HI"), "note": "", "ms": 1.0, **now})
    assert judge_reply(reply) is verdict


def answers(path: Path, *replies: Reply, broken_off: str = "") -> Answers:
    return Answers(everything(path, 1), list(replies), broken_off)


def test_the_summary(tmp_path: Path):
    """How many were asked and what came of them; why not all were; and how many moves nobody was asked for."""
    desk = a_desk(tmp_path / "run", limits=GameLimits(max_faults=1))
    while desk.table.result is None:
        desk.answer(60 if desk.turn.seat == 1 and desk.table.game.hand == 2 else None)
    path = desk.close().replay
    same = Reply(STEP, PLAY, Card.parse("9D"), "", 1.0)
    new = Reply(replace(STEP, by_referee=True), PLAY, Card.parse("9D"), "", 1.0)
    bad = Reply(STEP, PLAY, None, "", 1.0, FaultKind.TIMEOUT, "late")
    assert list(summary_lines(answers(path, same, same, same))) == [
        "3 decisions of seat 1 asked: 3 as then, 0 differ",
        "4 moves of the seat nobody was asked for then, and nobody is now",
    ]
    assert list(summary_lines(answers(path, new, bad, broken_off="it died\x1b")))[:2] == [
        "2 decisions of seat 1 asked: 0 as then, 0 differ, 1 that the bot of then did not decide, 1 fault (1 timeout)",
        "broken off after 2 of 8: it died\\x1b",
    ]


def test_data_for_programs(tmp_path: Path):
    """All of it is JSON, with the decisions in order and their counts."""
    path = a_game(tmp_path / "run", highest)
    data = answers_data(answers(path, Reply(STEP, PLAY, Card.parse("HI"), "n", 1.5)))
    assert json.loads(json.dumps(data)) == data
    assert (data["questions"], data["asked"], data["same"], data["differs"], data["broken_off"]) == (12, 1, 0, 1, None)
    (decision,) = data["decisions"]
    assert decision["now"] == {"answer": "HI", "fault": None, "detail": "", "note": "n", "ms": 1.5}
    assert decision["then"] == {"answer": "9D", "by": None, "faults": [], "note": "high enough", "ms": 12.5}
    assert (decision["at"], decision["moment"], decision["verdict"]) == ("3.7", "3.7.2", "differs")
    assert (decision["on_table"], decision["trump"], decision["turned"]) == ([[0, "JD"], [1, "2D"]], "H", "4H")


# Branches


def result(path: Path, totals: Sequence[tuple[int, int]], **options: Any) -> BranchResult:
    games = {
        number: SimpleNamespace(result=GameResult(Status.COMPLETE, some, (1, 2), (0, 0)), faults=())
        for number, some in enumerate(totals)
    }
    return BranchResult(plan_branch(path, "0.1", **options), games)  # type: ignore[arg-type]


def test_where_a_game_is_left(tmp_path: Path):
    """The moment, what is seen there, what was done, what is done now, and how often."""
    path = a_game(tmp_path / "run")
    plan = plan_branch(path, "0.1", times=3, out=tmp_path / "x")
    lines = list(plan_lines(plan))
    assert lines[0] == f"game {plan.recorded.game} is left at 0.1.0, seat {plan.step.seat}:"
    assert lines[1].startswith("  to lead, 3 cards, ")
    assert lines[4:] == [
        f"  then   {plan.step.value}",
        "3 games from there, also of later hands with the cards of then",
        f"folder: {tmp_path / 'x'}",
    ]
    forced = plan_branch(path, "0.1", move=str(plan.question.legal[0]))
    assert f"  now    {plan.question.legal[0]}, as you say" in list(plan_lines(forced))


def test_how_the_scores_moved(tmp_path: Path):
    """Each seat's total then, the mean of now with its interval, and the difference, worked out by hand."""
    path = a_game(tmp_path / "run")
    plan = plan_branch(path, "0.1")
    then = plan.totals_then
    lines = list(result_lines(result(path, [(10, 5), (20, 5), (30, 5)])))
    # Deviation 10, three games: 4.303 * 10 / sqrt(3)
    assert [line.split() for line in lines] == [
        ["seat", "bot", "then", "total", "then", "bot", "now", "total", "now", "moved", "by"],
        ["0", "bot0", str(then[0]), "bot0", "20.0", "±24.8", f"{20 - then[0]:+.1f}", "±24.8"],
        ["1", "bot1", str(then[1]), "bot1", "5.0", f"{5 - then[1]:+.1f}"],
    ]
    assert len({len(line) for line in lines[1:]}) == 1


def test_one_game_and_games_that_are_alike(tmp_path: Path):
    """They have no interval, and that they are alike is said."""
    path = a_game(tmp_path / "run")
    one = list(result_lines(result(path, [(10, 5)])))
    assert "±" not in "".join(one)
    assert one[1].split()[4] == "10"
    alike = list(result_lines(result(path, [(10, 5), (10, 5)])))
    assert "±" not in "".join(alike)
    assert alike[-1] == "all 2 games ended alike"


def test_what_else_is_to_be_known(tmp_path: Path):
    """That the game then was not played to its end, who was at fault now, and who is played by the referee."""
    desk = a_desk(tmp_path / "run", limits=GameLimits(max_faults=1))
    while desk.table.game.hand < 1:
        desk.answer(60 if desk.turn.seat == 1 else None)
    desk.table.void("the run was\x1b stopped")
    path = desk.close().replay
    told_of = result(path, [(10, 5)])
    fault = SimpleNamespace(seat=0, kind=FaultKind.TIMEOUT)
    told_of.games[0] = SimpleNamespace(result=told_of.games[0].result, faults=(fault, fault))  # type: ignore[assignment]
    lines = list(result_lines(told_of))
    assert "the referee" in lines[2]
    assert "the game then was not played to its end: void, the run was\\x1b stopped" in lines
    assert lines[-1] == "seat 0 (bot0): 2 faults, timeout"


def test_long_names_are_cut(tmp_path: Path):
    """A name of any length, and one that would turn the writing, leaves the table a table."""
    path = finish(a_desk(tmp_path / "run", bots=["x" * 60]))
    lines = list(result_lines(result(path, [(10, 5)], seats="x" * 60)))
    assert "x" * 19 + "~" in lines[1]
    assert max(map(len, lines)) < 100
