from __future__ import annotations

import pytest

from bluke.replay.stepper.words import time_words, trump_words
from bluke.replay.text import counted


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (None, ""),
        (0.0, "0.0 ms"),
        (9.94, "9.9 ms"),
        (9.96, "10 ms"),
        (999.4, "999 ms"),
        (999.6, "1.0 s"),
        (61_000, "61.0 s"),
    ],
)
def test_times(ms, words):
    """A time has as many digits as a person reads, and its unit."""
    assert time_words(ms) == words


def test_numbers_and_trumps():
    """One is singular, and a hand without trump says so."""
    assert (counted(1, "card"), counted(2, "card")) == ("1 card", "2 cards")
    assert (trump_words("H"), trump_words(None)) == ("trump H (hearts)", "no trump")
