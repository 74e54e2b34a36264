"""A game for a scripted referee: dealt and judged by the rules, with the bot in some of its seats.

The other seats answer at random, out of the seed. Nothing in here waits or talks: it makes messages
and takes moves.
"""

from __future__ import annotations

from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING

from bluke.rules import CARDS, Asked, CardSet, Game, Scored, SeededPacks, commitment, places
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.convert import (
    draw_rounds,
    limits_message,
    player_message,
    public_event,
    result_message,
    rules_message,
    score_message,
)
from bluke.wire.judge import Ruling, judge
from bluke.wire.turns import Last, TurnWriter
from bluke.wire.values import GameLimits, GameResult, Player, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from google.protobuf.message import Message

    from bluke.rules import Rules

__all__ = ["ScriptedGame", "envelope"]

#: What a bot without a clock is not told, and what one with a clock always has.
DECISION_MS, BANK_MS = 2_000, 60_000


class ScriptedGame:
    """One game of a script.

    Args:
        game_id: its id.
        rules: the rules in force.
        seed: text from which its cards and the other seats' answers follow.
        seats: the seats that the bot has.
        names: the names of the players by seat; where there are fewer, `seat N`.
        timed: whether it has a clock.
        first_decision: the number of its first decision.

    Attributes:
        turn: the turn that is open, `None` if there is none.
        answered: numbers of decisions that the bot has answered.
    """

    def __init__(
        self,
        game_id: str,
        rules: Rules,
        seed: str,
        *,
        seats: Sequence[int],
        names: Sequence[str] = (),
        timed: bool = True,
        first_decision: int = 1,
    ) -> None:
        """Deal the first hand; nothing is asked yet."""
        self.game_id = game_id
        self.rules = rules
        self.seats = tuple(seats)
        self.turn: play_pb.Turn | None = None
        self.answered: set[int] = set()
        self._seed = sha256(seed.encode()).digest()
        self._random = Random(seed)  # noqa: S311 - the other seats need no secrets
        self._game = Game(rules, SeededPacks(self._seed))
        self._players = [Player(names[seat] if seat < len(names) else f"seat {seat}") for seat in range(rules.seats)]
        self._limits = GameLimits(decision_ms=DECISION_MS if timed else None, bank_ms=BANK_MS)
        self._writer = TurnWriter(game_id, self._game)
        self._last: dict[int, Last] = {}
        self._issued: list[int] = []
        self._before = first_decision - 1
        self._told = 0

    # What the referee says

    def started(self) -> list[play_pb.GameStarted]:
        """The beginning, for each seat of the bot."""
        draw = self._game.draw
        return [
            play_pb.GameStarted(
                game_id=self.game_id,
                seat=seat,
                match_id="match-check",
                rules=rules_message(self.rules),
                players=[player_message(player) for player in self._players],
                limits=limits_message(self._limits),
                commitment=commitment(self._seed, self.game_id),
                draw=draw_rounds(draw),
                dealer=draw.dealer,
                scorekeeper=draw.scorekeeper,
            )
            for seat in self.seats
        ]

    @property
    def over(self) -> bool:
        """Whether every hand has been played."""
        return self._game.over

    @property
    def decision(self) -> int:
        """Number of the newest decision."""
        return self._before + len(self._issued)

    def ask(self, kind: str = "", trick: int = 0) -> play_pb.Turn | None:
        """Play on until the bot is to decide, and ask it; `None` if the game is over before that.

        Args:
            kind: `cut`, `bid` or `play`: the next decision of this kind; decisions of the bot before that are made
                for it, as if they had been lost. Empty for whatever is next.
            trick: a play is to be in this trick of its hand or a later one.
        """
        game = self._game
        while not game.over:
            if game.seat in self.seats and (not kind or self._at(kind, trick)):
                self._issued.append(game.seat)
                self.turn = self._writer.write(self.decision, self._last.get(game.seat))
                if self._limits.decision_ms is not None:
                    self.turn.decision_left_ms, self.turn.bank_left_ms = DECISION_MS, BANK_MS
                return self.turn
            self.answer_for()
        return None

    def _at(self, kind: str, trick: int) -> bool:
        return self._game.asked is Asked(kind) and (kind != "play" or self._game.trick >= trick)

    def answer_for(self, *, fixed: bool = False) -> int:
        """Answer what is due in the place of its seat, at random or as the referee does; returns the answer."""
        game = self._game
        legal = game.legal
        value = (
            game.fixed_answer()
            if fixed
            else CARDS[self._random.choice(legal.indices())]
            if isinstance(legal, CardSet)
            else self._random.choice(legal)
        )
        if self.turn is None:
            self._issued.append(game.seat)
        number = value if isinstance(value, int) else value.index
        self._apply(number, by_referee=True)
        return number

    def scored(self) -> list[play_pb.HandScored]:
        """The hands scored since this was asked last, for each seat of the bot."""
        events = self._game.events[self._told :]
        self._told += len(events)
        hands = [event for event in events if isinstance(event, Scored)]
        return [
            play_pb.HandScored(game_id=self.game_id, seat=seat, result=score_message(hand))
            for hand in hands
            for seat in self.seats
        ]

    def events(self) -> play_pb.Events:
        """All public events so far."""
        return play_pb.Events(events=[public_event(self.game_id, event) for event in self._game.events])

    def finished(self, *, void: bool = False, seed: bool = True) -> list[play_pb.GameOver]:
        """The result for each seat of the bot; `seed` says whether the seed is in it."""
        totals, faults = self._game.totals, (0,) * self.rules.seats
        if void:
            result = GameResult(Status.VOID, totals, None, faults, reason="the referee's disk is full")
        else:
            result = GameResult(Status.COMPLETE, totals, places(totals), faults)
        return [
            play_pb.GameOver(
                game_id=self.game_id,
                seat=seat,
                result=result_message(result),
                game_seed=self._seed if seed and not void else None,
            )
            for seat in self.seats
        ]

    def revealed(self) -> list[play_pb.SeedRevealed]:
        """The seed for each seat of the bot."""
        return [play_pb.SeedRevealed(game_id=self.game_id, seat=seat, game_seed=self._seed) for seat in self.seats]

    # What the bot says

    def take(self, move: play_pb.Move) -> str:
        """Take a move of the bot; returns what is wrong with it, nothing if it is legal or stale."""
        asked = self._game.asked if self.turn is not None else None
        numbered = play_pb.Move()
        numbered.CopyFrom(move)
        if not move.decision_id > self._before:
            return f"decision {move.decision_id} was never asked; the newest of this game is {self.decision}"
        numbered.decision_id -= self._before
        judgement = judge(numbered, issued=self._issued, asked=asked, seats=self.seats)
        if judgement.ruling is Ruling.STALE:
            return ""
        if judgement.ruling is Ruling.MALFORMED or self.turn is None:
            return judgement.detail
        answer = getattr(move, move.WhichOneof("answer") or "")
        if answer not in self.turn.legal:
            return f"the answer {answer} is illegal"
        self.answered.add(move.decision_id)
        self._apply(answer, by_referee=False)
        return ""

    def _apply(self, number: int, *, by_referee: bool) -> None:
        seat = self._game.seat
        self._last[seat] = Last(self.decision, 1_500, 20, number, by_referee, excused=False)
        self.turn = None
        self._game.answer(seat, CARDS[number] if self._game.asked is Asked.PLAY else number)


def envelope(part: Message) -> play_pb.PlayResponse:
    """The envelope that holds one of the referee's messages."""
    response = play_pb.PlayResponse()
    for field in play_pb.PlayResponse.DESCRIPTOR.oneofs_by_name["payload"].fields:
        if field.message_type is part.DESCRIPTOR:
            getattr(response, field.name).CopyFrom(part)
    return response
