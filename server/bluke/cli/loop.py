"""The event loop, the interrupts and the log of a command."""

from __future__ import annotations

import asyncio
import io
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import structlog

from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path

__all__ = ["log_to", "run_loop"]

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
        import uvloop
    except ImportError:
        run: Callable[[Coroutine[Any, Any, T]], T] = asyncio.run
    else:
        run = uvloop.run
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


class LogFile(io.FileIO):
    """A log on a full disk loses lines; that is no reason for anything else to fail."""

    def write(self, data: Any) -> int:  # noqa: ANN401 - whatever has bytes in it
        """Write what can be written."""
        with suppress(OSError):
            super().write(data)
        return len(data)


@contextmanager
def log_to(path: Path) -> Iterator[None]:
    """Log to a file while the context lasts: a line of `key=value` for each event.

    Raises:
        ArenaError: it cannot be opened.
    """
    try:
        file = io.TextIOWrapper(LogFile(path, "a"), encoding="utf-8", errors="backslashreplace", write_through=True)
    except OSError as error:
        msg = f"{path}: cannot be written: {error.strerror}; make room or name another folder with --run"
        raise ArenaError(msg) from None
    with file:
        structlog.configure(
            processors=[
                structlog.contextvars.merge_contextvars,
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso"),
                structlog.processors.format_exc_info,
                structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
            ],
            logger_factory=structlog.PrintLoggerFactory(file),
            cache_logger_on_first_use=False,
        )
        try:
            yield
        finally:
            structlog.reset_defaults()
