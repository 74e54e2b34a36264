from __future__ import annotations

from dataclasses import replace

import pytest
from replay.stepper.games import GAMES, tale

from bluke.errors import ConfigError
from bluke.replay.page.steps import Kind
from bluke.replay.stepper.course import HELP, KEYS, Panel, State, go_to, press, start
from bluke.replay.stepper.tale import find


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A game with sets, faults and regrets."""
    return tale(tmp_path_factory.mktemp("course"), "hostile")


def walk(told, state: State, key: str) -> list[int]:
    """The steps that a key leads through until it leads no further."""
    found = []
    while (after := press(told, state, key)).at != state.at:
        found.append(after.at)
        state = after
    assert after.told != ""
    return found


def where(told, fits) -> list[int]:
    return [at for at, step in enumerate(told.steps) if fits(step)]


@pytest.mark.parametrize("name", GAMES)
def test_step_by_step(tmp_path, name):
    """The arrows lead through all steps and back, and say when there is no more."""
    told = tale(tmp_path, name)
    last = len(told.steps) - 1
    assert walk(told, State(), "right") == list(range(1, last + 1))
    assert walk(told, State(at=last), "left") == list(range(last - 1, -1, -1))
    assert press(told, State(at=last), "right").told == "This is the end."
    assert press(told, State(), "left").told == "This is the beginning."
    assert press(told, State(at=1), "end").at == last
    assert press(told, State(at=last), "home").at == 0


def test_from_hand_to_hand(hostile):
    """Up and down lead to the beginnings of hands, and to both ends of the game."""
    starts = where(hostile, lambda step: step.kind in {Kind.DEAL, Kind.END})
    assert walk(hostile, State(), "down") == starts
    assert walk(hostile, State(at=len(hostile.steps) - 1), "up") == [*reversed(starts[:-1]), 0]


@pytest.mark.parametrize("view", [None, 0, 1, 2, 3])
def test_jumps(hostile, view):
    """Sets, faults and regrets are found in both directions; with a seat's view only that seat's."""
    whose = {None, view}
    kinds = {
        "np": where(hostile, lambda s: "S" in (s.outcomes if view is None else s.outcomes[view : view + 1])),
        "fF": where(hostile, lambda s: any(view in {None, hostile.faults[number].seat} for number in s.faults)),
        "rR": where(hostile, lambda s: s.note.startswith("regret ") and (view is None or s.seat in whose)),
    }
    for keys, steps in kinds.items():
        assert walk(hostile, State(view=view), keys[0]) == steps
        assert walk(hostile, State(at=len(hostile.steps) - 1, view=view), keys[1]) == steps[::-1]


def test_each_jump_has_somewhere_to_go(hostile):
    """The game of these tests has sets, faults and regrets, so that no jump is tested on nothing."""
    assert all(walk(hostile, State(), key) for key in "nfr")


def test_the_end_of_a_jump_is_told(hostile):
    """A jump that finds nothing stays and says so, with the seat if it is one's."""
    end = State(at=len(hostile.steps) - 1)
    assert press(hostile, end, "n").told == "No more sets."
    assert press(hostile, State(view=2), "F").told == "No earlier faults of seat 2."
    assert press(hostile, press(hostile, end, "n"), "left").told == ""


def test_views(hostile):
    """`v` looks with the seat that moved and back; `s` goes round the table, and the seat is remembered."""
    play = next(at for at, step in enumerate(hostile.steps) if step.kind is Kind.PLAY and step.seat == 2)
    seen = press(hostile, State(at=play), "v")
    assert seen.view == 2
    assert press(hostile, seen, "v").view is None
    assert press(hostile, seen, "s").view == 3
    assert press(hostile, press(hostile, seen, "s"), "s").view == 0
    assert press(hostile, press(hostile, seen, "s"), "S").view == 2
    after = press(hostile, press(hostile, seen, "s"), "v")
    assert (after.view, press(hostile, replace(after, at=0), "v").view) == (None, 3)
    assert press(hostile, State(), "v").view == 0


def test_panels_go_round(hostile):
    """Tab goes through the panels that there are, and shift with tab back."""
    state = State(panels=(Panel.TABLE, Panel.HAND, Panel.SAID))
    seen = []
    for _ in range(4):
        state = press(hostile, state, "tab")
        seen.append(state.panel)
    assert seen == [Panel.HAND, Panel.SAID, Panel.TABLE, Panel.HAND]
    assert press(hostile, press(hostile, state, "shift+tab"), "shift+tab").panel is Panel.SAID


def test_scrolling_is_for_one_step(hostile):
    """A page key moves the panel, and the next step shows the present again."""
    state = press(hostile, State(), "pagedown")
    assert state.scroll > 0
    assert press(hostile, state, "pageup").scroll == 0
    assert press(hostile, state, "right").scroll == 0


def test_help_is_closed_by_any_key(hostile):
    """The key that closes the help does nothing else."""
    state = press(hostile, State(at=5), "?")
    assert state.help
    assert press(hostile, state, "right") == State(at=5)


def test_the_help_has_every_key():
    """Each key stands in the help, under the name that keyboards have for it."""
    words = {word for keys, _ in HELP for word in keys.split()} - {"or"}
    names = {"pagedown": "pgdn", "pageup": "pgup"}
    own = {"g", "/", "q"}
    assert words == {names.get(key, key) for key in KEYS.keys() - {"?", "shift+tab"}} | own


def test_keys_that_do_nothing(hostile):
    """Any other key changes nothing."""
    state = State(at=3, told="x")
    for key in ("x", "escape", "enter", "f1", ""):
        assert press(hostile, state, key) is state


def test_going_to_a_moment(hostile):
    """A moment that is typed is gone to, for the seat that is looked with; what is none is said."""
    assert go_to(hostile, State(), "1.0").at == find(hostile, "1.0.0")
    seen = go_to(hostile, State(view=3), "1.0")
    assert (hostile.steps[seen.at].seat, hostile.steps[seen.at].trick) == (3, 0)
    assert go_to(hostile, State(at=3, told="x"), " ") == State(at=3)
    refused = go_to(hostile, State(at=3), "99.0")
    assert refused.at == 3
    assert "hands 0 to 6" in refused.told


def test_where_to_begin(hostile):
    """A seat and a moment may be asked for; those that are not there are refused."""
    state = start(hostile, seat=1, at="1.0")
    assert (state.view, hostile.steps[state.at].seat) == (1, 1)
    assert start(hostile) == State()
    with pytest.raises(ConfigError, match="seats are 0 to 3"):
        start(hostile, seat=4)
    with pytest.raises(ConfigError, match="no moment"):
        start(hostile, at="9.9")
