"""What is said of decisions that were asked again, as lines for a person and as data for a program."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from bluke.arena.rematch.ask import Verdict, judge_reply
from bluke.arena.rematch.regression import SavedAnswer
from bluke.replay.text import counted, fit, visible, width
from bluke.rules import Asked
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bluke.arena.rematch.ask import Answers
    from bluke.arena.rematch.branch import BranchResult
    from bluke.arena.rematch.plan import BranchPlan
    from bluke.arena.rematch.regression import Regression
    from bluke.referee.asking import Question, Reply
    from bluke.replay.steps import Step
    from bluke.rules import Card

__all__ = [
    "answers_data",
    "held_data",
    "held_lines",
    "judge_held",
    "plan_lines",
    "reply_lines",
    "result_lines",
    "summary_lines",
    "unchanged",
]

#: A longer name is cut in a table.
NAME_COLUMNS = 20
NAME_COLUMN_NUMBERS = {1, 3}


def reply_lines(reply: Reply, saved: SavedAnswer | None = None) -> Iterator[str]:
    """A decision, what the seat saw, and what was and is answered; against a saved answer if there is one."""
    yield f"{reply.step.at!s:<8} {_seen(reply.question, reply.step)}"
    yield from _held(reply.question)
    if saved is None:
        yield f"  then   {_then(reply.step)}"
    else:
        yield f"  saved  {_saved(saved)}"
    yield f"  now    {_now(reply)}"


def _held(question: Question) -> Iterator[str]:
    yield f"  holds  {' '.join(map(str, question.cards))}"
    yield f"  legal  {_legal(question)}"


def _seen(question: Question, step: Step) -> str:
    cards = counted(question.size, "card")
    if step.asked is Asked.CUT:
        return f"to cut, {cards}"
    turned = "" if question.turned is None else f" (turned {question.turned})"
    trump = "no trump" if question.trump is None else f"trump {question.trump}"
    bids = " ".join(f"{seat}:{bid}" for seat, bid in enumerate(question.bids) if bid is not None)
    if step.asked is Asked.BID:
        return f"to bid, {cards}, {trump}{turned}; bids so far {bids or 'none'}"
    table = " ".join(f"{seat}:{card}" for seat, card in question.on_table)
    what = f"on the table {table}" if table else "to lead"
    return f"{what}, {cards}, {trump}{turned}; bid {question.bids[step.seat]}, has {question.taken[step.seat]}"


def _legal(question: Question) -> str:
    first, last = question.legal[0], question.legal[-1]
    if isinstance(first, int) and len(question.legal) > 1:
        return f"{first} to {last}"
    return " ".join(map(str, question.legal))


def _then(step: Step) -> str:
    own = [fault for fault in step.faults if fault.seat == step.seat]
    why = f"after a fault, {own[-1].kind.value}: {visible(own[-1].detail)}" if own else ""
    if step.value is None:
        return f"nothing: the game ended here {why}".rstrip()
    if step.by_referee:
        return f"{step.value}, by the referee {why}".rstrip()
    return f"{step.value}{_note(step.note)}"


def _saved(saved: SavedAnswer) -> str:
    return f"{_answer_or_fault(saved)}{_note(saved.note)}"


def _answer_or_fault(saved: SavedAnswer) -> str:
    fault = "" if saved.fault is None else f"a fault, {saved.fault.value}"
    return fault or visible(str(saved.answer))


def _now(reply: Reply) -> str:
    if reply.fault is not None:
        return f"a fault, {reply.fault.value}: {visible(reply.detail)}"
    return f"{reply.value}{_note(reply.note)}"


def _note(note: str) -> str:
    return f"  note: {visible(note)}" if note else ""


def summary_lines(answers: Answers) -> Iterator[str]:
    """How many decisions were asked, and what came of them."""
    questions = answers.questions
    verdicts = Counter(map(judge_reply, answers.replies))
    counts = [f"{verdicts[Verdict.SAME]} as then", f"{verdicts[Verdict.DIFFERS]} differ"]
    if verdicts[Verdict.NEW]:
        counts.append(f"{verdicts[Verdict.NEW]} that the bot of then did not decide")
    if verdicts[Verdict.FAULT]:
        kinds = Counter(reply.fault.value for reply in answers.replies if reply.fault is not None)
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        counts.append(f"{counted(verdicts[Verdict.FAULT], 'fault')} ({told})")
    asked = counted(len(answers.replies), "decision")
    yield f"{asked} of seat {questions.seat} asked: {', '.join(counts)}"
    if answers.broken_off:
        yield f"broken off after {len(answers.replies)} of {questions.count}: {visible(answers.broken_off)}"
    steps = questions.recorded.steps[questions.first : questions.stop]
    left = sum(step.seat == questions.seat and not step.was_asked for step in steps)
    if left and questions.whole:
        yield f"{counted(left, 'move')} of the seat nobody was asked for then, and nobody is now"


def plan_lines(plan: BranchPlan) -> Iterator[str]:
    """Where a game is left, and what is played then."""
    step = plan.step
    yield f"game {visible(plan.recorded.game)} is left at {step.moment}, seat {step.seat}:"
    yield f"  {_seen(plan.question, step)}"
    yield from _held(plan.question)
    yield f"  then   {_then(step)}"
    if plan.forced is not None:
        yield f"  now    {plan.forced}, as you say"
    yield f"{counted(plan.times, 'game')} from there, also of later hands with the cards of then"
    yield f"folder: {visible(str(plan.folder.path))}"


def result_lines(result: BranchResult) -> Iterator[str]:
    """How the score of each seat moved."""
    plan = result.plan
    moved = result.moved
    then = [fit(visible(name), NAME_COLUMNS) for name in plan.then]
    now = ["the referee" if name is None else fit(visible(name), NAME_COLUMNS) for name in plan.now]
    end = plan.recorded.replay.result
    rows = [("seat", "bot then", "total then", "bot now", "total now", "moved by")]
    for seat, move in enumerate(moved):
        margin = "" if move.now.margin is None else f" ±{move.now.margin:.1f}"
        whole = move.now.margin is None and len(result.games) == 1
        mean, by = (f"{move.now.mean:.0f}", f"{move.by:+.0f}") if whole else (f"{move.now.mean:.1f}", f"{move.by:+.1f}")
        rows.append((str(seat), then[seat], str(move.then), now[seat], mean + margin, by + margin))
    yield from _table(rows)
    if end is not None and end.status is not Status.COMPLETE:
        yield f"the game then was not played to its end: {end.status.value}, {visible(end.reason) or 'no reason given'}"
    if len(result.games) > 1 and all(move.now.margin is None for move in moved):
        yield f"all {len(result.games)} games ended alike"
    faults = Counter((fault.seat, fault.kind.value) for game in result.games.values() for fault in game.faults)
    for (seat, kind), count in sorted(faults.items()):
        yield f"seat {seat} ({now[seat]}): {counted(count, 'fault')}, {kind}"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns that are as wide as they need to be; names stand left, numbers right."""
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = []
        for column, (text, wide) in enumerate(zip(row, widths, strict=True)):
            room = " " * (wide - width(text))
            cells.append(text + room if column in NAME_COLUMN_NUMBERS else room + text)
        yield "  ".join(cells).rstrip()


def judge_held(saved: SavedAnswer, reply: Reply) -> Verdict:
    """Hold an answer of now against a saved one."""
    if reply.fault is not None:
        return Verdict.FAULT
    return Verdict.SAME if saved.agrees(SavedAnswer.of(reply)) else Verdict.DIFFERS


# For programs


def answers_data(answers: Answers) -> dict[str, Any]:
    """All of it, for JSON."""
    questions = answers.questions
    verdicts = Counter(map(judge_reply, answers.replies))
    return {
        "replay": str(questions.recorded.path),
        "game": questions.recorded.game,
        "seat": questions.seat,
        "clock": questions.clock,
        "questions": questions.count,
        "asked": len(answers.replies),
        **{verdict.value: verdicts[verdict] for verdict in Verdict},
        "broken_off": answers.broken_off or None,
        "decisions": [
            {**_reply_data(reply), "then": _then_data(reply.step), "verdict": judge_reply(reply).value}
            for reply in answers.replies
        ],
    }


def held_lines(regression: Regression, answers: Answers) -> Iterator[str]:
    """What has changed since the answers were saved."""
    pairs = held_pairs(regression, answers)
    for saved, reply in pairs:
        if judge_held(saved, reply) is not Verdict.SAME:
            yield from reply_lines(reply, saved)
    verdicts = Counter(judge_held(saved, reply) for saved, reply in pairs)
    counts = [f"{verdicts[Verdict.SAME]} as saved", f"{verdicts[Verdict.DIFFERS]} changed"]
    if verdicts[Verdict.FAULT]:
        counts.append(counted(verdicts[Verdict.FAULT], "fault"))
    missing = len(regression.answers) - len(pairs)
    if missing:
        counts.append(f"{missing} not asked")
    yield f"{visible(str(regression.path))}: {', '.join(counts)}"
    if answers.broken_off:
        yield f"  broken off: {visible(answers.broken_off)}"


def unchanged(regression: Regression, answers: Answers) -> bool:
    """Whether every answer was asked for, and is as it was saved."""
    pairs = held_pairs(regression, answers)
    return len(pairs) == len(regression.answers) and all(judge_held(*pair) is Verdict.SAME for pair in pairs)


def held_pairs(regression: Regression, answers: Answers) -> list[tuple[SavedAnswer, Reply]]:
    """The saved answers that were asked for again, each with the reply of now."""
    found = ((regression.answers.get(str(reply.step.at)), reply) for reply in answers.replies)
    return [(saved, reply) for saved, reply in found if saved is not None]


def held_data(regression: Regression, answers: Answers) -> dict[str, Any]:
    """What became of the answers of a regression file, for JSON."""
    decisions = []
    for saved, reply in held_pairs(regression, answers):
        then = {"answer": saved.answer, "fault": None if saved.fault is None else saved.fault.value}
        decisions.append({**_reply_data(reply), "saved": then, "verdict": judge_held(saved, reply).value})
    verdicts = Counter(decision["verdict"] for decision in decisions)
    return {
        "regression": str(regression.path),
        "replay": str(regression.questions.recorded.path),
        "game": regression.questions.recorded.game,
        "seat": regression.questions.seat,
        "answers": len(regression.answers),
        "asked": len(decisions),
        **{verdict.value: verdicts[verdict.value] for verdict in (Verdict.SAME, Verdict.DIFFERS, Verdict.FAULT)},
        "broken_off": answers.broken_off or None,
        "decisions": decisions,
    }


def _reply_data(reply: Reply) -> dict[str, Any]:
    question, step = reply.question, reply.step
    return {
        "at": str(step.at),
        "moment": str(step.moment),
        "asked": step.asked.value,
        "cards": list(map(str, question.cards)),
        "legal": [_value(value) for value in question.legal],
        "on_table": [[seat, str(card)] for seat, card in question.on_table],
        "bids": list(question.bids),
        "taken": list(question.taken),
        "turned": None if question.turned is None else str(question.turned),
        "trump": None if question.trump is None else str(question.trump),
        "now": {
            "answer": _value(reply.value),
            "fault": None if reply.fault is None else reply.fault.value,
            "detail": reply.detail,
            "note": reply.note,
            "ms": reply.ms,
        },
    }


def _then_data(step: Step) -> dict[str, Any]:
    return {
        "answer": _value(step.value),
        "by": "referee" if step.by_referee else None,
        "faults": [{"kind": fault.kind.value, "detail": fault.detail} for fault in step.faults],
        "note": step.note,
        "ms": step.ms,
    }


def _value(value: int | Card | None) -> int | str | None:
    return value if isinstance(value, int) or value is None else str(value)
