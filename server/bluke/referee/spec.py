"""What a table is given, and what it gives back: values, and the few things that it needs of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from bluke.referee.bot import Bot
    from bluke.referee.clock import LagMeter
    from bluke.referee.match import Match
    from bluke.rules import Rules, Scored
    from bluke.wire.values import FaultKind, GameLimits, GameResult, Player

__all__ = ["Fault", "Finished", "GameSpec", "House", "Timer"]


class Timer(Protocol):
    """What `House.call_at` returns."""

    def cancel(self) -> None:
        """Make it not happen."""


@dataclass(frozen=True, slots=True)
class House:
    """What a table needs of the world.

    Attributes:
        now: a monotonic clock in seconds.
        call_at: calls something at a time of that clock.
        lag: the referee's own lateness on that clock.
        utc: the time of day.
        replays: the folder for replay files.
        compress: whether finished replays are compressed.
        server: name and version of the referee.
        max_note_bytes: where a note is cut off.
    """

    now: Callable[[], float]
    call_at: Callable[..., Timer]
    lag: LagMeter
    utc: Callable[[], datetime]
    replays: Path
    compress: bool
    server: str
    max_note_bytes: int = 1024


@dataclass(frozen=True, slots=True)
class GameSpec:
    """One game to be played; `bots` are by seat, and one may sit twice."""

    match: Match
    game_id: str
    deal: int
    rules: Rules
    limits: GameLimits
    bots: tuple[Bot, ...]

    @property
    def players(self) -> tuple[Player, ...]:
        """The labels of each seat."""
        return tuple(bot.player for bot in self.bots)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, as results tell it."""

    seat: int
    kind: FaultKind
    hand: int
    detail: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that is over and on disk.

    Attributes:
        spec: the game.
        result: how it ended.
        replay: its file.
        hands: every hand that was scored.
        decision_ms: for each seat, the time of each decision that it made itself, in milliseconds.
        faults: every fault.
        started: when the game began.
        finished: when it ended.
    """

    spec: GameSpec
    result: GameResult
    replay: Path
    hands: tuple[Scored, ...]
    decision_ms: tuple[tuple[float, ...], ...]
    faults: tuple[Fault, ...]
    started: datetime
    finished: datetime

    @property
    def players(self) -> tuple[Player, ...]:
        """The labels of each seat."""
        return self.spec.players
