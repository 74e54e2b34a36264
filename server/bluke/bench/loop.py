"""The event loop of every program here: uvloop where it is installed, as for the referee."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["run"]


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` to its end."""
    try:
        import uvloop  # noqa: PLC0415 - an extra
    except ImportError:
        asyncio.run(work)
    else:
        uvloop.run(work)
