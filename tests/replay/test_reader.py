from __future__ import annotations

import gzip
import json
import random
import re
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from replay.recording import STRICT, lines_of, record_game, to_bytes

from bluke.errors import ReplayError
from bluke.replay import reader
from bluke.replay.reader import ReplayFileError, parse_replay, read_bytes, read_replay, replay_game
from bluke.replay.render import plain, render
from bluke.replay.verify import verify_replay
from bluke.rules import CutRule, Rules, Variant
from bluke.wire.values import Status

HERE = Path("game.jsonl")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A game with faults and notes."""
    return record_game(
        tmp_path_factory.mktemp("reader"), Rules(3, max_hand=4), fault_rate=0.03, seed=5, note=lambda *_: "hm"
    )


def refusal(raw: bytes, path: Path = HERE) -> ReplayFileError:
    """The error that these bytes make."""
    with pytest.raises(ReplayFileError) as caught:
        parse_replay(raw, path)
    assert str(caught.value).startswith(f"{path}: ")
    return caught.value


def test_what_was_written_is_read(recorded):
    """The header, the draw, every hand and the result are those of the game."""
    replay = read_replay(recorded.path)
    game = recorded.game
    assert replay.header.rules == game.rules
    assert replay.draw == game.draw
    assert replay.result == recorded.result
    assert [hand.size for hand in replay.hands] == list(game.schedule)
    assert replay.hands[-1].score is not None
    assert replay.hands[-1].score.totals == game.totals
    assert replay.problems == ()
    assert sum(len(hand.faults) for hand in replay.hands) == len(replay.faults) == sum(recorded.result.faults)
    assert {move.note for hand in replay.hands for move in hand.bids if not move.by_referee} == {"hm"}


def test_plain_and_compressed_are_equal(recorded, tmp_path):
    """Plain, gzip and Zstandard files, also in several frames and under a wrong name, read the same."""
    raw = recorded.path.read_bytes()
    expected = parse_replay(raw, HERE)
    half = len(raw) // 2
    for packed in (
        gzip.compress(raw),
        gzip.compress(raw[:half]) + gzip.compress(raw[half:]),
        zstandard.compress(raw),
        zstandard.compress(raw[:half]) + zstandard.compress(raw[half:]),
    ):
        assert parse_replay(packed, HERE) == expected
    odd = tmp_path / "game.jsonl.zst"
    odd.write_bytes(gzip.compress(raw))
    assert read_replay(odd).end == expected.end


def test_writer_compresses(tmp_path):
    """A file that the writer compressed holds the same bytes as one that it did not."""
    packed = record_game(tmp_path, Rules(2), game_id="x", compress=True).path
    assert packed.name == "x.jsonl.gz"
    unpacked = record_game(tmp_path, Rules(2), game_id="x").path
    assert gzip.decompress(packed.read_bytes()) == unpacked.read_bytes()
    assert read_bytes(packed) == read_bytes(unpacked) == unpacked.read_bytes()


def test_unknown_types_and_keys_are_skipped(recorded):
    """Lines and keys of a later version change nothing but the hash and the line numbers."""
    lines = lines_of(recorded.path)
    plain_lines = parse_replay(to_bytes(lines, seal=True), HERE)
    for line in lines:
        line["later"] = {"type": "x", "deep": [1, {"a": None}]}
    lines.insert(1, {"type": "weather", "hand": "rain"})
    later = parse_replay(to_bytes(lines, seal=True), HERE)
    assert [line.record for line in later.lines[:-1]] == [line.record for line in plain_lines.lines[:-1]]
    assert verify_replay(later).ok


@pytest.mark.parametrize(
    ("raw", "line", "words"),
    [
        (b"", None, "is empty"),
        (b"\n", 1, "no Bluke replay: the line is empty"),
        (b"hello\n", 1, "no Bluke replay"),
        (b"[1,2]\n", 1, "no Bluke replay"),
        (b"{}\n", 1, "no Bluke replay"),
        (b'{"type":"draw"}\n', 1, "its first line is 'draw'"),
        (b'{"type":"game","format":"bluke-replay/2"}\n', 1, "'bluke-replay/2', and this version of Bluke reads"),
        (b'{"type":"game","format":7}\n', 1, "no text"),
        (b'{"type":"game"}\n', 1, "no text"),
        (b'{"type":"game","format":"bluke-replay/1"}\n', 1, "missing required field `game`"),
        (b'{"type":"ga', 1, "no Bluke replay"),
        (b"\x00\xff\xfe" * 50, 1, "no Bluke replay"),
        (b"\x1f\x8b" + b"junk" * 10, None, "not sound gzip"),
        (b"\x1f\x8b", None, "holds nothing"),
        (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, None, "not sound Zstandard"),
        (b"\x28\xb5\x2f\xfd", None, "holds nothing"),
        (b'{"type":"game","x":' + b"[" * 200_000 + b"\n", 1, "nested too deeply"),
    ],
)
def test_what_is_no_replay_is_refused(raw, line, words):
    """The refusal names the file and the line, and says what is wrong."""
    error = refusal(raw)
    assert error.line == line
    assert words in str(error)


def test_what_cannot_be_opened_is_refused(tmp_path):
    """A file that is not there and a folder are refused like any other file."""
    for path in (tmp_path / "none.jsonl", tmp_path, Path("a\0b")):
        with pytest.raises(ReplayFileError, match="cannot be read"):
            read_replay(path)


def change(lines: list, kind: str, key: str, value: object) -> int:
    """Change a key of the first line of a type; the number of that line."""
    at = next(i for i, line in enumerate(lines) if line["type"] == kind)
    if value is KeyError:
        del lines[at][key]
    else:
        lines[at][key] = value
    return at + 1


@pytest.mark.parametrize(
    ("kind", "key", "value", "words"),
    [
        ("game", "deal", -1, "RULES 8.2"),
        ("game", "deal", 2**64, "RULES 8.2"),
        ("game", "started", "yesterday", "RFC3339"),
        ("game", "started", "2025-01-01T00:00:00", "timezone"),
        ("game", "started", "0001-01-01T00:00:00+10:00", "cannot be told in UTC"),
        ("game", "commitment", "00", "commitment"),
        ("game", "commitment", "0" * 63 + "\n", "commitment"),
        ("game", "players", [{"name": "a"}], "1 players for 3 seats"),
        ("game", "rules", {}, "missing required field `seats`"),
        ("game", "limits", None, "limits"),
        ("draw", "dealer", 3, "no seat 3: seats are 0 to 2"),
        ("draw", "rounds", [[[0, "1H"]]], "'1H' is not a card"),
        ("draw", "rounds", [[[9, "2H"]]], "no seat 9"),
        ("hand", "cards", [["AS"]], "cards has 1 entries for 3 seats"),
        ("hand", "cards", [[], [], []], "RULES 4.1"),
        ("hand", "turned", "AS" * 500, "is not a card"),
        ("hand", "trump", "X", "is not a suit"),
        ("hand", "size", 10**400, "size"),
        ("hand", "hand", 1, "stands where hand 0 should"),
        ("bid", "bid", "2", "Expected `int`"),
        ("bid", "bid", 2.5, "Expected `int`"),
        ("bid", "ms", -1, "ms"),
        ("bid", "ms", KeyError, "missing required field `ms`"),
        ("bid", "hand", 1, "hand is 1, but hand 0 is dealt"),
        ("bid", "by", "me", "by"),
        ("play", "card", "LL", "is not a card"),
        ("play", "trick", 1, "trick is 1, but it is trick 0"),
        ("play", "seat", 2**31, "seat"),
        ("trick", "winner", None, "winner"),
        ("score", "points", [1], "points has 1 entries"),
        ("fault", "kind", "rude", "rude"),
        ("fault", "hand", 3, "a fault in hand 3"),
        ("end", "played_out", [7], "no seat 7"),
        ("end", "game_seed", "AB" * 32, "game_seed"),
        ("end", "match_seed", "abc", "match_seed"),
        ("end", "places", [1], "places has 1 entries"),
    ],
)
def test_wrong_shape_names_the_line(recorded, kind, key, value, words):
    """A key of the wrong shape is refused with its line and what is wrong."""
    lines = lines_of(recorded.path)
    number = change(lines, kind, key, value)
    error = refusal(to_bytes(lines, seal=True))
    assert error.line == number
    assert words in error.what


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (lambda lines: [lines[0], *lines], "second 'game'"),
        (lambda lines: [*lines[:2], *lines[1:]], "second 'draw'"),
        (lambda lines: [lines[0], *lines[2:]], "'draw' line is missing"),
        (lambda lines: [*lines, lines[5]], "nothing may follow"),
        (lambda lines: [*lines[:4], lines[3], *lines[4:]], "every seat has bid already|is played before"),
        (lambda lines: [line for line in lines if line["type"] != "trick"], "it is trick 0 that"),
        (lambda lines: [line for line in lines if line["type"] != "score"], "before the score"),
        (lambda lines: [line for line in lines if line["type"] != "bid"], "before every seat has bid"),
        (lambda lines: [line for line in lines if line["type"] != "play"], "before every seat has played"),
        (lambda lines: [line for line in lines if line["type"] not in {"play", "trick"}], "before its last trick"),
        (lambda lines: [line for line in lines if line["type"] != "hand"], "no hand is dealt"),
    ],
)
def test_wrong_order_is_refused(recorded, order, words):
    """Lines that are missing, doubled or out of place are refused."""
    lines = [line for line in lines_of(recorded.path) if line["type"] != "fault"]
    assert re.search(words, refusal(to_bytes(order(lines), seal=True)).what)


def test_not_utf8_names_the_line(recorded):
    """A byte that is not UTF-8 is refused with its line, wherever it stands."""
    pieces = recorded.path.read_bytes().split(b"\n")
    pieces[6] = pieces[6][:-1] + b',"later":"\xff"}'
    assert refusal(b"\n".join(pieces)).line == 7


def test_torn_last_line_is_reported(recorded):
    """A torn last line is left out and told; everything before it is there."""
    pieces = recorded.path.read_bytes().split(b"\n")
    for torn in (b'{"type":"pl', b"\xc3", b"\x00" * 40, b"{}"):
        replay = parse_replay(b"\n".join([*pieces[:10], torn]), HERE)
        assert len(replay.lines) == 10
        assert [problem.line for problem in replay.problems] == [11]
        assert "torn" in str(replay.problems[0])
        assert replay.end is None


def test_missing_last_line_end_is_reported(recorded):
    """A last line that is whole but for its line end is read and told."""
    replay = parse_replay(recorded.path.read_bytes()[:-1], HERE)
    assert replay.end is not None
    assert "no line end" in str(replay.problems[0])
    assert not verify_replay(replay).ok


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_truncated_compression_is_reported(recorded, pack):
    """A compressed file that is cut short shows what can be had, or is refused if that is nothing."""
    packed = pack(recorded.path.read_bytes())
    for length in range(2 if pack is gzip.compress else 4, len(packed), 97):
        try:
            replay = parse_replay(packed[:length], HERE)
        except ReplayFileError:
            continue
        assert any("cut short" in str(problem) for problem in replay.problems)
        assert not verify_replay(replay).ok


def test_gzip_without_its_last_byte_shows_the_whole_game(recorded):
    """Where only the end of the compression is missing the game is there, and the verdict is still not ok."""
    replay = parse_replay(gzip.compress(recorded.path.read_bytes())[:-1], HERE)
    assert replay.end is not None
    assert "cut short" in verify_replay(replay).problem


def test_junk_after_gzip_is_refused(recorded):
    """Something else behind the compressed data is not skipped."""
    assert "something else" in str(refusal(gzip.compress(recorded.path.read_bytes()) + b"PK"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_bombs_are_bounded(monkeypatch, recorded, pack):
    """What is larger than the limit, packed or not, is refused without being held in memory."""
    monkeypatch.setattr(reader, "MAX_BYTES", 1 << 20)
    bomb = recorded.path.read_bytes() + b" " * (32 << 20)
    assert "larger than 1 MiB" in str(refusal(pack(bomb)))


def test_control_characters_of_a_file_stay_out_of_messages():
    """What a hostile file says is spelled out in the message about it."""
    error = refusal(b'{"type":"game","format":"\\u001b[2J\\u202e"}\n')
    assert str(error).isprintable()


@pytest.mark.parametrize(
    "rules",
    [Rules(4), Rules(2, cut=CutRule.PLAYER), Rules(5, variant=Variant.NEW_JERSEY), Rules(3, hands=(18, 1))],
    ids=str,
)
def test_replaying_gives_the_game(tmp_path, rules):
    """The recorded moves make the same game again."""
    recorded = record_game(tmp_path, rules, seed=2)
    again = replay_game(read_replay(recorded.path))
    assert list(again.events) == list(recorded.game.events)
    assert again.over


@pytest.mark.parametrize("cut", list(CutRule))
@pytest.mark.parametrize("stop", [3, 20, 41, 42, 43])
def test_replaying_without_a_seed(tmp_path, stop, cut):
    """The cards in an unfinished file are enough to play its hands again."""
    recorded = record_game(tmp_path, Rules(4, cut=cut), seed=stop, stop=stop, ending=None)
    replay = read_replay(recorded.path)
    again = replay_game(replay)
    told = len(again.events)
    assert list(again.events) == list(recorded.game.events)[:told]
    assert told == len([line for line in replay.lines if line.record.__struct_config__.tag not in {"game", "draw"}])
    if not again.over:
        assert again.legal == recorded.game.legal


def test_legal_answers_are_those_of_the_live_game(tmp_path):
    """Played again, every decision offers exactly what it offered when it was made."""
    recorded = record_game(tmp_path, Rules(3, max_hand=5), seed=8)
    live = replay_game(read_replay(recorded.path))
    lines = lines_of(recorded.path)
    part = tmp_path / "cut.jsonl.part"
    rng = random.Random(1)
    hands = [i for i, line in enumerate(lines) if line["type"] in {"bid", "play"}]
    for at in rng.sample(hands, 12):
        part.write_bytes(to_bytes(lines[:at], seal=False))
        stopped = replay_game(read_replay(part))
        line = lines[at]
        answer = line["bid"] if line["type"] == "bid" else line["card"]
        assert stopped.seat == line["seat"]
        assert answer in [value if isinstance(value, int) else str(value) for value in stopped.legal]
    assert live.over


def test_nothing_to_play_again(recorded):
    """A file without a hand cannot be played again, and says so."""
    lines = lines_of(recorded.path)[:2]
    replay = parse_replay(to_bytes(lines, seal=False), HERE)
    with pytest.raises(ReplayError, match="no hand"):
        replay_game(replay)


def test_moves_against_the_rules_are_not_played_again(recorded):
    """Playing again refuses what the rules refuse, with its line."""
    lines = lines_of(recorded.path)
    number = change(lines, "bid", "bid", 0)
    with pytest.raises(ReplayError, match=f"line {number}: .*RULES 5.2"):
        replay_game(parse_replay(to_bytes(lines, seal=True), HERE))


def use(raw: bytes) -> None:
    """Do everything with these bytes that is ever done with a file."""
    try:
        replay = parse_replay(raw, HERE)
    except ReplayError:
        return
    assert plain(render(replay))
    verify_replay(replay)
    with suppress(ReplayError):
        replay_game(replay)


@given(st.binary(max_size=200), st.sampled_from([b"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b'{"type":"game"']))
def test_arbitrary_bytes_only_raise_replay_errors(raw, start):
    """No bytes make another error than a ReplayError."""
    use(start + raw)


@settings(max_examples=60)
@given(data=st.data())
def test_damaged_files_only_raise_replay_errors(recorded, data):
    """Cut, doubled or overwritten bytes, plain or compressed, make a ReplayError or a replay that can be shown."""
    raw = recorded.path.read_bytes()
    pack = data.draw(st.sampled_from([bytes, gzip.compress, zstandard.compress]))
    packed = bytearray(pack(raw))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(packed) - 1))
        packed[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    use(bytes(packed[: data.draw(st.integers(1, len(packed)))] if data.draw(st.booleans()) else packed))


ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 60)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(["AS", "LO", "H", "referee", "void", "complete", "forfeited", "strict", "player"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


@settings(max_examples=150)
@given(data=st.data())
def test_wrong_values_only_raise_replay_errors(recorded, data):
    """Any value in any place, and lines in any order, make a ReplayError or a replay that can be shown."""
    lines = lines_of(recorded.path)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1) | st.sampled_from([0, 1, 2, len(lines) - 1]))
        line = lines[at]
        inside = data.draw(st.sampled_from([line, line, *(v for v in line.values() if isinstance(v, dict))]))
        if not inside:
            continue
        key = data.draw(st.sampled_from(list(inside)))
        if isinstance(inside[key], list) and inside[key] and data.draw(st.booleans()):
            inside[key][data.draw(st.integers(0, len(inside[key]) - 1))] = data.draw(ANY_JSON)
        else:
            inside[key] = data.draw(ANY_JSON)
    if data.draw(st.booleans()):
        at = data.draw(st.integers(1, len(lines) - 1))
        lines.insert(data.draw(st.integers(1, len(lines))), lines.pop(at))
    use(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def test_void_and_forfeited_games_are_read(tmp_path):
    """The result says how the game ended."""
    void = record_game(tmp_path, Rules(4), stop=30, reason="the disk was full")
    assert read_replay(void.path).result == void.result
    forfeited = record_game(tmp_path, Rules(4), limits=STRICT, fault_rate=0.05)
    assert forfeited.result is not None
    assert forfeited.result.status is Status.FORFEITED
    assert read_replay(forfeited.path).result == forfeited.result
