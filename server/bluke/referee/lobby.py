"""The lobby of `bluke serve`: bots come and go, and a table starts when enough of them are there."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from bluke.errors import ArenaError, ConfigError
from bluke.referee.match import Match
from bluke.referee.table import GameSpec
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bluke.referee.bot import Bot
    from bluke.referee.server import Referee
    from bluke.referee.table import Finished
    from bluke.rules import Rules
    from bluke.wire.values import GameLimits

__all__ = ["Lobby", "SeatedGame"]

log = structlog.get_logger(__name__)

#: A game that was void through no fault of a bot is played again this often.
ATTEMPTS = 3


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


class Lobby:
    """Seats the bots that are there, board after board.

    A bot plays one board at a time; those that have played least go first.

    Args:
        referee: where the bots are.
        rules: the rules of every game.
        limits: clock and policy of every game.
        seed: the match seed.
        games: how many games to play for whoever comes; `None` for no end.
        on_game: told of each finished game.
    """

    def __init__(
        self,
        referee: Referee,
        *,
        rules: Rules,
        limits: GameLimits,
        seed: bytes,
        games: int | None,
        on_game: Callable[[SeatedGame], None],
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
        # With an end in sight every deal is known from the start, so that the last of them is too.
        deals = [] if games is None else [game // rules.seats for game in range(games)]
        match = Match(f"match-{secrets.token_hex(6)}", seed, deals, open_ended=games is None)
        self._requests = [Request(match, float("inf") if games is None else games)]
        self._boards: set[asyncio.Task[None]] = set()
        referee.on_arrival = lambda bot: self._changed.set()
        referee.on_departure = lambda bot: self._changed.set()
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
        deals = [deal for deal in range(boards) for _ in range(seats)]
        match = Match(f"match-{secrets.token_hex(6)}", secrets.token_bytes(32), deals)
        self._requests.insert(0, Request(match, len(deals), tuple(names)))
        self._changed.set()
        return match.match_id, len(deals)

    async def run(self, stop: asyncio.Event) -> None:
        """Play until every game that was asked for is played, or `stop` is set.

        Raises:
            ArenaError: the disk refuses, or the referee itself fails again and again.
        """
        stopping = asyncio.ensure_future(stop.wait())
        try:
            while not stop.is_set() and (self._boards or any(request.games_left > 0 for request in self._requests)):
                self._changed.clear()
                self._seat_all()
                waking = asyncio.ensure_future(self._changed.wait())
                await asyncio.wait({waking, stopping}, return_when=asyncio.FIRST_COMPLETED)
                waking.cancel()
                for done in [board for board in self._boards if board.done()]:
                    self._boards.discard(done)
                    done.result()
        finally:
            stopping.cancel()
            self._referee.void_all("the referee was stopped")
            for board in self._boards:
                board.cancel()
            await asyncio.gather(*self._boards, return_exceptions=True)

    def _seat_all(self) -> None:
        for request in self._requests:
            while request.games_left > 0:
                group = self._choose(request)
                if group is None:
                    break
                self._busy.update(group)
                games = int(min(self._rules.seats, request.games_left))
                request.games_left -= games
                deal = request.next_deal
                request.next_deal += 1
                board = asyncio.ensure_future(self._board(request.match, deal, games, group))
                self._boards.add(board)
                board.add_done_callback(lambda _, group=group: self._free(group))

    def _free(self, group: tuple[Bot, ...]) -> None:
        self._busy.difference_update(group)
        self._changed.set()

    def _choose(self, request: Request) -> tuple[Bot, ...] | None:
        """Who plays the next board, `None` if not enough of them are there."""
        waiting = sorted(self.waiting, key=lambda bot: self._played[bot.identity.name])
        if request.names is None:
            seats = self._rules.seats
            return tuple(waiting[:seats]) if len(waiting) >= seats else None
        by_name = {bot.identity.name: bot for bot in waiting}
        if not set(request.names) <= by_name.keys():
            return None
        return tuple(by_name[name] for name in request.names)

    async def _board(self, match: Match, deal: int, games: int, group: tuple[Bot, ...]) -> None:
        """Play one deal in so many rotations, for as long as everybody stays."""
        seats = len(group)
        if match.open_ended:
            match.add(deal, games)
        for rotation in range(games):
            if any(bot.gone is not None for bot in group):
                if match.finish(deal, games - rotation):
                    self._referee.reveal(match.match_id, deal)
                log.info("a board is broken off, since a bot has left", board=deal)
                return
            bots = tuple(group[(seat - rotation) % seats] for seat in range(seats))
            finished = await self._game(match, deal, bots)
            names = tuple(bot.identity.name for bot in bots)
            self._played.update(names)
            self._on_game(SeatedGame(self._numbers, deal, rotation, names, finished))

    async def _game(self, match: Match, deal: int, bots: tuple[Bot, ...]) -> Finished:
        for _ in range(ATTEMPTS):
            number = self._numbers
            self._numbers += 1
            spec = GameSpec(match, match.game_id(number), deal, self._rules, self._limits, bots)
            finished = await self._referee.play(spec)
            if finished.result.status is not Status.VOID:
                return finished
        msg = f"game {spec.game_id} was void {ATTEMPTS} times: {finished.result.reason}"
        raise ArenaError(msg)
