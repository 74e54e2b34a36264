from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
from analysis.hands import hand_of, one
from rules.helpers import GivenPacks

from bluke.analysis import pool
from bluke.analysis.explain import Task
from bluke.errors import ArenaError
from bluke.rules import CARDS, Game

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Seconds after which a process that should have been stopped says that it was not.
PATIENCE = 20


def die(_: Task) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def work_long(task: Task) -> int:
    """Be at work for longer than anybody waits, unless the hand is that of a game called `quick`."""
    if task.game == "quick":
        return 0
    sys.stdout.write("at work\n")
    sys.stdout.flush()
    Event().wait(PATIENCE)
    Path(task.game).touch()
    return 1


def task_of(game: str) -> Task:
    rules = one(2, 1)
    return Task(game, rules, hand_of(Game(rules, GivenPacks(CARDS))), (0, 1), 2, "rule")


def test_a_process_that_is_killed(monkeypatch):
    """A process that is killed ends the work with a sentence."""
    monkeypatch.setattr(pool, "explain_hand", die)
    task = task_of("game")
    with pytest.raises(ArenaError, match="was killed"):
        list(pool.explain_hands([task], 1))


@pytest.mark.slow
def test_stop_at_once(monkeypatch, tmp_path):
    """Whoever stops listening, after Ctrl-C for one, need not wait for what the processes are at."""
    monkeypatch.setattr(pool, "explain_hand", work_long)
    late = tmp_path / "late"
    explained = pool.explain_hands([task_of(str(late)), task_of("quick")], 2)
    assert next(explained) == 0
    explained.close()  # type: ignore[attr-defined]
    assert not late.exists()


@pytest.mark.slow
def test_none_is_left_behind():
    """If the process that they work for is killed, the others end too."""
    code = (
        "from analysis import test_pool\n"
        "from bluke.analysis import pool\n"
        "if __name__ == '__main__':\n"
        "    pool.explain_hand = test_pool.work_long\n"
        "    list(pool.explain_hands([test_pool.task_of('/dev/null')] * 2, 2))\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        process.kill()
        # The output ends when the last of those that hold it has gone.
        process.communicate(timeout=PATIENCE / 2)


with_masks = pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system has no masks of signals")


def is_deaf() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C is an interrupt, also where the tests were started in the background, where it means nothing."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@with_masks
@pytest.mark.usefixtures("heard")
def test_ctrl_c_while_they_are_started():
    """Ctrl-C is heard when the processes have been started, and by this one alone."""
    deaf = []

    def start() -> None:
        with pool._deaf_to_ctrl_c():
            signal.raise_signal(signal.SIGINT)
            deaf.append(is_deaf())

    with pytest.raises(KeyboardInterrupt):
        start()
    assert deaf == [True]
    assert not is_deaf()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@with_masks
@pytest.mark.usefixtures("heard")
def test_ctrl_c_that_another_thread_takes():
    """Nor is Ctrl-C lost or heard too early where a thread takes it that is not deaf."""
    asked, taken, started = Event(), Event(), []

    def take() -> None:
        asked.wait(PATIENCE)
        signal.raise_signal(signal.SIGINT)
        taken.set()

    thread = Thread(target=take)
    thread.start()

    def start() -> None:
        with pool._deaf_to_ctrl_c():
            asked.set()
            assert taken.wait(PATIENCE)
            started.append(True)

    with pytest.raises(KeyboardInterrupt):
        start()
    thread.join()
    assert started == [True]
    assert not is_deaf()
