from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import given, settings
from rules import naive
from rules.helpers import (
    GivenPacks,
    card,
    cards,
    deals,
    illegal_answers,
    moves_of,
    packs,
    play_out,
    random_move,
    randoms,
    replayed,
    rules,
    seeds,
    snapshot,
    texts,
)

from bluke.errors import RuleError, TurnError
from bluke.rules import (
    CARDS,
    MAX_SEATS,
    MIN_SEATS,
    Asked,
    Bid,
    BlukeLed,
    CardSet,
    CutRule,
    Dealt,
    Game,
    Played,
    Rules,
    Scored,
    SeededPacks,
    TrickTaken,
    Variant,
    points,
)

every_table = pytest.mark.parametrize("seats", range(MIN_SEATS, MAX_SEATS + 1))
every_variant = pytest.mark.parametrize("variant", Variant)
seed = bytes(range(32))


class Onlooker:
    """A referee by the text of RULES: fed the packs and the moves, it says what should be the case.

    It uses nothing of the engine but what its moves are called.
    """

    def __init__(self, rules: Rules, made: SeededPacks) -> None:
        self.rules, self.packs = rules, made
        self.totals = [0] * rules.seats
        _, self.dealer, self.scorekeeper = naive.draw(texts(made.draw()), rules.seats)
        self.dealer -= 1
        self.number = -1
        self.next_hand()

    def next_hand(self) -> None:
        self.number += 1
        self.over = self.number == len(self.rules.schedule)
        if self.over:
            return
        self.size = self.rules.schedule[self.number]
        self.dealer = (self.dealer + 1) % self.rules.seats
        pack = texts(self.packs.hand(self.number))
        self.hands, self.rest = naive.deal(pack, self.rules.seats, self.size, self.dealer)
        self.turned: str | None = None
        self.trump: str | None = None
        self.bids: dict[int, int] = {}
        self.trick: list[str] = []
        self.taken = [0] * self.rules.seats
        self.turn = self.left(self.dealer)
        self.cut_due = bool(self.rest)
        if self.cut_due and self.rules.cut is CutRule.TAP:
            self.cut(0)

    def left(self, seat: int) -> int:
        return (seat + 1) % self.rules.seats

    def cut(self, count: int) -> None:
        self.cut_due = False
        self.turned, self.trump = naive.turn_up(self.rest, count)

    def bid(self, bid: int) -> None:
        self.bids[self.turn] = bid
        self.turn = self.left(self.turn)

    def legal(self) -> list[str] | list[int]:
        if self.over:
            return []
        if self.cut_due:
            return list(range(len(self.rest)))
        if len(self.bids) < self.rules.seats:
            return list(range(1, self.size + 1))
        led = self.trick[0] if self.trick else None
        variant, bluke_led = self.rules.variant.value, self.rules.bluke_led.value
        return naive.legal(self.hands[self.turn], led, self.trump, variant, bluke_led)

    def play(self, card: str) -> None:
        self.hands[self.turn].remove(card)
        self.trick.append(card)
        self.turn = self.left(self.turn)
        if len(self.trick) < self.rules.seats:
            return
        self.turn = (self.turn + naive.winner(self.trick, self.trump)) % self.rules.seats
        self.taken[self.turn] += 1
        self.trick = []
        if not any(self.hands):
            for seat, taken in enumerate(self.taken):
                self.totals[seat] += naive.points(self.bids[seat], taken)
            self.next_hand()

    def assert_agrees(self, game: Game) -> None:
        assert tuple(self.totals) == game.totals
        assert self.over == game.over
        legal = [str(answer) if isinstance(game.legal, CardSet) else answer for answer in game.legal]
        assert sorted(self.legal()) == sorted(legal)
        if self.over:
            return
        assert self.turn == game.seat
        assert (self.number, self.size, self.dealer) == (game.hand, game.size, game.dealer)
        assert (str(self.turned), str(self.trump)) == (str(game.turned), str(game.trump))
        assert tuple(self.bids.get(seat) for seat in range(self.rules.seats)) == game.bids
        assert tuple(self.taken) == game.tricks_won
        assert str(self.trick[0] if self.trick else None) == str(game.led)
        assert self.cut_due == (game.asked is Asked.CUT) == (not game.cut_done)
        for seat, hand in enumerate(self.hands):
            assert sorted(hand) == sorted(texts(game.held(seat)))


def play_before_an_onlooker(rules: Rules, made: SeededPacks, random: Random) -> None:
    game, onlooker = Game(rules, made), Onlooker(rules, made)
    onlooker.assert_agrees(game)
    while not game.over:
        asked, (seat, value) = game.asked, random_move(game, random)
        game.answer(seat, value)
        if not isinstance(value, int):
            onlooker.play(str(value))
        elif asked is Asked.CUT:
            onlooker.cut(value)
        else:
            onlooker.bid(value)
        onlooker.assert_agrees(game)


@every_table
@every_variant
def test_play_a_whole_game(seats, variant):
    """At every step of a standard game turn, legal answers and scores are those of the text, at every table."""
    cut = CutRule.PLAYER if seats % 2 else CutRule.TAP
    made = SeededPacks(bytes([seats]) * 32)
    play_before_an_onlooker(Rules(seats=seats, variant=variant, cut=cut), made, Random(seats))


@given(rules(largest=6), seeds, randoms)
@settings(max_examples=60)
def test_play_a_game_of_any_rules(chosen, seed, random):
    """At every step of any game turn, legal answers and scores are those of the text."""
    play_before_an_onlooker(chosen, SeededPacks(seed), random)


@pytest.mark.parametrize("bluke_led", BlukeLed)
@every_variant
@pytest.mark.parametrize(("seats", "size"), [(2, 27), (3, 18), (6, 9), (9, 6)])
def test_play_the_whole_pack(seats, size, variant, bluke_led):
    """When the whole pack is dealt nobody cuts, nothing is turned up and the hand is no trump (RULES 4.4)."""
    chosen = Rules(seats=seats, hands=(size,), variant=variant, bluke_led=bluke_led, cut=CutRule.PLAYER)
    game = Game(chosen, SeededPacks(seed))
    (dealt,) = deals(game)
    assert (dealt.cut, dealt.turned, dealt.trump) == (None, None, None)
    assert (game.asked, game.turned, game.trump, game.cut_done) == (Asked.BID, None, None, True)
    assert CardSet.of(card for held in dealt.cards for card in held) == CardSet.of(CARDS)
    play_before_an_onlooker(chosen, SeededPacks(seed), Random(size))


# Laws


@given(rules(largest=8), seeds, randoms)
@settings(max_examples=60)
def test_keep_the_cards(chosen, seed, random):
    """Each card is where it was dealt until it is played, once, and one seat always has a legal answer."""
    game = Game(chosen, SeededPacks(seed))
    while not game.over:
        assert game.legal
        assert 0 <= game.seat < chosen.seats
        if game.asked is Asked.PLAY:
            dealt = deals(game)[-1]
            played = [event for event in game.events if isinstance(event, Played) and event.hand == game.hand]
            for seat, got in enumerate(dealt.cards):
                laid = [event.card for event in played if event.seat == seat]
                assert len(set(laid)) == len(laid)
                assert sorted([*game.held(seat), *laid]) == sorted(got)
            everything = [card for got in dealt.cards for card in got]
            assert len(set(everything)) == len(everything) == chosen.seats * game.size
            assert dealt.turned not in everything
            assert all(card in game.held(game.seat) for card in game.legal)
        game.answer(*random_move(game, random))
    assert not game.legal
    assert (game.asked, game.led, [len(game.held(seat)) for seat in range(chosen.seats)]) == (
        None,
        None,
        [0] * chosen.seats,
    )


@given(rules(largest=8), seeds, randoms)
@settings(max_examples=60)
def test_add_up_the_score(chosen, seed, random):
    """Tricks add up to the hand's size, totals are sums of points, and events come in the order of the game."""
    game = Game(chosen, SeededPacks(seed))
    play_out(game, random)
    totals = (0,) * chosen.seats
    scored = [event for event in game.events if isinstance(event, Scored)]
    assert [event.hand for event in scored] == list(range(len(chosen.schedule)))
    for event, size in zip(scored, chosen.schedule, strict=True):
        assert sum(event.tricks) == size
        assert event.points == tuple(map(points, event.bids, event.tricks))
        totals = tuple(map(sum, zip(totals, event.points, strict=True)))
        assert event.totals == totals
        inside = [other for other in game.events if other.hand == event.hand]
        bids = [other for other in inside if isinstance(other, Bid)]
        taken = [other.winner for other in inside if isinstance(other, TrickTaken)]
        assert isinstance(inside[0], Dealt)
        assert inside[-1] == event
        assert [other.seat for other in bids] == [
            (inside[0].dealer + 1 + turn) % chosen.seats for turn in range(chosen.seats)
        ]
        assert {other.seat: other.bid for other in bids} == dict(enumerate(event.bids))
        assert tuple(taken.count(seat) for seat in range(chosen.seats)) == event.tricks
        assert len(inside) == 2 + chosen.seats + size * (chosen.seats + 1)
    assert game.totals == totals
    assert [event.dealer for event in deals(game)] == [
        (game.draw.dealer + hand) % chosen.seats for hand in range(len(chosen.schedule))
    ]


@given(rules(largest=5), seeds, randoms)
@settings(max_examples=60)
def test_replay(chosen, seed, random):
    """The events of a game give it again, move by move, and so does its seed with the same moves."""
    made = SeededPacks(seed)
    game = Game(chosen, made)
    moves = play_out(game, random)
    assert moves_of(game.events, chosen) == moves
    again = replayed(chosen, made, moves)
    assert snapshot(again) == snapshot(game)
    half = replayed(chosen, made, moves[: len(moves) // 2])
    assert list(half.events) == list(game.events[: len(half.events)])
    assert moves_of(half.events, chosen) == moves[: len(moves) // 2]


@given(rules(largest=5), seeds, randoms)
@settings(max_examples=30)
def test_pickle_a_game(chosen, seed, random):
    """A game that went through another process goes on as the game that stayed."""
    game = Game(chosen, SeededPacks(seed))
    moves = play_out(game, random)
    half = replayed(chosen, SeededPacks(seed), moves[: len(moves) // 2])
    moved = pickle.loads(pickle.dumps(half))
    for seat, value in moves[len(moves) // 2 :]:
        moved.answer(seat, value)
    assert snapshot(moved) == snapshot(game)


@given(rules(largest=8).filter(lambda chosen: chosen.cut is CutRule.TAP), seeds, randoms, randoms)
@settings(max_examples=40)
def test_play_a_deal_again(chosen, seed, one, other):
    """Whoever sits where and however they play, each seat of a deal gets the same cards, trump and deal (RULES 8.2)."""
    games = [Game(chosen, SeededPacks(seed)) for _ in range(2)]
    for game, random in zip(games, (one, other), strict=True):
        play_out(game, random)
    assert deals(games[0]) == deals(games[1])
    assert games[0].draw == games[1].draw


@every_table
def test_exchange_the_seats(seats):
    """Over as many games as there are seats, each bot plays every seat's cards of a deal once."""
    chosen = Rules(seats=seats, max_hand=3)
    got: dict[str, list[object]] = {f"bot {number}": [] for number in range(seats)}
    for turn in range(seats):
        game = Game(chosen, SeededPacks(seed))
        play_out(game, Random(turn))
        dealt = [event.cards for event in deals(game)]
        for number, bot in enumerate(got):
            got[bot].append([held[(number + turn) % seats] for held in dealt])
    hands = [sorted(map(str, games)) for games in got.values()]
    assert all(games == hands[0] for games in hands)
    assert len(set(hands[0])) == seats


@given(rules(largest=5), packs, randoms)
@settings(max_examples=30)
def test_answer_with_the_fixed_answer(chosen, shuffled, random):
    """The referee's answer for an absent seat is always legal: a tap, a bid of one, or a card."""
    game = Game(chosen, GivenPacks(shuffled, shuffled))
    while not game.over:
        value = game.fixed_answer()
        assert value in game.legal
        if game.asked is Asked.PLAY:
            assert value in game.held(game.seat)
        else:
            assert value == (0 if game.asked is Asked.CUT else 1)
        game.answer(*((game.seat, value) if random.random() < 0.7 else random_move(game, random)))


@given(rules(largest=4), seeds, randoms)
@settings(max_examples=30)
def test_keep_what_was_handed_out(chosen, seed, random):
    """What a game hands out never changes afterwards, except that the events grow."""
    game = Game(chosen, SeededPacks(seed))
    kept = []
    while not game.over:
        kept.append((game.legal, game.bids, game.tricks_won, game.totals, game.held(0), game.events[-1:]))
        assert pickle.loads(pickle.dumps(kept[-1])) == kept[-1]
        before = pickle.dumps(kept[-1])
        events = list(game.events)
        game.answer(*random_move(game, random))
        assert pickle.dumps(kept[-1]) == before
        assert list(game.events[: len(events)]) == events


# Refusals


def assert_refused(game: Game, seat: int, value, error: type[RuleError], rule: str) -> str:
    """The answer is refused for this reason, and the game is exactly as it was."""
    before = snapshot(game)
    with pytest.raises(RuleError) as caught:
        game.answer(seat, value)
    assert snapshot(game) == before
    assert type(caught.value) is error
    assert caught.value.rule == rule
    assert str(caught.value) == f"{caught.value.detail} (RULES {rule})"
    return caught.value.detail


@given(rules(largest=4), seeds, randoms)
@settings(max_examples=60)
def test_answer_wrongly_all_the_time(chosen, seed, random):
    """Every wrong answer is refused with its section, changes nothing, and the game ends as if it had never been."""
    game = Game(chosen, SeededPacks(seed))
    moves = []
    while not game.over:
        assert game.asked is not None
        section = {Asked.CUT: "4.2", Asked.BID: "5.1", Asked.PLAY: "6.1"}[game.asked]
        value, rule = random.choice(illegal_answers(game))
        assert_refused(game, game.seat, value, RuleError, rule)
        moves.append(random_move(game, random))
        other = random.choice([seat for seat in range(-1, chosen.seats + 1) if seat != game.seat])
        assert_refused(game, other, moves[-1][1], TurnError, section)
        assert_refused(game, game.seat, 1 if game.asked is Asked.PLAY else CARDS[0], TurnError, section)
        game.answer(*moves[-1])
    assert snapshot(replayed(chosen, SeededPacks(seed), moves)) == snapshot(game)
    for value in (0, 1, CARDS[0]):
        assert_refused(game, game.seat, value, TurnError, "2.3")


def game_at_the_bids(size: int = 5, **options) -> Game:
    return Game(Rules(seats=3, hands=(size,), **options), SeededPacks(seed))


@pytest.mark.parametrize("bid", [0, 6, 1_000_000, -1, -1_000_000])
def test_bid_what_is_no_bid(bid):
    """Zero, one more than the cards dealt, and a million are no bids; the message says what would be (RULES 5.2)."""
    game = game_at_the_bids(5)
    detail = assert_refused(game, game.seat, bid, RuleError, "5.2")
    assert detail == f"a bid of {bid}: in a hand of 5 a bid is 1 to 5"
    assert list(game.legal) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("count", [-1, 39, 1_000_000])
def test_cut_what_cannot_be_cut(count):
    """At least one card stays under the cut, and the message says how many may go (RULES 4.2)."""
    game = game_at_the_bids(5, cut=CutRule.PLAYER)
    detail = assert_refused(game, game.seat, count, RuleError, "4.2")
    assert detail == f"a cut of {count}: 0 to 38 cards can be cut"
    assert list(game.legal) == list(range(39))


@pytest.mark.parametrize("count", [0, 1, 20, 38])
def test_cut(count):
    """The card below the cut is turned up, and a tap turns up the top card (RULES 4.2, 4.3)."""
    game = game_at_the_bids(5, cut=CutRule.PLAYER)
    cutter = game.seat
    assert (game.asked, game.cut_done, game.trump, game.turned, list(game.events)) == (Asked.CUT, False, None, None, [])
    game.cut(cutter, count)
    turned = SeededPacks(seed).hand(0)[15 + count]
    assert (game.turned, game.trump, deals(game)[0].cut) == (turned, turned.suit, count)
    # The seat that cuts is the first to bid.
    assert (game.seat, game.asked, cutter) == (cutter, Asked.BID, (game.dealer + 1) % 3)


@pytest.mark.parametrize("turned", ["LO", "HI"])
def test_turn_up_a_bluke(turned):
    """A Bluke turned up means no trump (RULES 4.3)."""
    game = Game(Rules(seats=2, hands=(1,)), GivenPacks(cards(f"2C 3C {turned} 4S")))
    assert (str(game.turned), game.trump) == (turned, None)


def test_bid_at_the_wrong_time():
    """Another seat's bid and a card are out of turn, and the message says who is to do what (RULES 5.1)."""
    game = game_at_the_bids()
    seat, other = game.seat, (game.seat + 1) % 3
    assert assert_refused(game, other, 1, TurnError, "5.1") == f"seat {seat} is to bid, not seat {other} to bid"
    mine = next(iter(game.held(seat)))
    assert assert_refused(game, seat, mine, TurnError, "5.1") == f"seat {seat} is to bid, not seat {seat} to play"
    before = snapshot(game)
    with pytest.raises(TurnError, match=f"seat {seat} is to bid, not seat {seat} to cut"):
        game.cut(seat, 0)
    assert snapshot(game) == before
    game.bid(seat, 1)
    assert_refused(game, seat, 1, TurnError, "5.1")


def test_answer_after_the_end():
    """When the game is over nobody is asked, nothing is legal, and every answer is out of turn."""
    game = game_at_the_bids(1)
    play_out(game, Random(0))
    assert (game.over, game.asked, game.led, list(game.legal)) == (True, None, None, [])
    assert (game.hand, game.size, game.trick) == (0, 1, 1)
    for value in (1, CARDS[7]):
        assert assert_refused(game, game.seat, value, TurnError, "2.3") == "the game is over"
    with pytest.raises(TurnError):
        game.cut(game.seat, 0)


#: Seat 0 deals in each of these games, since it draws an ace; seat 1 leads and trump is spades.
DRAWN = cards("AH 2D 3C")
HANDS = cards("KH 5C LO  2S 3H 9H  7D 8D 9D  4S")


def game_at_the_play(**options) -> Game:
    game = Game(Rules(seats=3, hands=(3,), **options), GivenPacks(HANDS, DRAWN))
    for _ in range(3):
        game.bid(game.seat, 1)
    assert [str(game.held(seat)) for seat in (1, 2, 0)] == ["7D KH 2S", "5C 8D 3H", "9D 9H LO"]
    return game


def test_play_a_card_not_held():
    """A card of another hand, of the pack or of an earlier trick is not held; the message lists what is legal."""
    game = game_at_the_play()
    for other in cards("5C 4S AS"):
        detail = assert_refused(game, 1, other, RuleError, "6.1")
        assert detail == f"seat 1 does not hold {other}: legal is 7D KH 2S"
    game.play(1, card("KH"))
    game.play(2, card("3H"))
    detail = assert_refused(game, 0, card("KH"), RuleError, "6.1")
    assert detail == "seat 0 does not hold KH: legal is 9H LO"


def test_do_not_follow():
    """A seat that holds the suit led must play it or a Bluke; the message lists both (RULES 6.2)."""
    game = game_at_the_play()
    game.play(1, card("KH"))
    assert assert_refused(game, 2, card("5C"), RuleError, "6.2") == "5C does not follow KH: legal is 3H"
    game.play(2, card("3H"))
    assert assert_refused(game, 0, card("9D"), RuleError, "6.2") == "9D does not follow KH: legal is 9H LO"


def test_do_not_follow_in_new_jersey():
    """In New Jersey a Bluke may not be played on a suit that the seat can follow (RULES 6.4)."""
    game = game_at_the_play(variant=Variant.NEW_JERSEY)
    game.play(1, card("KH"))
    game.play(2, card("3H"))
    assert assert_refused(game, 0, card("LO"), RuleError, "6.4") == "LO does not follow KH: legal is 9H"
    game = game_at_the_play(variant=Variant.NEW_JERSEY)
    game.play(1, card("2S"))
    game.play(2, card("5C"))
    assert assert_refused(game, 0, card("9H"), RuleError, "6.4") == "9H does not follow 2S: legal is LO"


def test_do_not_follow_a_bluke_that_calls_for_trumps():
    """With `bluke_led: trump` a seat that holds a trump may not throw another suit on a led Bluke (RULES 6.3)."""
    hands = cards("LO 3C 2S 5C HI 6C 9D")
    game = Game(Rules(seats=2, hands=(3,), bluke_led=BlukeLed.TRUMP), GivenPacks((*hands[:6], card("4S")), DRAWN))
    for _ in range(2):
        game.bid(game.seat, 1)
    assert [str(game.held(seat)) for seat in (1, 0)] == ["2S LO HI", "3C 5C 6C"]
    game.play(1, card("2S"))
    game.play(0, card("3C"))
    game.play(1, card("HI"))
    # Without a trump seat 0 may play anything.
    assert str(game.legal) == "5C 6C"

    hands = cards("LO 3C 2H 5S HI 6C 4S")
    game = Game(Rules(seats=2, hands=(3,), bluke_led=BlukeLed.TRUMP), GivenPacks(hands, DRAWN))
    for _ in range(2):
        game.bid(game.seat, 1)
    game.play(1, card("LO"))
    assert assert_refused(game, 0, card("3C"), RuleError, "6.3") == "3C does not follow LO: legal is 5S"


def test_play_out_of_turn():
    """A card from another seat is out of turn, even one that it holds (RULES 6.1)."""
    game = game_at_the_play()
    assert assert_refused(game, 2, card("3H"), TurnError, "6.1") == "seat 1 is to play, not seat 2 to play"
    assert_refused(game, 1, 1, TurnError, "6.1")


def test_take_tricks_and_score():
    """A whole hand by hand: the winner leads, and points and totals are those of RULES 7."""
    game = game_at_the_play()
    # Seat 0 takes the first trick with its Bluke and the second with the 9D.
    for seat, laid in zip((1, 2, 0, 0, 1, 2), cards("KH 3H LO 9D 7D 8D"), strict=True):
        game.play(seat, laid)
    assert (game.seat, game.tricks_won) == (0, (2, 0, 0))
    game.play(0, card("9H"))
    game.play(1, card("2S"))
    game.play(2, card("5C"))
    assert game.events[-1] == Scored(0, (1, 1, 1), (2, 1, 0), (11, 10, -10), (11, 10, -10))
    assert game.totals == (11, 10, -10)
