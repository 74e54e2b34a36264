"""The reference bot `one` on the Python SDK, which says on stdout what it is told of beginnings and ends."""

from __future__ import annotations

import bluke_sdk
from bots.one import One


class Telling(One):
    """One trick, any legal card, and a word about each game."""

    def game_started(self, game: bluke_sdk.GameStarted) -> None:
        print("started", game.game_id)

    def game_over(self, game: bluke_sdk.GameOver) -> None:
        print("over", game.game_id, *game.totals)


if __name__ == "__main__":
    bluke_sdk.run(Telling)
