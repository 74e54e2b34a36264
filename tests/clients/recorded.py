"""Games that are played here and then asked again: of every shape, with right answers, random ones and mishaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from referee.asked import AskedDesk
from referee.desk import Desk, DeskStream

from bluke.referee.bot import Bot as Seated
from bluke.referee.bot import Identity
from bluke.rules import BlukeLed, CutRule, Rules, Variant
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import GameLimits, Player, Policy
from bluke_sdk import Card
from bluke_sdk._wire import ASKED, SeatCache, read_view
from bots.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

#: Labels and notes as a stranger's bot might send them.
HOSTILE = (
    "\x1b[2J\x1b[31mred",
    "<script>alert(1)</script>",
    "\u202eever\u200b\u2066\U0001f0cf",
    "a\nb\r\n\tc\x00d",
    '"},{"type":"end"',
    "\u0301" * 20,
)
NO_CLOCK = GameLimits(decision_ms=None, wall_ms=60_000)
STRICT = GameLimits(policy=Policy.STRICT)
PATIENT = GameLimits(max_faults=50, decision_ms=1000, bank_ms=5000)
#: A referee that is late itself is soon the only reason why a bot is.
TIGHT = GameLimits(max_faults=50, decision_ms=1000, bank_ms=500)


ROUGH = ("slow", "stall", "late", "illegal", "malformed", "error", "again")


@dataclass(frozen=True)
class Setting:
    """A game to be played; `often` is how often something goes wrong that is in `moods`.

    One that is `live` is asked as its seats were asked at the table. The others are asked out of their replay file,
    which does not hold how late the referee itself was, nor whether a question was put twice.
    """

    name: str
    rules: Rules
    limits: GameLimits = field(default_factory=GameLimits)
    moods: tuple[str, ...] = ("slow",)
    often: float = 0.05
    live: bool = False


SETTINGS = (
    Setting("the whole pack", Rules(2, hands=(27, 13, 5))),
    Setting("two seats", Rules(2, max_hand=5), NO_CLOCK),
    Setting("chosen ends", Rules(3, max_hand=6, last_hand=18)),
    Setting("players cut", Rules(3, hands=(9, 1, 4), cut=CutRule.PLAYER), NO_CLOCK),
    Setting("standard", Rules(4)),
    Setting("strict", Rules(4, max_hand=7), STRICT),
    Setting("forfeited", Rules(4, hands=(6, 5)), STRICT, ("slow", "slow", "slow", "illegal"), 0.3),
    Setting("rough", Rules(4, max_hand=5, cut=CutRule.PLAYER), PATIENT, ROUGH, 0.2),
    Setting("played out", Rules(3, hands=(6, 5)), GameLimits(max_faults=2), ("illegal", "error"), 0.2),
    Setting("New Jersey", Rules(4, variant=Variant.NEW_JERSEY)),
    Setting("New Jersey, many", Rules(7, variant=Variant.NEW_JERSEY, max_hand=4), NO_CLOCK),
    Setting("three and a Bluke calls", Rules(3, bluke_led=BlukeLed.TRUMP)),
    Setting("five", Rules(5, bluke_led=BlukeLed.TRUMP)),
    Setting("a Bluke calls", Rules(7, bluke_led=BlukeLed.TRUMP, hands=(7, 6, 3, 1))),
    Setting("nine and the whole pack", Rules(9, hands=(6, 2), bluke_led=BlukeLed.TRUMP)),
    Setting("fifteen", Rules(15)),
    Setting(
        "at the table", Rules(4, max_hand=4, cut=CutRule.PLAYER), TIGHT, ("stall", "again", "late"), 0.4, live=True
    ),
)


class StrangersDesk(Desk):
    """A desk at which nobody has a decent name."""

    def _bot(self, number: int) -> Seated:
        bot = super()._bot(number)
        label = HOSTILE[number % len(HOSTILE)]
        player = Player(label, label, label, label)
        named = Seated(Identity(f"bot{number}"), player, max_games=9, wants_events=False)
        named.stream = bot.stream
        return named


def rule_answers(turn: play_pb.Turn) -> int:
    """What the Python bot `rule` answers, as the number that goes into the move."""
    method, kind = ASKED[turn.asked]
    answer = getattr(Rule(), method)(read_view(kind, turn, SeatCache(turn.view.rules)))
    return answer.index if isinstance(answer, Card) else int(answer)


def play_game(folder: Path, number: int, setting: Setting) -> tuple[Desk, Path]:
    """Play a game: every other seat by `rule`, the rest at random, so that strange positions come about too."""
    random = Random(number)
    desk = StrangersDesk(folder, setting.rules, setting.limits, str(number).encode()).start()
    while desk.table.result is None:
        turn = desk.turn
        if random.random() < setting.often:
            MOODS[random.choice(setting.moods)](desk, turn, random)
            desk.collect()
        else:
            value = rule_answers(turn) if (turn.seat + number) % 2 else random.choice(list(turn.legal))
            desk.answer(value, note=random.choice([None, *HOSTILE]), turn=turn)
    path: Path = desk.close().replay
    return desk, path


def _again(desk: Desk, turn: play_pb.Turn, _random: Random) -> None:
    bot = desk.bots[turn.seat]
    bot.stream = DeskStream()  # type: ignore[assignment]
    desk.table.ask_again(bot)


def _error(desk: Desk, turn: play_pb.Turn, _random: Random) -> None:
    desk.table.bot_error(
        desk.bots[turn.seat], play_pb.BotError(game_id=turn.game_id, decision_id=turn.decision_id, detail=HOSTILE[0])
    )


#: What may happen to the open decision besides an answer that is right and in time.
MOODS: dict[str, Callable[[Desk, play_pb.Turn, Random], object]] = {
    "slow": lambda desk, _turn, random: desk.clock.pass_time(random.random() * 3),
    "stall": lambda desk, _turn, random: desk.clock.stall(random.random() * 3),
    "late": lambda desk, turn, _random: desk.clock.pass_time((turn.decision_left_ms + turn.bank_left_ms) / 1000 + 0.01),
    "illegal": lambda desk, turn, _random: desk.answer(60, turn=turn),
    "malformed": lambda desk, turn, _random: desk.move(desk.bots[turn.seat], play_pb.Move(game_id=turn.game_id, bid=1)),
    "error": _error,
    "again": _again,
}


@dataclass(frozen=True)
class Talk:
    """All that one seat is told in one game, in order."""

    setting: Setting
    seat: int
    messages: tuple[play_pb.PlayResponse, ...]

    @property
    def turns(self) -> list[play_pb.Turn]:
        return [turn for message in self.messages for turn in message.turns.turns]


def talks(folder: Path, settings: Sequence[Setting] = SETTINGS) -> list[Talk]:
    """Play the games, and have every seat of each told what it was told then."""
    told: list[Talk] = []
    for number, setting in enumerate(settings):
        place = folder / str(number)
        place.mkdir()
        desk, path = play_game(place, number, setting)
        for seat in range(setting.rules.seats):
            if setting.live:
                messages = desk.sent[seat]
            else:
                messages = AskedDesk(path, seat).play_on(lambda turn: turn.legal[0]).sent
            told.append(Talk(setting, seat, tuple(messages)))
    return told
