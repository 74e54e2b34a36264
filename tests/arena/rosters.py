"""Rosters of real bots, and what is left of them."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import tomli_w

from bluke.arena.config import ArenaConfig, load_config

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
SMALLEST = [sys.executable, str(ROOT / "docs" / "smallest_bot.py")]
MOODY = [sys.executable, str(Path(__file__).with_name("moody_bot.py"))]
#: Hands of one and two cards: twelve decisions a game at two seats.
SHORT = {"hands": [1, 2]}


def roster(*bots: Sequence[str], fresh: Sequence[str] = (), **options: object) -> dict[str, object]:
    """What an arena.toml holds: bots called a, b, c ... of these commands, and options."""
    return {
        "seats": 2,
        "boards": 3,
        "seed": "test",
        "tables": 3,
        "rules": SHORT,
        **options,
        "bots": [
            {"name": name, "command": list(command), "fresh": name in fresh}
            for name, command in zip("abcdefgh", bots, strict=False)
        ],
    }


def configured(tmp_path: Path, *bots: Sequence[str], fresh: Sequence[str] = (), **options: object) -> ArenaConfig:
    return load_config(roster(*bots, fresh=fresh, **options), where="test", folder=tmp_path)


def write_roster(path: Path, *bots: Sequence[str], fresh: Sequence[str] = (), **options: object) -> Path:
    given = {key: value for key, value in roster(*bots, fresh=fresh, **options).items() if value is not None}
    path.write_text(tomli_w.dumps(given))
    return path


def pids(logs: Path) -> list[int]:
    """The processes that said their number in the logs of a run."""
    text = "".join(path.read_text() for path in sorted(logs.iterdir()))
    return [int(number) for number in re.findall(r"^\[out\] pid ([0-9]+)$", text, re.MULTILINE)]


def alive(numbers: Sequence[int]) -> list[int]:
    """Those that still run."""
    running = []
    for number in numbers:
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(number).status() != psutil.STATUS_ZOMBIE:
                running.append(number)
    return running
