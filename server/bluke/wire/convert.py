"""Rules values to and from protobuf. Tables, so that each value has one name in each direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.rules import (
    Asked,
    Bid,
    BlukeLed,
    CutRule,
    Dealt,
    Outcome,
    Played,
    Rules,
    Scored,
    Suit,
    TrickTaken,
    Variant,
    outcome,
)
from bluke.v1 import game_pb2 as game_pb
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import FaultKind, GameLimits, GameResult, Player, Policy, Status

if TYPE_CHECKING:
    from bluke.rules import Draw, Event

__all__ = [
    "ASKED",
    "FAULT_KINDS",
    "STATUSES",
    "TRUMPS",
    "draw_rounds",
    "limits_message",
    "player_message",
    "public_event",
    "result_message",
    "rules_message",
    "score_message",
]

VARIANTS = {Variant.STANDARD: game_pb.VARIANT_STANDARD, Variant.NEW_JERSEY: game_pb.VARIANT_NEW_JERSEY}
BLUKE_LED = {BlukeLed.FREE: game_pb.BLUKE_LED_FREE, BlukeLed.TRUMP: game_pb.BLUKE_LED_TRUMP}
CUT_RULES = {CutRule.TAP: game_pb.CUT_RULE_TAP, CutRule.PLAYER: game_pb.CUT_RULE_PLAYER}
TRUMPS: dict[Suit | None, game_pb.Trump] = {
    Suit.CLUBS: game_pb.TRUMP_CLUBS,
    Suit.DIAMONDS: game_pb.TRUMP_DIAMONDS,
    Suit.HEARTS: game_pb.TRUMP_HEARTS,
    Suit.SPADES: game_pb.TRUMP_SPADES,
    None: game_pb.TRUMP_NONE,
}
ASKED = {Asked.CUT: game_pb.ASKED_CUT, Asked.BID: game_pb.ASKED_BID, Asked.PLAY: game_pb.ASKED_PLAY}
OUTCOMES = {
    Outcome.SET: game_pb.OUTCOME_SET,
    Outcome.OVERTRICKS: game_pb.OUTCOME_OVERTRICKS,
    Outcome.PERFECT: game_pb.OUTCOME_PERFECT,
}
POLICIES = {Policy.LENIENT: play_pb.POLICY_LENIENT, Policy.STRICT: play_pb.POLICY_STRICT}
FAULT_KINDS = {
    FaultKind.ILLEGAL: play_pb.FAULT_KIND_ILLEGAL,
    FaultKind.TIMEOUT: play_pb.FAULT_KIND_TIMEOUT,
    FaultKind.DISCONNECTED: play_pb.FAULT_KIND_DISCONNECTED,
    FaultKind.PROTOCOL: play_pb.FAULT_KIND_PROTOCOL,
    FaultKind.CRASH: play_pb.FAULT_KIND_CRASH,
}
STATUSES = {
    Status.COMPLETE: play_pb.GAME_STATUS_COMPLETE,
    Status.FORFEITED: play_pb.GAME_STATUS_FORFEITED,
    Status.VOID: play_pb.GAME_STATUS_VOID,
}


def rules_message(rules: Rules) -> game_pb.Rules:
    """The rules in force, with the schedule in full."""
    return game_pb.Rules(
        seats=rules.seats,
        variant=VARIANTS[rules.variant],
        max_hand=rules.max_hand,
        last_hand=rules.last_hand,
        hands=rules.schedule,
        custom_hands=rules.hands is not None,
        bluke_led=BLUKE_LED[rules.bluke_led],
        cut=CUT_RULES[rules.cut],
    )


def player_message(player: Player) -> game_pb.Player:
    """The labels of one seat."""
    return game_pb.Player(name=player.name, version=player.version, sdk=player.sdk, author=player.author)


def limits_message(limits: GameLimits) -> play_pb.GameLimits:
    """Clock and policy; both times are absent when there is no clock."""
    timed = limits.decision_ms is not None
    return play_pb.GameLimits(
        policy=POLICIES[limits.policy],
        decision_ms=limits.decision_ms,
        bank_ms=limits.bank_ms if timed else None,
        wall_ms=limits.wall_ms,
        grace_ms=limits.grace_ms,
        max_faults=limits.max_faults,
    )


def draw_rounds(draw: Draw) -> list[game_pb.DrawRound]:
    """The draw for the deal, round by round."""
    return [
        game_pb.DrawRound(cards=[game_pb.DrawnCard(seat=seat, card=card.index) for seat, card in drawn])
        for drawn in draw.rounds
    ]


def score_message(scored: Scored) -> game_pb.HandResult:
    """The result of one hand."""
    return game_pb.HandResult(
        hand=scored.hand,
        bids=scored.bids,
        tricks=scored.tricks,
        points=scored.points,
        totals=scored.totals,
        outcomes=[OUTCOMES[outcome(bid, tricks)] for bid, tricks in zip(scored.bids, scored.tricks, strict=True)],
    )


def result_message(result: GameResult) -> play_pb.GameResult:
    """The result of a game."""
    return play_pb.GameResult(
        status=STATUSES[result.status],
        totals=result.totals,
        places=result.places or (),
        faults=result.faults,
        played_out=result.played_out,
        reason=result.reason,
    )


def public_event(game_id: str, event: Event) -> play_pb.Event:
    """What everybody at the table may know of an event: of a deal, never the cards."""
    match event:
        case Dealt(hand, size, dealer, _, cut, turned, trump):
            return play_pb.Event(
                game_id=game_id,
                hand_dealt=play_pb.HandDealt(
                    hand=hand,
                    size=size,
                    dealer=dealer,
                    cut=cut,
                    turned=None if turned is None else turned.index,
                    trump=TRUMPS[trump],
                ),
            )
        case Bid(hand, seat, bid):
            return play_pb.Event(game_id=game_id, bid_made=play_pb.BidMade(hand=hand, seat=seat, bid=bid))
        case Played(hand, trick, seat, card):
            return play_pb.Event(
                game_id=game_id,
                card_played=play_pb.CardPlayed(hand=hand, trick=trick, seat=seat, card=card.index),
            )
        case TrickTaken(hand, trick, winner):
            return play_pb.Event(game_id=game_id, trick_taken=play_pb.TrickTaken(hand=hand, trick=trick, winner=winner))
        case Scored():
            return play_pb.Event(game_id=game_id, hand_result=score_message(event))
