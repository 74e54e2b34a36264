"""Explaining hands in several processes."""

from __future__ import annotations

import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TYPE_CHECKING

from bluke.analysis.explain import explain_hand
from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bluke.analysis.explain import HandExplanation, Task

__all__ = ["explain_hands"]


def explain_hands(tasks: Sequence[Task], jobs: int) -> Iterator[HandExplanation]:
    """Explain hands in so many processes, in the order in which they get done.

    The processes are started afresh, never forked: a fork of a process that runs gRPC or threads may hang.

    Raises:
        ArenaError: one of the processes was killed.
    """
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_ignore_ctrl_c)
    try:
        # The longest first, so that none of them is left for the end.
        longest = sorted(tasks, key=lambda task: -task.hand.size)
        for done in as_completed([pool.submit(explain_hand, task) for task in longest]):
            yield done.result()
    except BrokenProcessPool:
        raise ArenaError(
            "a process that explained a hand was killed, perhaps for want of memory: try it again, or with --hand"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_ctrl_c() -> None:
    # It reaches every process of the terminal; the one that started the others stops them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
