"""Runs the steps of a case: says what they say, and fails the bot that does not do what they expect."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from bluke.arena.conformance import case as steps
from bluke.arena.conformance.relay import Door, Relay
from bluke.arena.conformance.talk import FailedError
from bluke.errors import ArenaError
from bluke.referee.scripted import (
    ScriptedReferee,
    ScriptedStream,
    change,
    message_of,
    shown,
    unknown,
    welcome,
    with_unknown,
)
from bluke.referee.scripted_game import ScriptedGame, envelope

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from bluke.arena.conformance.case import Case
    from bluke.arena.conformance.talk import Bot, Talk

__all__ = ["CHECKS", "Script"]

RESUME_KEY = b"the resume key of bluke check"
#: How long a stream may last after a GOAWAY.
PARTING_SECONDS = 30.0
#: Turns in one message, at most; what the real referee keeps to.
LONGEST_LIST = 64
LABEL_BYTES = 64
SDK = re.compile(r"([^\s/()]+/[^\s/()]+( \(.*\))?)?")


@dataclass(slots=True)
class Table:
    """A game of the script, and the answers that are waited for."""

    label: str
    game: ScriptedGame
    open: bool = False


@dataclass(slots=True)
class Script:
    """One run of a case.

    Args:
        case: what is to be done.
        referee: whose streams it uses.
        relay: what the bot dials.
        talk: what is said to the bot, and heard from it.
    """

    case: Case
    referee: ScriptedReferee
    relay: Relay
    talk: Talk
    at: int = 0
    _hello: Any = None
    _done: bool = False
    _tables: dict[str, list[Table]] = field(default_factory=dict)
    _by_id: dict[str, Table] = field(default_factory=dict)
    _random: Random = field(default_factory=lambda: Random(0))  # noqa: S311 - the order of questions is no secret

    async def run(self) -> None:
        """Go through the steps; `at` is the number of the one that is being done, from 1.

        Raises:
            FailedError: the bot did not do what was expected.
            NoVerdictError: this says nothing about the bot.
        """
        for label, data in self.case.games.items():
            self._tables[label] = [self._table(label, data, number) for number in range(data.count)]
        try:
            for step in self.case.steps:
                self.at += 1
                await ACTS[type(step)](self, step)
                if self._done:
                    return
        finally:
            self.talk.close()

    def _table(self, label: str, data: steps.GameData, number: int) -> Table:
        seed = f"{self.case.name} {label} {number}"
        game = ScriptedGame(
            data.id or f"{label}{number}-{self.case.name}",
            data.rules.rules(data.seats),
            seed,
            seats=data.bot,
            names=data.names,
            timed=data.timed,
            first_decision=data.first_decision,
        )
        return Table(label, game)

    def _of(self, labels: Sequence[str]) -> list[Table]:
        return [table for label in labels for table in self._tables[label]]

    # What is done with the stream

    async def hello(self, step: steps.Hello) -> None:
        """Expect a stream and its hello."""
        expected = "a stream and its hello"
        try:
            stream = await self.talk.wait(self.referee.streams.get(), expected)
        except FailedError:
            if not (step.or_exit and self.talk.death()):
                raise
            self._check_shown(step.or_exit)
            self._done = True
            return
        self.talk.stream = stream
        request = await self.talk.hear(expected)
        if request.WhichOneof("payload") != "hello":
            raise FailedError("a hello as the first message", shown(request))
        hello = self._hello = request.hello
        if step.resume and hello.resume_key != RESUME_KEY:
            raise FailedError("a hello with the resume key of the welcome", shown(hello))
        if not step.resume and hello.resume_key:
            raise FailedError("a hello without a resume key", shown(hello))
        for name in step.checks:
            problem = CHECKS[name](hello, stream, self.talk.bot)
            if problem:
                raise FailedError(problem, shown(hello))

    async def welcome(self, step: steps.Welcome) -> None:
        """Accept it."""
        self.talk.most = step.limits.get("max_message_bytes", self.talk.most)
        message = welcome(
            resume_key=RESUME_KEY,
            resumed=bool(self._hello.resume_key) and not step.anew,
            bot="checked",
            limits=step.limits,
        )
        if step.unknown:
            with_unknown(message, step.unknown)
        await self.talk.say(message)

    async def refuse(self, step: steps.Refuse) -> None:
        """Refuse it."""
        refusal = {"reason": step.reason, "message": step.message, "server": "bluke check", "server_protocols": [1]}
        await self.talk.say(message_of({"refusal": refusal}))
        self.talk.stream.end()

    async def cut(self, step: steps.Cut) -> None:
        """End the stream."""
        if step.how == "connection":
            self.relay.cut()
        self.talk.stream.end("UNAVAILABLE" if step.how == "connection" else step.how, "bluke check cuts the stream")

    async def away(self, step: steps.Away) -> None:
        """Be gone for a while."""
        dialled = self.relay.dialled
        await self.relay.set(Door.DROPPED if step.dropped else Door.SHUT)
        self.relay.cut()
        self.talk.stream.end("UNAVAILABLE", "bluke check is gone")
        await self.talk.quiet(step.seconds)
        dialled = self.relay.dialled - dialled
        await self.relay.set(Door.OPEN)
        if step.most and dialled > step.most:
            raise FailedError(
                f"pauses between attempts to dial: at most {step.most} in {step.seconds:g} s", f"{dialled} attempts"
            )

    async def go_away(self, _: steps.GoAway) -> None:
        """Send GOAWAY."""
        await self.referee.go_away(PARTING_SECONDS)

    async def goodbye(self, step: steps.Goodbye) -> None:
        """Say goodbye."""
        self._check_one_stream()
        await self.talk.say(message_of({"goodbye": {"reason": step.reason}}))
        self.talk.stream.end()

    def _check_one_stream(self) -> None:
        if not self.referee.streams.empty():
            raise FailedError("one stream for as long as it is open", "a second stream")

    # What is done with the process

    async def terminate(self, _: steps.Terminate) -> None:
        """Send SIGTERM."""
        self.talk.bot.terminate()

    async def exit(self, step: steps.Exit) -> None:
        """Expect the end of the process."""
        expected = f"the end of the process{EXITS[step.code]}"
        how = await self.talk.end(expected)
        if (step.code == "zero" and how != "exit code 0") or (step.code == "nonzero" and how == "exit code 0"):
            raise FailedError(expected, f"it ended with {how}")
        self._check_shown(step.shows)

    def _check_shown(self, text: str) -> None:
        if text and text not in self.talk.bot.printed():
            raise FailedError(f"that it prints what it was told: {text}", "nothing of this in what it printed")

    async def no_stream(self, step: steps.NoStream) -> None:
        """Expect that it does not dial."""
        began = time.monotonic()
        while not self.talk.death() and time.monotonic() < began + step.seconds:
            await self.talk.quiet(0.05)
            self._check_no_dial()
        self._check_no_dial()

    def _check_no_dial(self) -> None:
        if not self.referee.streams.empty():
            raise FailedError("that it does not dial again", "another stream")

    async def silence(self, step: steps.Silence) -> None:
        """Expect that it stays and says nothing."""
        await self.talk.quiet(step.seconds)
        if death := self.talk.death():
            raise FailedError("a bot that waits", death)
        if not self.talk.stream.heard.empty():
            request = await self.talk.hear("an open stream")
            raise FailedError("silence, since nothing is asked", shown(request))
        self._check_one_stream()

    # What is done with games

    async def start(self, step: steps.Start) -> None:
        """Begin games."""
        for table in self._of(step.games):
            for part in table.game.started():
                await self._tell(part, step.unknown)

    async def _tell(self, part: Any, size: int = 0) -> None:  # noqa: ANN401 - a message of the referee
        message = envelope(part)
        if size:
            with_unknown(message, size)
        await self.talk.say(message)

    async def ask(self, step: steps.Ask) -> None:
        """Ask."""
        turns = []
        for table in self._of(step.games):
            turn = table.game.turn if step.again else table.game.ask(step.kind, step.trick)
            if turn is None and step.again:
                continue
            if turn is None:
                raise ArenaError(f"case {self.case.name}, game {table.label}: there is no such decision")
            turn.again = step.again
            change(turn, step.change)
            turns.append(self._opened(table, turn))
        await self._ask(turns, step.unknown)

    def _opened(self, table: Table, turn: Any) -> Any:  # noqa: ANN401 - a turn
        # Of two games with one id the one that was asked last is meant.
        self._by_id[table.game.game_id] = table
        table.open = True
        return turn

    async def _ask(self, turns: Sequence[Any], size: int = 0) -> None:
        for at in range(0, len(turns), LONGEST_LIST):
            message = message_of({"turns": {}})
            message.turns.turns.extend(turns[at : at + LONGEST_LIST])
            if size:
                with_unknown(message, size)
            await self.talk.say(message)

    async def moves(self, step: steps.Moves) -> None:
        """Expect answers."""
        optional = {id(table) for table in self._of(step.optional)}
        waited = [table for table in self._of(list(self._tables)) if table.open and id(table) not in optional]
        while missing := [table for table in waited if table.open]:
            words = ", ".join(f"{table.game.decision} of {table.game.game_id}" for table in missing[:3])
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            await self._answers(f"legal answers to {len(missing)} decisions: {words}{more}", optional)
        for table in self._of(step.optional):
            table.open = False
        self._check_one_stream()

    async def _answers(self, expected: str, optional: Collection[int]) -> None:
        request = await self.talk.hear(expected)
        if request.WhichOneof("payload") == "error":
            table = self._by_id.get(request.error.game_id)
            if table is not None and id(table) in optional:
                return
        if request.WhichOneof("payload") != "moves":
            raise FailedError(expected, shown(request))
        for move in request.moves.moves:
            self._take(move, expected, optional)

    def _take(self, move: Any, expected: str, optional: Collection[int] = ()) -> None:  # noqa: ANN401 - a move
        table = self._by_id.get(move.game_id)
        if table is None:
            raise FailedError(expected, f"{shown(move)}, and there is no such game")
        if id(table) in optional:
            return
        turn = table.game.turn
        problem = table.game.take(move)
        if problem:
            legal = "" if turn is None else f"; legal: {list(turn.legal)}"
            raise FailedError(expected, f"{shown(move)}, and {problem}{legal}")
        table.open = table.game.turn is not None

    async def hear(self, step: steps.Hear) -> None:
        """Expect some answers, and lose most of them."""
        expected = "a message with answers"
        request = await self.talk.hear(expected)
        if request.WhichOneof("payload") != "moves":
            raise FailedError(expected, shown(request))
        for move in request.moves.moves[: step.take]:
            self._take(move, expected)

    async def play(self, step: steps.Play) -> None:
        """Play games at the same time."""
        left = [table for table in self._of(step.games) if not table.game.over]
        rounds = 0
        while left and not (step.rounds and rounds == step.rounds):
            rounds += 1
            some = self._random.sample(left, self._random.randint(1, len(left)))
            turns = []
            for table in some:
                turn = table.game.ask()
                await self._scores(table, told=step.scores)
                if turn is None:
                    left.remove(table)
                    for part in table.game.finished():
                        await self._tell(part)
                else:
                    turns.append(self._opened(table, turn))
            for one in [[turn] for turn in turns] if step.apart else [turns] if turns else []:
                await self._ask(one)
            await self.moves(steps.Moves())

    async def _scores(self, table: Table, *, told: bool) -> None:
        for part in table.game.scored():
            if told and not self._hello.skips_hand_scored:
                await self._tell(part)

    async def over(self, step: steps.Over) -> None:
        """Tell results."""
        for table in self._of(step.games):
            table.open = False
            for part in table.game.finished(void=step.void, seed=step.seed):
                await self._tell(part)

    async def reveal(self, step: steps.Reveal) -> None:
        """Tell seeds."""
        for table in self._of(step.games):
            for part in table.game.revealed():
                await self._tell(part)

    async def events(self, step: steps.Events) -> None:
        """Tell public events."""
        if self._hello.wants_events:
            for table in self._of(step.games):
                await self._tell(table.game.events())

    async def answer_for(self, step: steps.AnswerFor) -> None:
        """Answer in the bot's place."""
        for table in self._of(step.games):
            table.game.answer_for(fixed=True)
            table.open = False

    async def tell(self, step: steps.Tell) -> None:
        """Say any message."""
        message = message_of(self._filled(step.message))
        if step.unknown:
            with_unknown(message, step.unknown)
        await self.talk.say(message)

    def _filled(self, data: Any) -> Any:  # noqa: ANN401 - JSON
        if isinstance(data, dict):
            return {name: self._filled(value) for name, value in data.items()}
        if isinstance(data, list):
            return [self._filled(value) for value in data]
        if isinstance(data, str) and data.startswith("@"):
            label, _, what = data[1:].partition(".")
            game = self._tables[label][0].game
            return game.decision if what == "decision" else game.game_id
        return data

    async def unknown_payload(self, _: steps.UnknownPayload) -> None:
        """Say what nobody knows."""
        await self.talk.say(unknown(20))
        await self.talk.say(b"")


EXITS = {"zero": " with exit code 0", "nonzero": " with another exit code than 0", "any": ""}


def _protocols(hello: Any, *_: object) -> str:  # noqa: ANN401
    return "" if 1 in hello.protocols else "a hello whose `protocols` has version 1 in it"


def _labels(hello: Any, *_: object) -> str:  # noqa: ANN401
    long = [name for name in ("name", "version", "sdk", "author") if len(getattr(hello, name).encode()) > LABEL_BYTES]
    return f"a hello whose {' and '.join(long)} has at most {LABEL_BYTES} bytes" if long else ""


def _sdk(hello: Any, *_: object) -> str:  # noqa: ANN401
    return "" if SDK.fullmatch(hello.sdk) else "a hello whose `sdk` is NAME/VERSION, or empty"


def _token(hello: Any, _: object, bot: Bot) -> str:  # noqa: ANN401
    return "" if hello.token == bot.token else "a hello whose token is that of BLUKE_TOKEN"


def _no_key(hello: Any, *_: object) -> str:  # noqa: ANN401
    return "a hello without a resume key" if hello.resume_key else ""


def _deadline(_: object, stream: ScriptedStream, __: object) -> str:
    return "" if stream.deadline is None else f"a call without a deadline, and this one has {stream.deadline:.0f} s"


#: What a hello can be looked at for; each says what was expected where it was not found.
CHECKS: Mapping[str, Callable[[Any, ScriptedStream, Bot], str]] = {
    "protocols": _protocols,
    "labels": _labels,
    "sdk": _sdk,
    "token": _token,
    "no_key": _no_key,
    "deadline": _deadline,
}

ACTS: Mapping[type, Callable[[Script, Any], Awaitable[None]]] = {
    steps.Hello: Script.hello,
    steps.Welcome: Script.welcome,
    steps.Refuse: Script.refuse,
    steps.Start: Script.start,
    steps.Ask: Script.ask,
    steps.Moves: Script.moves,
    steps.Hear: Script.hear,
    steps.Play: Script.play,
    steps.Over: Script.over,
    steps.Reveal: Script.reveal,
    steps.Events: Script.events,
    steps.AnswerFor: Script.answer_for,
    steps.Tell: Script.tell,
    steps.UnknownPayload: Script.unknown_payload,
    steps.Cut: Script.cut,
    steps.Away: Script.away,
    steps.GoAway: Script.go_away,
    steps.Silence: Script.silence,
    steps.Goodbye: Script.goodbye,
    steps.Terminate: Script.terminate,
    steps.Exit: Script.exit,
    steps.NoStream: Script.no_stream,
}
