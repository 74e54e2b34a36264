from __future__ import annotations

from collections import Counter

import pytest

from bluke.bench.lists import SEATS, next_seat
from bluke.bench.runs import lists


def test_next_seat():
    """Three of four answers are followed by the next seat, the fourth by each seat as often as by any other."""
    after = Counter(next_seat(2, answer) for answer in range(160))
    assert after == {3: 120 + 10, 0: 10, 1: 10, 2: 10}
    assert SEATS == 4


@pytest.mark.slow
def test_lists():
    """Questions go round for as long as they are measured, several in a message."""
    figures = lists(64, 0.3)
    assert figures.rate > 0
    assert figures.batch > 1
