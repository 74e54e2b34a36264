"""`bluke compare`: is the new version of a bot better than the old one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bluke.cli.arena import play_plan
from bluke.cli.folder import new_folder

__all__ = ["compare"]


@click.command()
@click.argument("new")
@click.argument("old")
@click.option("--config", type=click.Path(path_type=Path), default="arena.toml", show_default=True, help="The roster.")
@click.option("--field", multiple=True, metavar="BOT", help="Whom both play against; may be repeated.  [default: all]")
@click.option("--worth", type=float, help="The smallest difference worth having, in points a game.  [default: 5]")
@click.option("--error", type=float, help="How often the answer may be wrong.  [default: 0.05]")
@click.option("--swing", type=float, help="By how many points a game one board more may differ.  [default: 75]")
@click.option("--boards", type=click.IntRange(min=1), default=1000, show_default=True, help="The most deals to play.")
@click.option("--seats", type=click.IntRange(min=2), help="Seats at a table.")
@click.option("--seed", help="The match seed as text: the same seed gives the same deals, and the same answer.")
@click.option("--tables", type=click.IntRange(min=1), help="Games played at once.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes that play them, each with bots of its own.")
@click.option("--run", "run_folder", type=click.Path(path_type=Path), help="The run folder.  [default: runs/TIME]")
def compare(*, config: Path, run_folder: Path | None, **options: Any) -> int:  # noqa: ANN401 - as many types as options
    """Say whether NEW is better than OLD, as soon as that is known.

    NEW and OLD are bots of the roster, or commands in quotes. Each of them takes every seat of the same deals, in turn
    and against the same others, so that the luck of the cards is the same for both. After each board it is worked out
    what is known, and no more is played when there is an answer: better, worse, or no difference worth having. It is
    undecided if the boards run out first.

    A comparison that was interrupted goes on with `bluke arena --resume RUN`.

    Exit code: 0 for an answer, undecided included, 2 if an option is wrong, 1 after a failure, 130 after Ctrl-C.
    """
    from bluke.arena.compare import read_comparison
    from bluke.arena.run import make_plan

    return play_plan(make_plan(read_comparison(config, **options), run_folder or new_folder()))
