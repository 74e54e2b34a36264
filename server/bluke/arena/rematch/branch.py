"""Playing on from a moment of a recorded game: with other bots, with another move, or just once more."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from bluke.arena.config import config_text
from bluke.arena.isolation import Isolation, private_socket
from bluke.arena.keeper import Keeper, Stopped
from bluke.arena.rematch.recorded import BRANCH_FILE, absent
from bluke.arena.statistics.mean import estimate
from bluke.errors import ArenaError, ConfigError
from bluke.referee import GameSpec, Referee, Settings
from bluke.referee.branching import Branching
from bluke.referee.retrace import KnownDeal
from bluke.replay.reader import read_bytes
from bluke.rules import Card
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bluke.arena.rematch.plan import BranchPlan
    from bluke.arena.statistics.values import Estimate
    from bluke.referee import Finished

__all__ = ["BranchResult", "Moved", "branch_data", "make_folder", "play_branch"]

FORMAT = "bluke-branch/1"


@dataclass(frozen=True, slots=True)
class Moved:
    """How the score of one seat moved.

    Attributes:
        then: its total then.
        now: its mean total now, with no interval where nothing varied or there was but one game.
    """

    then: int
    now: Estimate

    @property
    def by(self) -> float:
        """The difference; its interval is as wide as that of `now`."""
        return self.now.mean - self.then


@dataclass(slots=True)
class BranchResult:
    """What came of it.

    Attributes:
        plan: what was to be played.
        games: what was, by number.
        stopped: whether somebody stopped it.
    """

    plan: BranchPlan
    games: dict[int, Finished] = field(default_factory=dict)
    stopped: bool = False

    @property
    def moved(self) -> list[Moved]:
        """How the score of each seat moved; empty without a game."""
        if not self.games:
            return []
        totals = [game.result.totals for game in self.games.values()]
        return [
            Moved(then, estimate(now))
            for then, now in zip(self.plan.totals_then, zip(*totals, strict=True), strict=True)
        ]


def make_folder(plan: BranchPlan) -> None:
    """Make the folders of a branch, and keep its roster.

    Raises:
        ConfigError: they cannot be made here.
        ArenaError: the disk refuses.
    """
    folder = plan.folder
    try:
        for path in (folder.replays, folder.logs):
            path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"the folder {folder.path} cannot be made: {error.strerror}; name another with --out"
        raise ConfigError(msg) from None
    folder.write(folder.config, config_text(plan.config))


async def play_branch(
    plan: BranchPlan, stop: asyncio.Event, on_game: Callable[[int], None] = lambda _: None
) -> BranchResult:
    """Play a branch as often as planned, or until `stop` is set, and write down what came of it.

    Args:
        plan: what is to be played; its folder was made.
        stop: what is being played is given up when it is set.
        on_game: called after each game with how many there are.

    Raises:
        ArenaError: a bot cannot be started, or the disk refuses.
    """
    result = BranchResult(plan)
    bots = plan.bots
    sandboxes = any((bot.isolation or plan.config.limits.isolation) is Isolation.BWRAP for bot in bots.values())
    with private_socket(wanted=sandboxes) as socket:
        settings = Settings(
            "127.0.0.1:0",
            plan.folder.replays,
            compress=plan.config.compress,
            grace_seconds=plan.config.faults.grace_ms / 1000,
            socket=socket,
        )
        async with Referee(settings) as referee:
            keepers: dict[str, Keeper] = {}
            try:
                for number, (name, bot) in enumerate(bots.items()):
                    keepers[name] = Keeper(
                        referee,
                        bot,
                        logs=plan.folder.logs,
                        number=number,
                        start_seconds=plan.config.start_seconds,
                        restarts=plan.config.faults.restarts,
                        stop=stop,
                        limits=plan.config.limits,
                    )
                await _start(keepers)
                await _Games(result, referee, keepers, stop, on_game).play()
            except Stopped:
                pass
            except asyncio.CancelledError:
                for keeper in keepers.values():
                    keeper.kill()
                raise
            finally:
                await asyncio.gather(*(keeper.close() for keeper in keepers.values()))
    # They ended in any order.
    result.games = dict(sorted(result.games.items()))
    result.stopped = stop.is_set() and len(result.games) < plan.times
    if result.games:
        text = msgspec.json.format(msgspec.json.encode(branch_data(result)), indent=1).decode()
        plan.folder.write(plan.folder.path / BRANCH_FILE, text + "\n")
    return result


async def _start(keepers: Mapping[str, Keeper]) -> None:
    """Start all bots at once; of several failures one that has something to say is raised."""
    ended = await asyncio.gather(*(keeper.first_start() for keeper in keepers.values()), return_exceptions=True)
    failures = [error for error in ended if error is not None]
    if failures:
        raise min(failures, key=lambda error: isinstance(error, Stopped))


class _Games:
    """The games of a branch: so many workers take their numbers in order."""

    def __init__(
        self,
        result: BranchResult,
        referee: Referee,
        keepers: Mapping[str, Keeper],
        stop: asyncio.Event,
        on_game: Callable[[int], None],
    ) -> None:
        self._result = result
        self._plan = plan = result.plan
        self._referee = referee
        self._keepers = keepers
        self._stop = stop
        self._on_game = on_game
        self._numbers = iter(range(plan.times))
        self._match = KnownDeal(plan.recorded.replay, plan.times)
        self._trouble: ArenaError | None = None
        data = read_bytes(plan.recorded.path)
        shared = data.split(b"\n")[1 : plan.step.before]
        self._make = partial(
            Branching,
            replay=plan.recorded.replay,
            steps=plan.recorded.steps,
            at=plan.at,
            forced=plan.forced,
            lines=b"".join(line + b"\n" for line in shared),
        )

    async def play(self) -> None:
        """Play until nothing is left, or it is to be given up.

        Raises:
            ArenaError: the first trouble.
        """
        stopping = asyncio.create_task(self._end_early())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._plan.config.tables, self._plan.times)):
                    group.create_task(self._worker())
        finally:
            stopping.cancel()
        if self._trouble is not None:
            raise self._trouble

    async def _end_early(self) -> None:
        await self._stop.wait()
        self._referee.void_all("the branch was stopped")

    async def _worker(self) -> None:
        try:
            for number in self._numbers:
                if self._stop.is_set() or self._trouble is not None:
                    return
                await self._game(number)
        except Stopped:
            return
        except ArenaError as error:
            self._trouble = self._trouble or error
            self._referee.void_all("another game of the branch failed")

    async def _game(self, number: int) -> None:
        plan = self._plan
        header = plan.recorded.replay.header
        async with AsyncExitStack() as stack:
            # In one order, so that no two games can wait for each other's bots.
            bots = {name: await stack.enter_async_context(self._keepers[name].at_table()) for name in self._keepers}
            spec = GameSpec(
                match=self._match,
                game_id=plan.game_id(number),
                deal=header.deal,
                rules=header.rules,
                limits=header.limits,
                bots=tuple(
                    absent(player) if name is None else bots[name]
                    for name, player in zip(plan.now, header.players, strict=True)
                ),
            )
            if self._stop.is_set():
                return
            finished = await self._referee.play(spec, self._make)
        if finished.result.status is not Status.VOID:
            self._result.games[number] = finished
            self._on_game(len(self._result.games))
        elif not self._stop.is_set() and self._trouble is None:
            msg = f"game {spec.game_id} was void: {finished.result.reason}"
            raise ArenaError(msg)


def branch_data(result: BranchResult) -> dict[str, object]:
    """What came of a branch, for programs."""
    plan = result.plan
    forced = plan.forced
    return {
        "format": FORMAT,
        "game": plan.recorded.game,
        "replay": str(plan.recorded.path),
        "at": str(plan.step.moment),
        "seat": plan.step.seat,
        "forced": str(forced) if isinstance(forced, Card) else forced,
        "lineup_then": list(plan.then),
        "lineup": [old if name is None else name for name, old in zip(plan.now, plan.then, strict=True)],
        "times": plan.times,
        "totals_then": list(plan.totals_then),
        "moved": [
            {"then": moved.then, "now": moved.now.mean, "margin": moved.now.margin, "by": moved.by}
            for moved in result.moved
        ],
        "games": [
            {
                "game": game.spec.game_id,
                "status": game.result.status.value,
                "totals": list(game.result.totals),
                "places": game.result.places,
                "faults": [{"seat": fault.seat, "kind": fault.kind.value, "hand": fault.hand} for fault in game.faults],
                "replay": str(game.replay.relative_to(plan.folder.path)),
            }
            for game in result.games.values()
        ],
    }
