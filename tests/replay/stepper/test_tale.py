from __future__ import annotations

import pytest
from replay.recording import record_game
from replay.stepper.games import GAMES, tale

from bluke.errors import ConfigError
from bluke.replay.page.steps import Kind
from bluke.replay.reader import read_replay
from bluke.replay.stepper.tale import address, find, hand_so_far, on_table, tale_of
from bluke.replay.steps import parse_moment, steps_of
from bluke.rules import CutRule, Rules


@pytest.mark.parametrize("name", GAMES)
def test_every_step_has_its_name(tmp_path, name):
    """The address of every step leads back to it."""
    told = tale(tmp_path, name)
    names = [address(step) for step in told.steps]
    assert len(set(names)) == len(names)
    assert [find(told, f"#{name} ") for name in names] == list(range(len(names)))


def test_names_of_decisions_are_those_of_the_other_commands(tmp_path):
    """A decision is called here what `bluke replay ask` and `branch` call it, with and without its seat."""
    path = record_game(tmp_path, Rules(3, max_hand=4, cut=CutRule.PLAYER), seed=2).path
    told = tale_of(read_replay(path))
    decisions = [step for step in told.steps if step.seat is not None]
    moments = [step.moment for step in steps_of(read_replay(path))]
    assert [parse_moment(address(step)) for step in decisions] == moments
    for step in decisions:
        short = address(step).rpartition(".")[0] if address(step).count(".") == 2 else address(step)
        assert told.steps[find(told, short, step.seat)] is step


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", "names no moment"),
        ("", "names no moment"),
        ("99", "names no moment"),
        ("99.1", "hands 0 to 10"),
        ("0.bid.7", "no moment 0.bid.7"),
        ("0.cut", "no moment 0.cut"),
        ("0.0.9", "no moment 0.0.9"),
    ],
)
def test_a_moment_that_is_not_there(tmp_path, text, words):
    """What names no moment of the game is refused with what there is."""
    with pytest.raises(ConfigError, match=words):
        find(tale(tmp_path, "four"), text)


def test_a_game_without_a_hand(tmp_path):
    """Of a game that was not dealt there are the draw and the end."""
    told = tale(tmp_path, "undealt")
    assert [step.kind for step in told.steps] == [Kind.DRAW, Kind.END]
    with pytest.raises(ConfigError, match="the file has no hand"):
        find(told, "0.0")
    assert told.ending == "The game was not finished: the file holds 0 of 5 hands."


def test_what_lies_on_the_table(tmp_path):
    """The plays on the table are those of the trick, and the hand so far begins with its deal."""
    told = tale(tmp_path, "four")
    for at, step in enumerate(told.steps):
        plays = on_table(told, at)
        assert len(plays) == step.shown
        if step.kind is Kind.PLAY:
            assert plays[-1] is step
            assert {play.trick for play in plays} == {step.trick}
            assert plays[0].seat == step.leader
        if step.hand is not None:
            assert hand_so_far(told, at)[0].kind is Kind.DEAL
            assert {one.hand for one in hand_so_far(told, at)} == {step.hand}
