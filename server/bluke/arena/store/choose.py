"""Which runs of a store a table is about."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from bluke.errors import ConfigError
from bluke.replay.text import counted, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from bluke.arena.store.kinds import Kind
    from bluke.arena.store.store import StoredRun

__all__ = ["Selection", "choose"]

#: More runs than this are counted, not listed.
MOST_LISTED = 3


@dataclass(frozen=True, slots=True)
class Selection:
    """What runs have to be like.

    Attributes:
        runs: their folders, from that of the store, or the ids of their matches; `()` for all.
        seats: seats at a table.
        rules: values of some options of the game, as `kinds.rule_values` has them.
        since: when the first of them may have begun.
        until: when all of them had begun.
    """

    runs: tuple[str, ...] = ()
    seats: int | None = None
    rules: dict[str, Any] = field(default_factory=dict)
    since: datetime | None = None
    until: datetime | None = None

    def takes(self, run: StoredRun) -> bool:
        """Whether a run is as it should be."""
        return (
            (not self.runs or run.folder in self.runs or run.match in self.runs)
            and (self.seats is None or run.kind.seats == self.seats)
            and (not self.rules or run.kind.has(self.rules))
            and (self.since is None or run.started >= self.since)
            and (self.until is None or run.started < self.until)
        )


def choose(runs: Sequence[StoredRun], selection: Selection) -> list[StoredRun]:
    """The runs that are meant, all of one kind, and each with a game at least.

    Raises:
        ConfigError: a run that was named is not there, or there are none, or they are of several kinds.
    """
    known = {name for run in runs for name in (run.folder, run.match)}
    for name in selection.runs:
        if name not in known:
            raise ConfigError(f"{visible(name)}: there is no such run, neither a folder nor the id of a match")
    played = [run for run in runs if run.games]
    chosen = [run for run in played if selection.takes(run)]
    if not chosen:
        raise ConfigError(f"none of the runs with games ({len(played)}) is all that was asked for; ask for less")
    kinds: dict[Kind, list[StoredRun]] = defaultdict(list)
    for run in chosen:
        kinds[run.kind].append(run)
    if len(kinds) > 1:
        raise ConfigError(
            f"these {len(chosen)} runs are of {len(kinds)} kinds, which cannot be compared; choose one of them:\n"
            + "\n".join(_lines(kinds))
        )
    return chosen


def _lines(kinds: dict[Kind, list[StoredRun]]) -> Iterable[str]:
    """What to type for each kind, and what is in it, most games first."""
    for kind, runs in sorted(kinds.items(), key=lambda item: -sum(run.games for run in item[1])):
        games = sum(run.games for run in runs)
        many = f"{counted(len(runs), 'run')}, {counted(games, 'game')}"
        yield f"  {' '.join(_options(kind, kinds))}  ({many})"
        if kind.rules is None:
            folders = ", ".join(visible(run.folder) for run in runs[:MOST_LISTED])
            more = f" and {len(runs) - MOST_LISTED} more" if len(runs) > MOST_LISTED else ""
            yield f"      their records do not tell the rules, so name them: {folders}{more}"


def _options(kind: Kind, kinds: Iterable[Kind]) -> Iterable[str]:
    if any(other.seats != kind.seats for other in kinds):
        yield f"--seats {kind.seats}"
    if kind.rules is None:
        yield "RUN ..."
    for key, value in kind.apart_from(list(kinds)).items():
        yield f"--rules {key}={_written(value)}"


def _written(value: Any) -> str:  # noqa: ANN401 - what an option of the game can be
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value.value if isinstance(value, Enum) else value)
