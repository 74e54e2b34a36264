"""One run: every game of the schedule, many at once, each recorded before it counts."""

from __future__ import annotations

import asyncio
import errno
import secrets
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

import msgspec
import structlog

from bluke.arena.config import config_text
from bluke.arena.keeper import Keeper, Stopped
from bluke.arena.record import EndRecord, GameRecord, RecordFile, RunRecord, game_record
from bluke.arena.schedule import make_schedule
from bluke.arena.standings import make_standings
from bluke.errors import ArenaError, ConfigError
from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.referee.server import SERVER
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bluke.arena.config import ArenaConfig
    from bluke.arena.schedule import Fixture
    from bluke.arena.standings import Standings
    from bluke.referee import Finished

__all__ = ["Plan", "Progress", "RunFolder", "RunResult", "make_plan", "play_run"]

log = structlog.get_logger(__name__)

#: A game that was void through no fault of a bot is played again this often.
ATTEMPTS = 3
#: The disk's own trouble, as opposed to a folder that was badly chosen.
DISK_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EIO}


class Progress(Protocol):
    """Who wants to know how a run goes."""

    def planned(self, plan: Plan) -> None:
        """The games are known, and nothing has started."""

    def started(self) -> None:
        """Every bot is there; the games begin."""

    def game(self, record: GameRecord) -> None:
        """A game was played and recorded."""

    def stopping(self) -> None:
        """Somebody wants the run to end; what is being played is given up."""


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
            ConfigError: they cannot be made here, or there is a run in them already.
            ArenaError: the disk is full, or fails.
        """
        try:
            for folder in (self.replays, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            msg = f"the run folder {self.path} cannot be made: {error.strerror}; name another with --run"
            raise (ArenaError if error.errno in DISK_TROUBLE else ConfigError)(msg) from None
        if self.record.exists():
            msg = f"{self.path} holds a run already; name another folder with --run"
            raise ConfigError(msg)

    def write_standings(self, standings: Standings) -> None:
        """Write the standings.

        Raises:
            ArenaError: the disk refuses.
        """
        self.write(self.standings, msgspec.json.format(msgspec.json.encode(standings), indent=1).decode() + "\n")

    def write(self, path: Path, text: str) -> None:
        """Write a whole file of the folder, or leave the one that is there.

        Raises:
            ArenaError: the disk refuses.
        """
        draft = path.with_name(path.name + ".new")
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            msg = f"{path}: cannot be written: {error.strerror}; make room or name another folder with --run"
            raise ArenaError(msg) from None


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
    """

    config: ArenaConfig
    folder: RunFolder
    match_id: str
    seed: bytes
    fixtures: tuple[Fixture, ...]
    board: int | None = None

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
        trouble: why the run ended before its time, if nobody stopped it.
    """

    plan: Plan
    games: list[GameRecord]
    standings: Standings
    trouble: ArenaError | None

    @property
    def complete(self) -> bool:
        """Whether every game of the plan was played."""
        return len(self.games) == len(self.plan.fixtures)


def make_plan(config: ArenaConfig, folder: Path, *, board: int | None = None) -> Plan:
    """Plan a run; `board` narrows it to the games of one board."""
    seed = config.seed_bytes
    if seed is None:
        seed = secrets.token_bytes(32)
    fixtures = make_schedule(len(config.bots), config.seats, config.boards, seed)
    chosen = tuple(fixture for fixture in fixtures if board is None or fixture.board == board)
    return Plan(config, RunFolder(folder), f"match-{secrets.token_hex(6)}", seed, chosen, board)


async def play_run(plan: Plan, progress: Progress, stop: asyncio.Event) -> RunResult:
    """Play a whole run, or as much of it as there is until `stop` is set.

    Args:
        plan: what is to be played.
        progress: told how it goes.
        stop: ends the run in good order; the run sets it itself when it fails.

    Returns:
        What was played; trouble on the way is in it.

    Raises:
        ConfigError: the folder cannot be used.
        ArenaError: the run cannot begin, since the disk refuses.
    """
    folder = plan.folder
    folder.make()
    progress.planned(plan)
    folder.write(folder.config, config_text(plan.config))
    games: list[GameRecord] = []
    trouble = None
    with RecordFile(folder.record) as record:
        await record.append(_run_record(plan))
        try:
            await _play_games(plan, progress, stop, record, games)
        except ArenaError as error:
            trouble = error
        standings = make_standings(games, plan.bots, plan.config.seats)
        try:
            await record.append(_end_record(plan, games, trouble))
            # The seed is no secret any more, and needed by whoever wants the same deals again.
            seed_hex = None if plan.config.seed is not None else plan.seed.hex()
            folder.write(folder.config, config_text(msgspec.structs.replace(plan.config, seed_hex=seed_hex)))
            folder.write_standings(standings)
        except ArenaError as error:
            trouble = trouble or error
    return RunResult(plan, games, standings, trouble)


def _run_record(plan: Plan) -> RunRecord:
    return RunRecord(
        match=plan.match_id,
        started=datetime.now(UTC),
        server=SERVER,
        bots=plan.bots,
        seats=plan.config.seats,
        boards=plan.config.boards if plan.board is None else 1,
        games=len(plan.fixtures),
    )


def _end_record(plan: Plan, games: list[GameRecord], trouble: ArenaError | None) -> EndRecord:
    whole = "complete" if len(games) == len(plan.fixtures) else "stopped"
    status = whole if trouble is None else "failed"
    return EndRecord(status=status, finished=datetime.now(UTC), match_seed=plan.seed.hex())


async def _play_games(
    plan: Plan, progress: Progress, stop: asyncio.Event, record: RecordFile, games: list[GameRecord]
) -> None:
    """Start the bots, play, and end the bots; `games` grows with each game that is recorded."""
    config = plan.config
    settings = Settings(
        "127.0.0.1:0", plan.folder.replays, compress=config.compress, grace_seconds=config.faults.grace_ms / 1000
    )
    async with Referee(settings) as referee:
        keepers: list[Keeper] = []
        try:
            for number, bot in enumerate(config.bots):
                keepers.append(
                    Keeper(
                        referee,
                        bot,
                        logs=plan.folder.logs,
                        number=number,
                        start_seconds=config.start_seconds,
                        restarts=config.faults.restarts,
                        stop=stop,
                    )
                )
            await _start_all(keepers)
            progress.started()
            await _Games(plan, progress, stop, record=record, games=games, referee=referee, keepers=keepers).play()
        except Stopped:
            progress.stopping()
        except asyncio.CancelledError:
            for keeper in keepers:
                keeper.kill()
            raise
        finally:
            await asyncio.gather(*(keeper.close() for keeper in keepers))


async def _start_all(keepers: list[Keeper]) -> None:
    """Start all bots at once; the first failure is raised as itself, when the others have been stopped."""
    try:
        async with asyncio.TaskGroup() as group:
            for keeper in keepers:
                group.create_task(keeper.first_start())
    except* (ArenaError, Stopped) as errors:
        raise min(errors.exceptions, key=lambda error: isinstance(error, Stopped)) from None


class _Games:
    """The games of a run: so many workers take them from the schedule in order."""

    def __init__(
        self,
        plan: Plan,
        progress: Progress,
        stop: asyncio.Event,
        *,
        record: RecordFile,
        games: list[GameRecord],
        referee: Referee,
        keepers: list[Keeper],
    ) -> None:
        self._plan = plan
        self._progress = progress
        self._stop = stop
        self._record = record
        self._games = games
        self._referee = referee
        self._keepers = keepers
        self._left: Iterator[Fixture] = iter(plan.fixtures)
        self._match = Match(plan.match_id, plan.seed, (fixture.board for fixture in plan.fixtures))
        self._trouble: ArenaError | None = None

    async def play(self) -> None:
        """Play until nothing is left or `stop` is set; then what is being played is given up.

        Raises:
            ArenaError: the first trouble; games that were over by then are recorded all the same.
        """
        ending = asyncio.create_task(self._end_early())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._plan.config.jobs, len(self._plan.fixtures))):
                    group.create_task(self._worker())
        finally:
            ending.cancel()
        if self._trouble is not None:
            raise self._trouble

    async def _end_early(self) -> None:
        await self._stop.wait()
        self._referee.void_all("the run was stopped")
        if self._trouble is None:
            self._progress.stopping()

    async def _worker(self) -> None:
        try:
            for fixture in self._left:
                await self._game(fixture)
                if self._stop.is_set():
                    return
        except Stopped:
            return
        except ArenaError as error:
            # The other workers end in good order: a game of theirs may be over and not recorded yet.
            self._trouble = self._trouble or error
            self._stop.set()

    async def _game(self, fixture: Fixture) -> None:
        for attempt in range(ATTEMPTS):
            finished = await self._attempt(fixture, attempt)
            if self._stop.is_set() or finished.result.status is not Status.VOID:
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
            # In the order of the roster, so that no two games can wait for each other's bots.
            bots = {
                place: await stack.enter_async_context(self._keepers[place].at_table())
                for place in sorted(set(fixture.lineup))
            }
            if self._stop.is_set():
                raise Stopped
            spec = GameSpec(
                match=self._match,
                game_id=self._match.game_id(fixture.number, attempt),
                deal=fixture.board,
                rules=config.game_rules,
                limits=config.limits,
                bots=tuple(bots[place] for place in fixture.lineup),
            )
            finished = await self._referee.play(spec)
            if finished.result.status is not Status.VOID:
                kept = game_record(fixture, self._plan.bots, finished, self._plan.folder.path)
                await self._record.append(kept)
                self._games.append(kept)
                self._progress.game(kept)
            return finished
