"""The vocabulary that the protocol and the replay files share beyond the rules of the game.

The value of each enum is its name in replay files, results and logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["FaultKind", "GameLimits", "GameResult", "Player", "Policy", "Status"]


class Policy(Enum):
    """How faults are treated."""

    #: The referee makes a fixed legal move and counts the fault; a seat with too many is played out.
    LENIENT = "lenient"
    #: The first fault ends the game.
    STRICT = "strict"


class FaultKind(Enum):
    """What a seat did wrong. One cause is recorded: the first of these that is true."""

    CRASH = "crash"
    DISCONNECTED = "disconnected"
    TIMEOUT = "timeout"
    PROTOCOL = "protocol"
    ILLEGAL = "illegal"


class Status(Enum):
    """How a game ended."""

    COMPLETE = "complete"
    FORFEITED = "forfeited"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Player:
    """What a bot says of itself: labels to show, never to trust."""

    name: str
    version: str = ""
    sdk: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True)
class GameLimits:
    """Clock and policy of one game; times in milliseconds.

    Attributes:
        policy: how faults are treated.
        decision_ms: time for one decision before the bank is drawn on; `None` for no clock.
        bank_ms: what each seat has for the whole game beyond that; without meaning when there is no clock.
        wall_ms: no decision may take longer than this, clock or not.
        grace_ms: how long a bot whose stream broke may take to come back.
        max_faults: a seat with this many faults is played out (lenient only).
    """

    policy: Policy = Policy.LENIENT
    decision_ms: int | None = 2_000
    bank_ms: int = 60_000
    wall_ms: int = 600_000
    grace_ms: int = 5_000
    max_faults: int = 3


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of a game; tuples have one entry for each seat.

    Attributes:
        status: how it ended.
        totals: points.
        places: 1 is best; `None` for a void game.
        faults: faults charged.
        played_out: the seats that the referee took over for good.
        reason: why it ended early, as a sentence; empty for a complete game.
    """

    status: Status
    totals: tuple[int, ...]
    places: tuple[int, ...] | None
    faults: tuple[int, ...]
    played_out: tuple[int, ...] = ()
    reason: str = ""
