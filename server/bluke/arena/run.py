"""One run: every game of the schedule, many at once, each recorded before it counts."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import structlog

from bluke.arena.config import write_config
from bluke.arena.keeper import Keeper
from bluke.arena.record import EndRecord, GameRecord, RecordFile, RunRecord, game_record
from bluke.arena.schedule import Fixture, make_schedule
from bluke.arena.standings import Standings, make_standings
from bluke.errors import ArenaError
from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bluke.arena.config import ArenaConfig
    from bluke.referee import Finished

__all__ = ["Plan", "Progress", "RunFolder", "RunResult", "make_plan", "play_run"]

log = structlog.get_logger(__name__)

#: A game that was void through no fault of a bot is played again this often.
ATTEMPTS = 3


class Progress(Protocol):
    """Who wants to know how a run goes."""

    def planned(self, plan: Plan) -> None:
        """The games are known, and nothing has started."""

    def started(self) -> None:
        """Every bot is there; the games begin."""

    def game(self, record: GameRecord) -> None:
        """A game was played and recorded."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where a run keeps everything."""

    path: Path

    @property
    def config(self) -> Path:
        """The configuration in force."""
        return self.path / "arena.toml"

    @property
    def record(self) -> Path:
        """The results record."""
        return self.path / "results.jsonl"

    @property
    def standings(self) -> Path:
        """The standings."""
        return self.path / "standings.json"

    @property
    def replays(self) -> Path:
        """The folder of replays."""
        return self.path / "replays"

    @property
    def logs(self) -> Path:
        """The folder of the bots' logs."""
        return self.path / "bots"

    @property
    def referee_log(self) -> Path:
        """The referee's own log."""
        return self.path / "referee.log"

    def make(self) -> None:
        """Make the folders.

        Raises:
            ArenaError: they cannot be made, or hold a run already.
        """
        try:
            for folder in (self.replays, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            msg = f"the run folder {self.path} cannot be made: {error.strerror}; name another with --run"
            raise ArenaError(msg) from None
        if self.record.exists():
            msg = f"{self.path} holds a run already; name another folder with --run"
            raise ArenaError(msg)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played.

    Attributes:
        config: the configuration.
        folder: where the run is kept.
        match_id: names the match.
        seed: the match seed.
        fixtures: the games, in the order of play.
    """

    config: ArenaConfig
    folder: RunFolder
    match_id: str
    seed: bytes
    fixtures: tuple[Fixture, ...]

    @property
    def bots(self) -> list[str]:
        """The names of the roster."""
        return [bot.name for bot in self.config.bots]


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run.

    Attributes:
        plan: what was to be played.
        games: what was.
        standings: what that says.
        complete: whether every game of the plan was played.
    """

    plan: Plan
    games: list[GameRecord]
    standings: Standings
    complete: bool


def make_plan(config: ArenaConfig, folder: Path, *, board: int | None = None) -> Plan:
    """Plan a run; `board` narrows it to the games of one board."""
    seed = config.seed_bytes
    if seed is None:
        seed = secrets.token_bytes(32)
    fixtures = make_schedule(len(config.bots), config.seats, config.boards, seed)
    chosen = tuple(fixture for fixture in fixtures if board is None or fixture.board == board)
    return Plan(config, RunFolder(folder), f"match-{secrets.token_hex(6)}", seed, chosen)


async def play_run(plan: Plan, progress: Progress, stop: asyncio.Event) -> RunResult:
    """Play a whole run, or as much of it as there is until `stop` is set.

    Raises:
        ArenaError: a bot cannot be started, or the disk refuses; what was recorded stays.
    """
    plan.folder.make()
    progress.planned(plan)
    config = plan.config
    games: list[GameRecord] = []
    _write(plan.folder.config, lambda path: write_config(config, path))
    settings = Settings("127.0.0.1:0", plan.folder.replays, compress=config.compress, grace_seconds=config.faults.grace_ms / 1000)
    with RecordFile(plan.folder.record) as record:
        await asyncio.to_thread(record.append, _run_record(plan))
        keepers: list[Keeper] = []
        try:
            async with Referee(settings) as referee:
                for number, bot in enumerate(config.bots):
                    keepers.append(
                        Keeper(
                            referee,
                            bot,
                            logs=plan.folder.logs,
                            number=number,
                            start_seconds=config.start_seconds,
                            restarts=config.faults.restarts,
                        )
                    )
                await _all(keeper.first_start() for keeper in keepers)
                progress.started()
                await _Games(plan, referee, keepers, record, progress, games).play(stop)
        finally:
            await asyncio.gather(*(keeper.close() for keeper in keepers))
        complete = len(games) == len(plan.fixtures)
        end = EndRecord(
            status="complete" if complete else "stopped", finished=datetime.now(UTC), match_seed=plan.seed.hex()
        )
        await asyncio.to_thread(record.append, end)
    # No secret any more, and what somebody needs who wants the same deals again.
    open_config = msgspec.structs.replace(config, seed_hex=None if config.seed is not None else plan.seed.hex())
    _write(plan.folder.config, lambda path: write_config(open_config, path))
    standings = make_standings(games, plan.bots, config.seats)
    data = msgspec.json.format(msgspec.json.encode(standings), indent=1)
    _write(plan.folder.standings, lambda path: path.write_bytes(data))
    return RunResult(plan, games, standings, complete)


def _run_record(plan: Plan) -> RunRecord:
    from bluke.referee.server import SERVER

    return RunRecord(
        match=plan.match_id,
        started=datetime.now(UTC),
        server=SERVER,
        bots=plan.bots,
        seats=plan.config.seats,
        boards=plan.config.boards,
        games=len(plan.fixtures),
    )


def _write(path: Path, write: Any) -> None:
    try:
        write(path)
    except OSError as error:
        msg = f"{path}: cannot be written: {error.strerror}; make room or name another folder with --run"
        raise ArenaError(msg) from None


async def _all(work: Any) -> None:
    """Run all of it at once; the first failure is raised as itself, when the rest has been stopped."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except* ArenaError as errors:
        raise errors.exceptions[0] from None


class _Games:
    """The games of a run: so many workers take them from the schedule in order."""

    def __init__(
        self,
        plan: Plan,
        referee: Referee,
        keepers: list[Keeper],
        record: RecordFile,
        progress: Progress,
        games: list[GameRecord],
    ) -> None:
        self._plan = plan
        self._referee = referee
        self._keepers = keepers
        self._record = record
        self._progress = progress
        self._games = games
        self._left: Iterator[Fixture] = iter(plan.fixtures)
        self._match = Match(plan.match_id, plan.seed, (fixture.board for fixture in plan.fixtures))

    async def play(self, stop: asyncio.Event) -> None:
        """Play until nothing is left or `stop` is set; then what is being played is given up."""
        workers = min(self._plan.config.jobs, len(self._plan.fixtures))
        playing = asyncio.ensure_future(_all(self._worker(stop) for _ in range(workers)))
        stopping = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({playing, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                self._referee.void_all("the run was stopped")
            await playing
        finally:
            stopping.cancel()
            playing.cancel()
            await asyncio.gather(stopping, playing, return_exceptions=True)

    async def _worker(self, stop: asyncio.Event) -> None:
        for fixture in self._left:
            if stop.is_set():
                return
            await self._game(fixture, stop)

    async def _game(self, fixture: Fixture, stop: asyncio.Event) -> None:
        for attempt in range(ATTEMPTS):
            finished = await self._attempt(fixture, attempt)
            if finished.result.status is not Status.VOID:
                kept = game_record(fixture, self._plan.bots, finished, self._plan.folder.path)
                await asyncio.to_thread(self._record.append, kept)
                self._games.append(kept)
                self._progress.game(kept)
                return
            if stop.is_set():
                return
            log.warning("a void game is played again", game=finished.spec.game_id, reason=finished.result.reason)
        msg = (
            f"game {finished.spec.game_id} was void {ATTEMPTS} times: {finished.result.reason}; "
            f"the referee's log says more: {self._plan.folder.referee_log}"
        )
        raise ArenaError(msg)

    async def _attempt(self, fixture: Fixture, attempt: int) -> Finished:
        config = self._plan.config
        async with AsyncExitStack() as stack:
            bots = {
                place: await stack.enter_async_context(self._keepers[place].at_table())
                for place in sorted(set(fixture.lineup))
            }
            spec = GameSpec(
                match=self._match,
                game_id=self._match.game_id(fixture.number, attempt),
                deal=fixture.board,
                rules=config.game_rules,
                limits=config.limits,
                bots=tuple(bots[place] for place in fixture.lineup),
            )
            return await self._referee.play(spec)
