from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.form import MAX_BOARDS, MAX_GAMES, Form, Kind, Rotations
from bluke.arena.schedule import every_table

AUTHORS = st.lists(st.sampled_from(["", "", "Ann", "Bob", "Cid"]), min_size=1, max_size=9)


def brute_force(form: Form, bots: int, seats: int) -> set[tuple[int, ...]]:
    """Every table of different bots, and of them those at which no two have the same author."""
    return {
        table
        for table in combinations(range(bots), seats)
        if not any(
            form.authors and form.authors[a] and form.authors[a] == form.authors[b]
            for a in table
            for b in table
            if a != b
        )
    }


@given(AUTHORS, st.integers(2, 6), st.booleans())
def test_the_tables_of_a_round(authors: list[str], seats: int, apart: bool):
    """A round has every table that may be, once, and their number is known without making them."""
    form = Form(Kind.ROUND_ROBIN, authors=tuple(authors) if apart else ())
    bots = len(authors)
    tables = every_table(form, bots, seats)
    assert len(tables) == form.tables(bots, seats)
    assert tables == sorted(tables)
    if bots >= seats:
        assert set(tables) == brute_force(form, bots, seats)


@given(st.integers(1, 6), st.integers(2, 15))
def test_tables_of_few_bots(bots: int, seats: int):
    """With fewer bots than seats every bot is at every table, and none has two seats more than another."""
    tables = every_table(Form(Kind.ROUND_ROBIN), bots, seats)
    if bots < seats:
        for table in tables:
            counts = [table.count(bot) for bot in range(bots)]
            assert sum(counts) == seats
            assert min(counts) >= 1
            assert max(counts) - min(counts) <= 1
    assert len(set(tables)) == len(tables) == Form().tables(bots, seats)


def test_tables_known_beforehand():
    """Numbers that can be worked out on paper."""
    assert Form().tables(7, 4) == 35
    assert Form().tables(4, 4) == 1
    assert Form().tables(2, 4) == 1
    assert Form().tables(3, 4) == 3
    assert Form(authors=("x", "x", "y", "y", "")).tables(5, 3) == 4
    assert Form(authors=("x", "x", "y", "y", "")).tables(5, 4) == 0


def test_the_games_of_a_board():
    """A rotation for each seat, or every arrangement that differs; a comparison has them twice."""
    turned, every = Rotations.CYCLIC, Rotations.ALL
    assert Form(Kind.POOL, turned).lineups(9, 4) == 4
    assert Form(Kind.POOL, every).lineups(9, 4) == 24
    assert Form(Kind.POOL, every).lineups(2, 4) == len(set(permutations("aabb"))) == 6
    assert Form(Kind.POOL, every).lineups(3, 5) == len(set(permutations("aabbc"))) == 30
    assert Form(Kind.GAUNTLET, every, heads=(0,)).lineups(3, 5) == len(set(permutations("aabbc"))) == 30
    assert Form(Kind.GAUNTLET, every, heads=(0,)).lineups(2, 4) == len(set(permutations("abbb"))) == 4
    assert Form(Kind.COMPARE, turned, heads=(0, 1)).lineups(9, 4) == 8
    assert Form(Kind.COMPARE, every, heads=(0, 1)).lineups(4, 5) == 2 * len(set(permutations("abbcc"))) == 60


PLAYABLE = [
    (Form(), 1, 2),
    (Form(authors=("x", "y", "")), 3, 3),
    (Form(authors=("", "", "")), 3, 3),
    (Form(authors=("x", "x", "y")), 3, 2),
    (Form(authors=("x", "y")), 2, 5),
    (Form(Kind.GAUNTLET, heads=(1,), authors=("x", "y")), 2, 3),
    (Form(Kind.COMPARE, heads=(0, 1), authors=("x", "x", "y")), 3, 4),
    (Form(rotations=Rotations.ALL), 6, 6),
]


@pytest.mark.parametrize(("form", "bots", "seats"), PLAYABLE)
def test_what_can_be_played(form: Form, bots: int, seats: int):
    """A form that has no problem has none said of it: authors matter only where two of one would sit together."""
    assert form.problem([str(bot) for bot in range(bots)], seats, 10) is None


NOT_PLAYABLE = {
    "one author": (
        Form(authors=("x", "x")), "ab", 2,
        ("no table can be made: two bots of one author do not meet, so it takes 2 bots of different authors, and there "
        "are 1: 'x' wrote 'a' and 'b'; add bots of others, or let them meet with "
        "same_author = true (--same-author)"),
    ),
    "too few authors": (
        Form(authors=("x", "y", "x", "x", "y")), "abcde", 3,
        "it takes 3 bots of different authors, and there are 2: 'x' wrote 'a', 'c' and 'd', 'y' wrote 'b' and 'e'; add",
    ),
    "fewer bots than seats": (
        Form(authors=("x", "y", "x")), "abc", 4,
        "it takes 3 bots of different authors, and there are 2: 'x' wrote 'a' and 'c'; add bots of others, take fewer",
    ),
    "a round robin too": (Form(Kind.ROUND_ROBIN, authors=("x", "x")), "ab", 2, "no table can be made"),
    "the field of a gauntlet": (
        Form(Kind.GAUNTLET, heads=(0,), authors=("", "x", "x")), "abc", 3, "it takes 2 bots of different authors"
    ),
    "the challenger's author": (
        Form(Kind.GAUNTLET, heads=(0,), authors=("x", "x", "")), "abc", 2,
        "'b' would never play: two bots of one author do not meet, and 'x' also wrote 'a'; leave them out, or let them",
    ),
    "the author of the old one": (
        Form(Kind.COMPARE, heads=(0, 1), authors=("", "x", "y", "x", "x")), "abcde", 2,
        "'d' and 'e' would never play: two bots of one author do not meet, and 'x' also wrote 'b'",
    ),
    "nobody to meet": (
        Form(Kind.GAUNTLET, heads=(0,)), "a", 2,
        "the challenger has nobody to meet: a gauntlet needs another bot",
    ),
    "nobody to compare against": (
        Form(Kind.COMPARE, heads=(1, 0)), "ab", 2,
        "new and old have nobody to meet: both play against the same others, so add a third bot",
    ),
    "too many arrangements": (
        Form(rotations=Rotations.ALL), "abcdefg", 7,
        ('rotations = "all": with 7 seats a board would have 5040 games; this goes up to 6 seats, so take fewer, or '
        'rotations = "cyclic"'),
    ),
    "too many of two": (Form(rotations=Rotations.ALL), "ab", 8, "with 8 seats a board would have 70 games"),
    "a round without an end": (
        Form(Kind.ROUND_ROBIN), [str(bot) for bot in range(40)], 6,
        ("a round of 40 bots at tables of 6 has 3838380 boards, and a match has at most 100000; take fewer bots, or "
        'schedule = "pool"'),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("form", "names", "seats", "said"), NOT_PLAYABLE.values(), ids=NOT_PLAYABLE)
def test_what_cannot_be_played(form: Form, names: list[str], seats: int, said: str):
    """Why it cannot be played is said in one sentence, with the bots it is about and what to do."""
    problem = form.problem(list(names), seats, 10)
    assert problem is not None
    assert said in problem
    assert "\n" not in problem


def test_more_games_than_fit():
    """A match that would not fit into memory is refused with its number of games."""
    form = Form(rotations=Rotations.ALL)
    most = MAX_GAMES // 720
    assert form.problem(list("abcdef"), 6, most) is None
    assert form.problem(list("abcdef"), 6, MAX_BOARDS) == (
        "100000 boards of 720 games each are 72000000 games, and a match has at most 2000000; take fewer boards"
    )
    assert Form().problem(list("ab"), 15, MAX_BOARDS) is None


def test_names_of_strangers():
    """Bots and authors may be called anything; a sentence shows it and names a few of many."""
    form = Form(authors=("\x1b[2J",) * 60)
    problem = form.problem([f"b{n}\u202e" for n in range(60)], 3, 1)
    assert problem is not None
    assert problem.isprintable()
    assert "'\\x1b[2J' wrote 'b0\\u202e', " in problem
    assert "and 54 more; add" in problem
    many = Form(authors=tuple(f"author {n // 2}" for n in range(40)))
    assert ", and 14 more authors several; add" in (many.problem([str(n) for n in range(40)], 30, 1) or "")
