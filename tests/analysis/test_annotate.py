from __future__ import annotations

import gzip
import json

import pytest
from replay.recording import lines_of, record_game, to_bytes

from bluke.analysis import Regret, explain_game
from bluke.analysis.annotate import annotate, pack, regret_note
from bluke.replay.reader import parse_replay, read_bytes, read_replay
from bluke.replay.verify import verify_replay
from bluke.replay.writer import MAX_TEXT_BYTES
from bluke.rules import Card, Rules

LONG = "é" * (MAX_TEXT_BYTES // 2)
SAID = {0: "I hold “ten” | hearts", 1: LONG, 2: None}


def note(seat, value):
    return SAID[seat]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A game at random, in which there is much to rue; seat 0 talks, seat 1 talks too much, seat 2 says nothing."""
    return record_game(tmp_path_factory.mktemp("game"), Rules(3, hands=(8, 7)), note=note, seed=4).path


@pytest.fixture(scope="module")
def explained(path):
    return explain_game(read_replay(path), samples=10)


def copy_of(path, explained, **options):
    return parse_replay(annotate(read_bytes(path), explained, **({"sound": True} | options)), path)


def test_copy_verifies(path, explained):
    """The copy is a sound replay of the same game, and so says the verifier."""
    copy = copy_of(path, explained)
    assert verify_replay(copy).ok
    assert copy.sha256 != read_replay(path).sha256


def test_notes(path, explained):
    """A note begins with the regret, goes on with what the bot said, and is as long as a note may be."""
    moves = {
        move.line: move
        for hand in copy_of(path, explained).hands
        for move in (*hand.bids, *(move for trick in hand.tricks for move in trick.moves))
    }
    seats = set()
    regrets = {}
    for hand in explained.hands:
        for decision in hand.decisions:
            if decision.regret is not None:
                regrets[decision.line] = decision.regret
    for line, move in moves.items():
        if line not in regrets:
            assert move.note == (SAID[move.seat] or "")
            continue
        seats.add(move.seat)
        told, _, said = move.note.partition(" | ")
        assert told == f"{regret_note(regrets[line])} ({regrets[line].deals} deals, rule)"
        if move.seat == 1:
            assert LONG.startswith(said)
            assert MAX_TEXT_BYTES - 1 <= len(move.note.encode()) <= MAX_TEXT_BYTES
        else:
            assert said == (SAID[move.seat] or "")
    assert seats == {0, 1, 2}


def test_nothing_else_changes(path, explained):
    """Without the notes and the hash the copy is the original, byte for byte."""
    before = read_bytes(path).splitlines()
    after = annotate(read_bytes(path), explained, sound=True).splitlines()
    assert len(before) == len(after)
    changed = [number for number, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]]
    regrets = [decision.line for hand in explained.hands for decision in hand.decisions if decision.regret]
    assert changed == [*regrets, len(before)]
    for number in changed[:-1]:
        old, new = json.loads(before[number - 1]), json.loads(after[number - 1])
        # The note stands where the writer puts it.
        assert list(new)[: list(new).index("note") + 1][-2:] == ["ms", "note"]
        assert {**new, "note": None} == {**old, "note": None}


def test_keep_what_is_not_known(path, explained):
    """Keys and lines of a later version are in the copy too."""
    lines = lines_of(path)
    for line in lines[:-1]:
        line["mood"] = 1e100
    raw = to_bytes([*lines[:-1], {"type": "weather", "sky": "blue"}, lines[-1]], seal=True)
    copy = annotate(raw, explained, sound=True)
    assert copy.count(b'"mood":1e+100') == len(lines) - 1
    assert b'"weather"' in copy
    assert verify_replay(parse_replay(copy, path)).ok


def test_do_not_mend(path, explained):
    """A file whose hash is wrong makes a copy whose hash is wrong."""
    lines = lines_of(path)
    lines[0]["players"][0]["name"] = "somebody else"
    changed = to_bytes(lines, seal=False)
    copy = parse_replay(annotate(changed, explained, sound=False), path)
    assert "sha256" in verify_replay(copy).problem


def test_unfinished(tmp_path):
    """A file without a last line gets its notes, and its torn end stays torn."""
    path = record_game(tmp_path, Rules(3, hands=(6, 4)), seed=4, stop=26, ending=None).path
    torn = path.read_bytes() + b'{"type":"bid","ha'
    explained = explain_game(parse_replay(torn, path), samples=6)
    copy = annotate(torn, explained, sound=False)
    assert copy.endswith(b'{"type":"bid","ha')
    assert b'"note":"regret ' in copy
    assert parse_replay(copy, path).problems == parse_replay(torn, path).problems


@pytest.mark.parametrize(
    ("regret", "text"),
    [
        (Regret(Card.parse("9D"), 12.34, 4.46, 80), "regret 12.3 ± 4.5: better 9D"),
        (Regret(3, 0.14, 0.062, 80), "regret 0.14 ± 0.06: better 3"),
        (Regret(3, 1, 0, 80), "regret 1.00 ± 0.00: better 3"),
    ],
)
def test_regret_note(regret, text):
    """A regret is told with as many places as it takes."""
    assert regret_note(regret) == text


def test_pack(tmp_path, path):
    """The ending of the name says how the copy is packed."""
    data = read_bytes(path)
    assert pack(data, tmp_path / "a.jsonl") == data
    assert gzip.decompress(pack(data, tmp_path / "a.jsonl.gz")) == data
    for name in ("a.jsonl.gz", "a.jsonl.zst"):
        (tmp_path / name).write_bytes(pack(data, tmp_path / name))
        assert read_bytes(tmp_path / name) == data
