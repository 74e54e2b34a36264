"""A recorded game that was found to be sound, and what its run folder knows of who played it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bluke.arena.config import BotConfig, LimitsConfig, program_problem, read_config
from bluke.arena.folder import RunFolder
from bluke.arena.record import read_record
from bluke.errors import ConfigError
from bluke.referee import Bot, Identity
from bluke.referee.bot import Gone
from bluke.replay.reader import ReplayFileError, read_replay
from bluke.replay.steps import steps_of
from bluke.replay.text import visible
from bluke.replay.verify import verify_replay
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.arena.config import ArenaConfig
    from bluke.replay.reader import Replay
    from bluke.replay.steps import Step
    from bluke.wire.values import Player

__all__ = [
    "BRANCH_FILE",
    "Candidate",
    "Recorded",
    "absent",
    "commanded",
    "lineup_of",
    "named",
    "read_recorded",
    "roster_of",
    "run_folder_of",
]

#: What a folder of branches says about itself.
BRANCH_FILE = "branch.json"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A replay file that verifies, and its decisions in order."""

    replay: Replay
    steps: tuple[Step, ...]

    @property
    def path(self) -> Path:
        """The file."""
        return self.replay.path

    @property
    def game(self) -> str:
        """The id of the game."""
        return self.replay.header.game

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return self.replay.header.rules.seats


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that is to be started, and what it may use of the machine.

    Attributes:
        bot: its command and folder.
        limits: what it may use.
        start_seconds: how long it may take from its start to its hello.
    """

    bot: BotConfig
    limits: LimitsConfig = field(default_factory=LimitsConfig)
    start_seconds: float = 30.0


def read_recorded(path: Path) -> Recorded:
    """Read a replay and verify it: what cannot be worked out again cannot be asked again either.

    Raises:
        ReplayError: it is no replay, was not finished, or is wrong somewhere.
    """
    replay = read_replay(path)
    steps = steps_of(replay)
    verdict = verify_replay(replay)
    if not verdict.ok:
        raise ReplayFileError(path, verdict.line, f"{verdict.problem}; a game that does not verify is not asked again")
    return Recorded(replay, steps)


def run_folder_of(path: Path) -> RunFolder | None:
    """The run folder that a replay lies in; `None` if it lies elsewhere."""
    home = path.absolute().parent
    place, here = home.parent, Path.cwd()
    # In as few words as the person used who named the file.
    folder = RunFolder(place.relative_to(here) if place.is_relative_to(here) else place)
    return folder if home.name == folder.replays.name and folder.config.is_file() else None


def roster_of(path: Path, config: Path | None) -> ArenaConfig:
    """The bots that a replay's own run knows, or those of the file `config`.

    Raises:
        ConfigError: there is no such file, or it is wrong.
    """
    if config is not None:
        return read_config(config)
    folder = run_folder_of(path)
    if folder is None:
        msg = f"{visible(str(path))} lies in no run folder, so name the file with the bots: --config arena.toml"
        raise ConfigError(msg)
    return read_config(folder.config)


def named(config: ArenaConfig, name: str) -> BotConfig:
    """The bot of a roster with this name.

    Raises:
        ConfigError: there is none.
    """
    for bot in config.bots:
        if bot.name == name:
            return bot
    there = ", ".join(visible(bot.name) for bot in config.bots)
    msg = f"there is no bot {name!r} in the roster: it has {there}"
    raise ConfigError(msg)


def commanded(command: Sequence[str]) -> BotConfig:
    """The bot that a command line starts in the current folder.

    Raises:
        ConfigError: there is no such program.
    """
    home = str(Path.cwd())
    problem = program_problem(command[0], home)
    if problem is not None:
        raise ConfigError(problem)
    return BotConfig(name="bot", command=list(command), folder=home)


def absent(player: Player) -> Bot:
    """Somebody whose moves are known, or made by the referee: nothing is told to it and nothing asked."""
    bot = Bot(Identity(player.name), player, max_games=1, wants_events=False)
    bot.gone = Gone(FaultKind.DISCONNECTED, "it is not here")
    return bot


class _Lineup(msgspec.Struct):
    """What is read of a folder of branches."""

    lineup: list[str]


def lineup_of(recorded: Recorded) -> tuple[str, ...]:
    """Who sat where, by the names of the roster if the run folder says, else by what the bots call themselves."""
    folder = run_folder_of(recorded.path)
    labels = tuple(player.name for player in recorded.replay.header.players)
    if folder is None:
        return labels
    if folder.record.is_file():
        for game in read_record(folder.record)[1]:
            if game.game == recorded.game:
                return tuple(game.bots)
    try:
        lineup = msgspec.json.decode((folder.path / BRANCH_FILE).read_bytes(), type=_Lineup).lineup
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return labels
    return tuple(lineup) if len(lineup) == recorded.seats else labels
