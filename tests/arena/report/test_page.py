from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from arena.report.hands import end_of, page_of, played, report_of, run_of, said, tables

from bluke.arena.report.page import make_report
from bluke.arena.standings import make_standings
from bluke.replay.text import visible
from bluke.wire.values import FaultKind, Status

HOSTILE = [
    "<script>alert(1)</script>",
    "</title><b>bold",
    "\"' onmouseover=alert(1) x='",
    "{{ 7 * 7 }}{% raw %}",
    "</style></svg>--><!--",
    "&lt;&amp;",
    "a\nb\x1b[31m\u202eevil",
]


class Outline(HTMLParser):
    """The elements of a page, its ids, where it links to, and the names of attributes that are code."""

    VOID = ("meta", "rect", "line", "circle", "path", "polyline")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.code: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []
        self.code += [name for name in found if name.startswith("on") or name in {"style", "src"}]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def games_of(*bots: str, boards: int = 3, lead: int = 5) -> list:
    """Boards of two hands in every rotation; the earlier a bot is named, the more points it has."""
    seats = len(bots)
    hands = [(2, [(1, seat % 3) for seat in range(seats)]), (1, [(1, 1), *[(1, 0)] * (seats - 1)])]
    games = []
    for board in range(boards):
        for turn in range(seats):
            at = [(seat - turn) % seats for seat in range(seats)]
            totals = [lead * (seats - who) + board * (who % 2) for who in at]
            number = board * seats + turn
            games.append(
                played(board, [bots[who] for who in at], *hands, totals=totals, number=number, times_ms=[1, 5, 9])
            )
    return games


@pytest.mark.parametrize("hostile", HOSTILE)
def test_names_stay_text(hostile: str):
    """Whatever a bot, its author, its version or a fault is called, it is text: no element and no attribute more."""
    plain = _everywhere("plain")
    nasty = _everywhere(hostile)
    expected, found = Outline(plain), Outline(nasty)
    assert found.tags == expected.tags
    assert found.ids == expected.ids
    assert found.code == []
    assert not found.open
    assert "\x1b" not in nasty
    assert "\u202e" not in nasty
    assert visible(hostile) in "".join(found.text)


def _everywhere(text: str) -> str:
    """A report of a run in which everything that others choose is `text`."""
    games = [
        played(
            game.board,
            [text if bot == "x" else bot for bot in game.bots],
            *((size, list(zip(*hand, strict=True))) for size, *hand in zip(game.sizes, *_turned(game), strict=True)),
            number=game.number,
            faults=[(0, FaultKind.ILLEGAL, 0, text)],
            versions=[text, text],
            replay=f"replays/{text}.jsonl",
            match=text,
            times_ms=[1],
        )
        for game in games_of("x", "other")
    ]
    run = run_of([text, "other"], boards=3, config={"rules": {"variant": text, text: text}, "schedule": text})
    run.match = run.server = text
    run.bots[0].author = run.bots[0].digest = text
    return report_of(run, games, end_of(text, text))


def _turned(game) -> list:
    """Bids and tricks by hand, as they stand for seats in the record."""
    return [[tuple(row[hand] for row in rows) for hand in range(len(game.sizes))] for rows in (game.bids, game.tricks)]


def test_a_page_of_its_own():
    """It has one style and one script, both named by the policy that forbids everything else, and no address in it."""
    page = report_of(run_of("ab", boards=3), games_of("a", "b"), end_of())
    outline = Outline(page)
    assert not outline.open
    assert outline.code == []
    assert (outline.tags.count("style"), outline.tags.count("script"), outline.tags.count("link")) == (1, 1, 0)
    assert re.search(r"content=\"default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'", page)
    assert not re.search(r"https?:|url\((?!#)|@import", page)


def test_ids_and_links():
    """Ids are unique, and every link leads to one of them or to a file of the run."""
    games = [*games_of("a", "b"), played(9, "ab", faults=[(0, FaultKind.CRASH, 0, "")], number=9)]
    outline = Outline(report_of(run_of("ab", boards=4), games, end_of()))
    assert len(set(outline.ids)) == len(outline.ids)
    inside = [link[1:] for link in outline.links if link.startswith("#")]
    files = [link for link in outline.links if not link.startswith("#")]
    assert set(inside) <= {*outline.ids}
    assert files
    assert all(re.fullmatch(r"\./replays/m-\d-\d\.(jsonl|html#\d)", link) for link in files)


def test_the_same_again():
    """The page is a function of its values: the same twice, and in whatever order the games were over."""
    games = games_of("a", "b", "c")
    run = run_of("abc", seats=3, boards=3)
    assert report_of(run, games, end_of()) == report_of(run, games[::-1], end_of())


def test_the_head():
    """It names the bots, the best first, what was played, how it ended and when."""
    page = page_of(run_of("ba", boards=3), games_of("a", "b"), end_of())
    assert (page.title, page.heading) == ("Bluke: a and b", "a and b")
    assert page.facts == ("complete", "2 seats", "3 boards", "6 games", "15 January 2026, 10:15 UTC, 2 h 3 min")


def test_a_run_that_is_not_complete():
    """It says how many games are missing, and the command that plays them."""
    run = run_of("ab", boards=9)
    page = page_of(run, games_of("a", "b"), end_of("stopped", None))
    assert page.facts[0] == "stopped before its end"
    assert "6 of 18 games" in page.facts
    (note,) = page.notes
    assert said(note).startswith("6 of 18 games are played")
    assert said(note).endswith("bluke arena --resume runs/r")
    assert page_of(run, games_of("a", "b")).facts[0] == "not ended yet, or was killed"


def test_the_bots():
    """A bot is told with its version, author and digest; one that came by itself has no digest."""
    run = run_of("ab", boards=3)
    run.bots[0].author = "Ada"
    bots = tables(page_of(run, games_of("a", "b")), "bots")["Bots"]
    assert bots["a"] == {"version": "none given", "author": "Ada", "digest": "0123456789ab"}
    guests = tables(page_of(run_of("", config=None), games_of("a", "b")), "bots")["Bots"]
    assert guests["b"] == {"version": "none given", "author": "none given", "digest": "unknown: it came by itself"}


CASES = {
    "no game": ("ab", 2, []),
    "one board": ("ab", 2, games_of("a", "b", boards=1)),
    "half a board": ("ab", 2, games_of("a", "b", boards=1)[:1]),
    "one bot in all seats": ("a", 2, [played(0, "aa", (1, [(1, 1), (1, 0)]), number=n) for n in range(2)]),
    "forfeited": ("ab", 2, [played(0, bots, totals=[0, 0], status=Status.FORFEITED) for bots in ("ab", "ba")]),
    "void": ("ab", 2, [played(0, "ab", totals=[9, 9], status=Status.VOID)]),
    "a bot that has not played": (["a", "b", "idle"], 2, games_of("a", "b")),
    "all alike": ("ab", 2, games_of("a", "b", lead=0, boards=1)),
    "fifteen seats": ([chr(97 + n) for n in range(15)], 15, games_of(*(chr(97 + n) for n in range(15)), boards=2)),
}


@pytest.mark.parametrize("case", CASES)
def test_whatever_was_played(case: str):
    """There is a page for every run, well formed, and nothing in it pretends to be a number."""
    bots, seats, games = CASES[case]
    page = report_of(run_of(bots, seats=seats, boards=2), games)
    outline = Outline(page)
    assert not outline.open
    assert len(set(outline.ids)) == len(outline.ids)
    shown = "".join(outline.text).split("use strict")[0]
    assert not re.search(r"\b(nan|inf|None)\b", shown)
    assert not re.search(r"\bnan\b", page)


def test_nothing_is_known():
    """Without a game each part says so, and no figure is given."""
    page = page_of(run_of("ab"), [])
    assert [said(one) for one in page.verdict] == ["No game counts yet, so there is nothing to say of any bot."]
    row = tables(page, "standings")["Standings"]["a"]
    assert row["points a game"] == "not enough data"
    assert tables(page, "points")["Points in single games"]["a"]["mean"] == "not enough data"
    assert tables(page, "outcomes")["Outcomes of bids"]["a"]["S %"] == "not enough data"


def test_thirty_bots():
    """Thirty bots have a row each, and the verdict stays a few sentences."""
    bots = [f"bot {n:02}" for n in range(30)]
    games = [game for table in range(6) for game in games_of(*bots[5 * table : 5 * table + 5], boards=1)]
    for number, game in enumerate(games):
        game.board = number // 5
    run = run_of(bots, seats=5, boards=6)
    page = page_of(run, games, end_of())
    assert page.heading.endswith("and 26 more")
    assert len(tables(page, "standings")["Standings"]) == 30
    assert len(page.verdict) <= 4
    standings = make_standings(games, bots, 5)
    assert not Outline(make_report(run, games, end_of(), standings)).open
