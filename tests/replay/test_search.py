from __future__ import annotations

import gzip
import json
import re
from itertools import count
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from replay.recording import STRICT, lines_of, record_game, to_bytes

from bluke.errors import ReplayError
from bluke.replay.reader import ReplayFileError, read_replay
from bluke.replay.search import Decision, Query, search
from bluke.replay.steps import find_step, parse_moment, steps_of
from bluke.rules import Asked, CutRule, Outcome, Rules, outcome
from bluke.wire.values import FaultKind, GameLimits, Player, Status

PLAYERS = (Player("mc", "1"), Player("rule"), Player("rule 2"), Player("[one]"))


def notes():
    """A function of notes of several kinds, in turns."""
    numbers = count()

    def note(_seat: int, value: object) -> str | None:
        words = (None, f"regret 4.5: not {value}", "sure of it", None, "naïve\nguess")
        return words[next(numbers) % len(words)]

    return note


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A game with cuts, faults, notes and moves of the referee."""
    folder = tmp_path_factory.mktemp("search")
    rules = Rules(4, max_hand=5, cut=CutRule.PLAYER)
    limits = GameLimits(max_faults=6)
    return record_game(folder, rules, seed=5, players=PLAYERS, note=notes(), fault_rate=0.05, limits=limits).path


def slowly(path) -> list[dict[str, Any]]:
    """Every decision of a finished game, worked out by the reducer, as far as `Decision` tells it too."""
    replay = read_replay(path)
    all_of_it: list[dict[str, Any]] = []
    for step in steps_of(replay):
        hand = replay.hands[step.hand] if step.hand < len(replay.hands) else None
        bids = {} if hand is None else {move.seat: int(str(move.value)) for move in hand.bids}
        score = None if hand is None else hand.score
        bid = bids.get(step.seat)
        all_of_it.append(
            {
                "at": str(step.at),
                "seat": step.seat,
                "asked": step.asked,
                "place": step.place,
                "hand": step.hand,
                "size": replay.header.rules.schedule[step.hand],
                "trump": None if hand is None or hand.trump is None else str(hand.trump),
                "bot": replay.header.players[step.seat].name,
                "value": step.value if isinstance(step.value, int | None) else str(step.value),
                "ms": step.ms,
                "note": step.note,
                "referee": step.by_referee,
                "faults": tuple(fault.kind for fault in step.faults if fault.seat == step.seat),
                "bid": bid,
                "taken": None if score is None else score.tricks[step.seat],
                "points": None if score is None else score.points[step.seat],
                "outcome": None if score is None else outcome(bids[step.seat], score.tricks[step.seat]),
            }
        )
    assert sum(len(one["faults"]) for one in all_of_it) == len(replay.faults)
    return all_of_it


def as_told(decision: Decision) -> dict[str, Any]:
    """A decision without what the reducer does not know."""
    told = {name: getattr(decision, name) for name in Decision.__struct_fields__}
    return {name: told[name] for name in told.keys() - {"file", "game", "dealer", "trick", "forced"}}


def fulfils(one: dict[str, Any], query: Query) -> bool:
    """Whether a decision should be found, said again as plainly as possible."""
    return all(
        [
            not query.bots or one["bot"] in query.bots,
            not query.seats or one["seat"] in query.seats,
            not query.asked or one["asked"] in query.asked,
            not query.hands or any(one["hand"] in numbers for numbers in query.hands),
            not query.sizes or any(one["size"] in numbers for numbers in query.sizes),
            not query.trumps or one["trump"] in query.trumps,
            not query.bids or any(one["bid"] in numbers for numbers in query.bids),
            not query.outcomes or one["outcome"] in query.outcomes,
            query.lost is None or (one["points"] is not None and one["points"] <= -query.lost),
            not query.cards or one["value"] in query.cards,
            not query.faults or any(kind in query.faults for kind in one["faults"]),
            not query.referee or one["referee"],
            not query.regret or one["note"].startswith("regret "),
            query.note is None or (one["note"] != "" and query.note.search(one["note"]) is not None),
            query.slow is None or (one["ms"] is not None and one["ms"] > query.slow),
        ]
    )


def sets(*values):
    """Few of some values, mostly none."""
    return st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(values), max_size=3))


def ranges(last: int):
    numbers = st.tuples(st.integers(0, last), st.integers(0, 4)).map(lambda pair: range(pair[0], sum(pair) + 1))
    return st.one_of(st.just(()), st.lists(numbers, max_size=2).map(tuple))


QUERIES = st.builds(
    Query,
    bots=st.one_of(st.just(()), st.just(("mc", "rule 2")), st.just(("nobody",))),
    seats=sets(0, 1, 2, 3, 9),
    asked=sets(*Asked),
    hands=ranges(9),
    sizes=ranges(6),
    trumps=sets("C", "D", "H", "S", None),
    bids=ranges(5),
    outcomes=sets(*Outcome),
    lost=st.one_of(st.none(), st.integers(1, 40)),
    cards=st.one_of(st.just(frozenset()), st.just(frozenset({"HI", "LO", "AH", "2C", "3C", "4D"}))),
    faults=sets(*FaultKind),
    referee=st.booleans(),
    regret=st.booleans(),
    note=st.sampled_from([None, None, re.compile("sure"), re.compile("^n.*\nguess$"), re.compile("")]),
    slow=st.one_of(st.none(), st.floats(0, 20)),
)


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=QUERIES)
def test_what_is_found_is_what_the_reducer_would_find(path, expected, query):
    """For any conditions the decisions found are those of the game played again that fulfil them, in its order."""
    assert [as_told(one) for one in search(path, query).decisions] == [one for one in expected if fulfils(one, query)]


@pytest.fixture(scope="module")
def expected(path):
    """Every decision of the game, from the reducer."""
    return slowly(path)


@pytest.mark.parametrize(
    "rules",
    [Rules(2, max_hand=13), Rules(15), Rules(5, max_hand=3, cut=CutRule.PLAYER)],
    ids=["two", "fifteen", "cuts"],
)
def test_every_decision_of_a_table(tmp_path, rules):
    """Without conditions every decision is found, and its moment with its seat names it alone."""
    recorded = record_game(tmp_path, rules, seed=2, fault_rate=0.01).path
    found = search(recorded, Query()).decisions
    assert [as_told(one) for one in found] == slowly(recorded)
    steps = steps_of(read_replay(recorded))
    assert [find_step(steps, parse_moment(one.at), one.seat) for one in found] == list(range(len(steps)))


def test_each_condition_finds_something(expected):
    """The game of these tests has something for every condition, so that none is tested on nothing."""
    for query in (
        Query(bots=("rule 2",)),
        Query(trumps=frozenset({"H"})),
        Query(outcomes=frozenset({Outcome.PERFECT})),
        Query(lost=30),
        Query(cards=frozenset({"HI"})),
        Query(faults=frozenset({FaultKind.TIMEOUT})),
        Query(referee=True),
        Query(regret=True),
        Query(note=re.compile("guess")),
        Query(slow=10),
        Query(asked=frozenset({Asked.CUT})),
    ):
        found = [one for one in expected if fulfils(one, query)]
        assert 0 < len(found) < len(expected), query


def test_patterns_of_names(path):
    """A name is matched as the patterns of a shell match files, brackets in a pattern included."""

    def names(*patterns: str) -> set[str]:
        return {one.bot for one in search(path, Query(bots=patterns)).decisions}

    assert names("rule*") == {"rule", "rule 2"}
    assert names("m?", "[[]one]") == {"mc", "[one]"}
    assert names("RULE") == set()


def test_packed_files_hold_the_same(path, tmp_path):
    """In gzip and Zstandard the same is found."""
    raw = path.read_bytes()
    query = Query(cards=frozenset({"HI"}))
    found = [one.at for one in search(path, query).decisions]
    for name, packed in (("a.jsonl.gz", gzip.compress(raw)), ("a.jsonl.zst", zstandard.compress(raw))):
        (tmp_path / name).write_bytes(packed)
        assert [one.at for one in search(tmp_path / name, query).decisions] == found != []


def test_the_fault_that_ended_a_strict_game(tmp_path):
    """A fault that ended the game belongs to the decision that was never made."""
    recorded = record_game(tmp_path, Rules(3, max_hand=4), seed=3, fault_rate=0.05, limits=STRICT)
    assert recorded.result is not None
    assert recorded.result.status is Status.FORFEITED
    found = search(recorded.path, Query(faults=frozenset(FaultKind))).decisions
    assert [as_told(one) for one in found] == slowly(recorded.path)[-1:]
    assert found[0].value is None
    assert search(recorded.path, Query(faults=frozenset(FaultKind), slow=0)).decisions == ()
    assert search(recorded.path, Query(faults=frozenset(FaultKind), cards=frozenset({"HI"}))).decisions == ()


def test_a_fault_before_the_first_deal(tmp_path):
    """A seat that fails to cut the first hand is found, though that hand has no trump and no dealer in the file."""
    rules = Rules(3, max_hand=4, cut=CutRule.PLAYER)
    path = record_game(tmp_path, rules, fault_rate=1, limits=STRICT).path
    (found,) = search(path, Query(faults=frozenset(FaultKind))).decisions
    assert (found.at, found.size, found.dealer, found.trump, found.value) == ("0.cut", 4, None, None, None)
    assert search(path, Query(asked=frozenset({Asked.CUT}), sizes=(range(4, 5),))).decisions == (found,)
    for never in (Query(trumps=frozenset({None})), Query(bids=(range(9),)), Query(hands=(range(1, 2),)), Query(lost=1)):
        assert search(path, never).decisions == ()


def test_a_fault_out_of_turn(path, tmp_path):
    """A fault of a seat that was not asked anything goes with its next decision, or stands alone at the end."""
    lines = lines_of(path)
    score = max(i for i, line in enumerate(lines) if line["type"] == "score")
    fault = {"type": "fault", "hand": 0, "seat": 2, "kind": "crash", "asked": None, "detail": "x"}
    early = next(i for i, line in enumerate(lines) if line["type"] == "play")
    assert lines[early]["seat"] != 2
    moved = tmp_path / "moved.jsonl"
    moved.write_bytes(to_bytes([*lines[:early], fault, *lines[early:]], seal=True))
    first = search(moved, Query(seats=frozenset({2}), faults=frozenset({FaultKind.CRASH}))).decisions[0]
    assert (first.at, first.asked, first.faults[0]) == ("0.0", Asked.PLAY, FaultKind.CRASH)
    fault["hand"] = lines[score]["hand"]
    moved.write_bytes(to_bytes([*lines[: score - 6], fault, lines[-1]], seal=True))
    last = search(moved, Query(faults=frozenset({FaultKind.CRASH}))).decisions[-1]
    assert (last.seat, last.asked, last.value, last.bid is None) == (2, None, None, False)
    assert search(moved, Query(faults=frozenset({FaultKind.CRASH}), asked=frozenset(Asked))).decisions[-1:] != (last,)


def test_an_unfinished_file(tmp_path):
    """What was decided in a hand that was not scored is found, but no outcome of it."""
    path = record_game(tmp_path, Rules(3, max_hand=4), stop=40, ending=None).path
    whole = search(path, Query()).decisions
    assert whole != ()
    raw = path.read_bytes()
    torn = tmp_path / "torn.jsonl.part"
    torn.write_bytes(raw[: raw.rfind(b'"type":"trick"') + 20])
    found = search(torn, Query())
    assert [str(problem) for problem in found.problems] == [
        f"line {found.problems[0].line}: the last line is torn: it is left out"
    ]
    last = found.decisions[-1]
    assert (last.bid is None, last.taken, last.outcome, last.points) == (False, None, None, None)
    assert found.decisions[:5] == tuple(Decision(**{**one_as(one), "file": str(torn)}) for one in whole[:5])
    hand = (range(last.hand, last.hand + 1),)
    assert search(torn, Query(hands=hand, outcomes=frozenset(Outcome))).decisions == ()


def one_as(decision: Decision) -> dict[str, Any]:
    return {name: getattr(decision, name) for name in Decision.__struct_fields__}


def test_text_may_be_escaped(path, tmp_path):
    """A kind of fault or a note that JSON spells in escapes is found like any other."""
    raw = path.read_bytes()
    for word, query in (
        (b'"timeout"', Query(faults=frozenset({FaultKind.TIMEOUT}))),
        (b'"regret ', Query(regret=True)),
        (b'"referee"', Query(referee=True)),
        (b'"note"', Query(note=re.compile("sure"))),
    ):
        assert word in raw
        odd = tmp_path / "odd.jsonl"
        odd.write_bytes(raw.replace(word, b'"\\u%04x' % word[1] + word[2:]))
        expected = search(path, query).decisions
        assert [one.at for one in search(odd, query).decisions] == [one.at for one in expected] != []


def test_what_a_file_cannot_hold_is_not_looked_for(path, tmp_path):
    """A file is not decoded if its first line or its bytes rule a match out: then even junk in it goes unseen."""
    lines = [line for line in lines_of(path) if line["type"] != "fault"]
    junk = tmp_path / "junk.jsonl"
    junk.write_bytes(to_bytes([lines[0]], seal=False) + b"junk\n")
    for query in (
        Query(bots=("nobody",)),
        Query(seats=frozenset({7})),
        Query(hands=(range(40, 50),)),
        Query(sizes=(range(9, 12),)),
        Query(faults=frozenset({FaultKind.CRASH})),
        Query(regret=True),
    ):
        assert search(junk, query).decisions == ()
    with pytest.raises(ReplayFileError, match="line 2"):
        search(junk, Query())


def test_types_and_keys_of_later_versions(path, tmp_path):
    """Lines of unknown types and unknown keys are passed over."""
    lines = lines_of(path)
    lines[2]["mood"] = "good"
    later = tmp_path / "later.jsonl"
    later.write_bytes(to_bytes([*lines[:5], {"type": "weather", "seat": "x"}, *lines[5:]], seal=True))
    assert [one.at for one in search(later, Query()).decisions] == [one.at for one in search(path, Query()).decisions]


def wrong_seat(lines):
    next(line for line in lines if line["type"] == "play")["seat"] = 4


def short_score(lines):
    next(line for line in lines if line["type"] == "score")["points"].pop()


def second_game(lines):
    lines.insert(3, lines[0])


def missing_player(lines):
    lines[0]["players"].pop()


def another_format(lines):
    lines[0]["format"] = "bluke-replay/9"


def negative_bid(lines):
    next(line for line in lines if line["type"] == "bid")["bid"] = -1


@pytest.mark.parametrize("spoil", [wrong_seat, short_score, second_game, missing_player, another_format, negative_bid])
def test_a_wrong_file_is_refused(path, tmp_path, spoil):
    """What the search could stumble over is refused in the words of the reader."""
    lines = lines_of(path)
    spoil(lines)
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(to_bytes(lines, seal=True))
    with pytest.raises(ReplayFileError) as told:
        search(bad, Query())
    with pytest.raises(ReplayFileError) as also:
        read_replay(bad)
    assert str(told.value) == str(also.value)


@pytest.mark.parametrize("raw", [b"", b"\n", b"{}\n", b"hello", b'{"type":"game"}\n', b"\xff\xfe\n", b"\x1f\x8bxx"])
def test_junk(tmp_path, raw):
    """What is no replay is refused."""
    path = tmp_path / "junk.jsonl"
    path.write_bytes(raw)
    with pytest.raises(ReplayFileError):
        search(path, Query())


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_spoiled_files(path, tmp_path, data):
    """Whatever is done to a file, it is searched or refused as one."""
    lines = path.read_bytes().splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines) - 1))
    line = lines[at]
    start = data.draw(st.integers(0, len(line) - 1))
    junk = data.draw(st.one_of(st.binary(max_size=4), st.sampled_from([b"99", b"null", b"-1", b'""', b"[]", b"1e9"])))
    cut = data.draw(st.integers(start, min(len(line), start + 4)))
    lines[at] = line[:start] + junk + line[cut:]
    swap = data.draw(st.integers(0, len(lines) - 1))
    lines[at], lines[swap] = lines[swap], lines[at]
    spoiled = tmp_path / "spoiled.jsonl"
    spoiled.write_bytes(b"".join(lines))
    try:
        found = search(spoiled, Query())
    except ReplayError:
        return
    assert all(0 <= one.seat < 4 for one in found.decisions)


def test_decisions_are_json(path):
    """A decision is a JSON object in the words of replay files."""
    from msgspec.json import encode

    found = search(path, Query(cards=frozenset({"HI"}), asked=frozenset({Asked.PLAY}))).decisions[0]
    data = json.loads(encode(found))
    assert data["value"] == "HI"
    assert data["asked"] == "play"
    assert data["outcome"] in {"S", "O", "P"}
    assert data["game"] == "game-1"
    assert data["at"] == f"{data['hand']}.{data['trick']}"
