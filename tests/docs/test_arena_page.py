"""The page on `arena.toml` says what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bluke.arena.config import (
    ArenaConfig,
    BotConfig,
    ClockConfig,
    CompareConfig,
    FaultsConfig,
    LimitsConfig,
    RulesConfig,
)

PAGE = Path(__file__).parents[2] / "docs" / "arena.md"
#: What the example shows although it has no default, or one that depends on the machine.
NOT_DEFAULT = {"seed", "seed_hex", "tables", "bots", "max_hand", "last_hand", "hands", "name", "command", "new", "old"}


def example() -> dict[str, Any]:
    """The file with every option, and the table that does not go with its schedule."""
    text = PAGE.read_text(encoding="utf-8")
    whole, compare = (
        tomllib.loads(re.search(rf"```toml\n{begin}\n(.*?)```", text, re.DOTALL)[1])  # type: ignore[index]
        for begin in ("# arena.toml", 'schedule = "compare"')
    )
    return {**whole, **compare}


@pytest.mark.parametrize(
    ("kind", "section"),
    [
        (ArenaConfig, lambda data: data),
        (BotConfig, lambda data: data["bots"][0]),
        (RulesConfig, lambda data: data["rules"]),
        (ClockConfig, lambda data: data["clock"]),
        (FaultsConfig, lambda data: data["faults"]),
        (LimitsConfig, lambda data: data["limits"]),
        (CompareConfig, lambda data: data["compare"]),
    ],
)
def test_every_option_is_shown_with_its_default(kind: type[msgspec.Struct], section: Any):
    """No option is missing from the page, and the values of the example are the defaults."""
    shown = section(example())
    for field in msgspec.structs.fields(kind):
        if field.name in ("rules", "clock", "faults", "limits"):
            continue
        default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        if field.name in NOT_DEFAULT or default is None:
            assert field.name in PAGE.read_text(encoding="utf-8")
        else:
            assert shown[field.name] == msgspec.to_builtins(default), field.name
