"""What a decision costs, in things that can be counted: they are the same on every machine and under any load."""

from __future__ import annotations

import sys
from dataclasses import replace
from inspect import CO_COROUTINE, CO_GENERATOR
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from referee.desk import Desk, DeskStream, make_move

import bluke
from bluke.referee.bot import Bot, Identity
from bluke.referee.match import Match
from bluke.referee.spec import GameSpec
from bluke.referee.table import Table
from bluke.rules import Rules
from bluke.wire.values import GameLimits, Player

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

OURS = str(Path(bluke.__file__).parent)
FOUR = Rules(seats=4)
TABLES = 64

#: The most that each of these may cost. Whoever makes something dearer on purpose writes the new figure here, and says
#: in the commit what it buys; whoever makes it cheaper does so too, so that the gain is kept.
BOUNDS = {
    "calls of our functions a decision": 54.5,
    "timers a game": 1,
    "messages a game beside turns": 8,
    "bytes of a turn": 166.0,
    "messages a decision at 64 tables": 0.0385,
}
#: A bound that is further away than this from what is counted guards nothing.
SLACK = 0.1


def hold(what: str, counted: float) -> None:
    """Hold what was counted against its bound."""
    bound = BOUNDS[what]
    here = "BOUNDS in tests/referee/test_cost.py"
    assert counted <= bound, f"{what}: {counted:.3f}, and {bound:g} was the most. If that is meant, write it in {here}."
    assert counted >= bound * (1 - SLACK), f"{what}: {counted:.3f}, less than {bound:g}. Keep the gain: lower {here}."


class Calls:
    """Counts calls of functions whose code is in `bluke`, the stubs left out.

    Comprehensions are calls in some versions of Python and not in others, and generators go in and out; neither counts.
    """

    def __init__(self) -> None:
        self.count = 0
        self._ours: dict[Any, bool] = {}

    def __enter__(self) -> Self:
        self._before = sys.getprofile()
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(self._before)

    def _see(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        ours = self._ours.get(code)
        if ours is None:
            ours = self._ours[code] = (
                code.co_filename.startswith(OURS)
                and "_pb2" not in code.co_filename
                and not code.co_flags & (CO_GENERATOR | CO_COROUTINE)
                and (not code.co_name.startswith("<") or code.co_name == "<lambda>")
            )
        self.count += ours


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path, rules=FOUR)
    yield desk
    if desk.table.replay is not None:
        desk.table.replay.abandon()


def test_calls(desk: Desk):
    """A decision takes no more calls of our own functions than it did, from the move that is read to the next turn."""
    desk.start()
    calls = Calls()
    decisions = 0
    while desk.table.result is None:
        turn = desk.turn
        bot, move = desk.bots[turn.seat], make_move(turn)
        with calls:
            desk.table.move(bot, move)
        # What is taken out of the box is made there and then, so that is part of it.
        asked = desk.bots[desk.table.game.seat] if desk.table.result is None else bot
        with calls:
            message = asked.outbox.take()
        if message is not None:
            desk.sent[desk.bots.index(asked)].append(message)
        desk.collect()
        decisions += 1
    assert decisions == sum(FOUR.schedule) * 4 + len(FOUR.schedule) * 4
    hold("calls of our functions a decision", calls.count / decisions)


def test_timers(desk: Desk):
    """A game sets no more timers than it did, when everybody answers at once."""
    timers = []
    set_timer = desk.clock.call_at

    def call_at(when: float, call: Any, *arguments: Any) -> Any:
        timers.append(when)
        return set_timer(when, call, *arguments)

    desk.table.house = replace(desk.table.house, call_at=call_at)
    desk.start().play_on()
    hold("timers a game", len(timers))


def test_messages_beside_turns(desk: Desk):
    """Bots that want nothing but their turns are told little else in a game."""
    for bot in desk.bots:
        bot.skips_hand_scored = True
    desk.start().play_on()
    desk.close()
    others = sum(not message.HasField("turns") for sent in desk.sent for message in sent)
    hold("messages a game beside turns", others)


def test_bytes_of_a_turn(desk: Desk):
    """A turn is no longer than it was, on average over a game."""
    desk.start().play_on()
    sizes = [turn.ByteSize() for sent in desk.sent for message in sent for turn in message.turns.turns]
    hold("bytes of a turn", sum(sizes) / len(sizes))


def test_messages_of_many_tables(desk: Desk):
    """Four bots at 64 tables, served one after the other, get all that waits for one of them in one message."""
    bots = [_bot(number) for number in range(4)]
    tables: dict[str, Table] = {}
    for number in range(TABLES):
        match = Match(f"match {number}", b"cost", [number])
        lineup = tuple(bots[number % 4 :] + bots[: number % 4])
        spec = GameSpec(match, match.game_id(number), number, FOUR, GameLimits(), lineup)
        tables[spec.game_id] = Table(spec, desk.table.house, lambda _: None)
    for table in tables.values():
        table.start()
    messages = decisions = 0
    while any(table.result is None for table in tables.values()):
        for bot in bots:
            while (message := bot.outbox.take()) is not None:
                messages += 1
                for turn in message.turns.turns:
                    tables[turn.game_id].move(bot, make_move(turn))
                    decisions += 1
    for table in tables.values():
        assert table.replay is not None
        table.replay.abandon()
    assert decisions == TABLES * (sum(FOUR.schedule) * 4 + len(FOUR.schedule) * 4)
    hold("messages a decision at 64 tables", messages / decisions)


def _bot(number: int) -> Bot:
    bot = Bot(
        Identity(f"bot{number}"), Player(f"bot{number}"), max_games=TABLES, wants_events=False, skips_hand_scored=True
    )
    bot.stream = DeskStream()  # type: ignore[assignment]
    return bot
