"""The log of a referee: a file with a line of `key=value` for each event."""

from __future__ import annotations

import io
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import structlog

from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["log_to"]


class LogFile(io.FileIO):
    """A log on a full disk loses lines; that is no reason for anything else to fail."""

    def write(self, data: Any) -> int:  # noqa: ANN401 - whatever has bytes in it
        """Write what can be written."""
        with suppress(OSError):
            super().write(data)
        return len(data)


@contextmanager
def log_to(path: Path) -> Iterator[None]:
    """Log to the end of a file while the context lasts; several processes may share one.

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
