"""Everything that a stranger can send or a person can hand over, as functions of bytes.

The invariant of all of them: any input is accepted, or refused with the one documented error (`PeerError` and
the fault or the status that follows from it, `ConfigError`, `ReplayError`, `ArenaError`, `SdkError`); never
anything else, and nobody but the sender is the worse for it. A target returns if that holds, and raises if not.

Hypothesis calls them within the tests, atheris in `make fuzz`. Every file in `corpus/TARGET/` is an input that
gets far, or one that once broke something.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fuzz import files, play, sdk

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CORPUS", "TARGETS", "Target"]

CORPUS = Path(__file__).with_name("corpus")


class Target(NamedTuple):
    """One target, and how much of it is enough for a change to land.

    Attributes:
        check: the function.
        runs: inputs that `make fuzz` tries.
        most: the longest input that is worth trying, in bytes.
    """

    check: Callable[[bytes], None]
    runs: int
    most: int

    @property
    def name(self) -> str:
        """The name of the target and of its folder of the corpus."""
        return self.check.__name__

    @property
    def corpus(self) -> list[bytes]:
        """What is in that folder."""
        return [path.read_bytes() for path in sorted((CORPUS / self.name).iterdir())]


TARGETS = {
    target.name: target
    for target in (
        Target(play.session, 20_000, 300),
        Target(play.table, 1_500, 300),
        Target(play.stream, 1_500, 300),
        Target(play.hello, 20_000, 300),
        Target(files.replay, 10_000, 4_000),
        Target(files.replay_edits, 2_000, 40),
        Target(files.config, 3_000, 1_000),
        Target(files.config_edits, 3_000, 40),
        Target(files.record, 3_000, 1_000),
        Target(files.record_edits, 3_000, 40),
        Target(files.tokens, 3_000, 600),
        Target(files.tokens_edits, 3_000, 40),
        Target(files.notation, 20_000, 10),
        Target(sdk.sdk, 3_000, 300),
    )
}
