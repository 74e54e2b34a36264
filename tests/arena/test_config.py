from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.config import ArenaConfig, CompareConfig, LimitsConfig, config_text, read_config
from bluke.arena.form import Form, Kind, Rotations, form_of
from bluke.arena.isolation import Isolation
from bluke.errors import ConfigError
from bluke.rules import BlukeLed, CutRule, Rules, Variant
from bluke.wire.values import GameLimits, Policy

if TYPE_CHECKING:
    from pathlib import Path

BOT = f'[[bots]]\nname = "a"\ncommand = "{sys.executable} -c pass"\n'


def read(tmp_path: Path, text: str, **flags: object) -> ArenaConfig:
    path = tmp_path / "arena.toml"
    path.write_text(text)
    return read_config(path, flags)


def bots(*names: str, author: str = "") -> str:
    return "".join(f'[[bots]]\nname = "{name}"\ncommand = "{sys.executable}"\nauthor = "{author}"\n' for name in names)


def test_the_smallest_file(tmp_path: Path):
    """A bot with a name and a command is a whole configuration."""
    config = read(tmp_path, BOT)
    assert config.game_rules == Rules(4)
    assert config.game_limits == GameLimits()
    assert config.seed_bytes is None
    assert config.bots[0].argv == [sys.executable, "-c", "pass"]
    assert config.bots[0].folder == str(tmp_path / ".")


def test_every_option(tmp_path: Path):
    """Every option is taken from the file."""
    (tmp_path / "home").mkdir()
    config = read(
        tmp_path,
        f"""
        seats = 3
        boards = 7
        schedule = "gauntlet"
        challenger = "a b"
        rotations = "all"
        same_author = true
        seed = "möwe"
        tables = 2
        start_seconds = 5
        compress = true
        [rules]
        variant = "new_jersey"
        max_hand = 4
        bluke_led = "trump"
        cut = "player"
        [clock]
        timed = false
        decision_ms = 1
        bank_ms = 0
        wall_ms = 9
        [faults]
        policy = "strict"
        max_faults = 1
        grace_ms = 0
        restarts = 0
        [[bots]]
        name = "a b"
        command = ["{sys.executable}", "-c", "pass # two words"]
        folder = "home"
        fresh = true
        isolation = "none"
        readable = ["home"]
        author = "Ann"
        [[bots]]
        name = "c"
        command = "{sys.executable}"
        author = "Ann"
        [limits]
        isolation = "limits"
        memory_mb = 0
        open_files = 50
        cpu_seconds = 60
        output_mb = 1
        """,
    )
    assert config.game_rules == Rules(3, Variant.NEW_JERSEY, 4, bluke_led=BlukeLed.TRUMP, cut=CutRule.PLAYER)
    assert config.game_limits == GameLimits(Policy.STRICT, None, 0, 9, 0, 1)
    assert (config.boards, config.tables, config.start_seconds, config.compress) == (7, 2, 5.0, True)
    assert form_of(config) == Form(Kind.GAUNTLET, Rotations.ALL, heads=(0,))
    assert config.seed_bytes == "möwe".encode()
    assert config.bots[0].argv[2] == "pass # two words"
    assert config.limits == LimitsConfig(Isolation.LIMITS, 0, 50, 60, 1)
    assert (config.bots[0].isolation, config.bots[0].readable) == (Isolation.NONE, [str(tmp_path / "home")])
    assert (config.bots[0].folder, config.bots[0].fresh) == (str(tmp_path / "home"), True)


def test_flags_come_first(tmp_path: Path):
    """A flag stands in for the value of the file, and --seed for seed_hex as well."""
    config = read(tmp_path, f'boards = 7\nseed_hex = "00ff"\n{BOT}', boards=2, seed="x", tables=None)
    assert (config.boards, config.seed_bytes) == (2, b"x")


def test_a_flag_that_takes_the_place_of_a_schedule(tmp_path: Path):
    """Another schedule than that of the file comes without what goes with the file's; the same one keeps it."""
    text = f'schedule = "gauntlet"\nchallenger = "b"\n{bots("a", "b", "c", "d")}'
    assert form_of(read(tmp_path, text, schedule="pool")) == Form(Kind.POOL, authors=("",) * 4)
    assert form_of(read(tmp_path, text, schedule="gauntlet")).heads == (1,)
    assert form_of(read(tmp_path, text, schedule=None)).heads == (1,)
    text = f'schedule = "compare"\n{bots("a", "b", "c")}[compare]\nnew = "c"\nold = "a"\n'
    assert form_of(read(tmp_path, text)).heads == (2, 0)
    assert form_of(read(tmp_path, text, schedule="round-robin")).heads == ()


def test_a_comparison(tmp_path: Path):
    """It names two bots; what a better one is worth, and how often the answer may be wrong, have defaults."""
    text = f'schedule = "compare"\n{bots("a", "b", "c")}[compare]\nnew = "c"\nold = "a"\n'
    assert read(tmp_path, text).compare == CompareConfig("c", "a", 5.0, 0.05)
    config = read(tmp_path, f"{text}worth = 2\nerror = 0.01\n")
    assert config.compare == CompareConfig("c", "a", 2.0, 0.01)
    path = tmp_path / "again.toml"
    path.write_text(config_text(config), encoding="utf-8")
    assert read_config(path) == config


def test_bots_of_one_author(tmp_path: Path):
    """They are kept apart, and a roster whose bots then cannot meet is refused, unless they are let meet."""
    text = f"seats = 2\n{bots('a', 'b', author='Ann')}"
    with pytest.raises(ConfigError, match=r"arena\.toml: no table can be made: .*'Ann' wrote 'a' and 'b'; add bots of"):
        read(tmp_path, text)
    assert form_of(read(tmp_path, text, same_author=True)).authors == ()
    assert form_of(read(tmp_path, text + bots("c"))).authors == ("Ann", "Ann", "")


def test_a_command_is_split_as_a_shell_would(tmp_path: Path):
    """Quotes keep words together, and nothing is expanded."""
    text = f"""[[bots]]\nname = "a"\ncommand = '''{sys.executable} "a b" $HOME *'''\n"""
    assert read(tmp_path, text).bots[0].argv == [sys.executable, "a b", "$HOME", "*"]


def test_a_program_in_the_bots_folder(tmp_path: Path):
    """A command with a slash is looked for in the bot's own folder."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "go").write_text("#!/bin/sh\n")
    (tmp_path / "home" / "go").chmod(0o755)
    assert read(tmp_path, '[[bots]]\nname = "a"\ncommand = "./go"\nfolder = "home"\n').bots[0].argv == ["./go"]


WRONG = {
    "not toml": ("boards = = 1", "arena.toml: not TOML: .*line 1"),
    "unknown key": (f"boardz = 1\n{BOT}", "unknown key 'boardz'; did you mean boards?"),
    "unknown key in a table": (
        f"{BOT}[clock]\nxyzzy = 1",
        "unknown key 'xyzzy' in clock; the keys there are bank_ms, ",
    ),
    "unknown key of a bot": (f"{BOT}comand = 1", r"unknown key 'comand' in bots\[0\]; did you mean command?"),
    "wrong type": (f'boards = "7"\n{BOT}', "boards: Expected `int`, got `str`"),
    "a truth for a number": (f"tables = true\n{BOT}", "tables: Expected `int`, got `bool`"),
    "a number for the seed": (f"seed = 42\n{BOT}", "seed: Expected .*write it in quotes"),
    "too little": (f"boards = 0\n{BOT}", "boards: Expected `int` >= 1"),
    "too much": (f"boards = 1000000000\n{BOT}", "boards: Expected `int` <= 100000"),
    "more than 32 bits": (f"{BOT}[clock]\nwall_ms = 4294967296", r"clock\.wall_ms: Expected `int` <= 2147483647"),
    "no number": (f"start_seconds = nan\n{BOT}", "start_seconds: Expected `float`"),
    "no end": (f"start_seconds = inf\n{BOT}", "start_seconds: Expected `float`"),
    "wrong word": (
        f'{BOT}[rules]\nvariant = "nj"',
        r"rules\.variant: Invalid enum value 'nj'; it is one of standard, new_jersey",
    ),
    "wrong isolation": (
        f'{BOT}isolation = "docker"',
        r"bots\[0\]\.isolation: Invalid enum value 'docker'; it is one of none, limits, bwrap",
    ),
    "unknown limit": (f"{BOT}[limits]\nmemory = 1", r"unknown key 'memory' in limits; did you mean memory_mb\?"),
    "no log at all": (f"{BOT}[limits]\noutput_mb = 0", r"limits\.output_mb: Expected `int` >= 1"),
    "no bots": ("boards = 1", "missing required field `bots`"),
    "empty roster": ("bots = []", r"there are no bots: add a \[\[bots\]\] table"),
    "no command": ('[[bots]]\nname = "a"\n', r"bots\[0\]: Object missing required field `command`"),
    "two of one name": (BOT + BOT, r"bots\[1\] \('a'\): two bots have this name"),
    "empty name": (BOT.replace('"a"', '""'), "a name has 1 to 64 bytes, and this one has 0"),
    "long name": (BOT.replace('"a"', '"' + "ä" * 33 + '"'), "a name has 1 to 64 bytes, and this one has 66"),
    "no such command": (
        '[[bots]]\nname = "a"\ncommand = "no-such-program"',
        "there is no program 'no-such-program' on the PATH",
    ),
    "a script as command": (
        '[[bots]]\nname = "a"\ncommand = "bot.py"',
        "there is no program 'bot.py': a file like that is started as `python bot.py`",
    ),
    "no such file": ('[[bots]]\nname = "a"\ncommand = "./none"', r"'.*none' is not there or cannot be run"),
    "a folder as command": ('[[bots]]\nname = "a"\ncommand = "/tmp"', "'/tmp' is not there or cannot be run"),
    "not executable": ('[[bots]]\nname = "a"\ncommand = "./arena.toml"', "is not there or cannot be run"),
    "empty command": ('[[bots]]\nname = "a"\ncommand = " "', "the command is empty"),
    "empty list": ('[[bots]]\nname = "a"\ncommand = []', "the command is empty"),
    "empty program": ('[[bots]]\nname = "a"\ncommand = [""]', "the command is empty"),
    "open quote": ("[[bots]]\nname = 'a'\ncommand = 'x \"'", "No closing quotation"),
    "zero byte": ('[[bots]]\nname = "a"\ncommand = ["sh", "\\u0000"]', "zero byte"),
    "no such folder": (f'{BOT}folder = "none"', "folder '.*none' is not there"),
    "a program as a table": ("bots = 3", "bots: Expected `array`, got `int`"),
    "seats": (f"seats = 16\n{BOT}", "the rules cannot be played: 16 seats: a table has 2 to 15"),
    "hands": (f"seats = 9\n{BOT}[rules]\nhands = [7]", "a hand of 7: with 9 seats a hand has 1 to 6 cards"),
    "wrong schedule": (
        f'schedule = "swiss"\n{BOT}',
        "schedule: Invalid enum value 'swiss'; it is one of pool, round-robin, gauntlet, compare",
    ),
    "wrong rotations": (
        f'rotations = "none"\n{BOT}',
        "rotations: Invalid enum value 'none'; it is one of cyclic, all",
    ),
    "unknown challenger": (
        f'schedule = "gauntlet"\nchallenger = "mine"\n{BOT}',
        "challenger: there is no bot 'mine'; the bots are 'a'",
    ),
    "a challenger in a pool": (
        f'challenger = "a"\n{BOT}',
        'challenger goes with schedule = "gauntlet", and this is "pool"; leave one out',
    ),
    "nobody to challenge": (f'schedule = "gauntlet"\n{BOT}', "the challenger has nobody to meet"),
    "all arrangements of many": (
        f'seats = 7\nrotations = "all"\n{bots(*"abcdefg")}',
        'rotations = "all": with 7 seats a board would have 5040 games; this goes up to 6 seats',
    ),
    "compare whom": (
        f'schedule = "compare"\n{BOT}',
        r'schedule = "compare" needs a \[compare\] table with new',
    ),
    "compare in a pool": (
        f'{BOT}[compare]\nnew = "a"\nold = "a"',
        'compare goes with schedule = "compare", and this is "pool"; leave one out',
    ),
    "compare with itself": (
        f'schedule = "compare"\n{bots("a", "b", "c")}[compare]\nnew = "a"\nold = "a"',
        "compare: new and old are both 'a'; name two bots",
    ),
    "compare with a stranger": (
        f'schedule = "compare"\n{bots("a", "b", "c")}[compare]\nnew = "a"\nold = "d"',
        r"compare\.old: there is no bot 'd'; the bots are 'a', 'b', 'c'",
    ),
    "compare against nobody": (
        f'schedule = "compare"\n{bots("a", "b")}[compare]\nnew = "a"\nold = "b"',
        "new and old have nobody to meet: both play against the same others, so add a third bot",
    ),
    "worth nothing": (
        f'schedule = "compare"\n{bots("a", "b", "c")}[compare]\nnew = "a"\nold = "b"\nworth = 0',
        r"compare\.worth: Expected `float` > 0",
    ),
    "wrong as often as right": (
        f'schedule = "compare"\n{bots("a", "b", "c")}[compare]\nnew = "a"\nold = "b"\nerror = 0.5',
        r"compare\.error: Expected `float` < 0\.5",
    ),
    "unknown key of a comparison": (
        f"{BOT}[compare]\nworht = 1",
        r"unknown key 'worht' in compare; did you mean worth\?",
    ),
    "both": (f"{BOT}[rules]\nhands = [7]\nmax_hand = 3", "a list of hands excludes max_hand"),
    "two seeds": (f'seed = "a"\nseed_hex = "00"\n{BOT}', "seed and seed_hex exclude each other"),
    "odd hex": (f'seed_hex = "0"\n{BOT}', "seed_hex is '0', which is not hexadecimal"),
}


@pytest.mark.parametrize(("text", "match"), WRONG.values(), ids=WRONG)
def test_refuse_a_wrong_file(tmp_path: Path, text: str, match: str):
    """What is wrong is said in one line, with the file, the key, and what would be right."""
    (tmp_path / "bot.py").touch()
    with pytest.raises(ConfigError, match=match) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "arena.toml"))
    assert "\n" not in str(caught.value)


def test_refuse_a_wrong_flag(tmp_path: Path):
    """A flag that does not go with the file is named."""
    with pytest.raises(ConfigError, match=r"arena\.toml with --seats 9: the rules cannot be played"):
        read(tmp_path, f"{BOT}[rules]\nhands = [13]", seats=9)
    with pytest.raises(
        ConfigError, match=r"arena\.toml with --schedule Pool with --same-author: schedule: Invalid enum"
    ):
        read(tmp_path, BOT, schedule="Pool", same_author=True)


def test_refuse_a_file_that_is_not_there(tmp_path: Path):
    """A missing file, a folder, and a file that is no text are told apart."""
    with pytest.raises(ConfigError, match="there is no such file; name one"):
        read_config(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        read_config(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"seed = '\xff'")
    with pytest.raises(ConfigError, match="not UTF-8: invalid start byte at byte 8"):
        read_config(tmp_path / "bytes.toml")


def test_refuse_a_seed_that_is_no_text(tmp_path: Path):
    """A seed that came from the command line with broken bytes is refused."""
    with pytest.raises(ConfigError, match="bytes that are not UTF-8"):
        read(tmp_path, BOT, seed="\udcff")


HANDS = st.one_of(st.none(), st.lists(st.integers(1, 13), min_size=1, max_size=5))


@given(
    st.integers(2, 4),
    st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]))),
    HANDS,
    st.sampled_from(Policy),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=16),
    st.booleans(),
)
def test_the_effective_file_is_read_again(
    tmp_path_factory: pytest.TempPathFactory,
    seats: int,
    seed: str | None,
    hands: list[int] | None,
    policy: Policy,
    name: str,
    flag: bool,
):
    """The configuration that a run writes down is one that gives the same run."""
    from msgspec import convert

    tmp_path = tmp_path_factory.mktemp("config")
    data = {
        "seats": seats,
        "seed": seed,
        "compress": flag,
        "rules": {"hands": hands},
        "clock": {"timed": flag},
        "faults": {"policy": policy.value},
        "bots": [{"name": name, "command": sys.executable, "folder": str(tmp_path), "fresh": flag}],
    }
    config = convert(data, ArenaConfig)
    path = tmp_path / "arena.toml"
    path.write_text(config_text(config), encoding="utf-8", newline="")
    assert read_config(path) == config
    assert "restarts = 3" in path.read_text(encoding="utf-8")
