"""The cases: read from the files beside this one, and refused where they are not what they should be."""

from __future__ import annotations

import tomllib
from enum import Enum
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from bluke.arena.config import RulesConfig
from bluke.errors import ArenaError

__all__ = ["Case", "Dial", "GameData", "Step", "load_cases"]


class Dial(Enum):
    """What the bot is given to dial."""

    TCP = "tcp"
    UNIX = "unix"
    #: No address at all.
    NOWHERE = "nowhere"


class GameData(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A game of a script, or several that are alike.

    Attributes:
        seats: how many seats it has.
        rules: its options.
        bot: the seats that the bot has.
        names: the names of the players by seat.
        timed: whether there is a clock.
        first_decision: number of its first decision.
        id: its id; left out, it is made up.
        count: how many games there are of this kind.
    """

    seats: int = 4
    rules: RulesConfig = RulesConfig(max_hand=3)
    bot: tuple[int, ...] = (0,)
    names: list[str] = []
    timed: bool = True
    first_decision: int = 1
    id: str = ""
    count: int = 1


class StepBase(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="do"):
    """One thing that the referee does, or expects of the bot. Games are named by their label in the case."""


class Hello(StepBase, frozen=True, tag="hello"):
    """Expect a stream and its hello.

    Attributes:
        resume: whether it must have the resume key; it must not if this is false.
        checks: what else is looked at; see `script.CHECKS`.
        or_exit: whether the bot may also end, having shown this text; nothing more is done then.
    """

    resume: bool = False
    checks: list[str] = []
    or_exit: str = ""


class Welcome(StepBase, frozen=True, tag="welcome"):
    """Accept the hello.

    Attributes:
        anew: whether this is a new beginning, though the hello had the resume key.
        limits: some of the stream's limits, instead of the usual ones.
        unknown: adds fields that nobody knows, of so many bytes.
    """

    anew: bool = False
    limits: dict[str, int] = {}
    unknown: int = 0


class Refuse(StepBase, frozen=True, tag="refuse"):
    """Refuse the hello and end the stream."""

    reason: str | int
    message: str


class Start(StepBase, frozen=True, tag="start"):
    """Tell the bot that games begin."""

    games: list[str]
    unknown: int = 0


class Ask(StepBase, frozen=True, tag="ask"):
    """Ask the next decision of the bot in each of these games, all in one message.

    Attributes:
        kind: ask no sooner than at a `cut`, `bid` or `play`.
        trick: ask no sooner than in this trick of a hand, from 0.
        again: ask those decisions that are open once more.
        change: fields of the turn that are set to something else, in their JSON form.
        unknown: adds fields that nobody knows, of so many bytes.
    """

    games: list[str]
    kind: str = ""
    trick: int = 0
    again: bool = False
    change: dict[str, Any] = {}
    unknown: int = 0


class Moves(StepBase, frozen=True, tag="moves"):
    """Expect legal answers to the open decisions; in the games of `optional` none need come."""

    optional: list[str] = []


class Hear(StepBase, frozen=True, tag="hear"):
    """Expect one message with answers, take the first few of them, and lose the rest."""

    take: int = 0


class Play(StepBase, frozen=True, tag="play"):
    """Play games at the same time, in lists of turns of all sizes, to their end and with their results.

    Attributes:
        rounds: ends after so many lists instead; 0 for no such end.
        apart: whether each turn has a message of its own.
        scores: whether the bot is told what each hand has scored.
    """

    games: list[str]
    rounds: int = 0
    apart: bool = False
    scores: bool = True


class Over(StepBase, frozen=True, tag="over"):
    """Tell the results of games; `seed` says whether the seed is in them."""

    games: list[str]
    void: bool = False
    seed: bool = True


class Reveal(StepBase, frozen=True, tag="reveal"):
    """Tell the seeds of games."""

    games: list[str]


class Events(StepBase, frozen=True, tag="events"):
    """Tell all public events of games so far, to a bot that wants events."""

    games: list[str]


class AnswerFor(StepBase, frozen=True, tag="answer_for"):
    """Answer the open decisions in the bot's place, as after a fault."""

    games: list[str]


class Tell(StepBase, frozen=True, tag="tell"):
    """Say any message, in its JSON form; `@a` in a text is the id of game `a`, `@a.decision` its newest decision."""

    message: dict[str, Any]
    unknown: int = 0


class UnknownPayload(StepBase, frozen=True, tag="unknown_payload"):
    """Say a message whose payload nobody knows, and an empty one."""


class Cut(StepBase, frozen=True, tag="cut"):
    """End the stream: with a status, or by cutting the connection."""

    how: str = "connection"


class Away(StepBase, frozen=True, tag="away"):
    """Be gone for some time and come back on the same port.

    Attributes:
        seconds: how long.
        dropped: whether connections are taken and dropped meanwhile, instead of refused.
        most: how often the bot may dial meanwhile; 0 for any number.
    """

    seconds: float
    dropped: bool = False
    most: int = 0


class GoAway(StepBase, frozen=True, tag="go_away"):
    """Send GOAWAY on the connection; the stream goes on."""


class Silence(StepBase, frozen=True, tag="silence"):
    """Say nothing for some time, and expect that the bot stays and says nothing either."""

    seconds: float


class Goodbye(StepBase, frozen=True, tag="goodbye"):
    """Say goodbye and end the stream."""

    reason: str = "no more games"


class Terminate(StepBase, frozen=True, tag="terminate"):
    """Send SIGTERM to the bot."""


class Exit(StepBase, frozen=True, tag="exit"):
    """Expect that the bot's process ends.

    Attributes:
        code: `zero`, `nonzero` or `any`.
        shows: what it must have printed.
    """

    code: str = "zero"
    shows: str = ""


class NoStream(StepBase, frozen=True, tag="no_stream"):
    """Expect that the bot does not dial again for so long; it may end."""

    seconds: float


class StrictGame(StepBase, frozen=True, tag="strict_game"):
    """A whole game of the real referee that the first fault ends, the bot in every seat: the only step of its case."""

    seats: int = 4
    rules: RulesConfig = RulesConfig()


Step = (
    Hello
    | Welcome
    | Refuse
    | Start
    | Ask
    | Moves
    | Hear
    | Play
    | Over
    | Reveal
    | Events
    | AnswerFor
    | Tell
    | UnknownPayload
    | Cut
    | Away
    | GoAway
    | Silence
    | Goodbye
    | Terminate
    | Exit
    | NoStream
    | StrictGame
)


class Case(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One thing that a bot is held to.

    Attributes:
        name: its name, unique.
        about: what is done, in a few words.
        section: the section of `docs/protocol.md` that asks for it.
        sentence: the words of that section.
        steps: the script.
        games: the games of the script by label.
        dial: what the bot is given to dial.
    """

    name: str
    about: str
    section: str
    sentence: str
    steps: list[Step]
    games: dict[str, GameData] = {}
    dial: Dial = Dial.TCP


class CaseFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One file of cases."""

    case: list[Case]


@cache
def load_cases() -> tuple[Case, ...]:
    """Every case, in the order of the files and of their lines.

    Raises:
        ArenaError: a file is not what it should be.
    """
    folder = resources.files(__package__) / "cases"
    cases: list[Case] = []
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            try:
                cases += msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), CaseFile).case
            except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
                raise ArenaError(f"{file}: {error}") from None
    return tuple(cases)
