from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from cli.commands import CODE, refused
from click.testing import CliRunner, Result
from replay.recording import STRICT, record_game

from bluke.cli import replay_grep
from bluke.cli.replay import COMMANDS
from bluke.cli.replay_grep import grep
from bluke.replay.page.steps import story
from bluke.replay.reader import read_replay
from bluke.replay.search import Query, search
from bluke.replay.stepper.tale import find, tale_of
from bluke.rules import Asked, CutRule, Outcome, Rules
from bluke.wire.values import FaultKind, GameLimits, Player

PAGE = Path(__file__).parents[2] / "docs/replay-grep.md"
PLAYERS = (Player("mc"), Player("rule"), Player("one\n[red]"), Player(""))


def run(*args: object) -> Result:
    """Run `bluke replay grep` with these arguments."""
    return CliRunner().invoke(grep, [str(arg) for arg in args])


def notes():
    """A function of notes of several kinds, in turns."""
    numbers = count()

    def note(_seat: int, value: object) -> str | None:
        return (None, f"regret 4.5: not {value}", "two\nlines \u202e", None)[next(numbers) % 4]

    return note


def written(folder: Path, game_id: str, seed: int) -> Path:
    rules = Rules(4, max_hand=4, cut=CutRule.PLAYER)
    limits = GameLimits(max_faults=5)
    return record_game(
        folder, rules, seed=seed, game_id=game_id, players=PLAYERS, note=notes(), fault_rate=0.05, limits=limits
    ).path


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    """A folder with runs, and other things in it."""
    folder = tmp_path_factory.mktemp("grep") / "runs"
    written(folder / "a" / "replays", "game-1", 1)
    second = written(folder / "b" / "replays", "game-2", 2)
    second.with_name("game-2.jsonl.gz").write_bytes(gzip.compress(second.read_bytes()))
    second.unlink()
    written(folder / "b" / "replays", "game-3", 3)
    (folder / "a" / "results.jsonl").write_text('{"type":"run"}\n')
    (folder / "a" / "standings.json").write_text("{}")
    return folder


def test_the_lines(runs):
    """A line names the file, the moment and the seat, and says the move, the hand, and what came of it."""
    path = runs / "a" / "replays" / "game-1.jsonl"
    lines = run(path).stdout.splitlines()
    found = search(path, Query()).decisions
    assert len(lines) == len(found)
    for line, one in zip(lines, found, strict=True):
        columns = line.split("  ")
        name = {0: "mc", 1: "rule", 2: "one\\n[red]", 3: "(no name)"}[one.seat]
        assert columns[:2] == [f"{path}:{one.at}", f"seat {one.seat} {name}"]
        did = f"{one.asked.value}s {one.value}" if one.asked else ""
        assert columns[2] == ("taps" if did == "cuts 0" else did)
        trump = f"trump {one.trump}" if one.trump else "no trump"
        assert columns[3] == f"{one.size} card{'s' if one.size > 1 else ''} {trump}"
        assert one.outcome is not None
        assert columns[4] == f"bid {one.bid} took {one.taken} {one.outcome.name.lower()} {one.points:+}"
        assert ("by the referee" in columns) == one.referee
        assert any(column.startswith("fault ") for column in columns) == bool(one.faults)
        if one.note:
            assert line.endswith(one.note.replace("\n", "\\n").replace("\u202e", "\\u202e"))


def test_folders_and_packed_files(runs):
    """A folder stands for its replays in order, packed ones too; the results of a run are none."""
    files = [line.partition(":")[0] for line in run("-c", runs).stdout.splitlines()]
    assert files == [
        str(runs / inner) for inner in ("a/replays/game-1.jsonl", "b/replays/game-2.jsonl.gz", "b/replays/game-3.jsonl")
    ]


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        ("--bot m* --bot rule", Query(bots=("m*", "rule"))),
        ("--seat 1 --seat 2", Query(seats=frozenset({1, 2}))),
        ("--asked cut", None),
        ("--hand 1 --hand 3-4", Query(hands=(range(1, 2), range(3, 5)))),
        ("--size 2-3", Query(sizes=(range(2, 4),))),
        ("--trump H --trump none", Query(trumps=frozenset({"H", None}))),
        ("--bid 2-9", Query(bids=(range(2, 10),))),
        ("--set", Query(outcomes=frozenset({Outcome.SET}))),
        ("--overtricks --perfect", Query(outcomes=frozenset({Outcome.OVERTRICKS, Outcome.PERFECT}))),
        ("--lost 20", Query(lost=20)),
        ("--card hi --card AS --card kd", Query(cards=frozenset({"HI", "AS", "KD"}))),
        ("--fault timeout --fault crash", Query(faults=frozenset({FaultKind.TIMEOUT, FaultKind.CRASH}))),
        ("--fault any", Query(faults=frozenset(FaultKind))),
        ("--referee", Query(referee=True)),
        ("--regret", Query(regret=True)),
        ("--note '[5-9][HS]$'", Query(note=re.compile("[5-9][HS]$"))),
        ("--slow 12.5", Query(slow=12.5)),
        ("--slow 5 --set --bot mc", Query(slow=5, outcomes=frozenset({Outcome.SET}), bots=("mc",))),
    ],
)
def test_conditions(runs, arguments, query):
    """Each option is its condition: the files hold matches and decisions that are none."""
    path = runs / "b" / "replays" / "game-3.jsonl"
    found = [json.loads(line) for line in run("--json", *shlex.split(arguments), path).stdout.splitlines()]
    everything = search(path, Query()).decisions
    assert 0 < len(found) < len(everything)
    if query is not None:
        wanted = search(path, query).decisions
        assert [(one["at"], one["seat"]) for one in found] == [(one.at, one.seat) for one in wanted]
    else:
        assert {one["asked"] for one in found} == {"cut"}


def test_names_and_counts(runs):
    """`-l` prints the files and `-c` how many there are in each, of files that have any."""
    path = runs / "a" / "replays" / "game-1.jsonl"
    many = run("--set", path, runs / "b").stdout.splitlines()
    files = list(dict.fromkeys(line.partition(":")[0] for line in many))
    assert run("--set", "-l", path, runs / "b").stdout.splitlines() == files
    counts = [f"{file}:{sum(line.startswith(f'{file}:') for line in many)}" for file in files]
    assert run("--set", "-c", path, runs / "b").stdout.splitlines() == counts


@pytest.mark.parametrize("way", [[], ["-l"], ["-c"], ["--json"], ["--commands", "show"]])
def test_nothing_found(runs, way):
    """Where nothing is found nothing is printed, and the exit code is 1."""
    result = run(*way, "--bot", "nobody", runs)
    assert (result.exit_code, result.output) == (1, "")


def test_files_that_cannot_be_read(runs, tmp_path):
    """They are named on stderr, the search goes on, and the exit code is 2 even though something was found."""
    junk = tmp_path / "junk.jsonl"
    junk.write_text("hello\n")
    (tmp_path / "empty").mkdir()
    result = run("-c", junk, tmp_path / "none\x1b.jsonl", tmp_path / "empty", runs)
    assert result.exit_code == 2
    assert len(result.stdout.splitlines()) == 3
    errors = result.stderr.splitlines()
    assert errors[0].startswith(f"error: {junk}: line 1: this is no Bluke replay")
    assert errors[1] == f"error: {tmp_path}/none\\x1b.jsonl: cannot be read: No such file or directory"
    assert errors[2] == f"error: there is no replay in the folder {tmp_path / 'empty'}"
    assert len(errors) == 3


def test_a_torn_file(runs, tmp_path):
    """What is left out of a torn file is said, and is no mistake."""
    torn = tmp_path / "torn.jsonl.part"
    torn.write_bytes((runs / "a" / "replays" / "game-1.jsonl").read_bytes()[:5000])
    result = run("-l", torn)
    assert (result.exit_code, result.stdout) == (0, f"{torn}\n")
    assert re.fullmatch(rf"{torn}: line \d+: the last line is torn: it is left out\n", result.stderr)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--size 7-3 .", "goes backwards"),
        ("--hand x .", "neither a number"),
        ("--note ( .", "no regular expression"),
        ("--card 1H .", "is no card"),
        ("--trump X .", "is not one of"),
        ("--fault slow .", "is not one of"),
        ("--seat -1 .", "--seat"),
        ("--slow -1 .", "--slow"),
        ("--lost 0 .", "--lost"),
        ("-l --json .", "give one"),
        ("--set", "Missing argument"),
    ],
)
def test_mistakes(capsys, arguments, words):
    """A mistake in the command is one of exit code 2, with a sentence."""
    assert words in refused(capsys, "replay", "grep", *arguments.split())


# Commands


def commands(path: Path, *arguments: str) -> list[list[str]]:
    """The commands that are printed, in words, comments left out."""
    result = run(*arguments, path)
    assert result.exit_code == 0
    return [shlex.split(line, comments=True) for line in result.stdout.splitlines()]


def test_commands_to_show(runs):
    """Each hand and seat is shown once, by a command that works."""
    path = runs / "a" / "replays" / "game-1.jsonl"
    found = search(path, Query(outcomes=frozenset({Outcome.SET}))).decisions
    told = commands(path, "--set", "--commands", "show")
    assert told == [
        ["bluke", "replay", "show", str(path), "--hand", str(hand), "--seat", str(seat)]
        for hand, seat in dict.fromkeys((one.hand, one.seat) for one in found)
    ]


def test_commands_to_step(runs):
    """Each decision is begun with."""
    path = runs / "a" / "replays" / "game-1.jsonl"
    game = tale_of(read_replay(path))
    for words, one in zip(commands(path, "--commands", "step"), search(path, Query()).decisions, strict=True):
        assert words[:4] == ["bluke", "replay", "step", str(path)]
        seat, at = words[words.index("--seat") + 1], words[words.index("--at") + 1]
        step = game.steps[find(game, at, int(seat))]
        assert (step.seat, str(step.value), step.hand) == (one.seat, str(one.value), one.hand)


def test_commands_to_ask(runs):
    """Each decision that a bot was asked for is asked again, of the bot of that name; the others are comments."""
    path = runs / "a" / "replays" / "game-1.jsonl"
    lines = run("--commands", "ask", path).stdout.splitlines()
    for line, one in zip(lines, search(path, Query()).decisions, strict=True):
        if one.referee and one.ms is None:
            assert line == f"# {path}:{one.at} seat {one.seat}: the bot was not asked: the referee made the move"
        else:
            ask = ["bluke", "replay", "ask", str(path), "--seat", str(one.seat), "--at", one.at, "--bot"]
            assert shlex.split(line)[:-1] == ask
            assert shlex.split(line)[-1] == one.bot.replace("\n", "\\n")


def test_commands_to_make_pages(runs):
    """A page is made once for each game, and the addresses of the decisions are those that it knows."""
    path = runs / "a" / "replays" / "game-1.jsonl"
    known = {step.at: step for step in story(read_replay(path)).steps}
    for one in search(path, Query()).decisions:
        step = known[replay_grep._address(one)]
        assert (step.seat, str(step.value)) == (one.seat, str(one.value))
    (line,) = run("--card", "HI", "--asked", "play", "--commands", "html", path).stdout.splitlines()
    command, _, addresses = line.partition("  # ")
    assert shlex.split(command) == ["bluke", "replay", "html", str(path)]
    cards = search(path, Query(cards=frozenset({"HI"}))).decisions
    assert addresses.split() == [f"game-1.html#{one.hand}.{one.trick}.{one.place}" for one in cards][:8]
    assert run("--commands", "html", path).stdout.endswith(f" and {len(known) - 8 - others(known)} more\n")


def others(known) -> int:
    """The steps of a page that are no decisions."""
    return sum(step.seat is None for step in known.values())


def test_commands_for_a_move_that_was_never_made(tmp_path):
    """The fault that ended a game leads to its end, and before the first deal to the game as a whole."""
    rules = Rules(3, max_hand=4, cut=CutRule.PLAYER)
    path = record_game(tmp_path, rules, fault_rate=1, limits=STRICT).path
    seat = str(search(path, Query(faults=frozenset(FaultKind))).decisions[0].seat)
    assert commands(path, "--fault", "any", "--commands", "show")[0][4:] == ["--seat", seat]
    assert commands(path, "--fault", "any", "--commands", "step")[0][4:] == ["--seat", seat, "--at", "end"]
    assert commands(path, "--fault", "any", "--commands", "ask")[0][4:8] == ["--seat", seat, "--at", "0.cut"]
    assert run("--fault", "any", "--commands", "html", path).stdout.endswith("  # game-1.html#end\n")
    assert "  asked to cut, no answer  4 cards  fault " in run(path).stdout


def test_odd_file_names(tmp_path):
    """A name with spaces is quoted for a shell, and one with terminal codes is spelled out."""
    (tmp_path / "a b").mkdir()
    path = record_game(tmp_path / "a b", Rules(2, max_hand=2)).path
    odd = path.rename(path.with_name("x;\x1b[31m.jsonl"))
    shown = run("--commands", "show", tmp_path).stdout
    assert f" '{tmp_path}/a b/x;\\x1b[31m.jsonl' " in shown
    assert "\x1b" not in shown + run(tmp_path).stdout + run("-l", odd).stdout + run("-c", odd).stdout


def test_the_help_says_it_is_there():
    """The command is in the table of `bluke replay`, and its help loads neither jinja2 nor zstandard."""
    assert COMMANDS["grep"][:2] == ("bluke.cli.replay_grep", "grep")
    code = (
        "import sys\n"
        "from bluke.cli.replay import replay\n"
        "replay(['grep', '--help'], standalone_mode=False)\n"
        "print(sorted({'jinja2', 'zstandard', 'numpy', 'grpc', 'bluke.replay.reader'} & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"


# The page


def test_the_page_has_every_option():
    """Each option stands in the tables of the page."""
    page = PAGE.read_text(encoding="utf-8")
    for option in grep.params:
        for name in option.opts:
            if name.startswith("-") and name not in {"--files", "--count"}:
                assert f"`{name}" in page, name


def recipes() -> list[str]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if re.match(r"    (jq |bluke .*\| jq )", line)]


@pytest.fixture
def shell(runs, tmp_path):
    """Runs a line of the page beside a folder `runs`; returns what it prints."""
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    command = tmp_path / "bin" / "bluke"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(CODE)} "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}

    def shell(line: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=runs.parent,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert done.stderr == ""
        return done.stdout

    return shell


def test_recipes_for_one_line(shell, runs):
    """The recipes with nothing but jq find what the search finds."""
    referee, sets = [recipe for recipe in recipes() if recipe.startswith("jq")]
    plain = [runs / "a/replays/game-1.jsonl", runs / "b/replays/game-3.jsonl"]
    expected = [
        f"{path.relative_to(runs.parent)}:{one.at} seat {one.seat} {one.value}"
        for path in plain
        for one in search(path, Query(referee=True)).decisions
        if one.asked is not Asked.CUT
    ]
    assert shell(referee).splitlines() == expected != []
    hands = {}
    for path in plain:
        for one in search(path, Query(bots=("mc",), outcomes=frozenset({Outcome.SET}))).decisions:
            hands[f"{path.relative_to(runs.parent)}:{one.hand} seat {one.seat}"] = True
    assert shell(sets).splitlines() == list(hands) != []


def test_recipes_that_count(shell, runs):
    """The recipes that hand what was found to jq count it rightly."""
    times, shares, slowest = [recipe for recipe in recipes() if recipe.startswith("bluke")]
    found = [one for path in sorted(runs.rglob("game-*")) for one in search(path, Query()).decisions]
    plays = [one for one in found if one.trick is not None]
    for line in shell(times).splitlines():
        told = json.loads(line)
        ms = [one.ms or 0 for one in plays if one.bot == told["bot"]]
        assert told["ms"] == pytest.approx(sum(ms) / len(ms))
    bids = [one for one in found if one.asked is Asked.BID and one.bot == "mc" and one.size == 4]
    share = sum(one.outcome is Outcome.SET for one in bids) / len(bids)
    assert ["mc", 4, pytest.approx(share)] in [json.loads(line) for line in shell(shares).splitlines()]
    ranked = sorted((one.ms for one in found if one.ms is not None and one.ms > 10), reverse=True)[:10]
    assert [json.loads(line)[0] for line in shell(slowest).splitlines()] == ranked
