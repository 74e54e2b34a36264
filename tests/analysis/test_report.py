from __future__ import annotations

import json

import pytest
from msgspec.json import encode
from replay.recording import record_game

from bluke.analysis import explain_game
from bluke.analysis.endgame import MEANINGS, Chance
from bluke.analysis.report import data, report
from bluke.replay.reader import read_replay
from bluke.replay.render import STYLES, plain
from bluke.rules import Rules
from bluke.wire.values import Player

HOSTILE = "[red]x[/red]\x1b[31m\u202egnp.exe\n\u0007"


@pytest.fixture(scope="module")
def explained(tmp_path_factory):
    players = (Player("Ann"), Player(HOSTILE), Player(""))
    folder = tmp_path_factory.mktemp("game")
    return explain_game(
        read_replay(record_game(folder, Rules(3, hands=(9, 1)), players=players, seed=5, fault_rate=0.1).path),
        samples=10,
    )


@pytest.fixture(scope="module")
def text(explained):
    return plain(report(explained))


def test_report(explained, text):
    """Each hand has its facts, the bids with their means, and hindsight under a heading of its own."""
    first, second = explained.hands
    for facts in first.facts:
        assert f"bid {facts.bid}, took {facts.taken}: {facts.outcome.value} {facts.points:+d}" in text
    lines = text.splitlines()
    start = lines.index(next(line for line in lines if line.startswith("Hand 0")))
    stop = lines.index(next(line for line in lines if line.startswith("Hand 1")))
    hand = lines[start:stop]
    knew = next(i for i, line in enumerate(hand) if "By what each seat knew" in line)
    hindsight = next(i for i, line in enumerate(hand) if "HINDSIGHT, all cards known, from trick 4" in line)
    assert knew < hindsight
    shown = [
        f"0.{decision.trick} {decision.value}"
        for decision in first.decisions
        if decision.trick is not None and decision.regret is not None and decision.regret.mean >= 0.5
    ]
    assert shown
    assert all(any(at in line and "regret" in line for line in hand[knew:hindsight]) for at in shown)
    # Nothing of the estimates stands under hindsight.
    assert not any("regret" in line for line in hand[hindsight:])
    assert len([line for line in hand if "; means" in line]) == 3
    assert second.hand == 1


def test_all_cards(explained, text):
    """If asked for, every card that was chosen is told with the mean of each legal one, its own in brackets."""
    told = plain(report(explained, cards=True)).splitlines()
    means = {line.split(maxsplit=2)[2] for line in told if "; means" in line}
    cards = [decision for decision in explained.hands[0].decisions if decision.trick is not None]
    assert any(decision.regret is None for decision in cards)
    for decision in cards:
        others = [f"{option.value}: {option.mean:.1f}" for option in decision.options]
        mine = f"{decision.value}: {decision.mean:.1f}"
        listed = "  ".join(f"[{other}]" if other == mine else other for other in others)
        made = {"bot": "", "referee": " (the referee's move)"}[decision.maker.value]
        assert f"0.{decision.trick} {decision.value}{made}; means  {listed}" in means
    assert not [line for line in text.splitlines() if "; means" in line and "0." in line.split("; means")[0]]


def test_say_what_it_is(text):
    """The reader is told that a regret is an estimate under a policy, and of how many deals."""
    assert "over 10 deals that the seat could not rule out" in text
    assert "an estimate under that policy, and not the price of a card" in text


def test_hostile_names(explained, text):
    """What a bot calls itself is printed as text."""
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"[red]x[/red]\x1b[31m\u202egnp.exe\n\x07" in text
    assert "(no name)" in text
    assert {piece.style for row in report(explained) for piece in row} <= STYLES.keys()


def test_sums(explained):
    """What a seat scored, and how many of its decisions had a regret, are the sums over its hands."""
    told = data(explained)
    for summary in told["summary"]:
        seat = summary["seat"]
        assert summary["points"] == sum(hand["facts"][seat]["points"] for hand in told["hands"])
        mine = [decision for hand in told["hands"] for decision in hand["decisions"] if decision["seat"] == seat]
        assert summary["choices"] == sum(len(decision["options"]) > 1 for decision in mine)
        assert summary["regrets"] == sum(decision["regret"] is not None for decision in mine)
        bids = [decision["mean"] for decision in mine if decision["asked"] == "bid"]
        assert summary["worth"] == pytest.approx(sum(bids), abs=0.01)
        assert sum(summary["outcomes"].values()) == summary["hands"] == 2


def test_data(explained):
    """The data are JSON, with every decision and its options, and cards in the notation of the files."""
    told = json.loads(encode(data(explained)))
    assert list(told) == ["game", "names", "seats", "samples", "policy", "complete", "hands", "summary"]
    decisions = [decision for hand in told["hands"] for decision in hand["decisions"]]
    assert len(decisions) == sum(len(hand.decisions) for hand in explained.hands)
    assert decisions[0]["at"] == "0.bid"
    assert {decision["by"] for decision in decisions} == {"bot", "referee"}
    card = next(decision for decision in decisions if decision["asked"] == "play")
    assert card["value"] in [option["value"] for option in card["options"]]
    assert set(told["hands"][0]["facts"][0]) >= {"bid", "taken", "outcome", "points", "safe_after", "lost_after"}
    assert {endgame["chance"] for endgame in told["hands"][0]["hindsight"]} <= {chance.value for chance in Chance}


def test_every_chance_has_words():
    """What hindsight can say has a sentence for people."""
    assert MEANINGS.keys() == set(Chance)


def test_unfinished(tmp_path):
    """A game that was not finished is said to be so, and its hand likewise."""
    path = record_game(tmp_path, Rules(3, hands=(5, 4)), stop=7, ending=None).path
    text = plain(report(explain_game(read_replay(path), samples=2)))
    assert "The file does not hold the whole game" in text
    assert "not played to its end" in text
    assert "scored 0 in 0 hands" in text


def test_before_the_bids(tmp_path):
    """A seat that has not bid is told so."""
    path = record_game(tmp_path, Rules(3, hands=(5, 4)), stop=1, ending=None).path
    text = plain(report(explain_game(read_replay(path), samples=2)))
    assert text.count("made no bid") == 2
