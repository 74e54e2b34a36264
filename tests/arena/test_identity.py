from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bluke.arena.config import BotConfig
from bluke.arena.identity import bot_digest, bot_files, bot_records
from bluke.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "lib").mkdir(parents=True)
    (home / "mine.py").write_text("import json\nimport helper\nfrom lib import deep\n")
    (home / "helper.py").write_text("A = 1\n")
    (home / "lib" / "__init__.py").write_text("")
    (home / "lib" / "deep.py").write_text("B = 1\n")
    (home / "other.py").write_text("C = 1\n")
    (home / "weights.bin").write_bytes(b"\0\1")
    return home


def bot(home: Path, command: str | list[str] = "python mine.py", **more: object) -> BotConfig:
    return BotConfig("mine", command, folder=str(home), **more)  # type: ignore[arg-type]


def names(one: BotConfig, home: Path) -> list[str]:
    return [path.relative_to(home).as_posix() for path in bot_files(one)]


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("python mine.py", ["helper.py", "lib/__init__.py", "lib/deep.py", "mine.py"]),
        ("python -m lib.deep", ["lib/__init__.py", "lib/deep.py"]),
        ("python other.py weights.bin --level 3", ["other.py", "weights.bin"]),
        (["java", "-jar", "weights.bin"], ["weights.bin"]),
        ("./other.py", ["other.py"]),
    ],
)
def test_the_files_of_a_command(home: Path, command: str | list[str], files: list[str]):
    """They are those that it names and the modules of its folder that those import; nothing from elsewhere."""
    assert names(bot(home, command), home) == files


def test_a_program_of_the_path(home: Path):
    """Where a command names no file, the program itself is the bot."""
    (found,) = bot_files(bot(home, "python --version"))
    assert found.name.startswith("python")


def test_files_that_the_roster_names(home: Path):
    """`files` takes the place of what would be guessed."""
    assert names(bot(home, files=["*.bin", "lib/**/*.py"]), home) == ["lib/__init__.py", "lib/deep.py", "weights.bin"]


def test_the_same_bot_elsewhere(home: Path):
    """Where a bot lies is no part of what it is."""
    before = bot_digest(bot(home))
    assert bot_digest(bot(home.rename(home.with_name("moved")))) == before


@pytest.mark.parametrize("changed", ["mine.py", "helper.py", "lib/deep.py"])
def test_a_changed_file(home: Path, changed: str):
    """A bot of which one file has changed is another bot."""
    before = bot_digest(bot(home))
    with (home / changed).open("a") as file:
        file.write("# changed\n")
    assert bot_digest(bot(home)) != before


def test_a_file_that_is_no_part_of_it(home: Path):
    """What the program does not import may change."""
    before = bot_digest(bot(home))
    (home / "other.py").write_text("C = 2\n")
    assert bot_digest(bot(home)) == before


def test_another_command(home: Path):
    """The same files with other arguments are another bot, and the parts of a command do not run together."""
    digests = {bot_digest(bot(home, ["python", "mine.py", *more])) for more in ([], ["ab"], ["a", "b"], ["-O"])}
    assert len(digests) == 4


@pytest.mark.parametrize("text", ["this is no Python (", "import \0", "from . import x\n", "import mine\n"])
def test_a_file_that_cannot_be_read_as_python(home: Path, text: str):
    """What no Python could run still is a bot that can be told from others."""
    (home / "mine.py").write_text(text)
    assert names(bot(home), home) == ["mine.py"]


def test_a_file_that_cannot_be_read(home: Path, monkeypatch: pytest.MonkeyPatch):
    """It is refused, and the message names the bot and the file."""
    monkeypatch.setattr("hashlib.file_digest", refuse)
    with pytest.raises(ConfigError, match=r"bot 'mine': '.*/helper.py' cannot be read: Permission denied"):
        bot_records([bot(home)])


def refuse(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_what_is_recorded(home: Path):
    """Name, author and digest."""
    (kept,) = bot_records([bot(home, author="ann")])
    assert (kept.name, kept.author, kept.digest) == ("mine", "ann", bot_digest(bot(home)))
