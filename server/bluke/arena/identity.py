"""Which bot it is: a name says who plays, a digest of the command and its files says whether it is still the same."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from itertools import pairwise
from modulefinder import ModuleFinder
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING

from bluke.arena.config import bot_program
from bluke.arena.record import BotRecord
from bluke.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bluke.arena.config import BotConfig

__all__ = ["bot_digest", "bot_files", "bot_records"]

#: Hexadecimal digits of a digest: enough for all the bots that one person will ever have.
DIGITS = 12


def bot_records(bots: Sequence[BotConfig]) -> list[BotRecord]:
    """What is recorded of a roster.

    Raises:
        ConfigError: a file of a bot cannot be read.
    """
    return [BotRecord(name=bot.name, author=bot.author, digest=bot_digest(bot)) for bot in bots]


def bot_digest(bot: BotConfig) -> str:
    """A hash of a bot's command and of the files that make it this bot; where they lie does not matter.

    Raises:
        ConfigError: one of them cannot be read.
    """
    whole = hashlib.sha256()
    folder = Path(bot.folder)
    for word in bot.argv:
        # A hash of each part, so that no two lists of parts run together into the same bytes.
        whole.update(hashlib.sha256(word.encode("utf-8", "surrogateescape")).digest())
    for path in bot_files(bot):
        inside = path.relative_to(folder) if path.is_relative_to(folder) else Path(path.name)
        whole.update(hashlib.sha256(os.fsencode(inside.as_posix())).digest())
        try:
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            msg = f"bot {bot.name!r}: {str(path)!r} cannot be read: {error.strerror}"
            raise ConfigError(msg) from None
    return whole.hexdigest()[:DIGITS]


def bot_files(bot: BotConfig) -> list[Path]:
    """The files that make a bot this bot and no other, in order.

    That is what `files` of the roster says. Without it they are the files that its command names and, of a Python
    program, the modules in its folder that it imports; where the command names none, the program itself.
    """
    folder = Path(bot.folder)
    if bot.files:
        return sorted({path for pattern in bot.files for path in folder.glob(pattern) if path.is_file()})
    named = [folder / word for word in bot.argv[1:] if (folder / word).is_file()]
    modules = [module for before, module in pairwise(bot.argv) if before == "-m"]
    found = set(named)
    for script in named:
        if script.suffix == ".py":
            found |= _imported(folder, methodcaller("run_script", str(script)))
    for module in modules:
        found |= _imported(folder, methodcaller("import_hook", module))
    if os.sep in bot.argv[0] or not found:
        program = bot_program(bot.argv[0], bot.folder)
        found |= set() if program is None else {Path(program)}
    return sorted(found)


def _imported(folder: Path, look: Callable[[ModuleFinder], object]) -> set[Path]:
    """The modules of a folder that a Python program imports, as far as its text says; none of it is run."""
    finder = ModuleFinder([str(folder)])
    # What is no Python, or imports what it has not, is not followed further.
    with suppress(SyntaxError, ValueError, OSError, ImportError, RecursionError):
        look(finder)
    # A package without an __init__.py has no file.
    files = {Path(module.__dict__["__file__"] or "") for module in finder.modules.values()}
    return {path for path in files if path.is_relative_to(folder) and path.is_file()}
