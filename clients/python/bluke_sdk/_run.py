"""`run`, for a bot's own process, and `play`, for a program that has an event loop already."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from bluke_sdk._client import Client, Interrupted, Settings
from bluke_sdk.bot import Bot
from bluke_sdk.errors import SdkError, SetupError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["play", "run"]


def run(
    bot_class: type[Bot],
    *,
    server: str | None = None,
    token: str | None = None,
    name: str | None = None,
    max_games: int = 0,
    events: bool = False,
    ca: str | None = None,
    insecure: bool | None = None,
    give_up: float = 60.0,
) -> None:
    """Play with `bot_class` until the referee says goodbye.

    Writes nothing to standard output. On SIGINT and SIGTERM it says goodbye and leaves; a second
    one ends the process at once.

    Args:
        bot_class: the bot; one instance is made for each seat in each game.
        server: the referee, as `host:port` or `unix:/path`; `BLUKE_SERVER` if it is left out.
        token: who the bot is; `BLUKE_TOKEN` if it is left out, and none if that is not set either.
        name: the name to be shown instead of the class's own.
        max_games: games to play at once; 0 leaves that to the referee.
        events: whether to be told every public event (`Bot.event`).
        ca: file with the root certificate (PEM) of the referee; `BLUKE_CA` if it is left out.
        insecure: speak without TLS to a referee on another machine; `BLUKE_INSECURE=1` if it is left out.
        give_up: seconds without a welcome after which to give up.

    Raises:
        SystemExit: with 1 when no referee answered or the stream cannot be mended, 2 when the
            referee refused or a setting is wrong (with a sentence on standard error), and 128 plus
            the signal's number after a signal.
    """
    try:
        settings = _settings(
            bot_class,
            Options(
                server=server,
                token=token,
                name=name,
                max_games=max_games,
                events=events,
                ca=ca,
                insecure=insecure,
                give_up=give_up,
            ),
        )
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            signum = runner.run(_run(bot_class, settings))
    except SdkError as error:
        sys.stderr.write(f"{getattr(bot_class, '__name__', bot_class)}: {error}\n")
        raise SystemExit(error.exit_code) from None
    if signum:
        raise SystemExit(128 + signum)


class Options(TypedDict, total=False):
    """The keyword arguments of `run`."""

    server: str | None
    token: str | None
    name: str | None
    max_games: int
    events: bool
    ca: str | None
    insecure: bool | None
    give_up: float


async def play(bot_class: type[Bot], **options: Unpack[Options]) -> None:
    """Play as `run` does, with the same arguments, in an event loop that is running already; leaves signals alone.

    Raises:
        UnreachableError: no referee answered for `give_up` seconds.
        RefusedError: the referee refused the hello.
        SetupError: a setting is missing or wrong.
        SdkError: the referee ended the stream in a way that dialling again cannot mend.
    """
    await Client(bot_class, _settings(bot_class, options)).run()


def _settings(bot_class: object, options: Options) -> Settings:
    if not (isinstance(bot_class, type) and issubclass(bot_class, Bot)):
        raise SetupError(f"{bot_class!r} is no bot: derive a class from bluke_sdk.Bot and pass the class itself")
    if inspect.isabstract(bot_class):
        missing = " and no ".join(sorted(bot_class.__abstractmethods__))
        raise SetupError(f"the class has no {missing}: a bot must say how to bid and how to play")
    env = os.environ.get
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    settings = {
        "server": env("BLUKE_SERVER", ""),
        "token": env("BLUKE_TOKEN", ""),
        "ca": env("BLUKE_CA", ""),
        "insecure": env("BLUKE_INSECURE") == "1",
        **given,
    }
    if not settings["server"]:
        raise SetupError("no referee to dial: set BLUKE_SERVER to its address, such as localhost:7373")
    return Settings(**settings)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - one exchange in five faster where it is installed, never required
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


async def _run(bot_class: type[Bot], settings: Settings) -> int:
    client = Client(bot_class, settings)
    loop = asyncio.get_running_loop()
    caught = 0

    def leave(signum: int, _frame: FrameType | None) -> None:
        nonlocal caught
        caught = signum
        signal.signal(signum, signal.SIG_DFL)
        loop.call_soon_threadsafe(client.stop, signal.Signals(signum).name)
        client.leaving = True
        if client.in_bot:
            # The loop cannot turn while a bot thinks, however long that takes.
            raise Interrupted

    # Not `loop.add_signal_handler`: that one waits for the loop as well.
    if threading.current_thread() is threading.main_thread():
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, leave)
    await client.run()
    return caught
