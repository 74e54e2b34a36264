"""A bot as the referee knows it: who it is, what waits to be told to it, and whether it is there."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from bluke.referee.stream import Stream
    from bluke.referee.table import Table
    from bluke.wire.values import Player

__all__ = ["Bot", "Gone", "Identity", "Outbox"]

#: A message of turns holds no more than this many, so that the first of them is not held up by the last.
TURNS_A_MESSAGE = 64
#: What nothing else ever tells a bot.
RESULTS = {"game_over", "seed_revealed"}


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a token says somebody is.

    Attributes:
        name: the name under which results are booked.
        operator: whether it may start matches.
        key: tells apart several tokens of one name: processes that were started for one game each, say.
    """

    name: str
    operator: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class Gone:
    """Why a bot will not come back."""

    kind: FaultKind
    detail: str


class Outbox:
    """What waits to be written to a bot.

    What a bot is told goes first, in order. The turns that wait by then leave in one message, and are made only when
    that is written: so a clock starts when its turn is handed over, and a question that is over by then is not asked.

    Results are remembered for a while after they were taken out: what was under way when a stream
    broke may never have arrived, and a bot could not ask for it.

    Attributes:
        wake: set while something waits.
        calm: set unless the bot has turns before it that it has not answered, and nothing else waits for it.
        taken: how many messages were taken out so far. The next one is taken when the one before has been handed to
            gRPC, which does not take it from a bot that does not read.
    """

    __slots__ = ("_asked", "_now", "_open", "_results", "_said", "calm", "taken", "wake")

    #: As many games as a bot plays at once by default.
    MOST_RESULTS = 1024

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Begin empty; `now` is a monotonic clock in seconds."""
        self._now = now
        self._said: deque[play_pb.PlayResponse] = deque()
        self._asked: deque[tuple[Table, int]] = deque()
        self._open = 0
        self.taken = 0
        self._results: deque[tuple[float, play_pb.PlayResponse]] = deque(maxlen=self.MOST_RESULTS)
        self.wake = asyncio.Event()
        self.calm = asyncio.Event()
        self.calm.set()

    def __len__(self) -> int:
        """How many messages wait."""
        return len(self._said) - (-len(self._asked) // TURNS_A_MESSAGE)

    def put(self, message: play_pb.PlayResponse) -> None:
        """Add a message."""
        self._said.append(message)
        self.wake.set()
        self.calm.set()

    def ask(self, table: Table, decision: int) -> None:
        """Let the decision of a table be asked with the next message of turns."""
        self._asked.append((table, decision))
        waiting = len(self._asked)
        if waiting == 1:
            self.wake.set()
        elif waiting == TURNS_A_MESSAGE:
            self.calm.set()

    def settle(self) -> None:
        """A turn that was written is answered, or nobody waits for its answer any more."""
        if self._open > 1:
            self._open -= 1
        else:
            self._open = 0
            self.calm.set()

    def take(self) -> play_pb.PlayResponse | None:
        """Take the next message out; `None` if none waits."""
        if self._said:
            message = self._said.popleft()
            if message.WhichOneof("payload") in RESULTS:
                self._results.append((self._now(), message))
            self.taken += 1
            return message
        asked = self._asked
        if asked:
            message = play_pb.PlayResponse()
            turns = message.turns.turns
            count = 0
            while asked and count < TURNS_A_MESSAGE:
                table, decision = asked.popleft()
                count += table.hand_over(decision, turns)
            if count:
                self._open += count
                self.calm.clear()
                self.taken += 1
                return message
        self.wake.clear()
        return None

    def put_back(self, message: play_pb.PlayResponse) -> None:
        """Put a message that could not be written back to the front; turns are asked anew when the bot is back."""
        if message.HasField("turns"):
            return
        if self._results and self._results[-1][1] is message:
            self._results.pop()
        self._said.appendleft(message)
        self.wake.set()

    def broken(self, seconds: float) -> None:
        """The stream is gone: forget the turns, which are asked anew; results of the last `seconds` are told again."""
        since = self._now() - seconds
        self._said.extendleft([message for told, message in reversed(self._results) if told >= since])
        self._results.clear()
        self._asked.clear()
        self._open = 0
        self.calm.set()
        if self._said:
            self.wake.set()


class Bot:
    """One bot, over all the streams that it resumes.

    Attributes:
        identity: who its token says it is.
        player: its labels.
        tables: the games in which it has a seat, by id.
        heard: whether it has said anything after a hello, so that it has surely read a welcome.
        recent: ids of games that are over, so that a late answer can be told from a wrong one.
        grace: gives the bot up when its time to come back is over.
        gone: set once it will not come back.
        breach: why the referee ended its last stream; empty if that broke of itself.
    """

    RECENT_GAMES = 256

    def __init__(
        self,
        identity: Identity,
        player: Player,
        *,
        max_games: int,
        wants_events: bool,
        skips_hand_scored: bool = False,
    ) -> None:
        """Begin without a stream."""
        self.identity = identity
        self.player = player
        self.max_games = max_games
        self.wants_events = wants_events
        self.skips_hand_scored = skips_hand_scored
        self.resume_key = secrets.token_bytes(16)
        self.outbox = Outbox()
        self.stream: Stream | None = None
        self.heard = False
        self.tables: dict[str, Table] = {}
        self.recent: deque[str] = deque(maxlen=self.RECENT_GAMES)
        self.grace: asyncio.TimerHandle | None = None
        self.gone: Gone | None = None
        self.breach = ""

    @property
    def connected(self) -> bool:
        """Whether it has a stream now."""
        return self.stream is not None

    @property
    def absence(self) -> Gone:
        """What a bot without a stream is to be charged with."""
        if self.breach:
            return Gone(FaultKind.PROTOCOL, f"the referee ended the stream: {self.breach}")
        return Gone(FaultKind.DISCONNECTED, "the stream ended")

    def tell(self, message: play_pb.PlayResponse) -> None:
        """Send a message, or keep it for when the bot is back. Nothing is kept for a bot that is gone."""
        if self.gone is None:
            self.outbox.put(message)
            if self.stream is not None:
                self.stream.check_waiting()

    def ask(self, table: Table, decision: int) -> None:
        """Ask a decision of a table; without a stream it is dropped, since it is asked again when the bot is back."""
        # These need no limit: there is at most one for each game of the bot.
        if self.stream is not None:
            self.outbox.ask(table, decision)

    def leave(self, gone: Gone) -> None:
        """Note that the bot will not come back, and charge its open decisions."""
        if self.gone is not None:
            return
        self.gone = gone
        for table in list(self.tables.values()):
            table.bot_gone(self)
