from __future__ import annotations

from arena.report.hands import blocks, commands, end_of, links, page_of, played, run_of, section, tables, words

from bluke.arena.report.places import Places
from bluke.arena.report.values import Box, Details
from bluke.wire.values import FaultKind

BOARD = [
    played(7, "ab", (2, [(1, 1), (1, 1)]), (2, [(2, 0), (1, 2)]), number=0),
    played(7, "ba", (2, [(1, 1), (1, 1)]), (2, [(2, 2), (1, 0)]), number=1),
]


def test_a_worst_board():
    """It tells the points, those of the others with the same cards, and the hand to look at with its commands."""
    page = page_of(run_of("ab"), BOARD, end_of())
    first = next(
        block for block in section(page, "boards").blocks if isinstance(block, Details) and block.summary[0] == "a"
    )
    assert first.summary == "a: board 7, 30.5 behind"
    (box,) = first.blocks
    assert isinstance(box, Box)
    assert box.title == "1. Board 7"
    said = words(page, "boards")
    # a: -10 in seat 0, 10 - 10 in seat 1; b: 21 and 30
    assert "\N{MINUS SIGN}5.0 points a game, the others 25.5: 30.5 behind. With the same cards b 25.5." in said
    assert (
        "Hand 1, of 2 cards, in seat 0: it bid 2, took 0 (\N{MINUS SIGN}20); b bid 2, took 2 (+20). "
        "That is 40.0 behind: the replay."
    ) in said
    assert "bluke replay show runs/r/replays/m-7-0.jsonl --hand 1 --seat 0" in commands(page, "boards")
    assert "bluke replay html runs/r/replays/m-7-0.jsonl -o runs/r/replays/m-7-0.html" in commands(page, "boards")
    assert "./replays/m-7-0.html#1" in links(page, "boards")
    assert links(page, "boards")[-2:] == ["./replays/m-7-0.jsonl", "./replays/m-7-1.jsonl"]
    assert "Its games, by seat: seat\xa00 \N{MINUS SIGN}10, others 30; seat\xa01 0, others 21." in said


def test_no_complete_board():
    """Without a complete board nothing is compared, and that is said."""
    page = page_of(run_of("ab"), BOARD[:1])
    assert words(page, "boards")[-1] == "not enough data: no board with others is complete."


def test_boards_of_several_matches():
    """Where boards of one number are of several matches, their matches are named."""
    other = [played(7, bots, totals=[9, 0], match="other", number=turn) for turn, bots in enumerate(("ab", "ba"))]
    titles = [
        block.title
        for block in blocks(section(page_of(run_of("ab"), [*BOARD, *other]), "boards"))
        if isinstance(block, Box)
    ]
    assert titles == ["1. Board 7 of other", "2. Board 7 of m", "1. Board 7 of m", "2. Board 7 of other"]


def test_many_others():
    """Of many others the best are named and the rest counted; so are the games of a board."""
    bots = [chr(ord("a") + n) for n in range(15)]
    games = [
        played(0, bots[-turn:] + bots[:-turn], (1, [(1, n % 2) for n in range(15)]), number=turn) for turn in range(15)
    ]
    said = words(page_of(run_of(bots, seats=15), games), "boards")
    assert sum("and 8 more" in one for one in said) == 2 * 15
    assert sum("; seat\xa014 " in one and one.endswith(".") for one in said) == 15


FAULTS = [
    played(
        0,
        "ab",
        (1, [(1, 1), (1, 0)]),
        number=number,
        faults=[
            (1, FaultKind.TIMEOUT, 0, "no answer\nwithin 2000 ms"),
            *([(0, FaultKind.CRASH, 0, "")] if number == 2 else []),
        ],
        played_out=[1] if number else [],
    )
    for number in range(5)
]


def test_faults():
    """They are counted by bot and kind, with the games in which the referee took over."""
    page = page_of(run_of("ab"), FAULTS)
    rows = tables(page, "faults")["Faults by bot and kind, in all recorded games"]
    assert rows["a"] == {"crash": "1", "disconnected": "0", "timeout": "0", "protocol": "0", "illegal": "0"} | {
        "all": "1",
        "played out": "0",
    }
    assert rows["b"] == {"crash": "0", "disconnected": "0", "timeout": "5", "protocol": "0", "illegal": "0"} | {
        "all": "5",
        "played out": "4",
    }
    assert page.notes[-1].parts[0].text == "There were 6 faults in 5 games: "


def test_games_with_faults():
    """The first of them are listed with link, detail and command; the others are counted, with what finds them."""
    page = page_of(run_of("ab"), FAULTS)
    said = words(page, "faults")
    assert "game m-0-0, seat 1, hand 0: no answer\\nwithin 2000 ms" in said
    assert "game m-0-2, seat 0, hand 0" in said
    assert "... and 2 more. All of them:" in said
    shown = commands(page, "faults")
    assert "bluke replay show runs/r/replays/m-0-2.jsonl --hand 0 --seat 0" in shown
    assert any(one.startswith("jq ") and '.kind == "timeout"' in one for one in shown)
    assert links(page, "faults").count("./replays/m-0-1.jsonl") == 1


def test_no_faults():
    """Without faults there is one sentence, and no note at the head."""
    page = page_of(run_of("ab"), BOARD, end_of())
    assert words(page, "faults") == ["No faults: every answer came in time and was legal."]
    assert page.notes == ()


def test_places():
    """Paths are quoted for the shell and for links, and cannot become options or addresses."""
    where = Places("my runs/r", base="../my%20runs/r", command="x/bluke")
    assert (
        where.show("replays/a b.jsonl", 0, 1) == "x/bluke replay show 'my runs/r/replays/a b.jsonl' --hand 0 --seat 1"
    )
    assert where.show("replays/a.jsonl") == "x/bluke replay show 'my runs/r/replays/a.jsonl'"
    assert where.link("replays/a b.jsonl") == "../my%20runs/r/replays/a%20b.jsonl"
    assert where.page_link("replays/a.jsonl.gz", 3) == "../my%20runs/r/replays/a.html#3"
    assert (
        where.page("replays/a.jsonl") == "x/bluke replay html 'my runs/r/replays/a.jsonl' -o 'my runs/r/replays/a.html'"
    )
    assert (where.run, Places().run) == ("'my runs/r'", ".")
    assert Places().file("-x;rm") == "'./-x;rm'"
    for hostile in ("javascript:alert(1)", "//host/x", 'x" onclick="y', "https://host/"):
        link = Places().link(hostile)
        assert link.startswith("./")
        assert not set(link) & set(":\"<> '")
