from __future__ import annotations

import asyncio
import errno
import json
import os
import stat
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from arena.rosters import MOODY, SMALLEST, alive, configured, pids
from arena.watch import Watch

from bluke.arena.process import BotProcess
from bluke.arena.record import read_record
from bluke.arena.run import RunResult, make_plan, play_run
from bluke.errors import ArenaError, ConfigError
from bluke.referee import Referee
from bluke.referee.table import Table
from bluke.replay.verify import verify
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from bluke.arena.config import ArenaConfig
    from bluke.referee import Finished, GameSpec

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


async def run(
    config: ArenaConfig, folder: Path, watch: Watch | None = None, stop: asyncio.Event | None = None
) -> RunResult:
    """A whole run, after which nothing of it may be left."""
    try:
        async with asyncio.timeout(60):
            return await play_run(make_plan(config, folder), watch or Watch(), stop or asyncio.Event())
    finally:
        if (folder / "bots").exists():
            assert alive(pids(folder / "bots")) == []


async def test_a_whole_run(tmp_path: Path):
    """The number of games comes first, every game is played and recorded, and the folder has everything."""
    watch = Watch()
    folder = tmp_path / "run"
    result = await run(configured(tmp_path, SMALLEST, SMALLEST, compress=True), folder, watch)
    assert watch.told == ["planned 6", "started", *["game"] * 6]
    assert result.complete
    assert result.trouble is None
    assert sorted(path.name for path in folder.iterdir()) == [
        "arena.toml", "bots", "replays", "results.jsonl", "standings.json",
    ]  # fmt: skip
    first, games, end = read_record(folder / "results.jsonl")
    assert (first.games, first.boards, first.seats, [bot.name for bot in first.bots]) == (6, 3, 2, ["a", "b"])
    assert games == result.games
    assert end is not None
    assert (end.status, end.match_seed) == ("complete", b"test".hex())
    assert Counter((game.board, game.rotation) for game in games) == Counter((b, r) for b in range(3) for r in range(2))
    for game in games:
        assert game.sizes == [sum(taken) for taken in zip(*game.tricks, strict=True)]
        assert [len(bids) for bids in game.bids] == [2, 2]
        assert [sum(count for _, count in times) for times in game.times] == [5, 5]
        assert verify(folder / game.replay).ok
    standings = json.loads((folder / "standings.json").read_text())
    assert [row["games"] for row in standings["rows"]] == [6, 6]
    assert standings["rows"][0]["points"]["mean"] == result.standings.rows[0].points.mean
    assert [path.name for path in sorted((folder / "bots").iterdir())] == ["00-a.log", "01-b.log"]
    effective = tomllib.loads((folder / "arena.toml").read_text())
    assert effective["seed"] == "test"
    assert effective["clock"]["bank_ms"] == 60_000


async def test_the_same_seed_again(tmp_path: Path):
    """A seed gives the same games, deals and points again, however many are played at once."""
    runs = []
    for tables in (1, 6):
        folder = tmp_path / str(tables)
        result = await run(configured(tmp_path, SMALLEST, SMALLEST, tables=tables), folder)
        games = sorted(result.games, key=lambda game: game.number)
        seeds = [json.loads((folder / game.replay).read_text().splitlines()[-1])["game_seed"] for game in games]
        played = [(game.number, game.board, game.game, game.bots, game.totals) for game in games]
        points = [(row.place, row.bot, row.points, row.ahead, row.wins) for row in result.standings.rows]
        runs.append((seeds, played, points))
    assert runs[0] == runs[1]
    assert len(set(runs[0][0])) == 3


async def test_a_random_seed_is_told_in_the_end(tmp_path: Path):
    """Without a seed the deals are random, and the effective configuration can deal them again."""
    folder = tmp_path / "run"
    told: list[bool] = []

    def look(_: int) -> None:
        told.append("seed_hex" in (folder / "arena.toml").read_text())
        assert stat.S_IMODE((folder / "seed").stat().st_mode) == 0o600

    watch = Watch(look)
    await run(configured(tmp_path, SMALLEST, SMALLEST, boards=1, seed=None), folder, watch)
    assert told == [False, False]
    end = read_record(folder / "results.jsonl")[2]
    assert end is not None
    assert end.match_seed is not None
    assert tomllib.loads((folder / "arena.toml").read_text())["seed_hex"] == end.match_seed
    assert not (folder / "seed").exists()
    assert len(end.match_seed) == 64


async def test_one_board_of_a_match(tmp_path: Path):
    """One board played by itself has the ids and the deal that it has in the whole match."""
    config = configured(tmp_path, SMALLEST, SMALLEST)
    whole = make_plan(config, tmp_path)
    plan = make_plan(config, tmp_path / "run", board=1)
    assert list(plan.fixtures) == [fixture for fixture in whole.fixtures if fixture.board == 1]
    result = await play_run(plan, Watch(), asyncio.Event())
    assert result.complete
    assert {game.number for game in result.games} == {fixture.number for fixture in plan.fixtures}


@pytest.mark.parametrize(
    ("options", "per_board"),
    [
        ({"schedule": "round-robin"}, 2),
        ({"schedule": "gauntlet", "challenger": "c"}, 2),
        ({"schedule": "compare", "compare": {"new": "b", "old": "a"}}, 4),
        ({"seats": 3, "rotations": "all"}, 6),
    ],
    ids=str,
)
async def test_every_form_of_schedule(tmp_path: Path, options: dict[str, Any], per_board: int):
    """A run of any form is played as it was planned, and its boards are complete to the standings."""
    config = configured(tmp_path, SMALLEST, SMALLEST, SMALLEST, boards=2, **options)
    result = await run(config, tmp_path / "run")
    assert result.complete
    assert result.plan.games_per_board == per_board
    assert (result.standings.games, result.standings.left_out) == (2 * per_board, 0)
    lineups = {fixture.number: [result.plan.bots[bot] for bot in fixture.lineup] for fixture in result.plan.fixtures}
    assert {game.number: game.bots for game in result.games} == lineups
    for board in range(2):
        played = [game for game in result.games if game.board == board]
        assert sorted(game.rotation for game in played) == list(range(per_board))
        seeds = {
            json.loads((tmp_path / "run" / game.replay).read_text().splitlines()[-1])["game_seed"] for game in played
        }
        assert len(seeds) == 1
    one = make_plan(config, tmp_path, board=1)
    assert (len(one.fixtures), one.games_per_board) == (per_board, per_board)


async def test_a_bot_that_dies(tmp_path: Path):
    """A bot that ends in mid-match is charged and started again as often as is allowed; the other plays every game."""
    config = configured(tmp_path, SMALLEST, [*MOODY, "die=3", "child"], tables=1, faults={"restarts": 2})
    folder = tmp_path / "run"
    result = await run(config, folder)
    assert result.complete
    for game in result.games:
        seat = game.bots.index("b")
        assert {(fault.seat, fault.kind) for fault in game.faults} == {(seat, FaultKind.CRASH)}
        assert game.played_out == [seat]
        assert game.places is not None
        assert game.places[seat] == 2
    log = (folder / "bots" / "01-b.log").read_text()
    assert log.count("[arena] started: ") == 3
    assert log.count("[arena] the process ended with exit code 7") == 3
    details = Counter(fault.detail for game in result.games for fault in game.faults)
    assert details == {
        "the bot's process ended with exit code 7": 3,
        "the bot has ended too often and is not started again": 3,
    }
    assert next(row.faults for row in result.standings.rows if row.bot == "a") == {}


async def test_a_bot_that_cannot_start(tmp_path: Path):
    """The run ends before its first game; command, exit code and last words are shown, and nobody else is left over."""
    config = configured(
        tmp_path,
        ["sh", "-c", "echo pid $$; exec sleep 1000"],
        ["sh", "-c", "sleep 0.3; echo no such module >&2; printf 'bad \\033[31m' >&2; exit 3"],
    )
    watch = Watch()
    result = await run(config, tmp_path / "run", watch)
    assert watch.told == ["planned 6"]
    assert result.games == []
    text = str(result.trouble)
    assert "bot 'b' could not be started: it ended with exit code 3 before it had joined\n" in text
    assert "\n  command: sh -c " in text
    assert "\n  | no such module\n  | bad \\x1b[31m" in text
    end = read_record(tmp_path / "run" / "results.jsonl")[2]
    assert end is not None
    assert end.status == "failed"


async def test_a_bot_that_says_nothing(tmp_path: Path):
    """A bot without a hello is not waited for longer than `start_seconds`."""
    result = await run(configured(tmp_path, ["sleep", "1000"], start_seconds=0.2), tmp_path / "run")
    assert "it did not say hello within 0.2 s" in str(result.trouble)
    assert "its last words on stderr: none" in str(result.trouble)


async def test_fresh_processes(tmp_path: Path):
    """A fresh bot has a process for each game, after one that shows that it can be started."""
    folder = tmp_path / "run"
    result = await run(configured(tmp_path, SMALLEST, MOODY, boards=1, fresh="b"), folder)
    assert result.complete
    assert not any(game.faults for game in result.games)
    assert len(set(pids(folder / "bots"))) == 3


async def test_a_fresh_bot_that_dies(tmp_path: Path):
    """A fresh bot that ends in a game is charged in that game only; every game has its own process."""
    folder = tmp_path / "run"
    result = await run(configured(tmp_path, SMALLEST, [*MOODY, "die=2"], boards=1, fresh="b"), folder)
    assert result.complete
    assert [len(game.faults) for game in result.games] == [1, 1]
    assert len(set(pids(folder / "bots"))) == 3


async def test_a_bot_that_plays_one_game_at_a_time(tmp_path: Path):
    """No bot is given more games at once than it said in its hello, and nobody waits for ever."""
    one = [*MOODY, "one"]
    result = await run(configured(tmp_path, one, one, one, SMALLEST, boards=6, tables=12), tmp_path / "run")
    assert result.complete
    assert not any(game.faults for game in result.games)


async def test_fewer_bots_than_seats(tmp_path: Path):
    """A bot sits in more than one seat of a game, as one process."""
    result = await run(configured(tmp_path, SMALLEST, MOODY, seats=3, boards=2), tmp_path / "run")
    assert result.complete
    assert len(pids(tmp_path / "run" / "bots")) == 1
    assert sum(row.games for row in result.standings.rows) == 3 * 6


async def test_stop_in_mid_match(tmp_path: Path):
    """What is recorded stays and is in the standings; what is being played is given up; nothing more is begun."""
    stop = asyncio.Event()
    folder = tmp_path / "run"
    watch = Watch(lambda count: stop.set() if count == 2 else None)
    result = await run(configured(tmp_path, SMALLEST, MOODY, boards=50), folder, watch, stop)
    assert not result.complete
    assert result.trouble is None
    assert 2 <= len(result.games) <= 4
    assert watch.told[-1] == "stopping" or "stopping" in watch.told
    _, games, end = read_record(folder / "results.jsonl")
    assert games == result.games
    assert end is not None
    assert end.status == "stopped"


async def test_stop_while_bots_start(tmp_path: Path):
    """A run that is stopped does not wait for hellos."""
    stop = asyncio.Event()
    stop.set()
    watch = Watch()
    result = await run(configured(tmp_path, ["sh", "-c", "echo pid $$; sleep 1000"]), tmp_path / "run", watch, stop)
    assert (result.games, result.trouble, watch.told) == ([], None, ["planned 6", "stopping"])


async def test_stop_while_fresh_bots_start(tmp_path: Path):
    """A game whose bots are still being started when the run is stopped does not begin."""
    stop = asyncio.Event()
    watch = Watch(lambda _: stop.set())
    result = await run(
        configured(tmp_path, SMALLEST, MOODY, boards=9, tables=2, fresh="ab"), tmp_path / "run", watch, stop
    )
    assert 1 <= len(result.games) <= 2


async def test_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A run that is cut off kills its bots at once, those too that heed nothing; the record stays readable."""
    monkeypatch.setattr(BotProcess, "PATIENCE_SECONDS", 1000)
    folder = tmp_path / "run"
    config = configured(tmp_path, SMALLEST, [*MOODY, "stubborn", "child"], boards=50)
    me: list[asyncio.Task[RunResult]] = []

    def cut_off(_: int) -> None:
        me[0].cancel()

    me.append(asyncio.ensure_future(run(config, folder, Watch(cut_off))))
    with pytest.raises(asyncio.CancelledError):
        await me[0]
    _, games, end = read_record(folder / "results.jsonl")
    assert games
    assert end is None


async def test_a_stubborn_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A bot that heeds neither goodbye nor TERM is killed together with its children."""
    monkeypatch.setattr(BotProcess, "PATIENCE_SECONDS", 0.2)
    result = await run(configured(tmp_path, SMALLEST, [*MOODY, "stubborn", "child"], boards=1), tmp_path / "run")
    assert result.complete
    assert len(pids(tmp_path / "run" / "bots")) == 2


async def test_a_slow_bot_is_charged(tmp_path: Path):
    """A bot that hangs pays with its clock, and the other's games are over all the same."""
    config = configured(tmp_path, SMALLEST, [*MOODY, "hang=2"], boards=1, clock={"decision_ms": 50, "bank_ms": 0})
    result = await run(config, tmp_path / "run")
    assert result.complete
    kinds = {(game.bots[fault.seat], fault.kind) for game in result.games for fault in game.faults}
    assert ("b", FaultKind.TIMEOUT) in kinds


async def test_a_void_game_is_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Trouble of ours costs nobody a game: it is played again under another id, and counted once."""
    play = Referee.play
    voided: list[str] = []

    async def troubled(self: Referee, spec: GameSpec) -> Finished:
        if len(voided) < 2:
            voided.append(spec.game_id)
            asyncio.get_running_loop().call_soon(lambda: self.tables[spec.game_id].void("trouble"))
        return await play(self, spec)

    monkeypatch.setattr(Referee, "play", troubled)
    config = configured(tmp_path, SMALLEST, SMALLEST, tables=1)
    result = await run(config, tmp_path / "run")
    assert result.complete
    assert len(set(voided)) == 2
    assert not {game.game for game in result.games} & set(voided)
    assert sorted(game.number for game in result.games) == list(range(6))


async def test_a_game_that_is_void_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """After three void attempts the run fails, with the reason and where more is said."""
    play = Referee.play

    async def troubled(self: Referee, spec: GameSpec) -> Finished:
        asyncio.get_running_loop().call_soon(lambda: self.tables[spec.game_id].void("the roof fell in"))
        return await play(self, spec)

    monkeypatch.setattr(Referee, "play", troubled)
    result = await run(configured(tmp_path, SMALLEST, SMALLEST, tables=1), tmp_path / "run")
    assert result.games == []
    assert "was void 3 times: the roof fell in; the referee's log says more: " in str(result.trouble)


async def test_two_runs_in_one_folder(tmp_path: Path):
    """A folder with a run in it is refused, and the run is as it was."""
    folder = tmp_path / "run"
    config = configured(tmp_path, SMALLEST, SMALLEST, boards=1)
    await run(config, folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(ConfigError, match="holds a run already; name another folder with --run"):
        await play_run(make_plan(config, folder), Watch(), asyncio.Event())
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


async def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A badly chosen folder is a person's mistake, a full disk is not."""
    plan = make_plan(configured(tmp_path, SMALLEST), tmp_path / "file" / "run")
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file/run cannot be made: Not a directory; name another with --run"):
        plan.folder.make()

    def full(*_: object, **__: object) -> None:
        raise FULL

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(ArenaError, match="No space left") as caught:
        plan.folder.make()
    assert not isinstance(caught.value, ConfigError)


async def test_a_failure_after_the_end_of_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A fault of ours when a game is on the disk already ends the run with that fault: nobody waits for ever."""

    def close(*_: object, **__: object) -> None:
        raise AttributeError("no such thing")

    monkeypatch.setattr(Table, "close", close)
    result = await run(configured(tmp_path, SMALLEST, SMALLEST), tmp_path / "run")
    assert result.trouble is not None
    assert "could not be told to its seats: AttributeError: no such thing" in str(result.trouble)
    assert result.games == []
