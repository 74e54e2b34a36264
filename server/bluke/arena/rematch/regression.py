"""Regression files: what one version of a bot answered, for later versions to be held against.

JSON lines: the first names the game and the seat, each of the others holds one answer.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bluke.arena.rematch.ask import Questions
from bluke.arena.rematch.recorded import Recorded, read_recorded
from bluke.errors import ConfigError
from bluke.replay.steps import find_step, parse_moment
from bluke.replay.text import visible
from bluke.rules import Asked
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from bluke.arena.rematch.ask import Answers
    from bluke.referee.asking import Reply

__all__ = ["Regression", "SavedAnswer", "check_free", "read_regression", "write_regression"]

FORMAT = "bluke-regression/1"
#: A game of a hundred hands at fifteen seats does not come near it.
MAX_BYTES = 16 * 2**20


class RegressionLine(msgspec.Struct, tag_field="type", tag="regression", frozen=True, kw_only=True):
    """The first line.

    Attributes:
        format: the form of the file.
        replay: the replay file, from the folder of this one.
        game: the id of the game.
        sha256: of the replay's bytes before its last line, as that line itself says.
        seat: the seat that was asked.
        clock: whether the clock of then ran.
        whole: whether all was asked in one go; else each decision as by a bot that was just started.
    """

    format: str
    replay: str
    game: str
    sha256: str
    seat: int
    clock: bool
    whole: bool


class SavedAnswer(msgspec.Struct, tag_field="type", tag="answer", frozen=True, kw_only=True, omit_defaults=True):
    """One answer.

    Attributes:
        at: the moment, such as `3.7` or `3.bid`.
        asked: what was asked.
        legal: every legal answer.
        answer: what the bot answered; `None` for a fault.
        fault: what it did wrong.
        note: what it said about it; nothing is held against that.
    """

    at: str
    asked: Asked
    legal: tuple[int | str, ...]
    answer: int | str | None
    fault: FaultKind | None = None
    note: str = ""

    @classmethod
    def of(cls, reply: Reply) -> SavedAnswer:
        """What is kept of a reply."""
        question = reply.question
        return cls(
            at=str(reply.step.at),
            asked=reply.step.asked,
            legal=tuple(value if isinstance(value, int) else str(value) for value in question.legal),
            answer=reply.value if isinstance(reply.value, int) or reply.value is None else str(reply.value),
            fault=reply.fault,
            note=reply.note,
        )

    def agrees(self, other: SavedAnswer) -> bool:
        """Whether the other is the same answer to the same question."""
        return (self.asked, self.legal, self.answer, self.fault) == (
            other.asked,
            other.legal,
            other.answer,
            other.fault,
        )


@dataclass(frozen=True, slots=True)
class Regression:
    """A regression file, and the questions that it stands for.

    Attributes:
        path: the file.
        questions: what is to be asked.
        answers: what was answered, by moment.
    """

    path: Path
    questions: Questions
    answers: dict[str, SavedAnswer]


def check_free(path: Path) -> None:
    """Check that a regression file may be written here, before a bot is asked for its sake.

    Raises:
        ConfigError: something else is there, or no folder is.
    """
    if not path.absolute().parent.is_dir():
        msg = f"{path}: there is no folder {path.parent}; make it, or name another file with --save"
        raise ConfigError(msg)
    if path.exists() and _is_no_regression(path):
        msg = f"{path} is there and is no regression file: name another with --save"
        raise ConfigError(msg)


def write_regression(path: Path, answers: Answers) -> None:
    """Write a file, or replace the regression file that is there.

    Raises:
        ConfigError: something else is there, or it cannot be written.
    """
    questions = answers.questions
    recorded = questions.recorded
    check_free(path)
    first = RegressionLine(
        format=FORMAT,
        replay=os.path.relpath(recorded.path.absolute(), path.absolute().parent),
        game=recorded.game,
        sha256=recorded.replay.sha256,
        seat=questions.seat,
        clock=questions.clock,
        whole=questions.whole,
    )
    lines = [first, *map(SavedAnswer.of, answers.replies)]
    draft = path.with_name(path.name + ".new")
    try:
        draft.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        msg = f"{path}: cannot be written: {error.strerror}; name another file with --save"
        raise ConfigError(msg) from None


def _is_no_regression(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            _first(path, file.readline(MAX_BYTES))
    except (OSError, ConfigError):
        return True
    return False


def read_regression(path: Path) -> Regression:
    """Read a file and the replay that it names.

    Raises:
        ConfigError: it is no regression file, or its replay is not there or another one.
        ReplayError: its replay is none.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise ConfigError(msg) from None
    if len(data) > MAX_BYTES:
        msg = f"{path}: is larger than {MAX_BYTES >> 20} MiB, which no regression file is"
        raise ConfigError(msg)
    # Whoever edits one by hand may leave out the last line end.
    lines = data.removesuffix(b"\n").split(b"\n")
    first = _first(path, lines[0])
    replay = Path(os.path.normpath(path.parent / first.replay))
    if not replay.is_file():
        msg = f"{path}: line 1: its replay {visible(str(replay))} is not there; bring it back, or save the answers anew"
        raise ConfigError(msg)
    recorded = read_recorded(replay)
    if (recorded.game, recorded.replay.sha256) != (first.game, first.sha256):
        msg = (
            f"{path}: line 1: {visible(str(replay))} is not the replay that was asked: its game is "
            f"{visible(recorded.game)} with sha256 {recorded.replay.sha256[:16]}..., "
            f"not {visible(first.game)} with {visible(first.sha256[:16])}..."
        )
        raise ConfigError(msg)
    if not 0 <= first.seat < recorded.seats:
        msg = f"{path}: line 1: there is no seat {first.seat}: seats are 0 to {recorded.seats - 1}"
        raise ConfigError(msg)
    answers: dict[str, SavedAnswer] = {}
    places = []
    for number, line in enumerate(lines[1:], 2):
        answer = _answer(path, number, line)
        if answer.at in answers:
            msg = f"{path}: line {number}: there is an answer for {visible(answer.at)} already"
            raise ConfigError(msg)
        answers[answer.at] = answer
        places.append(_place(f"{path}: line {number}", answer, recorded, first.seat))
    if not answers:
        msg = f"{path}: holds no answer; save some with `bluke replay ask --save`"
        raise ConfigError(msg)
    begin, stop = (0, len(recorded.steps)) if first.whole else (min(places), max(places) + 1)
    return Regression(path, Questions(recorded, first.seat, begin, stop, first.clock), answers)


def _place(where: str, answer: SavedAnswer, recorded: Recorded, seat: int) -> int:
    """The decision of the game that an answer is to."""
    try:
        found = find_step(recorded.steps, parse_moment(answer.at), seat)
    except ConfigError as error:
        msg = f"{where}: {error}"
        raise ConfigError(msg) from None
    step = recorded.steps[found]
    if not step.was_asked or step.asked is not answer.asked:
        msg = f"{where}: seat {seat} was not asked to {answer.asked.value} at {visible(answer.at)}"
        raise ConfigError(msg)
    return found


def _first(path: Path, line: bytes) -> RegressionLine:
    try:
        found = msgspec.json.decode(line, type=RegressionLine)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        msg = f"{path}: line 1: this is no regression file: {visible(str(error))}"
        raise ConfigError(msg) from None
    if found.format != FORMAT:
        msg = f"{path}: line 1: its format is {found.format[:40]!r}, and this version of Bluke reads {FORMAT!r}"
        raise ConfigError(msg)
    return found


def _answer(path: Path, number: int, line: bytes) -> SavedAnswer:
    try:
        return msgspec.json.decode(line, type=SavedAnswer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        msg = f"{path}: line {number}: {visible(str(error))}"
        raise ConfigError(msg) from None
