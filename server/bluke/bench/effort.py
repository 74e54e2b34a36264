"""How long is measured, and what the measurements of one run share."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bluke.bench.runs import host, programs
from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["FULL", "QUICK", "Bench", "Effort"]

#: So long replays are waited for.
MOST_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How long each half of a pair takes.

    Attributes:
        quick: whether it is too short for a verdict.
        seconds: what is measured of two programs that play.
        idle_seconds: what is measured of bots that do nothing; pings come every ten seconds.
        boards: boards of the ladder.
        deals: games of the rules.
        replays: replays to verify.
        starts: how often a command is started.
    """

    quick: bool
    seconds: float
    idle_seconds: float
    boards: int
    deals: int
    replays: int
    starts: int


FULL = Effort(quick=False, seconds=3.0, idle_seconds=20.0, boards=80, deals=40, replays=50, starts=3)
QUICK = Effort(quick=True, seconds=1.0, idle_seconds=3.0, boards=4, deals=4, replays=4, starts=1)


class Bench:
    """What the measurements of one run share: a folder that is thrown away, and replays in it."""

    def __init__(self, folder: Path, effort: Effort) -> None:
        self.folder = folder
        self.effort = effort

    @cached_property
    def replays(self) -> Sequence[Path]:
        """Replays of whole games of four seats, as many as are to be verified.

        Raises:
            ArenaError: they could not be played.
        """
        folder = self.folder / "replays"
        folder.mkdir()
        wanted = self.effort.replays
        done: list[Path] = []
        with host(4, wanted, "", str(folder)) as (_, told), programs("client", told["address"], *told["tokens"]):
            until = time.monotonic() + MOST_SECONDS
            while time.monotonic() < until:
                time.sleep(0.25)
                # While a game is being played its replay has another ending.
                done = sorted(folder.glob("*.jsonl"))
                if len(done) >= wanted:
                    return done[:wanted]
        raise ArenaError(
            f"only {len(done)} of {wanted} games were played in {MOST_SECONDS:g} s; see what else runs here"
        )
