"""What a client of a measurement counts, and the words by which it is told when: lines on its input.

`begin` starts a measurement, `end` ends it and prints what was measured as JSON; the end of the input is the end.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Tally", "obey", "say"]


class Tally:
    """What one measurement counts.

    Attributes:
        decisions: turns answered.
        messages: messages that held turns; 0 where nobody counts them.
        waits: seconds from an answer to the next turn of its game, wherever that arrived.
    """

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.cpu = time.process_time()
        self.decisions = 0
        self.messages = 0
        self.waits: list[float] = []

    def told(self) -> dict[str, Any]:
        """The figures of a measurement that ends now."""
        seconds, cpu = time.perf_counter() - self.began, time.process_time() - self.cpu
        waits = sorted(self.waits)
        return {
            "decisions": self.decisions,
            "messages": self.messages,
            "seconds": seconds,
            "cpu": cpu,
            "p50": waits[len(waits) // 2] if waits else None,
            "p99": waits[len(waits) * 99 // 100] if waits else None,
        }


def say(what: object) -> None:
    """Print a line of JSON for whoever started this program."""
    print(msgspec.json.encode(what).decode(), flush=True)  # noqa: T201 - it is read there


async def obey(**words: Callable[[], object]) -> None:
    """Do what each word on the input stands for and say what came of it, until the input ends."""
    loop = asyncio.get_running_loop()
    while word := (await loop.run_in_executor(None, sys.stdin.readline)).strip():
        say(words[word]())
