"""`bluke token`: who may connect to a referee."""

from __future__ import annotations

from pathlib import Path

import click

from bluke.replay.text import visible

__all__ = ["token"]

FILE = click.option(
    "--tokens",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("tokens.json"),
    show_default=True,
    help="The file of tokens; `bluke serve --tokens` reads it.",
)


@click.group()
def token() -> None:
    """Make, list and revoke the tokens of a referee."""


def _name(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Check a name (PROTOCOL 2.2)."""
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise click.BadParameter("it has bytes that are not UTF-8", ctx, param) from None
    if not 1 <= size <= 64:
        raise click.BadParameter(f"a name has 1 to 64 bytes, and this one has {size}", ctx, param)
    return value


@token.command()
@click.argument("name", callback=_name)
@click.option("--operator", is_flag=True, help="It may start matches.")
@FILE
def add(name: str, *, operator: bool, path: Path) -> None:
    """Make a token for NAME, the name under which its results are booked.

    It is printed once; the file keeps only its hash.
    """
    from bluke.referee.tokens import TokenFile

    secret = TokenFile(path).add(name, operator=operator)
    click.echo(secret)
    click.echo(f"the bot takes it from BLUKE_TOKEN; it is not shown again ({path} keeps its hash)", err=True)


@token.command("list")
@FILE
def show(path: Path) -> None:
    """List the names that have a token."""
    from bluke.referee.tokens import TokenFile

    entries = TokenFile(path).load()
    if not entries:
        click.echo(f"{path} has no tokens; `bluke token add NAME` makes one", err=True)
    for entry in entries:
        kind = "operator" if entry.operator else "bot"
        click.echo(f"{visible(entry.name)}  {kind}  since {entry.created:%Y-%m-%d %H:%M} UTC")


@token.command()
@click.argument("name", callback=_name)
@FILE
def revoke(name: str, path: Path) -> None:
    """Take the token of NAME away, at once."""
    from bluke.referee.tokens import TokenFile

    TokenFile(path).revoke(name)
    click.echo(f"{visible(name)} has no token any more")
