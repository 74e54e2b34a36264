from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tomli_w
from arena.records import game as game_record
from arena.rematch.games import SMALL, a_desk, a_game, finish, highest
from arena.rosters import SMALLEST

from bluke.arena.record import RunRecord
from bluke.arena.rematch.plan import plan_branch
from bluke.arena.rematch.recorded import commanded, lineup_of, named, read_recorded, roster_of, run_folder_of
from bluke.errors import ConfigError, ReplayError
from bluke.rules import Card, CutRule, Rules
from bluke.wire.values import GameLimits


def test_the_moment_and_what_is_seen_there(tmp_path: Path):
    """A plan holds the first decision that is not taken over, and what its seat sees."""
    plan = plan_branch(a_game(tmp_path / "run"), "0.1.1")
    step = plan.step
    assert (step.hand, step.trick, step.place, str(step.moment)) == (0, 1, 1, "0.1.1")
    assert len(plan.question.on_table) == 1
    assert len(plan.question.cards) == 2
    assert step.value in plan.question.legal
    assert plan.now == plan.then == ("bot0", "bot1")
    assert plan.forced is None


@pytest.mark.parametrize(
    ("seats", "now"),
    [
        (None, ("bot0", "bot1", "bot2")),
        ("moody", ("moody", "bot1", "bot2")),
        ("-,moody", ("bot0", "moody", "bot2")),
        (" - , - , bot0 ", ("bot0", "bot1", "bot0")),
        ("moody,moody,moody", ("moody", "moody", "moody")),
        ("", None),
    ],
)
def test_who_sits_where(tmp_path: Path, seats: str | None, now: tuple[str, ...] | None):
    """A name takes a seat; a dash, and whatever is not there, is the bot of then."""
    path = finish(a_desk(tmp_path / "run", Rules(3, hands=(2,)), bots=["moody"]))
    if now is None:
        with pytest.raises(ConfigError, match="there is no bot '' in the roster: it has bot0, bot1, bot2, moody"):
            plan_branch(path, "0.0", seats=seats)
    else:
        assert plan_branch(path, "0.0", seats=seats).now == now


@pytest.mark.parametrize(
    ("at", "options", "words"),
    [
        ("0.9", {}, "there is no moment 0.9: hand 0 of the game has 0.bid.1 0.bid.0"),
        ("nine", {}, "'nine' names no moment"),
        ("0.0", {"seats": "bot0,bot1,bot0"}, "--seats names 3 bots, and there are 2 seats"),
        ("0.0", {"seats": "[red]"}, r"there is no bot '\[red\]' in the roster: it has bot0, bot1"),
        ("0.bid", {"move": "4"}, "'4' is no legal bid of seat 1 at 0.bid.1: legal is 1 to 3"),
        ("0.bid", {"move": "2C"}, "'2C' is no legal bid"),
        ("0.0", {"move": "1"}, "'1' is no legal card of seat 1 at 0.0.0: legal is "),
        ("0.0", {"move": "\x1b"}, r"'\\x1b' is no legal card"),
    ],
)
def test_what_cannot_be_planned(tmp_path: Path, at: str, options: dict[str, Any], words: str):
    """Each is refused with what would be right, before anything starts."""
    path = a_game(tmp_path / "run")
    with pytest.raises(ConfigError, match=words):
        plan_branch(path, at, **options)
    assert sorted(file.name for file in (tmp_path / "run").iterdir()) == ["arena.toml", "replays"]


def test_moves_that_are_chosen(tmp_path: Path):
    """A card, a bid and a cut are read as what is asked at that moment."""
    path = finish(a_desk(tmp_path / "run", Rules(2, hands=(2, 1), cut=CutRule.PLAYER)))
    assert plan_branch(path, "0.cut", move="7").forced == 7
    assert plan_branch(path, "0.bid", move="2").forced == 2
    card = plan_branch(path, "1.0").question.legal[0]
    assert isinstance(card, Card)
    assert plan_branch(path, "1.0", move=str(card)).forced == card


def test_a_seat_that_the_referee_had_taken_over(tmp_path: Path):
    """From its last fault on nobody can take it, and none of its moves can be chosen; before that anybody can."""
    desk = a_desk(tmp_path / "run", limits=GameLimits(max_faults=2), bots=["moody"])
    while desk.table.result is None:
        desk.answer(60 if desk.turn.seat == 1 else None)
    path = desk.close().replay
    last = max(number for number, step in enumerate(read_recorded(path).steps) if step.faults)
    moment = str(read_recorded(path).steps[last].moment)
    assert plan_branch(path, moment, seats="-,moody").now == ("bot0", "moody")
    assert plan_branch(path, "2.0").now == ("bot0", None)
    for seats in ("-,moody", "bot0,bot1"):
        with pytest.raises(ConfigError, match=f"seat 1 was played by the referee after its fault at {moment}, so"):
            plan_branch(path, "2.0", seats=seats)
    at = next(str(step.moment) for step in read_recorded(path).steps[last + 1 :] if step.seat == 1)
    with pytest.raises(ConfigError, match=f"seat 1 was played by the referee at {at}, so no move of it can be chosen"):
        plan_branch(path, at, move="1")


def test_the_ids_of_the_games(tmp_path: Path):
    """They differ from each other and from the parent's, and are the same whoever plays and whatever is forced."""
    path = finish(a_desk(tmp_path / "run", bots=["moody"]))
    plan = plan_branch(path, "0.bid")
    ids = [plan.game_id(number) for number in range(100)]
    assert len({*ids, plan.recorded.game}) == 101
    other = plan_branch(path, "0.bid", seats="moody,moody", move="1")
    assert [other.game_id(number) for number in range(100)] == ids
    assert plan_branch(path, "1.bid").game_id(0) not in ids


def test_where_it_is_kept(tmp_path: Path):
    """Beside the replays of its run, under a name that is free, or where somebody says; nothing is made yet."""
    path = a_game(tmp_path / "run")

    def folder(**options: Any) -> Path:
        return plan_branch(path, "0.1", **options).folder.path

    expected = tmp_path / "run" / "branches" / f"{path.stem}-0.1.0"
    assert folder() == expected
    expected.mkdir(parents=True)
    assert folder() == expected.with_name(expected.name + "-2")
    assert folder(out=tmp_path / "mine") == tmp_path / "mine"
    assert not (tmp_path / "mine").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "branch.json").write_text("{}")
    with pytest.raises(ConfigError, match="mine holds games already; name another folder with --out"):
        folder(out=tmp_path / "mine")


def test_a_replay_outside_a_run(tmp_path: Path):
    """The file with the bots must be named then, and the branch is kept beside the replay."""
    path = a_game(tmp_path / "run")
    alone = tmp_path / "alone.jsonl"
    alone.write_bytes(path.read_bytes())
    with pytest.raises(
        ConfigError, match=r"alone.jsonl lies in no run folder, so name the file .*: --config arena.toml"
    ):
        plan_branch(alone, "0.0")
    plan = plan_branch(alone, "0.0", config=tmp_path / "run" / "arena.toml")
    assert plan.folder.path == tmp_path / "branches" / "alone-0.0.0"
    assert run_folder_of(alone) is None


def test_who_sat_there_then(tmp_path: Path):
    """The results of the run say by which names; without them it is what the bots call themselves."""
    run = tmp_path / "run"
    path = a_game(run)
    recorded = read_recorded(path)
    assert lineup_of(recorded) == ("bot0", "bot1")
    first = RunRecord(match="m", started=recorded.replay.header.started, server="", bots=[], seats=2, boards=1, games=1)
    other, mine = game_record(0, ["x", "y"], [1, 2]), game_record(0, ["c", "d"], [1, 2])
    mine.game = recorded.game
    lines = [msgspec.json.encode(line) for line in (first, other, mine)]
    (run / "results.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    assert lineup_of(recorded) == ("c", "d")
    with pytest.raises(ConfigError, match=r"seat 0 was played by 'c', which is no bot of the roster \(bot0, bot1\)"):
        plan_branch(path, "0.0")
    (run / "results.jsonl").unlink()
    for text, lineup in (
        ('{"lineup": ["p", "q"]}', ("p", "q")),
        ('{"lineup": ["p"]}', ("bot0", "bot1")),
        ("[", ("bot0", "bot1")),
    ):
        (run / "branch.json").write_text(text)
        assert lineup_of(recorded) == lineup


def test_the_run_is_named_as_the_person_named_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A run below the current folder is told by its way from there."""
    path = a_game(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    found = run_folder_of(path)
    assert found is not None
    assert found.path == Path("run")
    monkeypatch.chdir(tmp_path / "run" / "replays")
    found = run_folder_of(Path(path.name))
    assert found is not None
    assert found.path == tmp_path / "run"


def test_bots_by_name_and_by_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A bot of the roster has its folder from there; a command runs where the person is, and must be there."""
    path = a_game(tmp_path / "run")
    assert named(roster_of(path, None), "bot1").folder == str(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    assert commanded(SMALLEST).folder == str(tmp_path)
    (tmp_path / "bot.sh").write_text("#!/bin/sh\n")
    with pytest.raises(ConfigError, match=r"a file like that is started as `sh \./bot\.sh`"):
        commanded(["./bot.sh"])
    (tmp_path / "bot.sh").chmod(0o755)
    assert commanded(["./bot.sh"]).argv == ["./bot.sh"]
    with pytest.raises(ConfigError, match="there is no program 'no-such-bot'"):
        commanded(["no-such-bot"])


def test_an_unfinished_game_is_refused(tmp_path: Path):
    """Its later cards follow from a seed that the file does not have."""
    desk = a_desk(tmp_path / "run", SMALL)
    for _ in range(10):
        desk.answer()
    assert desk.table.replay is not None
    desk.table.replay.abandon()
    (path,) = (tmp_path / "run" / "replays").iterdir()
    with pytest.raises(ReplayError, match="was not finished: without its last line the file has no seed"):
        plan_branch(path, "0.0")


def test_a_roster_that_is_wrong(tmp_path: Path):
    """What is wrong with the file of bots is said as ever."""
    path = a_game(tmp_path / "run", highest)
    (tmp_path / "run" / "arena.toml").write_text(tomli_w.dumps({"bots": [], "seats": 2}))
    with pytest.raises(ConfigError, match="there are no bots: add"):
        plan_branch(path, "0.0")


def test_totals_of_then(tmp_path: Path):
    """They are those of the file."""
    path = a_game(tmp_path / "run")
    assert list(plan_branch(path, "0.1").totals_then) == json.loads(path.read_text().splitlines()[-1])["totals"]
