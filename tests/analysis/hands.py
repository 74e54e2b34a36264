"""Hands for the tests of the analysis: written by hand, or played at random."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from rules.helpers import GivenPacks, random_move

from bluke.analysis.explain import known_moves
from bluke.analysis.known import Known
from bluke.replay.reader import ReplayHand, ReplayMove, ReplayTrick
from bluke.replay.records import ScoreLine
from bluke.rules import (
    CARDS,
    MAX_SEATS,
    Bid,
    BlukeLed,
    Card,
    CardSet,
    Dealt,
    Game,
    Played,
    Rules,
    Scored,
    Suit,
    TrickTaken,
    Variant,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

NOWHERE = Path("game.jsonl")


@st.composite
def one_hand(draw: st.DrawFn, seats: int = MAX_SEATS, size: int = 27) -> Rules:
    """Rules of a game of one hand, with at most so many seats and cards."""
    count = draw(st.integers(2, seats))
    return Rules(
        seats=count,
        hands=(draw(st.integers(1, min(size, 54 // count))),),
        variant=draw(st.sampled_from(Variant)),
        bluke_led=draw(st.sampled_from(BlukeLed)),
    )


def play_on(game: Game, random: Random, moves: int) -> Game:
    """Play so many random moves, but not beyond the end."""
    for _ in range(moves):
        if game.over:
            break
        game.answer(*random_move(game, random))
    return game


def hand_of(game: Game) -> ReplayHand:
    """The hand of a game of one hand, as a replay would tell it."""
    events = list(game.events)
    dealt = events[0]
    assert isinstance(dealt, Dealt)
    bids: list[ReplayMove] = []
    tricks: list[ReplayTrick] = []
    moves: list[ReplayMove] = []
    score = None
    for line, event in enumerate(events[1:], 4):
        match event:
            case Bid():
                bids.append(ReplayMove(line, event.seat, event.bid, 1.0, "", by_referee=False))
            case Played():
                moves.append(ReplayMove(line, event.seat, event.card, 1.0, "", by_referee=False))
            case TrickTaken():
                tricks.append(ReplayTrick(event.trick, tuple(moves), event.winner))
                moves = []
            case Scored():
                score = ScoreLine(event.hand, event.bids, event.tricks, event.points, event.totals)
    if moves:
        tricks.append(ReplayTrick(len(tricks), tuple(moves), None))
    return ReplayHand(
        line=3,
        hand=0,
        size=dealt.size,
        dealer=dealt.dealer,
        cards=dealt.cards,
        cut=dealt.cut,
        cut_move=None,
        turned=dealt.turned,
        trump=dealt.trump,
        bids=tuple(bids),
        tricks=tuple(tricks),
        score=score,
        faults=(),
    )


def known_of(game: Game, seat: int) -> Known:
    """What `seat` knows of the one hand of a game, as if it were asked now."""
    hand = hand_of(game)
    plays = tuple(move.value for trick in hand.tricks for move in trick.moves if isinstance(move.value, Card))
    bids = tuple(move.value for move in hand.bids if isinstance(move.value, int))
    return Known(
        game="game",
        rules=game.rules,
        hand=0,
        size=hand.size,
        dealer=hand.dealer,
        turned=hand.turned,
        trump=hand.trump,
        seat=seat,
        dealt=CardSet.of(hand.cards[seat]),
        bids=bids,
        plays=plays,
    )


def known_list(game: Game) -> list[tuple[Known, ReplayMove]]:
    """Every decision of the one hand of a game with what its seat knew."""
    return [(known, move) for known, move, _ in known_moves("game", game.rules, hand_of(game))]


def dealt_game(rules: Rules, hands: Iterable[str], turned: str, bids: Iterable[int] = ()) -> Game:
    """A game whose dealer is the last seat: seat 0 bids and leads first; everybody holds what is written."""
    held = [[Card.parse(card) for card in hand.split()] for hand in hands]
    # In the order in which the cards come off the pack.
    pack = [card for together in zip(*held, strict=True) for card in together]
    rest = [card for card in CARDS if card not in pack and card != Card.parse(turned)]
    # The last seat draws an ace and the others less.
    drawn = [*(Card(number) for number in range(rules.seats - 1)), Card(12), *CARDS[13:]]
    game = Game(rules, GivenPacks((*pack, Card.parse(turned), *rest), tuple(drawn)))
    assert game.dealer == rules.seats - 1
    for bid in bids:
        game.bid(game.seat, bid)
    return game


def play(game: Game, cards: str) -> Game:
    """Let the seats play these cards in turn."""
    for card in cards.split():
        game.play(game.seat, Card.parse(card))
    return game


def one(seats: int, size: int, **options: object) -> Rules:
    """Rules of one hand."""
    return Rules(seats, hands=(size,), **options)  # type: ignore[arg-type]


def known(hands: Iterable[str], turned: str, *, bids: Iterable[int] = (), cards: str = "", **options: object) -> Known:
    """What the seat to act knows, after these bids and cards."""
    hands = list(hands)
    game = dealt_game(one(len(hands), len(hands[0].split()), **options), hands, turned, bids)
    return known_of(play(game, cards), game.seat)


def mask(cards: str) -> int:
    """Cards as a bit mask."""
    return CardSet.of(Card.parse(card) for card in cards.split()).mask


SPADES = Suit.SPADES
