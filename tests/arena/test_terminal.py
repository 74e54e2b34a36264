from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from arena.records import game
from arena.rosters import SMALLEST, configured

from bluke.arena.run import Plan, RunResult, make_plan
from bluke.arena.standings import Standings, make_standings
from bluke.arena.terminal import TerminalProgress, TextConsole, bluke_command, print_result, print_standings
from bluke.errors import ArenaError
from bluke.replay.text import width
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.arena.record import GameRecord

NAMES = ["Ann", "[red]Bob[/red] :fire:", "Cid\x1b[2J\u202e", "日本語のボット"]
LONG = [name + "-" * 40 for name in NAMES]


def console(columns: int | None = None) -> tuple[TextConsole, io.StringIO]:
    """A terminal so many columns wide, or with `None` a file."""
    out = io.StringIO()
    size = {} if columns is None else {"width": columns, "force_terminal": True, "color_system": None}
    return TextConsole(file=out, **size), out


def standings(names: list[str], boards: int = 4, *, faults: int = 0) -> Standings:
    games = [
        game(
            board,
            names[turn:] + names[:turn],
            [-250 + 100 * board, 310 - 7 * turn, 20, 40],
            outcomes=[(3, 10, 12), (4, 11, 10), (25, 0, 0), (0, 0, 25)],
            faults=[(0, FaultKind.TIMEOUT)] * faults,
            times_ms=[[0.3], [5.25, 1999.0], [20.0], []],
        )
        for board in range(boards)
        for turn in range(4)
    ]
    return make_standings(games, names, 4)


def shown(columns: int | None, found: Standings) -> list[str]:
    out, text = console(columns)
    print_standings(out, found)
    return text.getvalue().splitlines()


@pytest.mark.parametrize("columns", [80, 100, 120, 160])
@pytest.mark.parametrize("names", [NAMES, LONG], ids=["short", "long"])
def test_the_table_fits_the_terminal(columns: int, names: list[str]):
    """At every width from 80 columns each bot has one line with all that is promised."""
    lines = shown(columns, standings(names, faults=3))[:5]
    assert all(width(line) <= columns for line in lines)
    heads = lines[0].split()
    assert {"#", "bot", "rating", "games", "wins", "S/O/P", "faults"} <= set(heads)
    for line in lines[1:]:
        assert "±" in line
        assert "%" in line
    assert len({width(line) for line in lines}) == 1


def test_a_wide_terminal_shows_more():
    """Where there is room faults are told by kind, and the lead on the next bot and the possible places are shown."""
    wide = shown(160, standings(NAMES, faults=1))
    assert "ahead of next  places" in wide[0]
    assert "4 timeout" in wide[1]
    assert not {"ahead", "places"} & set(shown(80, standings(NAMES, faults=1))[0].split())


def test_a_file_has_no_width():
    """Where there is no terminal nothing is cut and nothing is broken."""
    lines = shown(None, standings(LONG))
    assert any("日本語のボット" + "-" * 40 in line for line in lines)
    assert "ahead of next" in lines[0]


@pytest.mark.parametrize("columns", [None, 80, 160])
def test_names_are_text(columns: int | None):
    """Markup, emoji codes, terminal codes and marks of direction in a name are shown and do nothing."""
    text = "\n".join(shown(columns, standings(NAMES)))
    assert "[red]" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "Cid\\x1b[" in text
    if columns != 80:
        assert "[red]Bob[/red] :fire:" in text


def told(games: list[GameRecord], bots: Sequence[str] = "ab", per_board: int = 2, anchor: str | None = None) -> str:
    return "\n".join(shown(None, make_standings(games, bots, per_board, anchor=anchor)))


def boards(lineup: str, *points: list[int], match: str = "m") -> list[GameRecord]:
    """Complete boards of two bots that make the same in both seats."""
    return [
        game(number, bots, totals, match=match)
        for number, made in enumerate(points)
        for bots, totals in ((lineup, made), (lineup[::-1], made[::-1]))
    ]


CLOSE = boards("ab", [9, 2], [1, 4], [8, 3], [2, 6])


def test_notes():
    """What is not sure is said: bots not told apart, games left out, seats counted twice."""
    same = [game(board, ["a", "b"], [board, board]) for board in (0, 0, 1, 1, 2)]
    assert "Left out: 1 game of boards" in told(same)
    assert "A shared first place is a win for each" in told(same)
    assert "Not told apart, since the interval of their difference has zero in it: a and b." in told(CLOSE)
    twice = [game(board, ["a", "a"], [board, 1]) for board in (0, 0, 1, 1)]
    assert "counts once for each" in told(twice, "a")


def test_not_enough_data():
    """What has no interval is said, and why; its cell has the number alone, or a dash."""
    one_board = told(CLOSE[:2])
    assert "No interval for anybody: not enough data, which takes two complete boards that differ." in one_board
    assert one_board.splitlines()[1].split()[:6] == ["1", "a", "9.0", "-", "1-2", "-"]
    text = told([*CLOSE, *boards("cd", [7, 5], match="n")], "abcd")
    assert "No interval for c and d: not enough data" in text
    assert "not enough boards link them" not in text
    lost = boards("ab", [5, 1], [6, 2])
    assert (
        "No interval for the rating of a and b: not enough data, which takes wins and losses on five boards."
        in told(lost)
    )


def test_bots_that_are_not_compared():
    """Neighbours in the table that nothing links are named."""
    text = told([*CLOSE, *boards("cd", [33, 30], [34, 35], match="n")], "abcd")
    assert "Not compared, since not enough boards link them: d and a." in text


def test_no_interval_is_said_of_an_anchor():
    """The anchor's rating is given and not estimated."""
    text = told(boards("ab", *[[9, 2], [1, 4], [8, 3], [2, 6]] * 3), anchor="b")
    assert "1500 " in next(line for line in text.splitlines() if line.split()[1] == "b")
    assert "No interval" not in text


def test_forfeited_boards():
    """One line says how many boards are forfeited, and whose points would be others without them."""

    def without(games: list[GameRecord], *numbers: int) -> str:
        games = [msgspec.structs.replace(one, played_out=[0]) if one.board in numbers else one for one in games]
        return next(line for line in told(games).splitlines() if line.startswith("Forfeited"))

    begin = "Forfeited: 1 of 4 boards, with a seat played out by the referee or a game given up. Without them: "
    assert without(CLOSE, 3) == f"{begin}a 6.0 ±10.8, b 3.0 ±2.5."
    assert without(CLOSE, 0, 1, 2, 3).endswith("Without them: a -, b -.")
    steady = boards("ab", [9, 2], [9, 2], [9, 3], [9, 1])
    assert without(steady, 0).endswith("Without them: b 2.0 ±2.5.")
    assert "Forfeited" not in told(CLOSE)


def test_names_in_sentences():
    """Names are text in every sentence, and many of them are counted."""
    bots = [f"\x1b{number}" for number in range(9)]
    games = [game(board, bots, list(range(9))) for board in range(2) for _ in range(9)]
    text = "\n".join(shown(None, make_standings(games, bots, 9)))
    assert "\x1b" not in text
    games = [game(board, bots, [number + board for number in range(9)]) for board in range(2) for _ in range(9)]
    assert "and 3 more: not enough data" in "\n".join(shown(None, make_standings(games, bots, 9)))


def test_standings_of_nobody():
    """A table without rows is its head."""
    assert len(shown(80, make_standings([], [], 4))) == 1


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return make_plan(configured(tmp_path, SMALLEST, SMALLEST, boards=10), Path("a folder"))


def result(plan: Plan, games: int, *, faulty: int = 0, trouble: ArenaError | None = None) -> RunResult:
    played = [
        game(n // 2, ["a", "b"], [n, 3], faults=[(1, FaultKind.CRASH)] * 2 if n < faulty else []) for n in range(games)
    ]
    return RunResult(plan, played, make_standings(played, plan.bots, 2), trouble)


def printed(found: RunResult) -> str:
    out, text = console()
    print_result(out, found)
    return text.getvalue()


def test_what_to_do_next(plan: Plan):
    """After the standings come the commands that go on from here, quoted for a shell."""
    text = printed(result(plan, 20))
    assert "bluke replay show 'a folder/replays/x.jsonl'" in text
    assert "bluke replay verify 'a folder/replays'" in text
    assert "bluke arena 'a folder/arena.toml'\n" in text
    assert "stopped" not in text
    assert "fault" not in text.partition("\n±")[2]
    assert "bluke arena 'a folder/arena.toml' --board 3\n" in printed(result(replace(plan, board=3), 20))


def test_failed_games_come_last(plan: Plan):
    """Games with faults end the output: the first with the commands that show and repeat them, the others counted."""
    text = printed(result(plan, 20, faulty=9)).partition("9 games with faults: b 18 crash\n")[2]
    assert text.count("bluke replay show") == 3
    assert text.count("bluke arena 'a folder/arena.toml' --board ") == 3
    assert "seat 1 (b), hand 0: crash" in text
    assert "(and 1 more)" in text
    assert text.endswith("... and 6 more: all of them are in a folder/results.jsonl\n")


def test_a_failure_in_one_line(plan: Plan):
    """Of a bot's traceback the list tells what the bot was doing and the error at its end; the replay has all of it."""
    found = result(plan, 20, faulty=1)
    said = "the bot's own code failed: bid: Traceback:\n  File x\n    of x\n\nValueError: no bid\n"
    games = [
        msgspec.structs.replace(one, faults=tuple(msgspec.structs.replace(fault, detail=said) for fault in one.faults))
        for one in found.games
    ]
    line = "hand 0: crash: the bot's own code failed: bid: Traceback: ... ValueError: no bid (and 1 more)\n"
    assert line in printed(replace(found, games=games))


def test_a_run_that_was_stopped(plan: Plan):
    """It says how far it came and how it is finished; standings so far are shown all the same."""
    rest = "play the rest     bluke arena --resume 'a folder'\n"
    stopped, failed = printed(result(plan, 4)), printed(result(plan, 4, trouble=ArenaError("x")))
    assert "\nstopped after 4 of 20 games; standings so far:\n#  bot" in stopped
    assert "\nfailed after 4 of 20 games; standings so far:\n#  bot" in failed
    assert rest in stopped
    assert rest in failed
    assert rest in printed(result(plan, 20, trouble=ArenaError("x")))
    assert printed(result(plan, 0)).endswith(
        f"stopped after 0 of 20 games; standings so far:\nno game was finished\n{rest}"
    )
    assert rest not in printed(result(plan, 20))


def test_a_seed_that_is_still_a_secret(tmp_path: Path):
    """While the seed is not told there is no command that deals the same cards, and none is shown."""
    plan = make_plan(configured(tmp_path, SMALLEST, SMALLEST, boards=10, seed=None), Path("run"))
    text = printed(result(plan, 4, faulty=1))
    assert "1 game with faults: b 2 crash\n" in text
    assert "bluke replay show" in text
    assert "arena.toml" not in text
    assert "same deals again  bluke arena run/arena.toml\n" in printed(result(plan, 20, faulty=1))


def test_the_number_of_games_is_said_first(plan: Plan):
    """Before anything starts it says how many games there will be, who plays, and where it is kept."""
    out, text = console()
    TerminalProgress(out).planned(plan)
    first, bots, seed, folder, *_ = text.getvalue().splitlines()
    assert first == "20 games: 10 boards, each one deal played in 2 rotations of the seats"
    assert (bots, seed, folder) == ("bots: a, b", "seed: as given; up to 3 games at once", "run folder: a folder")


def test_a_run_that_is_taken_up_again(plan: Plan, monkeypatch: pytest.MonkeyPatch):
    """It says what is recorded and what is left; the rate is that of the games that are played now."""
    now = [0.0]
    monkeypatch.setattr("bluke.arena.terminal.time.monotonic", lambda: now[0])
    done = [msgspec.structs.replace(game(0, ["a", "b"], [1, 2]), number=number) for number in range(5)]
    out, text = console()
    progress = TerminalProgress(out)
    progress.planned(replace(plan, resumed=True, done=tuple(done)))
    first, taken_up, _, seed, *_ = text.getvalue().splitlines()
    assert first == "20 games: 10 boards, each one deal played in 2 rotations of the seats"
    assert taken_up == "taken up again: 5 games recorded, 15 left to play"
    assert seed == "seed: as given; up to 3 games at once"
    progress.started()
    text.truncate(0)
    for _ in range(10):
        now[0] += 1
        progress.game(game(0, ["a", "b"], [1, 2]))
    assert text.getvalue().strip("\0") == "15 of 20 games, 1.0 a second, about 5 s left\n"


def test_progress_without_a_terminal(plan: Plan, monkeypatch: pytest.MonkeyPatch):
    """Where there is no terminal a line now and then says how far it is."""
    now = [0.0]
    monkeypatch.setattr("bluke.arena.terminal.time.monotonic", lambda: now[0])
    out, text = console()
    progress = TerminalProgress(out)
    progress.planned(plan)
    progress.started()
    text.truncate(0)
    for _ in range(12):
        now[0] += 1
        progress.game(game(0, ["a", "b"], [1, 2], faults=[(0, FaultKind.TIMEOUT)]))
    progress.close()
    assert text.getvalue().strip("\0") == "10 of 20 games, 1.0 a second, about 10 s left, 10 faults\n"


def test_progress_in_a_terminal(plan: Plan):
    """In a terminal there is a bar, and it is gone in the end."""
    out, text = console(80)
    progress = TerminalProgress(out)
    progress.planned(plan)
    progress.started()
    for _ in range(12):
        progress.game(game(0, ["a", "b"], [1, 2]))
    progress.close()
    assert "12/20" in text.getvalue()
    assert text.getvalue().endswith("\x1b[2K")


def test_nobody_listens(plan: Plan):
    """A run goes on when the reader of its output has gone."""

    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    progress = TerminalProgress(TextConsole(file=Gone()))
    progress.planned(plan)
    progress.started()
    progress.stopping()
    progress.close()


def test_commands_are_printed_as_they_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Where `bluke` is not on the PATH, the commands name the file by which it was called."""
    called = tmp_path / "a venv" / "bluke"
    called.parent.mkdir()
    called.touch(mode=0o755)
    monkeypatch.setattr("sys.argv", [str(called), "arena"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bluke_command() == f"'{called}'"
    monkeypatch.setenv("PATH", str(called.parent))
    assert bluke_command() == "bluke"
