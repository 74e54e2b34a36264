"""Taking up a run again: what is left of it is its schedule minus what is recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from bluke.arena.config import ArenaConfig, read_config
from bluke.arena.folder import RunFolder
from bluke.arena.form import schedule_problem
from bluke.arena.identity import bot_records
from bluke.arena.record import read_record
from bluke.arena.run import make_plan, run_result, without_seed
from bluke.errors import ConfigError
from bluke.referee import Match
from bluke.referee.match import ATTEMPTS
from bluke.replay.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bluke.arena.record import RunRecord
    from bluke.arena.run import Plan, RunResult

__all__ = ["resume_plan"]

#: What may be changed in between, since it says nothing about the games.
FREE = {"tables", "jobs", "start_seconds"}


def resume_plan(path: Path, *, tables: int | None = None, jobs: int | None = None) -> Plan | RunResult:
    """Plan what is left of the run in a folder.

    Args:
        path: the run folder.
        tables: games played at once from now on, `None` for as many as before.
        jobs: processes that play them from now on, likewise.

    Returns:
        The plan, or of a run that is complete its result.

    Raises:
        ConfigError: there is no such run, or not one that can go on; the message says why.
        ArenaError: its record cannot be read.
    """
    folder = RunFolder(path)
    if not folder.record.exists():
        msg = f"{path} holds no run: there is no {folder.record.name} in it; a run is begun with `bluke arena FILE`"
        raise ConfigError(msg)
    run, games, end = read_record(folder.record)
    config = _recorded_config(folder, run)
    if end is not None and end.status == "complete" and end.match_seed is not None:
        # Nothing is asked of it any more, not even whether its bots are still there.
        plan = make_plan(config, path, board=run.board, seed=bytes.fromhex(end.match_seed))
        return run_result(plan, games)
    config = _config_now(folder, config, tables, jobs)
    seed = None if config.seed_bytes is not None else folder.read_seed()
    _check_bots(folder, config, run)
    plan = make_plan(config, path, board=run.board, seed=seed)
    plan = replace(plan, match_id=run.match, resumed=True, done=tuple(games))
    _check_games(plan, run)
    return plan


def _recorded_config(folder: RunFolder, run: RunRecord) -> ArenaConfig:
    if run.config is None:
        msg = f"{folder.path} holds a run without a schedule, so nothing of it is left to be played"
        raise ConfigError(msg)
    try:
        config = msgspec.convert(run.config, ArenaConfig)
    except msgspec.ValidationError as error:
        msg = f"{folder.record}: line 1: the configuration is that of another version of bluke: {error}"
        raise ConfigError(msg) from None
    problem = schedule_problem(config)
    if problem is not None:
        msg = f"{folder.record}: line 1: {problem}"
        raise ConfigError(msg)
    return config


def _config_now(folder: RunFolder, recorded: ArenaConfig, tables: int | None, jobs: int | None) -> ArenaConfig:
    """The configuration in the folder, which has to be the recorded one in all that the games depend on."""
    config = read_config(folder.config, {"tables": tables, "jobs": jobs})
    then, now = (dict(_leaves(msgspec.to_builtins(without_seed(one)))) for one in (recorded, config))
    for key in dict.fromkeys([*then, *now]):
        if key not in FREE and then.get(key) != now.get(key):
            msg = (
                f"{folder.config}: {key} is {now.get(key)!r}, and was {then.get(key)!r} when the run began, so that "
                "its standings would mix different games; put it back, or begin another run with "
                f"`bluke arena {folder.config} --run FOLDER`"
            )
            raise ConfigError(msg)
    return config


def _check_bots(folder: RunFolder, config: ArenaConfig, run: RunRecord) -> None:
    """Refuse bots whose files have changed: theirs would be the games of two bots under one name."""
    for then, now in zip(run.bots, bot_records(config.bots), strict=True):
        if then.digest != now.digest:
            msg = (
                f"{folder.path}: the files of bot {now.name!r} have changed since the run began, so that its standings "
                "would mix two bots; put them back, or begin another run with "
                f"`bluke arena {folder.config} --run FOLDER`"
            )
            raise ConfigError(msg)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - what TOML can hold
    """Every value of nested tables by its path; a list of plain values is one."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{path}[{number}]")
    else:
        yield path, value


def _check_games(plan: Plan, run: RunRecord) -> None:
    """Refuse games that the seed and the configuration do not make, and those that would count twice."""
    record = plan.folder.record
    if len(plan.fixtures) != run.games:
        msg = f"{record}: it is about {run.games} games, and this version of bluke schedules {len(plan.fixtures)}"
        raise ConfigError(msg)
    ledger = Match(plan.match_id, plan.seed)
    left = {fixture.number: fixture for fixture in plan.fixtures}
    for game in plan.done:
        fixture = left.pop(game.number, None)
        if fixture is None:
            msg = f"{record}: game number {game.number} is there twice, or is not in the schedule"
            raise ConfigError(msg)
        ids = [ledger.game_id(fixture.number, attempt) for attempt in range(ATTEMPTS)]
        bots = [plan.bots[place] for place in fixture.lineup]
        if game.game not in ids or (game.board, game.rotation, game.bots) != (fixture.board, fixture.rotation, bots):
            msg = (
                f"{record}: game {visible(game.game)} is not the one that the seed makes of number {game.number}; "
                "the record or the seed was changed"
            )
            raise ConfigError(msg)
