"""`bluke replay`: what can be done with a game that was played."""

from __future__ import annotations

import click

from bluke.cli import LazyGroup

__all__ = ["replay"]

COMMANDS = {
    "verify": ("bluke.cli.replay_show", "verify", "Work games out again from their files alone, and compare."),
    "show": ("bluke.cli.replay_show", "show", "Print a game: hands, tricks, notes, faults, the score sheet."),
    "grep": ("bluke.cli.replay_grep", "grep", "Find decisions in many games by bot, bid, card, fault, note and more."),
    "step": ("bluke.cli.replay_step", "step", "Step through a game in the terminal."),
    "html": ("bluke.cli.replay_html", "html", "Make a page of a game, to step through in a browser."),
    "explain": (
        "bluke.cli.replay_explain",
        "explain",
        "Say what else a seat could have done, by what it knew and in hindsight.",
    ),
    "ask": ("bluke.cli.replay_ask", "ask", "Ask a bot again what a seat was asked, and say where it differs."),
    "check": ("bluke.cli.replay_ask", "check", "Ask a bot what an earlier one was asked, and compare the answers."),
    "branch": ("bluke.cli.replay_ask", "branch", "Play on from a moment of a game, with other bots or another move."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def replay() -> None:
    """Look into games that were played."""
