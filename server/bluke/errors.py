"""Every error that Bluke raises on purpose, split by who is to blame.

BlukeError
|-- RuleError      refused by the rules            -> the seat's fault
|   `-- TurnError  another seat, or another kind of answer, is due
|-- PeerError      the bot broke the protocol      -> the seat's fault
|   `-- LimitError one of the limits of its stream
|-- ConfigError    a person's file or flag         -> refused before anything starts; exit code 2
|-- ReplayError    a replay file that is not one   -> said with its file and line; exit code 1
`-- ArenaError     a process, disk or bug of ours  -> the game is void and is played again; exit code 1
"""

from __future__ import annotations

__all__ = [
    "ArenaError",
    "BlukeError",
    "ConfigError",
    "LimitError",
    "PeerError",
    "ReplayError",
    "RuleError",
    "TurnError",
]


class BlukeError(Exception):
    """The root of the tree; never raised itself."""


class RuleError(BlukeError):
    """The rules refuse something.

    Attributes:
        rule: the section that refuses it, such as ``"6.2"``.
        detail: what is wrong, as a sentence without its full stop.
    """

    def __init__(self, rule: str, detail: str) -> None:
        """Make an error that cites section `rule`."""
        super().__init__(rule, detail)
        self.rule = rule
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.detail} (RULES {self.rule})"


class TurnError(RuleError):
    """The answer may be a fine one, but it is not this seat's, or not this kind's, turn."""


class PeerError(BlukeError):
    """A bot said something that the protocol does not allow at this moment."""


class LimitError(PeerError):
    """A bot broke a limit of its stream, all of which its welcome named."""


class ConfigError(BlukeError):
    """A person's file or flag is wrong. The message says where and what would be right."""


class ReplayError(BlukeError):
    """A file is not the replay that it should be. The message says where."""


class ArenaError(BlukeError):
    """A process, a disk or the arena itself failed; no bot is to blame."""
