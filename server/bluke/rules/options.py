"""The options of a game and the schedule of its hands (RULES 2, 4.5, 6.3, 6.4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bluke.errors import RuleError
from bluke.rules.cards import PACK_SIZE

__all__ = ["MAX_SEATS", "MIN_SEATS", "BlukeLed", "CutRule", "Rules", "Variant"]

MIN_SEATS, MAX_SEATS = 2, 15
#: The largest hand of a standard game by number of seats (RULES 2.2).
STANDARD_MAX_HAND = (0, 0, 13, 13, 13, 10, 8, 7, 6, 5, 5, 4, 4, 4, 3, 3)


class Variant(Enum):
    """Which form of the game (RULES 6.2, 6.4)."""

    STANDARD = "standard"
    NEW_JERSEY = "new_jersey"


class BlukeLed(Enum):
    """What a led Bluke asks for in the standard variant (RULES 6.3)."""

    FREE = "free"
    TRUMP = "trump"


class CutRule(Enum):
    """Who cuts (RULES 4.5)."""

    TAP = "tap"
    PLAYER = "player"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in force for one game.

    Attributes:
        seats: 2 to 15.
        variant: the form of the game.
        max_hand: the largest hand, or `None` for the standard one.
        last_hand: where the way back up ends, or `None` for `max_hand`.
        hands: the size of every hand instead of a schedule, or `None`.
        bluke_led: what a led Bluke asks for.
        cut: who cuts.

    Raises:
        RuleError: these rules cannot be dealt, or exclude each other (RULES 2.4).
    """

    seats: int = 4
    variant: Variant = Variant.STANDARD
    max_hand: int | None = None
    last_hand: int | None = None
    hands: tuple[int, ...] | None = None
    bluke_led: BlukeLed = BlukeLed.FREE
    cut: CutRule = CutRule.TAP

    def __post_init__(self) -> None:
        if not MIN_SEATS <= self.seats <= MAX_SEATS:
            raise RuleError("2.1", f"{self.seats} seats: a table has {MIN_SEATS} to {MAX_SEATS}")
        if self.hands is not None:
            if self.max_hand is not None or self.last_hand is not None:
                raise RuleError("2.4", "a list of hands excludes max_hand and last_hand")
            if not self.hands:
                raise RuleError("2.4", "the list of hands is empty")
        if self.last_hand is not None and self.variant is Variant.NEW_JERSEY:
            raise RuleError("6.4", "last_hand does not apply to the New Jersey variant")
        for size in (self.max_hand, self.last_hand, *(self.hands or ())):
            if size is not None and not 1 <= size <= self.largest_possible:
                raise RuleError(
                    "2.4", f"a hand of {size}: with {self.seats} seats a hand has 1 to {self.largest_possible} cards"
                )

    @property
    def largest_possible(self) -> int:
        """The largest hand that the pack allows with this many seats."""
        return PACK_SIZE // self.seats

    @property
    def schedule(self) -> tuple[int, ...]:
        """The size of every hand in the order in which they are dealt (RULES 2.3, 2.4, 6.4)."""
        if self.hands is not None:
            return self.hands
        top = STANDARD_MAX_HAND[self.seats] if self.max_hand is None else self.max_hand
        if self.variant is Variant.NEW_JERSEY:
            return (*range(1, top), *range(top, 0, -1))
        last = top if self.last_hand is None else self.last_hand
        return (*range(top, 0, -1), *range(2, last + 1))
