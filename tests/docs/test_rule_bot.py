"""The page on the bot `rule` says what the bot does: its code is run, its examples are worked out by the bot."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from clients.fields import READ, leaves
from clients.recorded import SETTINGS, rule_answers, talks

import bots.rule
from bluke.v1 import game_pb2 as game_pb
from bluke.v1 import play_pb2 as play_pb
from bluke_sdk import CARDS, Card, PlayView
from bluke_sdk._wire import ASKED, SeatCache, read_view
from bots.rule import SURE, Sight, misses

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = (Path(__file__).parents[2] / "docs" / "rule-bot.md").read_text(encoding="utf-8")
CODE = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
CONSTANT = re.compile(r"^\| `([A-Z_]+)` \| ([0-9]+) \|", re.MULTILINE)
TRUMPS = {
    "C": game_pb.TRUMP_CLUBS,
    "D": game_pb.TRUMP_DIAMONDS,
    "H": game_pb.TRUMP_HEARTS,
    "S": game_pb.TRUMP_SPADES,
    "none": game_pb.TRUMP_NONE,
}


def compiled(code: str = CODE) -> Callable[[play_pb.Turn], int]:
    """The bot that the page's code is."""
    names: dict[str, Any] = {}
    exec(compile(code, "rule-bot.md", "exec"), names)  # the page is ours
    answer: Callable[[play_pb.Turn], int] = names["answer"]
    return answer


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> list[play_pb.Turn]:
    """The decisions of games of every kind."""
    return [turn for talk in talks(tmp_path_factory.mktemp("games"), SETTINGS) for turn in talk.turns]


@pytest.mark.slow
def test_the_code_of_the_page_is_the_bot(turns: list[play_pb.Turn]):
    """Run as it stands, it answers every decision as the bot does."""
    answer = compiled()
    assert len(turns) > 4000
    assert next((turn for turn in turns if answer(turn) != rule_answers(turn)), None) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, _ in CONSTANT.findall(PAGE)])
def test_another_constant_would_be_noticed(turns: list[play_pb.Turn], name: str):
    """With any of them a little larger the code is another bot, so the decisions that are tried hold each."""
    (line,) = [line for line in CODE.splitlines() if re.match(rf"[A-Z_, ]*\b{name}\b[A-Z_, ]* = ", line)]
    names, values = (part.split(", ") for part in line.split(" = "))
    place = names.index(name)
    values[place] = str(int(values[place]) * 21 // 20)
    answer = compiled(CODE.replace(line, f"{', '.join(names)} = {', '.join(values)}"))
    assert any(answer(turn) != rule_answers(turn) for turn in turns)


def test_the_constants():
    """Those of the table are those of the code, and those of the bot but for the one that has no name there."""
    table = {name: int(value) for name, value in CONSTANT.findall(PAGE)}
    names: dict[str, Any] = {}
    exec(CODE, names)
    assert table == {name: names[name] for name in table}
    theirs = {name: value for name, value in vars(bots.rule).items() if name.isupper() and isinstance(value, int)}
    del theirs["BLUKES"]  # a set of cards
    assert table == theirs | {"MISS_SCALE": 1_000_000}


def test_every_chance_is_that_of_the_bot():
    """`miss` of the page and the bot's table of it agree wherever cards are counted."""
    names: dict[str, Any] = {}
    exec(CODE, names)
    for hidden in range(55):
        for drawn in range(hidden + 5):
            for marked in range(min(hidden, 15) + 1):
                assert names["miss"](marked, drawn, hidden) == misses(drawn, hidden)[marked]


def test_the_largest_number():
    """What the page says of it is what a whole pack makes of the largest chance."""
    (largest,) = re.findall(r"largest number on the way is ([0-9,]+)", PAGE)
    assert int(largest.replace(",", "")) == len(CARDS) * 1_000_000 < 2**31


def test_the_fields_are_named():
    """The table of fields names those that were found to matter, and no other."""
    named = re.findall(r"^\| `([a-z_.]+)` \|", PAGE.partition("## What it reads")[2].partition("```")[0], re.MULTILINE)
    assert set(named) == READ
    assert set(named) <= {path for path, _ in leaves()}


# The examples

Rows = list[dict[str, str]]


def examples() -> list[Any]:
    """Each example of the page: what is read, the calls of `stands`, and what comes of them."""
    found = []
    for section in PAGE.partition("\n## Examples")[2].partition("\n## ")[0].split("\n### ")[1:]:
        (block,) = re.findall(r"^```text\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        calls, outcome = [rows(table) for table in re.findall(r"(?:^\|.*\n?)+", section, re.MULTILINE)]
        found.append(pytest.param(block, calls, outcome, id=section.partition("\n")[0]))
    return found


def rows(table: str) -> Rows:
    head, _, *body = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return [dict(zip(head, cells, strict=True)) for cells in body]


def cards(text: str) -> list[int]:
    return [Card.parse(card).index for card in text.split()]


def read(block: str) -> tuple[play_pb.Turn, dict[str, str]]:
    """The turn of an example, and all that is said in its block."""
    said: dict[str, str] = {}
    turn = play_pb.Turn(game_id="example", decision_id=1)
    view = turn.view
    tricks = []
    for line in block.splitlines():
        word, value = line.split(None, 1)
        said[word] = value
        if word == "trick":
            leader, _, played = value.partition(": ")
            tricks.append(game_pb.Trick(leader=int(leader), cards=cards(played)))
    view.rules.seats, view.size, turn.seat = int(said["seats"]), int(said["size"]), int(said["seat"])
    view.trump = TRUMPS[said["trump"]]
    (view.turned,) = cards(said["turned"])
    view.cards.extend(sorted(cards(said["holds"])))
    view.bids.extend(map(int, said["bids"].split()))
    view.tricks_won.extend(map(int, said["won"].split()))
    for trick in tricks:
        if len(trick.cards) == view.rules.seats:
            trick.winner = winner(trick, view.trump)
        view.tricks.append(trick)
    asked = "legal" in said
    turn.asked = game_pb.ASKED_PLAY if asked else game_pb.ASKED_BID
    turn.legal.extend(sorted(cards(said["legal"])) if asked else range(1, view.size + 1))
    return turn, said


def winner(trick: game_pb.Trick, trump: int) -> int:
    """Who took a trick in which no Bluke lies."""
    best = max(trick.cards, key=lambda card: (card // 13 == trump - 1, card // 13 == trick.cards[0] // 13, card))
    return (trick.leader + list(trick.cards).index(best)) % len(trick.cards)


def called(sight: Sight, row: dict[str, str], led: int) -> dict[str, str]:
    """The line that a call of `stands` should have, out of the bot's own parts."""
    card = Card.parse(row["card"]).index
    seats, held = int(row["seats"]), int(row["held"])
    higher, suit = sight.above(card), card // 13
    numbers: dict[str, int] = {"higher": higher, "stands": sight.stands(card, led, seats, held)}
    if suit == 4 or suit == sight.trump == led:
        numbers["case"] = 1
    else:
        chances = misses(held, sight.count)
        void, one = chances[sight.of_suit(led)], chances[higher]
        numbers |= {"of led": sight.of_suit(led), "void": void, "case": 2 if suit == sight.trump else 3}
        if suit == sight.trump:
            one = SURE - void * (SURE - one) // SURE
        elif sight.trump >= 0:
            rest = sight.count - sight.of_suit(led)
            numbers["trumpless"] = misses(held, rest)[sight.of_suit(sight.trump)]
            one = max(0, one - void * (SURE - numbers["trumpless"]) // SURE)
        numbers["one"] = one
    told = {name: row[name] for name in ("card", "for", "seats", "held")}
    return told | {name: str(numbers[name]) if name in numbers else "-" for name in row if name not in told}


@pytest.mark.parametrize(("block", "calls", "outcome"), examples())
def test_an_example(block: str, calls: Rows, outcome: Rows):
    """The bot gives the stated answer, and each number on the way is the one that it works with."""
    turn, said = read(block)
    view: Any = read_view(ASKED[turn.asked][1], turn, SeatCache(turn.view.rules))
    answer = rule_answers(turn)
    assert said["answer"] == (str(CARDS[answer]) if isinstance(view, PlayView) else str(answer))
    assert compiled()(turn) == answer
    assert sorted(sum((list(trick.cards) for trick in view.tricks), [*view.cards, view.turned])) == sorted(view.seen)
    sight = Sight(view)
    assert said["hidden"] == str(sight.count)
    for row in calls:
        own = Card.parse(row["card"]).index // 13
        led = own if row["for"] == "worth" or not view.led else view.led.index // 13
        assert called(sight, row, led) == row
    stands = {(row["card"], row["for"]): row["stands"] for row in calls}
    after = {"now": (len(view.seats_after), len(view.cards)), "worth": (sight.others, len(view.cards) - 1)}
    if not isinstance(view, PlayView):
        after["worth"] = (sight.others, view.size)
        *lines, total = outcome
        worth = {row["card"]: sight.worth(Card.parse(row["card"]).index, view.size) for row in lines}
        assert [row["card"] for row in lines] == [str(card) for card in view.cards]
        assert {row["card"]: int(row["worth"]) for row in lines} == worth
        assert all(row["stands"] == stands[row["card"], "worth"] for row in lines)
        assert int(total["worth"]) == sum(worth.values())
    else:
        order = sorted(view.legal, key=lambda card: (card.rank, card.index))
        assert [row["card"] for row in outcome] == [str(card) for card in order]
        for row in outcome:
            assert row["now"] == stands.get((row["card"], "now"), "0")
            assert int(row["worth"]) == sight.worth(Card.parse(row["card"]).index, len(view.cards) - 1)
            assert int(row["gain"]) == int(row["now"]) - int(row["worth"])
        best = max(int(row["gain"]) for row in outcome)
        assert next(row["card"] for row in outcome if int(row["gain"]) == best) == said["answer"]
    assert all((int(row["seats"]), int(row["held"])) == after[row["for"]] for row in calls)


def test_there_is_a_bid_and_three_plays():
    """Of each kind of decision that takes thought there are examples, and between them every case of `stands`."""
    shown = [example.values for example in examples()]
    assert ["legal" in str(block) for block, _, _ in shown] == [False, True, True, True]
    assert {row["case"] for _, calls, _ in shown for row in calls if isinstance(row, dict)} == {"1", "2", "3"}
