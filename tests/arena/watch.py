"""A run as a test sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from arena.records import game

from bluke.referee import Match

if TYPE_CHECKING:
    from collections.abc import Callable

    from bluke.arena.record import GameRecord
    from bluke.arena.run import Plan
    from bluke.arena.statistics.sequential import Judgement


class Watch:
    """A progress that keeps what it is told; `at_game` is called with each game."""

    def __init__(self, at_game: Callable[[int], None] = lambda _: None) -> None:
        self.told: list[str] = []
        self.at_game = at_game
        #: How many boards a comparison had looked at, each time that it told.
        self.boards: list[int] = []

    def planned(self, plan: Plan) -> None:
        self.told.append(f"planned {len(plan.fixtures)}")

    def started(self) -> None:
        self.told.append("started")

    def game(self, record: GameRecord) -> None:
        self.told.append("game")
        self.at_game(self.told.count("game"))

    def compared(self, judgement: Judgement) -> None:
        self.boards.append(judgement.boards)

    def stopping(self) -> None:
        self.told.append("stopping")

    def draining(self) -> None:
        self.told.append("draining")


def made(plan: Plan, number: int) -> GameRecord:
    """The game of that number, as it would be recorded."""
    fixture = plan.fixtures[number]
    bots = [plan.bots[place] for place in fixture.lineup]
    return msgspec.structs.replace(
        game(fixture.board, bots, [1, 0]),
        number=number,
        rotation=fixture.rotation,
        game=Match("", plan.seed).game_id(number, 1),
    )
