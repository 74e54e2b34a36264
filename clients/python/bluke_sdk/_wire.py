"""Protocol messages to values. Enum values of a newer referee become `OTHER`, an unknown trump `None`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.v1 import game_pb2, play_pb2
from bluke_sdk.cards import CARDS, Card, Suit
from bluke_sdk.views import (
    BidMade,
    BidView,
    BlukeLed,
    CardPlayed,
    CutRule,
    CutView,
    DrawnCard,
    Event,
    FaultCharged,
    GameOver,
    GameStarted,
    HandDealt,
    HandScored,
    LastDecision,
    Limits,
    Outcome,
    Player,
    PlayView,
    Policy,
    Rules,
    Status,
    Trick,
    TrickTaken,
    Variant,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TRUMPS = {
    game_pb2.TRUMP_CLUBS: Suit.CLUBS,
    game_pb2.TRUMP_DIAMONDS: Suit.DIAMONDS,
    game_pb2.TRUMP_HEARTS: Suit.HEARTS,
    game_pb2.TRUMP_SPADES: Suit.SPADES,
}
VARIANTS = {game_pb2.VARIANT_STANDARD: Variant.STANDARD, game_pb2.VARIANT_NEW_JERSEY: Variant.NEW_JERSEY}
BLUKE_LED = {game_pb2.BLUKE_LED_FREE: BlukeLed.FREE, game_pb2.BLUKE_LED_TRUMP: BlukeLed.TRUMP}
CUTS = {game_pb2.CUT_RULE_TAP: CutRule.TAP, game_pb2.CUT_RULE_PLAYER: CutRule.PLAYER}
OUTCOMES = {
    game_pb2.OUTCOME_SET: Outcome.SET,
    game_pb2.OUTCOME_OVERTRICKS: Outcome.OVERTRICKS,
    game_pb2.OUTCOME_PERFECT: Outcome.PERFECT,
}
POLICIES = {play_pb2.POLICY_LENIENT: Policy.LENIENT, play_pb2.POLICY_STRICT: Policy.STRICT}
STATUSES = {
    play_pb2.GAME_STATUS_COMPLETE: Status.COMPLETE,
    play_pb2.GAME_STATUS_FORFEITED: Status.FORFEITED,
    play_pb2.GAME_STATUS_VOID: Status.VOID,
}


class UnknownCardError(LookupError):
    """A message names a card that this SDK does not know."""

    def __init__(self, indices: Iterable[int]) -> None:
        super().__init__(f"the referee names a card that this SDK does not know, among {list(indices)}; update the SDK")


def _cards(indices: Sequence[int]) -> tuple[Card, ...]:
    try:
        # The slice is a list, which is made and read in less time than a repeated field is read in; so below.
        return tuple([CARDS[index] for index in indices[:]])
    except IndexError:
        raise UnknownCardError(indices) from None


def _card(index: int) -> Card:
    try:
        return CARDS[index]
    except IndexError:
        raise UnknownCardError([index]) from None


class SeatCache:
    """What the views of one seat share: the rules, and the tricks of its hand that are over."""

    __slots__ = ("_hand", "_tricks", "rules")

    def __init__(self, rules: game_pb2.Rules) -> None:
        self.rules = read_rules(rules)
        self._hand = -1
        self._tricks: tuple[Trick, ...] = ()

    def tricks(self, view: game_pb2.View) -> tuple[Trick, ...]:
        """Read the tricks of this hand; those that are over are read once and shared."""
        if view.hand != self._hand:
            self._hand = view.hand
            self._tricks = ()
        known, wire = self._tricks, view.tricks
        if len(known) > len(wire):
            # An older view of the hand is read after a newer one.
            return known[: len(wire)]
        read = known + tuple([_trick(trick) for trick in wire[len(known) :]])
        self._tricks = read[:-1] if read and read[-1].winner is None else read
        return read


class Source:
    """Where the fields of one view are read from, when they are first asked for."""

    __slots__ = ("cache", "turn", "view")

    def __init__(self, turn: play_pb2.Turn, cache: SeatCache) -> None:
        self.turn = turn
        self.view = turn.view
        self.cache = cache


class LazyField:
    """Reads a field of a view when it is first asked for.

    Most bots look at a few fields of a view, and turning all of them into values would cost more than such a bot's
    own thinking. What was read goes into the view, where Python looks before it asks an object like this one: it is
    asked once.
    """

    __slots__ = ("name", "read")

    def __init__(self, name: str, read: Callable[[Source], object]) -> None:
        self.name = name
        self.read = read

    def __get__(self, view: View | None, _kind: type[View]) -> object:
        if view is None:
            return self
        known = view.__dict__
        value = known[self.name] = self.read(known["_source"])
        return value


def _last(source: Source) -> LastDecision | None:
    if not source.turn.HasField("last"):
        return None
    last = source.turn.last
    return LastDecision(
        decision_id=last.decision_id,
        measured=last.measured_us / 1e6,
        excused_time=last.excused_us / 1e6,
        applied=last.applied,
        by_referee=last.by_referee,
        excused=last.excused,
    )


#: How each field is read, by the class that it belongs to.
READERS: dict[type[View], dict[str, Callable[[Source], object]]] = {
    View: {
        "game_id": lambda s: s.turn.game_id,
        "seat": lambda s: s.turn.seat,
        "rules": lambda s: s.cache.rules,
        "totals": lambda s: tuple(s.view.totals[:]),
        "hand": lambda s: s.view.hand,
        "size": lambda s: s.view.size,
        "dealer": lambda s: s.view.dealer,
        "trump": lambda s: TRUMPS.get(s.view.trump),
        "turned": lambda s: _card(s.view.turned) if s.view.HasField("turned") else None,
        "cards": lambda s: _cards(s.view.cards),
        "bids": lambda s: tuple([bid or None for bid in s.view.bids[:]]),
        "tricks": lambda s: s.cache.tricks(s.view),
        "tricks_won": lambda s: tuple(s.view.tricks_won[:]),
        "decision_id": lambda s: s.turn.decision_id,
        "time_left": lambda s: s.turn.decision_left_ms / 1e3 if s.turn.HasField("decision_left_ms") else None,
        "bank_left": lambda s: s.turn.bank_left_ms / 1e3 if s.turn.HasField("bank_left_ms") else None,
        "last": _last,
        "again": lambda s: s.turn.again,
    },
    CutView: {"legal": lambda s: tuple(s.turn.legal[:])},
    BidView: {"legal": lambda s: tuple(s.turn.legal[:])},
    PlayView: {"legal": lambda s: _cards(s.turn.legal)},
}
for _kind, _readers in READERS.items():
    for _name, _read in _readers.items():
        setattr(_kind, _name, LazyField(_name, _read))


def read_view(kind: type[View], turn: play_pb2.Turn, cache: SeatCache) -> View:
    """Make the view of a turn, to be filled as it is looked at."""
    view = object.__new__(kind)
    view.__dict__["_source"] = Source(turn, cache)
    return view


#: What can be asked: the method of the bot, the view it is given, and the field of the answer.
ASKED: dict[int, tuple[str, type[View]]] = {
    game_pb2.ASKED_CUT: ("cut", CutView),
    game_pb2.ASKED_BID: ("bid", BidView),
    game_pb2.ASKED_PLAY: ("play", PlayView),
}


def _trick(trick: game_pb2.Trick) -> Trick:
    return Trick(trick.leader, _cards(trick.cards), trick.winner if trick.HasField("winner") else None)


def read_rules(rules: game_pb2.Rules) -> Rules:
    """Read the rules of a game."""
    return Rules(
        seats=rules.seats,
        variant=VARIANTS.get(rules.variant, Variant.OTHER),
        hands=tuple(rules.hands),
        bluke_led=BLUKE_LED.get(rules.bluke_led, BlukeLed.OTHER),
        cut=CUTS.get(rules.cut, CutRule.OTHER),
        max_hand=rules.max_hand if rules.HasField("max_hand") else None,
        last_hand=rules.last_hand if rules.HasField("last_hand") else None,
        custom_hands=rules.custom_hands,
    )


def read_game_started(message: play_pb2.GameStarted) -> GameStarted:
    """Read how a game begins."""
    limits = message.limits
    return GameStarted(
        game_id=message.game_id,
        seat=message.seat,
        match_id=message.match_id,
        rules=read_rules(message.rules),
        players=tuple(Player(p.name, p.version, p.sdk, p.author) for p in message.players),
        limits=Limits(
            policy=POLICIES.get(limits.policy, Policy.OTHER),
            decision=limits.decision_ms / 1e3 if limits.HasField("decision_ms") else None,
            bank=limits.bank_ms / 1e3 if limits.HasField("bank_ms") else None,
            wall=limits.wall_ms / 1e3,
            grace=limits.grace_ms / 1e3,
            max_faults=limits.max_faults,
        ),
        commitment=message.commitment,
        draw=tuple(tuple(DrawnCard(c.seat, _card(c.card)) for c in round_.cards) for round_ in message.draw),
        dealer=message.dealer,
        scorekeeper=message.scorekeeper,
    )


def read_hand_scored(message: play_pb2.HandScored) -> HandScored:
    """Read how a hand ended."""
    result = message.result
    return HandScored(
        game_id=message.game_id,
        seat=message.seat,
        hand=result.hand,
        bids=tuple(result.bids),
        tricks=tuple(result.tricks),
        points=tuple(result.points),
        totals=tuple(result.totals),
        outcomes=tuple(OUTCOMES.get(outcome, Outcome.OTHER) for outcome in result.outcomes),
    )


def read_game_over(message: play_pb2.GameOver) -> GameOver:
    """Read how a game ended."""
    result = message.result
    return GameOver(
        game_id=message.game_id,
        seat=message.seat,
        status=STATUSES.get(result.status, Status.OTHER),
        totals=tuple(result.totals),
        places=tuple(result.places),
        faults=tuple(result.faults),
        played_out=tuple(result.played_out),
        reason=result.reason,
        game_seed=message.game_seed if message.HasField("game_seed") else None,
    )


def _fault_kind(kind: int) -> str:
    name = play_pb2.FaultKind.Name(kind) if kind in play_pb2.FaultKind.values() else "FAULT_KIND_OTHER"
    return name.removeprefix("FAULT_KIND_").lower()


def read_event(message: play_pb2.Event) -> Event | None:
    """Read a public event; `None` for one that is told in another way, or that is not known here."""
    game = message.game_id
    match message.WhichOneof("event"):
        case "hand_dealt":
            dealt = message.hand_dealt
            return HandDealt(
                game,
                dealt.hand,
                dealt.size,
                dealt.dealer,
                dealt.cut if dealt.HasField("cut") else None,
                _card(dealt.turned) if dealt.HasField("turned") else None,
                TRUMPS.get(dealt.trump),
            )
        case "bid_made":
            bid = message.bid_made
            return BidMade(game, bid.hand, bid.seat, bid.bid)
        case "card_played":
            played = message.card_played
            return CardPlayed(game, played.hand, played.trick, played.seat, _card(played.card))
        case "trick_taken":
            taken = message.trick_taken
            return TrickTaken(game, taken.hand, taken.trick, taken.winner)
        case "fault_charged":
            fault = message.fault_charged
            return FaultCharged(game, fault.hand, fault.seat, _fault_kind(fault.kind), fault.played_out)
        case _:
            return None
