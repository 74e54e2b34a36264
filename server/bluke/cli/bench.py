"""`bluke bench`: how fast this is, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bluke.cli.folder import need_folder_of
from bluke.cli.replay_files import is_terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bluke.bench.cases import Case

__all__ = ["bench"]


@click.command()
@click.option("--pairs", type=click.IntRange(1, 1000), default=7, show_default=True, help="Pairs of each measurement.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this measurement; may be given several times.")
@click.option("--quick", is_flag=True, help="Few and short pairs, for a look; they decide nothing.")
@click.option("--markdown", is_flag=True, help="Print the table for a page.")
@click.option(
    "--json",
    "data",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write all pairs as JSON too; to - instead of the table.",
)
@click.option(
    "--curve",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.svg",
    help="Draw instead how speed goes with tables and seats.",
)
def bench(
    *, pairs: int, only: tuple[str, ...], quick: bool, markdown: bool, data: Path | None, curve: Path | None
) -> int:
    """Measure how fast this is on this machine, each time beside a control in the same run.

    Each pair is a measurement and its control, one after the other and in turns the other way round; the medians of
    the pairs are held against the goals. All of it takes about a quarter of an hour, in which nothing else should run.

    Exit code: 0 if it was measured, whatever came of it; 1 if it could not be.
    """
    from bluke.bench.effort import FULL, QUICK

    # What takes a quarter of an hour is not thrown away for a name.
    for file, option in ((data, "--json"), (curve, "--curve")):
        if file is not None:
            need_folder_of(file, option)
    effort = QUICK if quick else FULL
    if curve is not None:
        _curve(curve, effort.seconds, repeats=1 if quick else 3)
        return 0
    import msgspec

    from bluke.bench.cases import CASES
    from bluke.bench.run import run_cases
    from bluke.bench.show import as_data, as_markdown, as_text, conditions

    at = conditions()
    results = run_cases(_chosen(CASES, only), effort, min(pairs, 2) if quick else pairs, _tell)
    text = msgspec.json.format(msgspec.json.encode(as_data(at, results, quick=quick)))
    if str(data) == "-":
        click.echo(text)
        return 0
    for line in (as_markdown if markdown else as_text)(at, results, quick=quick):
        click.echo(line)
    if data is not None:
        data.write_bytes(text + b"\n")
    return 0


def _chosen(cases: Sequence[Case], names: Sequence[str]) -> Sequence[Case]:
    from bluke.replay.text import visible

    there = [case.name for case in cases]
    for name in names:
        if name not in there:
            raise click.UsageError(f"there is no measurement {visible(name)}; they are {', '.join(there)}")
    return [case for case in cases if not names or case.name in names]


def _tell(what: str) -> None:
    import sys

    if is_terminal(sys.stderr):
        click.echo(what, err=True)


def _curve(file: Path, seconds: float, *, repeats: int) -> None:
    from bluke.bench.curve import measure_curve
    from bluke.bench.drawing import curve_lines, draw
    from bluke.bench.show import conditions

    at = conditions()
    points = measure_curve(seconds, repeats, _tell)
    file.write_text(draw(points), encoding="utf-8")
    for line in curve_lines(at, points, repeats):
        click.echo(line)
