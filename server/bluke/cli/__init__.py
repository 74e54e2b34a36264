"""The command `bluke`: parsing and wiring, nothing else."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from bluke import __version__
from bluke.errors import BlukeError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LazyGroup", "main"]

Commands = dict[str, tuple[str, str, str]]

#: name -> (module, attribute, help). Modules are imported when their command is used, so that help is quick.
COMMANDS: Commands = {
    "new": ("bluke.cli.new", "new", "Write a first bot in a language of your choice."),
    "arena": ("bluke.cli.arena", "arena", "Play a ladder of matches between the bots of arena.toml."),
    "compare": ("bluke.cli.compare", "compare", "Say whether a new version of a bot is better than the old one."),
    "serve": ("bluke.cli.serve", "serve", "Run a referee that bots connect to from anywhere."),
    "check": ("bluke.cli.check", "check", "Hold a bot, in any language, to the protocol."),
    "replay": ("bluke.cli.replay", "replay", "Look into games: check, show, explain, ask again."),
    "standings": ("bluke.cli.standings", "standings", "Print the standings over many runs."),
    "store": ("bluke.cli.store", "store", "Keep the results of all runs in one file."),
    "report": ("bluke.cli.report", "report", "Write the report of a run as a page."),
    "bench": ("bluke.cli.bench", "bench", "Measure how fast this is on this machine."),
    "doctor": ("bluke.cli.doctor", "doctor", "Say what this machine can do, and what is missing."),
    "token": ("bluke.cli.token", "token", "Make, list and revoke the tokens of a referee."),
}


class LazyGroup(click.Group):
    """A group that imports a command when it is used.

    Args:
        lazy: the commands, as in `COMMANDS`.
    """

    def __init__(self, *args: Any, lazy: Commands, **options: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(*args, **options)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        del ctx
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        del ctx
        if cmd_name not in self._lazy:
            return None
        module, attribute, _ = self._lazy[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in self._lazy.items()])


@click.group(cls=LazyGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="bluke")
def bluke() -> None:
    """Bluke Arena: the referee for programs that play Bluke."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        The exit code: 0 for success, 2 for a person's mistake, 1 for a failure, 130 after Ctrl-C.
    """
    # gRPC's own lines on stderr say nothing that a person could act on; what matters is raised.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # Where an event loop starts processes by fork, as uvloop does, what gRPC does then can hang for ever. Nothing here
    # goes on with gRPC after a fork.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    try:
        code = bluke.main(arguments, prog_name="bluke", standalone_mode=False)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return 130
    except BrokenPipeError:
        # The reader has gone, `bluke replay show ... | head` for one; what Python still holds for it goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (BlukeError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        return 2 if isinstance(error, ConfigError) else 1
    return code if isinstance(code, int) else 0
