"""The stepper as an application of textual: it waits for keys, and shows what `screen` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import App
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input

from bluke.replay.stepper.course import go_to, press
from bluke.replay.stepper.screen import LOOKS, screen, settle

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from bluke.replay.stepper.course import State
    from bluke.replay.stepper.tale import Tale

__all__ = ["Stepper"]

#: Keys that textual names otherwise than `bluke.replay.stepper.course.KEYS`.
KEYS = {"question_mark": "?"}


class Picture(Widget, can_focus=True):
    """Everything but the line in which a moment is typed."""

    def __init__(self, tale: Tale, state: State) -> None:
        super().__init__()
        self.tale = tale
        self.state = state

    def render(self) -> Text:
        """The screen as text; never markup, which names and notes could hold."""
        lines = screen(self.tale, self.state, *self.size)
        parts = [Text.assemble(*((piece.text, LOOKS[piece.style]) for piece in line)) for line in lines]
        return Text("\n", no_wrap=True, overflow="crop").join(parts)

    def show(self, state: State) -> None:
        """Show another state."""
        self.state = settle(self.tale, state, *self.size)
        self.refresh()

    def on_resize(self) -> None:
        """Share out the lines anew."""
        self.show(self.state)

    def on_key(self, event: events.Key) -> None:
        """Take every key but those of the application."""
        if event.key in Stepper.OWN:
            return
        event.stop()
        event.prevent_default()
        name = event.character if event.is_printable and event.character else KEYS.get(event.key, event.key)
        self.show(press(self.tale, self.state, name))


class Stepper(App[None]):
    """Step through one game.

    Args:
        tale: the game.
        state: where to begin.
    """

    CSS = """
    Picture { width: 100%; height: 1fr; }
    Input, Input:focus { border: none; height: 1; padding: 0 1; width: 100%; display: none; }
    Input.open { display: block; }
    """
    ENABLE_COMMAND_PALETTE = False
    OWN: ClassVar[set[str]] = {"g", "slash", "q", "ctrl+c", "ctrl+q"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("g,slash", "ask", show=False),
        Binding("escape", "close", show=False),
        Binding("q,ctrl+q", "quit", show=False),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]

    def __init__(self, tale: Tale, state: State) -> None:
        super().__init__()
        self.picture = Picture(tale, state)
        self.prompt = Input(placeholder="go to 3.7, 3.bid, 3, 3.score, draw or end; Esc goes back")

    def compose(self) -> ComposeResult:
        """The two lines of the tree."""
        yield self.picture
        yield self.prompt

    def on_mount(self) -> None:
        """The keys are the picture's."""
        self.picture.focus()

    def action_ask(self) -> None:
        """Open the line in which a moment is typed."""
        self.prompt.value = ""
        self.prompt.add_class("open")
        self.prompt.focus()

    def action_close(self) -> None:
        """Close it again."""
        self.prompt.remove_class("open")
        self.picture.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go there."""
        self.action_close()
        self.picture.show(go_to(self.picture.tale, self.picture.state, event.value))
