from __future__ import annotations

import io
import sys
from collections import Counter
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import pytest
from arena.rosters import SMALLEST, configured

from bluke.arena.config import ArenaConfig, load_config
from bluke.arena.dry_run import duration, print_dry_run
from bluke.arena.forecast import Pace
from bluke.arena.form import plan_lines
from bluke.arena.run import make_plan
from bluke.arena.terminal import TerminalProgress, TextConsole
from bluke.replay.text import width

if TYPE_CHECKING:
    from pathlib import Path

    from bluke.arena.run import Plan

NAMES = ["Ann", "[red]Bob[/red] :fire:", "Cid\x1b[2J\u202e", "日本語のボット" * 3]


def configured_as(tmp_path: Path, names: list[str], *, author: str = "", **options: object) -> ArenaConfig:
    bots = [{"name": name, "command": sys.executable, "author": author} for name in names]
    return load_config({"seed": "x", "bots": bots, **options}, where="test", folder=tmp_path)


def planned(tmp_path: Path, names: list[str], **options: Any) -> Plan:
    return make_plan(configured_as(tmp_path, names, **options), tmp_path / "runs" / "none")


def printed(plan: Plan, columns: int | None = None) -> list[str]:
    """What is printed in a terminal of so many columns, or with `None` into a file."""
    out = io.StringIO()
    size = {} if columns is None else {"width": columns, "force_terminal": True, "color_system": None}
    print_dry_run(TextConsole(file=out, **size), plan)
    return out.getvalue().splitlines()


PLANS = {
    "pool": ({}, ["80 games: 20 boards, each one deal played in 4 rotations of the seats"]),
    "all": (
        {"rotations": "all", "boards": 1},
        ["24 games: 1 board, each one deal played in all 24 arrangements of the seats"],
    ),
    "fewer bots than seats": (
        {"rotations": "all", "seats": 6},
        ["3600 games: 20 boards, each one deal played in all 180 arrangements of the seats"],
    ),
    "round-robin": (
        {"schedule": "round-robin", "seats": 3},
        [
            "60 games: 20 boards, each one deal played in 3 rotations of the seats",
            "schedule: round-robin, 4 tables a round, 5 whole rounds",
        ],
    ),
    "unfinished round": (
        {"schedule": "round-robin", "seats": 3, "boards": 6},
        [
            "18 games: 6 boards, each one deal played in 3 rotations of the seats",
            (
                "schedule: round-robin, 4 tables a round; "
                "the last round is unfinished, 2 of 4: 4 or 8 boards are whole rounds"
            ),
        ],
    ),
    "unfinished first round": (
        {"schedule": "round-robin", "seats": 2, "boards": 5},
        [
            "10 games: 5 boards, each one deal played in 2 rotations of the seats",
            "schedule: round-robin, 6 tables a round; the last round is unfinished, 5 of 6: 6 boards are whole rounds",
        ],
    ),
    "gauntlet": (
        {"schedule": "gauntlet", "challenger": "Cid\x1b[2J\u202e"},
        [
            "80 games: 20 boards, each one deal played in 4 rotations of the seats",
            "schedule: gauntlet of Cid\\x1b[2J\\u202e against 3 other bots",
        ],
    ),
    "compare": (
        {"schedule": "compare", "compare": {"new": "Ann", "old": "[red]Bob[/red] :fire:"}},
        [
            "at most 160 games: 20 boards, each one deal played by each of the two in 4 rotations of the seats",
            "schedule: Ann is compared with [red]Bob[/red] :fire:, against 2 other bots",
        ],
    ),
}


@pytest.mark.parametrize(("options", "lines"), PLANS.values(), ids=PLANS)
def test_the_lines_of_a_plan(tmp_path: Path, options: dict[str, object], lines: list[str]):
    """The number of games comes first, then who the schedule is about and whether its rounds are whole."""
    plan = planned(tmp_path, NAMES, **{"boards": 20, **options})
    assert list(plan_lines(plan)) == lines
    assert int(lines[0].removeprefix("at most ").split()[0]) == len(plan.fixtures)
    out = io.StringIO()
    TerminalProgress(TextConsole(file=out)).planned(plan)
    assert out.getvalue().splitlines()[: len(lines)] == lines


def test_one_board_has_no_rounds(tmp_path: Path):
    """Of a run of one board nothing is said that holds for all boards only."""
    config = configured_as(tmp_path, NAMES, schedule="round-robin", seats=3, boards=6)
    assert list(plan_lines(make_plan(config, tmp_path, board=1))) == [
        "3 games: 1 board, each one deal played in 3 rotations of the seats",
        "schedule: round-robin, 4 tables a round",
    ]


def test_authors_in_the_plan(tmp_path: Path):
    """That bots of one author are kept apart is said where it keeps any apart."""
    said = "bots of one author do not meet; --same-author lets them"
    assert said not in list(plan_lines(planned(tmp_path, ["a"], author="Ann")))
    assert said not in list(plan_lines(planned(tmp_path, ["a", "b"], author="Ann", same_author=True)))
    assert said not in list(plan_lines(planned(tmp_path, ["a", "b", "c"])))
    bots = [{"name": name, "command": sys.executable, "author": name[0]} for name in ("a1", "a2", "b", "c", "d")]
    config = load_config({"bots": bots}, where="test", folder=tmp_path)
    assert list(plan_lines(make_plan(config, tmp_path)))[1] == said


def test_what_is_told_of_four_bots(tmp_path: Path):
    """At 80 columns there are three tables, every line fits, and names do nothing to the terminal."""
    plan = planned(tmp_path, NAMES, boards=6)
    lines = printed(plan, 80)
    assert max(map(width, lines)) <= 80
    assert "".join(lines).isprintable()
    blank = [number for number, line in enumerate(lines) if not line]
    assert len(blank) == 4
    seats, met, left = (lines[start + 1 : end] for start, end in pairwise(blank))
    assert seats[0].split() == ["#", "bot", "boards", "games", "seat", "0", "1", "2", "3"]
    assert seats[1].split() == ["1", "Ann", "6", "24", "6", "6", "6", "6"]
    assert met[0] == "how often two bots meet in a game:"
    assert met[1].split() == ["#", "bot", "1", "2", "3", "4"]
    assert met[2].split() == ["1", "Ann", "-", "24", "24", "24"]
    assert left[0] == "how often the bot of the column sits to the left of the bot of the row:"
    assert sum(int(count) for count in left[2].split()[2:] if count != "-") == 24
    assert [len(table) for table in (seats, met, left)] == [5, 6, 6]


def test_all_arrangements_are_told(tmp_path: Path):
    """What `rotations = "all"` is for can be seen: everybody sits to the left of everybody equally often."""
    lines = printed(planned(tmp_path, list("abcd"), boards=2, rotations="all"))
    assert lines[-9:-5] == [
        "1  a     -  16  16  16",
        "2  b    16   -  16  16",
        "3  c    16  16   -  16",
        "4  d    16  16  16   -",
    ]


def test_what_is_told_of_forty_bots(tmp_path: Path):
    """A line for each bot and two for all pairs: squares of forty bots are not printed."""
    plan = planned(tmp_path, [f"bot number {n}" for n in range(40)], boards=100)
    lines = printed(plan, 80)
    assert len(lines) <= 40 + 16
    assert max(map(width, lines)) <= 80
    text = "\n".join(lines)
    assert "40  bot number 39      10     40      10  10  10  10\n" in text
    met = Counter(pair for fixture in plan.fixtures for pair in combinations(sorted(fixture.lineup), 2))
    assert len(met) < 780
    # 100 boards of 4 games with 6 pairs each, among 780 pairs; and with 4 neighbours, among twice as many.
    assert f"how often two bots meet in a game: 0 to {max(met.values())} times, 3.1 on average" in text
    assert "how often one bot sits to the left of another: 0 to " in text
    assert " times, 1.0 on average" in text


def test_the_time_by_assumption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Without an earlier run it is told for quick and for slow bots, with what that rests on, and by the clock."""
    monkeypatch.setattr("bluke.arena.dry_run.this_machine", lambda: type("", (), {"cores": 2}))
    plan = planned(tmp_path, list("abcd"), boards=10, tables=16)
    lines = printed(plan)
    assert lines[-4:] == [
        "decisions: 824 a game (100 bids, 724 cards); 32960 in all",
        "time: about 8 s if the bots answer at once, about 2 min 53 s if each decision takes 10 ms",
        (
            "at once means 2000 decisions a second and core, which simple bots in Python were measured to make; "
            "here are 2 cores, and 16 games at once"
        ),
        "by the clock it takes at most 1 h 34 min",
    ]
    cut = planned(tmp_path, list("ab"), boards=1, tables=16, seats=2, rules={"hands": [1, 2], "cut": "player"})
    assert printed(cut)[-4:-2] == [
        "decisions: 12 a game (2 cuts, 4 bids, 6 cards); 24 in all",
        "time: about 1 s if the bots answer at once, about 1 s if each decision takes 10 ms",
    ]
    assert printed(cut)[-2].endswith("here are 2 cores, and 2 games at once")


def test_the_time_by_an_earlier_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where the same bots have played it is told by that, and which run it was."""
    pace = Pace(tmp_path / "a\x1brun", 2.5951, 4)
    asked = []

    def find(config: ArenaConfig, runs: Path) -> Pace:
        asked.append((config, runs))
        return pace

    monkeypatch.setattr("bluke.arena.dry_run.find_pace", find)
    plan = planned(tmp_path, list("abcd"), boards=10, tables=16)
    lines = printed(plan)
    assert asked == [(plan.config, tmp_path / "runs")]
    assert lines[-2] == f"time: about 26 s: in {tmp_path}/a\\x1brun the same bots took 2.6 s a game, 4 at once"
    assert lines[-1] == "by the clock it takes at most 1 h 34 min"


def test_a_seed_that_is_not_given(tmp_path: Path):
    """Without a seed the tables are those of one seed of many, and that is said."""
    said = "seed: none is given, and each run draws its own; what follows is one of many schedules"
    assert said in printed(planned(tmp_path, list("ab"), boards=1, seed=None))
    assert said not in printed(planned(tmp_path, list("ab"), boards=1))


def test_nothing_is_written(tmp_path: Path):
    """A dry run leaves the disk as it was."""
    home = tmp_path / "home"
    home.mkdir()
    plan = make_plan(configured(home, SMALLEST, SMALLEST), home / "runs" / "none")
    printed(plan)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "1 s"),
        (0.2, "1 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (61, "1 min 1 s"),
        (599, "9 min 59 s"),
        (601, "10 min"),
        (659, "11 min"),
        (3599.6, "1 h"),
        (5400, "1 h 30 min"),
        (36_000 * 2, "20 h"),
        (86_400, "1 day"),
        (86_400 * 2 + 3_600, "2 days 1 h"),
        (31_536_000 * 1.5, "1 year 183 days"),
        (3e18, "95129375951 years"),
    ],
)
def test_durations(seconds: float, said: str):
    """A time is told in the units that people use, and no more precisely than is known."""
    assert duration(seconds) == said
