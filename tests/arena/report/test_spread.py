from __future__ import annotations

from statistics import quantiles

import pytest
from arena.report.hands import end_of, page_of, played, run_of, section, tables
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.report.spread import Spread, quantile, spread_of, times_section
from bluke.arena.report.tally import tally_games
from bluke.arena.report.values import Figure

GAMES = [
    played(board, bots, (1, [(1, 1), (1, 0)]), totals=totals, number=turn, times_ms=times)
    for board, totals, times in ((0, [95, -20], [1.0] * 99 + [400.0]), (1, [105, 0], [1.0] * 100))
    for turn, bots in enumerate(("ab", "ba"))
]


@given(st.lists(st.integers(-999, 999), min_size=2))
def test_quantiles(values: list[int]):
    """They are those of the standard library's inclusive method."""
    ordered = sorted(values)
    assert [quantile(ordered, q) for q in (0.25, 0.5, 0.75)] == pytest.approx(
        quantiles(values, n=4, method="inclusive")
    )
    assert (quantile(ordered, 0), quantile(ordered, 1)) == (min(values), max(values))


def test_spread():
    """A list of one has that value everywhere, an empty one nothing at all."""
    assert spread_of([7]) == Spread(7, 7, 7, 7, 7, 7, 7, 7)
    assert spread_of([]) is None
    spread = spread_of(range(101))
    assert spread == Spread(0, 5, 25, 50, 75, 95, 100, 50)


def test_points_of_games():
    """The tables tell where the games of each bot lie, and how many lie in each class."""
    found = tables(page_of(run_of("ab", boards=2), GAMES, end_of()), "points")
    a = found["Points in single games"]["a"]
    assert (a["least"], a["median"], a["most"], a["mean"], a["games"]) == (
        "\N{MINUS SIGN}20.0",
        "47.5",
        "105.0",
        "45.0",
        "4",
    )
    classes = found["Games by points"]
    assert sum(int(row["a"]) for row in classes.values()) == 4
    # classes of five points each
    assert (classes["95"], classes["105"]) == ({"a": "1", "b": "1"}, {"a": "1", "b": "1"})


def test_times():
    """Half, 95% and the longest are told, and the limit is drawn where the scale reaches it."""
    page = page_of(run_of("ab", boards=2), GAMES, end_of())
    a = tables(page, "times")["Decision times in milliseconds"]["a"]
    assert (a["p50"], a["p95"], a["decisions"]) == ("1.0", "1.0", "400")
    assert 400 <= int(a["longest"]) <= 400 * 1.05
    tallies = list(tally_games(GAMES, "ab").values())
    assert [_limits(tallies, limit) for limit in (500, 2000, None)] == [2, 0, 0]


def test_nobody_decided():
    """A bot for which the referee made every decision has no times."""
    page = page_of(run_of("ab"), [played(0, "ab", (1, [(1, 1), (1, 0)]))])
    row = tables(page, "times")["Decision times in milliseconds"]["a"]
    assert row == {"p50": "not enough data", "p95": "not enough data", "longest": "not enough data", "decisions": "0"}
    assert section(page, "times").title == "Decision times"


def _limits(tallies: list, limit: int | None) -> int:
    figure = next(block for block in times_section(tallies, limit).blocks if isinstance(block, Figure))
    return sum(dict(mark.attributes).get("class") == "limit" for mark in figure.marks)
