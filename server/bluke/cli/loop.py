"""The event loop and the log of a command."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import structlog

from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from pathlib import Path
    from typing import TextIO

__all__ = ["configure_log", "log_to", "run_loop"]

T = TypeVar("T")


def run_loop(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on uvloop where it is installed, and on asyncio's own loop elsewhere."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    return uvloop.run(main)


def configure_log(file: TextIO) -> None:
    """Send the log to an open file: a line of `key=value` for each event."""
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


@contextmanager
def log_to(path: Path) -> Iterator[None]:
    """Log to a file while the context lasts.

    Raises:
        ArenaError: it cannot be opened.
    """
    try:
        file = path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        msg = f"{path}: cannot be written: {error.strerror}"
        raise ArenaError(msg) from None
    with file:
        configure_log(file)
        try:
            yield
        finally:
            structlog.reset_defaults()
