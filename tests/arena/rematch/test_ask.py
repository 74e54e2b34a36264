from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from arena.rematch.games import QUICK, SMALL, a_desk, a_game, candidate, everything, finish, highest, only
from arena.rosters import MOODY, ROOT, SMALLEST, alive, pids

from bluke.arena.keeper import Stopped
from bluke.arena.rematch.ask import LABEL, Answers, Questions, Verdict, judge_reply, summoned
from bluke.arena.rematch.recorded import read_recorded
from bluke.errors import ArenaError, ReplayError
from bluke.replay.reader import read_replay
from bluke.rules import CutRule, Rules, Variant
from bluke.wire.values import FaultKind, GameLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.arena.rematch.recorded import Candidate

SMALLEST_TEXT = Path(SMALLEST[1]).read_text()
BAD = [sys.executable, str(ROOT / "tests" / "bots" / "bad_bot.py")]


async def asked(bot: Candidate, folder: Path, *questions: Questions, restarts: int = 0) -> list[Answers]:
    """What comes of asking, after which nothing of the bot may be left."""
    try:
        async with asyncio.timeout(60), summoned(bot, folder, asyncio.Event(), restarts=restarts) as summons:
            return [await summons.ask(some) for some in questions]
    finally:
        assert alive(pids(folder / "bots")) == []


def verdicts(answers: Answers) -> Counter[Verdict]:
    return Counter(map(judge_reply, answers.replies))


async def test_the_same_bot_does_the_same(tmp_path: Path):
    """A bot that is asked what it was asked then, in either seat and one game after the other, does it again."""
    path = a_game(tmp_path / "run")
    first, second = await asked(candidate(tmp_path), tmp_path / "ask", everything(path, 0), everything(path, 1))
    assert verdicts(first) == verdicts(second) == {Verdict.SAME: 12}
    assert first.complete
    assert (first.broken_off, first.stopped) == ("", False)
    assert [reply.step.seat for reply in second.replies] == [1] * 12


@pytest.mark.parametrize(
    "rules",
    [Rules(3, hands=(4, 1), cut=CutRule.PLAYER), Rules(4, variant=Variant.NEW_JERSEY, max_hand=3)],
    ids=["cut", "new jersey"],
)
async def test_another_bot_differs(tmp_path: Path, rules: Rules):
    """Where more than one answer was legal, the one that plays low differs from the one that played high."""
    path = a_game(tmp_path / "run", highest, rules)
    (answers,) = await asked(candidate(tmp_path), tmp_path / "ask", everything(path, 1))
    for reply in answers.replies:
        assert (judge_reply(reply) is Verdict.SAME) == (len(reply.question.legal) == 1)
        assert reply.value == reply.question.legal[0]
        assert reply.step.value == reply.question.legal[-1]
    assert answers.complete
    assert verdicts(answers)[Verdict.DIFFERS] > 0


async def test_one_decision(tmp_path: Path):
    """A decision in the middle of a game is asked alone."""
    recorded = read_recorded(a_game(tmp_path / "run", highest))
    (answers,) = await asked(candidate(tmp_path), tmp_path / "ask", only(recorded, 9, recorded.steps[9].seat))
    (reply,) = answers.replies
    assert reply.step is recorded.steps[9]
    assert answers.complete


async def test_the_welcome_says_what_this_is(tmp_path: Path):
    """The name of the referee in the welcome is the one place where a bot is told that the game was played before."""
    turns = 'if message.HasField("turns"):'
    welcome = f'if message.HasField("welcome"):\n            print(message.welcome.server)\n        el{turns}'
    (tmp_path / "curious.py").write_text(SMALLEST_TEXT.replace(turns, welcome))
    path = a_game(tmp_path / "run")
    await asked(candidate(tmp_path, [sys.executable, "curious.py"]), tmp_path / "ask", everything(path))
    (log,) = (tmp_path / "ask" / "bots").iterdir()
    server = read_replay(path).header.server
    assert f"({LABEL})\n" in log.read_text()
    assert LABEL not in server


async def test_nothing_is_written_but_the_log(tmp_path: Path):
    """Neither the replay nor its run folder is touched, and no replay is made."""
    path = a_game(tmp_path / "run")
    before = {file: file.read_bytes() for file in sorted((tmp_path / "run").rglob("*")) if file.is_file()}
    await asked(candidate(tmp_path), tmp_path / "ask", everything(path))
    assert {file: file.read_bytes() for file in sorted((tmp_path / "run").rglob("*")) if file.is_file()} == before
    assert [file.name for file in (tmp_path / "ask").rglob("*") if file.is_file()] == ["00-a.log"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behaviour", "kinds", "broken_off"),
    [
        ("illegal-card", {FaultKind.ILLEGAL: 1}, ""),
        ("card-not-held", {FaultKind.ILLEGAL: 1}, ""),
        ("bid-zero", {FaultKind.ILLEGAL: 1}, ""),
        ("wrong-kind", {FaultKind.PROTOCOL: 1}, ""),
        ("no-answer", {FaultKind.PROTOCOL: 1}, ""),
        ("another-game", {}, ""),
        ("same-twice", {}, ""),
        ("own-error", {FaultKind.CRASH: 1}, ""),
        ("stall", {FaultKind.TIMEOUT: 3}, "it does not answer in time"),
        ("frozen", {FaultKind.TIMEOUT: 3}, "it does not answer in time"),
        ("late-by-a-hair", {FaultKind.TIMEOUT: 3}, "it does not answer in time"),
        ("crash-in-bid", {FaultKind.CRASH: 1}, "the bot's process ended with exit code 7"),
        ("crash-in-play", {FaultKind.CRASH: 1}, "the bot's process ended with exit code 7"),
        ("crash-with-children", {FaultKind.CRASH: 1}, "the bot's process ended with exit code 7"),
        ("exit", {FaultKind.CRASH: 1}, "the bot's process ended with exit code 0"),
        ("goodbye", {FaultKind.DISCONNECTED: 1}, "the bot left"),
        ("come-back", {}, ""),
        ("prints", {}, ""),
        ("daemon", {}, ""),
        ("stubborn", {}, ""),
    ],
)
async def test_bad_bots(tmp_path: Path, behaviour: str, kinds: dict[FaultKind, int], broken_off: str):
    """What each of them does wrong is shown with its decision, the rest is asked, and nothing is left running."""
    limits = QUICK if FaultKind.TIMEOUT in kinds else GameLimits()
    path = finish(a_desk(tmp_path / "run", Rules(2, hands=(9,)), limits=limits))
    bot = candidate(tmp_path, [*BAD, behaviour])
    (answers,) = await asked(bot, tmp_path / "ask", everything(path))
    assert Counter(reply.fault for reply in answers.replies if reply.fault is not None) == kinds
    assert broken_off in answers.broken_off
    assert bool(answers.broken_off) == bool(broken_off)
    assert answers.complete == (not broken_off)
    assert all(reply.detail for reply in answers.replies if reply.fault is not None)


@pytest.mark.slow
async def test_without_a_clock(tmp_path: Path):
    """Only the wall limit is left, and one answer that does not come within it is enough."""
    desk = a_desk(tmp_path / "run", limits=GameLimits(decision_ms=1, bank_ms=0, wall_ms=2000))
    path = finish(desk)
    (answers,) = await asked(
        candidate(tmp_path, [*MOODY, "hang=3"]), tmp_path / "ask", everything(path, clock=False)
    )  # fmt: skip
    assert [reply.fault for reply in answers.replies] == [None, None, FaultKind.TIMEOUT]
    assert "no answer within 2000 ms" in answers.replies[-1].detail
    assert answers.broken_off == "it does not answer in time"


async def test_a_bot_that_dies_is_started_again_for_the_next_game(tmp_path: Path):
    """With restarts each game has its bot, without them the next is not asked at all."""
    path = a_game(tmp_path / "run")
    dying = candidate(tmp_path, [*MOODY, "die=4"])
    first, second = await asked(dying, tmp_path / "one", everything(path), everything(path), restarts=1)
    assert [len(first.replies), len(second.replies)] == [4, 4]
    first, second = await asked(dying, tmp_path / "two", everything(path), everything(path))
    assert [len(first.replies), len(second.replies)] == [4, 0]
    assert "has ended too often" in second.broken_off


async def test_stopping(tmp_path: Path):
    """What was answered by then is kept, the rest is not asked, and a bot that ignores everything is gone."""
    path = a_game(tmp_path / "run")
    stop = asyncio.Event()
    bot = candidate(tmp_path, [*MOODY, "hang=3", "stubborn", "child"])
    async with asyncio.timeout(60):
        async with summoned(bot, tmp_path / "ask", stop) as summons:
            answers = await summons.ask(
                everything(path, clock=False), lambda reply: stop.set() if reply.step.hand == 0 else None
            )  # fmt: skip
        assert (answers.stopped, answers.complete) == (True, False)
        assert len(answers.replies) >= 1
    assert len(pids(tmp_path / "ask" / "bots")) == 2
    assert alive(pids(tmp_path / "ask" / "bots")) == []


async def test_stopping_before_the_hello(tmp_path: Path):
    """A bot that has not said hello yet is not waited for."""
    stop = asyncio.Event()
    stop.set()
    with pytest.raises(Stopped):
        async with summoned(candidate(tmp_path, ["sleep", "1000"]), tmp_path / "ask", stop):
            pass


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["sh", "-c", "echo pid $$; echo my words >&2; exit 3"], "it ended with exit code 3 before it had joined"),
        (["sh", "-c", "echo pid $$; exec sleep 1000"], "it did not say hello within 0.5 s"),
    ],
    ids=["ends", "hangs"],
)
async def test_a_bot_that_does_not_start(tmp_path: Path, command: Sequence[str], words: str):
    """Its command, how it ended and its last words are said, and nothing is left running."""
    bot = candidate(tmp_path, command, start_seconds=0.5)
    with pytest.raises(ArenaError, match=words):
        async with summoned(bot, tmp_path / "ask", asyncio.Event()):
            pass
    assert alive(pids(tmp_path / "ask" / "bots")) == []


async def test_a_debugger_has_all_the_time_it_wants(tmp_path: Path):
    """Whoever attaches is told the process first; then neither clock nor wall limit count, and no ping does."""
    path = a_game(tmp_path / "run")
    told: list[int] = []
    limits: list[GameLimits] = []

    async def ready(pid: int) -> None:
        told.append(pid)
        await asyncio.sleep(0)

    async with summoned(candidate(tmp_path, MOODY), tmp_path / "ask", asyncio.Event(), ready=ready) as summons:
        answers = await summons.ask(everything(path))
        limits.append(summons._limits(QUICK, clock=True))
        assert summons._referee.settings.keepalive_ms == 2**31 - 1
    assert told == pids(tmp_path / "ask" / "bots")
    assert answers.complete
    assert (limits[0].decision_ms, limits[0].wall_ms) == (None, 2**31 - 1)


async def test_whoever_is_told_has_gone(tmp_path: Path):
    """What the callback raises is raised as itself, after the first reply, and no more is asked."""
    path = a_game(tmp_path / "run")
    told: list[Any] = []

    def gone(reply: Any) -> None:
        told.append(reply)
        raise BrokenPipeError

    async with asyncio.timeout(60):
        with pytest.raises(BrokenPipeError):
            async with summoned(candidate(tmp_path, MOODY), tmp_path / "ask", asyncio.Event()) as summons:
                await summons.ask(everything(path), gone)
    assert 1 <= len(told) < 12
    assert alive(pids(tmp_path / "ask" / "bots")) == []


async def test_a_failure_of_ours_is_not_the_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What breaks in the referee is raised as that, not told as a difference."""
    path = a_game(tmp_path / "run")

    def broken(*_: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("bluke.referee.asking.question_of", broken)
    with pytest.raises(ArenaError, match="the referee failed while it asked: ours"):
        await asked(candidate(tmp_path), tmp_path / "ask", everything(path))


def test_a_file_that_does_not_verify_is_refused(tmp_path: Path):
    """What cannot be worked out again cannot be asked again; the message names the line."""
    path = a_game(tmp_path / "run")
    lines = path.read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if '"type":"trick"' in line)
    lines[at] = lines[at].replace('"winner":0', '"winner":2').replace('"winner":1', '"winner":0').replace(":2}", ":1}")
    path.write_text("".join(lines))
    with pytest.raises(ReplayError, match=f"line {at + 1}: winner is"):
        read_recorded(path)


async def test_the_faults_of_others(tmp_path: Path):
    """A game in which every move of another seat was made by the referee is asked like any other."""
    desk = a_desk(tmp_path / "run", SMALL, limits=GameLimits(decision_ms=300, bank_ms=0, max_faults=99))
    while desk.table.result is None:
        if desk.turn.seat == 1:
            desk.clock.pass_time(0.35)
            desk.collect()
        else:
            desk.answer()
    path = desk.close().replay
    (answers,) = await asked(candidate(tmp_path), tmp_path / "ask", everything(path, 0, clock=False))
    assert verdicts(answers) == {Verdict.SAME: 12}
    assert [fault.fault.seat for fault in read_replay(path).faults] == [1] * 12
