"""A table: one game between bots, from the first card to the result.

A table is told what happens (an answer, a deadline, a bot that leaves) and says what follows from
it. It has no task and never waits: its `House` lends it a clock, timers and a disk.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

import structlog

from bluke.errors import ArenaError, RuleError
from bluke.referee.clock import SeatClock
from bluke.referee.spec import Fault, Finished
from bluke.replay.records import Header
from bluke.replay.writer import ReplayWriter
from bluke.rules import CARDS, Asked, Bid, Card, Dealt, Game, Played, Scored, SeededPacks, commitment
from bluke.rules.score import places
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.convert import (
    ASKED,
    FAULT_KINDS,
    draw_rounds,
    limits_message,
    player_message,
    public_event,
    result_message,
    rules_message,
    score_message,
)
from bluke.wire.judge import Ruling, judge
from bluke.wire.session import SeatState, Speaker, seat_step
from bluke.wire.turns import Last, TurnWriter
from bluke.wire.values import FaultKind, GameResult, Policy, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

    from bluke.referee.bot import Bot
    from bluke.referee.clock import Measured
    from bluke.referee.spec import GameSpec, House, Timer
    from bluke.rules.game import Event
    from bluke.wire.values import Player

__all__ = ["Table"]

#: The events that are a decision, or may be.
DECIDED = (Played, Bid, Dealt)

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Seat:
    """One seat: its bot and all that the referee keeps on it."""

    number: int
    bot: Bot
    clock: SeatClock
    state: SeatState = SeatState.NEW
    faults: int = 0
    played_out: bool = False
    last: Last | None = None
    decision_ms: list[float] = field(default_factory=list)


class Table:
    """One game being played.

    Args:
        spec: the game.
        house: clock, timers, disk.
        on_over: called once, when `result` is set; nothing has been told to the seats by then.

    Attributes:
        result: how the game ended, once it has.
        error: the trouble of ours that voided it, if any.
    """

    #: Seconds on a clock are sums of floats: less than this is nothing.
    ROUNDING = 1e-6

    def __init__(self, spec: GameSpec, house: House, on_over: Callable[[Table], None]) -> None:
        """Deal the first hand; nothing is told to anybody yet."""
        self.spec = spec
        self.house = house
        self._on_over = on_over
        self.seed = spec.match.game_seed(spec.deal)
        self.commitment = commitment(self.seed, spec.game_id)
        self.game = Game(spec.rules, SeededPacks(self.seed))
        self._turns = TurnWriter(spec.game_id, self.game)
        self.seats = [Seat(number, bot, SeatClock(spec.limits)) for number, bot in enumerate(spec.bots)]
        self._seats_of: dict[Bot, tuple[int, ...]] = {
            bot: tuple(n for n, other in enumerate(spec.bots) if other is bot) for bot in spec.bots
        }
        self.result: GameResult | None = None
        self.error: Exception | None = None
        self.faults: list[Fault] = []
        self.hands: list[Scored] = []
        self.started = house.utc()
        self.replay: ReplayWriter | None = None
        self.watchers: list[Callable[[Sequence[play_pb.Event]], None]] = []
        self._issued: list[int] = []
        self._open = False
        #: Whether the open decision is asked once more, on a new stream.
        self._again = False
        #: Whether its turn was handed over to be written.
        self._handed_over = False
        #: When it was asked, and how many messages had been taken out for its bot when its clock was last looked at.
        self._asked_at = 0.0
        self._taken = 0
        self._timer: Timer | None = None
        self._rings = 0.0
        self._wanted = any(bot.wants_events for bot in self._seats_of)
        #: When what the table is being told happened, on the clock of the house, and how late that was in all by then.
        self._now = self._lag = 0.0
        self._logged = 0
        self._public_faults: list[tuple[int, play_pb.Event]] = []
        self._ours = _Ours(self)

    # What happens to a table

    def start(self) -> None:
        """Tell the seats that the game begins, and ask the first decision."""
        with self._ours:
            self._happened(self.house.now())
            self.replay = ReplayWriter(self.house.replays, self._header(), compress=self.house.compress)
            self.replay.draw(self.game.draw)
            self._tell_started()
            self._log_events(None)
            self._advance()

    def _header(self) -> Header:
        return Header(
            game=self.spec.game_id,
            match=self.spec.match.match_id,
            deal=self.spec.deal,
            started=self.started,
            server=self.house.server,
            commitment=self.commitment,
            rules=self.spec.rules,
            players=self.players,
            limits=self.spec.limits,
        )

    @property
    def players(self) -> tuple[Player, ...]:
        """The labels of each seat."""
        return self.spec.players

    def move(self, bot: Bot, move: play_pb.Move, read: float | None = None) -> bool:
        """Take a move of a bot that has a seat here.

        Args:
            bot: the bot.
            move: what it sent.
            read: when that was read, on the clock of the house; `None` for now.

        Returns:
            Whether it answered the open decision, legally or not.
        """
        # Not `with self._ours`, here and where a turn is handed over: it is for each decision, and this costs nothing.
        try:
            self._happened(self.house.now() if read is None else read)
            return self._move(bot, move)
        except Exception as error:  # noqa: BLE001 - see `failed`
            self.failed(error)
        return False

    def bot_error(self, bot: Bot, error: play_pb.BotError) -> bool:
        """Take a bot's word that its own code failed on a decision.

        Returns:
            Whether that decision was open.
        """
        with self._ours:
            self._happened(self.house.now())
            if self._open and self.game.seat in self._seats_of[bot] and error.decision_id == len(self._issued):
                seat = self.seats[self.game.seat]
                seat.state = seat_step(seat.state, Speaker.BOT, "error")
                detail = _cut(error.detail, self.house.max_note_bytes) or "no detail was given"
                self._fault(seat, FaultKind.CRASH, f"the bot's own code failed: {detail}")
                self._advance()
                return True
        return False

    def bot_gone(self, bot: Bot) -> None:
        """Take note that a bot will not come back: its open decision is charged now, the rest as they come."""
        with self._ours:
            self._happened(self.house.now())
            if self._open and self.game.seat in self._seats_of[bot] and bot.gone is not None:
                self._fault(self.seats[self.game.seat], bot.gone.kind, bot.gone.detail, for_good=True)
                self._advance()

    def ask_again(self, bot: Bot) -> None:
        """Ask the open decision once more, on a new stream; its clock runs on."""
        with self._ours:
            if self._open and self.game.seat in self._seats_of[bot]:
                self._again = True
                seat = self.seats[self.game.seat]
                seat.state = seat_step(seat.state, Speaker.REFEREE, "turns")
                bot.ask(self, len(self._issued))

    def hand_over(self, decision: int, turns: RepeatedCompositeFieldContainer[play_pb.Turn]) -> bool:
        """Add the turn of a decision to a message that is about to be written; its clock starts now.

        Returns:
            Whether it was added: what is over by now is not asked any more.
        """
        try:
            return self._hand_over(decision, turns)
        except Exception as error:  # noqa: BLE001 - see `failed`
            self.failed(error)
        return False

    def void(self, reason: str, error: Exception | None = None) -> None:
        """End the game as counting for nobody."""
        if self.result is None:
            self.error = error
            self._end(Status.VOID, reason)

    def failed(self, error: Exception) -> None:
        """Void the game for trouble of our own."""
        if isinstance(error, OSError):
            reason = f"the replay could not be written: {error}"
        else:
            reason = f"a failure of the referee itself: {type(error).__name__}: {error}"
            log.error("failure at a table", game=self.spec.game_id, trace="".join(traceback.format_exception(error)))
        self.void(reason, error)

    def public_history(self) -> list[play_pb.Event]:
        """All that everybody could see so far, in order; first of all how the game began."""
        spec = self.spec
        opened = play_pb.GameOpened(
            rules=rules_message(spec.rules),
            players=[player_message(player) for player in self.players],
            limits=limits_message(spec.limits),
            commitment=self.commitment,
            draw=draw_rounds(self.game.draw),
            dealer=self.game.draw.dealer,
            scorekeeper=self.game.draw.scorekeeper,
        )
        history = [play_pb.Event(game_id=spec.game_id, game_opened=opened)]
        faults = list(self._public_faults)
        for number, event in enumerate(self.game.events):
            while faults and faults[0][0] <= number:
                history.append(faults.pop(0)[1])
            history.append(public_event(spec.game_id, event))
        return history + [fault for _, fault in faults]

    # Decisions

    def _happened(self, now: float) -> None:
        """Take note of when that happened which the table is being told."""
        self._now = now
        self._lag = self.house.lag.total(now)

    def _advance(self) -> None:
        """Go on until somebody has to be waited for, or the game is over."""
        game = self.game
        while self.result is None and not self._open:
            if game.over:
                self._end(Status.COMPLETE, "")
                return
            seat = self.seats[game.seat]
            if seat.played_out:
                self._apply(seat, game.fixed_answer(), by_referee=True)
            elif seat.bot.gone is not None:
                self._fault(seat, seat.bot.gone.kind, seat.bot.gone.detail, for_good=True)
            else:
                self._ask(seat)
                return

    def _ask(self, seat: Seat) -> None:
        now = self._now
        self._issued.append(seat.number)
        self._open = True
        self._again = self._handed_over = False
        # Once more when the turn is handed over: this is for a bot that is away, or does not read.
        seat.clock.start(now, self._lag)
        self._asked_at, self._taken = now, seat.bot.outbox.taken
        seat.state = seat_step(seat.state, Speaker.REFEREE, "turns")
        self._wake_up(now + seat.clock.allowed)
        seat.bot.ask(self, len(self._issued))

    def _hand_over(self, decision: int, turns: RepeatedCompositeFieldContainer[play_pb.Turn]) -> bool:
        if not self._open or decision != len(self._issued):
            return False
        seat = self.seats[self._issued[-1]]
        clock = seat.clock
        now = self.house.now()
        lag = self.house.lag.total(now)
        turn = turns.add()
        self._turns.fill(turn, decision, seat.last)
        if self._again:
            turn.again = True
            shown = clock.shown(now, lag)
        else:
            clock.start(now, lag)
            shown = clock.whole
        if shown is not None:
            turn.decision_left_ms, turn.bank_left_ms = shown
        self._handed_over = True
        return True

    def _wake_up(self, when: float) -> None:
        """Look at the clock at that time, or before.

        One timer runs through many decisions: most are made long before it rings, and setting one for each costs
        more than looking too early now and then.
        """
        if self._timer is not None:
            if self._rings <= when:
                return
            self._timer.cancel()
        self._rings = when
        self._timer = self.house.call_at(when, self._look)

    def _look(self) -> None:
        """Charge the open decision if its time is over."""
        self._timer = None
        with self._ours:
            if not self._open:
                return
            now = self.house.now()
            self._happened(now)
            seat = self.seats[self.game.seat]
            if self._waits_behind_others(seat):
                seat.clock.start(now, self._lag)
            self._taken = seat.bot.outbox.taken
            left = seat.clock.left(now, self._lag)
            if left > self.ROUNDING:
                # Another decision, or the referee itself was late and the seat gets that time back.
                self._wake_up(now + left)
                return
            if seat.bot.connected:
                self._fault(seat, FaultKind.TIMEOUT, f"no answer within {seat.clock.allowed * 1000:.0f} ms")
            else:
                absence = seat.bot.absence
                self._fault(seat, absence.kind, f"{absence.detail}, and the clock ran out before it was back")
            self._advance()

    def _waits_behind_others(self, seat: Seat) -> bool:
        """Whether the open decision is still to be handed over to a bot that has read something since the last look.

        As long as messages leave it is the referee that is behind, but a bot that reads slowly cannot stop the game.
        """
        reads = seat.bot.connected and not self._handed_over and seat.bot.outbox.taken != self._taken
        return reads and self._now - self._asked_at < self.spec.limits.wall_ms / 1000

    def _move(self, bot: Bot, move: play_pb.Move) -> bool:
        game = self.game
        mine = self._seats_of[bot]
        if self.result is not None:
            # It is being brought to disk: nothing that is said now can change it.
            self._notice(bot, move, play_pb.VERDICT_STALE, "the game is over")
            return False
        judgement = judge(move, issued=self._issued, asked=game.asked if self._open else None, seats=mine)
        if judgement.ruling is Ruling.STALE:
            self._notice(bot, move, play_pb.VERDICT_STALE, judgement.detail)
            return False
        asked_now = self._open and game.seat in mine
        seat = self.seats[game.seat if asked_now else mine[0]]
        if asked_now and seat.clock.left(self._now, self._lag) <= 0:
            self._notice(bot, move, play_pb.VERDICT_STALE, "the answer came after the clock had run out")
            self._fault(seat, FaultKind.TIMEOUT, f"no answer within {seat.clock.allowed * 1000:.0f} ms")
        elif judgement.ruling is Ruling.MALFORMED:
            self._notice(bot, move, play_pb.VERDICT_MALFORMED, judgement.detail)
            # A seat that is played out has nothing left to lose, and a replay has better to do than to list its faults.
            if not seat.played_out:
                self._fault(seat, FaultKind.PROTOCOL, judgement.detail, answer=_said(move))
        else:
            self._answer(seat, move)
        self._advance()
        return asked_now

    def _answer(self, seat: Seat, move: play_pb.Move) -> None:
        seat.state = seat_step(seat.state, Speaker.BOT, "moves")
        try:
            value = _value(move, self.game.asked)
            note = _cut(move.note, self.house.max_note_bytes) if move.HasField("note") else None
            self._apply(seat, value, note=note)
        except RuleError as error:
            # A refused move has changed nothing.
            legal = self.game.legal
            words = [str(card) for card in legal] if self.game.asked is Asked.PLAY else list(map(str, legal))
            detail = f"{error}; legal is {' '.join(words)}"
            indices = [card.index if isinstance(card, Card) else card for card in legal]
            self._notice(seat.bot, move, play_pb.VERDICT_ILLEGAL, detail, rule=error.rule, legal=indices)
            self._fault(seat, FaultKind.ILLEGAL, detail, answer=_said(move))

    def _apply(self, seat: Seat, value: int | Card, *, by_referee: bool = False, note: str | None = None) -> None:
        """Make a move; what the rules refuse leaves everything as it was."""
        self.game.answer(seat.number, value)
        measured = None
        if self._open:
            measured = self._stop_clock(seat)
            seat.last = Last(
                len(self._issued),
                int(measured.elapsed * 1e6),
                int(measured.lag * 1e6),
                value.index if isinstance(value, Card) else value,
                by_referee,
                measured.excused,
            )
            if not by_referee:
                seat.decision_ms.append(measured.elapsed * 1000)
        self._log_events(measured, by_referee=by_referee, note=note)

    def _stop_clock(self, seat: Seat) -> Measured:
        measured = seat.clock.stop(self._now, self._lag)
        self._close()
        if measured.excused:
            log.warning(
                "the referee was late, and the decision is excused",
                game=self.spec.game_id,
                seat=seat.number,
                elapsed_ms=round(measured.elapsed * 1000, 3),
                lag_ms=round(measured.lag * 1000, 3),
            )
        return measured

    def _close(self) -> None:
        """Nobody waits for an answer any more."""
        if self._open:
            self._open = False
            if self._handed_over:
                self.seats[self._issued[-1]].bot.outbox.settle()

    # Faults

    def _fault(
        self, seat: Seat, kind: FaultKind, detail: str, *, answer: str | None = None, for_good: bool = False
    ) -> None:
        """Charge a fault, and make the move that is due in the seat's place if it is its turn."""
        game = self.game
        due = game.seat == seat.number and not game.over
        asked = game.asked if due else None
        seat.faults += 1
        self.faults.append(Fault(seat.number, kind, game.hand, detail))
        self._replay().fault(hand=game.hand, seat=seat.number, kind=kind, asked=asked, detail=detail, answer=answer)
        log.info("fault", game=self.spec.game_id, seat=seat.number, bot=seat.bot.identity.name, kind=kind.value)
        strict = self.spec.limits.policy is Policy.STRICT
        seat.played_out = not strict and (for_good or seat.faults >= self.spec.limits.max_faults)
        applied = game.fixed_answer() if due and not strict else None
        decision = len(self._issued) if due and self._open else 0
        self._tell_fault(seat, kind, detail, decision=decision, applied=applied, faults=seat.faults)
        self._publish_fault(seat, kind, asked)
        if strict:
            self._end(Status.FORFEITED, f"seat {seat.number} forfeited the game: {kind.value}", loser=seat.number)
        elif applied is not None:
            self._apply(seat, applied, by_referee=True)

    def _tell_fault(
        self, seat: Seat, kind: FaultKind, detail: str, *, decision: int, applied: int | Card | None, faults: int
    ) -> None:
        notice = play_pb.FaultNotice(
            game_id=self.spec.game_id,
            seat=seat.number,
            decision_id=decision,
            kind=FAULT_KINDS[kind],
            detail=detail,
            applied=applied.index if isinstance(applied, Card) else applied,
            faults=faults,
            played_out=seat.played_out,
        )
        self._tell(seat, "fault", play_pb.PlayResponse(fault=notice))

    def _publish_fault(self, seat: Seat, kind: FaultKind, asked: Asked | None) -> None:
        # Never the detail: it names cards that the others may not know.
        event = play_pb.Event(
            game_id=self.spec.game_id,
            fault_charged=play_pb.FaultCharged(
                hand=self.game.hand,
                seat=seat.number,
                kind=FAULT_KINDS[kind],
                asked=None if asked is None else ASKED[asked],
                played_out=seat.played_out,
            ),
        )
        self._public_faults.append((len(self.game.events), event))
        self._publish([event])

    # The end

    def _end(self, status: Status, reason: str, *, loser: int | None = None) -> None:
        played_out = tuple(seat.number for seat in self.seats if seat.played_out)
        behind = played_out if loser is None else (loser,)
        totals = self.game.totals
        self.result = GameResult(
            status=status,
            totals=totals,
            places=None if status is Status.VOID else places(totals, behind),
            faults=tuple(seat.faults for seat in self.seats),
            played_out=played_out,
            reason=reason,
        )
        self._close()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._on_over(self)

    def save(self, match_seed: bytes | None) -> Path:
        """Bring the finished game to disk; this waits for the disk, and belongs in a thread.

        Args:
            match_seed: written too, if it is no secret any more.

        Raises:
            OSError: the disk refuses.
            ArenaError: there is nothing to be saved.
        """
        if self.error is not None and self.replay is None:
            raise self.error
        return self._replay().finish(
            self._result(), game_seed=self.seed, match_seed=match_seed, finished=self.house.utc()
        )

    def close(self, replay: Path, *, tell_seed: bool) -> Finished:
        """Tell the result to everybody; the game is on disk by now.

        Args:
            replay: where it is.
            tell_seed: whether nothing is left to be played on this deal.
        """
        self._tell_over(self.seed if tell_seed else None)
        return Finished(
            spec=self.spec,
            result=self._result(),
            replay=replay,
            hands=tuple(self.hands),
            decision_ms=tuple(tuple(seat.decision_ms) for seat in self.seats),
            faults=tuple(self.faults),
            started=self.started,
            finished=self.house.utc(),
        )

    def spoil(self, reason: str) -> None:
        """The game could not be brought to disk: tell everybody that it counts for nobody."""
        if self.replay is not None:
            self.replay.abandon()
        self.result = replace(self._result(), status=Status.VOID, places=None, reason="the game could not be recorded")
        log.error("a game is void", game=self.spec.game_id, reason=reason)
        self._tell_over(None)

    def _tell_over(self, game_seed: bytes | None) -> None:
        message = result_message(self._result())
        self._publish([play_pb.Event(game_id=self.spec.game_id, game_result=message)])
        for seat in self.seats:
            over = play_pb.GameOver(game_id=self.spec.game_id, seat=seat.number, result=message, game_seed=game_seed)
            self._tell(seat, "game_over", play_pb.PlayResponse(game_over=over))
        for bot in self._seats_of:
            bot.tables.pop(self.spec.game_id, None)
            bot.recent.append(self.spec.game_id)

    def reveal(self) -> None:
        """Tell the seed to the seats of a game that was over before it could be told."""
        for seat in self.seats:
            revealed = play_pb.SeedRevealed(game_id=self.spec.game_id, seat=seat.number, game_seed=self.seed)
            self._tell(seat, "seed_revealed", play_pb.PlayResponse(seed_revealed=revealed))

    # Telling and logging

    def _tell_started(self) -> None:
        for bot in self._seats_of:
            bot.tables[self.spec.game_id] = self
        opened = self.public_history()[0].game_opened
        for seat in self.seats:
            started = play_pb.GameStarted(
                game_id=self.spec.game_id,
                seat=seat.number,
                match_id=self.spec.match.match_id,
                rules=opened.rules,
                players=opened.players,
                limits=opened.limits,
                commitment=opened.commitment,
                draw=opened.draw,
                dealer=opened.dealer,
                scorekeeper=opened.scorekeeper,
            )
            self._tell(seat, "game_started", play_pb.PlayResponse(game_started=started))

    def _log_events(self, measured: Measured | None, *, by_referee: bool = False, note: str | None = None) -> None:
        """Take the newest events to the replay file and to whoever is told of them."""
        events = self.game.events[self._logged :]
        self._logged += len(events)
        replay = self._replay()
        ms = None if measured is None else measured.elapsed * 1000
        for event in events:
            if isinstance(event, DECIDED):
                replay.record(event, ms=ms, note=note, by_referee=by_referee)
            else:
                replay.record(event)
                if isinstance(event, Scored):
                    self._scored(event)
        self._publish_events(events)

    def _scored(self, event: Scored) -> None:
        self.hands.append(event)
        told = [seat for seat in self.seats if not seat.bot.skips_hand_scored]
        if not told:
            return
        result = score_message(event)
        for seat in told:
            scored = play_pb.HandScored(game_id=self.spec.game_id, seat=seat.number, result=result)
            self._tell(seat, "hand_scored", play_pb.PlayResponse(hand_scored=scored))

    def _publish_events(self, events: Sequence[Event]) -> None:
        if self.watchers or self._wanted:
            self._publish([public_event(self.spec.game_id, event) for event in events])

    def _publish(self, events: Sequence[play_pb.Event]) -> None:
        for watcher in tuple(self.watchers):
            watcher(events)
        for bot in self._seats_of:
            if bot.wants_events and bot.tables.get(self.spec.game_id) is self:
                bot.tell(play_pb.PlayResponse(events=play_pb.Events(events=events)))

    def _notice(
        self,
        bot: Bot,
        move: play_pb.Move,
        verdict: play_pb.Verdict,
        detail: str,
        *,
        rule: str = "",
        legal: Sequence[int] = (),
    ) -> None:
        bot.tell(
            play_pb.PlayResponse(
                notice=play_pb.MoveNotice(
                    game_id=move.game_id,
                    decision_id=move.decision_id,
                    verdict=verdict,
                    rule=rule,
                    detail=detail,
                    legal=legal,
                    move=move,
                )
            )
        )

    def _tell(self, seat: Seat, payload: str, message: play_pb.PlayResponse) -> None:
        seat.state = seat_step(seat.state, Speaker.REFEREE, payload)
        seat.bot.tell(message)

    def _replay(self) -> ReplayWriter:
        if self.replay is None:
            msg = f"game {self.spec.game_id} has no replay file before it has started"
            raise ArenaError(msg)
        return self.replay

    def _result(self) -> GameResult:
        if self.result is None:
            msg = f"game {self.spec.game_id} is not over"
            raise ArenaError(msg)
        return self.result


class _Ours:
    """Trouble of our own inside a table voids its game and goes no further: no bot pays for it."""

    __slots__ = ("_table",)

    def __init__(self, table: Table) -> None:
        self._table = table

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._table.failed(error)
        return True


def _value(move: play_pb.Move, asked: Asked | None) -> int | Card:
    """The answer in a move that answers what is asked, as the game takes it.

    Raises:
        RuleError: there is no such card.
    """
    if asked is not Asked.PLAY:
        return move.bid if asked is Asked.BID else move.cut
    card = move.card
    if card >= len(CARDS):
        raise RuleError("1.3", f"there is no card {card}: cards are 0 to {len(CARDS) - 1}")
    return CARDS[card]


def _said(move: play_pb.Move) -> str:
    """A bot's own words, for the replay."""
    field = move.WhichOneof("answer")
    if field is None:
        return f"decision {move.decision_id}: nothing"
    value = getattr(move, field)
    text = str(CARDS[value]) if field == "card" and value < len(CARDS) else str(value)
    return f"decision {move.decision_id}: {field} {text}"


def _cut(text: str, limit: int) -> str:
    """Cut a text to `limit` bytes of UTF-8, at a character's boundary."""
    data = text.encode()
    return text if len(data) <= limit else data[:limit].decode(errors="ignore")
