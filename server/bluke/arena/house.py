"""An open house: a referee and its lobby, with what happens in them said and recorded."""

from __future__ import annotations

import asyncio
import shlex
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from bluke.arena.machine import this_machine
from bluke.arena.record import EndRecord, GameRecord, RecordFile, RunRecord, game_record
from bluke.arena.schedule import Fixture
from bluke.arena.standings import make_standings
from bluke.arena.terminal import bluke_command, print_standings
from bluke.errors import ArenaError
from bluke.referee import Referee
from bluke.referee.arena_service import StandingRow
from bluke.referee.lobby import Lobby, SeatedGame
from bluke.referee.metrics import Metrics
from bluke.replay.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from bluke.arena.run import RunFolder
    from bluke.arena.standings import Standings
    from bluke.referee import Bot, Settings
    from bluke.rules import Rules
    from bluke.wire.values import GameLimits

__all__ = ["OpenHouse"]


class OpenHouse:
    """What `bluke serve` runs.

    Args:
        out: where people are told what happens.
        folder: the run folder.
    """

    def __init__(self, out: Console, folder: RunFolder) -> None:
        """Prepare; `run` does the work."""
        self._out = out
        self._folder = folder
        self._games: list[GameRecord] = []
        self._seats = 0
        self._trouble: ArenaError | None = None
        self._known = (0, make_standings([], [], 0))

    async def run(
        self,
        settings: Settings,
        *,
        rules: Rules,
        limits: GameLimits,
        seed: bytes,
        games: int | None,
        stop: asyncio.Event,
        drain: asyncio.Event,
        metrics: tuple[str, int] | None = None,
    ) -> bool:
        """Serve until every game is played or `stop` is set, then print the standings.

        Once `drain` is set no more games begin, and it ends when those that are being played are over.
        With `metrics`, host and port, figures are served there for Prometheus.

        Returns:
            Whether every game was played; without a number of games there is always another.

        Raises:
            ConfigError: the address cannot be listened on.
            ArenaError: the disk refuses, or the referee fails; the standings so far are printed all the same.
        """
        self._seats = rules.seats
        async with AsyncExitStack() as stack:
            referee = await stack.enter_async_context(Referee(settings))
            if metrics is not None:
                figures = Metrics(referee)
                port = stack.enter_context(figures.served(*metrics))
                referee.on_finished = figures.count
                self._say(f"figures for Prometheus: http://{metrics[0]}:{port}/metrics")
            with RecordFile(self._folder.record) as record:
                lobby = Lobby(
                    referee,
                    rules=rules,
                    limits=limits,
                    seed=seed,
                    games=games,
                    on_game=lambda game: self._game(game, record, stop),
                )
                await record.append(
                    RunRecord(
                        match=lobby.match_id,
                        started=datetime.now(UTC),
                        server=referee.server,
                        bots=[],
                        seats=rules.seats,
                        boards=0 if games is None else -(-games // rules.seats),
                        games=games or 0,
                        machine=this_machine(),
                        rules=msgspec.to_builtins(rules),
                    )
                )
                referee.standings = self._rows
                self._say_how(referee, settings, games)
                _announce(self._say, referee, lobby, rules.seats)
                saying = [asyncio.create_task(self._say_stopping(stop)), asyncio.create_task(self._say_draining(drain))]
                try:
                    await lobby.run(stop, drain)
                except ArenaError as error:
                    self._trouble = self._trouble or error
                for task in saying:
                    task.cancel()
                complete = self._trouble is None and lobby.done
                status = "failed" if self._trouble is not None else "complete" if complete else "stopped"
                try:
                    await record.append(EndRecord(status=status, finished=datetime.now(UTC), match_seed=seed.hex()))
                    self._folder.write_standings(self._standings())
                except ArenaError as error:
                    self._trouble = self._trouble or error
        self._print_end()
        if self._trouble is not None:
            raise self._trouble
        return complete

    def _print_end(self) -> None:
        self._out.print()
        if self._games:
            print_standings(self._out, self._standings())
            self._out.print()
            self._out.print(
                f"check every game  {bluke_command()} replay verify {shlex.quote(str(self._folder.replays))}"
            )
        else:
            self._out.print("no game was finished")
        self._out.print(f"run folder        {visible(str(self._folder.path))}")

    def _say(self, text: str) -> None:
        # Whoever was told may have gone, or their disk be full: the games go on and are recorded.
        with suppress(OSError):
            self._out.print(text)

    def _say_how(self, referee: Referee, settings: Settings, games: int | None) -> None:
        many = "games until it is stopped" if games is None else f"{games} games"
        self._say(f"{many} at tables of {self._seats}, each deal in {self._seats} rotations of the seats")
        self._say(f"run folder: {visible(str(self._folder.path))}")
        self._say(f"listening on {referee.address}; Ctrl-C stops")
        token = " BLUKE_TOKEN=..." if settings.tokens is not None else ""
        self._say(f"a bot joins with BLUKE_SERVER={referee.address}{token} in its environment")

    async def _say_stopping(self, stop: asyncio.Event) -> None:
        await stop.wait()
        if self._trouble is None:
            self._say("stopping: what is being played is given up; Ctrl-C again stops at once")

    async def _say_draining(self, drain: asyncio.Event) -> None:
        await drain.wait()
        self._say("draining: no more games begin; Ctrl-C gives up what is being played")

    async def _game(self, game: SeatedGame, record: RecordFile, stop: asyncio.Event) -> None:
        fixture = Fixture(game.number, game.board, game.rotation, tuple(range(len(game.names))))
        kept = game_record(fixture, game.names, game.finished, self._folder.path)
        try:
            await record.append(kept)
        except ArenaError as error:
            self._trouble = self._trouble or error
            stop.set()
            return
        self._games.append(kept)
        scores = ", ".join(f"{visible(name)} {total}" for name, total in zip(kept.bots, kept.totals, strict=True))
        faults = f"; {len(kept.faults)} faults" if kept.faults else ""
        self._say(f"game {kept.game} ({kept.status.value}): {scores}{faults}")

    def _standings(self) -> Standings:
        # Anybody may ask at any time, so they are worked out once for each game.
        if self._known[0] != len(self._games):
            bots = sorted({bot for game in self._games for bot in game.bots})
            self._known = len(self._games), make_standings(self._games, bots, self._seats)
        return self._known[1]

    def _rows(self) -> Sequence[StandingRow]:
        return [
            StandingRow(row.bot, row.games, row.points.mean, row.points.margin, row.wins, sum(row.faults.values()))
            for row in self._standings().rows
        ]


def _announce(say: Callable[[str], None], referee: Referee, lobby: Lobby, seats: int) -> None:
    """Say who comes and goes, and how many are waited for; the lobby is still told as well."""
    arrival, departure = referee.on_arrival, referee.on_departure

    def tell(bot: Bot, what: str) -> None:
        waiting = len(lobby.waiting)
        short = f"; {waiting} of {seats} for the next table" if waiting < seats else ""
        say(f"{visible(bot.identity.name)} {what}{short}")

    def came(bot: Bot) -> None:
        tell(bot, "is here")
        arrival(bot)

    def went(bot: Bot) -> None:
        tell(bot, "has left")
        departure(bot)

    referee.on_arrival, referee.on_departure = came, went
