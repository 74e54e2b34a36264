from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.recording import lines_of, record_game

from bluke.replay.reader import read_replay
from bluke.replay.records import Header, Parent, clean
from bluke.replay.writer import ReplayWriter
from bluke.rules import Asked, Bid, CutRule, Game, Rules, SeededPacks
from bluke.wire.values import FaultKind, GameLimits, GameResult, Player, Status

if TYPE_CHECKING:
    from pathlib import Path

SEED = bytes(32)
#: Type: keys that are always there, in order.
KEYS = {
    "game": "format game match deal started server commitment rules players limits",
    "draw": "rounds dealer scorekeeper",
    "hand": "hand size dealer cards cut turned trump",
    "bid": "hand seat bid ms",
    "play": "hand trick seat card ms",
    "trick": "hand trick winner",
    "score": "hand bids tricks points totals",
    "fault": "hand seat kind asked detail answer",
    "end": "status totals places faults played_out game_seed match_seed finished sha256",
}


def header(game: str = "g", **changes: Any) -> Header:
    """A header of a game of two hands."""
    values: dict[str, Any] = {
        "game": game,
        "match": "m",
        "deal": 0,
        "started": datetime(2025, 1, 1, tzinfo=UTC),
        "server": "bluke 0",
        "commitment": bytes(32),
        "rules": Rules(2, hands=(1, 1)),
        "players": (Player("a"), Player("b")),
        "limits": GameLimits(),
    }
    return Header(**(values | changes))


def test_every_line_type_has_its_keys_in_order(tmp_path):
    """A line begins with its type and holds the keys of docs/replays.md in its order."""
    recorded = record_game(tmp_path, Rules(4), fault_rate=0.005, seed=3)
    seen: dict[str, list[str]] = {}
    for line in lines_of(recorded.path):
        keys = list(line)
        assert keys[0] == "type"
        seen.setdefault(line["type"], keys[1:])
        assert [key for key in keys[1:] if key not in {"note", "by"}] == KEYS[line["type"]].split()
    assert seen.keys() == KEYS.keys()


def test_absent_and_null_are_different(tmp_path):
    """Optional keys are left out when absent; keys that may be null are written as null."""
    path = record_game(tmp_path, Rules(2, hands=(27,)), tell_match_seed=False).path
    lines = lines_of(path)
    assert lines[0]["rules"]["max_hand"] is None
    assert "parent" not in lines[0]
    assert lines[0]["players"][0] == {"name": "bot 0", "version": "1.0"}
    hand = lines[2]
    assert (hand["cut"], hand["turned"], hand["trump"]) == (None, None, None)
    assert not {"note", "by", "ms"} & hand.keys()
    assert not {"reason", "match_seed"} & lines[-1].keys()


def test_parent_is_written(tmp_path):
    """A branched game says where it was branched."""
    path = record_game(tmp_path, Rules(2, hands=(1,)), parent=Parent("old", 3, 1)).path
    assert lines_of(path)[0]["parent"] == {"game": "old", "hand": 3, "trick": 1}


def test_parent_with_all_its_keys(tmp_path):
    """How many moves are shared and whose they are is written if it is known, and read again."""
    parent = Parent("old", 3, 1, 17, (Player("a"), Player("b", "2")))
    path = record_game(tmp_path, Rules(2, hands=(1,)), parent=parent).path
    written = lines_of(path)[0]["parent"]
    assert list(written) == ["game", "hand", "trick", "moves", "players"]
    assert written["players"] == [{"name": "a"}, {"name": "b", "version": "2"}]
    assert read_replay(path).header.parent == parent


def test_lines_are_copied_as_they_are(tmp_path):
    """Lines of another file keep every byte, also those of a type and with keys that this version does not know."""
    lines = b'{"type":"draw", "rounds": [], "dealer":0,"scorekeeper":0, "new": 1}\n{"type":"weather","sun":true}\n'
    writer = ReplayWriter(tmp_path, header())
    writer.copy(lines)
    writer.record(Bid(0, 1, 2), forced=True)
    writer.abandon()
    _, *rest = (tmp_path / "g.jsonl.part").read_bytes().splitlines(keepends=True)
    assert b"".join(rest) == lines + b'{"type":"bid","hand":0,"seat":1,"bid":2,"ms":null,"forced":true}\n'


def test_no_clock_is_null(tmp_path):
    """A game without a clock says so with null, and lists every other limit."""
    path = record_game(tmp_path, Rules(2, hands=(1,)), limits=GameLimits(decision_ms=None)).path
    assert lines_of(path)[0]["limits"] == {
        "policy": "lenient",
        "decision_ms": None,
        "bank_ms": 60_000,
        "wall_ms": 600_000,
        "grace_ms": 5_000,
        "max_faults": 3,
    }


def test_a_cut_that_a_seat_was_asked_for_keeps_its_note(tmp_path):
    """The time and the note of a cut stand in the line of the hand."""
    path = record_game(tmp_path, Rules(3, cut=CutRule.PLAYER), note=lambda *_: "because").path
    hands = [line for line in lines_of(path) if line["type"] == "hand"]
    assert all(hand["note"] == "because" and hand["ms"] >= 0 for hand in hands)


def test_a_hand_that_no_seat_cut_has_no_time(tmp_path):
    """What the caller measured is not written for a hand that the referee tapped, or that had nothing to cut."""
    for rules in (Rules(2, hands=(1, 1)), Rules(2, hands=(27, 27), cut=CutRule.PLAYER)):
        writer = ReplayWriter(tmp_path, header(rules=rules))
        writer.record(Game(rules, SeededPacks(SEED)).events[0], ms=1, note="n", by_referee=True)
        writer.abandon()
        _, hand = (json.loads(line) for line in (tmp_path / "g.jsonl.part").read_bytes().splitlines())
        assert not {"ms", "note", "by"} & hand.keys()


def test_times_have_three_decimals_and_moments_are_utc(tmp_path):
    """Milliseconds are rounded to 0.001, and moments are told in UTC whatever their zone."""
    started = datetime(2025, 1, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    writer = ReplayWriter(tmp_path, header(started=started))
    game = Game(Rules(2, hands=(1, 1)), SeededPacks(SEED))
    game.bid(game.seat, 1)
    writer.record(game.events[-1], ms=1.23456)
    writer.abandon()
    first, bid = (json.loads(line) for line in (tmp_path / "g.jsonl.part").read_bytes().splitlines())
    assert first["started"] == "2024-12-31T23:00:00Z"
    assert bid["ms"] == 1.235


def test_long_notes_and_answers_are_cut_between_characters(tmp_path):
    """Notes and answers keep at most 1 KiB of UTF-8 and stay valid UTF-8."""
    writer = ReplayWriter(tmp_path, header())
    game = Game(Rules(2, hands=(1, 1)), SeededPacks(SEED))
    game.bid(game.seat, 1)
    writer.record(game.events[-1], ms=0, note="a" + "é" * 2000)
    writer.fault(hand=0, seat=1, kind=FaultKind.PROTOCOL, asked=Asked.BID, detail="d", answer="\ud800" + "x" * 2000)
    writer.abandon()
    _, bid, fault = (json.loads(line) for line in (tmp_path / "g.jsonl.part").read_bytes().splitlines())
    assert bid["note"] == "a" + "é" * 511
    assert fault["answer"] == "?" + "x" * 1023


@given(st.text(), st.integers(0, 20))
def test_clean_text_fits(text, limit):
    """Clean text is valid UTF-8 within its limit, and a prefix of what it was made from unless that had surrogates."""
    cut = clean(text, limit)
    assert len(cut.encode()) <= limit
    assert text.startswith(cut)


def test_part_file_holds_every_finished_hand(tmp_path):
    """While the game runs the file of its own name does not exist, and the .part file ends with the last score."""
    rules = Rules(2, hands=(1, 1))
    game = Game(rules, SeededPacks(SEED))
    writer = ReplayWriter(tmp_path, header())
    writer.draw(game.draw)
    part = tmp_path / "g.jsonl.part"
    assert len(part.read_bytes().splitlines()) == 2
    told = 0
    while not game.over:
        game.answer(game.seat, game.fixed_answer())
        for event in game.events[told:]:
            writer.record(event)
        told = len(game.events)
        if game.hand == 1 and game.asked is Asked.BID:
            last = json.loads(part.read_bytes().splitlines()[-1])
            assert (last["type"], last["hand"]) == ("score", 0)
    assert not (tmp_path / "g.jsonl").exists()
    result = GameResult(Status.COMPLETE, game.totals, (1, 1), (0, 0))
    path = writer.finish(result, game_seed=SEED, finished=datetime.now(UTC))
    assert path == tmp_path / "g.jsonl"
    assert not part.exists()


def test_compressed_file_leaves_nothing_beside_it(tmp_path):
    """A compressed game is one .gz file; equal games are equal bytes."""
    first = record_game(tmp_path / "a", Rules(3), compress=True).path
    second = record_game(tmp_path / "b", Rules(3), compress=True).path
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["game-1.jsonl.gz"]
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", ".hidden", "a:b", "a\0b"])
def test_ids_that_are_no_file_names_are_refused(tmp_path, name):
    """An id that would lead out of the folder is refused before anything is written."""
    with pytest.raises(ValueError, match="cannot be the name of a file"):
        ReplayWriter(tmp_path, header(name))
    assert list(tmp_path.iterdir()) == []


def test_abandon_twice_and_after_finish(tmp_path):
    """Abandoning is always allowed and never undoes a finished file."""
    writer = ReplayWriter(tmp_path, header())
    writer.abandon()
    writer.abandon()
    assert (tmp_path / "g.jsonl.part").exists()
    writer = ReplayWriter(tmp_path, header())
    result = GameResult(Status.VOID, (0, 0), None, (0, 0))
    path = writer.finish(result, game_seed=SEED, finished=datetime.now(UTC))
    writer.abandon()
    assert path.exists()


def test_a_full_disk_is_the_callers_to_know(tmp_path: Path):
    """An OSError passes through record and finish, and abandon swallows it."""
    full = tmp_path / "full"
    full.mkdir()
    writer = ReplayWriter(full, header())
    writer._handle.close()
    writer._handle = open("/dev/full", "wb")  # noqa: SIM115, PTH123
    game = Game(Rules(2, hands=(1, 1)), SeededPacks(SEED))
    with pytest.raises(OSError, match="space"):
        writer.draw(game.draw)
    writer.abandon()
    assert writer._handle.closed
