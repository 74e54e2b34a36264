from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from arena.rematch.games import SMALL, a_desk, a_game, finish, highest
from arena.rosters import MOODY, SMALLEST, alive
from cli.commands import CODE, Command, command, refused

from bluke.cli import main
from bluke.rules import Rules
from bluke.wire.values import GameLimits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def low(tmp_path: Path) -> Path:
    """A game of a run in which every bot did what the smallest bot does."""
    return a_game(tmp_path / "run")


@pytest.fixture
def high(tmp_path: Path) -> Path:
    """A game in which every bot gave its last legal answer."""
    return a_game(tmp_path / "high", highest)


def pids_in(log: Path) -> list[int]:
    return [int(number) for number in re.findall(r"^\[out\] pid ([0-9]+)$", log.read_text(), re.MULTILINE)]


# Asking


def test_ask_who_does_the_same(tmp_path: Path, low: Path):
    """Exit code 0 and one line, if it does nowhere differ."""
    code, out, err = command(tmp_path, "replay", "ask", low, "--seat", 0, "--", *SMALLEST)
    assert (code, out, err) == (0, "12 decisions of seat 0 asked: 12 as then, 0 differ\n", "")


def test_ask_who_differs(tmp_path: Path, high: Path):
    """Exit code 1; each decision with what was seen, legal, done then and done now; and the command to play on."""
    code, out, err = command(tmp_path, "replay", "ask", high, "--seat", 1, "--", *SMALLEST)
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0].startswith("0.bid    to bid, 3 cards, ")
    assert [line[:9] for line in lines[1:5]] == ["  holds  ", "  legal  ", "  then   ", "  now    "]
    assert lines[2:5] == ["  legal  1 to 3", "  then   3", "  now    1"]
    differ = int(re.search(r"as then, ([0-9]+) differ", lines[-2])[1])  # type: ignore[index]
    assert len(lines) == 5 * differ + 2
    assert lines[-1].endswith(f"bluke replay branch {shlex.quote(str(high))} --at 0.bid.1 --move 1")


def test_ask_one_decision(tmp_path: Path, low: Path):
    """A decision that is asked for is shown though it is as then; the address of a page will do, and names the seat."""
    code, out, err = command(tmp_path, "replay", "ask", low, "--at", "#0.bid.1", "--", *SMALLEST)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("0.bid    to bid, 3 cards, ")
    assert lines[3:] == ["  then   1", "  now    1", "1 decision of seat 1 asked: 1 as then, 0 differ"]


def test_ask_for_json(tmp_path: Path, high: Path):
    """The same as one JSON object, with nothing else on stdout."""
    code, out, err = command(
        tmp_path, "replay", "ask", high, "--seat", 1, "--at", "0.bid", "--json", "--save", "kept.jsonl", "--", *SMALLEST
    )
    data = json.loads(out)
    assert (code, data["asked"], data["differs"]) == (1, 1, 1)
    assert (data["decisions"][0]["now"]["answer"], data["decisions"][0]["then"]["answer"]) == (1, 3)
    assert err == "saved 1 answer to kept.jsonl\n"


def test_ask_a_bot_of_the_run(tmp_path: Path, low: Path):
    """`--bot` takes command and folder from the run's own roster, or from another."""
    assert command(tmp_path, "replay", "ask", low, "--seat", 0, "--bot", "bot1")[0] == 0
    (tmp_path / "other.toml").write_bytes((tmp_path / "run" / "arena.toml").read_bytes().replace(b"bot1", b"else"))
    asked = command(tmp_path, "replay", "ask", low, "--seat", 0, "--bot", "else", "--config", "other.toml")
    assert asked[0] == 0


@pytest.mark.slow
def test_save_and_check(tmp_path: Path, low: Path, high: Path):
    """What was saved is held against a bot: 0 if nothing has changed, 1 with what has, several files at once."""
    code, out, _ = command(tmp_path, "replay", "ask", low, "--seat", 0, "--save", "a.jsonl", "--", *SMALLEST)
    assert (code, out.splitlines()[-1]) == (0, "saved 12 answers to a.jsonl")
    command(tmp_path, "replay", "ask", high, "--seat", 1, "--at", "0.bid", "--save", "b.jsonl", "--", *SMALLEST)
    code, out, err = command(tmp_path, "replay", "check", "a.jsonl", "b.jsonl", "--", *SMALLEST)
    assert (code, out, err) == (0, "a.jsonl: 12 as saved, 0 changed\nb.jsonl: 1 as saved, 0 changed\n", "")
    saved = (tmp_path / "b.jsonl").read_text()
    (tmp_path / "b.jsonl").write_text(saved.replace('"answer":1', '"answer":2'))
    code, out, err = command(tmp_path, "replay", "check", "a.jsonl", "b.jsonl", "--json", "--", *SMALLEST)
    assert (code, err) == (1, "")
    assert [(data["same"], data["differs"]) for data in json.loads(out)] == [(12, 0), (0, 1)]


def test_a_bot_that_crashes(tmp_path: Path, low: Path):
    """The decision, how its process ended and its last words are shown; nothing is saved; the log is kept."""
    code, out, err = command(
        tmp_path, "replay", "ask", low, "--seat", 0, "--save", "k.jsonl", "--log", "bot.log", "--", *MOODY, "die=3"
    )  # fmt: skip
    assert code == 1
    assert "  now    a fault, crash: the bot's process ended with exit code 7\n" in out
    assert "broken off after 3 of 12: the bot's process ended with exit code 7\n" in out
    assert "  | [err] I die \\x1b[31mnow\n" in err
    assert "not saved, since not all was asked\n" in err
    assert not (tmp_path / "k.jsonl").exists()
    assert "[err] I die" in (tmp_path / "bot.log").read_text()


@pytest.mark.slow
def test_a_bot_that_hangs(tmp_path: Path):
    """It is late by the clock of then, three times, and then left alone; nothing of it stays."""
    path = finish(a_desk(tmp_path / "run", SMALL, limits=GameLimits(decision_ms=300, bank_ms=0)))
    code, out, _ = command(
        tmp_path, "replay", "ask", path, "--seat", 0, "--log", "bot.log", "--", *MOODY, "hang=1", "stubborn", "child"
    )
    assert code == 1
    assert out.count("  now    a fault, timeout: no answer within 300 ms\n") == 3
    assert "broken off after 3 of 12: it does not answer in time\n" in out
    assert len(pids_in(tmp_path / "bot.log")) == 2
    assert alive(pids_in(tmp_path / "bot.log")) == []


@pytest.mark.slow
def test_interrupt(tmp_path: Path, high: Path):
    """Ctrl-C ends the asking in good order: what was answered is told, the bot is gone, exit code 130."""
    arguments = ["replay", "ask", high, "--seat", 1, "--no-clock", "--log", "bot.log"]
    with Command(tmp_path, *arguments, "--", *MOODY, "hang=3", "child", "stubborn") as running:
        running.until("  now    1")
        running.interrupt()
        code, out, err = running.finish()
    assert code == 130
    assert re.search(r"broken off after [12] of 12: it was stopped\n", out)
    assert "Traceback" not in out + err
    assert len(pids_in(tmp_path / "bot.log")) == 2
    assert alive(pids_in(tmp_path / "bot.log")) == []


def wait_for(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def attached(folder: Path, game: Path) -> subprocess.Popen[str]:
    """`bluke replay ask --attach` of a moody bot, with somebody at the keyboard."""
    arguments = ["replay", "ask", str(game), "--seat", "0", "--attach", "--log", "bot.log", "--", *MOODY]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", CODE, *arguments], cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def test_attach(tmp_path: Path, low: Path):
    """The process is named before anything is asked, and Enter lets the questions begin."""
    with attached(tmp_path, low) as running:
        assert running.stderr is not None
        said = running.stderr.readline()
        pid = int(re.search(r"the bot is process ([0-9]+); attach", said)[1])  # type: ignore[index]
        assert alive([pid]) == [pid]
        assert running.poll() is None
        out, _ = running.communicate("\n", timeout=60)
    assert running.returncode == 0
    assert out == "12 decisions of seat 0 asked: 12 as then, 0 differ\n"
    assert pids_in(tmp_path / "bot.log") == [pid]


def test_attach_and_interrupt(tmp_path: Path, low: Path):
    """Ctrl-C instead of Enter: nothing was asked, the bot is gone, exit code 130."""
    with attached(tmp_path, low) as running:
        assert running.stderr is not None
        assert running.stdout is not None
        assert "press Enter" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        # Enter is never pressed: the keyboard stays open until the end.
        assert running.wait(60) == 130
        assert running.stdout.read() == ""
        assert running.stderr.read().strip() == "stopped"
    assert alive(pids_in(tmp_path / "bot.log")) == []


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", "no.jsonl", "--seat", "0", "--", "x"], "File 'no.jsonl' does not exist"),
        (["ask", "GAME", "--", "x"], "which seat is asked? Name it with --seat: 0 bot0, 1 bot1"),
        (["ask", "GAME", "--seat", "2", "--", "x"], "there is no seat 2: seats are 0 to 1"),
        (["ask", "GAME", "--seat", "-1", "--", "x"], "-1 is not in the range x>=0"),
        (["ask", "GAME", "--seat", "0"], "End the line with -- COMMAND, or name one with --bot"),
        (["ask", "GAME", "--seat", "0", "--"], "how is the bot started?"),
        (["ask", "GAME", "--seat", "0", "--bot", "bot0", "--", "x"], "give a COMMAND or --bot, not both"),
        (["ask", "GAME", "--seat", "0", "--bot", "nobody"], "there is no bot 'nobody' in the roster: it has"),
        (["ask", "GAME", "--seat", "0", "--", "no-such-program"], "there is no program 'no-such-program'"),
        (["ask", "GAME", "--seat", "0", "--at", "0", "--", "sh"], "'0' names no moment"),
        (["ask", "GAME", "--seat", "0", "--at", "7.0", "--", "sh"], "of seat 0 the file has hands 0 to 2"),
        (["ask", "GAME", "--seat", "0", "--save", "GAME", "--", "sh"], "is there and is no regression file"),
        (["ask", "GAME", "--seat", "0", "--save", "no/k.jsonl", "--", "sh"], "there is no folder no; make it"),
        (["check", "GAME", "--", "sh"], "line 1: this is no regression file"),
        (["check", "GAME"], "how is the bot started? End the line with -- COMMAND"),
        (["branch", "GAME"], "Missing option '--at'"),
        (["branch", "GAME", "--at", "0.bid", "--move", "9"], "'9' is no legal bid of seat 1 at 0.bid.1: legal"),
        (["branch", "GAME", "--at", "0.0", "--seats", "nobody"], "there is no bot 'nobody' in the roster"),
        (["branch", "GAME", "--at", "0.0", "--times", "0"], "0 is not in the range 1<=x<=10000"),
        (["ask", "GAME", "--seat", "0", "python", "bot.py"], "stands at the end, behind two dashes: -- COMMAND"),
        (["ask", "/", "--seat", "0"], "this is about one game: name a replay in it. `bluke replay html /`"),
    ],
)  # fmt: skip
def test_mistakes(low: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str):
    """Each is told in a sentence, with exit code 2 and before anything starts."""
    told = refused(capsys, "replay", *(str(low) if word == "GAME" else word for word in arguments))
    assert words in re.sub(r"\s+", " ", told)


@pytest.mark.parametrize("arguments", [["ask", "--seat", "0"], ["branch", "--at", "0.0"]], ids=["ask", "branch"])
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: b"not a replay", "line 1: this is no Bluke replay"),
        (lambda data: data[: data.rfind(b'{"type":"end"')], "the game was not finished: without its last line"),
        (lambda data: data[:-40], "the game was not finished"),
        (lambda data: data.replace(b'"bid":1', b'"bid":9', 1), "a bid of 9"),
        (lambda data: data.replace(b'"name":"bot0"', b'"name":"b0t0"', 1), "sha256 is not that of the lines before it"),
    ],
    ids=["text", "unfinished", "torn", "illegal", "changed"],
)
def test_files_that_are_wrong(
    low: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    damage: Callable[[bytes], bytes],
    words: str,
):
    """Exit code 1, and what is wrong with the file and where."""
    low.write_bytes(damage(low.read_bytes()))
    after = ["--", "sh"] if arguments[0] == "ask" else []
    assert main(["replay", arguments[0], str(low), *arguments[1:], *after]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err


def test_a_seat_that_was_asked_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A seat whose every move the referee made, and a decision that it made, have nothing to ask."""
    desk = a_desk(tmp_path / "run", limits=GameLimits(max_faults=1))
    while desk.table.result is None:
        desk.answer(60 if desk.turn.seat == 1 else None)
    path = desk.close().replay
    capsys.readouterr()
    told = refused(capsys, "replay", "ask", path, "--seat", 1, "--at", "2.0", "--", "sh")
    assert "seat 1 was not asked at 2.0: the referee made its moves" in told


def test_a_void_game_can_be_asked(tmp_path: Path):
    """All that was asked before it was stopped, and what was being asked then."""
    desk = a_desk(tmp_path / "run")
    for _ in range(8):
        desk.answer()
    desk.table.void("the run was stopped")
    seat = desk.turn.seat
    path = desk.close().replay
    code, out, _ = command(tmp_path, "replay", "ask", path, "--seat", seat, "--", *SMALLEST)
    assert code == 0
    assert "  then   nothing: the game ended here\n" in out
    assert "5 decisions of seat" in out
    assert "4 as then, 0 differ, 1 that the bot of then did not decide" in out


# Branching


@pytest.mark.slow
def test_branch(tmp_path: Path, high: Path):
    """Where the game is left, how the scores moved, and how to look closer; every game verifies."""
    code, out, err = command(tmp_path, "replay", "branch", high, "--at", "0.0", "--times", 2, "--seats", "-,bot0")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].endswith(" is left at 0.0.0, seat 1:")
    assert "2 games from there, also of later hands with the cards of then" in lines
    folder = f"high/branches/{high.stem}-0.0.0"
    assert f"folder: {folder}" in lines
    assert next(line for line in lines if line.startswith("seat  bot then")).split()[-2:] == ["moved", "by"]
    assert "all 2 games ended alike" in lines
    verify = lines[-1].partition("bluke ")[2].split()
    assert verify == ["replay", "verify", f"{folder}/replays"]
    assert command(tmp_path, *verify)[1].endswith("2 files: 2 ok, 0 wrong\n")
    show = lines[-2].partition("bluke ")[2].split()
    assert "Branched from game" in command(tmp_path, *show)[1]


def test_branch_as_json(tmp_path: Path, high: Path):
    """The same as one JSON object."""
    code, out, err = command(
        tmp_path, "replay", "branch", high, "--at", "0.bid", "--move", 1, "--json", "--out", "mine"
    )  # fmt: skip
    data = json.loads(out)
    assert (code, err, data["forced"], len(data["games"])) == (0, "", 1, 1)
    assert (tmp_path / "mine" / data["games"][0]["replay"]).exists()
    assert json.loads((tmp_path / "mine" / "branch.json").read_text()) == data


@pytest.mark.slow
def test_interrupt_a_branch(tmp_path: Path):
    """Ctrl-C: the games that are over are told, nothing is left running, exit code 130."""
    path = finish(a_desk(tmp_path / "run", Rules(2, hands=(9, 9)), bots=["stubborn"]))
    with Command(
        tmp_path, "replay", "branch", path, "--at", "0.0", "--times", 9999, "--seats", "-,stubborn"
    ) as running:
        running.until("folder: ")
        folder = tmp_path / "run" / "branches" / f"{path.stem}-0.0.0"
        wait_for(lambda: len(list((folder / "replays").glob("*.jsonl"))) > 2)
        running.interrupt()
        code, out, err = running.finish()
    assert code == 130
    assert re.search(r"stopped after [0-9]+ of 9999 games", err)
    assert "seat  bot then" in out
    logs = folder / "bots" / "01-stubborn.log"
    assert len(pids_in(logs)) == 2
    assert alive(pids_in(logs)) == []


def test_a_branch_whose_bot_cannot_start(tmp_path: Path, low: Path):
    """Exit code 1 with its last words."""
    with (tmp_path / "run" / "arena.toml").open("a") as config:
        config.write('\n[[bots]]\nname = "bad"\ncommand = "sh -c \'echo no engine >&2; exit 4\'"\n')
    code, out, err = command(tmp_path, "replay", "branch", low, "--at", "0.0", "--seats", "bad")
    assert code == 1
    assert "is left at 0.0.0" in out
    assert "bot 'bad' could not be started: it ended with exit code 4" in err
    assert "  | no engine\n" in err
