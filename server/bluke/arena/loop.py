"""The event loop of every program here: uvloop where it is installed, and asyncio's own elsewhere.

Python's collector looks for cycles less often meanwhile. A game makes thousands of values that live until it is over
and no cycles, and looking at all of them again and again cost a referee 4% of its time, in pauses that bots wait for.
"""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["run"]

T = TypeVar("T")

#: What `gc.set_threshold` takes; see above.
RARELY = (5_000, 20, 50)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end, and return what it does."""
    gc.set_threshold(*RARELY)
    try:
        import uvloop  # noqa: PLC0415 - an extra
    except ImportError:
        return asyncio.run(work)
    done: T = uvloop.run(work)
    return done
