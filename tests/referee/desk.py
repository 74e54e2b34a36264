"""A table on a desk: no network, no disk but a folder, and a clock that moves when a test says so."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bluke.referee.bot import Bot, Identity
from bluke.referee.clock import LagMeter
from bluke.referee.match import Match
from bluke.referee.spec import GameSpec, House
from bluke.referee.table import Table
from bluke.rules import Rules
from bluke.v1 import game_pb2 as game_pb
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import GameLimits, Player

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHORT = Rules(3, hands=(3, 2, 1))


@dataclass
class FakeTimer:
    when: float
    call: Callable[..., None]
    arguments: tuple[Any, ...]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock:
    """A monotonic clock and its timers."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.lag = LagMeter(self.now)
        self._timers: list[tuple[float, int, FakeTimer]] = []
        #: Called after each timer that ran.
        self.after: Callable[[], None] = lambda: None

    def call_at(self, when: float, call: Callable[..., None], *arguments: Any) -> FakeTimer:
        timer = FakeTimer(when, call, arguments)
        heapq.heappush(self._timers, (when, id(timer), timer))
        return timer

    def pass_time(self, seconds: float) -> None:
        """Let time go by with a referee that is never late: timers run when they are due."""
        end = self.now + seconds
        while self._timers and self._timers[0][0] <= end:
            when, _, timer = heapq.heappop(self._timers)
            self.now = max(self.now, when)
            self._tick_on_time()
            if not timer.cancelled:
                timer.call(*timer.arguments)
                self.after()
        self.now = end
        self._tick_on_time()

    def stall(self, seconds: float) -> None:
        """Let time go by in which the referee does nothing at all; then it ticks, late."""
        self.now += seconds
        self.lag.tick(self.now)

    def run_due(self) -> None:
        """Run the timers that are due by now."""
        self.pass_time(0)

    def _tick_on_time(self) -> None:
        # As if every tick up to now had come when it was due: the total stays as it is.
        self.lag._due = self.now + self.lag.period


class DeskStream:
    """Stands for a live stream: it only has to be there."""

    def check_waiting(self) -> None:
        pass


@dataclass
class Desk:
    """One table with its bots; `sent` holds every message told to each seat's bot, in order."""

    folder: Path
    rules: Rules = SHORT
    limits: GameLimits = field(default_factory=GameLimits)
    seed: bytes = b"desk"
    events: bool = False
    shared: tuple[int, ...] | None = None
    """For each seat the number of its bot, where a bot sits twice."""

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        house = House(
            now=lambda: self.clock.now,
            call_at=self.clock.call_at,
            lag=self.clock.lag,
            utc=lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.clock.now),
            replays=self.folder,
            compress=False,
            server="bluke-arena test",
        )
        numbers = self.shared or tuple(range(self.rules.seats))
        by_number = {n: self._bot(n) for n in dict.fromkeys(numbers)}
        self.bots = [by_number[n] for n in numbers]
        self.match = Match("match-desk", self.seed, [0])
        spec = GameSpec(self.match, self.match.game_id(0), 0, self.rules, self.limits, tuple(self.bots))
        self.over: list[Table] = []
        self.table = Table(spec, house, self.over.append)
        self.sent: list[list[play_pb.PlayResponse]] = [[] for _ in self.bots]
        # A live stream takes what waits as soon as it is there.
        self.clock.after = self.collect

    def _bot(self, number: int) -> Bot:
        bot = Bot(Identity(f"bot{number}"), Player(f"bot{number}"), max_games=9, wants_events=self.events)
        bot.stream = DeskStream()  # type: ignore[assignment]
        return bot

    def collect(self) -> None:
        """Take what waits for each bot; a bot that sits twice is collected under its first seat."""
        for bot in dict.fromkeys(self.bots):
            self.sent[self.bots.index(bot)] += iter(bot.outbox.take, None)

    def start(self) -> Desk:
        self.table.start()
        self.collect()
        return self

    @property
    def turn(self) -> play_pb.Turn:
        """The open turn, as its bot got it."""
        seat = self.table.game.seat
        bot = self.bots[seat]
        turns = [m.turns.turns[-1] for m in self.sent[self.bots.index(bot)] if m.HasField("turns")]
        return turns[-1]

    def answer(self, value: int | None = None, *, note: str | None = None, turn: play_pb.Turn | None = None) -> bool:
        """Let the bot that is asked answer: its first legal answer unless told otherwise."""
        turn = turn or self.turn
        return self.move(self.bots[turn.seat], make_move(turn, value, note))

    def move(self, bot: Bot, move: play_pb.Move) -> bool:
        answered = self.table.move(bot, move)
        self.collect()
        return answered

    def play_on(self, value: int | None = None, *, until: Callable[[Desk], bool] | None = None) -> None:
        """Let every bot give its first legal answer until the game is over."""
        while self.table.result is None and not (until is not None and until(self)):
            self.answer(value)

    def close(self) -> Any:
        """Bring the game to disk and tell its result, as the server does."""
        path = self.table.save(None)
        last = self.match.finish(0)
        finished = self.table.close(path, tell_seed=last)
        self.collect()
        return finished

    def told(self, seat: int, payload: str) -> list[Any]:
        """All messages of one kind to the bot of a seat."""
        return [getattr(m, payload) for m in self.sent[seat] if m.HasField(payload)]


def open_turn(table: Table) -> play_pb.Turn:
    """The question that is open at a table, without its clock; one without legal answers when the game is over."""
    if table.game.over:
        return play_pb.Turn(game_id=table.spec.game_id)
    return table._turns.write(len(table._issued), table.seats[table.game.seat].last)


def make_move(turn: play_pb.Turn, value: int | None = None, note: str | None = None) -> play_pb.Move:
    """The answer to a turn: its first legal one unless told otherwise."""
    move = play_pb.Move(game_id=turn.game_id, decision_id=turn.decision_id, note=note)
    chosen = turn.legal[0] if value is None else value
    field = {game_pb.ASKED_CUT: "cut", game_pb.ASKED_BID: "bid", game_pb.ASKED_PLAY: "card"}[turn.asked]
    setattr(move, field, chosen)
    return move
