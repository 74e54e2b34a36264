"""`arena.toml`: who plays, what, and under which clock. Wrong ones are refused before anything starts."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import tomli_w

from bluke.errors import ConfigError, RuleError
from bluke.rules import BlukeLed, CutRule, Rules, Variant
from bluke.wire.values import GameLimits, Policy

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ArenaConfig", "BotConfig", "bot_path", "load_config", "read_config", "write_config"]

Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[int, msgspec.Meta(ge=0)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class BotConfig(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """One bot of the roster.

    Attributes:
        name: the name under which results are booked; unique.
        command: program and arguments; a string is split as a shell would, but no shell runs it.
        folder: the folder it runs in, from the folder of the file.
        fresh: whether every game gets a process of its own, so that nothing is remembered.
    """

    name: Name
    command: str | list[str]
    folder: str = "."
    fresh: bool = False

    @property
    def argv(self) -> list[str]:
        """Program and arguments."""
        return shlex.split(self.command) if isinstance(self.command, str) else list(self.command)


class RulesConfig(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """The options of the game (RULES 2.4, 4.5, 6.3, 6.4)."""

    variant: Variant = Variant.STANDARD
    max_hand: int | None = None
    last_hand: int | None = None
    hands: list[int] | None = None
    bluke_led: BlukeLed = BlukeLed.FREE
    cut: CutRule = CutRule.TAP

    def rules(self, seats: int) -> Rules:
        """The rules for so many seats.

        Raises:
            RuleError: they cannot be dealt.
        """
        hands = None if self.hands is None else tuple(self.hands)
        return Rules(seats, self.variant, self.max_hand, self.last_hand, hands, self.bluke_led, self.cut)


class ClockConfig(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Time control; milliseconds. `timed = false` leaves only the wall limit, for a debugger."""

    timed: bool = True
    decision_ms: Positive = 2_000
    bank_ms: NotNegative = 60_000
    wall_ms: Positive = 600_000


class FaultsConfig(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What faults cost."""

    policy: Policy = Policy.LENIENT
    max_faults: Positive = 3
    grace_ms: NotNegative = 5_000
    #: How often a bot whose process ended is started again in one run.
    restarts: NotNegative = 3


def default_jobs() -> int:
    """Enough games at once to keep the cores busy, and few enough that no bot is late for want of one."""
    return 8 * (os.cpu_count() or 1)


class ArenaConfig(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True):
    """A whole `arena.toml`.

    Attributes:
        bots: the roster.
        seats: seats at a table.
        boards: how many deals, each played in every rotation of the seats.
        seed: the match seed as text; without one 32 random bytes are taken.
        seed_hex: the match seed as hexadecimal, instead of `seed`.
        jobs: games played at once.
        start_seconds: how long a bot may take from its start to its hello.
        compress: whether finished replays are compressed.
        rules: the options of the game.
        clock: the time control.
        faults: what faults cost.
    """

    bots: list[BotConfig]
    seats: int = 4
    boards: Positive = 30
    seed: str | None = None
    seed_hex: str | None = None
    jobs: Positive = msgspec.field(default_factory=default_jobs)
    start_seconds: Annotated[float, msgspec.Meta(gt=0)] = 30.0
    compress: bool = False
    rules: RulesConfig = msgspec.field(default_factory=RulesConfig)
    clock: ClockConfig = msgspec.field(default_factory=ClockConfig)
    faults: FaultsConfig = msgspec.field(default_factory=FaultsConfig)

    @property
    def game_rules(self) -> Rules:
        """The rules of every game."""
        return self.rules.rules(self.seats)

    @property
    def limits(self) -> GameLimits:
        """Clock and policy of every game."""
        return GameLimits(
            policy=self.faults.policy,
            decision_ms=self.clock.decision_ms if self.clock.timed else None,
            bank_ms=self.clock.bank_ms,
            wall_ms=self.clock.wall_ms,
            grace_ms=self.faults.grace_ms,
            max_faults=self.faults.max_faults,
        )

    @property
    def seed_bytes(self) -> bytes | None:
        """The seed that a person chose, `None` for none."""
        if self.seed_hex is not None:
            return bytes.fromhex(self.seed_hex)
        return None if self.seed is None else self.seed.encode()


def bot_path() -> str:
    """The PATH that bots get: the folder of this Python first, so that `python` is the one with the SDK."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def read_config(path: Path, overrides: Mapping[str, Any] | None = None) -> ArenaConfig:
    """Read a file, put `overrides` (by key, `None` for none) in the place of its own values, and check it all.

    Raises:
        ConfigError: something is wrong; the message says where and what would be right.
    """
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        msg = f"{path}: there is no such file; name one with `bluke arena FILE`"
        raise ConfigError(msg) from None
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: cannot be read: {error}"
        raise ConfigError(msg) from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        msg = f"{path}: not TOML: {error}"
        raise ConfigError(msg) from None
    given = {key: value for key, value in (overrides or {}).items() if value is not None}
    if "seed" in given:
        data.pop("seed_hex", None)
    return load_config(data | given, where=str(path), folder=path.resolve().parent)


def load_config(data: Mapping[str, Any], *, where: str, folder: Path) -> ArenaConfig:
    """Check the contents of a file; relative folders in it are taken from `folder`.

    Returns:
        The configuration, with absolute folders.

    Raises:
        ConfigError: something is wrong.
    """
    try:
        config = msgspec.convert(data, ArenaConfig)
    except msgspec.ValidationError as error:
        msg = f"{where}: {error}"
        raise ConfigError(msg) from None
    problem = _problem(config, folder)
    if problem is not None:
        msg = f"{where}: {problem}"
        raise ConfigError(msg)
    bots = [msgspec.structs.replace(bot, folder=str(folder / bot.folder)) for bot in config.bots]
    return msgspec.structs.replace(config, bots=bots)


def _problem(config: ArenaConfig, folder: Path) -> str | None:
    """What is wrong with a configuration that has the right shape."""
    try:
        _ = config.game_rules
    except RuleError as error:
        return f"the rules cannot be played: {error}"
    if config.seed is not None and config.seed_hex is not None:
        return "seed and seed_hex exclude each other: leave one out"
    try:
        _ = config.seed_bytes
    except ValueError:
        return f"seed_hex is {config.seed_hex!r}, which is not hexadecimal"
    if not config.bots:
        return "there are no bots: add a [[bots]] table with a name and a command"
    seen: set[str] = set()
    for number, bot in enumerate(config.bots):
        at = f"bots[{number}] ({bot.name!r})"
        if bot.name in seen:
            return f"{at}: two bots have this name; results are booked by name, so give one of them another"
        seen.add(bot.name)
        problem = _command_problem(bot, folder)
        if problem is not None:
            return f"{at}: {problem}"
    return None


def _command_problem(bot: BotConfig, folder: Path) -> str | None:
    home = folder / bot.folder
    if not home.is_dir():
        return f"folder {str(home)!r} is not there"
    try:
        argv = bot.argv
    except ValueError as error:
        return f"command {bot.command!r}: {error}"
    if not argv:
        return "the command is empty"
    program = argv[0]
    found = (home / program) if os.sep in program else shutil.which(program, path=bot_path())
    if found is None:
        return f"there is no command {program!r} on the PATH"
    if not os.access(found, os.X_OK) or Path(found).is_dir():
        return f"{str(found)!r} is not there or cannot be run"
    return None


def write_config(config: ArenaConfig, path: Path) -> None:
    """Write a configuration with every option in force spelt out.

    Raises:
        OSError: the disk refuses.
    """
    data = {
        **msgspec.to_builtins(config),
        "seats": config.seats,
        "boards": config.boards,
        "jobs": config.jobs,
        "start_seconds": config.start_seconds,
        "compress": config.compress,
        "rules": _spelt(config.rules),
        "clock": _spelt(config.clock),
        "faults": _spelt(config.faults),
        "bots": [_spelt(bot) for bot in config.bots],
    }
    path.write_text(tomli_w.dumps({key: data[key] for key in sorted(data, key=_scalars_first(data))}), encoding="utf-8")


def _spelt(part: msgspec.Struct) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(msgspec.structs.asdict(part))
    return {key: value for key, value in values.items() if value is not None}


def _scalars_first(data: Mapping[str, Any]) -> Any:
    return lambda key: isinstance(data[key], dict | list)
