from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from arena.rematch.games import a_game, candidate, everything, highest, only
from arena.rosters import MOODY
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.rematch.ask import Answers, Questions, Verdict, summoned
from bluke.arena.rematch.recorded import read_recorded
from bluke.arena.rematch.regression import SavedAnswer, read_regression, write_regression
from bluke.arena.rematch.words import held_data, held_lines, judge_held, unchanged
from bluke.errors import ConfigError, ReplayError
from bluke.referee.asking import Reply, question_of
from bluke.rules import Game, SeededPacks
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from pathlib import Path


def answered(questions: Questions, which: int = -1) -> Answers:
    """Answers of a bot that always gives its last legal one, or that of another place, without starting one."""
    recorded = questions.recorded
    end = recorded.replay.end
    assert end is not None
    game = Game(recorded.replay.header.rules, SeededPacks(bytes.fromhex(end.game_seed)))
    answers = Answers(questions)
    for number, step in enumerate(recorded.steps):
        if step.seat == questions.seat and questions.first <= number < questions.stop:
            question = question_of(game)
            answers.replies.append(Reply(step, question, question.legal[which], "a note", 1.0))
        assert step.value is not None
        game.answer(step.seat, step.value)
    return answers


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A regression file for seat 1, in a folder of its own beside the run."""
    path = a_game(tmp_path / "run")
    file = tmp_path / "kept" / "one.jsonl"
    file.parent.mkdir()
    write_regression(file, answered(everything(path, 1)))
    return file


def lines_of(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def write(file: Path, lines: list[dict[str, object]]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_what_is_saved_is_read(saved: Path):
    """The file names its replay from its own folder, and stands for the questions that were asked."""
    first, *rest = lines_of(saved)
    (replay,) = saved.parent.parent.glob("run/replays/*")
    assert first["replay"] == f"../run/replays/{replay.name}"
    assert [first[key] for key in ("type", "format", "seat", "whole")] == ["regression", "bluke-regression/1", 1, True]
    answer = {"type": "answer", "at": "0.bid", "asked": "bid", "legal": [1, 2, 3], "answer": 3, "note": "a note"}
    assert rest[0] == answer
    assert [line["at"] for line in rest[:5]] == ["0.bid", "0.0", "0.1", "0.2", "1.bid"]
    regression = read_regression(saved)
    assert regression.questions.whole
    assert (regression.questions.seat, regression.questions.clock, regression.questions.count) == (1, True, 12)
    assert unchanged(regression, answered(regression.questions))


def test_what_has_changed_is_said(saved: Path):
    """Each decision that is answered otherwise now, with the answer that was saved."""
    regression = read_regression(saved)
    now = answered(regression.questions, 0)
    assert not unchanged(regression, now)
    told = list(held_lines(regression, now))
    changed = sum(len(reply.question.legal) > 1 for reply in now.replies)
    assert told[-1] == f"{saved}: {12 - changed} as saved, {changed} changed"
    assert told[0].startswith("0.bid    to bid, 3 cards, ")
    assert told[3:5] == ["  saved  3  note: a note", "  now    1  note: a note"]
    data = held_data(regression, now)
    assert (data["same"], data["differs"], data["fault"], data["answers"]) == (12 - changed, changed, 0, 12)


def test_only_what_is_in_the_file_counts(saved: Path):
    """Whoever takes lines away is held against the others only, and what was not asked is no pass."""
    first, *rest = lines_of(saved)
    write(saved, [first, *(line for line in rest if line["at"] in {"0.bid", "1.0"})])
    regression = read_regression(saved)
    assert list(held_lines(regression, answered(regression.questions)))[-1].endswith(": 2 as saved, 0 changed")
    assert unchanged(regression, answered(regression.questions))
    none = Answers(regression.questions, broken_off="it died")
    assert not unchanged(regression, none)
    assert list(held_lines(regression, none)) == [
        f"{saved}: 0 as saved, 0 changed, 2 not asked",
        "  broken off: it died",
    ]


def test_a_fault_is_never_a_pass(saved: Path):
    """One that was saved is a change when it is gone, and a fault of now stays one even if it was saved."""
    regression = read_regression(saved)
    reply = answered(regression.questions).replies[0]
    bad = Reply(reply.step, reply.question, None, "", 1.0, FaultKind.TIMEOUT, "no answer")
    assert judge_held(SavedAnswer.of(bad), reply) is Verdict.DIFFERS
    assert judge_held(SavedAnswer.of(reply), bad) is Verdict.FAULT
    assert judge_held(SavedAnswer.of(bad), bad) is Verdict.FAULT


def test_one_decision_is_asked_alone_again(tmp_path: Path):
    """A file of a single decision stands for that one, not for the whole game."""
    recorded = read_recorded(a_game(tmp_path / "run"))
    seat = recorded.steps[7].seat
    write_regression(tmp_path / "one.jsonl", answered(only(recorded, 7, seat)))
    questions = read_regression(tmp_path / "one.jsonl").questions
    assert (questions.first, questions.stop, questions.count, questions.whole) == (7, 8, 1, False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"format": "bluke-regression/2"},
            "line 1: its format is 'bluke-regression/2', and this version",
        ),
        ({"type": "game"}, "line 1: this is no regression file: Invalid value 'game'"),
        ({"replay": "../gone.jsonl"}, "line 1: its replay .*gone.jsonl is not there"),
        ({"sha256": "0" * 64}, "is not the replay that was asked: its game is"),
        ({"game": "another"}, "is not the replay that was asked"),
        ({"seat": 2}, "line 1: there is no seat 2: seats are 0 to 1"),
        ({"seat": "x"}, r"line 1: .*Expected `int`, got `str` - at `\$.seat`"),
    ],
)
def test_a_first_line_that_is_wrong(saved: Path, change: dict[str, object], words: str):
    """The message says what and what to do."""
    first, *rest = lines_of(saved)
    write(saved, [first | change, *rest])
    with pytest.raises(ConfigError, match=words):
        read_regression(saved)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"at": "9.9"}, "line 3: there is no moment 9.9"),
        ({"at": "nowhere\x1b"}, r"line 3: 'nowhere\\x1b' names no moment"),
        ({"at": "0.bid"}, "line 3: there is an answer for 0.bid already"),
        ({"asked": "bid"}, "line 3: seat 1 was not asked to bid at 0.0"),
        ({"asked": "sing"}, "line 3: Invalid enum value 'sing'"),
        ({"type": "weather"}, "line 3: Invalid value 'weather'"),
    ],
)
def test_an_answer_that_is_wrong(saved: Path, change: dict[str, object], words: str):
    """The message says in which line."""
    lines = lines_of(saved)
    lines[2] |= change
    write(saved, lines)
    with pytest.raises(ConfigError, match=words):
        read_regression(saved)


def test_a_file_without_answers(saved: Path):
    """There is nothing to be held against, and that is no pass."""
    write(saved, lines_of(saved)[:1])
    with pytest.raises(ConfigError, match="holds no answer"):
        read_regression(saved)


@given(st.binary() | st.binary().map(lambda data: b'{"type":"regression","format":"bluke-regression/1",' + data))
def test_any_bytes_are_refused_in_words(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    """Whatever lies there, it is refused with an error for a person."""
    file = tmp_path_factory.getbasetemp() / "any.jsonl"
    file.write_bytes(data)
    with pytest.raises((ConfigError, ReplayError)):
        read_regression(file)


def test_only_a_regression_file_is_written_over(saved: Path):
    """A file of answers is replaced, anything else is left alone."""
    regression = read_regression(saved)
    write_regression(saved, answered(regression.questions, 0))
    assert lines_of(saved)[1]["answer"] == 1
    replay = regression.questions.recorded.path
    before = replay.read_bytes()
    with pytest.raises(ConfigError, match="is there and is no regression file"):
        write_regression(replay, answered(regression.questions))
    assert replay.read_bytes() == before
    with pytest.raises(ConfigError, match=r"there is no folder .*/no; make it, or name another file with --save"):
        write_regression(saved.parent / "no" / "such", answered(regression.questions))
    (saved.parent / "x.new").mkdir()
    with pytest.raises(ConfigError, match="x: cannot be written: Is a directory; name another file with --save"):
        write_regression(saved.parent / "x", answered(regression.questions))


async def test_a_bot_is_held_against_an_earlier_one(tmp_path: Path):
    """The same bot passes, one that crashes does not."""
    path = a_game(tmp_path / "run", highest)
    async with asyncio.timeout(60), summoned(candidate(tmp_path, MOODY), tmp_path / "a", asyncio.Event()) as bot:
        write_regression(tmp_path / "kept.jsonl", await bot.ask(everything(path)))
        regression = read_regression(tmp_path / "kept.jsonl")
        assert unchanged(regression, await bot.ask(regression.questions))
    dies = candidate(tmp_path, [*MOODY, "die=5"])
    async with asyncio.timeout(60), summoned(dies, tmp_path / "b", asyncio.Event()) as bot:
        answers = await bot.ask(regression.questions)
    assert not unchanged(regression, answers)
    assert "4 as saved, 0 changed, 1 fault, 7 not asked" in "\n".join(held_lines(regression, answers))
