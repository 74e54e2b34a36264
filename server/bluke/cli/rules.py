"""Options of the game on the command line: `--rules KEY=VALUE`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bluke.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.arena.config import RulesConfig

__all__ = ["parse_rules"]


def parse_rules(pairs: Sequence[str]) -> tuple[RulesConfig, frozenset[str]]:
    """The options that were given, with the others at their defaults, and which those were.

    Raises:
        ConfigError: there is no such option, or no such value of it.
    """
    import msgspec

    from bluke.arena.config import RulesConfig, explain

    data: dict[str, Any] = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or key in data:
            problem = f"{key} was given before" if sign else "write KEY=VALUE, such as variant=new_jersey"
            raise ConfigError(f"--rules {pair}: {problem}")
        data[key] = value.split(",") if key == "hands" else value
    try:
        return msgspec.convert(data, RulesConfig, strict=False), frozenset(data)
    except msgspec.ValidationError as error:
        raise ConfigError(f"--rules: {explain(error, RulesConfig)}") from None
