"""One run: every game of the schedule, many at once, each recorded before it counts."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

import msgspec
import structlog

from bluke.arena.compare import Comparing
from bluke.arena.config import config_text
from bluke.arena.crew import RemoteSite
from bluke.arena.family import kill_marked
from bluke.arena.folder import RunFolder
from bluke.arena.form import form_of
from bluke.arena.identity import bot_records
from bluke.arena.keeper import Stopped
from bluke.arena.machine import this_machine
from bluke.arena.record import EndRecord, GameRecord, RecordFile, RunRecord, read_record
from bluke.arena.schedule import make_schedule
from bluke.arena.site import LocalSite, Until, all_at_once
from bluke.arena.standings import make_standings
from bluke.arena.statistics.sequential import Stopping
from bluke.arena.worker import Setup
from bluke.errors import ArenaError
from bluke.referee import Match
from bluke.referee.match import ATTEMPTS
from bluke.referee.server import SERVER
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from pathlib import Path

    from bluke.arena.compare import Comparison
    from bluke.arena.config import ArenaConfig
    from bluke.arena.schedule import Fixture
    from bluke.arena.site import Site
    from bluke.arena.standings import Standings
    from bluke.arena.statistics.sequential import Judgement

__all__ = ["Plan", "Progress", "RunFolder", "RunResult", "make_plan", "play_run", "run_result", "without_seed"]

log = structlog.get_logger(__name__)

#: Every process that a run starts, and whatever that starts, has the match id under this name in its environment:
#: a killed arena can leave no list of its bots that is sure to be whole.
MARK = "BLUKE_RUN"


class Progress(Protocol):
    """Who wants to know how a run goes."""

    def planned(self, plan: Plan) -> None:
        """The games are known, and nothing has started."""

    def started(self) -> None:
        """Every bot is there; the games begin."""

    def game(self, record: GameRecord) -> None:
        """A game was played and recorded."""

    def compared(self, judgement: Judgement) -> None:
        """Another board of a comparison was looked at."""

    def stopping(self) -> None:
        """Somebody wants the run to end; what is being played is given up."""

    def draining(self) -> None:
        """Somebody wants the run to end; what is being played is finished."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played.

    Attributes:
        config: the configuration.
        folder: where the run is kept.
        match_id: names the match.
        seed: the match seed.
        fixtures: the games, in the order of play.
        board: the only board that is played, `None` for all.
        resumed: whether the run was begun before, and is taken up again.
        done: the games that it has recorded by now.
    """

    config: ArenaConfig
    folder: RunFolder
    match_id: str
    seed: bytes
    fixtures: tuple[Fixture, ...]
    board: int | None = None
    resumed: bool = False
    done: tuple[GameRecord, ...] = ()

    @property
    def bots(self) -> list[str]:
        """The names of the roster."""
        return [bot.name for bot in self.config.bots]

    @property
    def games_per_board(self) -> int:
        """The games of a complete board."""
        return len(self.fixtures) // (self.config.boards if self.board is None else 1)

    @property
    def left(self) -> tuple[Fixture, ...]:
        """The games that are still to be played."""
        recorded = {game.number for game in self.done}
        return tuple(fixture for fixture in self.fixtures if fixture.number not in recorded)


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run.

    Attributes:
        plan: what was to be played.
        games: what was.
        standings: what that says.
        trouble: why the run ended before its time, if nobody stopped it.
        comparison: what a comparison says of its two bots; `None` for every other run.
        report: its report, if that was written.
    """

    plan: Plan
    games: list[GameRecord]
    standings: Standings
    trouble: ArenaError | None
    comparison: Comparison | None = None
    report: Path | None = None

    @property
    def complete(self) -> bool:
        """Whether every game of the plan was played, or those that a comparison took to its answer."""
        known = self.comparison is not None and self.comparison.judgement.known
        return known or len(self.games) == len(self.plan.fixtures)


def run_result(plan: Plan, games: list[GameRecord], trouble: ArenaError | None = None) -> RunResult:
    """What came of a plan of which these games were played."""
    standings = make_standings(games, plan.bots, plan.games_per_board)
    comparing = comparing_of(plan, games)
    return RunResult(plan, games, standings, trouble, None if comparing is None else comparing.result())


def comparing_of(plan: Plan, games: list[GameRecord]) -> Comparing | None:
    """What looks at the boards of a comparison, when it has seen these games; `None` for every other plan."""
    asked = plan.config.compare
    if asked is None:
        return None
    comparing = Comparing(asked.new, asked.old, plan.games_per_board, Stopping(asked.worth, asked.error, asked.swing))
    for game in games:
        comparing.add(game)
    return comparing


def make_plan(config: ArenaConfig, folder: Path, *, board: int | None = None, seed: bytes | None = None) -> Plan:
    """Plan a run.

    Args:
        config: what is to be played.
        folder: where it will be kept.
        board: narrows it to the games of one board.
        seed: the match seed if the configuration has none; left out, it is drawn.

    Raises:
        ConfigError: the schedule is about a bot that is not there.
    """
    if config.seed_bytes is not None:
        seed = config.seed_bytes
    if seed is None:
        seed = secrets.token_bytes(32)
    fixtures = make_schedule(len(config.bots), config.seats, config.boards, seed, form_of(config))
    chosen = tuple(fixture for fixture in fixtures if board is None or fixture.board == board)
    return Plan(config, RunFolder(folder), f"match-{secrets.token_hex(6)}", seed, chosen, board)


async def play_run(
    plan: Plan, progress: Progress, stop: asyncio.Event, drain: asyncio.Event | None = None
) -> RunResult:
    """Play a whole run, or what is left of it, or as much of that as there is until `stop` is set.

    Args:
        plan: what is to be played.
        progress: told how it goes.
        stop: ends the run in good order; the run sets it itself when it fails.
        drain: lets no more games begin, and ends the run when those that are being played are over.

    Returns:
        What was played; trouble on the way is in it.

    Raises:
        ConfigError: the folder cannot be used, or another process plays the run.
        ArenaError: the run cannot begin, since the disk refuses.
    """
    plan.folder.make(resumed=plan.resumed)
    with RecordFile(plan.folder.record, resumed=plan.resumed) as record, _marked(plan.match_id):
        progress.planned(plan)
        if plan.resumed:
            _take_up(plan)
        else:
            await _begin(plan, record)
        games = list(plan.done)
        trouble = None
        comparing = comparing_of(plan, games)
        if plan.left and not (comparing is not None and comparing.known):
            try:
                await _play_games(plan, progress, Until(stop, drain), record, games, comparing=comparing)
            except ArenaError as error:
                trouble = error
        result = run_result(plan, games, trouble)
        return replace(result, trouble=await _end(result, record))


@contextmanager
def _marked(match_id: str) -> Iterator[None]:
    before = os.environ.get(MARK)
    os.environ[MARK] = match_id
    try:
        yield
    finally:
        if before is None:
            del os.environ[MARK]
        else:
            os.environ[MARK] = before


def without_seed(config: ArenaConfig) -> ArenaConfig:
    """A configuration as it is recorded while its seed is a secret."""
    return msgspec.structs.replace(config, seed=None, seed_hex=None)


async def _begin(plan: Plan, record: RecordFile) -> None:
    """Keep what a run needs to be taken up again, before its first line says that there is one."""
    config = plan.config
    plan.folder.write(plan.folder.config, config_text(config))
    if config.seed_bytes is None:
        plan.folder.write_seed(plan.seed)
    run = RunRecord(
        match=plan.match_id,
        started=datetime.now(UTC),
        server=SERVER,
        bots=bot_records(config.bots),
        seats=config.seats,
        boards=config.boards if plan.board is None else 1,
        games=len(plan.fixtures),
        machine=this_machine(),
        board=plan.board,
        config=msgspec.to_builtins(without_seed(config)),
    )
    await record.append(run)


def _take_up(plan: Plan) -> None:
    """Clear away what a killed process has left.

    Raises:
        ArenaError: the disk refuses, or games were recorded since the plan was made.
    """
    # The record is held by now, so what it says will stay.
    if len(read_record(plan.folder.record)[1]) != len(plan.done):
        msg = f"another process has played on in {plan.folder.path}; give the same command again"
        raise ArenaError(msg)
    kill_marked(f"{MARK}={plan.match_id}")
    ledger = Match(plan.match_id, plan.seed)
    plan.folder.clear({ledger.game_id(fixture.number, attempt) for fixture in plan.left for attempt in range(ATTEMPTS)})


async def _end(result: RunResult, record: RecordFile) -> ArenaError | None:
    """Write the standings, and in the end how it ended; returns the first trouble of the run."""
    plan, trouble = result.plan, result.trouble
    folder = plan.folder
    complete = result.complete and trouble is None
    try:
        folder.write_standings(result.standings)
        if result.comparison is not None:
            folder.write_comparison(result.comparison)
        if complete:
            # The seed is no secret any more, and needed by whoever wants the same deals again.
            seed_hex = None if plan.config.seed is not None else plan.seed.hex()
            folder.write(folder.config, config_text(msgspec.structs.replace(plan.config, seed_hex=seed_hex)))
            folder.forget_seed()
    except ArenaError as error:
        trouble = trouble or error
    status = "failed" if trouble is not None else "complete" if complete else "stopped"
    seed = plan.seed.hex() if status == "complete" else None
    try:
        await record.append(EndRecord(status=status, finished=datetime.now(UTC), match_seed=seed))
    except ArenaError as error:
        trouble = trouble or error
    return trouble


async def _play_games(
    plan: Plan,
    progress: Progress,
    until: Until,
    record: RecordFile,
    games: list[GameRecord],
    *,
    comparing: Comparing | None,
) -> None:
    """Start the bots, play, and end the bots; `games` grows with each game that is recorded."""
    try:
        async with _opened(_sites(plan, until)) as sites:
            progress.started()
            play = _Games(plan, progress, until, record=record, games=games, comparing=comparing, sites=sites)
            await play.play()
    except Stopped:
        progress.stopping()


def _sites(plan: Plan, until: Until) -> list[LocalSite | RemoteSite]:
    """Where the games are played: here, or in as many processes as were asked for and have a board to play."""
    deals = [fixture.board for fixture in plan.left]
    jobs = min(plan.config.jobs, len(set(deals)))
    if jobs == 1:
        return [
            LocalSite(plan.config, plan.folder, match_id=plan.match_id, seed=plan.seed, deals=deals, until=until),
        ]
    # A process has its own idea of the current folder's name, and no better one.
    folder = str(plan.folder.path.resolve())
    setups = [
        Setup(without_seed(plan.config), folder, plan.match_id, plan.seed.hex(), deals, number)
        for number in range(jobs)
    ]
    return [RemoteSite(setup, plan.folder.referee_log, until) for setup in setups]


@asynccontextmanager
async def _opened(sites: Sequence[LocalSite | RemoteSite]) -> AsyncIterator[list[Site]]:
    """Open all sites at once, and close them all."""
    opened: list[LocalSite | RemoteSite] = []

    async def open_one(site: LocalSite | RemoteSite) -> None:
        await site.__aenter__()
        opened.append(site)

    try:
        await all_at_once(open_one(site) for site in sites)
        yield [*sites]
    finally:
        await asyncio.gather(*(site.__aexit__(*sys.exc_info()) for site in opened))


class _Games:
    """The games of a run: so many workers take them from the schedule in order."""

    def __init__(
        self,
        plan: Plan,
        progress: Progress,
        until: Until,
        *,
        record: RecordFile,
        games: list[GameRecord],
        comparing: Comparing | None,
        sites: Sequence[Site],
    ) -> None:
        self._plan = plan
        self._progress = progress
        self._until = until
        self._record = record
        self._games = games
        self._comparing = comparing
        self._sites = sites
        #: All games of a board are played at one site, which so knows when its deal is no secret any more.
        self._site_of: dict[int, Site] = {}
        self._left: Iterator[Fixture] = iter(plan.left)
        self._trouble: ArenaError | None = None

    async def play(self) -> None:
        """Play until nothing is left, or no more is to begin, or what is being played is to be given up.

        Raises:
            ArenaError: the first trouble; games that were over by then are recorded all the same.
        """
        listening = [asyncio.create_task(self._end_early()), asyncio.create_task(self._say_draining())]
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._plan.config.tables, len(self._plan.left))):
                    group.create_task(self._worker())
        finally:
            for task in listening:
                task.cancel()
        if self._trouble is not None:
            raise self._trouble

    async def _end_early(self) -> None:
        await self._until.stop.wait()
        for site in self._sites:
            site.give_up()
        if self._trouble is None:
            self._progress.stopping()

    async def _say_draining(self) -> None:
        await self._until.drain.wait()
        self._progress.draining()

    @property
    def _over(self) -> bool:
        """Whether no more games begin."""
        known = self._comparing is not None and self._comparing.known
        return known or self._until.over

    def _compare(self, game: GameRecord) -> None:
        if self._comparing is not None:
            boards = self._comparing.boards
            self._comparing.add(game)
            if self._comparing.boards > boards:
                self._progress.compared(self._comparing.judgement)

    async def _worker(self) -> None:
        try:
            for fixture in self._left:
                await self._game(fixture)
                if self._over:
                    return
        except Stopped:
            return
        except ArenaError as error:
            # The other workers end in good order: a game of theirs may be over and not recorded yet.
            self._trouble = self._trouble or error
            self._until.stop.set()

    async def _game(self, fixture: Fixture) -> None:
        site = self._site_of.get(fixture.board)
        if site is None:
            site = self._site_of[fixture.board] = self._sites[len(self._site_of) % len(self._sites)]
        for attempt in range(ATTEMPTS):
            played = await site.play(fixture, attempt)
            game = played.record
            if game.status is not Status.VOID:
                await self._record.append(game)
                self._games.append(game)
                self._progress.game(game)
                self._compare(game)
                return
            if self._until.stop.is_set():
                return
            log.warning("a void game is played again", game=game.game, reason=played.reason)
        msg = (
            f"game {game.game} was void {ATTEMPTS} times: {played.reason}; "
            f"the referee's log says more: {self._plan.folder.referee_log}"
        )
        raise ArenaError(msg)
