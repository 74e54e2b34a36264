"""Games for the tests of the stepper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.page.games import hostile_game, hostile_notes
from replay.recording import STRICT, record_game

from bluke.replay.reader import read_replay
from bluke.replay.stepper.tale import Tale, tale_of
from bluke.rules import CutRule, Rules, Variant

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["GAMES", "tale"]

GAMES: dict[str, Callable[[Path], Path]] = {
    "two": lambda folder: record_game(folder, Rules(2, max_hand=27), seed=3, stop=200, fault_rate=0.05).path,
    "four": lambda folder: record_game(folder, Rules(4, max_hand=6), seed=3, note=hostile_notes()).path,
    "fifteen": lambda folder: record_game(folder, Rules(15), seed=4, note=hostile_notes(), fault_rate=0.03).path,
    "hostile": hostile_game,
    "strict": lambda folder: record_game(folder, Rules(3, max_hand=4), seed=3, fault_rate=0.05, limits=STRICT).path,
    "unfinished": lambda folder: record_game(folder, Rules(3, max_hand=5), stop=40, ending=None).path,
    "undealt": lambda folder: record_game(folder, Rules(2, max_hand=3, cut=CutRule.PLAYER), stop=0, ending=None).path,
    "jersey": lambda folder: record_game(folder, Rules(5, variant=Variant.NEW_JERSEY, max_hand=3), seed=1).path,
}


def tale(folder: Path, name: str) -> Tale:
    """One of the games, made ready to be shown."""
    return tale_of(read_replay(GAMES[name](folder)))
