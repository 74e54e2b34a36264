"""Where a reader of a game stands, and where each key leads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from bluke.errors import ConfigError
from bluke.replay.page.steps import Kind
from bluke.replay.stepper.tale import find, is_fault, is_regret, is_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from bluke.replay.page.steps import Step
    from bluke.replay.stepper.tale import Tale

__all__ = ["HELP", "KEYS", "Panel", "State", "go_to", "press", "start"]


class Panel(Enum):
    """What is shown below the table."""

    TABLE = "table"
    HAND = "hand"
    SHEET = "sheet"
    SAID = "said"
    FAULTS = "faults"


@dataclass(frozen=True, slots=True)
class State:
    """Where a reader stands.

    Attributes:
        at: the number of the step.
        view: the seat whose cards and notes alone are seen; `None` for all.
        seat: the seat whose view was chosen; `None` for the one that moved.
        panel: what is shown below the table; `None` for the first that there is room for.
        scroll: lines that the panel is moved down from where it shows the present.
        panels: the panels that the terminal has room for; `panel` is one of them.
        help: whether the keys are shown instead.
        told: what the last key has to say, for example that there is nothing more.
    """

    at: int = 0
    view: int | None = None
    seat: int | None = None
    panel: Panel | None = None
    scroll: int = 0
    panels: tuple[Panel, ...] = (Panel.HAND, Panel.SHEET, Panel.SAID, Panel.FAULTS)
    help: bool = False
    told: str = ""


def start(tale: Tale, *, seat: int | None = None, at: str | None = None) -> State:
    """Where to begin: with all cards shown, or those of a seat alone.

    Raises:
        ConfigError: there is no such seat, or no such moment.
    """
    if seat is not None and seat >= len(tale.names):
        msg = f"there is no seat {seat}: seats are 0 to {len(tale.names) - 1}"
        raise ConfigError(msg)
    return State(at=0 if at is None else find(tale, at, seat), view=seat, seat=seat)


def press(tale: Tale, state: State, key: str) -> State:
    """What a key does; one that does nothing changes nothing."""
    if state.help:
        return replace(state, help=False)
    act = KEYS.get(key)
    return state if act is None else act(tale, replace(state, told=""))


def go_to(tale: Tale, state: State, text: str) -> State:
    """Go to the moment that was written, of the seat whose view it is if there is one."""
    if not text.strip():
        return replace(state, told="")
    try:
        return _stand(state, find(tale, text, state.view))
    except ConfigError as error:
        return replace(state, told=str(error))


def _stand(state: State, at: int) -> State:
    return replace(state, at=at, scroll=0, told="")


def _by(steps: int) -> Callable[[Tale, State], State]:
    def act(tale: Tale, state: State) -> State:
        at = state.at + steps
        if not 0 <= at < len(tale.steps):
            return replace(state, told="This is the end." if steps > 0 else "This is the beginning.")
        return _stand(state, at)

    return act


def _first(_tale: Tale, state: State) -> State:
    return _stand(state, 0)


def _last(tale: Tale, state: State) -> State:
    return _stand(state, len(tale.steps) - 1)


def _starts(_tale: Tale, step: Step, _view: int | None) -> bool:
    return step.kind in {Kind.DEAL, Kind.END} or step.at == "draw"


def _jump(fits: Callable[[Tale, Step, int | None], bool], way: int, what: str) -> Callable[[Tale, State], State]:
    """To the next step of a kind; `way` is 1 or -1."""

    def act(tale: Tale, state: State) -> State:
        last = len(tale.steps) if way > 0 else -1
        for at in range(state.at + way, last, way):
            if fits(tale, tale.steps[at], state.view):
                return _stand(state, at)
        whose = "" if state.view is None else f" of seat {state.view}"
        return replace(state, told=f"No {'more' if way > 0 else 'earlier'} {what}{whose}.")

    return act


def _view(tale: Tale, state: State) -> State:
    """From all cards to those of a seat, and back."""
    if state.view is not None:
        return replace(state, view=None, scroll=0, told="All cards.")
    return _look(tale, state, _seat(tale, state))


def _seat(tale: Tale, state: State) -> int:
    """The seat that was chosen, or else the one that moved, or is to move."""
    step = tale.steps[state.at]
    return next((seat for seat in (state.seat, step.seat, step.turn) if seat is not None), 0)


def _look(tale: Tale, state: State, seat: int) -> State:
    told = f"Only what seat {seat} {tale.names[seat]} saw."
    return replace(state, view=seat, seat=seat, scroll=0, told=told)


def _turn_seat(by: int) -> Callable[[Tale, State], State]:
    def act(tale: Tale, state: State) -> State:
        seat = _seat(tale, state) if state.view is None else state.view + by
        return _look(tale, state, seat % len(tale.names))

    return act


def _turn_panel(by: int) -> Callable[[Tale, State], State]:
    def act(_tale: Tale, state: State) -> State:
        panels = state.panels
        at = panels.index(state.panel) if state.panel in panels else 0
        return replace(state, panel=panels[(at + by) % len(panels)], scroll=0)

    return act


def _scroll(by: int) -> Callable[[Tale, State], State]:
    return lambda _tale, state: replace(state, scroll=state.scroll + by)


def _help(_tale: Tale, state: State) -> State:
    return replace(state, help=True)


#: Lines that a page key scrolls.
PAGE = 5

KEYS: dict[str, Callable[[Tale, State], State]] = {
    "right": _by(1),
    "left": _by(-1),
    "home": _first,
    "end": _last,
    "down": _jump(_starts, 1, "hands"),
    "up": _jump(_starts, -1, "hands"),
    "n": _jump(is_set, 1, "sets"),
    "p": _jump(is_set, -1, "sets"),
    "f": _jump(is_fault, 1, "faults"),
    "F": _jump(is_fault, -1, "faults"),
    "r": _jump(is_regret, 1, "regrets"),
    "R": _jump(is_regret, -1, "regrets"),
    "v": _view,
    "s": _turn_seat(1),
    "S": _turn_seat(-1),
    "tab": _turn_panel(1),
    "shift+tab": _turn_panel(-1),
    "pagedown": _scroll(PAGE),
    "pageup": _scroll(-PAGE),
    "?": _help,
}

#: The keys and what they do, for the help; `g`, `/` and `q` are the application's.
HELP = (
    ("right left", "one step on, one step back"),
    ("down up", "next hand, previous hand"),
    ("home end", "the beginning, the end"),
    ("n p", "next set, previous set"),
    ("f F", "next fault, previous fault"),
    ("r R", "next regret, previous regret"),
    ("v", "only what one seat saw, or all cards"),
    ("s S", "the next seat, the previous seat to look with"),
    ("tab", "the next panel: hand, sheet, said, faults"),
    ("pgdn pgup", "move within the panel"),
    ("g or /", "go to a moment: 3.7 is trick 7 of hand 3, 3.7.2 its third card,"),
    ("", "3.bid its first bid, 3.bid.2 the bid of seat 2, 3 the deal,"),
    ("", "3.score, draw, end; all count from 0"),
    ("q", "quit"),
)
