"""Games that went roughly, and what their seats are told when they are asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.desk import Desk, DeskStream, make_move, open_turn

from bluke.referee.asking import Asking, Reply
from bluke.referee.bot import Bot, Gone, Identity
from bluke.referee.retrace import KnownDeal
from bluke.referee.spec import GameSpec, House
from bluke.replay.reader import read_replay
from bluke.replay.steps import steps_of
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import FaultKind, Player

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random

    from bluke.referee.table import Table

#: What happens at a table besides answers that are right and in time.
MOODS = ("slow", "illegal", "malformed", "late", "error", "away", "leave", "stall")


def play_roughly(desk: Desk, random: Random, moods: Sequence[str] = MOODS, *, often: float = 0.15) -> Path:
    """Play a game to its end with things going wrong now and then; returns its replay."""
    desk.start()
    while desk.table.result is None:
        happen(desk, random, random.choice(moods) if moods and random.random() < often else "answer")
        desk.collect()
    path: Path = desk.close().replay
    return path


def happen(desk: Desk, random: Random, mood: str) -> None:
    """Let something happen to the open decision, or to a bot that is not asked."""
    table = desk.table
    seat = table.game.seat
    bot, turn = desk.bots[seat], open_turn(table)
    away = bot.stream is None
    if away and random.random() < 0.5:
        bot.stream = DeskStream()  # type: ignore[assignment]
        table.ask_again(bot)
    elif away or mood == "late":
        desk.clock.pass_time(1000)
    elif mood in MISHAPS:
        MISHAPS[mood](desk, random, bot, turn)
    else:
        if mood == "stall":
            desk.clock.stall(random.random() * 3)
        elif mood == "slow":
            desk.clock.pass_time(random.random() * 3)
        # A slow one may have been too slow by now.
        if table.result is None and len(table._issued) == turn.decision_id:
            note = random.choice([None, "hm", "I hold the ace"])
            table.move(bot, make_move(turn, random.choice(list(turn.legal)), note))


def _illegal(desk: Desk, random: Random, bot: Bot, turn: play_pb.Turn) -> None:
    desk.table.move(bot, make_move(turn, random.choice([value for value in range(60) if value not in turn.legal])))


def _malformed(desk: Desk, random: Random, bot: Bot, turn: play_pb.Turn) -> None:
    other = random.choice(desk.bots)
    if other.stream is not None and other.gone is None:
        desk.table.move(other, play_pb.Move(game_id=turn.game_id, decision_id=9999, bid=1))


def _error(desk: Desk, random: Random, bot: Bot, turn: play_pb.Turn) -> None:
    desk.table.bot_error(bot, play_pb.BotError(decision_id=turn.decision_id, detail="my own fault"))


def _away(desk: Desk, random: Random, bot: Bot, turn: play_pb.Turn) -> None:
    bot.stream = None


def _leave(desk: Desk, random: Random, bot: Bot, turn: play_pb.Turn) -> None:
    bot.stream = None
    bot.leave(Gone(FaultKind.CRASH, "its process ended with exit code 7"))


MISHAPS = {"illegal": _illegal, "malformed": _malformed, "error": _error, "away": _away, "leave": _leave}


class AskedDesk:
    """One seat of a recorded game on a desk: all that its bot is told, and what is reported of its answers."""

    def __init__(self, path: Path, seat: int, *, first: int = 0, stop: int | None = None, events: bool = False) -> None:
        self.replay = read_replay(path)
        self.steps = steps_of(self.replay)
        header = self.replay.header
        self.desk = Desk(path.parent, rules=header.rules)
        self.bot = Bot(Identity("now"), Player("now"), max_games=9, wants_events=events)
        self.bot.stream = DeskStream()  # type: ignore[assignment]
        absent = Bot(Identity("absent"), Player("absent"), max_games=1, wants_events=False)
        absent.gone = Gone(FaultKind.DISCONNECTED, "nobody is there")
        bots = tuple(self.bot if n == seat else absent for n in range(header.rules.seats))
        spec = GameSpec(KnownDeal(self.replay), header.game, header.deal, header.rules, header.limits, bots)
        self.replies: list[Reply] = []
        self.sent: list[play_pb.PlayResponse] = []
        house: House = self.desk.table.house
        self.table = Asking(
            spec,
            house,
            self._over,
            replay=self.replay,
            steps=self.steps,
            seat=seat,
            first=first,
            stop=len(self.steps) if stop is None else stop,
            patience=3,
            on_reply=self.replies.append,
        )

    def _over(self, table: Table) -> None:
        table.close(table.save(None), tell_seed=True)

    def collect(self) -> None:
        self.sent += iter(self.bot.outbox.take, None)

    @property
    def turn(self) -> play_pb.Turn:
        """The open turn."""
        return [message.turns.turns[-1] for message in self.sent if message.HasField("turns")][-1]

    def start(self) -> AskedDesk:
        self.table.start()
        self.collect()
        return self

    def play_on(self, choose: Callable[[play_pb.Turn], int]) -> AskedDesk:
        """Let the bot answer to the end."""
        self.start()
        while self.table.result is None:
            turn = self.turn
            self.table.move(self.bot, make_move(turn, choose(turn)))
            self.collect()
        return self
