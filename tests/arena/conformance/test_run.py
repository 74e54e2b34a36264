"""What a check makes of bots that cannot be started, and of trouble that is its own."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from arena.conformance.mutants import COMMAND

from bluke.arena.conformance import run
from bluke.arena.conformance.case import Case, Cut, Hello, Moves, StrictGame, load_cases
from bluke.arena.conformance.relay import Relay
from bluke.arena.conformance.run import Result, Verdict, bot_of, check_bot
from bluke.errors import ArenaError, ConfigError

BAD_BOT = Path(__file__).parents[2] / "bots/bad_bot.py"
GOOD = [*COMMAND, "none"]


def named(*names: str) -> list[Case]:
    return [case for case in load_cases() if case.name in names]


def made(*steps: object) -> list[Case]:
    return [Case("made-up", "made up", "The end", "words", list(steps))]  # type: ignore[arg-type]


async def checked(
    command: list[str], cases: list[Case], folder: Path, *, patience: float = 20.0
) -> tuple[Result, list[Result]]:
    told: list[Result] = []
    results = await check_bot(bot_of(command), cases, folder, told.append, patience=patience)
    assert results == told
    return results[0], results


def test_no_such_program():
    """A command that is nowhere is the user's mistake."""
    with pytest.raises(ConfigError, match="no-such-bot: there is no such program"):
        bot_of(["no-such-bot", "x"])


async def test_bot_that_cannot_start(tmp_path: Path):
    """The whole check stops, with the command, how it ended and its last words."""
    command = [sys.executable, "-c", "import sys; sys.exit('no \\x1b[1m money')"]
    with pytest.raises(ArenaError) as caught:
        await checked(command, named("goodbye"), tmp_path)
    assert "the bot could not be started: it ended with exit code 1" in str(caught.value)
    assert sys.executable in str(caught.value)
    assert str(caught.value).endswith("| no \\x1b[1m money")


async def test_bot_that_never_dials(tmp_path: Path):
    """The whole check stops as well."""
    with pytest.raises(ArenaError, match="it opened no stream within 1 s"):
        await checked(["sleep", "100"], named("goodbye"), tmp_path, patience=1.0)


async def test_a_file_that_is_no_program(tmp_path: Path):
    """What the system says of it is passed on."""
    (tmp_path / "bot").write_text("not a program\n", encoding="utf-8")
    with pytest.raises(ArenaError, match="cannot be started: Permission denied"):
        await checked([str(tmp_path / "bot")], named("goodbye"), tmp_path)


async def test_trouble_with_a_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A case for which there is no port has no verdict; the others have theirs."""
    entered = 0
    enter = Relay.__aenter__

    async def fail_once(self: Relay) -> Relay:
        nonlocal entered
        entered += 1
        if entered == 2:
            raise ArenaError("no port to listen on: Too many open files")
        return await enter(self)

    monkeypatch.setattr(Relay, "__aenter__", fail_once)
    _, results = await checked(GOOD, named("hello-first", "hello-version"), tmp_path)
    assert sorted(result.verdict.value for result in results) == ["no verdict", "pass"]
    (none,) = [result for result in results if result.verdict is Verdict.NONE]
    assert none.arrived == "no port to listen on: Too many open files"


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (made(Hello(checks=["no such check"])), "KeyError: 'no such check'"),
        (made(Cut()), "a step that needs a stream stands before the hello"),
    ],
)
async def test_a_bug_of_ours(case: list[Case], said: str, tmp_path: Path):
    """An exception in the kit says nothing about the bot."""
    result, _ = await checked(GOOD, case, tmp_path)
    assert (result.verdict, result.arrived) == (Verdict.NONE, said)


async def test_a_process_that_somebody_killed(tmp_path: Path):
    """A bot that was killed from outside has no verdict."""
    marker = tmp_path / "seen"
    script = tmp_path / "bot.py"
    script.write_text(
        "import os, signal, sys, pathlib, runpy\n"
        f"seen = pathlib.Path({str(marker)!r})\n"
        "if seen.exists():\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "seen.touch()\n"
        "sys.argv = ['', 'none']\n"
        f"runpy.run_path({COMMAND[1]!r}, run_name='__main__')\n",
        encoding="utf-8",
    )
    result, _ = await checked([sys.executable, str(script)], named("hello-first"), tmp_path)
    assert result.verdict is Verdict.NONE
    assert "somebody else has killed its process" in result.arrived


@pytest.mark.slow
async def test_a_loop_that_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where the kit itself was late, waiting in vain is no verdict."""
    late = 0.0

    class Late(run.LagMeter):
        def total(self, now: float) -> float:
            nonlocal late
            late += 1.0
            return super().total(now) + late

    monkeypatch.setattr(run, "LagMeter", Late)
    result, _ = await checked(GOOD, made(Hello(), Moves(), Hello()), tmp_path, patience=3.0)
    assert result.verdict is Verdict.NONE
    assert "the kit itself was late" in result.arrived


@pytest.mark.slow
async def test_waiting_in_vain(tmp_path: Path):
    """Where it was not, the bot fails, and is told what was expected and for how long."""
    result, _ = await checked(GOOD, made(Hello(), Hello()), tmp_path, patience=3.0)
    assert (result.verdict, result.step) == (Verdict.FAIL, 2)
    assert (result.expected, result.arrived) == ("a stream and its hello", "nothing within 3 s")


async def test_a_bot_that_crashes(tmp_path: Path):
    """The exit code and the last lines on stderr are told."""
    result, _ = await checked([sys.executable, str(BAD_BOT), "crash-after-hello"], named("goodbye"), tmp_path)
    assert result.verdict is Verdict.FAIL
    assert result.arrived == "its process ended with exit code 7"
    assert result.stderr == ["crash on purpose"]


@pytest.mark.parametrize(
    ("behaviour", "case", "arrived"),
    [
        ("own-error", "asked-to-play", "on purpose"),
        ("card-not-held", "asked-to-play", " is illegal; legal: ["),
        ("another-game", "asked-to-play", "and there is no such game"),
        ("another-seat", "asked-to-play", "which is not this bot's"),
        ("goodbye", "asked-to-play", 'goodbye { reason: "enough" }'),
        ("half-close", "asked-to-play", "the end of the stream: the bot has closed it"),
        ("garbage", "asked-to-bid", "bytes that are not a PlayRequest"),
        ("no-answer", "asked-to-bid", "the move holds no answer"),
        ("bid-zero", "asked-to-bid", "the answer 0 is illegal; legal: [1, 2"),
        ("hello-twice", "asked-to-bid", 'hello { token: "'),
        ("too-long", "asked-to-bid", "one of 1000"),
        ("several-answers", "asked-to-bid", ""),
    ],
)
async def test_bad_bots(behaviour: str, case: str, arrived: str, tmp_path: Path):
    """What a bad bot said is in what arrived; what is no fault of a bot is none here."""
    result, _ = await checked([sys.executable, str(BAD_BOT), behaviour], named(case), tmp_path)
    assert result.verdict is (Verdict.FAIL if arrived else Verdict.PASS)
    assert arrived in result.arrived


@pytest.mark.slow
async def test_strict_game_names_the_fault(tmp_path: Path):
    """The message of the first fault is what arrived."""
    case = [msgspec.structs.replace(named("strict-game")[0], steps=[StrictGame()])]
    result, _ = await checked([*COMMAND, "bids-zero"], case, tmp_path)
    assert result.verdict is Verdict.FAIL
    assert "illegal, charged to seat" in result.arrived
    assert "a bid of 0" in result.arrived
    assert result.expected == "a game without a fault"


@pytest.mark.slow
@pytest.mark.parametrize(("mutation", "said"), [("wrong-token", "ended with"), ("needs-the-beginning", "")])
async def test_strict_game_of_a_bot_that_is_not_let_in(mutation: str, said: str, tmp_path: Path):
    """A bot whose hello is refused fails; one that plays passes."""
    result, _ = await checked([*COMMAND, mutation], named("strict-game"), tmp_path)
    assert result.verdict is (Verdict.FAIL if said else Verdict.PASS)
    assert said in result.arrived
