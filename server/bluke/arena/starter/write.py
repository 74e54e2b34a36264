"""Writes a starter: a folder with a whole bot, all that builds it, and opponents."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from bluke.arena.config import MAX_NAME_BYTES
from bluke.arena.starter.carried import carried_files
from bluke.arena.starter.languages import LANGUAGES
from bluke.errors import ArenaError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bluke.arena.starter.languages import Language

__all__ = ["OPPONENTS", "bot_name", "write_starter"]

HERE = Path(__file__).resolve().parent
TEMPLATES = HERE / "files"
#: Where `hatch_build.py` puts what a wheel carries of the repository.
SHIPPED = HERE / "repository"
CHECKOUT = HERE.parents[3]
#: The folder of a starter that holds what it carries, as it lies in the repository.
CARRIED_IN = Path("bluke-arena")
#: Cargo and npm look for these at the top only.
MOVED = {Path("clients/rust/Cargo.lock"): Path("Cargo.lock"), Path("clients/typescript/.npmrc"): Path(".npmrc")}

#: The names of the reference bots in the starter's arena.toml.
OPPONENTS = frozenset({"mc", "rule", "one", "random"})
TOKEN = re.compile("@([a-z]+)@")


def bot_name(folder: str) -> str:
    """The name of a bot after that of its folder: printable text of 1 to 64 bytes that is no opponent's."""
    plain = "".join(char if char.isprintable() else " " for char in unicodedata.normalize("NFC", folder))
    words = " ".join(plain.split())
    name = words.encode()[:MAX_NAME_BYTES].decode(errors="ignore").strip() or "bot"
    return f"my {name}" if name in OPPONENTS else name


def write_starter(language: str, folder: Path) -> list[Path]:
    """Make `folder`, with its parents, and write the starter of a language of `LANGUAGES` into it.

    Returns:
        The files, as paths below the folder, sorted.

    Raises:
        ConfigError: the folder is there and not empty, or is no folder.
        ArenaError: this installation lacks what a starter carries.
        OSError: it cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        msg = f"{folder} is a file; name a folder that is empty or not there"
        raise ConfigError(msg)
    if folder.is_dir() and any(folder.iterdir()):
        msg = f"{folder} is not empty; name a folder that is empty or not there"
        raise ConfigError(msg)
    try:
        contents = dict(_contents(language, bot_name(folder.resolve().name)))
    except FileNotFoundError as error:
        msg = f"{error.filename}: {error.strerror}; install bluke-arena again, or use a whole checkout"
        raise ArenaError(msg) from None
    for path, content in contents.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return sorted(contents)


def _contents(language: str, name: str) -> Iterator[tuple[Path, bytes]]:
    """The files of a starter: where each goes, and what is in it."""
    root = SHIPPED if SHIPPED.is_dir() else CHECKOUT
    for file in carried_files(root, language):
        yield MOVED.get(file, CARRIED_IN / file), (root / file).read_bytes()
    words = _words(LANGUAGES[language], name)
    for templates in (TEMPLATES / "common", TEMPLATES / language):
        for file in sorted(templates.rglob("*")):
            # pip compiles every .py that it installs.
            if file.is_file() and "__pycache__" not in file.parts:
                yield file.relative_to(templates), _filled(file.read_text(encoding="utf-8"), words).encode()


def _words(language: Language, name: str) -> dict[str, str]:
    """What stands in the templates for each token."""
    others = "".join(f"| `{file}` | {what} |\n" for file, what in language.others)
    needs = f"Building takes {language.needs}; {language.cure}.\n\n" if language.needs else ""
    return {
        # Between double quotes; TOML and all six languages undo this alike.
        "name": name.replace("\\", "\\\\").replace('"', '\\"'),
        "title": language.title,
        "source": language.source,
        "command": language.command,
        "manual": language.manual,
        "steps": "\n".join(f"$ {step}" for step in language.steps),
        "needs": needs,
        "others": others,
    }


def _filled(template: str, words: Mapping[str, str]) -> str:
    """The template with each token replaced, once: what a token stands for is not looked at again."""
    return TOKEN.sub(lambda token: words[token[1]], template)
