from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.recording import STRICT, lines_of, record_game, to_bytes

from bluke.errors import ConfigError, ReplayError
from bluke.replay.reader import read_replay
from bluke.replay.steps import Moment, find_step, parse_moment, steps_of
from bluke.rules import Asked, Bid, CutRule, Game, Played, Rules, SeededPacks
from bluke.wire.values import GameLimits, Status

CUTTING = Rules(3, hands=(3, 1, 18), cut=CutRule.PLAYER)


def steps(folder, rules=CUTTING, **options):
    return steps_of(read_replay(record_game(folder, rules, **options).path))


def test_the_steps_are_the_game(tmp_path):
    """Answering a new game with the steps gives the recorded one, and each step says what was due."""
    recorded = record_game(tmp_path, CUTTING, seed=3, fault_rate=0.1, note=lambda seat, _: f"I am {seat}")
    replay = read_replay(recorded.path)
    assert replay.end is not None
    game = Game(CUTTING, SeededPacks(bytes.fromhex(replay.end.game_seed)))
    for step in steps_of(replay):
        assert (step.hand, step.asked, step.seat) == (game.hand, game.asked, game.seat)
        if step.asked is Asked.PLAY:
            trick = [event for event in game.events if isinstance(event, Played) and event.hand == step.hand]
            assert (step.trick, step.place) == (game.trick, len(trick) % 3)
        else:
            made = [event for event in game.events if isinstance(event, Bid) and event.hand == step.hand]
            assert (step.trick, step.place) == (0, len(made) if step.asked is Asked.BID else 0)
        assert step.note == ("" if step.by_referee else f"I am {step.seat}")
        assert step.value is not None
        game.answer(step.seat, step.value)
    assert game.over
    assert list(game.events) == list(recorded.game.events)


def test_what_was_charged_stands_with_its_decision(tmp_path):
    """Every fault of the file is in one step, that of the seat that was asked."""
    recorded = record_game(tmp_path, CUTTING, seed=4, fault_rate=0.3, limits=GameLimits(max_faults=99))
    found = steps_of(read_replay(recorded.path))
    assert recorded.result is not None
    assert sum(len(step.faults) for step in found) == sum(recorded.result.faults) > 0
    assert all(fault.seat == step.seat for step in found for fault in step.faults)
    assert all(step.by_referee == bool(step.faults) for step in found)


def test_the_lines_before_a_question(tmp_path):
    """`before` is the line of the last move or of what followed from it: faults of the decision itself come after."""
    recorded = record_game(tmp_path, CUTTING, seed=4, fault_rate=0.3, limits=GameLimits(max_faults=99))
    lines = lines_of(recorded.path)
    for step in steps_of(read_replay(recorded.path)):
        between = lines[step.before : step.line - 1]
        assert {line["type"] for line in between} <= {"fault"}
        assert lines[step.before - 1]["type"] != "fault"
        assert len(between) == len(step.faults)


@pytest.mark.parametrize("ending", [Status.VOID, Status.FORFEITED])
def test_the_decision_that_was_open_at_the_end(tmp_path, ending):
    """A game that was broken off ends in a step without a move."""
    options = {"stop": 7} if ending is Status.VOID else {"limits": STRICT, "fault_rate": 0.1, "seed": 1}
    recorded = record_game(tmp_path, CUTTING, **options)
    *others, last = steps_of(read_replay(recorded.path))
    assert all(step.value is not None for step in others)
    assert (last.value, last.was_asked, last.seat) == (None, True, recorded.game.seat)
    assert bool(last.faults) == (ending is Status.FORFEITED)


def test_moves_nobody_was_asked_for(tmp_path):
    """A move of the referee without a time was asked of nobody, and neither was one that a person chose."""
    path = record_game(tmp_path, Rules(2, hands=(2,)), fault_rate=1.0, limits=GameLimits(max_faults=1)).path
    assert not any(step.was_asked for step in steps_of(read_replay(path)))
    lines = lines_of(record_game(tmp_path, Rules(2, hands=(2,))).path)
    lines[0]["parent"] = {"game": "g", "hand": 0, "trick": 0, "moves": 0}
    lines[3]["forced"] = True
    path.write_bytes(to_bytes(lines, seal=True))
    assert [step.was_asked for step in steps_of(read_replay(path))] == [False, True, True, True, True, True]


def test_an_unfinished_game_is_refused(tmp_path):
    """Without a seed later cards are unknown."""
    path = record_game(tmp_path, CUTTING, stop=9, ending=None).path
    with pytest.raises(ReplayError, match="was not finished: without its last line the file has no seed"):
        steps_of(read_replay(path))


def test_a_move_against_the_rules_names_its_line(tmp_path):
    """What the rules refuse is said with its line."""
    lines = lines_of(record_game(tmp_path, Rules(2, hands=(2,))).path)
    lines[3]["seat"] = 1 - lines[3]["seat"]
    path = tmp_path / "wrong.jsonl"
    path.write_bytes(to_bytes(lines, seal=True))
    with pytest.raises(ReplayError, match=r"line 4: seat . is to bid"):
        steps_of(read_replay(path))


def test_names_of_moments(tmp_path):
    """Each step is found by its own two names, the short one with its seat."""
    found = steps(tmp_path)
    for number, step in enumerate(found):
        assert find_step(found, parse_moment(str(step.moment))) == number
        assert find_step(found, parse_moment(str(step.at)), step.seat) == number
    assert len({str(step.moment) for step in found}) == len(found)
    assert [str(step.moment) for step in found[:6]] == ["0.cut", "0.bid.2", "0.bid.0", "0.bid.1", "0.0.0", "0.0.1"]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("3.7", Moment(3, Asked.PLAY, 7)),
        ("3.7.2", Moment(3, Asked.PLAY, 7, 2)),
        ("3.bid", Moment(3, Asked.BID)),
        ("12.bid.14", Moment(12, Asked.BID, 0, 14)),
        ("0.cut", Moment(0, Asked.CUT)),
    ],
)
def test_moments_are_read(text, moment):
    """Reading undoes writing."""
    assert parse_moment(text) == moment
    assert str(moment) == text


@pytest.mark.parametrize(
    "text", ["", "3", "3.", ".7", "3.7.", "3.7.2.1", "3.bids", "3.cut.1", "-1.2", "³.7", "9999999.1"]
)
def test_what_names_no_moment_is_refused(text):
    """The message says what would."""
    with pytest.raises(ConfigError, match=r"names no moment: write HAND\.TRICK such as 3\.7"):
        parse_moment(text)


@given(st.text())
def test_any_text_names_a_moment_or_is_refused(text):
    """Nothing but a ConfigError comes of any text, and no control character of it reaches the message."""
    told = []
    try:
        parse_moment(text)
    except ConfigError as error:
        told.append(str(error))
    assert all(line.isprintable() for line in told)


@given(st.builds(Moment, st.integers(0, 999_999), st.just(Asked.PLAY), st.integers(0, 999), st.integers(0, 14)))
def test_reading_undoes_writing(moment):
    """Whatever moment is written, it is read again."""
    assert parse_moment(str(moment)) == moment


@pytest.mark.parametrize(
    ("text", "seat", "words"),
    [
        ("9.0", None, "there is no moment 9.0: of the game the file has hands 0 to 2"),
        ("1.1", 0, "there is no moment 1.1: hand 1 of seat 0 has 1.cut 1.bid 1.0"),
        ("1.0.3", None, "hand 1 of the game has 1.cut 1.bid.0 1.bid.1 1.bid.2 1.0.0 1.0.1 1.0.2"),
        ("1.cut", 1, "hand 1 of seat 1 has 1.bid 1.0"),
        ("2.99", None, "hand 2 of the game has 2.bid.1 2.bid.2 2.bid.0 2.0.0 2.0.1 2.0.2 ... 2.17.0 2.17.1 2.17.2"),
    ],
)
def test_moments_that_there_are_not(tmp_path, text, seat, words):
    """The message says which moments there are."""
    found = steps(tmp_path)
    with pytest.raises(ConfigError) as caught:
        find_step(found, parse_moment(text), seat)
    assert words in str(caught.value)
