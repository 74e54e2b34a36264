from __future__ import annotations

import os
import signal

import pytest
from analysis.hands import hand_of, one
from rules.helpers import GivenPacks

from bluke.analysis import pool
from bluke.analysis.explain import Task
from bluke.errors import ArenaError
from bluke.rules import CARDS, Game


def die(_: Task) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed(monkeypatch):
    """A process that is killed ends the work with a sentence."""
    monkeypatch.setattr(pool, "explain_hand", die)
    rules = one(2, 1)
    task = Task("game", rules, hand_of(Game(rules, GivenPacks(CARDS))), (0, 1), 2, "rule")
    with pytest.raises(ArenaError, match="was killed"):
        list(pool.explain_hands([task], 1))
