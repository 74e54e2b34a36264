"""The game itself: one object that is told moves and refuses wrong ones.

Live play, replays and their verification all go through `Game`. It has no clock and no IO, a
refused move leaves it exactly as it was, and all that it hands out are values that never change.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from bluke.errors import RuleError, TurnError
from bluke.rules.cards import Card, CardSet, Suit
from bluke.rules.dealing import Packs, deal, draw
from bluke.rules.options import CutRule, Rules
from bluke.rules.score import hand_points
from bluke.rules.tricks import NO_SUIT_LED, Follow, follow_table, strength_tables, weakest

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Asked",
    "Bid",
    "Dealt",
    "Event",
    "Game",
    "Played",
    "Scored",
    "TrickTaken",
]


class Asked(Enum):
    """What a seat is asked."""

    # Tables are looked into with it for every decision, and an enum hashes its name in Python each time.
    __hash__ = object.__hash__

    CUT = "cut"
    BID = "bid"
    PLAY = "play"


class Dealt(NamedTuple):
    """A hand was dealt and, unless the whole pack was, a card turned up.

    `cards` holds every seat's cards in the order dealt: no seat may see it whole.
    `cut` is 0 for a tap and `None` when there was nothing to cut.
    """

    hand: int
    size: int
    dealer: int
    cards: tuple[tuple[Card, ...], ...]
    cut: int | None
    turned: Card | None
    trump: Suit | None


class Bid(NamedTuple):
    """A seat bid."""

    hand: int
    seat: int
    bid: int


class Played(NamedTuple):
    """A seat played a card."""

    hand: int
    trick: int
    seat: int
    card: Card


class TrickTaken(NamedTuple):
    """A trick was taken by `winner`, a seat."""

    hand: int
    trick: int
    winner: int


class Scored(NamedTuple):
    """A hand was scored; one number for each seat in each field."""

    hand: int
    bids: tuple[int, ...]
    tricks: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]


Event = Dealt | Bid | Played | TrickTaken | Scored


class Game:
    """One game of Bluke.

    Until the game is over exactly one seat is to act: `seat` says which, `asked` what it is asked
    and `legal` all that it may answer. `events` tells all that has happened, in order.

    Args:
        rules: the rules in force.
        packs: where the shuffled packs come from; they hold at least enough cards for every hand.
    """

    __slots__ = (
        "_asked",
        "_best",
        "_best_seat",
        "_bids",
        "_dealer",
        "_dealt",
        "_events",
        "_follow",
        "_hand",
        "_held",
        "_led",
        "_legal",
        "_played",
        "_remaining",
        "_seat",
        "_seats",
        "_size",
        "_strength",
        "_strengths",
        "_totals",
        "_trick",
        "_tricks_won",
        "_trump",
        "_turned",
        "draw",
        "packs",
        "rules",
        "schedule",
    )

    # Declared here because a move uses them, in the order of the text, before a deal sets them.
    _asked: Asked | None
    _follow: tuple[Follow, ...]
    _led: Card | None
    _legal: int

    def __init__(self, rules: Rules, packs: Packs) -> None:
        """Draw for the deal and deal the first hand."""
        self.rules = rules
        self.packs = packs
        self.schedule = rules.schedule
        self.draw = draw(packs.draw(), rules.seats)
        self._seats = rules.seats
        self._events: list[Event] = []
        self._totals: tuple[int, ...] = (0,) * rules.seats
        self._hand = -1
        # The deal passes to the left after every hand (RULES 3.5): the first one begins here.
        self._dealer = self.draw.dealer - 1
        self._deal_next()

    # What is known

    @property
    def asked(self) -> Asked | None:
        """What `seat` is asked; `None` once the game is over."""
        return self._asked

    @property
    def over(self) -> bool:
        """Whether every hand has been played."""
        return self._asked is None

    @property
    def seat(self) -> int:
        """The seat to act."""
        return self._seat

    @property
    def legal(self) -> Sequence[int] | CardSet:
        """Every legal answer of `seat`: cuts or bids as a range, cards as a set; empty once the game is over."""
        if self._asked is Asked.PLAY:
            return CardSet(self._legal)
        if self._asked is Asked.BID:
            return range(1, self._size + 1)
        return range(len(self._remaining) if self._asked is Asked.CUT else 0)

    @property
    def hand(self) -> int:
        """Number of the current hand, from 0; that of the last one when the game is over."""
        return self._hand

    @property
    def size(self) -> int:
        """Cards dealt to each seat in this hand."""
        return self._size

    @property
    def dealer(self) -> int:
        """The dealer of this hand."""
        return self._dealer

    @property
    def trump(self) -> Suit | None:
        """The trump of this hand; `None` for no trump and before the cut."""
        return self._trump

    @property
    def turned(self) -> Card | None:
        """The card turned up in this hand, if any."""
        return self._turned

    @property
    def cut_done(self) -> bool:
        """Whether the trump of this hand is settled."""
        return self._asked is not Asked.CUT

    @property
    def bids(self) -> tuple[int | None, ...]:
        """The bid of each seat in this hand, `None` for one that has not bid."""
        return tuple(bid or None for bid in self._bids)

    @property
    def trick(self) -> int:
        """Number of the trick being played, from 0."""
        return self._trick

    @property
    def led(self) -> Card | None:
        """The card led to the trick being played, if any."""
        return self._led

    @property
    def tricks_won(self) -> tuple[int, ...]:
        """Tricks of this hand taken by each seat."""
        return tuple(self._tricks_won)

    @property
    def totals(self) -> tuple[int, ...]:
        """Points of each seat after the last scored hand."""
        return self._totals

    @property
    def events(self) -> Sequence[Event]:
        """All that has happened, oldest first; it only ever grows."""
        return self._events

    def held(self, seat: int) -> CardSet:
        """The cards that `seat` holds."""
        return CardSet(self._held[seat])

    # Moves

    def cut(self, seat: int, cards: int) -> None:
        """Let `seat` move the top `cards` cards to the bottom; 0 taps (RULES 4.2).

        Afterwards a card is turned up and the seat left of the dealer is to bid.

        Raises:
            RuleError: the rules refuse it; nothing has changed.
        """
        self._check_turn(seat, Asked.CUT)
        if not 0 <= cards < len(self._remaining):
            most = len(self._remaining) - 1
            raise RuleError("4.2", f"a cut of {cards}: 0 to {most} cards can be cut")
        self._turn_up(cards)

    def bid(self, seat: int, bid: int) -> None:
        """Let `seat` bid (RULES 5).

        Raises:
            RuleError: the rules refuse it; nothing has changed.
        """
        self._check_turn(seat, Asked.BID)
        if not 1 <= bid <= self._size:
            raise RuleError("5.2", f"a bid of {bid}: in a hand of {self._size} a bid is 1 to {self._size}")
        self._bids[seat] = bid
        self._events.append(Bid(self._hand, seat, bid))
        if seat == self._dealer:
            self._asked = Asked.PLAY
            self._lead((seat + 1) % self._seats)
        else:
            self._seat = (seat + 1) % self._seats

    def play(self, seat: int, card: Card) -> None:
        """Let `seat` play `card` (RULES 6).

        Afterwards exactly one seat is to act, or the game is over.

        Raises:
            RuleError: the rules refuse this card now; nothing has changed.
        """
        # The first line of `_check_turn`, here because this is the hot path.
        if seat != self._seat or self._asked is not Asked.PLAY:
            self._check_turn(seat, Asked.PLAY)
        bit = card.bit
        if not self._legal & bit:
            raise self._refusal(seat, card)
        held = self._held
        held[seat] ^= bit
        index = card.index
        self._events.append(Played(self._hand, self._trick, seat, card))
        if self._led is None:
            self._led = card
            self._strength = self._strengths[NO_SUIT_LED if index >= 52 else index // 13]
            self._best = -1
        strength = self._strength[index]
        if strength > self._best:
            self._best = strength
            self._best_seat = seat
        self._played += 1
        if self._played == self._seats:
            self._end_trick()
            return
        seat += 1
        if seat == self._seats:
            seat = 0
        self._seat = seat
        mine = held[seat]
        binding, allowed = self._follow[self._led.index]
        self._legal = mine & allowed if mine & binding else mine

    def answer(self, seat: int, value: int | Card) -> None:
        """Let `seat` give the answer it is asked for: a cut, a bid or a card.

        Raises:
            RuleError: the rules refuse it; nothing has changed.
        """
        if isinstance(value, Card):
            self.play(seat, value)
        elif self._asked is Asked.CUT:
            self.cut(seat, value)
        else:
            self.bid(seat, value)

    def fixed_answer(self) -> int | Card:
        """What the referee answers for a seat that gives no legal answer itself.

        A tap, a bid of one, or the weakest legal card (RULES 1.4), ties by card index.
        """
        if self._asked is Asked.PLAY:
            return weakest(CardSet(self._legal), self._led, self._trump)
        return 1 if self._asked is Asked.BID else 0

    # How a hand goes

    def _deal_next(self) -> None:
        self._hand += 1
        self._size = self.schedule[self._hand]
        self._dealer = (self._dealer + 1) % self._seats
        cards = self.packs.hand(self._hand)
        self._dealt, self._remaining = deal(cards, self._seats, self._size, self._dealer)
        self._held = [CardSet.of(dealt).mask for dealt in self._dealt]
        self._bids = [0] * self._seats
        self._tricks_won = [0] * self._seats
        self._trick = 0
        self._played = 0
        self._led = None
        self._legal = 0
        self._best = -1
        self._best_seat = 0
        self._turned: Card | None = None
        self._trump: Suit | None = None
        self._seat = (self._dealer + 1) % self._seats
        if self._remaining and self.rules.cut is CutRule.PLAYER:
            self._asked = Asked.CUT
        else:
            self._turn_up(0 if self._remaining else None)

    def _turn_up(self, cut: int | None) -> None:
        # With nothing left the hand is no trump (RULES 4.4); after a cut the card below it is on top.
        if cut is not None:
            self._turned = self._remaining[cut]
            self._trump = self._turned.suit
        self._strengths = strength_tables(self._trump)
        self._strength = self._strengths[NO_SUIT_LED]
        self._follow = follow_table(self.rules.variant, self.rules.bluke_led, self._trump)
        self._events.append(Dealt(self._hand, self._size, self._dealer, self._dealt, cut, self._turned, self._trump))
        self._asked = Asked.BID

    def _lead(self, seat: int) -> None:
        self._seat = seat
        self._played = 0
        self._led = None
        self._legal = self._held[seat]

    def _end_trick(self) -> None:
        winner = self._best_seat
        self._tricks_won[winner] += 1
        self._events.append(TrickTaken(self._hand, self._trick, winner))
        self._trick += 1
        if self._trick == self._size:
            self._score()
        else:
            self._lead(winner)

    def _score(self) -> None:
        bids, tricks = tuple(self._bids), tuple(self._tricks_won)
        points = hand_points(self._size, bids, tricks)
        self._totals = tuple(map(int.__add__, self._totals, points))
        self._events.append(Scored(self._hand, bids, tricks, points, self._totals))
        if self._hand + 1 == len(self.schedule):
            self._asked = None
            self._led = None
            self._legal = 0
        else:
            self._deal_next()

    # Refusals

    def _check_turn(self, seat: int, asked: Asked) -> None:
        if seat == self._seat and asked is self._asked:
            return
        if self._asked is None:
            raise TurnError("2.3", "the game is over")
        section = {Asked.CUT: "4.2", Asked.BID: "5.1", Asked.PLAY: "6.1"}[self._asked]
        raise TurnError(section, f"seat {self._seat} is to {self._asked.value}, not seat {seat} to {asked.value}")

    def _refusal(self, seat: int, card: Card) -> RuleError:
        if not self._held[seat] & card.bit:
            return RuleError("6.1", f"seat {seat} does not hold {card}: legal is {CardSet(self._legal)}")
        section = "6.4" if self.rules.variant.value == "new_jersey" else "6.3" if self._led_bluke() else "6.2"
        return RuleError(section, f"{card} does not follow {self._led}: legal is {CardSet(self._legal)}")

    def _led_bluke(self) -> bool:
        return self._led is not None and self._led.is_bluke
