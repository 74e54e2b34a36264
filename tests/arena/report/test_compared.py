from __future__ import annotations

import pytest
from arena.report.hands import end_of, facts, page_of, played, run_of, said

from bluke.arena.report.compared import comparison_verdict
from bluke.arena.report.conditions import Compare


def games_of(boards: int, lead: int) -> list:
    """Boards on which `new` and then `old` take both seats in turn against `field`; `new` makes so many points more."""
    return [
        played(
            board,
            [head, "field"] if turn == 0 else ["field", head],
            totals=[100 + lead * (head == "new") + board % 3, 50] if turn == 0 else [50, 100 + lead * (head == "new")],
            number=4 * board + 2 * (head == "old") + turn,
        )
        for board in range(boards)
        for head in ("new", "old")
        for turn in range(2)
    ]


def test_an_answer():
    """The answer of the comparison comes first, with its own interval, and says why the others are not it."""
    config = {"schedule": "compare", "compare": {"new": "new", "old": "old", "worth": 5, "error": 0.05, "swing": 1}}
    run = run_of(["new", "old", "field"], boards=1000, games=4000, config=config)
    page = page_of(run, games_of(40, 60), end_of())
    assert page.facts[:2] == ("complete", "compare: new or old")
    assert "160 games" in page.facts
    assert page.notes == ()
    assert facts(page)["games"] == "160 of at most 4,000, on 40 boards"
    told = [said(one) for one in page.verdict]
    assert told[0].startswith("new compared with old: the new version is better, +60.0 points a game (")
    assert "take the 160 games as if so many had been meant" in told[1]


def test_no_answer_yet():
    """While nothing is known that is said; without a whole board there is no figure either."""
    asked = Compare("new", "old")
    assert "undecided, +60.0 points a game" in said(comparison_verdict(asked, games_of(2, 60), 4)[0])
    missing = "new and old cannot be compared yet: no board is complete."
    assert [said(one) for one in comparison_verdict(asked, games_of(1, 60)[:3], 4)] == [missing]


@pytest.mark.parametrize(
    "asked", [Compare("new", "old", worth=-1), Compare("new", "old", error=2), Compare("new", "x")]
)
def test_what_cannot_be_asked(asked: Compare):
    """A record that asks for what cannot be, or about who has not played, is given no answer."""
    assert comparison_verdict(asked, games_of(2, 60), 4) == ()
