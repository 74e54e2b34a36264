from __future__ import annotations

from dataclasses import replace

import pytest
from replay.stepper.games import tale

from bluke.replay.stepper.course import KEYS, State, press, start
from bluke.replay.stepper.screen import screen, settle
from bluke.replay.stepper.tale import find

pytest.importorskip("textual")

from bluke.replay.stepper.app import Stepper

#: Keys that textual calls otherwise.
NAMES = {"?": "question_mark"}


@pytest.fixture(scope="module")
def tales(tmp_path_factory):
    """A game for two, four and fifteen seats, with hostile text."""
    return {name: tale(tmp_path_factory.mktemp("app"), name) for name in ("two", "hostile", "fifteen")}


def lines(app: Stepper) -> list[str]:
    """What stands in the terminal, read off the screen that textual composed."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    assert len(strips) == height
    return ["".join(segment.text for segment in strip)[:width].rstrip() for strip in strips]


def expected(told, state: State, columns: int, rows: int) -> list[str]:
    settled = settle(told, state, columns, rows)
    return ["".join(piece.text for piece in line).rstrip() for line in screen(told, settled, columns, rows)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size"), [("two", (80, 24)), ("fifteen", (80, 24)), ("hostile", (120, 40)), ("hostile", (40, 12))]
)
async def test_every_key(tales, name, size):
    """Every key of the table does in the terminal what it does there, and the terminal shows just that."""
    told = tales[name]
    app = Stepper(told, start(told, at="1.0"))
    state = settle(told, start(told, at="1.0"), *size)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert lines(app) == expected(told, state, *size)
        for key in [*KEYS, "x", *KEYS]:
            await pilot.press(NAMES.get(key, key))
            state = settle(told, press(told, state, key), *size)
            assert app.picture.state == state, key
            assert lines(app) == expected(told, state, *size), key


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
async def test_quitting(tales, key):
    """The application ends by `q`, and as programs in a terminal do."""
    app = Stepper(tales["hostile"], State())
    async with app.run_test() as pilot:
        await pilot.press(key)
        await pilot.pause()
        assert not app.is_running
    assert app.return_code == 0


@pytest.mark.parametrize("key", ["g", "slash"])
async def test_going_to_a_moment(tales, key):
    """A moment may be typed; the keys are then those of the line, and Escape closes it."""
    told = tales["hostile"]
    app = Stepper(told, State(at=3))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key, *"1.0", "enter")
        assert app.picture.state.at == find(told, "1.0")
        await pilot.press("right")
        assert app.picture.state.at == find(told, "1.0") + 1
        await pilot.press(key, "q", "right", "escape", "left")
        assert app.picture.state.at == find(told, "1.0")
        await pilot.press(key, *"99.9", "enter")
        await pilot.pause()
        assert lines(app)[-1] == " there is no moment 99.9: the file has hands 0 to 6"
        assert lines(app)[:-1] == expected(told, replace(app.picture.state, told=""), 80, 24)[:-1]


async def test_the_line_stands_below_the_picture(tales):
    """While a moment is typed the picture keeps its lines but the last."""
    told = tales["hostile"]
    app = Stepper(told, State(at=3))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g")
        await pilot.pause()
        assert lines(app)[:-1] == expected(told, State(at=3), 80, 23)
        assert lines(app)[-1].strip().startswith("go to 3.7")


async def test_another_size(tales):
    """When the terminal changes its size the lines are shared out anew."""
    told = tales["hostile"]
    app = Stepper(told, State(at=9))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.resize_terminal(130, 45)
        await pilot.pause()
        assert lines(app) == expected(told, State(at=9), 130, 45)


async def test_names_are_not_markup(tales):
    """What looks like markup, in names or notes, stands there as text."""
    told = replace(tales["hostile"], names=("[bold]x[/bold]", "[@click=app.quit]y[/]", ":smile:", "[/]"))
    app = Stepper(told, State(at=3))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        text = "\n".join(lines(app))
        for name in ("[bold]x[/bold]", "[@click=app.q~", ":smile:", " [/] "):
            assert name in text
        assert lines(app) == expected(told, State(at=3), 100, 30)
