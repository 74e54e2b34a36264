"""`bluke serve`: a referee that bots connect to from anywhere."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bluke.arena.log import log_to
from bluke.cli.folder import keep, new_folder
from bluke.cli.loop import run_loop
from bluke.cli.rules import parse_rules
from bluke.errors import ConfigError, RuleError
from bluke.replay.text import visible

if TYPE_CHECKING:
    from bluke.referee.settings import Tls
    from bluke.referee.tokens import TokenFile
    from bluke.rules import Rules
    from bluke.wire.values import GameLimits

__all__ = ["serve"]

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
MILLISECONDS = click.IntRange(min=1, max=2**31 - 1)


@click.command()
@click.option(
    "--listen", default="127.0.0.1:7373", show_default=True, help="HOST:PORT or unix:PATH; port 0 takes a free one."
)
@click.option("--seats", type=click.IntRange(min=2), default=4, show_default=True, help="Seats at a table.")
@click.option("--games", type=click.IntRange(min=1), help="Stop after this many games.  [default: go on]")
@click.option(
    "--rules",
    "rules_",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the game, such as variant=new_jersey or hands=5,4,3; repeatable.",
)
@click.option(
    "--policy",
    type=click.Choice(["lenient", "strict"]),
    default="lenient",
    show_default=True,
    help="What faults cost.",
)
@click.option("--decision-ms", type=MILLISECONDS, default=2000, show_default=True, help="Time for a decision.")
@click.option(
    "--bank-ms",
    type=click.IntRange(min=0, max=2**31 - 1),
    default=60_000,
    show_default=True,
    help="Bank for a game, which pays for what exceeds it.",
)
@click.option("--no-clock", is_flag=True, help="No clock but the wall limit of ten minutes a decision.")
@click.option("--seed", help="The match seed as text; without one it is random.")
@click.option("--tokens", type=FILE, help="Let in only bots with a token of this file.")
@click.option("--tls-cert", type=FILE, help="Certificate chain, PEM.")
@click.option("--tls-key", type=FILE, help="Its private key, PEM.")
@click.option("--insecure", is_flag=True, help="Listen off loopback without TLS and tokens all the same.")
@click.option("--metrics", metavar="HOST:PORT", help="Serve figures for Prometheus there, under /metrics.")
@click.option("--run", "run_folder", type=click.Path(path_type=Path), help="The run folder.  [default: runs/TIME]")
def serve(**options: Any) -> int:  # noqa: ANN401 - as many types as options
    """Run a referee; a table starts whenever enough bots are there.

    Bots dial the address, seats rotate, and it goes on until --games are played or it is stopped
    with Ctrl-C. After SIGTERM it begins no more games, and ends when those that are being played are
    over. On loopback nobody needs a token; elsewhere it demands TLS and tokens.

    Exit code: 0 when it is done, 2 if an option is wrong, 1 after a failure, 130 if it was stopped
    before --games were played.
    """
    from bluke.arena.house import OpenHouse
    from bluke.arena.report import try_report
    from bluke.arena.run import RunFolder
    from bluke.arena.terminal import console
    from bluke.referee import Settings
    from bluke.referee.settings import check_exposure

    rules = _rules(options["seats"], options["rules_"])
    limits = _limits(options)
    seed = _seed(options["seed"])
    address = _address(options["listen"])
    tls, tokens = _tls(options["tls_cert"], options["tls_key"]), _tokens(options["tokens"])

    def settings(replays: Path) -> Settings:
        return Settings(
            address, replays, tokens=tokens, open_door=tokens is None, tls=tls, insecure=options["insecure"]
        )

    metrics = None
    if options["metrics"] is not None:
        host, _, port = _address(options["metrics"], "--metrics").rpartition(":")
        if not port.isdigit():
            msg = f"--metrics {options['metrics']}: write HOST:PORT, such as 127.0.0.1:9373"
            raise ConfigError(msg)
        metrics = (host.strip("[]"), int(port))
    # Before the run folder is made, which otherwise would have to go again.
    check_exposure(settings(Path()))
    folder = RunFolder(options["run_folder"] or new_folder())
    folder.make()
    games = options["games"]

    async def work(stop: asyncio.Event) -> bool:
        house = OpenHouse(out, folder)
        return await house.run(
            settings(folder.replays),
            rules=rules,
            limits=limits,
            seed=seed,
            games=games,
            stop=stop,
            drain=drain,
            metrics=metrics,
        )

    out = console()
    drain = asyncio.Event()
    with log_to(folder.referee_log):
        complete = run_loop(work, drain=drain)
        report = try_report(folder.path) if any(folder.replays.iterdir()) else None
    if report is not None:
        out.print(f"report            {visible(str(report))}")
    keep(folder.path)
    return 0 if complete or games is None else 130


def _rules(seats: int, pairs: tuple[str, ...]) -> Rules:
    """The rules from `--seats` and `--rules`.

    Raises:
        ConfigError: they are wrong.
    """
    try:
        return parse_rules(pairs)[0].rules(seats)
    except RuleError as error:
        msg = f"--seats and --rules cannot be played: {error}"
        raise ConfigError(msg) from None


def _limits(options: dict[str, Any]) -> GameLimits:
    from bluke.wire.values import GameLimits, Policy

    decision = None if options["no_clock"] else options["decision_ms"]
    return GameLimits(policy=Policy(options["policy"]), decision_ms=decision, bank_ms=options["bank_ms"])


def _seed(text: str | None) -> bytes:
    if text is None:
        return secrets.token_bytes(32)
    try:
        return text.encode()
    except UnicodeEncodeError:
        msg = "--seed: it has bytes that are not UTF-8"
        raise ConfigError(msg) from None


def _address(text: str, option: str = "--listen") -> str:
    """An address that can be listened on.

    Raises:
        ConfigError: it is not of the form HOST:PORT or unix:PATH.
    """
    if text.startswith("unix:"):
        path = Path(text.removeprefix("unix:"))
        if not path.name or not path.absolute().parent.is_dir():
            msg = f"{option} {text}: unix: wants the path of a socket in a folder that is there"
            raise ConfigError(msg)
        return text
    host, sign, port = text.rpartition(":")
    if not sign or not port.isascii() or not port.isdigit() or int(port) > 65535:
        msg = f"{option} {text}: write HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:7373"
        raise ConfigError(msg)
    if not host or (":" in host and not (host.startswith("[") and host.endswith("]"))):
        msg = (
            f"{option} {text}: write HOST:PORT; every interface is 0.0.0.0, and IPv6 goes in brackets as in [::1]:7373"
        )
        raise ConfigError(msg)
    return text


def _tls(certificate: Path | None, key: Path | None) -> Tls | None:
    """The certificate and its key.

    Raises:
        ConfigError: only one of them is there, or one cannot be read.
    """
    from bluke.referee.settings import Tls

    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        msg = "--tls-cert and --tls-key go together: give both or none"
        raise ConfigError(msg)
    try:
        return Tls(certificate.read_bytes(), key.read_bytes())
    except OSError as error:
        msg = f"{error.filename}: cannot be read: {error.strerror}"
        raise ConfigError(msg) from None


def _tokens(path: Path | None) -> TokenFile | None:
    """The file of tokens.

    Raises:
        ConfigError: it is none.
    """
    from bluke.referee.tokens import TokenFile

    if path is None:
        return None
    tokens = TokenFile(path)
    tokens.load()
    return tokens
