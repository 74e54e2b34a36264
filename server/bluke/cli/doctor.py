"""`bluke doctor`: what this machine can do, and what is missing."""

from __future__ import annotations

import click

from bluke.cli.folder import RUNS
from bluke.replay.text import visible

__all__ = ["doctor"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="A JSON array for programs instead of the table.")
def doctor(*, as_json: bool) -> int:
    """Say what this machine can do for an arena, and what is missing.

    Every check tries the thing itself. "advice" is something that can be done without; "missing" is not.

    Exit code: 0 if everything needed works, 1 if not.
    """
    import msgspec

    from bluke.arena.checkup import Verdict, examine

    checks = examine(RUNS)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(checks)))
    else:
        wide = max(len(check.name) for check in checks)
        for check in checks:
            click.echo(f"{check.verdict.value:7}  {check.name:{wide}}  {visible(check.detail)}")
            if check.cure:
                click.echo(f"{'':7}  {'':{wide}}  -> {visible(check.cure)}")
    return 1 if any(check.verdict is Verdict.MISSING for check in checks) else 0
