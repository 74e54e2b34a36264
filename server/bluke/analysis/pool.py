"""Explaining hands in several processes."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from threading import Thread, current_thread, main_thread
from typing import TYPE_CHECKING

from bluke.analysis.explain import explain_hand
from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection

    from bluke.analysis.explain import HandExplanation, Task

__all__ = ["explain_hands"]


def explain_hands(tasks: Sequence[Task], jobs: int) -> Iterator[HandExplanation]:
    """Explain hands in so many processes, in the order in which they get done.

    The processes are started afresh, never forked: a fork of a process that runs gRPC or threads may hang. They end
    with this generator, and with the process that runs it, whatever they are at.

    Raises:
        ArenaError: one of the processes was killed.
    """
    context = get_context("spawn")
    line, alive = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_hold_the_line, initargs=(line,))
    try:
        # The longest first, so that none of them is left for the end.
        longest = sorted(tasks, key=lambda task: -task.hand.size)
        with _deaf_to_ctrl_c():
            explained = [pool.submit(explain_hand, task) for task in longest]
        for done in as_completed(explained):
            yield done.result()
    except BrokenProcessPool:
        raise ArenaError(
            "a process that explained a hand was killed, perhaps for want of memory: try it again, or with --hand"
        ) from None
    finally:
        alive.close()
        pool.shutdown(cancel_futures=True)
        line.close()


def _hold_the_line(line: Connection) -> None:
    """End this process as soon as the other end of the line is closed, or is gone with whoever held it."""

    def listen() -> None:
        line.poll(None)
        os._exit(1)

    Thread(target=listen, daemon=True).start()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Let the processes that are started here never hear of Ctrl-C, which reaches every process of a terminal.

    This one hears of it when they have been started: one that was given up half way would complain.
    """
    if not hasattr(signal, "pthread_sigmask"):  # not on every system
        yield
        return
    heard: list[int] = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    main = current_thread() is main_thread()
    # Another thread may take the signal, but it is the main one that acts on it.
    handler = signal.signal(signal.SIGINT, lambda number, _: heard.append(number)) if main else None
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if heard:
            signal.raise_signal(signal.SIGINT)
