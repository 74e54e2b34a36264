from __future__ import annotations

import asyncio
import json
import sys
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest
import tomli_w
from arena.records import game
from arena.rosters import SMALLEST, configured
from arena.watch import Watch, made
from hypothesis import given, settings
from hypothesis import strategies as st

from bluke.arena.compare import Comparing, answer_lines, compare, read_comparison
from bluke.arena.config import CompareConfig
from bluke.arena.form import Kind
from bluke.arena.record import RecordFile, read_record
from bluke.arena.resume import resume_plan
from bluke.arena.run import Plan, RunResult, _begin, make_plan, play_run
from bluke.arena.statistics.sequential import Stopping, Verdict, judge
from bluke.errors import ConfigError
from bluke.wire.values import Status

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from pathlib import Path

    from bluke.arena.config import ArenaConfig
    from bluke.arena.record import GameRecord

STOPPING = Stopping()


def board(number: int, new: Sequence[int], old: Sequence[int], **options: object) -> list[GameRecord]:
    """The games of a board at two seats: each version once in either seat."""
    lineups = [["new", "x"], ["x", "new"], ["old", "x"], ["x", "old"]]
    points = [[new[0], 5], [7, new[1]], [old[0], 6], [8, old[1]]]
    return [
        game(number, bots, totals, **options)  # type: ignore[arg-type]
        for bots, totals in zip(lineups, points, strict=True)
    ]


def said(games: Sequence[GameRecord]) -> tuple[Verdict, int, float]:
    judgement = compare(games, "new", "old", 4, STOPPING).judgement
    return judgement.verdict, judgement.boards, judgement.mean


def test_a_board_gives_one_difference():
    """It is the mean over the seats of the new version's points less the old one's; the field's do not count."""
    result = compare(board(0, [30, 10], [5, 15]), "new", "old", 4, STOPPING)
    assert (result.judgement.boards, result.judgement.mean) == (1, 10)
    assert (result.new_points, result.old_points) == (20, 10)
    assert (result.games, result.beyond, result.unpaired) == (4, 0, None)


def test_nothing_was_played():
    """No game says nothing, in so many words."""
    result = compare([], "new", "old", 4, STOPPING)
    assert (result.judgement.verdict, result.judgement.boards, result.judgement.low) == (Verdict.UNDECIDED, 0, None)
    assert (result.new_points, result.old_points, result.unpaired, result.games) == (None, None, None, 0)


def test_only_whole_boards_before_the_first_gap():
    """A board that lacks a game hides those after it, whichever of them are whole."""
    games = [*board(0, [10, 10], [0, 0]), *board(1, [20, 20], [0, 0])[1:], *board(2, [90, 90], [0, 0])]
    result = compare(games, "new", "old", 4, STOPPING)
    assert (result.judgement.boards, result.judgement.mean) == (1, 10)
    assert (result.games, result.beyond) == (4, 7)
    assert said([*games, board(1, [20, 20], [0, 0])[0]]) == (Verdict.UNDECIDED, 3, 40)


def test_nothing_after_the_answer_counts():
    """What was played beyond the board that gave the answer is counted and not looked at."""
    better = [one for number in range(60) for one in board(number, [60 + number % 7, 50], [5, 15])]
    worse = [one for number in range(60, 90) for one in board(number, [-900, -900], [0, 0])]
    result = compare([*better, *worse], "new", "old", 4, STOPPING)
    assert result.judgement.verdict is Verdict.BETTER
    assert result.judgement.boards < 60
    assert (result.games, result.beyond) == (4 * result.judgement.boards, 4 * (90 - result.judgement.boards))


def test_the_answer_is_known_as_soon_as_it_is():
    """The game that makes a board whole says so, and no game before it."""
    comparing = Comparing("new", "old", 4, STOPPING)
    told = [comparing.add(one) for number in range(60) for one in board(number, [60 + number % 7, 50], [5, 15])]
    first = told.index(True)
    assert first % 4 == 3
    assert first // 4 + 1 == comparing.boards
    assert all(told[first:])


@settings(deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(-99, 99)] * 4), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_whatever_order_games_end_in(points: list[tuple[int, int, int, int]], chance: random.Random):
    """The result is that of the boards in their own order."""
    games = [one for number, p in enumerate(points) for one in board(number, p[:2], p[2:])]
    want = judge([fmean(p[:2]) - fmean(p[2:]) for p in points], STOPPING)
    chance.shuffle(games)
    assert compare(games, "new", "old", 4, STOPPING).judgement == want


def test_copies_of_one_bot():
    """Versions that score alike on every board end with no difference worth having, and no number of games is told."""
    games = [one for number in range(400) for one in board(number, [number, 3], [number, 3])]
    result = compare(games, "new", "old", 4, STOPPING)
    assert result.judgement.verdict is Verdict.SAME
    assert result.unpaired is None


def test_what_games_without_the_same_deals_would_take():
    """It is the square of how much more single games vary than boards do, for as many games."""
    games = [one for number in range(3) for one in board(number, [100 * number, -100 * number], [5 - number, 5])]
    result = compare(games, "new", "old", 4, STOPPING)
    new, old = [0, 0, 100, -100, 200, -200], [5, 5, 4, 5, 3, 5]
    both = sum(x * x for x in new) / 5 + sum((x - 4.5) ** 2 for x in old) / 5
    assert result.judgement.deviation == pytest.approx(0.5)
    assert result.unpaired == pytest.approx(2 * 3 * both / 0.25, abs=1)


def test_forfeited_boards_are_counted():
    """A board with a game that was given up is told of; it counts as it was scored."""
    games = [*board(0, [1, 2], [3, 4]), *board(1, [1, 2], [3, 4], status=Status.FORFEITED)]
    result = compare(games, "new", "old", 4, STOPPING)
    assert (result.forfeited, result.judgement.boards) == (1, 2)


# In words


def words(games: Sequence[GameRecord]) -> list[str]:
    return list(answer_lines(compare(games, "new", "old", 4, STOPPING)))


def test_an_answer_in_words():
    """The verdict comes first with its estimate and interval, then what it took and what it rests on."""
    games = [one for number in range(60) for one in board(number, [60 + number % 7, 50], [5, 15])]
    first, took, rest = words(games)
    assert first.startswith("better: new - old is +4")
    assert first.endswith(")")
    assert took.startswith("20 boards, 80 games; with deals of its own for each about ")
    assert rest == "points a game: new 56.4, old 10.0; they scored differently on 20 of 20 boards"


def test_ahead_by_too_little():
    """What surely is a difference, but too small a one, is both told."""
    games = [one for number in range(900) for one in board(number, [3, 3], [0, 0])]
    lines = list(answer_lines(compare(games, "new", "old", 4, Stopping(worth=6))))
    assert lines[0].startswith("no difference worth having: new - old is +3.0 points a game (+0.")
    assert lines[1] == "new surely is ahead of old, but by less than the 6 points a game worth having"


def test_nothing_in_words():
    """Without a board, or with one, there is no interval, and no number stands for it."""
    assert words([]) == ["undecided: new - old is not known: no board was played to the end"]
    assert words(board(0, [1, 2], [3, 4]))[:2] == [
        "undecided: new - old is -2.0 points a game, not enough data for an interval",
        "more boards make the interval narrower: --boards",
    ]


def test_names_that_a_terminal_would_obey():
    """Control characters in the name of a bot are made visible."""
    line = next(answer_lines(compare([], "\x1b[2J", "old", 4, STOPPING)))
    assert "\x1b" not in line


# What is to be compared


@pytest.fixture
def roster_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bots = [
        {"name": name, "command": SMALLEST, "author": author}
        for name, author in [("v1", "ann"), ("v2", "ann"), ("v3", "ann"), ("x", ""), ("y", "bob")]
    ]
    path = tmp_path / "arena.toml"
    path.write_text(
        tomli_w.dumps({"seats": 3, "seed_hex": "00", "schedule": "gauntlet", "challenger": "x", "bots": bots})
    )
    return path


def names(config: ArenaConfig) -> list[str]:
    return [bot.name for bot in config.bots]


def test_two_bots_of_a_roster(roster_file: Path):
    """They meet everybody else but bots of their own author; what the file says of other schedules is left aside."""
    config = read_comparison(roster_file, new="v2", old="v1")
    assert names(config) == ["v2", "v1", "x", "y"]
    assert config.schedule is Kind.COMPARE
    assert (config.boards, config.seats, config.seed_hex, config.challenger) == (1000, 3, "00", None)
    assert config.compare == CompareConfig("v2", "v1", 5.0, 0.05, 75.0)


def test_options_of_a_comparison(roster_file: Path):
    """Options take the place of what the file says."""
    config = read_comparison(
        roster_file, new="v2", old="v1", field=["y"], boards=7, worth=2, error=0.1, swing=9, seats=2, seed="s", tables=3
    )
    assert names(config) == ["v2", "v1", "y"]
    assert (config.boards, config.seats, config.seed, config.seed_hex, config.tables) == (7, 2, "s", None, 3)
    assert config.compare == CompareConfig("v2", "v1", 2.0, 0.1, 9.0)


def test_a_command_instead_of_a_name(roster_file: Path):
    """What is no name in the roster may be a command, which runs where the person is."""
    config = read_comparison(roster_file, new=f"{sys.executable} mine.py --level 3", old="v1")
    new = config.bots[0]
    assert new.argv == [sys.executable, "mine.py", "--level", "3"]
    assert new.folder == str(roster_file.parent)
    assert config.compare is not None
    assert config.compare.new == new.name == f"{sys.executable} mine.py --level 3"[:64]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"new": "v9"}, "there is no bot 'v9'; .* Nor is it a command: there is no program 'v9' on the PATH"),
        ({"new": "v'2"}, "there is no bot \"v'2\"; the bots there are 'v1', 'v2'"),
        ({"new": ""}, "there is no bot ''"),
        ({"field": ["python"]}, "there is no bot 'python'; the bots there are"),
        ({"new": "v1"}, "two bots have this name|new and old are both 'v1'"),
        ({"field": ["v1"]}, "two bots have this name"),
        ({"worth": 0}, "compare.worth: Expected `float` > 0"),
        ({"error": 0.7}, "compare.error: Expected `float` < 0.5"),
        ({"swing": -1}, "compare.swing: Expected `float` >= 0"),
        ({"seats": 16}, "the rules cannot be played"),
    ],
)
def test_what_cannot_be_compared(roster_file: Path, options: dict[str, Any], sentence: str):
    """Each mistake is a sentence that says what would be right."""
    with pytest.raises(ConfigError, match=sentence):
        read_comparison(roster_file, **{"new": "v2", "old": "v1"} | options)


# Played


async def played(config: ArenaConfig, folder: Path, watch: Watch, stop: asyncio.Event | None = None) -> RunResult:
    async with asyncio.timeout(90):
        return await play_run(make_plan(config, folder), watch, stop or asyncio.Event())


def config_of(tmp_path: Path) -> ArenaConfig:
    return configured(
        tmp_path,
        SMALLEST,
        SMALLEST,
        SMALLEST,
        schedule="compare",
        compare={"new": "a", "old": "b"},
        boards=200,
        tables=8,
    )


@pytest.mark.slow
async def test_a_run_ends_when_the_answer_is_known(tmp_path: Path):
    """Copies of one bot end after 57 boards of 200; the run is complete, and says so wherever it is asked."""
    watch = Watch()
    result = await played(config_of(tmp_path), tmp_path / "run", watch)
    assert result.comparison is not None
    judgement = result.comparison.judgement
    assert (judgement.verdict, judgement.boards, judgement.differing) == (Verdict.SAME, 57, 0)
    assert result.complete
    assert result.comparison.games == 57 * 4
    # Games that were under way are finished, and none is begun: at most one of each worker.
    assert 57 * 4 <= len(result.games) <= 60 * 4 + 8
    assert watch.boards == sorted(set(watch.boards))
    assert watch.boards[-1] == 57
    _, games, end = read_record(tmp_path / "run" / "results.jsonl")
    assert end is not None
    assert (end.status, len(games)) == ("complete", len(result.games))
    told = json.loads((tmp_path / "run" / "comparison.json").read_text())
    assert (told["judgement"]["verdict"], told["unpaired"]) == ("no difference worth having", None)
    again = resume_plan(tmp_path / "run")
    assert isinstance(again, RunResult)
    assert again.comparison == result.comparison


@pytest.mark.slow
async def test_a_comparison_taken_up_again(tmp_path: Path):
    """A comparison that was stopped goes on to the answer that it would have had."""
    stop = asyncio.Event()
    watch = Watch(lambda count: stop.set() if count == 50 else None)
    before = await played(config_of(tmp_path), tmp_path / "run", watch, stop)
    assert not before.complete
    plan = resume_plan(tmp_path / "run")
    assert isinstance(plan, Plan)
    after = await play_run(plan, Watch(), asyncio.Event())
    assert after.complete
    assert after.comparison is not None
    assert (after.comparison.judgement.verdict, after.comparison.judgement.boards) == (Verdict.SAME, 57)


async def test_an_answer_without_an_end(tmp_path: Path):
    """Where the record has the answer but no end, nothing more is played."""
    config = config_of(tmp_path)
    plan = make_plan(config, tmp_path / "run")
    plan.folder.make()
    with RecordFile(plan.folder.record) as record:
        await _begin(plan, record)
        for fixture in plan.fixtures[: 60 * 4]:
            await record.append(made(plan, fixture.number))
    again = resume_plan(tmp_path / "run")
    assert isinstance(again, Plan)
    watch = Watch()
    result = await play_run(again, watch, asyncio.Event())
    assert result.complete
    assert "started" not in watch.told
