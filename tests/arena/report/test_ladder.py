from __future__ import annotations

import pytest
from arena.report.hands import said

from bluke.arena.report.ladder import Duel, Interval, Ladder, Rung, matrix_section, standings_section, verdict
from bluke.arena.report.values import Details, Figure, Heat, Prose, Table


def rung(bot: str, place: int, mean: float | None, half: float | None = 5, **values: object) -> Rung:
    points = None
    if mean is not None:
        points = Interval(mean) if half is None else Interval(mean, mean - half, mean + half)
    given: dict = {
        "places": (place, place),
        "rating": None,
        "unforfeited": None,
        "games": 0 if mean is None else 40,
        "boards": 10,
        "wins": 10,
        **values,
    }
    return Rung(bot=bot, place=place, points=points, **given)


def duel(mean: float, half: float, better: float | None = None, *, surely: bool = False) -> Duel:
    return Duel(Interval(mean, mean - half, mean + half), better, surely=surely)


def ladder(
    rungs: list[Rung], duels: dict | None = None, *, left_out: int = 0, forfeited: int = 0, anchor: str | None = None
) -> Ladder:
    return Ladder(tuple(rungs), duels or {}, boards=10, left_out=left_out, forfeited=forfeited, anchor=anchor)


MC, RULE, ONE = rung("mc", 1, 300), rung("rule", 2, 278, places=(2, 3)), rung("one", 3, 276, places=(2, 3))
THREE = ladder(
    [MC, RULE, ONE],
    {
        ("mc", "rule"): duel(21.6, 4.2, 0.9993, surely=True),
        ("rule", "one"): duel(2, 4.25, 0.82),
        ("mc", "one"): duel(23.6, 4.3, 0.99999, surely=True),
    },
)


def test_the_verdict():
    """Neighbours are told apart, or not, with the difference, its interval and the probability."""
    assert [said(one) for one in verdict(THREE)] == [
        "mc is better than rule: +21.6 points a game (17.4 to 25.8), P\xa0=\xa00.999.",
        "rule and one cannot be told apart yet: +2.0 points a game (\N{MINUS SIGN}2.2 to 6.2), P\xa0=\xa00.820.",
    ]


def test_better_but_not_of_many():
    """An interval without zero that may be chance among so many pairs makes a bot only probably better."""
    pair = ladder([MC, RULE], {("mc", "rule"): duel(10, 9, 0.98)})
    assert (
        said(verdict(pair)[0]) == "mc is probably better than rule: +10.0 points a game (1.0 to 19.0), P\xa0=\xa00.980."
    )


def test_as_good_as_certain():
    """A probability that would be written as 1 is written as a bound."""
    pair = ladder([MC, RULE], {("mc", "rule"): duel(100, 1, 1.0, surely=True)})
    assert said(verdict(pair)[0]).endswith(", P\xa0>\xa00.999.")


def test_nothing_to_compare():
    """Without an interval, without a pair, with one bot or with none, it says what is missing."""
    missing = "a and b cannot be compared yet: that needs two complete boards that both played."
    two = [rung("a", 1, 5, None), rung("b", 2, 4, None)]
    assert said(verdict(ladder(two))[0]) == missing
    assert said(verdict(ladder(two, {("a", "b"): Duel(Interval(1), None, surely=False)}))[0]) == missing
    assert said(verdict(ladder(two[:1]))[0]) == "a has played alone: there is nobody to compare it with."
    assert (
        said(verdict(ladder([rung("a", 1, None)]))[0]) == "No game counts yet, so there is nothing to say of any bot."
    )


@pytest.mark.parametrize(("close", "word"), [(0, "none"), (5, "5")])
def test_many_neighbours(close: int, word: str):
    """Of a long ladder three pairs are told, and the others are counted."""
    rungs = [rung(f"b{n}", n + 1, 100 - n) for n in range(12)]
    duels = {(f"b{n}", f"b{n + 1}"): duel(10, 20 if n >= 11 - close else 5, 0.9) for n in range(11)}
    told = verdict(ladder(rungs, duels))
    assert len(told) == 4
    assert said(told[-1]) == f"Of the 8 pairs of neighbours below these, {word} cannot be told apart yet."


def test_the_table():
    """A row for each bot: place, places, points, lead, and ratings and points without forfeits where there are any."""
    rated = [
        rung("a", 1, 10, rating=Interval(1530, 1510.4, 1549.6), unforfeited=Interval(11, 9, 13)),
        rung("b", 2, -3, None, places=None),
        rung("idle", 3, None, places=None, boards=0, wins=0),
    ]
    duels = {("a", "b"): duel(13, 2)}
    (table,) = (
        one for one in standings_section(ladder(rated, duels, forfeited=2, left_out=3)).blocks if one.kind == "table"
    )
    assert isinstance(table, Table)
    heads = [column.text for column in table.columns]
    rows = {row[0]: dict(zip(heads[1:], row[1:], strict=True)) for row in table.rows}
    assert rows["a"] == {
        "place": "1",
        "points a game": "10.0 (5.0 to 15.0)",
        "ahead of next": "+13.0 (11.0 to 15.0)",
        "rating": "1,530 (1,510 to 1,550)",
        "without forfeits": "11.0 (9.0 to 13.0)",
        "wins": "25%",
        "games": "40",
        "boards": "10",
    }
    assert rows["b"]["points a game"] == "\N{MINUS SIGN}3.0 (no interval yet)"
    assert rows["b"]["place"] == "not enough data"
    assert {rows["b"][head] for head in ("ahead of next", "rating", "without forfeits")} == {"not enough data"}
    assert rows["idle"]["ahead of next"] == ""
    assert rows["idle"]["wins"] == rows["idle"]["points a game"] == "not enough data"
    heads = [column.text for column in _table(ladder(rated[1:])).columns]
    assert not {"rating", "without forfeits"} & set(heads)
    assert notes(ladder(rated, left_out=3))[-1] == ("Left out: 3 games of boards that are not complete.")


def _table(of: Ladder) -> Table:
    return next(one for one in standings_section(of).blocks if isinstance(one, Table))


def figures(of: Ladder) -> list[Figure]:
    return [one for one in standings_section(of).blocks if isinstance(one, Figure)]


def test_drawn_closer():
    """Where one gap takes most of the scale, those on its fuller side are drawn again without it; elsewhere not."""
    far = [*THREE.rungs, rung("random", 4, -850)]
    first, near = figures(ladder(far))
    assert near.title == "The same, closer: the 3 bots that are close"
    assert "random" in first.text
    assert "random" not in near.text
    # mc is far from two that are close, but not so far
    assert len(figures(ladder([rung("mc", 1, 286), RULE, ONE]))) == 1
    # wide intervals take the room of the gap
    assert len(figures(ladder([*THREE.rungs, rung("d", 4, 100, 300)]))) == 1


def test_forfeits():
    """Boards without a forfeit are drawn alone; where there is none, that is said."""
    clean = [rung("a", 1, 10, unforfeited=Interval(12, 11, 13)), rung("b", 2, 3)]
    some = ladder(clean, forfeited=3)
    (figure,) = (one for one in figures(some) if one.key == "standings-clean")
    assert figure.text == "a: 12.0 (11.0 to 13.0); b: not enough data"
    assert "On 3 of 10 boards somebody forfeited" in " ".join(notes(some))
    none = ladder(clean[1:], forfeited=10)
    assert notes(none)[-1].endswith("There is none to say what would be without that.")
    assert not [one for one in figures(none) if one.key == "standings-clean"]
    assert not [one for one in notes(ladder(clean)) if "forfeited" in one]


def test_ratings():
    """Ratings are drawn too, when they are asked for; that of the anchor is a matter of definition."""
    rated = [rung("a", 1, 10, rating=Interval(1600, 1550, 1650)), rung("b", 2, 3, rating=Interval(1500))]
    both = ladder(rated, anchor="b")
    (details,) = (one for one in standings_section(both).blocks if isinstance(one, Details))
    (figure,) = details.blocks
    assert isinstance(figure, Figure)
    assert figure.text == "a: 1,600 (1,550 to 1,650); b: 1,500 (no interval yet)"
    heads = [column.text for column in _table(both).columns]
    cells = [row[heads.index("rating")] for row in _table(both).rows]
    assert cells == ["1,600 (1,550 to 1,650)", "1,500 (by definition)"]


def notes(of: Ladder) -> list[str]:
    return [said(one) for one in standings_section(of).blocks if isinstance(one, Prose)]


def test_marks():
    """A bot without interval has a hollow dot, and one without points none; places that may be are before the name."""
    (figure,) = figures(ladder([RULE, rung("b", 2, 4, None, places=None), rung("idle", 3, None, places=None)]))
    dots = [dict(mark.attributes)["class"] for mark in figure.marks if mark.tag == "circle"]
    assert dots == ["dot", "dot hollow"]
    blank = "\N{FIGURE SPACE}" * 2
    names = ["".join(span.text for span in mark.marks) for mark in figure.marks if mark.marks and mark.tag == "text"]
    assert names == ["2\N{EN DASH}3.  rule", f"{blank}2.  b", f"{blank}3.  idle"]


def test_the_matrix():
    """Row against column, the other way round the rest to one, nothing on the diagonal; what is unknown is a dash."""
    more = ladder([*THREE.rungs, rung("new", 4, 1)], dict(THREE.duels))
    table = next(one for one in matrix_section(more).blocks if isinstance(one, Table))
    assert [column.text for column in table.columns] == ["bot", "mc", "rule", "one", "new"]
    cells = [[cell if isinstance(cell, str) else cell.text for cell in row] for row in table.rows]
    assert cells == [
        ["mc", "", "0.999", ">0.999", "\N{EN DASH}"],
        ["rule", "0.001", "", "0.820", "\N{EN DASH}"],
        ["one", "<0.001", "0.180", "", "\N{EN DASH}"],
        ["new", "\N{EN DASH}", "\N{EN DASH}", "\N{EN DASH}", ""],
    ]
    levels = [[cell.level for cell in row if isinstance(cell, Heat)] for row in table.rows]
    assert levels == [[10, 10], [0, 8], [0, 2], []]


def test_a_matrix_of_many():
    """With many bots the columns have numbers, and so do the rows."""
    rungs = [rung(f"bot {n}", n + 1, 100 - n) for n in range(30)]
    duels = {(f"bot {n}", f"bot {m}"): duel(1, 2, 0.6) for n in range(30) for m in range(n + 1, 30)}
    table = next(one for one in matrix_section(ladder(rungs, duels)).blocks if isinstance(one, Table))
    assert [column.text for column in table.columns[1:4]] == ["1", "2", "3"]
    assert [column.title for column in table.columns[1:3]] == ["bot 0", "bot 1"]
    assert table.rows[29][0] == "30 bot 29"


def test_no_matrix():
    """Without probabilities there is no matrix of nothing."""
    said_there = [said(one) for one in matrix_section(ladder([MC, RULE])).blocks if isinstance(one, Prose)]
    assert said_there[-1] == "not enough data"
