from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
import tomli_w
from arena.rematch.games import SMALL, a_desk, a_game, finish, highest, lowest
from arena.rosters import ROOT, alive, pids

from bluke.arena.config import read_config
from bluke.arena.rematch.branch import BranchResult, make_folder, play_branch
from bluke.arena.rematch.plan import plan_branch
from bluke.errors import ArenaError, ConfigError
from bluke.replay.reader import read_bytes, read_replay
from bluke.replay.render import plain, render
from bluke.replay.steps import steps_of
from bluke.replay.verify import verify
from bluke.rules import CutRule, Rules, Variant
from bluke.wire.values import FaultKind, GameLimits, Policy, Status

if TYPE_CHECKING:
    from pathlib import Path

    from bluke.arena.rematch.plan import BranchPlan


BOTS = str(ROOT / "clients" / "python")


async def branch(path: Path, at: str, **options: Any) -> BranchResult:
    """A whole branch, after which nothing of it may be left running, and every file of it is right."""
    plan = plan_branch(path, at, **options)
    make_folder(plan)
    try:
        async with asyncio.timeout(60):
            result = await play_branch(plan, asyncio.Event())
    finally:
        assert alive(pids(plan.folder.logs)) == []
    for game in result.games.values():
        check(plan, game.replay)
    return result


def check(plan: BranchPlan, path: Path) -> None:
    """A branch verifies, names its parent, and holds the lines of the parent up to the moment."""
    verdict = verify(path)
    assert verdict.ok, verdict
    replay, parent = read_replay(path), plan.recorded.replay
    told = replay.header.parent
    assert told is not None
    assert (told.game, told.hand, told.trick) == (parent.header.game, plan.step.hand, plan.step.trick)
    assert told.players == parent.header.players
    assert told.moves == plan.at
    assert (replay.header.match, replay.header.deal) == (parent.header.match, parent.header.deal)
    assert replay.header.rules == parent.header.rules
    assert replay.header.limits == parent.header.limits
    then, now = (read_bytes(file).split(b"\n") for file in (plan.recorded.path, path))
    assert now[1 : plan.step.before] == then[1 : plan.step.before]
    # The packs are those of then, of this hand and of later ones.
    for before, after in zip(parent.hands, replay.hands, strict=False):
        assert before.cards == after.cards
    steps = steps_of(replay)
    assert steps[: plan.at] == plan.recorded.steps[: plan.at]
    assert [step.forced for step in steps[plan.at :]] == [plan.forced is not None] + [False] * (
        len(steps) - plan.at - 1
    )
    assert plan.forced in {None, steps[plan.at].value}


@pytest.mark.slow
async def test_the_same_bots_play_the_same_game(tmp_path: Path):
    """From any moment of it, a game between bots that do the same again ends as it did."""
    path = a_game(tmp_path / "run")
    for at in ("0.bid", "0.bid.0", "0.1", "0.1.1", "1.0", "2.3.1"):
        result = await branch(path, at)
        (moved,) = {(move.now.mean - move.then, move.now.margin, move.by) for move in result.moved}
        assert moved == (0, None, 0)
        (game,) = result.games.values()
        assert game.result == read_replay(path).result
        assert read_replay(game.replay).header.players[0].name == "bot0"


async def test_other_bots_play_on(tmp_path: Path):
    """Those who played high then play low from the moment on, and the scores of each are held against each other."""
    path = a_game(tmp_path / "run", highest, Rules(3, hands=(4, 2)))
    result = await branch(path, "0.1", times=3)
    then = [move.then for move in result.moved]
    assert then == list(read_replay(path).end.totals)  # type: ignore[union-attr]
    assert then != [move.now.mean for move in result.moved]
    assert sorted(result.games) == [0, 1, 2]
    totals = {game.result.totals for game in result.games.values()}
    assert [move.now.mean for move in result.moved] == list(*totals)
    assert {move.now.margin for move in result.moved} == {None}
    steps = steps_of(read_replay(result.games[0].replay))
    later = [step for step in steps if step.hand == 1]
    assert [step.value for step in later if step.asked.value == "bid"] == [1, 1, 1]


@pytest.mark.slow
async def test_bots_that_vary(tmp_path: Path):
    """Where the games end differently there is an interval, of Student's t over the games."""
    path = a_game(tmp_path / "run", lowest, Rules(2, hands=(9, 9)))
    by_chance = [{"name": f"bot{seat}", "command": "python -m bots.random", "folder": BOTS} for seat in range(2)]
    (tmp_path / "run" / "arena.toml").write_text(tomli_w.dumps({"seats": 2, "bots": by_chance}))
    result = await branch(path, "0.0", times=4)
    totals = [[game.result.totals[seat] for game in result.games.values()] for seat in range(2)]
    for move, values in zip(result.moved, totals, strict=True):
        mean = sum(values) / 4
        deviation = (sum((value - mean) ** 2 for value in values) / 3) ** 0.5
        assert move.now.mean == pytest.approx(mean)
        assert move.now.margin == pytest.approx(3.182 * deviation / 2, rel=1e-3)
    again = await branch(path, "0.0", times=4)
    assert [game.result for game in again.games.values()] == [game.result for game in result.games.values()]


@pytest.mark.parametrize(
    ("rules", "at", "move"),
    [
        (Rules(2, hands=(3, 1)), "0.bid", "3"),
        (Rules(2, hands=(3, 1), cut=CutRule.PLAYER), "1.cut", "5"),
        (Rules(4, variant=Variant.NEW_JERSEY, max_hand=2), "1.0.2", ""),
        (Rules(2, hands=(1,)), "0.0.1", ""),
    ],
    ids=["bid", "cut", "play", "the last move of all"],
)
async def test_a_move_that_is_chosen(tmp_path: Path, rules: Rules, at: str, move: str):
    """It is made at the moment, its line says that nobody was asked, and the game goes on from there."""
    path = a_game(tmp_path / "run", highest, rules)
    move = move or str(plan_branch(path, at).question.legal[0])
    result = await branch(path, at, move=move)
    (game,) = result.games.values()
    replay = read_replay(game.replay)
    step = steps_of(replay)[result.plan.at]
    assert (step.forced, step.ms, step.by_referee, str(step.value)) == (True, None, False, move)
    assert "^" in plain(render(replay)) or step.asked.value == "cut"
    assert game.result.status is Status.COMPLETE


async def test_a_seat_that_the_referee_plays(tmp_path: Path):
    """It stays so in the branch, no process is started for it, and it comes last as it did."""
    desk = a_desk(tmp_path / "run", limits=GameLimits(max_faults=2), bots=["moody"])
    while desk.table.result is None:
        desk.answer(60 if desk.turn.seat == 1 else None)
    path = desk.close().replay
    result = await branch(path, "1.0", seats="moody")
    (game,) = result.games.values()
    assert game.result.played_out == (1,)
    assert game.result.faults == (0, 2)
    assert game.result.places == (1, 2)
    assert [file.name for file in result.plan.folder.logs.iterdir()] == ["00-moody.log"]
    assert result.moved[0].now.mean == read_replay(path).end.totals[0]  # type: ignore[union-attr]


async def test_faults_of_then_still_count(tmp_path: Path):
    """A seat with two faults of three is played out after one more."""
    desk = a_desk(tmp_path / "run", bots=["dies"])
    seat = desk.turn.seat
    desk.answer(0)
    desk.answer()
    desk.answer(60)
    path = finish(desk)
    assert read_replay(path).end.faults[seat] + read_replay(path).end.faults[1 - seat] == 2  # type: ignore[union-attr]
    result = await branch(path, "1.0", seats="dies,dies")
    (game,) = result.games.values()
    kinds = {fault.kind for fault in game.faults}
    assert kinds == {FaultKind.CRASH}
    assert sum(game.result.faults) == 2 + len(game.faults)
    assert game.result.status is Status.COMPLETE


async def test_a_game_that_was_lost_by_a_fault_is_won(tmp_path: Path):
    """The decision at which a strict game was forfeited can be played on from, by a bot that makes no fault."""
    desk = a_desk(tmp_path / "run", limits=GameLimits(policy=Policy.STRICT))
    for _ in range(9):
        desk.answer()
    desk.answer(60)
    path = desk.close().replay
    assert read_replay(path).end.status is Status.FORFEITED  # type: ignore[union-attr]
    last = steps_of(read_replay(path))[-1]
    result = await branch(path, str(last.moment))
    (game,) = result.games.values()
    assert (game.result.status, game.result.faults) == (Status.COMPLETE, (0, 0))


async def test_a_branch_of_a_branch(tmp_path: Path):
    """A branch can be left again: its own run folder knows who sits there, and chosen moves stay marked."""
    path = a_game(tmp_path / "run", highest)
    first = await branch(path, "0.1", move=str(plan_branch(path, "0.1").question.legal[0]))
    (game,) = first.games.values()
    second = await branch(game.replay, "1.1")
    assert second.plan.then == ("bot0", "bot1")
    (deeper,) = second.games.values()
    replay = read_replay(deeper.replay)
    assert replay.header.parent is not None
    assert replay.header.parent.game == game.spec.game_id
    assert [step.forced for step in steps_of(replay)].count(True) == 1
    assert second.plan.folder.path.is_relative_to(first.plan.folder.path / "branches")


async def test_what_is_kept_in_the_folder(tmp_path: Path):
    """The games, the logs, the roster that played, and what came of it for programs."""
    path = a_game(tmp_path / "run", highest)
    result = await branch(path, "1.bid", seats="bot1,bot1", times=2, move="2", out=tmp_path / "mine")
    folder = tmp_path / "mine"
    assert sorted(file.name for file in folder.iterdir()) == ["arena.toml", "bots", "branch.json", "replays"]
    assert [file.name for file in (folder / "bots").iterdir()] == ["00-bot1.log"]
    assert [bot.name for bot in read_config(folder / "arena.toml").bots] == ["bot0", "bot1"]
    data = json.loads((folder / "branch.json").read_text())
    assert (data["format"], data["game"], data["at"], data["forced"]) == (
        "bluke-branch/1",
        result.plan.recorded.game,
        str(result.plan.step.moment),
        2,
    )
    assert (data["lineup_then"], data["lineup"], data["times"]) == (["bot0", "bot1"], ["bot1", "bot1"], 2)
    assert data["totals_then"] == [move["then"] for move in data["moved"]]
    assert [(folder / game["replay"]).exists() for game in data["games"]] == [True, True]
    with pytest.raises(ConfigError, match="holds games already"):
        plan_branch(path, "1.bid", out=folder)


async def test_a_folder_that_cannot_be_made(tmp_path: Path):
    """The message says what to do."""
    plan = plan_branch(a_game(tmp_path / "run"), "1.bid", out=tmp_path / "run" / "arena.toml" / "x")
    with pytest.raises(ConfigError, match="cannot be made: Not a directory; name another with --out"):
        make_folder(plan)


async def test_a_bot_that_cannot_be_started(tmp_path: Path):
    """It is said with its command and last words, no game is played, and no other bot is left running."""
    path = a_game(tmp_path / "run")
    with (tmp_path / "run" / "arena.toml").open("a") as config:
        config.write('\n[[bots]]\nname = "bad"\ncommand = "false"\n')
    with pytest.raises(ArenaError, match="bot 'bad' could not be started: it ended with exit code 1"):
        await branch(path, "0.0", seats="-,bad")
    assert not list((tmp_path / "run" / "branches").rglob("*.jsonl"))


@pytest.mark.slow
async def test_stopping(tmp_path: Path):
    """Games that are over by then are kept, those being played are not, and stubborn bots are gone."""
    path = finish(a_desk(tmp_path / "run", Rules(2, hands=(9, 9)), bots=["stubborn"]))
    plan = plan_branch(path, "0.0", seats="stubborn,stubborn", times=500)
    make_folder(plan)
    stop = asyncio.Event()
    async with asyncio.timeout(60):
        result = await play_branch(plan, stop, lambda games: stop.set() if games == 3 else None)
    assert result.stopped
    assert 3 <= len(result.games) < 500
    assert len(pids(plan.folder.logs)) == 2
    assert alive(pids(plan.folder.logs)) == []
    assert len(json.loads((plan.folder.path / "branch.json").read_text())["games"]) == len(result.games)


async def test_a_failure_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What breaks in the referee ends the branch as a failure; nothing is counted and nothing left running."""
    path = a_game(tmp_path / "run")

    def broken(*_: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("bluke.referee.branching.Branching._take_over", broken)
    with pytest.raises(ArenaError, match="was void: a failure of the referee itself: ZeroDivisionError: ours"):
        await branch(path, "0.0", times=3)


def test_small_is_small():
    """The games of these tests have twelve decisions for each of two seats."""
    assert sum(SMALL.schedule) + len(SMALL.schedule) == 12
