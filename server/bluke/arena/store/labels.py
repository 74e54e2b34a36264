"""What a bot is called in a table: by its name, and by more where a name stands for several bots."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BotKey", "labels", "matches"]


class BotKey(NamedTuple):
    """Which bot: another version, or another digest of its command and files, is another bot.

    `digest` is empty for a bot that came by itself, whose files nobody saw.
    """

    name: str
    version: str
    digest: str

    @property
    def forms(self) -> tuple[str, ...]:
        """What it may be called, from the shortest."""
        at = f"@{self.version}" if self.version else ""
        sharp = f"#{self.digest}" if self.digest else ""
        return tuple(dict.fromkeys((self.name, self.name + at, self.name + sharp, self.name + at + sharp)))


def matches(bot: BotKey, text: str) -> bool:
    """Whether a person who wrote `text` meant this bot."""
    return text in bot.forms


def labels(bots: Iterable[BotKey], *, by_name: bool = False) -> dict[BotKey, str]:
    """A label for each bot, no two alike: the shortest form that no other bot of its name shares.

    With `by_name` the bots of a name have one label, which is the name.
    """
    keys = sorted(set(bots))
    if by_name:
        return {bot: bot.name for bot in keys}
    namesakes = defaultdict(list)
    for bot in keys:
        namesakes[bot.name].append(bot)
    found: dict[BotKey, str] = {}
    taken: set[str] = set()
    # Names of their own first: a bot may be called what another is called with its version.
    for group in sorted(namesakes.values(), key=len):
        for bot, label in _told_apart(group).items():
            found[bot] = next(text for text in _numbered(label) if text not in taken)
            taken.add(found[bot])
    return found


def _told_apart(group: list[BotKey]) -> dict[BotKey, str]:
    """Labels for the bots of one name, all of the shortest form that tells them apart."""
    if len(group) == 1:
        return {group[0]: group[0].name}
    by_version = {bot: bot.name + (f"@{bot.version}" if bot.version else "") for bot in group}
    by_digest = {bot: bot.name + (f"#{bot.digest}" if bot.digest else "") for bot in group}
    for form in (by_version, by_digest):
        if len(set(form.values())) == len(group):
            return form
    return {bot: bot.forms[-1] for bot in group}


def _numbered(label: str) -> Iterable[str]:
    yield label
    yield from (f"{label} ({number})" for number in count(2))
