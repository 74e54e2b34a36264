"""What anybody is told does not depend on what they may not know.

The exchange test: play a game to some moment, exchange cards that somebody has not seen by then, and let everybody
do the same again. Where the game takes the same course, every byte that they were sent is the same.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from unittest.mock import patch

import grpc
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from referee.asked import AskedDesk
from referee.desk import Desk, DeskStream, make_move, open_turn
from referee.raw_bot import PATIENCE, open_house

from bluke.referee import table as table_module
from bluke.referee.bot import Gone
from bluke.referee.table import Table
from bluke.rules import Card, CutRule, Dealt, Played, Rules, SeededPacks, Variant
from bluke.v1 import arena_pb2 as arena_pb
from bluke.v1 import arena_pb2_grpc
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import FaultKind, GameLimits, Policy, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.conftest import Desks

    from bluke.rules.dealing import Packs

RULES = [
    Rules(3, hands=(3, 2)),
    Rules(4, hands=(2, 3), variant=Variant.NEW_JERSEY),
    Rules(2, hands=(4, 2), cut=CutRule.PLAYER),
    Rules(3, hands=(18,)),
    Rules(2, hands=(2, 2, 1)),
]
LIMITS = [
    GameLimits(max_faults=2),
    GameLimits(max_faults=20, bank_ms=0),
    GameLimits(policy=Policy.STRICT),
    GameLimits(decision_ms=None),
]
WALL_SECONDS = 601.0
#: What is said of a stream and holds nothing of a game.
OF_STREAMS = {"welcome", "refusal", "goodbye"}


class Exchanged:
    """The packs of a seed with cards exchanged: for each hand, which place's card lies at a place."""

    def __init__(self, seed: bytes, places: dict[int, dict[int, int]]) -> None:
        self._packs = SeededPacks(seed)
        self._places = places

    def draw(self) -> tuple[Card, ...]:
        return self._packs.draw()

    def hand(self, number: int) -> tuple[Card, ...]:
        pack = self._packs.hand(number)
        places = self._places.get(number, {})
        return tuple(pack[places.get(place, place)] for place in range(len(pack)))


def hidden_places(desk: Desk, number: int, seats: Sequence[int]) -> list[int]:
    """Where in the pack of a hand the cards lie that nobody in `seats` has seen so far."""
    game = desk.table.game
    pack = game.packs.hand(number)
    if number > game.hand:
        return list(range(len(pack)))
    dealer = (game.draw.dealer + number) % game.rules.seats
    seen = {event.card for event in game.events if isinstance(event, Played) and event.hand == number}
    dealt = [event for event in game.events if isinstance(event, Dealt) and event.hand == number]
    seen |= {event.turned for event in dealt if event.turned is not None}
    for seat in seats:
        first = (seat - dealer - 1) % game.rules.seats
        seen |= {pack[first + game.rules.seats * n] for n in range(game.schedule[number])}
    return [place for place, card in enumerate(pack) if card not in seen]


# Games as scripts


@dataclass(frozen=True)
class Setting:
    """All of a game but its cards."""

    rules: Rules
    limits: GameLimits
    seed: bytes
    shared: tuple[int, ...] | None


Step: TypeAlias = "tuple[str, int, int]"
STEPS = ["answer"] * 8 + ["illegal", "malformed", "stale", "late", "error", "away", "back", "leave"]


class Player:
    """Lets a game take its course, step by step, and remembers what was done in numbers that can be done again."""

    def __init__(self, folder: Path, setting: Setting, packs: Packs | None = None) -> None:
        with patch.object(table_module, "SeededPacks", SeededPacks if packs is None else lambda _: packs):
            self.desk = Desk(
                folder,
                rules=setting.rules,
                limits=setting.limits,
                seed=setting.seed,
                shared=setting.shared,
                events=True,
            )
        self.done: list[Step] = []
        self.seen: list[play_pb.Event] = []
        # A seed that is told would tell all cards: another game on the deal is left to be played.
        self.desk.match.add(0, 1)
        self.desk.table.watchers.append(self.seen.extend)
        self.desk.start()

    def choose(self, kind: str, choice: int) -> Step:
        """A step of a kind as numbers: a seat, and what it answers."""
        table = self.desk.table
        seat = table.game.seat
        legal = list(open_turn(table).legal) or [0]
        if kind == "answer":
            return kind, seat, legal[choice % len(legal)]
        if kind == "illegal":
            wrong = [value for value in range(60) if value not in legal]
            return kind, seat, wrong[choice % len(wrong)]
        return kind, choice % len(self.desk.bots), choice

    def do(self, step: Step) -> None:
        kind, seat, value = step
        self.done.append(step)
        desk, table, bot = self.desk, self.desk.table, self.desk.bots[seat]
        turn = open_turn(table)
        match kind:
            case "answer" | "illegal" if table.result is None and bot.stream is not None and turn.legal:
                table.move(bot, make_move(turn, value))
            case "malformed" if bot.stream is not None:
                table.move(bot, play_pb.Move(game_id=turn.game_id, decision_id=999, card=value % 60))
            case "stale" if bot.stream is not None and turn.decision_id:
                table.move(bot, play_pb.Move(game_id=turn.game_id, decision_id=1, bid=1))
            case "late":
                desk.clock.pass_time(WALL_SECONDS)
            case "error" if bot.stream is not None:
                table.bot_error(bot, play_pb.BotError(decision_id=len(table._issued), detail="my own fault"))
            case "away":
                bot.stream = None
            case "back" if bot.stream is None and bot.gone is None:
                bot.stream = DeskStream()  # type: ignore[assignment]
                table.ask_again(bot)
            case "leave":
                bot.stream = None
                bot.leave(Gone(FaultKind.DISCONNECTED, "it left"))
        desk.collect()

    def finish(self) -> None:
        """Play to the end, and tell everybody; the seed follows, as it does once the deal is played no more."""
        while self.desk.table.result is None:
            away = self.desk.bots[self.desk.table.game.seat].stream is None
            self.do(self.choose("late" if away else "answer", 0))
        self.desk.close()
        self.desk.table.reveal()
        self.desk.collect()

    def course(self) -> list[Any]:
        """What everybody could see of the game itself, told by the rules and not by the wire."""
        table = self.desk.table
        events = [event._replace(cards=()) if isinstance(event, Dealt) else event for event in table.game.events]
        faults = [(fault.seat, fault.kind, fault.hand) for fault in table.faults]
        return [events, faults, table.result, table._issued]

    def told(self, seat: int) -> list[bytes]:
        """All that the bot of a seat was sent."""
        first = self.desk.bots.index(self.desk.bots[seat])
        return [message.SerializeToString() for message in self.desk.sent[first]]

    def shown(self) -> list[bytes]:
        """All that a spectator was sent, who came early or comes now."""
        return [event.SerializeToString() for event in (*self.seen, *self.desk.table.public_history())]

    def close(self) -> None:
        if self.desk.table.replay is not None:
            self.desk.table.replay.abandon()


@st.composite
def a_setting(draw: st.DrawFn) -> Setting:
    rules = draw(st.sampled_from(RULES))
    shared = draw(st.sampled_from([None, None, tuple(seat % 2 for seat in range(rules.seats))]))
    return Setting(rules, draw(st.sampled_from(LIMITS)), draw(st.binary(max_size=4)), shared)


SCRIPTS = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 59)), max_size=40)


@contextmanager
def players(setting: Setting) -> Iterator[Callable[..., Player]]:
    """Makes games of one setting, and closes their files in the end."""
    made: list[Player] = []
    # Nobody here waits for anything to reach the disk.
    with tempfile.TemporaryDirectory() as folder, patch("os.fsync"):

        def make(packs: Packs | None = None) -> Player:
            path = Path(folder) / str(len(made))
            made.append(Player(path, setting, packs))
            return made[-1]

        try:
            yield make
        finally:
            for player in made:
                player.close()


@dataclass
class Told:
    """What was compared over a whole test, so that it can be seen to be enough."""

    compared: int = 0
    payloads: Counter[str] = field(default_factory=Counter)


def exchange(data: st.DataObject, make: Callable[..., Player], plain: Player, seats: Sequence[int]) -> Player | None:
    """The same again with cards exchanged that `seats` have not seen; `None` if it takes another course.

    An exchange that changes the course is one that could be told from the play: it makes a move that was made
    illegal, say, or another card the weakest one.
    """
    game = plain.desk.table.game
    places: dict[int, dict[int, int]] = {}
    for number in range(len(game.schedule)):
        hidden = hidden_places(plain.desk, number, seats)
        # Few at a time, so that the course has a chance to stay; those that were dealt lie on top.
        some = st.sampled_from(hidden[:8] or [0]) | st.sampled_from(hidden or [0])
        few = data.draw(st.lists(some, max_size=4, unique=True)) if hidden else []
        places[number] = dict(zip(few, few[1:] + few[:1], strict=True))
    other = make(Exchanged(plain.desk.table.seed, places))
    for step in plain.done:
        other.do(step)
    if plain.desk.table.result is not None:
        if other.desk.table.result is None:
            # A card that was no answer in the one game is one in the other, and the fault that ended it never was.
            return None
        other.desk.close()
        other.desk.table.reveal()
        other.desk.collect()
    return other if other.course() == plain.course() else None


def compare(data: st.DataObject, make: Callable[..., Player], plain: Player, seat: int | None, told: Told) -> None:
    """Compare all that the bot of a seat, or with `None` a spectator, was sent."""
    bots = plain.desk.bots
    seats = [] if seat is None else [n for n, bot in enumerate(bots) if bot is bots[seat]]
    other = exchange(data, make, plain, seats)
    if other is None:
        return
    told.compared += 1
    if seat is None:
        assert other.shown() == plain.shown()
        told.payloads.update(event.WhichOneof("event") or "" for event in plain.seen)
        told.payloads.update(event.WhichOneof("event") or "" for event in plain.desk.table.public_history())
    else:
        assert other.told(seat) == plain.told(seat)
        told.payloads.update(m.WhichOneof("payload") or "" for m in plain.desk.sent[bots.index(bots[seat])])


def play(make: Callable[..., Player], script: Sequence[tuple[str, int]], *, to_the_end: bool) -> Player:
    """A game to some moment."""
    plain = make()
    for kind, choice in script:
        if plain.desk.table.result is not None:
            break
        plain.do(plain.choose(kind, choice))
    if to_the_end or plain.desk.table.result is not None:
        plain.finish()
    assert plain.desk.table.error is None
    return plain


@pytest.mark.slow
def test_exchange_what_a_seat_has_not_seen():
    """Every byte sent to any seat, in messages of every kind, is the same for all cards that it has not seen."""
    told = Told()

    @settings(max_examples=250)
    @given(st.data(), a_setting(), SCRIPTS, st.booleans())
    def check(data: st.DataObject, setting: Setting, script: list[tuple[str, int]], to_the_end: bool) -> None:
        with players(setting) as make:
            plain = play(make, script, to_the_end=to_the_end)
            for seat in range(setting.rules.seats):
                compare(data, make, plain, seat, told)

    check()
    assert told.compared >= 200
    kinds = {field.name for field in play_pb.PlayResponse.DESCRIPTOR.oneofs_by_name["payload"].fields}
    assert set(told.payloads) == kinds - OF_STREAMS


def spectators(told: Told, phases: Sequence[Phase] = tuple(Phase)) -> None:
    @settings(max_examples=250, phases=phases)
    @given(st.data(), a_setting(), SCRIPTS, st.booleans())
    def check(data: st.DataObject, setting: Setting, script: list[tuple[str, int]], to_the_end: bool) -> None:
        with players(setting) as make:
            plain = play(make, script, to_the_end=to_the_end)
            for _ in range(3):
                compare(data, make, plain, None, told)

    check()


@pytest.mark.slow
def test_exchange_what_a_spectator_has_not_seen():
    """All that a spectator was sent by any moment is the same for all cards that were not played by then."""
    told = Told()
    spectators(told)
    assert told.compared >= 200
    kinds = {field.name for field in play_pb.Event.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert set(told.payloads) == kinds


def test_the_exchange_test_can_fail(monkeypatch: pytest.MonkeyPatch):
    """If a fault told the others which cards the seat holds, the test above would find it."""
    honest = Table._publish_fault

    def leaking(self: Table, seat: Any, kind: FaultKind, asked: Any) -> None:
        honest(self, seat, kind, asked)
        self._public_faults[-1][1].fault_charged.hand = sum(self.game.held(seat.number).indices())

    monkeypatch.setattr(Table, "_publish_fault", leaking)
    with pytest.raises(AssertionError):
        spectators(Told(), phases=[Phase.generate])


# Over the wire, and what is not about cards


async def test_watch_over_the_wire(tmp_path: Path):
    """What `WatchGame` sends, early and late, is the same for all cards that were not played by then."""
    setting = Setting(RULES[0], LIMITS[1], b"watch", None)
    script = [("answer", 1), ("illegal", 3), ("answer", 0), ("late", 0), ("answer", 2), ("malformed", 1), ("answer", 0)]
    with players(setting) as make:
        plain = play(make, script, to_the_end=False)
        hidden = hidden_places(plain.desk, 0, [])
        sent = await watched(tmp_path / "plain", make(), plain.done)
        same = 0
        for at in range(1, len(hidden)):
            packs = Exchanged(plain.desk.table.seed, {0: {hidden[0]: hidden[at], hidden[at]: hidden[0]}})
            other = make(packs)
            for step in plain.done:
                other.do(step)
            if other.course() == plain.course() and same < 3:
                same += 1
                assert await watched(tmp_path / str(at), make(packs), plain.done) == sent
    assert same == 3
    assert len(sent) > len(script)


async def watched(folder: Path, player: Player, steps: Sequence[Step]) -> list[bytes]:
    """All that two spectators are sent over gRPC: one that is there from the beginning, one that comes at the end."""
    table = player.desk.table
    sent: list[bytes] = []
    async with open_house(folder, open_door=True) as house, asyncio.timeout(PATIENCE):
        house.referee.tables[table.spec.game_id] = table
        async with grpc.aio.insecure_channel(house.referee.address) as channel:
            stub = arena_pb2_grpc.ArenaServiceStub(channel)
            early = stub.WatchGame(arena_pb.WatchGameRequest(game_id=table.spec.game_id))
            sent.append((await early.read()).SerializeToString())
            seen = len(player.seen)
            for step in steps:
                player.do(step)
            told = 0
            while told < len(player.seen) - seen:
                message = await early.read()
                told += len(message.events)
                sent.append(message.SerializeToString())
            late = stub.WatchGame(arena_pb.WatchGameRequest(game_id=table.spec.game_id))
            sent.append((await late.read()).SerializeToString())
            early.cancel()
            late.cancel()
        del house.referee.tables[table.spec.game_id]
    return sent


def test_details_of_a_fault_stay_with_its_seat(desks: Desks):
    """The seat is told which cards it could have played; the others and the spectators learn the kind, and no card."""
    desk = desks(rules=RULES[0], events=True)
    seen: list[play_pb.Event] = []
    desk.table.watchers.append(seen.extend)
    desk.start()
    desk.play_on(until=lambda desk: desk.turn.legal[-1] > 5)
    seat, legal = desk.turn.seat, [str(Card(index)) for index in desk.turn.legal]
    wrong = next(index for index in range(54) if index not in desk.turn.view.cards)
    desk.answer(wrong)
    assert " ".join(legal) in desk.told(seat, "fault")[-1].detail
    assert list(desk.told(seat, "notice")[-1].legal) != []
    others = [sent for number, sent in enumerate(desk.sent) if number != seat]
    for message in (message for sent in others for message in sent):
        assert message.WhichOneof("payload") not in {"fault", "notice"}
    charged = [event.fault_charged for event in seen if event.HasField("fault_charged")]
    assert {field.name for field, _ in charged[-1].ListFields()} <= {"hand", "seat", "kind", "asked", "played_out"}


def test_notes_are_told_to_nobody(desks: Desks):
    """What a bot notes of its decisions goes into the replay and to no seat and no spectator."""
    desk = desks(rules=RULES[0], events=True)
    seen: list[play_pb.Event] = []
    desk.table.watchers.append(seen.extend)
    desk.start()
    while desk.table.result is None:
        desk.answer(note="the ace is mine")
    finished = desk.close()
    desk.table.reveal()
    desk.collect()
    assert b"the ace is mine" in finished.replay.read_bytes()
    late = desk.table.public_history()
    for message in (*(message for sent in desk.sent for message in sent), *seen, *late):
        assert b"the ace is mine" not in message.SerializeToString()


@pytest.mark.parametrize("seat", range(3))
def test_notes_of_then_are_told_to_nobody_who_is_asked_again(desks: Desks, seat: int):
    """A seat of a recorded game that is asked again is told no note of the file, its own neither."""
    desk = desks(rules=RULES[0]).start()
    while desk.table.result is None:
        desk.answer(note="the ace is mine")
    again = AskedDesk(desk.close().replay, seat, events=True).play_on(lambda turn: turn.legal[0])
    assert len(again.sent) > 5
    for message in again.sent:
        assert b"the ace is mine" not in message.SerializeToString()
    assert {reply.step.note for reply in again.replies} == {"the ace is mine"}


def test_seat_views_differ_where_they_should(desks: Desks):
    """Exchange a card of the seat's own and its bytes change."""
    with players(Setting(RULES[0], LIMITS[0], b"own", None)) as make:
        plain = make()
        game = plain.desk.table.game
        own = (game.seat - game.dealer - 1) % 3
        places = hidden_places(plain.desk, 0, [game.seat])
        other = make(Exchanged(plain.desk.table.seed, {0: {own: places[0], places[0]: own}}))
        assert other.told(game.seat) != plain.told(game.seat)


@pytest.mark.parametrize("limits", LIMITS, ids=["lenient", "late", "strict", "no clock"])
def test_nothing_tells_the_seed_or_the_deal(desks: Desks, limits: GameLimits):
    """While a deal is still to be played again, no message holds its seed or its number, however the game ends."""
    desk = desks(rules=RULES[0], limits=limits, events=True)
    seen: list[play_pb.Event] = []
    desk.table.watchers.append(seen.extend)
    desk.match.add(0, 1)
    desk.start()
    desk.answer(60)
    desk.play_on()
    desk.close()
    assert desk.table.result is not None
    assert desk.table.result.status is (Status.FORFEITED if limits.policy is Policy.STRICT else Status.COMPLETE)
    for message in (*(message for sent in desk.sent for message in sent), *seen):
        assert desk.table.seed not in message.SerializeToString()
        assert "deal" not in {field.name for field, _ in message.ListFields()}


def test_game_ids_do_not_tell_which_games_share_a_deal(desks: Desks):
    """Ids follow from the match seed and look alike for every pair of games; commitments differ as ids do."""
    desk = desks()
    ids = [desk.match.game_id(number) for number in range(200)]
    assert len(set(ids)) == 200
    assert all(len(name) == 16 for name in ids)
    assert ids == [desk.match.game_id(number) for number in range(200)]
    assert desk.match.game_id(3, attempt=1) not in ids
