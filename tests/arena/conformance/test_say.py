from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from bluke.arena.conformance.case import load_cases
from bluke.arena.conformance.run import Result, Verdict
from bluke.arena.conformance.say import (
    Standing,
    as_data,
    good,
    read_known,
    result_lines,
    standing,
    summary_lines,
)
from bluke.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

CASES = load_cases()
FIRST, SECOND = CASES[0], CASES[1]
NAMES = {case.name for case in CASES}
FAILED = Result(FIRST, Verdict.FAIL, "a hello", 'moves { note: "\x1b[2J\u202e" }', 1, ["one\ttwo", "three"], 0.5)


@pytest.mark.parametrize(
    ("verdict", "listed", "what", "as_expected"),
    [
        (Verdict.PASS, False, Standing.PASS, True),
        (Verdict.PASS, True, Standing.UNEXPECTED, False),
        (Verdict.FAIL, False, Standing.FAIL, False),
        (Verdict.FAIL, True, Standing.KNOWN, True),
        (Verdict.NONE, False, Standing.NONE, False),
        (Verdict.NONE, True, Standing.NONE, False),
    ],
)
def test_standing(verdict: Verdict, listed: bool, what: Standing, as_expected: bool):
    """A known failure is as expected, a known failure that passes is not, and no verdict never is."""
    known = {FIRST.name} if listed else set()
    result = Result(FIRST, verdict)
    assert standing(result, known) is what
    assert good([result, Result(SECOND, Verdict.PASS)], known) is as_expected


def test_failure_is_told_in_full():
    """What was expected, what arrived, the sentence, where it stands, and stderr, all of it made visible."""
    lines = list(result_lines(FAILED, set(), None))
    assert lines == [
        "FAIL        hello-first",
        "              expected  a hello",
        '              arrived   moves { note: "\\x1b[2J\\u202e" }',
        "              at        step 1 of 1, hello; the case: the first message is a hello",
        f'              says      "{FIRST.sentence}"',
        "              where     docs/protocol.md, Hello",
        "              stderr    | one\\ttwo",
        "                        | three",
    ]


def test_other_standings_take_a_line_or_three(tmp_path: Path):
    """A pass and a known failure are one line; the rest says why."""
    file = tmp_path / "known.txt"
    assert list(result_lines(Result(FIRST, Verdict.PASS), set(), None)) == ["ok          hello-first"]
    assert list(result_lines(FAILED, {FIRST.name}, file)) == ["known       hello-first"]
    assert list(result_lines(Result(FIRST, Verdict.PASS), {FIRST.name}, file)) == [
        "PASSES      hello-first",
        f"              because   it is listed as failing: remove it from {file}",
    ]
    assert list(result_lines(Result(FIRST, Verdict.NONE, arrived="no port\x07"), set(), None)) == [
        "no verdict  hello-first",
        "              because   no port\\x07",
        "              meaning   this says nothing about the bot",
    ]


def test_summary():
    """Counts of what there is; that of the passes is always there."""
    results = [FAILED, Result(SECOND, Verdict.PASS)]
    assert list(summary_lines(results, set())) == ["1 passed, 1 failed"]
    assert list(summary_lines([FAILED], {FIRST.name})) == ["0 passed, 1 failed as is known"]
    assert list(summary_lines([Result(SECOND, Verdict.PASS), Result(FIRST, Verdict.NONE)], {SECOND.name})) == [
        "0 passed, 1 passed though listed as failing, 1 without a verdict"
    ]


def test_data_for_programs():
    """It says the same, with the texts as they came, and is JSON."""
    data = msgspec.json.decode(msgspec.json.encode(as_data([FAILED], set())))
    assert data["ok"] is False
    assert data["counts"] == {"fail": 1}
    assert data["cases"] == [
        {
            "name": "hello-first",
            "standing": "fail",
            "section": "Hello",
            "sentence": FIRST.sentence,
            "expected": "a hello",
            "arrived": FAILED.arrived,
            "step": 1,
            "stderr": ["one\ttwo", "three"],
            "seconds": 0.5,
        }
    ]


def test_known_list(tmp_path: Path):
    """Names one a line; comments and empty lines are nothing."""
    file = tmp_path / "known.txt"
    file.write_text("# all of it\n\n  hello-first  # a reason\nhello-token\n", encoding="utf-8")
    assert read_known(file, NAMES) == {"hello-first", "hello-token"}
    file.write_text("# nothing\n", encoding="utf-8")
    assert read_known(file, NAMES) == set()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"hello-first\nhello-\x1b[1mfirst\n", r"known.txt:2: there is no case hello-\\x1b\[1mfirst; .*--list"),
        (b"\xff", "known.txt: not UTF-8"),
        (None, "known.txt: cannot be read: No such file"),
    ],
)
def test_known_list_that_is_none(content: bytes | None, said: str, tmp_path: Path):
    """An unknown name, another encoding and a missing file are the user's mistake, said with the place."""
    file = tmp_path / "known.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        read_known(file, NAMES)
