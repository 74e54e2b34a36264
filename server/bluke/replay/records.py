"""The lines of a replay file as values, in the vocabulary and key order of docs/replays.md.

Each line is a Struct whose tag is its `type`. Keys that may be absent have a default and are left
out when they hold it; keys that may be null have none and are always written.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct

from bluke.errors import RuleError
from bluke.rules import (
    Asked,
    Bid,
    BlukeLed,
    CutRule,
    Draw,
    Event,
    Played,
    Rules,
    Scored,
    TrickTaken,
    Variant,
)
from bluke.wire.values import FaultKind, GameLimits, Player, Policy, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "FORMAT",
    "REGRET",
    "BidLine",
    "Count",
    "DrawLine",
    "EndLine",
    "FaultLine",
    "GameLine",
    "HandLine",
    "Header",
    "LimitsPart",
    "Parent",
    "ParentPart",
    "PlayLine",
    "PlayerPart",
    "Record",
    "RulesPart",
    "ScoreLine",
    "TrickLine",
    "clean",
    "draw_line",
    "event_line",
    "game_line",
    "header_of",
    "utc",
]

FORMAT = "bluke-replay/1"
#: How the note of a move begins that was found to be a costly one.
REGRET = "regret "

#: Far more than any of these numbers can be, and small enough to be added up and printed anywhere.
ABSURD = 2**31
Count = Annotated[int, Meta(ge=0, lt=ABSURD)]
Points = Annotated[int, Meta(gt=-ABSURD, lt=ABSURD)]
Milliseconds = Annotated[float, Meta(ge=0, lt=1e12)]
Moment = Annotated[datetime, Meta(tz=True)]
Hex = Annotated[str, Meta(pattern=r"^(?:[0-9a-f][0-9a-f])*\Z")]
Hex32 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class RulesPart(Struct, frozen=True):
    """The rules in force, with the schedule in full."""

    seats: Count
    variant: Variant
    max_hand: Count | None
    last_hand: Count | None
    hands: tuple[Count, ...]
    custom_hands: bool
    bluke_led: BlukeLed
    cut: CutRule


class PlayerPart(Struct, frozen=True, omit_defaults=True):
    """What a bot said of itself."""

    name: str
    version: str = ""
    sdk: str = ""
    author: str = ""


class LimitsPart(Struct, frozen=True):
    """The clock and fault policy; times in milliseconds."""

    policy: Policy
    decision_ms: Count | None
    bank_ms: Count
    wall_ms: Count
    grace_ms: Count
    max_faults: Count


class ParentPart(Struct, frozen=True, omit_defaults=True):
    """Where the game was branched off another, and who sat there."""

    game: str
    hand: Count
    trick: Count
    moves: Count | None = None
    players: tuple[PlayerPart, ...] = ()


class GameLine(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="game"):
    """First line: everything that was settled before the first card."""

    format: str
    game: str
    match: str
    deal: int
    started: Moment
    server: str
    commitment: Hex32
    rules: RulesPart
    players: tuple[PlayerPart, ...]
    limits: LimitsPart
    parent: ParentPart | None = None


class DrawLine(Struct, frozen=True, tag_field="type", tag="draw"):
    """The draw for the deal (RULES 3); `rounds` holds `[seat, card]` pairs."""

    rounds: tuple[tuple[tuple[Count, str], ...], ...]
    dealer: Count
    scorekeeper: Count


class HandLine(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="hand"):
    """A hand was dealt and its trump settled; `ms` and what follows it belong to a cut that a seat was asked for."""

    hand: Count
    size: Count
    dealer: Count
    cards: tuple[tuple[str, ...], ...]
    cut: Count | None
    turned: str | None
    trump: str | None
    ms: Milliseconds | None = None
    note: str = ""
    by: Literal["referee"] | None = None
    forced: bool = False


class BidLine(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="bid"):
    """A bid; `ms` is null where nothing was measured."""

    hand: Count
    seat: Count
    bid: Count
    ms: Milliseconds | None
    note: str = ""
    by: Literal["referee"] | None = None
    forced: bool = False


class PlayLine(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="play"):
    """A card played; `ms` is null where nothing was measured."""

    hand: Count
    trick: Count
    seat: Count
    card: str
    ms: Milliseconds | None
    note: str = ""
    by: Literal["referee"] | None = None
    forced: bool = False


class TrickLine(Struct, frozen=True, tag_field="type", tag="trick"):
    """A trick taken by the seat `winner`."""

    hand: Count
    trick: Count
    winner: Count


class ScoreLine(Struct, frozen=True, tag_field="type", tag="score"):
    """A hand scored; one number for each seat in each list."""

    hand: Count
    bids: tuple[Count, ...]
    tricks: tuple[Count, ...]
    points: tuple[Points, ...]
    totals: tuple[Points, ...]


class FaultLine(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="fault"):
    """A fault charged to a seat."""

    hand: Count
    seat: Count
    kind: FaultKind
    asked: Asked | None
    detail: str
    answer: str = ""


class EndLine(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag="end"):
    """Last line: the result, and the seeds that let anyone check the deals."""

    status: Status
    totals: tuple[Points, ...]
    places: tuple[Count, ...] | None
    faults: tuple[Count, ...]
    played_out: tuple[Count, ...]
    reason: str = ""
    game_seed: Hex32
    match_seed: Hex | None = None
    finished: Moment
    sha256: Hex32


Record = GameLine | DrawLine | HandLine | BidLine | PlayLine | TrickLine | ScoreLine | FaultLine | EndLine


@dataclass(frozen=True, slots=True)
class Parent:
    """Where a game was branched off another.

    Attributes:
        game: the id of the other.
        hand: the hand that was being played.
        trick: its trick that was being played, 0 before the first.
        moves: how many moves (cuts that a seat was asked for, bids and plays) are the other game's; `None` if the
            file does not say.
        players: who sat where in the other game; empty if the file does not say.
    """

    game: str
    hand: int
    trick: int
    moves: int | None = None
    players: tuple[Player, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """Everything that is settled before the first card.

    Attributes:
        game: the id of the game, also the name of its file.
        match: the id of the match.
        deal: the number of the deal within the match (RULES 8.2), 0 to 2^64-1.
        started: when, with a time zone.
        server: name and version of the referee.
        commitment: the 32 bytes published before the first card (RULES 8.1).
        rules: the rules in force.
        players: who sits where, by seat.
        limits: clock and fault policy.
        parent: the game this one was branched from, if any.
    """

    game: str
    match: str
    deal: int
    started: datetime
    server: str
    commitment: bytes
    rules: Rules
    players: tuple[Player, ...]
    limits: GameLimits
    parent: Parent | None = None


def game_line(header: Header) -> GameLine:
    """The first line of a game with this header."""
    rules, limits, parent = header.rules, header.limits, header.parent
    return GameLine(
        format=FORMAT,
        game=clean(header.game),
        match=clean(header.match),
        deal=header.deal,
        started=header.started.astimezone(UTC),
        server=clean(header.server),
        commitment=header.commitment.hex(),
        rules=RulesPart(
            seats=rules.seats,
            variant=rules.variant,
            max_hand=rules.max_hand,
            last_hand=rules.last_hand,
            hands=rules.schedule,
            custom_hands=rules.hands is not None,
            bluke_led=rules.bluke_led,
            cut=rules.cut,
        ),
        players=_player_parts(header.players),
        limits=LimitsPart(
            policy=limits.policy,
            decision_ms=limits.decision_ms,
            bank_ms=limits.bank_ms,
            wall_ms=limits.wall_ms,
            grace_ms=limits.grace_ms,
            max_faults=limits.max_faults,
        ),
        parent=None
        if parent is None
        else ParentPart(clean(parent.game), parent.hand, parent.trick, parent.moves, _player_parts(parent.players)),
    )


def _player_parts(players: Sequence[Player]) -> tuple[PlayerPart, ...]:
    return tuple(
        PlayerPart(clean(player.name), clean(player.version), clean(player.sdk), clean(player.author))
        for player in players
    )


def _players(parts: Sequence[PlayerPart]) -> tuple[Player, ...]:
    return tuple(Player(part.name, part.version, part.sdk, part.author) for part in parts)


def header_of(line: GameLine) -> Header:
    """What the first line of a game says.

    Raises:
        ValueError: its parts do not fit together; the message says which.
    """
    part = line.rules
    try:
        rules = Rules(
            seats=part.seats,
            variant=part.variant,
            max_hand=part.max_hand,
            last_hand=part.last_hand,
            hands=part.hands if part.custom_hands else None,
            bluke_led=part.bluke_led,
            cut=part.cut,
        )
    except RuleError as error:
        raise ValueError(f"rules: {error}") from None
    if part.hands != rules.schedule:
        raise ValueError(f"rules: hands is {list(part.hands)}, but these rules deal {list(rules.schedule)} (RULES 2.3)")
    if len(line.players) != rules.seats:
        raise ValueError(f"{len(line.players)} players for {rules.seats} seats")
    if not 0 <= line.deal < 2**64:
        raise ValueError(f"deal is {line.deal}, not 0 to 2^64-1 (RULES 8.2)")
    limits, parent = line.limits, line.parent
    if parent is not None and parent.players and len(parent.players) != rules.seats:
        raise ValueError(f"parent: {len(parent.players)} players for {rules.seats} seats")
    return Header(
        game=line.game,
        match=line.match,
        deal=line.deal,
        started=utc(line.started),
        server=line.server,
        commitment=bytes.fromhex(line.commitment),
        rules=rules,
        players=_players(line.players),
        limits=GameLimits(
            policy=limits.policy,
            decision_ms=limits.decision_ms,
            bank_ms=limits.bank_ms,
            wall_ms=limits.wall_ms,
            grace_ms=limits.grace_ms,
            max_faults=limits.max_faults,
        ),
        parent=None
        if parent is None
        else Parent(parent.game, parent.hand, parent.trick, parent.moves, _players(parent.players)),
    )


def utc(moment: datetime) -> datetime:
    """The moment in UTC.

    Raises:
        ValueError: it is on the edge of time, where it has none.
    """
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{moment} cannot be told in UTC") from None


def draw_line(draw: Draw) -> DrawLine:
    """The line of the draw for the deal."""
    rounds = tuple(tuple((seat, str(card)) for seat, card in drawn) for drawn in draw.rounds)
    return DrawLine(rounds, draw.dealer, draw.scorekeeper)


def event_line(
    event: Event,
    ms: float | None = None,
    note: str = "",
    by: Literal["referee"] | None = None,
    forced: bool = False,  # noqa: FBT001, FBT002 - the fields of a line, in their order
) -> HandLine | BidLine | PlayLine | TrickLine | ScoreLine:
    """The line of one event of a game; `ms` and what follows it are for those that a seat decided."""
    # The commonest first: a referee does this for every move.
    if isinstance(event, Played):
        hand, trick, seat, card = event
        return PlayLine(hand, trick, seat, str(card), ms, note, by, forced)
    if isinstance(event, TrickTaken):
        return TrickLine(*event)
    if isinstance(event, Bid):
        return BidLine(*event, ms, note, by, forced)
    if isinstance(event, Scored):
        return ScoreLine(*event)
    cards = tuple(tuple(map(str, dealt)) for dealt in event.cards)
    turned = None if event.turned is None else str(event.turned)
    trump = None if event.trump is None else str(event.trump)
    return HandLine(event.hand, event.size, event.dealer, cards, event.cut, turned, trump, ms, note, by, forced)


def clean(text: str, limit: int | None = None) -> str:
    """The text as a file can hold it: at most `limit` bytes of UTF-8, cut between characters.

    Lone surrogates, which UTF-8 has no form for, become question marks.
    """
    if text.isascii():
        return text[:limit]
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")
