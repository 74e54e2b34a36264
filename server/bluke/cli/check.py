"""`bluke check`: hold a bot to the protocol."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bluke.arena.config import BotConfig
    from bluke.arena.conformance.case import Case
    from bluke.arena.conformance.run import Result

__all__ = ["check"]


@click.command(context_settings={"ignore_unknown_options": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--case", "names", multiple=True, metavar="NAME", help="Only this case; may be given several times.")
@click.option(
    "--known-failing",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Cases that are known to fail, one a line.",
)
@click.option("--list", "as_list", is_flag=True, help="List the cases and run nothing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for programs instead of the lines.")
def check(
    *, command: tuple[str, ...], names: tuple[str, ...], known_failing: Path | None, as_list: bool, as_json: bool
) -> int:
    """Hold the bot that COMMAND starts to the protocol: bluke check -- COMMAND...

    The bot is started for each case, as an arena would, and finds a referee that follows a script, as BLUKE_SERVER and
    BLUKE_TOKEN tell it. For a case that fails it is said what was expected, what arrived, and which sentence of the
    protocol asks for it. A case in FILE may fail, and must be removed from it when it passes.

    Exit code: 0 if all is as expected, 1 if not or if the bot cannot be started, 2 for a mistake in the command line
    or in FILE.
    """
    from bluke.arena.conformance.case import load_cases
    from bluke.arena.conformance.run import bot_of
    from bluke.arena.conformance.say import as_data, good, read_known, result_lines, summary_lines

    cases = load_cases()
    known = set() if known_failing is None else read_known(known_failing, {case.name for case in cases})
    chosen = _chosen(cases, names)
    if as_list:
        _list(chosen, as_json=as_json)
        return 0
    if not command:
        raise click.UsageError("no bot: say how it is started after --, such as `bluke check -- python my_bot.py`")

    def tell(result: Result) -> None:
        if not as_json:
            for line in result_lines(result, known, known_failing):
                click.echo(line)

    results = _run(bot_of(command), chosen, tell)
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(as_data(results, known))))
    else:
        click.echo()
        for line in summary_lines(results, known):
            click.echo(line)
    return 0 if good(results, known) else 1


def _chosen(cases: Sequence[Case], names: Sequence[str]) -> Sequence[Case]:
    from bluke.replay.text import visible

    there = {case.name for case in cases}
    for name in names:
        if name not in there:
            raise click.UsageError(f"there is no case {visible(name)}; `bluke check --list` names them")
    return [case for case in cases if not names or case.name in names]


def _list(cases: Sequence[Case], *, as_json: bool) -> None:
    if as_json:
        import msgspec

        told = [
            {"name": case.name, "about": case.about, "section": case.section, "sentence": case.sentence}
            for case in cases
        ]
        click.echo(msgspec.json.format(msgspec.json.encode(told)))
        return
    wide = max(len(case.name) for case in cases)
    for case in cases:
        click.echo(f"{case.name:{wide}}  {case.about}")


def _run(bot: BotConfig, cases: Sequence[Case], tell: Callable[[Result], None]) -> list[Result]:
    import asyncio
    import signal

    from bluke.arena.conformance.run import check_bot
    from bluke.arena.log import log_to

    with tempfile.TemporaryDirectory(prefix="bluke-check-") as name, log_to(Path(name) / "referee.log"):

        async def work() -> list[Result]:
            checking = asyncio.ensure_future(check_bot(bot, cases, Path(name), tell))
            for sign in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(sign, checking.cancel)
            return await checking

        try:
            return asyncio.run(work())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
