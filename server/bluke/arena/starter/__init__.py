"""The starters of `bluke new`: a first bot in each language, in a folder of its own."""

from bluke.arena.starter.languages import LANGUAGES, Language, missing_tools
from bluke.arena.starter.write import OPPONENTS, bot_name, write_starter

__all__ = ["LANGUAGES", "OPPONENTS", "Language", "bot_name", "missing_tools", "write_starter"]
