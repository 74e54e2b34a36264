"""The lobby of `bluke serve`: bots come and go, and a table starts when enough of them are there."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import structlog

from bluke.errors import ArenaError, ConfigError
from bluke.referee.match import ATTEMPTS, Match
from bluke.referee.spec import GameSpec
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bluke.referee.bot import Bot
    from bluke.referee.server import Referee
    from bluke.referee.spec import Finished
    from bluke.rules import Rules
    from bluke.wire.values import GameLimits

__all__ = ["Lobby", "SeatedGame"]

log = structlog.get_logger(__name__)

#: So many deals are played at a sitting, their games in an order that tells no bot which of them share a deal.
SITTING_BOARDS = 4


@dataclass(frozen=True, slots=True)
class SeatedGame:
    """A finished game of the lobby, with its place in the schedule.

    Attributes:
        number: its number, from 0.
        board: its deal.
        rotation: how far the seats were turned.
        names: the identities by seat.
        finished: the game.
    """

    number: int
    board: int
    rotation: int
    names: tuple[str, ...]
    finished: Finished


@dataclass(slots=True)
class Request:
    """A match that was asked for: of named bots, or of whoever is there (`names` is `None`)."""

    match: Match
    games_left: float
    names: tuple[str, ...] | None = None
    next_deal: int = 0

    def take_boards(self, seats: int) -> dict[int, int]:
        """The deals of the next sitting, each with the number of its games."""
        boards: dict[int, int] = {}
        while self.games_left > 0 and len(boards) < SITTING_BOARDS:
            games = int(min(seats, self.games_left))
            boards[self.next_deal] = games
            self.match.add(self.next_deal, games)
            self.next_deal += 1
            self._set_left(self.games_left - games)
        return boards

    def give_back(self, deal: int, games: int) -> bool:
        """Games of a board that will not be played: others are played in their place.

        Returns:
            Whether nothing is left to be played on the deal.
        """
        self._set_left(self.games_left + games)
        return self.match.finish(deal, games)

    def _set_left(self, games: float) -> None:
        self.games_left = games
        # The match seed stays a secret for as long as another board may be dealt from it.
        self.match.open_ended = games > 0


class Lobby:
    """Seats the bots that are there, sitting after sitting.

    A bot sits at one table at a time, for a few boards; those that have played least go first.

    Args:
        referee: where the bots are.
        rules: the rules of every game.
        limits: clock and policy of every game.
        seed: the match seed.
        games: how many games to play for whoever comes; `None` for no end.
        on_game: told of each finished game; the next of its sitting waits for it.
    """

    def __init__(
        self,
        referee: Referee,
        *,
        rules: Rules,
        limits: GameLimits,
        seed: bytes,
        games: int | None,
        on_game: Callable[[SeatedGame], Awaitable[None]],
    ) -> None:
        """Prepare; `run` does the work."""
        self._referee = referee
        self._rules = rules
        self._limits = limits
        self._on_game = on_game
        self._changed = asyncio.Event()
        self._busy: set[Bot] = set()
        self._played: Counter[str] = Counter()
        self._numbers = 0
        self._stopping = False
        match = Match(f"match-{secrets.token_hex(6)}", seed, open_ended=True)
        self._requests = [Request(match, float("inf") if games is None else games)]
        self._sittings: set[asyncio.Task[None]] = set()
        referee.on_arrival = lambda _: self._changed.set()
        referee.on_departure = lambda _: self._changed.set()
        referee.start_match = self.start_match

    @property
    def match_id(self) -> str:
        """The match of whoever comes."""
        return self._requests[-1].match.match_id

    @property
    def waiting(self) -> list[Bot]:
        """The bots that are there and do not play."""
        return [
            bot
            for bots in self._referee.bots.values()
            for bot in bots
            if bot.connected and bot.gone is None and bot not in self._busy
        ]

    def start_match(self, names: Sequence[str], boards: int) -> tuple[str, int]:
        """Ask for a match of named bots; it goes before the games of whoever comes.

        Returns:
            The id of the match and its number of games.

        Raises:
            ConfigError: it cannot be played here.
        """
        seats = self._rules.seats
        if len(names) != seats:
            msg = f"{len(names)} bots for a table of {seats}: name one for each seat"
            raise ConfigError(msg)
        if not 1 <= boards <= 1_000_000:
            msg = f"{boards} boards: ask for 1 to 1000000"
            raise ConfigError(msg)
        missing = sorted(name for name in set(names) if name not in self._referee.bots)
        if missing:
            msg = f"not connected: {', '.join(missing)}; ListBots tells who is"
            raise ConfigError(msg)
        match = Match(f"match-{secrets.token_hex(6)}", secrets.token_bytes(32), open_ended=True)
        self._requests.insert(0, Request(match, boards * seats, tuple(names)))
        self._changed.set()
        return match.match_id, boards * seats

    async def run(self, stop: asyncio.Event, drain: asyncio.Event | None = None) -> None:
        """Play until every game that was asked for is played, or `stop` is set.

        Once `drain` is set no more games begin, and it ends when those that are being played are over.

        Raises:
            ArenaError: the disk refuses, or the referee itself fails again and again.
        """
        stopping = asyncio.ensure_future(stop.wait())
        draining = asyncio.ensure_future(self._drain(drain or asyncio.Event()))
        try:
            while not stop.is_set() and (self._sittings or self._games_to_begin):
                self._changed.clear()
                self._seat_all()
                waking = asyncio.ensure_future(self._changed.wait())
                await asyncio.wait({waking, stopping}, return_when=asyncio.FIRST_COMPLETED)
                waking.cancel()
                for done in [sitting for sitting in self._sittings if sitting.done()]:
                    self._sittings.discard(done)
                    done.result()
        finally:
            stopping.cancel()
            draining.cancel()
            self._stopping = True
            self._referee.void_all("the referee was stopped")
            # Not cancelled: a game may be over and not told yet.
            await asyncio.gather(*self._sittings, return_exceptions=True)

    async def _drain(self, drain: asyncio.Event) -> None:
        await drain.wait()
        await self._referee.drain()
        self._changed.set()

    @property
    def done(self) -> bool:
        """Whether every game that was asked for is played or being played."""
        return all(request.games_left <= 0 for request in self._requests)

    @property
    def _games_to_begin(self) -> bool:
        return not self._referee.draining and not self.done

    def _seat_all(self) -> None:
        if self._referee.draining:
            return
        for request in self._requests:
            while request.games_left > 0:
                group = self._choose(request)
                if group is None:
                    break
                self._busy.update(group)
                sitting = asyncio.ensure_future(self._sit(request, request.take_boards(self._rules.seats), group))
                self._sittings.add(sitting)
                sitting.add_done_callback(partial(self._free, group))

    def _free(self, group: tuple[Bot, ...], _: asyncio.Task[None]) -> None:
        self._busy.difference_update(group)
        self._changed.set()

    def _choose(self, request: Request) -> tuple[Bot, ...] | None:
        """Who sits down next, `None` if not enough of them are there."""
        waiting = sorted(self.waiting, key=lambda bot: self._played[bot.identity.name])
        if request.names is None:
            seats = self._rules.seats
            return tuple(waiting[:seats]) if len(waiting) >= seats else None
        by_name = {bot.identity.name: bot for bot in waiting}
        if not set(request.names) <= by_name.keys():
            return None
        return tuple(by_name[name] for name in request.names)

    async def _sit(self, request: Request, boards: dict[int, int], group: tuple[Bot, ...]) -> None:
        """Play so many games of each deal in `boards`, turned from game to game, for as long as everybody stays.

        The games are played in an order of their own, so that it tells no bot which of them share a deal.
        """
        match = request.match
        seats = len(group)
        games = match.shuffled(
            [(deal, rotation) for deal, games in boards.items() for rotation in range(games)],
            f"bluke/1/sitting {min(boards)}",
        )
        for at, (deal, rotation) in enumerate(games):
            if self._referee.draining or any(bot.gone is not None for bot in group):
                for left, _ in games[at:]:
                    if request.give_back(left, 1):
                        self._referee.reveal(match.match_id, left)
                log.info("a sitting is broken off", boards=list(boards), draining=self._referee.draining)
                return
            bots = tuple(group[(seat - rotation) % seats] for seat in range(seats))
            played = await self._game(match, deal, bots)
            if played is None:
                return
            number, finished = played
            names = tuple(bot.identity.name for bot in bots)
            self._played.update(names)
            await self._on_game(SeatedGame(number, deal, rotation, names, finished))

    async def _game(self, match: Match, deal: int, bots: tuple[Bot, ...]) -> tuple[int, Finished] | None:
        """Play a game until it counts; returns its number too, or `None` if the lobby is closing."""
        for _ in range(ATTEMPTS):
            if self._stopping:
                return None
            number = self._numbers
            self._numbers += 1
            spec = GameSpec(match, match.game_id(number), deal, self._rules, self._limits, bots)
            finished = await self._referee.play(spec)
            if finished.result.status is not Status.VOID:
                return number, finished
        msg = f"game {spec.game_id} was void {ATTEMPTS} times: {finished.result.reason}"
        raise ArenaError(msg)
