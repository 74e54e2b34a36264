from __future__ import annotations

from pathlib import Path

import pytest
from replay.page.games import hostile_game
from replay.recording import STRICT, lines_of, record_game, to_bytes

from bluke.replay.page.steps import Kind, Step, prose, story
from bluke.replay.reader import ReplayFileError, parse_replay, read_replay
from bluke.rules import Asked, Card, CardSet, CutRule, Game, Rules, Scored, SeededPacks, TrickTaken, Variant, game_seed
from bluke.wire.values import Status

TABLES = {
    "two": Rules(2, max_hand=27),
    "three": Rules(3, max_hand=6),
    "four": Rules(4),
    "fifteen": Rules(15),
    "new-jersey": Rules(5, variant=Variant.NEW_JERSEY, max_hand=4, cut=CutRule.PLAYER),
}


def cards_of(hand, seat: int, mask: int) -> CardSet:
    """The cards that a mask of places stands for."""
    return CardSet.of(Card.parse(card) for place, card in enumerate(hand.cards[seat]) if mask >> place & 1)


def answer_of(step: Step) -> int | Card | None:
    """What a step answered, if it is a move."""
    if step.seat is None:
        return None
    return Card.parse(step.value) if isinstance(step.value, str) else step.value


@pytest.mark.parametrize("name", TABLES)
def test_steps_against_the_game(tmp_path, name):
    """At every step the page says what the reducer says: turn, legal answers, cards held, bids, tricks and totals."""
    rules = TABLES[name]
    recorded = record_game(tmp_path, rules, seed=3, fault_rate=0.02)
    told = story(read_replay(recorded.path))
    game = Game(rules, SeededPacks(game_seed(b"tests", 3)))
    for step in told.steps[1:-1]:
        events = len(game.events)
        answer = answer_of(step)
        if answer is not None:
            assert step.seat == game.seat
            game.answer(game.seat, answer)
        after = game.events[events:]
        scored = next((event for event in after if isinstance(event, Scored)), None)
        if step.kind is Kind.SCORE:
            score = next(event for event in reversed(game.events) if isinstance(event, Scored))
            assert (step.hand, step.bids, step.won, step.points, step.totals) == score
        elif scored is not None:
            assert (step.turn, step.asked, step.legal, set(step.held)) == (None, None, 0, {0})
            assert (step.bids, step.won) == (scored.bids, scored.tricks)
        else:
            assert step.hand == game.hand
            hand = told.hands[game.hand]
            assert (step.turn, step.asked) == (game.seat, game.asked)
            assert tuple(bid or None for bid in step.bids) == game.bids
            assert (step.won, step.totals) == (game.tricks_won, game.totals)
            for seat in range(rules.seats):
                assert cards_of(hand, seat, step.held[seat]) == game.held(seat)
            if game.asked is Asked.PLAY:
                assert cards_of(hand, game.seat, step.legal) == game.legal
        for event in after:
            if isinstance(event, TrickTaken):
                assert (step.taken, step.best, step.trick) == (True, event.winner, event.trick)
    assert game.over
    assert game.totals == told.steps[-1].totals


def test_the_hands_are_those_dealt(tmp_path):
    """Each hand holds the cards, the dealer, the card turned up and the trump of its line."""
    path = record_game(tmp_path, Rules(3, max_hand=18), seed=4).path
    deals = [line for line in lines_of(path) if line["type"] == "hand"]
    hands = story(read_replay(path)).hands
    assert len(hands) == len(deals)
    for hand, line in zip(hands, deals, strict=True):
        assert [sorted(cards) for cards in hand.cards] == [sorted(cards) for cards in line["cards"]]
        assert [hand.size, hand.dealer, hand.cut, hand.turned, hand.trump] == [
            line[key] for key in ("size", "dealer", "cut", "turned", "trump")
        ]
    assert hands[0].trump is None
    assert hands[0].turned is None


def test_a_hand_is_sorted_for_a_player(tmp_path):
    """Blukes come first, then trumps, and high cards before low ones."""
    path = record_game(tmp_path, Rules(2, max_hand=26), seed=4).path
    hand = story(read_replay(path)).hands[0]
    assert hand.trump is not None
    for cards in hand.cards:
        plain = [card for card in cards if card not in {"LO", "HI"}]
        assert list(cards) == [card for card in ("HI", "LO") if card in cards] + plain
        trumps = [card for card in plain if card[1] == hand.trump]
        assert plain[: len(trumps)] == trumps
        assert trumps == sorted(trumps, key=lambda card: "AKQJT98765432".index(card[0]))


def test_addresses(tmp_path):
    """Every step has an address of its own, made of hand, trick and card, or of hand and the seat that bids."""
    told = story(read_replay(record_game(tmp_path, Rules(2, hands=(2, 1))).path))
    assert [step.at for step in told.steps if not step.at.startswith("draw")] == [
        *("0", "0.bid.0", "0.bid.1", "0.0.0", "0.0.1", "0.1.0", "0.1.1", "0.score"),
        *("1", "1.bid.1", "1.bid.0", "1.0.0", "1.0.1", "1.score", "end"),
    ]
    everything = story(read_replay(hostile_game(tmp_path)))
    assert len({step.at for step in everything.steps}) == len(everything.steps)


def test_a_tied_draw(tmp_path):
    """Each round of a draw that was tied is a step."""
    path = record_game(tmp_path, Rules(15, hands=(1,)), seed=0).path
    rounds = lines_of(path)[1]["rounds"]
    assert len(rounds) > 1
    draws = [step.at for step in story(read_replay(path)).steps if step.kind is Kind.DRAW]
    assert draws == ["draw", *(f"draw.{number}" for number in range(1, len(rounds)))]


def test_moves_keep_what_the_file_says_of_them(tmp_path):
    """Time, note, seat and the referee's hand are those of the line."""
    path = hostile_game(tmp_path)
    moves = [line for line in lines_of(path) if line["type"] in {"bid", "play"}]
    steps = [step for step in story(read_replay(path)).steps if step.kind in {Kind.BID, Kind.PLAY}]
    for step, line in zip(steps, moves, strict=True):
        assert (step.seat, step.ms, step.referee) == (line["seat"], line["ms"], line.get("by") == "referee")
        assert step.note == prose(line.get("note", ""))
        assert step.value == line.get("bid", line.get("card"))
    assert any(step.referee for step in steps)


def test_a_move_that_a_person_chose(tmp_path):
    """A move that was chosen for a branch says so, and no other does."""
    lines = lines_of(record_game(tmp_path, Rules(2, hands=(1,))).path)
    number = next(i for i, line in enumerate(lines) if line["type"] == "play")
    lines[number] = {**lines[number], "ms": None, "forced": True}
    steps = story(parse_replay(to_bytes(lines, seal=True), Path("x"))).steps
    assert [step.at for step in steps if step.forced] == ["0.0.0"]


def test_faults_lead_to_the_move_made_for_them(tmp_path):
    """A fault stands at the step that follows its line, which has it in its list."""
    replay = read_replay(hostile_game(tmp_path))
    told = story(replay)
    at = {step.at: step for step in told.steps}
    assert len(told.faults) == len(replay.faults) > 0
    for number, fault in enumerate(told.faults):
        step = at[fault.at]
        assert number in step.faults
        assert (step.hand, step.seat, step.referee) == (fault.hand, fault.seat, True)


def test_the_fault_that_ends_a_game(tmp_path):
    """A fault that no move follows stands at the end, and the table stays as it was."""
    told = story(read_replay(record_game(tmp_path, Rules(4), limits=STRICT, fault_rate=0.01, seed=5).path))
    assert told.faults[-1].at == "end"
    before, end = told.steps[-2:]
    assert (end.held, end.bids, end.shown, end.best) == (before.held, before.bids, before.shown, before.best)


@pytest.mark.parametrize("ending", [None, Status.VOID])
def test_a_game_cut_off_anywhere(tmp_path, ending):
    """However early a game stopped, its steps are the first of those of the whole game."""
    rules = Rules(3, hands=(2, 1, 2), cut=CutRule.PLAYER)
    whole = story(read_replay(record_game(tmp_path, rules).path))
    for stop in range(27):
        part = record_game(tmp_path, rules, stop=stop, ending=ending, game_id=f"stop-{stop}")
        told = story(read_replay(part.path))
        moves = told.steps[:-1]
        assert sum(answer_of(step) is not None for step in moves) == stop
        assert told.steps[-1].kind is Kind.END
        assert moves == whole.steps[: len(moves)]


def test_a_file_that_ends_before_the_first_hand(tmp_path):
    """A file of a header, or of a header and a draw, is a story of an end, or of a draw and an end."""
    lines = to_bytes(lines_of(record_game(tmp_path, Rules(3, hands=(2,))).path), seal=True).splitlines(keepends=True)
    assert [step.at for step in story(parse_replay(lines[0], Path("x"))).steps] == ["end"]
    assert story(parse_replay(b"".join(lines[:2]), Path("x"))).steps[0].at == "draw"


def test_a_move_that_the_rules_refuse(tmp_path):
    """A move that is not legal is said with its line, and no page comes of it."""
    lines = lines_of(record_game(tmp_path, Rules(3, hands=(3,))).path)
    number = next(i for i, line in enumerate(lines) if line["type"] == "bid")
    lines[number]["bid"] = 4
    replay = parse_replay(to_bytes(lines, seal=True), Path("x"))
    with pytest.raises(ReplayFileError, match="a bid is 1 to 3") as caught:
        story(replay)
    assert caught.value.line == number + 1


def test_prose_keeps_line_ends_and_nothing_else_that_is_unseen():
    """Line ends stay; terminal codes, separators and marks that turn the direction are spelled out."""
    assert prose("a\nb\x1b[31m\u202e\u2028") == "a\nb\\x1b[31m\\u202e\\u2028"
