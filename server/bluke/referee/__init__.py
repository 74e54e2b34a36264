"""The referee: a gRPC server that deals, asks, times, judges and records.

Only this room owns streams and tasks. What decides (`table`, `clock`, `match`) is plain code that a
test calls with a clock of its own; what waits (`server`, `stream`) is thin.
"""

from bluke.referee.bot import Bot, Identity
from bluke.referee.match import Match
from bluke.referee.server import Referee
from bluke.referee.settings import Settings
from bluke.referee.spec import Finished, GameSpec

__all__ = ["Bot", "Finished", "GameSpec", "Identity", "Match", "Referee", "Settings"]
