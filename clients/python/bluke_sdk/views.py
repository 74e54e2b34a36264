"""What a bot is shown: one view for each decision, and what it is told between them.

Seats, hands and tricks count from 0; seat `s + 1` sits to the left of seat `s`. Tuples with "one
for each seat" are in seat order. Times are seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bluke_sdk.cards import Card, Suit

__all__ = [
    "BidMade",
    "BidView",
    "BlukeLed",
    "CardPlayed",
    "CutRule",
    "CutView",
    "DrawnCard",
    "Event",
    "FaultCharged",
    "GameOver",
    "GameStarted",
    "HandDealt",
    "HandScored",
    "LastDecision",
    "Limits",
    "Outcome",
    "PlayView",
    "Player",
    "Policy",
    "Rules",
    "Status",
    "Trick",
    "TrickTaken",
    "Variant",
    "View",
]


class Variant(Enum):
    """Which form of the game is played. `OTHER` comes from a referee newer than this SDK, here and below."""

    STANDARD = "standard"
    NEW_JERSEY = "new_jersey"
    OTHER = "other"


class BlukeLed(Enum):
    """What a led Bluke asks of the other seats; has no meaning in the New Jersey variant."""

    FREE = "free"
    TRUMP = "trump"
    OTHER = "other"


class CutRule(Enum):
    """Who cuts: the referee taps every time, or the seat left of the dealer is asked."""

    TAP = "tap"
    PLAYER = "player"
    OTHER = "other"


class Outcome(Enum):
    """What became of a bid: set, made with overtricks, or made exactly."""

    SET = "S"
    OVERTRICKS = "O"
    PERFECT = "P"
    OTHER = "other"


class Policy(Enum):
    """How faults are treated: a fixed legal move is made and the fault counted, or the first one ends the game."""

    LENIENT = "lenient"
    STRICT = "strict"
    OTHER = "other"


class Status(Enum):
    """How a game ended: every hand played, ended by a fault, or counted for nobody."""

    COMPLETE = "complete"
    FORFEITED = "forfeited"
    VOID = "void"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of one game; they never change while it lasts.

    Attributes:
        seats: 2 to 15.
        variant: which form of the game.
        hands: the size of every hand, in the order in which they are dealt.
        bluke_led: what a led Bluke asks for.
        cut: who cuts.
        max_hand: the largest hand, where it was chosen.
        last_hand: where the way back up ends, where it was chosen.
        custom_hands: whether `hands` was given as a list.
    """

    seats: int
    variant: Variant = Variant.STANDARD
    hands: tuple[int, ...] = ()
    bluke_led: BlukeLed = BlukeLed.FREE
    cut: CutRule = CutRule.TAP
    max_hand: int | None = None
    last_hand: int | None = None
    custom_hands: bool = False


@dataclass(frozen=True, slots=True)
class Trick:
    """One trick.

    Attributes:
        leader: the seat that led.
        cards: in the order played, the first by `leader`, each next one by the seat to the left.
        winner: the seat that took it; `None` while it is being played.
    """

    leader: int
    cards: tuple[Card, ...]
    winner: int | None = None


@dataclass(frozen=True, slots=True)
class LastDecision:
    """What the referee made of this seat's last decision.

    Attributes:
        decision_id: its number.
        measured: seconds from handing the turn to the stream to reading the answer.
        excused_time: seconds of that which were the referee's own lateness and not charged.
        applied: the answer that took effect: a cut, a bid or a card's index.
        by_referee: whether the referee made that answer, after a fault.
        excused: whether it would have been late, but was not counted so.
    """

    decision_id: int
    measured: float
    excused_time: float
    applied: int
    by_referee: bool
    excused: bool


@dataclass(frozen=True, kw_only=True)
class View:
    """All that one seat knows of its game at one moment: enough to decide without any memory.

    Attributes:
        game_id: the game.
        seat: this bot's seat in it.
        rules: the rules in force.
        totals: points before this hand, one for each seat.
        hand: number of this hand.
        size: cards dealt to each seat in this hand.
        dealer: the dealer of this hand.
        trump: its trump; `None` for no trump, and before the cut.
        turned: the card turned up; `None` before the cut, and when the whole pack was dealt.
        cards: the cards that this seat still holds, in index order.
        bids: one for each seat; `None` for a seat that has not bid yet.
        tricks: the tricks of this hand so far, the one being played last.
        tricks_won: tricks taken in this hand, one for each seat.
        decision_id: number of this decision; grows within the game.
        time_left: time for this decision before the bank is drawn on; `None` when there is no clock.
        bank_left: time in this seat's bank; `None` when there is no clock.
        last: what the referee made of this seat's last decision; `None` on the first.
        again: whether the decision was asked before, on a stream that broke; its clock has run on.
    """

    game_id: str = ""
    seat: int
    rules: Rules
    totals: tuple[int, ...]
    hand: int
    size: int
    dealer: int
    trump: Suit | None
    turned: Card | None
    cards: tuple[Card, ...]
    bids: tuple[int | None, ...]
    tricks: tuple[Trick, ...] = ()
    tricks_won: tuple[int, ...]
    decision_id: int = 0
    time_left: float | None = None
    bank_left: float | None = None
    last: LastDecision | None = None
    again: bool = False

    # A view off the wire reads each field when it is first asked for (`_wire.LazyField`), and needs no slots for it.

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            raise AttributeError(f"{type(self).__name__} has no {name!r}")

    def __getstate__(self) -> dict[str, object]:
        """All fields, read or not, for a copy that is not tied to the wire."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def my_bid(self) -> int | None:
        """This seat's bid, once it has bid."""
        return self.bids[self.seat]

    @property
    def my_tricks(self) -> int:
        """Tricks that this seat has taken in this hand."""
        return self.tricks_won[self.seat]

    @property
    def needed(self) -> int:
        """Tricks that this seat still needs to make its bid; 0 once it has made it, and before it bids."""
        return self.needed_by(self.seat)

    def needed_by(self, seat: int) -> int:
        """Tricks that `seat` still needs to make its bid; 0 once it has made it, and before it bids."""
        return max(0, (self.bids[seat] or 0) - self.tricks_won[seat])

    @property
    def trick(self) -> Trick | None:
        """The trick on the table; `None` when this seat is to lead, and while bidding."""
        tricks = self.tricks
        if not tricks:
            return None
        trick = tricks[-1]
        return trick if trick.winner is None and trick.cards else None

    @property
    def led(self) -> Card | None:
        """The card led to the trick on the table, if any."""
        trick = self.trick
        return trick.cards[0] if trick else None

    @property
    def winning(self) -> tuple[int, Card] | None:
        """The seat that is taking the trick on the table and its card; `None` when this seat is to lead."""
        trick = self.trick
        if trick is None:
            return None
        trump = self.trump
        at, best = 0, trick.cards[0]
        for place, card in enumerate(trick.cards):
            if card.beats(best, trump):
                at, best = place, card
        return (trick.leader + at) % self.rules.seats, best

    @property
    def seats_after(self) -> tuple[int, ...]:
        """The seats that play to the trick on the table after this one, in order; when leading, all others."""
        trick = self.trick
        # No more than there are cards, however many a referee may say there are.
        seats, after = self.rules.seats, self.seat + 1
        count = min(seats, 54) - 1 - (len(trick.cards) if trick else 0)
        return tuple([(after + i) % seats for i in range(count)])

    @property
    def seen(self) -> frozenset[Card]:
        """Every card of this hand whose place is known: held, turned up or played."""
        played = [card for trick in self.tricks for card in trick.cards]
        return frozenset((*self.cards, *played, *((self.turned,) if self.turned else ())))


@dataclass(frozen=True, kw_only=True)
class CutView(View):
    """The pack is to be cut.

    Attributes:
        legal: how many cards may be moved from its top to its bottom; 0 taps.
    """

    legal: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class BidView(View):
    """A bid is to be made.

    Attributes:
        legal: the bids that may be made, 1 to `size`.
    """

    legal: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class PlayView(View):
    """A card is to be played.

    Attributes:
        legal: the cards of `cards` that may be played now, in index order; never empty.
    """

    legal: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Player:
    """What a bot says of itself: show it, never trust it."""

    name: str
    version: str = ""
    sdk: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Clock and policy of one game.

    Attributes:
        policy: how faults are treated.
        decision: time for one decision before the bank is drawn on; `None` when there is no clock.
        bank: what each seat has for the whole game beyond that; `None` when there is no clock.
        wall: no decision may take longer than this, clock or not.
        grace: how long a bot whose stream broke may take to come back.
        max_faults: a seat with this many faults is played out by the referee (lenient only).
    """

    policy: Policy
    decision: float | None
    bank: float | None
    wall: float
    grace: float
    max_faults: int


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """One card drawn for the deal."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game begins.

    Attributes:
        players: who sits where, one for each seat.
        commitment: SHA-256 of `"bluke/1/commit"`, the game seed and the game id: what `GameOver.game_seed` must fit.
        draw: the draw for the first dealer and the scorekeeper, round by round.
    """

    game_id: str
    seat: int
    match_id: str
    rules: Rules
    players: tuple[Player, ...]
    limits: Limits
    commitment: bytes
    draw: tuple[tuple[DrawnCard, ...], ...]
    dealer: int
    scorekeeper: int


@dataclass(frozen=True, slots=True)
class HandScored:
    """A hand was scored; every tuple has one entry for each seat.

    Attributes:
        hand: number of the hand.
        points: points won or lost in this hand.
        totals: points after it.
    """

    game_id: str
    seat: int
    hand: int
    bids: tuple[int, ...]
    tricks: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class GameOver:
    """A game is over.

    Attributes:
        places: 1 is best and equal totals share the better place; empty for a void game.
        faults: faults of each seat.
        played_out: the seats that the referee took over for good.
        reason: why it ended early, as a sentence; empty for a complete game.
        game_seed: `None` as long as another game on the same deal is still to be played.
    """

    game_id: str
    seat: int
    status: Status
    totals: tuple[int, ...]
    places: tuple[int, ...]
    faults: tuple[int, ...]
    played_out: tuple[int, ...]
    reason: str
    game_seed: bytes | None


@dataclass(frozen=True, slots=True)
class HandDealt:
    """Public: a hand was dealt. `cut` is `None` when there was nothing to cut, `trump` for no trump."""

    game_id: str
    hand: int
    size: int
    dealer: int
    cut: int | None
    turned: Card | None
    trump: Suit | None


@dataclass(frozen=True, slots=True)
class BidMade:
    """Public: a seat bid."""

    game_id: str
    hand: int
    seat: int
    bid: int


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """Public: a seat played a card."""

    game_id: str
    hand: int
    trick: int
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class TrickTaken:
    """Public: a trick was taken."""

    game_id: str
    hand: int
    trick: int
    winner: int


@dataclass(frozen=True, slots=True)
class FaultCharged:
    """Public: a seat did something wrong; `kind` is `illegal`, `timeout`, `disconnected`, `protocol` or `crash`."""

    game_id: str
    hand: int
    seat: int
    kind: str
    played_out: bool


#: What everybody at the table can see, as `Bot.event` is told of it.
Event = HandDealt | BidMade | CardPlayed | TrickTaken | FaultCharged
