"""A referee under load: so many games at once between the bots that come, and another for each that ends.

    python -m bluke.bench.host SEATS GAMES [DECISION_MS [FOLDER]]

It prints a line of JSON with its address and a token for each bot, then plays until its input ends; `count` there is
answered with the timeouts and the excused decisions so far. With DECISION_MS decisions may take no longer, and there
is no bank. Replays go when their game is over, unless FOLDER keeps them. With GAMES 0 the bots are only connected.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
from collections import Counter
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import structlog

from bluke.arena.loop import run
from bluke.bench.tally import obey, say
from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.rules import Rules
from bluke.wire.hello import StreamLimits
from bluke.wire.values import FaultKind, GameLimits

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence

#: The match seed: the same deals each time.
SEED = b"bench"
EXCUSED = "the referee was late, and the decision is excused"


class Host:
    """What is played, and what has gone wrong meanwhile.

    Attributes:
        wrong: how often each kind of fault was charged, and how many decisions were excused.
    """

    def __init__(self, seats: int, games: int, limits: GameLimits, *, keep: bool) -> None:
        self.seats = seats
        self.games = games
        self.limits = limits
        self.keep = keep
        self.wrong: Counter[str] = Counter()

    def hear(self, _logger: object, _method: str, event: MutableMapping[str, Any]) -> NoReturn:
        """Count what the referee logs instead of writing it."""
        if event["event"] == "fault":
            self.wrong[event["kind"]] += 1
        elif event["event"] == EXCUSED:
            self.wrong["excused"] += 1
        raise structlog.DropEvent

    def counts(self) -> dict[str, int]:
        """Decisions that timed out, and that were excused."""
        return {"timeouts": self.wrong[FaultKind.TIMEOUT.value], "excused": self.wrong["excused"]}

    async def serve(self, replays: Path) -> None:
        """Play until the input ends."""
        limits = StreamLimits(max_games=max(self.games, StreamLimits().max_games), max_waiting=100_000)
        async with Referee(Settings("127.0.0.1:0", replays, stream_limits=limits)) as referee:
            tokens = [referee.expect(f"bot {seat}") for seat in range(self.seats)]
            say({"address": referee.address, "tokens": tokens})
            playing = asyncio.create_task(self._play(referee, tokens))
            await obey(count=self.counts)
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    async def _play(self, referee: Referee, tokens: Sequence[str]) -> None:
        bots = tuple([await referee.arrival(token) for token in tokens])
        match = Match("bench", SEED, open_ended=True)
        numbers = count()

        async def table() -> None:
            rules = Rules(seats=self.seats)
            while True:
                number = next(numbers)
                match.add(number, 1)
                turned = number % self.seats
                lineup = bots[turned:] + bots[:turned]
                game = GameSpec(match, match.game_id(number), number, rules, self.limits, lineup)
                finished = await referee.play(game)
                if not self.keep:
                    finished.replay.unlink()

        async with asyncio.TaskGroup() as group:
            for _ in range(self.games):
                group.create_task(table())


def _main(seats: str, games: str, decision_ms: str = "", folder: str = "") -> None:
    limits = GameLimits(decision_ms=int(decision_ms), bank_ms=0) if decision_ms else GameLimits()
    host = Host(int(seats), int(games), limits, keep=bool(folder))
    structlog.configure(processors=[host.hear], wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    with tempfile.TemporaryDirectory(prefix="bluke-bench-") as scratch:
        run(host.serve(Path(folder or scratch)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
