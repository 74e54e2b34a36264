from __future__ import annotations

import pytest
from arena.report.hands import end_of, page_of, played, run_of, section, tables

from bluke.arena.report.bidding import leaning
from bluke.arena.report.tally import tally_games
from bluke.arena.report.values import Figure, Heat, Panels, Table

#: Each takes two of three tricks and half of the single ones; `over` bids one or two more, `under` as many less.
GAMES = [
    played(board, bots, (3, [(by[bot] + board % 2, 2) for bot in bots]), (1, [(1, 1), (1, 0)]), number=turn)
    for board in range(6)
    for turn, bots in enumerate((["over", "under"], ["under", "over"]))
    for by in ({"over": 3, "under": 0},)
]


def test_over_and_underbidding():
    """Mean bid, mean tricks, the difference with its interval, and the word for it."""
    found = tables(page_of(run_of(["over", "under"], boards=6), GAMES, end_of()), "bids")
    rows = found["Bids and tricks a hand, all sizes together"]
    assert rows["over"]["bid"] == "2.25"
    assert rows["over"]["taken"] == "1.25"
    assert rows["over"]["taken \N{MINUS SIGN} bid"] == "\N{MINUS SIGN}1.00"
    assert rows["over"]["it ..."] == "overbids by 1.00 tricks a hand"
    assert rows["under"]["it ..."] == "underbids by 0.50 tricks a hand"
    assert rows["under"]["95% interval"] == "0.21 to 0.79"


def test_by_hand_size():
    """Each bot has a table by hand size, with counts, shares and points."""
    found = tables(page_of(run_of(["over", "under"], boards=6), GAMES, end_of()), "bids")
    over = found["over: bids and tricks by hand size"]
    assert list(over) == ["1", "3"]
    assert over["1"] == {
        "bid": "1.00",
        "taken": "0.50",
        "taken \N{MINUS SIGN} bid": "\N{MINUS SIGN}0.50",
        "bids made": "50%",
        "points a hand": "0.0",
        "hands": "12",
    }
    assert over["3"]["points a hand"] == "\N{MINUS SIGN}35.0"
    assert found["under: bids and tricks by hand size"]["3"]["bids made"] == "100%"


def test_the_panels_show_the_table():
    """Every mark of a panel stands where its value is, and says the number that the table has."""
    page = page_of(run_of(["over", "under"], boards=6), GAMES, end_of())
    panels = next(block for block in section(page, "bids").blocks if isinstance(block, Panels))
    figure = next(figure for figure in panels.figures if figure.title == "over")
    assert figure.text == "overbids by 1.00 tricks a hand"
    bids = [dict(mark.attributes) | {"said": mark.marks[0].text} for mark in figure.marks if mark.tag == "rect"]
    assert [bid["said"] for bid in bids] == ["1 card, 12 hands: mean bid 1.00", "3 cards, 12 hands: mean bid 3.50"]
    taken = [dict(mark.attributes) | {"said": mark.marks[0].text} for mark in figure.marks if mark.tag == "circle"]
    assert [one["said"] for one in taken] == ["1 card, 12 hands: mean taken 0.50", "3 cards, 12 hands: mean taken 2.00"]
    # 3.5 is the top of the panel; half a trick stands at a seventh of its height
    assert [float(bid["y"]) + 3 for bid in bids] == pytest.approx([132 - 122 / 3.5, 10], abs=0.01)
    assert [float(one["cy"]) for one in taken] == pytest.approx([132 - 122 / 7, 132 - 122 * 2 / 3.5], abs=0.01)


def test_leaning_in_words():
    """Without an interval that is said; with zero in it, to be about right; without hands, nothing."""
    one = played(0, "ab", (2, [(2, 1), (1, 1)]))
    assert leaning(tally_games([one], "ab")["a"]) == "overbids by 1.00 tricks a hand, without an interval"
    assert leaning(tally_games([one], "ab")["b"]) == "bids what it takes"
    close = [played(board, "ab", (2, [(1, board), (1, 1)])) for board in range(3)]
    assert leaning(tally_games(close, "ab")["a"]) == "bids about what it takes (\N{MINUS SIGN}2.48 to 2.48)"
    assert leaning(tally_games(close, ["a", "b", "idle"])["idle"]) == "not enough data"


def test_outcomes():
    """Counts and shares of bids set, made with overtricks and perfect; the bar has the same parts."""
    game = played(0, "ab", *((2, [bid, (1, 1)]) for bid in [(1, 0)] * 2 + [(1, 2)] * 5 + [(1, 1)] * 3))
    page = page_of(run_of("ab", seats=2), [game, played(0, "ba", number=1)])
    row = tables(page, "outcomes")["Outcomes of bids"]["a"]
    assert list(row.values()) == ["2", "5", "3", "20%", "50%", "30%", "10"]
    figure = section(page, "outcomes").blocks[1]
    assert isinstance(figure, Figure)
    bars = [dict(mark.attributes) for mark in figure.marks if dict(mark.attributes).get("class", "").startswith("bar")]
    # `b` is before `a`, and all of its bids are perfect
    assert [bar["class"] for bar in bars] == ["bar set", "bar over", "bar perfect"] * 2
    assert [bar["width"] for bar in bars[-3:]] in (["20.00%", "50.00%", "30.00%"], ["0.00%", "0.00%", "100.00%"])
    assert "a: 20% set, 50% made with overtricks, 30% perfect" in figure.text


def test_points_by_hand_size():
    """A cell is the mean points of a hand; its colour says whether that is a gain, and of what size."""
    page = page_of(run_of(["over", "under"], boards=6), GAMES, end_of())
    (table,) = (block for block in section(page, "sizes").blocks if isinstance(block, Table))
    cells = {row[0]: [cell for cell in row[1:] if isinstance(cell, Heat)] for row in table.rows}
    assert [(cell.text, cell.level) for cell in cells["over"]] == [("0.0", 5), ("\N{MINUS SIGN}35.0", 0)]
    assert [(cell.text, cell.level) for cell in cells["under"]] == [("0.0", 5), ("6.5", 7)]


def test_many_sizes():
    """With more sizes than can be written under a panel some of them are left out, and all are in the table."""
    hands = [(size, [(1, size), (1, 0)]) for size in range(1, 28)]
    page = page_of(run_of("ab"), [played(0, "ab", *hands), played(0, "ba", *hands, number=1)])
    panels = next(block for block in section(page, "bids").blocks if isinstance(block, Panels))
    ticks = [mark.text for mark in panels.figures[0].marks if dict(mark.attributes).get("class") == "tick"]
    assert ticks == [str(size) for size in range(1, 28, 3)]
    assert len(tables(page, "bids")["a: bids and tricks by hand size"]) == 27
