from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from typing import Any

import pytest
from bots_reference.offline import Table, play_game

from bluke.rules import Rules, Variant, game_seed
from bluke_sdk import BidView, BlukeLed, Bot, Card, PlayView, Suit, Trick
from bluke_sdk import Rules as SdkRules
from bots import playout
from bots.mc import MonteCarlo, score
from bots.one import One
from bots.random import Random
from bots.rule import SURE, Rule, Sight, misses

ALL = (Random, One, Rule, MonteCarlo)
VARIANTS = tuple(Variant)


class QuickMonteCarlo(MonteCarlo):
    """As mc, but with less patience."""

    deals = 2


def cards(text: str) -> tuple[Card, ...]:
    return tuple(sorted(map(Card.parse, text.split())))


def view(
    held: str, legal: str | None = None, *, table: str = "", trump: str | None = "H", bid: int = 1, won: int = 0, **more
) -> PlayView:
    """Four seats; this one is seat 2, the trick was led so that it is next."""
    on_table = tuple(map(Card.parse, table.split()))
    tricks = (Trick((2 - len(on_table)) % 4, on_table),) if on_table else ()
    standard: dict[str, Any] = {
        "seat": 2,
        "rules": SdkRules(seats=4),
        "totals": (0,) * 4,
        "hand": 0,
        "size": 6,
        "dealer": 0,
        "trump": Suit(trump) if trump else None,
        "turned": Card.parse("5H") if trump else Card.parse("LO"),
        "cards": cards(held),
        "bids": (1, 1, bid, 1),
        "tricks": tricks,
        "tricks_won": (0, 0, won, 0),
        "legal": cards(legal or held),
    }
    return PlayView(**standard | more)


def played(shown: PlayView) -> str:
    return str(Rule().play(shown))


def answers(view: BidView | PlayView, answer: object) -> None:
    assert answer in view.legal


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seats", range(2, 16))
def test_every_answer_is_legal(seats, variant):
    """All four play whole games of either variant with 2 to 15 seats, and the rules refuse nothing."""
    rules = Rules(seats=seats, variant=variant)
    for number in range(2):
        kinds = (Random, One, Rule, QuickMonteCarlo)
        bots = [kinds[(seat + number) % 4]() for seat in range(seats)]
        play_game(rules, game_seed(b"legal", number), bots, str(number), answers)


@pytest.mark.parametrize(
    "rules",
    [
        Rules(seats=3, max_hand=2, last_hand=18),
        Rules(seats=2, hands=(27, 1, 26)),
        Rules(seats=6, hands=(9, 1)),
        Rules(seats=15, hands=(1, 3)),
        Rules(seats=9, hands=(6,), variant=Variant.NEW_JERSEY),
        Rules(seats=4, bluke_led=Rules().bluke_led.__class__.TRUMP),
    ],
    ids=str,
)
def test_odd_schedules_are_played(rules):
    """Whole-pack deals without trump, hands of one card and led Blukes that call for trumps are no trouble."""
    for number in range(3):
        kinds = (Rule, QuickMonteCarlo, Random)
        bots = [kinds[seat % 3]() for seat in range(rules.seats)]
        play_game(rules, game_seed(b"odd", number), bots, str(number), answers)


def test_cutting_is_left_to_the_sdk():
    """No reference bot cuts: `Bot.cut` taps."""
    assert all(bot.cut is Bot.cut for bot in ALL)


@pytest.mark.parametrize("bot", ALL)
def test_a_game_plays_out_the_same_again(bot):
    """The same game gives the same moves, whatever else was asked of the process in between."""
    rules = Rules(hands=(3, 8, 1))
    first = play_game(rules, game_seed(b"again", 1), [bot() for _ in range(4)], "game-1")
    random.random()
    play_game(rules, game_seed(b"other", 1), [bot() for _ in range(4)], "game-2")
    assert play_game(rules, game_seed(b"again", 1), [bot() for _ in range(4)], "game-1") == first


@pytest.mark.parametrize("bot", ALL)
def test_a_bot_needs_no_memory(bot):
    """A fresh instance for every decision decides as one that has played the whole game."""

    class Forgetful(Bot):
        def bid(self, view):
            return bot().bid(view)

        def play(self, view):
            return bot().play(view)

    rules = Rules(hands=(5, 2))
    seed = game_seed(b"memory", 0)
    assert play_game(rules, seed, [Forgetful() for _ in range(4)]) == play_game(rules, seed, [bot() for _ in range(4)])


async def test_another_process_decides_alike():
    """Nothing depends on hash seeds or on what else a process has done."""
    script = (
        "from bluke.rules import Rules, game_seed\n"
        "from bots_reference.offline import play_game\n"
        "from bots.random import Random\nfrom bots.mc import MonteCarlo\n"
        "bots = [Random(), MonteCarlo(), Random(), MonteCarlo()]\n"
        "print(play_game(Rules(hands=(4,)), game_seed(b'process', 0), bots))\n"
    )
    seen = set()
    for seed in ("1", "2"):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            script,
            stdout=subprocess.PIPE,
            env={"PYTHONPATH": ":".join(filter(None, sys.path)), "PYTHONHASHSEED": seed},
        )
        out, _ = await process.communicate()
        assert process.returncode == 0
        seen.add(out)
    bots = [Random(), MonteCarlo(), Random(), MonteCarlo()]
    assert seen == {f"{play_game(Rules(hands=(4,)), game_seed(b'process', 0), bots)}\n".encode()}


def test_games_with_other_ids_get_other_luck():
    """The luck of a bot follows from the game's id, so two games on one deal are not the same game."""
    results = {
        play_game(Rules(hands=(8,)), game_seed(b"luck", 0), [Random() for _ in range(4)], name).moves for name in "abc"
    }
    assert len(results) == 3


# rule


@pytest.mark.parametrize(
    ("marked", "drawn", "hidden", "chance"), [(0, 5, 10, 1000), (1, 5, 10, 500), (2, 5, 10, 222), (3, 8, 10, 0)]
)
def test_miss_is_the_chance_that_none_is_drawn(marked, drawn, hidden, chance):
    """C(8,5)/C(10,5) is 2 in 9, and with eight of ten drawn none of three can be missed."""
    assert misses(drawn, hidden)[marked] == chance


def test_the_last_seat_takes_with_its_cheapest_winner():
    """Jack, king and ace would all take the trick: the jack does."""
    assert played(view("2C JC KC AC", table="9C 3C TC")) == "JC"


def test_a_trick_that_cannot_be_won_costs_the_least_card():
    """Under an ace the lowest card of the suit goes."""
    assert played(view("4C TC KC", table="3C AC 5C")) == "4C"


def test_the_last_seat_ruffs_low():
    """Void in the suit led and last, it takes the trick with its lowest trump."""
    assert played(view("2D 3H AH", table="9C 3C TC")) == "3H"


def test_a_ruff_that_would_not_win_is_saved():
    """Where a higher trump lies on the table, a side card goes."""
    assert played(view("2D 3H 4H", table="9C JH TC")) == "2D"


def test_a_card_that_nothing_beats_is_played_before_the_last_seat():
    """Second to play, the ace is better now than later."""
    assert played(view("4C AC", table="9C")) == "AC"


def test_a_seat_without_need_lets_go_of_its_least_card():
    """With its bid made, or out of reach, the leader keeps what is strong to stop others; in need it cashes it."""
    assert played(view("3H HI", bid=2)) == "HI"
    assert played(view("3H HI", bid=2, won=2)) == "3H"
    assert played(view("3H HI", bid=3)) == "3H"
    assert played(view("7C AC", bid=2)) == "AC"
    assert played(view("7C AC", bid=1, won=1)) == "7C"


def test_a_forced_card_is_played():
    """The only legal card is played without a thought."""
    assert played(view("2C AC", "2C", table="3C")) == "2C"


def test_hidden_cards_are_those_nobody_showed():
    """Held, turned and played cards are not hidden; higher cards are counted by what beats what."""
    sight = Sight(view("QC QH", table="KC LO"))
    assert sight.count == 54 - 5
    assert sight.of_suit(0) == 11
    assert sight.above(Card.parse("QC").index) == 2  # the ace and the Hi Bluke
    assert sight.above(Card.parse("QH").index) == 3  # king, ace, Hi Bluke
    assert sight.above(52) == 1
    assert sight.above(53) == 0
    assert sight.worth(53, 6) == SURE


def bid_view(held: str, trump: str | None = "H", seats: int = 4) -> BidView:
    dealt = cards(held)
    return BidView(
        seat=1,
        rules=SdkRules(seats=seats),
        totals=(0,) * seats,
        hand=0,
        size=len(dealt),
        dealer=0,
        trump=Suit(trump) if trump else None,
        turned=Card.parse("5H") if trump else None,
        cards=dealt,
        bids=(None,) * seats,
        tricks_won=(0,) * seats,
        legal=tuple(range(1, len(dealt) + 1)),
    )


@pytest.mark.parametrize("bot", [Rule, MonteCarlo])
def test_bids_grow_with_the_hand(bot):
    """Nothing bids one, the strongest hand bids all of it, and a fair one lies between."""
    assert bot().bid(bid_view("2C 3C 4D 5D 6S")) == 1
    assert bot().bid(bid_view("QH KH AH LO HI")) == 5
    assert bot().bid(bid_view("AC 4D KH AH 6S")) == 2
    assert bot().bid(bid_view("2C")) == 1


# mc and its playouts


def test_the_best_bid_weighs_what_is_made_and_set():
    """When two tricks are sure and a third falls half the time, three gains nothing and two is best (RULES 7)."""
    counts = [0, 0, 5, 5]
    assert [score(bid, counts) for bid in (1, 2, 3)] == [115, 205, 0]


def test_playouts_hand_out_every_trick():
    """Whatever is dealt, the tricks of the seats add up to the hand's size, and the same deal gives the same."""
    roll = random.Random(7)
    for seats in range(2, 16):
        for trump in (None, *Suit):
            size = roll.randint(1, 54 // seats)
            pack = list(range(54))
            roll.shuffle(pack)
            hands = [sum(1 << card for card in pack[seat * size : (seat + 1) * size]) for seat in range(seats)]
            deal = playout.Deal.make(SdkRules(seats=seats), size, roll.randrange(seats), trump, None)
            taken = playout.play_out(deal, hands[:])
            assert sum(taken) == size
            assert playout.play_out(deal, hands[:]) == taken


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("bluke_led", [BlukeLed.FREE, BlukeLed.TRUMP])
def test_playouts_keep_the_rules(variant, bluke_led):
    """What binds in a playout, and who takes its tricks, is what the rules of the game say."""
    from bluke.rules import CARDS, CardSet, legal_plays, trick_winner
    from bluke.rules import BlukeLed as Led
    from bluke.rules import Suit as RulesSuit
    from bluke_sdk import Variant as SdkVariant

    rules = Rules(variant=variant, bluke_led=Led(bluke_led.value))
    shown = SdkRules(seats=4, variant=SdkVariant(variant.value), bluke_led=bluke_led)
    roll = random.Random(3)
    for trump in (None, *Suit):
        theirs = None if trump is None else RulesSuit.parse(str(trump))
        deal = playout.Deal.make(shown, 5, 0, trump, None)
        for led in CARDS:
            held = CardSet.of(roll.sample([card for card in CARDS if card != led], 6))
            binding, allowed = deal.follow[playout.SUIT_OF[deal.order[led.index]]]
            mine = sum(1 << deal.order[card.index] for card in held)
            legal = mine & allowed if mine & binding else mine
            expected = legal_plays(held, led, theirs, rules)
            assert legal == sum(1 << deal.order[card.index] for card in expected)
        for _ in range(50):
            four = roll.sample(CARDS, 4)
            one_trick = playout.Deal.make(shown, 1, 0, trump, None)
            taken = playout.play_out(one_trick, [1 << one_trick.order[card.index] for card in four])
            assert taken.index(1) == trick_winner(four, theirs)


def test_a_table_shows_a_seat_what_the_rules_let_it_see():
    """The offline table shows the seat to act its own cards and what is on the table."""
    table = Table(Rules(hands=(3,)), game_seed(b"table", 0), "t")
    shown = table.view()
    assert isinstance(shown, BidView)
    assert (shown.my_bid, len(shown.cards), shown.tricks) == (None, 3, ())
