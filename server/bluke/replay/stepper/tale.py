"""What the stepper shows of a game, and the names of moments in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bluke.errors import ConfigError
from bluke.replay.page.steps import Kind, story
from bluke.replay.records import REGRET
from bluke.replay.steps import parse_moment
from bluke.replay.text import visible
from bluke.rules import Asked
from bluke.wire.values import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.replay.page.steps import FaultPart, HandPart, Step
    from bluke.replay.reader import Replay
    from bluke.replay.steps import Moment

__all__ = ["Tale", "address", "find", "hand_so_far", "is_fault", "is_regret", "is_set", "on_table", "tale_of"]

ASKED = {Kind.DEAL: Asked.CUT, Kind.BID: Asked.BID, Kind.PLAY: Asked.PLAY}


@dataclass(frozen=True, slots=True)
class Tale:
    """A game, made ready to be shown; all text is visible text.

    Attributes:
        file: the name of its file.
        names: of the bots, by seat.
        schedule: the size of every hand of the game.
        rounds: the rounds of the draw, each of `(seat, card)`.
        dealer: who won the draw, `None` if the file ends before it.
        keeper: the scorekeeper, likewise.
        hands: those that were dealt.
        steps: the table after every line, with their numbers; the last one is the end.
        faults: all faults.
        places: by seat, `None` if nobody was placed.
        ending: how the game ended if it was not complete, as a sentence; empty otherwise.
        problems: what is wrong with the file.
    """

    file: str
    names: tuple[str, ...]
    schedule: tuple[int, ...]
    rounds: tuple[tuple[tuple[int, str], ...], ...]
    dealer: int | None
    keeper: int | None
    hands: tuple[HandPart, ...]
    steps: tuple[Step, ...]
    faults: tuple[FaultPart, ...]
    places: tuple[int, ...] | None
    ending: str
    problems: tuple[str, ...]


def tale_of(replay: Replay) -> Tale:
    """Make a game ready to be shown.

    Raises:
        ReplayFileError: it holds a move that the rules refuse.
    """
    told = story(replay)
    return Tale(
        file=visible(replay.path.name),
        names=told.names,
        schedule=told.schedule,
        rounds=told.rounds,
        dealer=told.dealer,
        keeper=told.keeper,
        hands=told.hands,
        steps=told.steps,
        faults=told.faults,
        places=told.places,
        ending=_ending(replay),
        problems=tuple(map(str, replay.problems)),
    )


def _ending(replay: Replay) -> str:
    end = replay.end
    if end is None:
        told = sum(hand.score is not None for hand in replay.hands)
        return f"The game was not finished: the file holds {told} of {len(replay.header.rules.schedule)} hands."
    reason = f": {visible(end.reason)}" if end.reason else ""
    return {
        Status.COMPLETE: "",
        Status.FORFEITED: f"The game was forfeited{reason}.",
        Status.VOID: f"The game is void and was not counted{reason}.",
    }[end.status]


# Parts of it


def hand_so_far(tale: Tale, at: int) -> Sequence[Step]:
    """The steps of the hand that is on the table at a step, up to that step."""
    hand = tale.steps[at].hand
    first = at
    while first > 0 and tale.steps[first - 1].hand == hand:
        first -= 1
    return [step for step in tale.steps[first : at + 1] if step.kind is not Kind.END]


def on_table(tale: Tale, at: int) -> Sequence[Step]:
    """The plays to the trick that lies on the table at a step, in order."""
    shown = tale.steps[at].shown
    return [step for step in hand_so_far(tale, at) if step.kind is Kind.PLAY][-shown:] if shown else []


# What there is to jump to


def is_set(_tale: Tale, step: Step, view: int | None) -> bool:
    """Whether somebody was set, or the seat `view`."""
    return "S" in (step.outcomes if view is None else step.outcomes[view : view + 1])


def is_fault(tale: Tale, step: Step, view: int | None) -> bool:
    """Whether a fault led to this step, one of the seat `view` if it is given."""
    return any(view in {None, tale.faults[number].seat} for number in step.faults)


def is_regret(_tale: Tale, step: Step, view: int | None) -> bool:
    """Whether the note tells a regret, one of the seat `view` if it is given."""
    return step.note.startswith(REGRET) and view in {None, step.seat}


# Moments


def address(step: Step) -> str:
    """The name of a step: of a decision as `bluke.replay.steps.Moment` has it, else as the page has it."""
    if step.kind is Kind.DEAL and step.seat is not None:
        return f"{step.hand}.cut"
    return step.at


def find(tale: Tale, text: str, seat: int | None = None) -> int:
    """The number of the step that a person named; with `seat`, a decision is the first one of that seat.

    Besides the moments of `parse_moment` there are `3` for a deal, `3.score`, `draw` and `end`.

    Raises:
        ConfigError: there is no such step.
    """
    name = text.strip().removeprefix("#")
    named = {step.at: number for number, step in enumerate(tale.steps)}
    if name in named and tale.steps[named[name]].kind not in {Kind.BID, Kind.PLAY}:
        return named[name]
    moment = parse_moment(name)
    for number, step in enumerate(tale.steps):
        if _is_at(step, moment) and seat in {None, step.seat}:
            return number
    whose = "" if seat is None else f" of seat {seat}"
    last = f"hands 0 to {len(tale.hands) - 1}" if tale.hands else "no hand"
    msg = f"there is no moment {moment}{whose}: the file has {last}"
    raise ConfigError(msg)


def _is_at(step: Step, moment: Moment) -> bool:
    if step.hand != moment.hand or ASKED.get(step.kind) is not moment.asked:
        return False
    if step.kind is Kind.PLAY:
        return step.trick == moment.trick and moment.which in {None, step.shown - 1}
    return step.seat is not None and moment.which in {None, step.seat}
