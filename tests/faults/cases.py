"""What every bad bot costs, as data: the tests hold it against real processes, and the docs show it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from bad_bot import BEHAVIOURS

from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CASES", "MAX_FAULTS", "STARTS", "Case", "Start", "Whose", "page_table"]

#: A seat with so many faults is played out.
MAX_FAULTS = 2
#: What the seats of a silent bot have for a decision; those of the healthy ones have a minute more.
SHORT_CLOCK_MS = 100
#: Where nobody comes back it need not be long.
SHORT_GRACE_MS = 50


class Whose(Enum):
    """Which seats are charged in a game in which the bad bot has all of them."""

    NOBODY = "nobody"
    #: The one whose decision it was.
    ASKED = "the seat that was asked"
    EVERY = "every seat"


@dataclass(frozen=True)
class Case:
    """What a bot that is in the game does, and what follows.

    Attributes:
        kind: the one cause that is charged; `None` for none.
        faults: how often, to one seat in one lenient game.
        gone: whether the bot is gone afterwards, so that its seats are played out.
        alone: whose the faults are when the bot plays against itself.
        words: what the fault says, among other things.
        hurried: whether its seats have the short clock.
        brief: whether its grace time is short.
        leaves: whether it is gone before the next game begins, though perhaps with nothing to be charged.
        notices: what it is told of its moves in one lenient game with others.
    """

    kind: FaultKind | None = None
    faults: int = 1
    gone: bool = False
    alone: Whose = Whose.NOBODY
    words: str = ""
    hurried: bool = False
    brief: bool = False
    leaves: bool = False
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Start:
    """What a bot does that does not get as far as a game.

    Attributes:
        words: what the run says when it ends before its first game.
        raced: whether the bot may have been welcomed before it ended, and is charged then.
    """

    words: tuple[str, ...]
    raced: bool = False


def crash(words: str, **more: object) -> Case:
    return Case(FaultKind.CRASH, gone=True, alone=Whose.EVERY, words=words, leaves=True, **more)  # type: ignore[arg-type]


def lost(words: str, *, brief: bool = True) -> Case:
    return Case(FaultKind.DISCONNECTED, gone=True, alone=Whose.EVERY, words=words, leaves=True, brief=brief)


def breach(words: str) -> Case:
    words = f"the referee ended the stream: {words}"
    return Case(FaultKind.PROTOCOL, gone=True, alone=Whose.EVERY, words=words, leaves=True, brief=True)


def silent(*notices: str) -> Case:
    words = f"no answer within {SHORT_CLOCK_MS} ms"
    return Case(FaultKind.TIMEOUT, MAX_FAULTS, alone=Whose.EVERY, words=words, hurried=True, notices=notices)


def wrong(kind: FaultKind, words: str, *notices: str, alone: Whose = Whose.ASKED) -> Case:
    return Case(kind, alone=alone, words=words, notices=notices)


ENDED = "the bot's process ended with exit code 7"
AWAY = "the stream ended, and nobody came back within 0.05 s"

STARTS: dict[str, Start] = {
    "no-dial": Start(("did not say hello within", "its last words on stderr: none")),
    "no-hello": Start(("ended with exit code 1", "| the stream ended: DEADLINE_EXCEEDED: no hello within")),
    "future-version": Start(("ended with exit code 1", "| refused: no protocol version in common", "speaks 7, 8")),
    "wrong-token": Start(("ended with exit code 1", "| refused: the token is unknown or was revoked")),
    "long-name": Start(("ended with exit code 1", "| refused: the name in the hello has 65 bytes")),
    "crash-before-hello": Start(("ended with exit code 7", "| crash on purpose")),
    "crash-at-hello": Start(("ended with exit code 7", "| crash on purpose"), raced=True),
}

CASES: dict[str, Case] = {
    "crash-after-hello": crash(ENDED),
    "crash-in-bid": crash(ENDED),
    "crash-in-play": crash(ENDED),
    "crash-between-games": Case(leaves=True),
    "crash-with-children": crash(ENDED),
    "exit": crash("the bot's process ended with exit code 0"),
    "own-error": Case(FaultKind.CRASH, alone=Whose.ASKED, words="the bot's own code failed: ValueError: on purpose"),
    "stall": silent(),
    "frozen": silent(),
    "never-reads": silent(),
    "late-by-a-hair": silent("stale", "stale"),
    "late-by-a-lot": silent("stale", "stale"),
    "illegal-card": wrong(FaultKind.ILLEGAL, "does not follow", "illegal"),
    "card-not-held": wrong(FaultKind.ILLEGAL, "does not hold", "illegal"),
    "no-such-card": wrong(FaultKind.ILLEGAL, "there is no card 4000000000", "illegal"),
    "bid-zero": wrong(FaultKind.ILLEGAL, "a bid of 0", "illegal"),
    "bid-million": wrong(FaultKind.ILLEGAL, "a bid of 1000000", "illegal"),
    "wrong-kind": wrong(FaultKind.PROTOCOL, "asks for a bid, and the move holds a card", "malformed"),
    "no-answer": wrong(FaultKind.PROTOCOL, "asks for a bid, and the move holds no answer", "malformed"),
    # Against itself the other seat is its own, and that decision is over.
    "another-seat": wrong(FaultKind.PROTOCOL, "which is not this bot's", "malformed", "stale", alone=Whose.NOBODY),
    "another-game": Case(notices=("malformed",)),
    "over-decision": Case(notices=("stale",)),
    "same-twice": Case(notices=("stale",)),
    "several-answers": Case(notices=("stale", "stale")),
    "garbage": breach("11 bytes that are not a PlayRequest"),
    "hello-twice": breach("hello may not be said by the bot on a stream that is open"),
    "too-long": breach("a message of 100"),
    "flood": breach("more than 1000 moves or errors in a row that answer no open decision"),
    "goodbye": lost("the bot left: enough", brief=False),
    "vanish": lost(AWAY),
    "half-close": lost(AWAY),
    "come-back": Case(),
    "hundred-streams": Case(),
    "prints": Case(),
    "children": Case(),
    "daemon": Case(),
    "stubborn": Case(),
}


def page_table() -> str:
    """The tables of the page on reliability."""
    starts = [(name, BEHAVIOURS[name].what, _quoted(start)) for name, start in STARTS.items()]
    cases = [(name, BEHAVIOURS[name].what, *_cells(case)) for name, case in CASES.items()]
    return (
        "Bots that do not get as far as a game, and what is said when the run does not begin:\n\n"
        + _table(("bot", "what it does", "the error says, among other things"), starts)
        + "\nOthers, in a game:\n\n"
        + _table(
            (
                "bot",
                "what it does",
                "charged to its seat",
                "`lenient`: its seat",
                "`lenient`: the others see",
                "`strict`: the others see",
                "alone, charged is",
            ),
            cases,
        )
    )


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *((f"`{name}`", *rest) for name, *rest in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _quoted(start: Start) -> str:
    words = "; ".join(f'"{words.removeprefix("| ")}"' for words in start.words)
    return words + ("; or it was welcomed first, and is charged as `crash` in its game" if start.raced else "")


def _cells(case: Case) -> tuple[str, ...]:
    if case.kind is None:
        after = "; it is started again" if case.leaves else ""
        return "nothing", f"plays on{after}", "their game", "their game", Whose.NOBODY.value
    kind = f"`{case.kind.value}`"
    times = {1: "once", 2: "twice"}[case.faults]
    seat = "played out, last" if case.gone or case.faults == MAX_FAULTS else "plays on"
    if case.leaves:
        seat += "; it is started again"
    lenient = f"{kind} {times}, and their whole game"
    return f"{kind}, {times}", seat, lenient, f"{kind}, and the end: it is last", case.alone.value
