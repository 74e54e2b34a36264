"""Bots of the Python SDK in one process, as little of them as is one: the first legal answer to everything.

    python -m bluke.bench.sdk_bot ADDRESS TOKEN [TOKEN ...]

It is told when to measure as the other client is.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import bluke_sdk
from bluke.arena.loop import run
from bluke.bench.tally import Tally, obey


class Measured:
    """What is being measured."""

    tally = Tally()

    @classmethod
    def begin(cls) -> None:
        """Measure from now on."""
        cls.tally = Tally()

    @classmethod
    def end(cls) -> dict[str, Any]:
        """The figures of what began last."""
        return cls.tally.told()


class First(bluke_sdk.Bot):
    """Gives the first legal answer."""

    def bid(self, view: bluke_sdk.BidView) -> int:
        """Give it."""
        Measured.tally.decisions += 1
        return view.legal[0]

    def play(self, view: bluke_sdk.PlayView) -> bluke_sdk.Card:
        """Give it."""
        Measured.tally.decisions += 1
        return view.legal[0]


async def _main() -> None:
    address, *tokens = sys.argv[1:]
    playing = [asyncio.create_task(bluke_sdk.play(First, server=address, token=token)) for token in tokens]
    await obey(begin=Measured.begin, end=Measured.end)
    for bot in playing:
        bot.cancel()
    await asyncio.gather(*playing, return_exceptions=True)


if __name__ == "__main__":
    run(_main())
