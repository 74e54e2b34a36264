"""`arena.toml`: who plays, what, and under which clock. Wrong ones are refused before anything starts."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import tomli_w

from bluke.arena.form import BELONGS, MAX_BOARDS, Kind, Rotations, schedule_problem
from bluke.arena.isolation import Isolation, bwrap_problem
from bluke.errors import ConfigError, RuleError
from bluke.rules import BlukeLed, CutRule, Rules, Variant
from bluke.wire.values import GameLimits, Policy

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ArenaConfig",
    "BotConfig",
    "CompareConfig",
    "LimitsConfig",
    "RulesConfig",
    "bot_path",
    "bot_program",
    "config_text",
    "explain",
    "load_config",
    "read_config",
    "read_toml",
]

# The upper ends keep times within the protocol's 32 bits, and a slip of the finger from filling the memory.
Whole = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Milliseconds = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
MillisecondsOrNone = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Boards = Annotated[int, msgspec.Meta(ge=1, le=MAX_BOARDS)]
Tables = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
Jobs = Annotated[int, msgspec.Meta(ge=1, le=256)]
#: PROTOCOL 2.2
MAX_NAME_BYTES = 64


class BotConfig(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One bot of the roster.

    Attributes:
        name: the name under which results are booked; unique.
        command: program and arguments; a string is split as a shell would, but no shell runs it.
        folder: the folder it runs in, from the folder of the file.
        fresh: whether every game gets a process of its own, so that nothing is remembered.
        isolation: what keeps it from the rest of the machine; `None` for what the file says of all bots.
        readable: files and folders that it may read in a sandbox besides its own, from the folder of the file.
        author: who wrote it.
        files: patterns of the files that make it this bot and no other, from its own folder; left out, the files that
            its command names and the Python modules in its folder that those import.
    """

    name: str
    command: str | list[str]
    folder: str = "."
    fresh: bool = False
    isolation: Isolation | None = None
    readable: list[str] = []
    author: str = ""
    files: list[str] = []

    @property
    def argv(self) -> list[str]:
        """Program and arguments."""
        return shlex.split(self.command) if isinstance(self.command, str) else list(self.command)


class RulesConfig(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The options of the game (RULES 2.4, 4.5, 6.3, 6.4)."""

    variant: Variant = Variant.STANDARD
    max_hand: Whole | None = None
    last_hand: Whole | None = None
    hands: list[Whole] | None = None
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
    decision_ms: Milliseconds = 2_000
    bank_ms: MillisecondsOrNone = 60_000
    wall_ms: Milliseconds = 600_000


class FaultsConfig(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What faults cost."""

    policy: Policy = Policy.LENIENT
    max_faults: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 3
    grace_ms: MillisecondsOrNone = 5_000
    #: How often a bot whose process ended is started again in one run.
    restarts: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 3


class LimitsConfig(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a bot may use of the machine; 0 is no limit.

    Attributes:
        isolation: what keeps a bot from the rest of the machine, unless it says so itself.
        memory_mb: memory of all processes of a bot together.
        open_files: files and sockets that each of its processes may have open.
        cpu_seconds: CPU time of all its processes together, from its start on.
        output_mb: how much of what it prints is kept.
    """

    isolation: Isolation = Isolation.LIMITS
    memory_mb: Annotated[int, msgspec.Meta(ge=0, le=2**24)] = 2_048
    open_files: Annotated[int, msgspec.Meta(ge=0, le=2**20)] = 1_024
    cpu_seconds: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] = 0
    output_mb: Annotated[int, msgspec.Meta(ge=1, le=2**20)] = 4


class CompareConfig(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Two bots that are to be told apart; the others of the roster are those they play against.

    Attributes:
        new: the name of the bot that may be better.
        old: the name of the bot that it would take the place of.
        worth: the smallest difference worth having, in points a game.
        error: how often the answer may be wrong.
        swing: points a game by which one board more may differ, whatever was seen so far.
    """

    new: str
    old: str
    worth: Annotated[float, msgspec.Meta(gt=0, le=1e6)] = 5.0
    error: Annotated[float, msgspec.Meta(gt=0, lt=0.5)] = 0.05
    swing: Annotated[float, msgspec.Meta(ge=0, le=1e6)] = 75.0


def default_tables() -> int:
    """Enough games at once to keep the cores busy, and few enough that no bot is late for want of one."""
    return 8 * (os.cpu_count() or 1)


class ArenaConfig(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A whole `arena.toml`.

    Attributes:
        bots: the roster.
        seats: seats at a table.
        boards: how many deals, each played in every rotation of the seats.
        schedule: who sits at the table of a board.
        challenger: in a gauntlet the name of the bot that is always at the table; `None` for the first of the roster.
        rotations: in which arrangements of the seats a board is played.
        same_author: whether bots of one author may meet.
        seed: the match seed as text; without one 32 random bytes are taken.
        seed_hex: the match seed as hexadecimal, instead of `seed`.
        tables: games played at once.
        jobs: processes that play them, each with a referee and with every bot of its own.
        start_seconds: how long a bot may take from its start to its hello.
        compress: whether finished replays are compressed.
        rules: the options of the game.
        clock: the time control.
        faults: what faults cost.
        limits: what a bot may use of the machine.
        compare: whom a comparison is about; `None` for every other schedule.
    """

    bots: list[BotConfig]
    seats: Whole = 4
    boards: Boards = 30
    schedule: Kind = Kind.POOL
    challenger: str | None = None
    rotations: Rotations = Rotations.CYCLIC
    same_author: bool = False
    seed: str | None = None
    seed_hex: str | None = None
    tables: Tables = msgspec.field(default_factory=default_tables)
    jobs: Jobs = 1
    start_seconds: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 30.0
    compress: bool = False
    rules: RulesConfig = msgspec.field(default_factory=RulesConfig)
    clock: ClockConfig = msgspec.field(default_factory=ClockConfig)
    faults: FaultsConfig = msgspec.field(default_factory=FaultsConfig)
    limits: LimitsConfig = msgspec.field(default_factory=LimitsConfig)
    compare: CompareConfig | None = None

    @property
    def game_rules(self) -> Rules:
        """The rules of every game."""
        return self.rules.rules(self.seats)

    @property
    def game_limits(self) -> GameLimits:
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

    @property
    def sandboxes(self) -> bool:
        """Whether any bot plays in a sandbox."""
        return any((bot.isolation or self.limits.isolation) is Isolation.BWRAP for bot in self.bots)


#: The tables of the file, and the keys that take one word of several.
SECTIONS = {
    "bots": BotConfig,
    "rules": RulesConfig,
    "clock": ClockConfig,
    "faults": FaultsConfig,
    "limits": LimitsConfig,
    "compare": CompareConfig,
}
CHOICES = {
    "schedule": Kind,
    "rotations": Rotations,
    "variant": Variant,
    "bluke_led": BlukeLed,
    "cut": CutRule,
    "policy": Policy,
    "isolation": Isolation,
}


def bot_path() -> str:
    """The PATH that bots get: the folder of this Python first, so that `python` is the one with the SDK."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def bot_program(program: str, folder: str) -> str | None:
    """Where the program of a bot is: in its folder if there is a slash in it, else on the PATH; `None` for nowhere."""
    if os.sep in program:
        return os.path.join(folder, program)  # noqa: PTH118 - a Path would drop a leading ./
    return shutil.which(program, path=bot_path())


def read_toml(path: Path) -> dict[str, Any]:
    """What a file says, unchecked.

    Raises:
        ConfigError: it cannot be read, or is not TOML.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        msg = f"{path}: there is no such file; name one with `bluke arena FILE`"
        raise ConfigError(msg) from None
    except UnicodeDecodeError as error:
        msg = f"{path}: not UTF-8: {error.reason} at byte {error.start}; save it as UTF-8"
        raise ConfigError(msg) from None
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise ConfigError(msg) from None
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also for a number of more digits than Python reads
        msg = f"{path}: not TOML: {error}"
        raise ConfigError(msg) from None
    except RecursionError:
        msg = f"{path}: not TOML: it is nested too deeply"
        raise ConfigError(msg) from None


def read_config(path: Path, overrides: Mapping[str, Any] | None = None) -> ArenaConfig:
    """Read a file, put `overrides` (by key, `None` for none) in the place of its own values, and check it all.

    Raises:
        ConfigError: something is wrong; the message says where and what would be right.
    """
    data = read_toml(path)
    given = {key: value for key, value in (overrides or {}).items() if value is not None}
    if "seed" in given:
        data.pop("seed_hex", None)
    for key, kind in BELONGS.items():
        if given.get("schedule", kind.value) != kind.value:
            data.pop(key, None)
    flags = "".join(f" with {_flag(key, value)}" for key, value in given.items())
    return load_config(data | given, where=f"{path}{flags}", folder=path.absolute().parent)


def _flag(key: str, value: object) -> str:
    """An option of the command line, as it was typed."""
    name = f"--{key.replace('_', '-')}"
    return name if value is True else f"{name} {value}"


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
        msg = f"{where}: {explain(error, ArenaConfig)}"
        raise ConfigError(msg) from None
    try:
        problem = _problem(config, folder)
    except OSError as error:  # a path that is too long, say, or in a folder that nobody may look into
        problem = f"{error.filename!r}: {error.strerror}"
    if problem is not None:
        msg = f"{where}: {problem}"
        raise ConfigError(msg)
    bots = [
        msgspec.structs.replace(
            bot, folder=str(folder / bot.folder), readable=[str(folder / path) for path in bot.readable]
        )
        for bot in config.bots
    ]
    return msgspec.structs.replace(config, bots=bots)


def explain(error: msgspec.ValidationError, top: type[msgspec.Struct]) -> str:
    """What msgspec says about values for a `top`, with what would be right."""
    text, _, path = str(error).partition(" - at `$")
    path = path.removesuffix("`").removeprefix(".")
    section, _, key = path.rpartition(".")
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", text, re.DOTALL)
    if unknown is not None:
        keys = sorted((SECTIONS.get(re.sub(r"\[.*", "", path)) or top).__struct_fields__)
        close = difflib.get_close_matches(unknown[1], keys, 1)
        meant = f"did you mean {close[0]}?" if close else f"the keys there are {', '.join(keys)}"
        return f"unknown key {unknown[1]!r}{f' in {path}' if path else ''}; {meant}"
    if text.startswith("Invalid enum value") and key in CHOICES:
        text += f"; it is one of {', '.join(choice.value for choice in CHOICES[key])}"
    elif section.partition("[")[0] == "" and key == "seed":
        text += "; write it in quotes"
    return f"{path}: {text}" if path else text


def _problem(config: ArenaConfig, folder: Path) -> str | None:
    """What is wrong with a configuration that has the right shape."""
    try:
        _ = config.game_rules
    except RuleError as error:
        return f"the rules cannot be played: {error}"
    return (
        _seed_problem(config)
        or _roster_problem(config.bots, folder)
        or schedule_problem(config)
        or _sandbox_problem(config, folder)
    )


def _seed_problem(config: ArenaConfig) -> str | None:
    if config.seed is not None and config.seed_hex is not None:
        return "seed and seed_hex exclude each other: leave one out"
    try:
        _ = config.seed_bytes
    except UnicodeEncodeError:
        return "the seed is not valid text: it has bytes that are not UTF-8"
    except ValueError:
        return f"seed_hex is {config.seed_hex!r}, which is not hexadecimal"
    return None


def _roster_problem(bots: list[BotConfig], folder: Path) -> str | None:
    if not bots:
        return "there are no bots: add a [[bots]] table with a name and a command"
    seen: set[str] = set()
    for number, bot in enumerate(bots):
        at = f"bots[{number}] ({bot.name!r})"
        if not 1 <= len(bot.name.encode()) <= MAX_NAME_BYTES:
            return f"{at}: a name has 1 to {MAX_NAME_BYTES} bytes, and this one has {len(bot.name.encode())}"
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
    if not argv or not argv[0]:
        return "the command is empty"
    if any("\0" in word for word in argv):
        return "the command has a zero byte in it"
    return program_problem(argv[0], str(home))


#: How a file is started that is no program by itself, by its ending.
STARTED_BY = {".py": "python {}", ".js": "node {}", ".jar": "java -jar {}", ".rb": "ruby {}", ".sh": "sh {}"}


def program_problem(program: str, folder: str) -> str | None:
    """Why a bot's program cannot be started from its folder, as a sentence with the cure; `None` if it can."""
    found = bot_program(program, folder)
    if found is not None and os.access(found, os.X_OK) and Path(found).is_file():
        return None
    # What lies in the folder and is no program: somebody left out what runs it.
    start = STARTED_BY.get(Path(program).suffix)
    if start is not None and Path(folder, program).is_file():
        return f"there is no program {program!r}: a file like that is started as `{start.format(program)}`"
    if found is None:
        return f"there is no program {program!r} on the PATH; one in the bot's folder is written ./{program}"
    return f"the program {found!r} is not there or cannot be run"


def _sandbox_problem(config: ArenaConfig, folder: Path) -> str | None:
    for number, bot in enumerate(config.bots):
        at = f"bots[{number}] ({bot.name!r})"
        for path in bot.readable:
            if not (folder / path).exists():
                return f"{at}: readable: {str(folder / path)!r} is not there"
        own = (folder / bot.folder).resolve()
        if (bot.isolation or config.limits.isolation) is Isolation.BWRAP and Path.home().is_relative_to(own):
            return f"{at}: a sandbox would show it all of {str(own)!r}; give it a folder of its own"
    problem = bwrap_problem() if config.sandboxes else None
    return problem and f'isolation = "bwrap" cannot be had: {problem}; `bluke doctor` checks again'


def config_text(config: ArenaConfig) -> str:
    """A configuration as a file that `read_config` reads, with every option in force spelt out."""
    return tomli_w.dumps(_without_none(msgspec.to_builtins(config)))


def _without_none(data: dict[str, Any]) -> dict[str, Any]:
    """TOML has no null: what is not set is not there."""
    return {
        key: _without_none(value)
        if isinstance(value, dict)
        else [_without_none(item) if isinstance(item, dict) else item for item in value]
        if isinstance(value, list)
        else value
        for key, value in data.items()
        if value is not None
    }
