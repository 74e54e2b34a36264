from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.recording import STRICT, lines_of, record_game, to_bytes

from bluke.replay.reader import parse_replay, read_replay
from bluke.replay.records import Parent
from bluke.replay.render import STYLES, Selection, plain, render
from bluke.replay.text import fit, visible, width
from bluke.rules import CutRule, Rules, Variant
from bluke.wire.values import GameLimits, Player

GOLDEN = Path(__file__).parent.parent / "golden" / "replay"
HOSTILE = "[red]x[/red]\x1b[31m\u202egnp.exe\n\u0007"
PLAYERS = (
    Player("Ann", "2.1", "bluke-python 0.1", "A. Nonymous"),
    Player(HOSTILE, HOSTILE, HOSTILE, HOSTILE),
    Player("日本語のとても長い名前"),
    Player(""),
)


def show(path: Path, **selection: Any) -> str:
    """The game as plain text."""
    return plain(render(read_replay(path), Selection(**selection)))


def golden_games(folder: Path) -> dict[str, str]:
    """What is compared with the golden files, by name."""
    rules = Rules(4, hands=(3, 2, 1))
    full = record_game(
        folder,
        rules,
        players=PLAYERS,
        fault_rate=0.12,
        seed=1,
        limits=GameLimits(max_faults=2),
        note=lambda seat, value: HOSTILE if seat == 1 and value == 1 else f"I hold {value}" if seat == 0 else None,
        parent=Parent("game-0", 1, 2),
    )
    cut = Rules(2, variant=Variant.NEW_JERSEY, max_hand=2, cut=CutRule.PLAYER)
    return {
        "complete": show(full.path),
        "one-seat": show(full.path, hands={1}, seats={1}, times=True),
        "forfeited": show(record_game(folder, rules, limits=STRICT, fault_rate=0.1, seed=3).path),
        "void": show(record_game(folder, cut, stop=9, reason="the disk was full", note=lambda *_: "so").path),
        "unfinished": show(record_game(folder, rules, stop=19, ending=None, game_id="crashed").path),
        "fifteen-seats": show(record_game(folder, Rules(15, hands=(3, 1))).path, columns=80),
    }


def test_golden_text(tmp_path):
    """Every kind of game looks as it did; `UPDATE_GOLDEN=1` takes over what it looks like now."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, text in golden_games(tmp_path).items():
        file = GOLDEN / f"{name}.txt"
        if os.environ.get("UPDATE_GOLDEN") == "1":
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8"), name


def test_a_branch_says_so(tmp_path):
    """Where it was branched, who played before, and which move a person chose."""
    rules = Rules(2, hands=(2, 1))
    path = record_game(tmp_path, rules, parent=Parent("old\n", 0, 1, 4, (Player("Ann"), Player("\x1b")))).path
    lines = lines_of(path)
    first = [at for at, line in enumerate(lines) if line["type"] == "play"][2]
    lines[first]["forced"] = True
    path.write_bytes(to_bytes(lines, seal=True))
    text = show(path).splitlines()
    assert text[1:3] == [
        "Branched from game old\\n at hand 0, trick 1, whose first 4 moves it shares",
        "  played by Ann, \\x1b",
    ]
    assert lines[first]["card"] + "^" in "\n".join(text).replace("*", "")
    assert "\n".join(text).count("^") == 1


def test_hostile_names_stay_text(tmp_path):
    """Whatever a bot calls itself or says, the output holds no control characters but line ends."""
    text = golden_games(tmp_path)["complete"]
    assert all(line.isprintable() for line in text.splitlines())
    assert "[red]x[/red]\\x1b[31m\\u202egnp.exe\\n\\x07" in text


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("seats", [2, 4, 9, 15])
def test_lines_fit(tmp_path, seats, columns):
    """Hands and sheet fit into 80 columns or 100, at every table; only the pack-sized hands of two seats are wider."""
    players = tuple(Player("A name of quite some length") for _ in range(seats))
    text = show(record_game(tmp_path, Rules(seats), players=players).path, columns=columns, times=True)
    limit = columns if seats < 15 else max(columns, 86)
    assert max(width(line) for line in text.splitlines() if not line.startswith(("Draw", "Played"))) <= limit


def test_hands_narrow_it(tmp_path):
    """Chosen hands alone are shown, with their lines of the sheet."""
    path = record_game(tmp_path, Rules(3, max_hand=4)).path
    text = show(path, hands={2, 3})
    assert [line.split()[1] for line in text.splitlines() if line.startswith("Hand ")] == ["2", "3"]
    rows = text[text.index("Scorekeeper") :].splitlines()[3:5]
    assert [row.split()[0] for row in rows] == ["2", "3"]


def test_a_seat_narrows_it(tmp_path):
    """With a seat chosen no other seat's cards or notes are shown, and the sheet has one player."""
    path = record_game(tmp_path, Rules(4, hands=(2,)), note=lambda seat, _: f"note of {seat}").path
    text = show(path, seats={2})
    assert "note of 2" in text
    assert "note of 1" not in text
    hand = text[text.index("Hand 0") :]
    assert hand.count("seat  ") == 1 + len(["the head of the table"])
    assert "2 bot 2" in hand
    assert "1 bot 1" not in hand


def test_the_sheet_follows_the_scores(tmp_path):
    """Each row has the bids over the size; sets are in (), perfect bids in [], and S, O and P add up to the hands."""
    path = record_game(tmp_path, Rules(4), seed=9).path
    lines = [line for line in lines_of(path) if line["type"] == "score"]
    text = show(path)
    rows = text[text.index("  hand cards") :].splitlines()[1:]
    for line, row in zip(lines, rows, strict=False):
        size = sum(line["tricks"])
        assert f" {sum(line['bids'])}/{size} " in row
        for bid, taken in zip(line["bids"], line["tricks"], strict=True):
            mark = f"({bid}/{taken})" if taken < bid else f"[{bid}/{taken}]" if taken == bid else f" {bid}/{taken} "
            assert mark in row
    foot = rows[len(lines) + 1 :]
    assert [row.split()[0] for row in foot] == ["set", "overtricks", "perfect"]
    for seat in range(4):
        assert sum(int(row.split(")")[1].split()[seat]) for row in foot) == len(lines)


def test_every_style_is_known(tmp_path):
    """Rows only use styles that a terminal has a colour for."""
    replay = read_replay(record_game(tmp_path, Rules(4), fault_rate=0.05, note=lambda *_: "n").path)
    assert {piece.style for row in render(replay) for piece in row} == set(STYLES)


def test_problems_are_shown(tmp_path):
    """A torn file says so above the game."""
    lines = to_bytes(lines_of(record_game(tmp_path, Rules(2, max_hand=2)).path)[:10], seal=False)
    text = plain(render(parse_replay(lines + b'{"type":"', Path("x"))))
    assert "Careful: line 11: the last line is torn" in text
    assert "NOT FINISHED" in text


@given(st.text())
def test_visible_text_is_printable(text):
    """Visible text is printable, and printable text is itself."""
    assert visible(text).isprintable()
    assert visible(visible(text)) == visible(text)


@given(st.text().map(visible), st.integers(1, 30))
def test_fitted_text_fits(text, columns):
    """Fitted text takes no more columns than it may."""
    assert width(fit(text, columns)) <= columns
