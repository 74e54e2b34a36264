"""The event loop and the interrupts of a command."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from bluke.arena.loop import run

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

__all__ = ["run_loop"]

T = TypeVar("T")


def run_loop(work: Callable[[asyncio.Event], Coroutine[Any, Any, T]], *, drain: asyncio.Event | None = None) -> T:
    """Run `work` on uvloop where it is installed, and on asyncio's own loop elsewhere.

    The first Ctrl-C (or TERM, or the end of the terminal) sets the event that `work` is given, the second cuts it off.
    With `drain` the first TERM sets that event instead.

    Raises:
        KeyboardInterrupt: it was cut off.
    """

    async def main() -> T:
        stop = asyncio.Event()
        working = asyncio.ensure_future(work(stop))

        def interrupted() -> None:
            if stop.is_set():
                working.cancel()
            stop.set()

        def terminated() -> None:
            if drain is None or drain.is_set():
                interrupted()
            else:
                drain.set()

        _on_signals(SIGINT=interrupted, SIGTERM=terminated, SIGHUP=interrupted)
        return await working

    try:
        return run(main())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _on_signals(**act: Callable[[], None]) -> None:
    """Let the running loop act on signals, by their names."""
    for name, then in act.items():
        # Windows has no SIGHUP, and its loop no signal handlers; what `nohup` has set to be ignored stays so.
        with suppress(AttributeError, NotImplementedError):
            sign = getattr(signal, name)
            if signal.getsignal(sign) is not signal.SIG_IGN:
                asyncio.get_running_loop().add_signal_handler(sign, then)
