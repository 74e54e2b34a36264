"""A whole ladder as a person plays it: `bluke arena` with four processes of the bot `rule`, and all of it verified."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bluke.arena.record import read_record
from bluke.arena.starter.write import CHECKOUT, SHIPPED
from bluke.bench.runs import command
from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.arena.record import EndRecord, GameRecord, RunRecord

__all__ = ["bots_folder", "play_ladder"]

SEATS = 4
TABLES = 128


def bots_folder() -> Path:
    """Where the reference bots are: in the checkout, or where a wheel carries them.

    Raises:
        ArenaError: they are at neither place.
    """
    for root in (SHIPPED, CHECKOUT):
        folder = root / "clients/python"
        if (folder / "bots/rule.py").is_file():
            return folder
    raise ArenaError(f"the reference bots are not in {SHIPPED}; install bluke-arena again, or use a whole checkout")


def _configuration(boards: int) -> str:
    bots = "".join(
        f'[[bots]]\nname = "rule {number}"\ncommand = "python -m bots.rule"\nfolder = {_quoted(str(bots_folder()))}\n'
        for number in range(SEATS)
    )
    return f'seats = {SEATS}\nboards = {boards}\nseed = "bench"\ntables = {TABLES}\n{bots}'


def _quoted(text: str) -> str:
    # A path: no control characters, so what JSON would escape is what TOML does.
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def play_ladder(folder: Path, boards: int) -> dict[str, float]:
    """Play a ladder and verify all of it.

    Returns:
        Decisions a second from the run's first line to its last, `rate`; the seconds of the whole command, `whole`,
        and of verifying, `verified`.

    Raises:
        ArenaError: a command failed, a bot was charged with a fault, or a replay is wrong.
    """
    with tempfile.TemporaryDirectory(dir=folder, prefix="ladder-") as name:
        here = Path(name)
        (here / "arena.toml").write_text(_configuration(boards), encoding="utf-8")
        _, whole = command("arena", "--run", "run", folder=here)
        _, verified = command("replay", "verify", "--quiet", "run/replays", folder=here)
        rate = _rate(*read_record(here / "run/results.jsonl"))
    return {"rate": rate, "whole": whole, "verified": verified}


def _rate(run: RunRecord, games: Sequence[GameRecord], end: EndRecord | None) -> float:
    """Decisions a second from the first line to the last."""
    if end is None or len(games) != run.games:
        raise ArenaError("the ladder of a measurement was not played to its end")
    faults = sum(len(game.faults) for game in games)
    if faults:
        raise ArenaError(f"{faults} faults were charged in the ladder of a measurement; see what else runs here")
    decisions = sum(number for game in games for seat in game.times for _, number in seat)
    return decisions / (end.finished - run.started).total_seconds()
