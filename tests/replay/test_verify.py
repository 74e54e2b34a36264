from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay.recording import STRICT, lines_of, record_game, to_bytes

from bluke.replay.reader import ReplayFileError, parse_replay
from bluke.replay.verify import Verdict, verify, verify_replay
from bluke.rules import BlukeLed, CutRule, Rules, Variant
from bluke.wire.values import GameLimits, Status

HERE = Path("game.jsonl")
LENIENT = GameLimits()


def judge(raw: bytes) -> Verdict:
    """What verifying a file of these bytes says."""
    try:
        return verify_replay(parse_replay(raw, HERE))
    except ReplayFileError as error:
        return Verdict(HERE, error.line, error.what)


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("seats", range(2, 16))
def test_every_number_of_seats(tmp_path, seats, variant):
    """A standard game of either variant, at every table, is right."""
    assert verify(record_game(tmp_path, Rules(seats, variant=variant), seed=seats).path).ok


@pytest.mark.parametrize(
    "rules",
    [
        Rules(4, cut=CutRule.PLAYER),
        Rules(2, cut=CutRule.PLAYER, hands=(27, 26, 1)),
        Rules(3, hands=(18, 1, 18)),
        Rules(3, last_hand=18),
        Rules(6, max_hand=9),
        Rules(4, bluke_led=BlukeLed.TRUMP),
        Rules(15, hands=(1,)),
        Rules(5, variant=Variant.NEW_JERSEY, max_hand=3, cut=CutRule.PLAYER),
    ],
    ids=str,
)
@pytest.mark.parametrize("fault_rate", [0.0, 0.02])
def test_every_option(tmp_path, rules, fault_rate):
    """Games under every option are right, with and without faults."""
    for seed in range(4):
        recorded = record_game(tmp_path, rules, seed=seed, fault_rate=fault_rate, compress=bool(seed % 2))
        assert str(verify(recorded.path)) == f"{recorded.path}: ok"


def test_played_out_seats_come_last(tmp_path):
    """A seat that was played out is behind every other, and the file is right."""
    recorded = record_game(tmp_path, Rules(4), fault_rate=0.02, limits=GameLimits(max_faults=2), seed=4)
    assert recorded.result is not None
    assert recorded.result.played_out
    assert verify(recorded.path).ok
    lines = lines_of(recorded.path)
    lines[-1]["played_out"] = []
    verdict = judge(to_bytes(lines, seal=True))
    assert verdict.line == len(lines)
    assert "played_out does not name" in verdict.problem


@pytest.mark.parametrize("rules", [Rules(4), Rules(3, cut=CutRule.PLAYER)], ids=str)
def test_forfeited_games(tmp_path, rules):
    """A game that a fault ended under the strict policy is right: its seat is last."""
    for seed in range(8):
        recorded = record_game(tmp_path, rules, fault_rate=0.05, limits=STRICT, seed=seed)
        assert recorded.result is not None
        assert recorded.result.status is Status.FORFEITED
        assert verify(recorded.path).ok


@pytest.mark.parametrize("stop", [0, 1, 4, 40, 300])
@pytest.mark.parametrize("cut", list(CutRule))
def test_void_games(tmp_path, stop, cut):
    """A void game is right wherever it stopped, if it claims no places."""
    recorded = record_game(tmp_path, Rules(4, cut=cut), stop=stop, reason="stopped")
    assert verify(recorded.path).ok
    lines = lines_of(recorded.path)
    lines[-1]["places"] = [1, 1, 1, 1]
    assert judge(to_bytes(lines, seal=True)).line == len(lines)


@pytest.mark.parametrize("stop", [0, 50, 300])
def test_unfinished_games_are_not_right(tmp_path, stop):
    """A .part file is not called right: the verdict says that the game was not finished."""
    recorded = record_game(tmp_path, Rules(4), stop=stop, ending=None)
    verdict = verify(recorded.path)
    assert not verdict.ok
    assert "not finished" in verdict.problem


def test_a_file_that_is_not_there(tmp_path):
    """Verifying never raises."""
    assert "cannot be read" in str(verify(tmp_path / "none"))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """The lines of a lenient game in which the players cut and commit faults, none played out."""
    folder = tmp_path_factory.mktemp("verify")
    for seed in range(100):
        recorded = record_game(folder, Rules(4, max_hand=5, cut=CutRule.PLAYER), fault_rate=0.03, seed=seed)
        lines = lines_of(recorded.path)
        asked = {line["asked"] for line in lines if line["type"] == "fault"}
        if asked == {"cut", "bid", "play"} and not lines[-1]["played_out"]:
            return lines
    raise AssertionError("no such game")


def another_card(card: str) -> str:
    """A card that is not this one."""
    return "LO" if card != "LO" else "HI"


def swapped(cards: list[list[str]]) -> list[list[str]]:
    """The same cards, two of them exchanged between seats."""
    first, second, *rest = cards
    return [[second[0], *first[1:]], [first[0], *second[1:]], *rest]


def bumped(values: list[int]) -> list[int]:
    """The same numbers but for the last."""
    return [*values[:-1], values[-1] + 1]


def next_seat(seat: int) -> int:
    """The seat to the left."""
    return (seat + 1) % 4


MUTATIONS: list[tuple[str, str, Any]] = [
    ("draw", "rounds", lambda rounds: [[[0, another_card(rounds[0][0][1])], *rounds[0][1:]], *rounds[1:]]),
    ("draw", "dealer", next_seat),
    ("draw", "scorekeeper", next_seat),
    ("hand", "hand", lambda hand: hand + 1),
    ("hand", "size", lambda size: size + 1),
    ("hand", "dealer", next_seat),
    ("hand", "cards", swapped),
    ("hand", "cut", lambda cut: cut + 1),
    ("hand", "cut", lambda _: None),
    ("hand", "cut", lambda _: 53),
    ("hand", "turned", another_card),
    ("hand", "trump", lambda trump: None if trump else "C"),
    ("bid", "hand", lambda hand: hand + 1),
    ("bid", "seat", next_seat),
    ("bid", "bid", lambda _: 0),
    ("bid", "bid", lambda _: 6),
    ("play", "hand", lambda hand: hand + 1),
    ("play", "trick", lambda trick: trick + 1),
    ("play", "seat", next_seat),
    ("trick", "hand", lambda hand: hand + 1),
    ("trick", "trick", lambda trick: trick + 1),
    ("trick", "winner", next_seat),
    ("score", "hand", lambda hand: hand + 1),
    ("score", "bids", bumped),
    ("score", "tricks", bumped),
    ("score", "points", bumped),
    ("score", "totals", bumped),
    ("fault", "hand", lambda hand: hand + 1),
    ("fault", "seat", next_seat),
    ("fault", "asked", lambda asked: "bid" if asked != "bid" else "play"),
    ("end", "status", lambda _: "forfeited"),
    ("end", "status", lambda _: "void"),
    ("end", "totals", bumped),
    ("end", "places", bumped),
    ("end", "places", lambda _: None),
    ("end", "faults", bumped),
    ("end", "played_out", lambda _: [0, 0]),
    ("end", "game_seed", lambda seed: seed[:-1] + ("0" if seed[-1] != "0" else "1")),
    ("end", "match_seed", lambda seed: seed[2:] + "00"),
]


@pytest.mark.parametrize(("kind", "key", "mutate"), MUTATIONS, ids=[f"{kind}-{key}" for kind, key, _ in MUTATIONS])
def test_one_false_value_names_its_line(faulty, kind, key, mutate):
    """A false value is found in its own line, by working it out: the hash is made to fit."""
    assert judge(to_bytes(faulty, seal=True)).ok
    for at, line in enumerate(faulty):
        if line["type"] == kind:
            changed = [*faulty[:at], {**line, key: mutate(line[key])}, *faulty[at + 1 :]]
            verdict = judge(to_bytes(changed, seal=True))
            assert verdict.line == at + 1, verdict
            assert verdict.problem


def test_a_card_that_was_played_before_names_its_line(faulty):
    """A card that its seat cannot hold any more is found in its own line."""
    plays = [at for at, line in enumerate(faulty) if line["type"] == "play"]
    for before, at in pairwise(plays):
        if faulty[before]["hand"] == faulty[at]["hand"]:
            changed = [*faulty[:at], {**faulty[at], "card": faulty[before]["card"]}, *faulty[at + 1 :]]
            assert judge(to_bytes(changed, seal=True)).line == at + 1


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("game", "another"),
        ("deal", 77),
        ("commitment", "00" * 32),
        ("rules", {"max_hand": 6}),
        ("rules", {"seats": 3}),
        ("rules", {"cut": "maybe"}),
        ("rules", {"last_hand": 4}),
        ("rules", {"custom_hands": True}),
        ("players", []),
        ("format", "bluke-replay/9"),
    ],
)
def test_a_false_header_names_the_first_line(faulty, key, value):
    """What was settled before the first card is held against the rest of the file."""
    first = faulty[0]
    changed = {**first, key: {**first[key], **value} if isinstance(value, dict) else value}
    assert judge(to_bytes([changed, *faulty[1:]], seal=False)).line == 1


@pytest.mark.parametrize(("kind", "key", "value"), [("bid", "ms", 0.5), ("play", "note", "x"), ("fault", "detail", "")])
def test_the_hash_covers_what_cannot_be_worked_out(faulty, kind, key, value):
    """Times, notes and sentences are vouched for by the hash in the last line."""
    changed = [{**line, key: value} if line["type"] == kind else line for line in faulty]
    verdict = judge(to_bytes(changed, seal=False))
    assert verdict.line == len(faulty)
    assert "sha256" in verdict.problem


@pytest.mark.parametrize("kind", ["hand", "bid", "play", "trick", "score", "fault", "draw", "end"])
def test_a_missing_line_is_noticed(faulty, kind):
    """No line can be left out, whichever it is."""
    for at in [at for at, line in enumerate(faulty) if line["type"] == kind]:
        assert not judge(to_bytes([*faulty[:at], *faulty[at + 1 :]], seal=True)).ok


def test_two_lines_exchanged_are_noticed(faulty):
    """Lines are in order: exchanging two neighbours that differ is noticed."""
    for at in range(1, len(faulty) - 2):
        first, second = faulty[at : at + 2]
        verdict = judge(to_bytes([*faulty[:at], second, first, *faulty[at + 2 :]], seal=True))
        assert not verdict.ok, (first, second)


def test_the_referee_may_not_choose(faulty):
    """A move that the referee made is the fixed answer, and only a seat that was at fault gets one."""
    at = next(at for at, line in enumerate(faulty) if line["type"] == "bid" and line.get("by") and line["bid"] == 1)
    changed = [*faulty[:at], {**faulty[at], "bid": 2}, *faulty[at + 1 :]]
    verdict = judge(to_bytes(changed, seal=True))
    assert (verdict.line, verdict.problem) == (at + 1, "the referee's answer here is 1, not 2")
    at = next(at for at, line in enumerate(faulty) if line["type"] == "bid")
    changed = [*faulty[:at], {**faulty[at], "by": "referee"}, *faulty[at + 1 :]]
    assert "had no fault before" in judge(to_bytes(changed, seal=True)).problem


def test_the_referee_cuts_only_when_a_seat_was_asked(tmp_path):
    """Under the rule `tap` no hand is cut for a seat."""
    lines = lines_of(record_game(tmp_path, Rules(2, hands=(1,))).path)
    lines[2]["by"] = "referee"
    assert "no seat was asked to cut" in judge(to_bytes(lines, seal=True)).problem


def test_a_seat_taken_over_stays_so(tmp_path):
    """After its last fault every move of a seat is the referee's."""
    path = record_game(tmp_path, Rules(4), fault_rate=0.02, limits=GameLimits(max_faults=1), seed=1).path
    lines = lines_of(path)
    at = max(at for at, line in enumerate(lines) if line.get("by"))
    lines[at] = {key: value for key, value in lines[at].items() if key != "by"}
    verdict = judge(to_bytes(lines, seal=True))
    assert verdict.line == at + 1
    assert "must be by the referee" in verdict.problem


def test_a_strict_game_does_not_go_on(tmp_path):
    """Under the strict policy nothing but the end follows a fault, and the game is not complete."""
    lines = lines_of(record_game(tmp_path, Rules(4, max_hand=2), fault_rate=0.05, seed=3).path)
    assert any(line["type"] == "fault" for line in lines)
    lines[0]["limits"]["policy"] = "strict"
    assert "under the strict policy" in judge(to_bytes(lines, seal=True)).problem


def test_a_seed_that_was_not_committed_to(tmp_path):
    """A file that is sound in itself but for its seed is blamed on the line of the seed."""
    path = record_game(tmp_path, Rules(2, hands=(1,)), tell_match_seed=False).path
    lines = lines_of(path)
    lines[-1]["game_seed"] = "11" * 32
    verdict = judge(to_bytes(lines, seal=True))
    assert verdict.line == len(lines)
    assert "RULES 8.1" in verdict.problem


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """The bytes of a short game without match seed, and the part of them that nothing vouches for."""
    path = record_game(
        tmp_path_factory.mktemp("flip"), Rules(3, hands=(2, 1)), tell_match_seed=False, note=lambda *_: "é"
    ).path
    raw = path.read_bytes()
    start = raw.index(b'"finished":"') + len(b'"finished":"')
    return raw, range(start, raw.index(b'"', start))


@settings(max_examples=400)
@given(data=st.data())
def test_any_changed_byte_is_noticed(sealed, data):
    """Whichever byte is changed, to whatever, the file is not right any more; only the moment of the end is free."""
    raw, free = sealed
    at = data.draw(st.integers(0, len(raw) - 1).filter(lambda at: at not in free))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != raw[at]))
    assert not judge(raw[:at] + bytes([byte]) + raw[at + 1 :]).ok


def test_any_changed_byte_of_the_last_line_is_noticed(sealed):
    """The last line, which no hash covers, is held up by what can be worked out: every byte, every flipped bit."""
    raw, free = sealed
    for at in range(raw.rindex(b"\n", 0, len(raw) - 1), len(raw)):
        for bit in range(8):
            if at not in free:
                assert not judge(raw[:at] + bytes([raw[at] ^ 1 << bit]) + raw[at + 1 :]).ok, (at, bit)


@settings(max_examples=60)
@given(data=st.data())
def test_a_damaged_gzip_shows_the_same_game_or_is_not_right(sealed, data):
    """A changed byte of a compressed file either changes nothing that it holds or is noticed."""
    raw, _ = sealed
    packed = bytearray(gzip.compress(raw, mtime=0))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        replay = parse_replay(bytes(packed), HERE)
    except ReplayFileError:
        return
    if verify_replay(replay).ok:
        assert replay == parse_replay(raw, HERE)


# Branches


@pytest.fixture
def branched(tmp_path):
    """The lines of a game that says it was branched before trick 1 of hand 0, with a move that was chosen there."""
    lines = lines_of(record_game(tmp_path, Rules(2, hands=(3, 1))).path)
    lines[0]["parent"] = {"game": "old", "hand": 0, "trick": 1, "moves": 4, "players": [{"name": "a"}, {"name": "b"}]}
    moves = moves_of(lines)
    lines[moves[4]]["forced"] = True
    assert judge(to_bytes(lines, seal=True)).ok
    return lines


def moves_of(lines):
    return [at for at, line in enumerate(lines) if line["type"] in {"bid", "play"}]


@pytest.mark.parametrize(
    ("change", "move", "words"),
    [
        ({"hand": 1}, 4, "names hand 1, trick 1, but after 4 moves it is hand 0, trick 1"),
        ({"trick": 0}, 4, "names hand 0, trick 0, but after 4 moves it is hand 0, trick 1"),
        ({"moves": 3}, 3, "names hand 0, trick 1, but after 3 moves it is hand 0, trick 0"),
        ({"moves": 99}, -1, "names 99 moves, but there are 12"),
    ],
)
def test_the_moment_of_a_branch(branched, change, move, words):
    """Hand, trick and number of moves must fit together; the line is that of the first move that shows it."""
    branched[0]["parent"].update(change)
    verdict = judge(to_bytes(branched, seal=True))
    line = len(branched) if move == -1 else moves_of(branched)[move] + 1
    assert verdict.line == line
    assert words in verdict.problem


def test_only_the_first_move_of_a_branch_is_chosen(branched):
    """A move that a person chose is one of those taken over or the first after them, and there is a parent."""
    for at in moves_of(branched)[:5]:
        branched[at]["forced"] = True
    assert judge(to_bytes(branched, seal=True)).ok
    late = moves_of(branched)[5]
    wrong = [*branched[:late], {**branched[late], "forced": True}, *branched[late + 1 :]]
    verdict = judge(to_bytes(wrong, seal=True))
    assert (verdict.line, verdict.problem) == (
        late + 1,
        "forced is true, but the first line names no parent that the game left here",
    )
    del branched[0]["parent"]
    assert judge(to_bytes(branched, seal=True)).line == moves_of(branched)[0] + 1


def test_a_parent_with_other_seats_is_refused(branched):
    """Who sat there then is told for every seat or for none."""
    branched[0]["parent"]["players"].pop()
    assert "parent: 1 players for 2 seats" in judge(to_bytes(branched, seal=True)).problem


def test_a_parent_that_says_less_is_right(branched):
    """A file that names hand and trick only has nothing in it that could be checked."""
    branched[0]["parent"] = {"game": "old", "hand": 0, "trick": 9}
    for at in moves_of(branched):
        branched[at].pop("forced", None)
    assert judge(to_bytes(branched, seal=True)).ok


def test_a_chosen_cut(tmp_path):
    """A person may choose a cut that a seat would have been asked for, and none that nobody is."""
    lines = lines_of(record_game(tmp_path, Rules(2, hands=(1, 1), cut=CutRule.PLAYER)).path)
    lines[0]["parent"] = {"game": "old", "hand": 0, "trick": 0, "moves": 0}
    lines[2]["forced"] = True
    assert judge(to_bytes(lines, seal=True)).ok
    tapped = lines_of(record_game(tmp_path, Rules(2, hands=(1, 1))).path)
    tapped[2]["forced"] = True
    assert judge(to_bytes(tapped, seal=True)).problem == "forced is true, but no seat was asked to cut (RULES 4.5)"
