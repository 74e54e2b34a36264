"""Kinds of runs: only games of as many seats and of the same rules say something together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from bluke.arena.config import RulesConfig
from bluke.errors import RuleError
from bluke.rules import BlukeLed, CutRule, Rules, Variant

if TYPE_CHECKING:
    from collections.abc import Collection

    from bluke.arena.record import RunRecord

__all__ = ["KEYS", "Kind", "recorded_rules", "rule_values", "stored_rules"]

#: The options of the game by which runs are chosen, those that say most first.
KEYS = ("variant", "bluke_led", "cut", "max_hand", "last_hand", "hands")


@dataclass(frozen=True, slots=True)
class Kind:
    """What all games of a table have to have in common.

    Attributes:
        seats: seats at a table.
        rules: the rules, `None` where the record does not tell them.
    """

    seats: int
    rules: Rules | None

    def has(self, wanted: dict[str, Any]) -> bool:
        """Whether the rules have these values, which are those of `RulesConfig`."""
        return self.rules is not None and wanted.items() <= rule_values(self.rules).items()

    def apart_from(self, others: Collection[Kind]) -> dict[str, Any]:
        """As few values as it takes to tell these rules from those of `others` with as many seats."""
        rivals = [other for other in others if other.seats == self.seats and other != self]
        chosen: dict[str, Any] = {}
        if self.rules is None:
            return chosen
        mine = rule_values(self.rules)
        for key in KEYS:
            left = [rival for rival in rivals if rival.has({key: mine[key]})]
            if len(left) < len(rivals):
                chosen[key] = mine[key]
                rivals = left
        return chosen


def recorded_rules(run: RunRecord) -> Rules | None:
    """The rules of a run, `None` if its record does not tell them, or tells what this version does not know."""
    try:
        if run.config is not None:
            rules = msgspec.convert(run.config.get("rules", {}), RulesConfig).rules(run.seats)
        else:
            rules = msgspec.convert(run.rules, Rules)
        # With every hand spelt out, rules that play alike are equal.
        return Rules(run.seats, rules.variant, hands=rules.schedule, bluke_led=rules.bluke_led, cut=rules.cut)
    except (msgspec.ValidationError, RuleError):
        return None


def stored_rules(run: Any) -> Rules | None:  # noqa: ANN401 - a row
    """The rules in a row of the table of runs."""
    if run.variant is None:
        return None
    return Rules(
        run.seats, Variant(run.variant), hands=tuple(run.hands), bluke_led=BlukeLed(run.bluke_led), cut=CutRule(run.cut)
    )


def rule_values(rules: Rules) -> dict[str, Any]:
    """What was in force, by option: `max_hand` is the largest hand, and `last_hand` the last one."""
    schedule = rules.schedule
    return {
        "variant": rules.variant,
        "bluke_led": rules.bluke_led,
        "cut": rules.cut,
        "max_hand": max(schedule),
        "last_hand": schedule[-1],
        "hands": schedule,
    }
