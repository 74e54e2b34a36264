"""The class that a bot derives from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bluke_sdk.cards import Card
    from bluke_sdk.views import BidView, CutView, Event, GameOver, GameStarted, HandScored, PlayView

__all__ = ["Bot"]


class Bot(ABC):
    """A bot: derive from it, write `bid` and `play`, and pass the class to `bluke_sdk.run`.

    One instance is made, without arguments, for each seat in each game, so what it keeps in `self`
    belongs to one seat. Every method may be `def` or `async def`. While a `def` runs, everything
    else waits; `async def` decisions of different games run at the same time. One seat's methods
    never overlap.

    A view holds all there is to know, so a bot need not remember anything. One that does should
    expect to begin in the middle of a game: a bot that was started again takes its seats back.
    """

    #: The name to be shown, at most 64 bytes; empty for the name of the class.
    name: ClassVar[str] = ""
    #: The bot's own version, at most 64 bytes.
    version: ClassVar[str] = ""
    #: Who wrote it, at most 64 bytes.
    author: ClassVar[str] = ""

    _note: str | None = None

    @abstractmethod
    def bid(self, view: BidView) -> int | Awaitable[int]:
        """Say how many tricks to contract for: one of `view.legal`."""

    @abstractmethod
    def play(self, view: PlayView) -> Card | str | Awaitable[Card | str]:
        """Choose a card out of `view.legal`; its notation, such as `"9H"`, will do."""

    def cut(self, view: CutView) -> int | Awaitable[int]:  # noqa: ARG002 - for bots that override it
        """Say how many cards to move from the top of the pack to its bottom; asked only if the rules want it."""
        return 0

    # These may be left as they are, and then do nothing.

    def game_started(self, game: GameStarted) -> Awaitable[None] | None:  # noqa: B027
        """Hear that a game begins in which this instance has a seat."""

    def hand_scored(self, hand: HandScored) -> Awaitable[None] | None:  # noqa: B027
        """Hear how a hand ended."""

    def game_over(self, game: GameOver) -> Awaitable[None] | None:  # noqa: B027
        """Hear how the game ended; the instance is not used again."""

    def event(self, event: Event) -> Awaitable[None] | None:  # noqa: B027
        """Hear of a public event as it happens; only with `run(..., events=True)`."""

    def note(self, text: str) -> None:
        """Attach a line to the decision being made, for whoever reads the replay.

        Several notes on one decision are several lines. The referee keeps the first 1024 bytes and
        shows them to nobody while the game lasts. Outside `cut`, `bid` and `play` there is no
        decision, and the note is dropped.
        """
        self._note = str(text) if self._note is None else f"{self._note}\n{text}"
