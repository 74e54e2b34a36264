from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import combinations, pairwise
from math import factorial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bluke.arena.form import Form, Kind, Rotations
from bluke.arena.schedule import Fixture, every_table, make_schedule

SEATS = st.integers(2, 8)
BOTS = st.integers(1, 12)
BOARDS = st.integers(1, 40)
SEEDS = st.binary(max_size=8)


AUTHORS = st.lists(st.sampled_from(["", "", "Ann", "Bob", "Cid"]), min_size=1, max_size=12).map(tuple)
#: Kinds with as many heads as they have.
KINDS = st.sampled_from([(Kind.POOL, 0), (Kind.ROUND_ROBIN, 0), (Kind.GAUNTLET, 1), (Kind.COMPARE, 2)])


@st.composite
def played_forms(draw: st.DrawFn, kinds: st.SearchStrategy[tuple[Kind, int]] = KINDS) -> tuple[Form, int, int, int]:
    """A form that can be played, with its bots, seats and boards."""
    kind, heads = draw(kinds)
    rotations = draw(st.sampled_from(Rotations))
    authors = draw(AUTHORS)
    bots = len(authors)
    seats = draw(st.integers(2, 5 if rotations is Rotations.ALL else 8))
    boards = draw(st.integers(1, 5 if rotations is Rotations.ALL else 40))
    places = draw(st.permutations(range(bots)))[:heads]
    form = Form(kind, rotations, tuple(places), authors if draw(st.booleans()) else ())
    assume(len(places) == heads)
    assume(form.problem([str(bot) for bot in range(bots)], seats, boards) is None)
    return form, bots, seats, boards


def boards_of(fixtures: tuple[Fixture, ...]) -> dict[int, list[Fixture]]:
    boards: dict[int, list[Fixture]] = {}
    for fixture in fixtures:
        boards.setdefault(fixture.board, []).append(fixture)
    return boards


@given(BOTS, SEATS, BOARDS, SEEDS)
def test_every_bot_of_a_board_plays_every_seat(bots: int, seats: int, boards: int, seed: bytes):
    """A board is one game for each rotation, and a bot is in each seat once for each place it has in the group."""
    fixtures = make_schedule(bots, seats, boards, seed)
    assert [fixture.number for fixture in fixtures] == list(range(boards * seats))
    found = boards_of(fixtures)
    assert sorted(found) == list(range(boards))
    for games in found.values():
        assert sorted(game.rotation for game in games) == list(range(seats))
        group = Counter(games[0].lineup)
        for seat in range(seats):
            assert Counter(game.lineup[seat] for game in games) == group
        assert all(Counter(game.lineup) == group for game in games)


@given(BOTS, SEATS, BOARDS, SEEDS)
def test_a_board_turns_the_same_ring(bots: int, seats: int, boards: int, seed: bytes):
    """Rotation r moves everybody r seats on: who sits left of whom is the same in all games of a board."""
    for games in boards_of(make_schedule(bots, seats, boards, seed)).values():
        (first,) = (game.lineup for game in games if game.rotation == 0)
        for game in games:
            assert all(game.lineup[(seat + game.rotation) % seats] == first[seat] for seat in range(seats))


@given(BOTS, SEATS, BOARDS, SEEDS)
def test_everybody_plays_as_much(bots: int, seats: int, boards: int, seed: bytes):
    """The places that two bots have in all boards differ by one at the most."""
    groups = [games[0].lineup for games in boards_of(make_schedule(bots, seats, boards, seed)).values()]
    places = Counter(dict.fromkeys(range(bots), 0))
    for group in groups:
        places.update(group)
    assert max(places.values()) - min(places.values()) <= 1
    if bots >= seats:
        assert all(len(set(group)) == seats for group in groups)
    else:
        assert all(set(group) == set(range(bots)) for group in groups)


@given(st.integers(4, 10), st.integers(2, 4), SEEDS)
def test_pairs_meet_as_often(bots: int, seats: int, seed: bytes):
    """After many boards every pair has met about as often as every other."""
    if bots < seats:
        return
    met: Counter[tuple[int, int]] = Counter(dict.fromkeys(combinations(range(bots), 2), 0))
    boards = 60
    for games in boards_of(make_schedule(bots, seats, boards, seed)).values():
        met.update(combinations(sorted(games[0].lineup), 2))
    mean = boards * seats * (seats - 1) / (bots * (bots - 1))
    assert max(met.values()) - min(met.values()) <= max(4, mean / 4)


@given(BOTS, SEATS, st.integers(1, 20), SEEDS)
def test_a_seed_makes_the_schedule(bots: int, seats: int, boards: int, seed: bytes):
    """The same seed gives the same schedule."""
    assert make_schedule(bots, seats, boards, seed) == make_schedule(bots, seats, boards, seed)


def test_seeds_differ():
    """Another seed gives another order of play."""
    assert make_schedule(4, 4, 16, b"one") != make_schedule(4, 4, 16, b"two")


def test_the_schedule_of_a_known_seed():
    """Schedules stay what they were: a seed that somebody wrote down gives the same games in a later version."""
    first = [(game.board, game.rotation, game.lineup) for game in make_schedule(5, 3, 4, b"bluke")[:4]]
    assert first == [(3, 0, (2, 1, 3)), (2, 1, (4, 0, 2)), (0, 2, (3, 4, 1)), (0, 0, (1, 3, 4))]


def test_hash_randomisation_changes_nothing():
    """A schedule does not depend on PYTHONHASHSEED."""
    code = (
        "from bluke.arena.form import Form, Kind; from bluke.arena.schedule import make_schedule as make\n"
        "forms = [Form(), Form(Kind.ROUND_ROBIN, authors=('x', 'x', *'abcde')), Form(Kind.GAUNTLET, heads=(3,))]\n"
        "print([make(7, 4, 9, b'x', form) for form in forms])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(printed) == 1


@given(SEEDS)
def test_the_order_tells_no_boards(seed: bytes):
    """Games that follow each other share a deal no more often than chance has it."""
    fixtures = make_schedule(4, 4, 64, seed)
    together = sum(a.board == b.board for a, b in pairwise(fixtures))
    # 3/63 of 255 neighbours are expected, 12; were boards kept together it would be 192.
    assert together < 40


@given(st.integers(1, 40), SEEDS)
def test_boards_are_begun_in_windows(boards: int, seed: bytes):
    """A run that is stopped early has whole boards: no game of a later window comes before an earlier one's."""
    windows = [game.board // 16 for game in make_schedule(4, 4, boards, seed)]
    assert windows == sorted(windows)


# Of every form


@given(played_forms(), SEEDS)
def test_a_board_has_its_games(played: tuple[Form, int, int, int], seed: bytes):
    """Games are numbered in the order of play, and each board has every one of its arrangements once."""
    form, bots, seats, boards = played
    fixtures = make_schedule(bots, seats, boards, seed, form)
    each = form.lineups(bots, seats)
    assert [fixture.number for fixture in fixtures] == list(range(boards * each))
    found = boards_of(fixtures)
    assert sorted(found) == list(range(boards))
    for games in found.values():
        assert sorted(game.rotation for game in games) == list(range(each))
        assert all(len(game.lineup) == seats and set(game.lineup) <= set(range(bots)) for game in games)
    assert make_schedule(bots, seats, boards, seed, form) == fixtures


@given(played_forms(), SEEDS)
def test_bots_of_one_author_never_meet(played: tuple[Form, int, int, int], seed: bytes):
    """Two bots at a table have different authors; one bot in two seats is one bot."""
    form, bots, seats, boards = played
    for game in make_schedule(bots, seats, boards, seed, form):
        authors = [form.authors[bot] for bot in set(game.lineup) if form.authors and form.authors[bot]]
        assert len(set(authors)) == len(authors)


@given(played_forms(), SEEDS)
def test_a_bot_sits_twice_only_where_bots_are_few(played: tuple[Form, int, int, int], seed: bytes):
    """A table seats as many different bots as there are, or as it has seats, and no head twice."""
    form, bots, seats, boards = played
    field, taken = form.field(bots), form.field_seats(seats)
    for game in make_schedule(bots, seats, boards, seed, form):
        others = Counter(bot for bot in game.lineup if bot not in form.heads)
        assert len(others) == min(len(field), taken)
        assert sum(others.values()) == taken


@given(played_forms(), SEEDS)
def test_everybody_in_every_seat(played: tuple[Form, int, int, int], seed: bytes):
    """On each board a bot is in every seat equally often, whichever the arrangements."""
    form, bots, seats, boards = played
    for games in boards_of(make_schedule(bots, seats, boards, seed, form)).values():
        for seat in range(seats):
            assert Counter(game.lineup[seat] for game in games) == Counter(game.lineup[0] for game in games)


@given(played_forms(), SEEDS)
def test_all_arrangements(played: tuple[Form, int, int, int], seed: bytes):
    """All arrangements of a board are different, and on it every two bots are left of each other equally often."""
    form, bots, seats, boards = played
    assume(form.rotations is Rotations.ALL)
    for games in boards_of(make_schedule(bots, seats, boards, seed, form)).values():
        assert len({game.lineup for game in games}) == len(games)
        left: Counter[tuple[int, int]] = Counter()
        for game in games:
            left.update((bot, game.lineup[(seat + 1) % seats]) for seat, bot in enumerate(game.lineup))
        assert all(left[one, other] == left[other, one] for one, other in left)
        if len(set(games[0].lineup)) == seats:
            # A pair takes one of so many places in the ring, and the others the rest in any order.
            times = seats * factorial(seats - 2)
            field = set(games[0].lineup) - set(form.heads)
            assert all(left[head, other] == left[other, head] == times for head in form.heads for other in field)
            both = times * max(1, len(form.heads))
            assert all(left[one, other] == both for one in field for other in field - {one})


@pytest.mark.parametrize(
    ("form", "bots", "seats"),
    [
        (Form(rotations=Rotations.ALL), 3, 5),
        (Form(Kind.ROUND_ROBIN), 3, 5),
        (Form(Kind.GAUNTLET, heads=(1,)), 4, 6),
        (Form(Kind.COMPARE, heads=(2, 0)), 5, 6),
    ],
)
def test_few_bots_share_their_tables(form: Form, bots: int, seats: int):
    """At each table none has two seats more than another, so that all boards have as many arrangements."""
    for game in make_schedule(bots, seats, 9, b"seed", form):
        counts = Counter(bot for bot in game.lineup if bot not in form.heads)
        assert max(counts.values()) - min(counts.values()) <= 1


# Who sits at the tables


def fairest(teams: list[int], seats: int, boards: int) -> bool:
    """Whether teams of so many bots, of which one sits at a table, can play so many boards each within one of another.

    Then some bots play `least` boards and the others one more; a team plays no more boards than there are. Whatever
    numbers add up like this can be seated.
    """
    least, more = divmod(boards * seats, sum(teams))
    room = [boards - least * team for team in teams]
    return min(room) >= 0 and sum(map(min, teams, room)) >= more


@given(AUTHORS, st.integers(2, 6), st.integers(1, 40), SEEDS)
def test_everybody_plays_as_much_where_authors_allow(authors: tuple[str, ...], seats: int, boards: int, seed: bytes):
    """After every board no two bots differ by more than one, wherever that can be done without two of one author."""
    form = Form(authors=authors)
    bots = len(authors)
    assume(bots >= seats and form.problem([str(bot) for bot in range(bots)], seats, boards) is None)
    teams = Counter(map(form.team, range(bots)))
    played = Counter(dict.fromkeys(range(bots), 0))
    for board, games in sorted(boards_of(make_schedule(bots, seats, boards, seed, form)).items()):
        played.update(games[0].lineup)
        if fairest(list(teams.values()), seats, board + 1):
            assert max(played.values()) - min(played.values()) <= 1


@given(st.integers(2, 6), st.integers(1, 4), st.integers(1, 30), SEEDS)
def test_an_author_of_many_bots(seats: int, others: int, boards: int, seed: bytes):
    """An author of more bots than can play as much as the others has one at every table, and they take turns."""
    many = 12
    form = Form(authors=("x",) * many + ("",) * (seats - 1 + others))
    bots = many + seats - 1 + others
    assume(many * seats > bots)
    found = boards_of(make_schedule(bots, seats, boards, seed, form))
    played = Counter(bot for games in found.values() for bot in games[0].lineup)
    of_x = [played[bot] for bot in range(many)]
    the_others = [played[bot] for bot in range(many, bots)]
    assert sum(of_x) == boards
    assert max(of_x) - min(of_x) <= 1
    assert max(the_others) - min(the_others) <= 1


def test_authors_of_one_bot_each_change_nothing():
    """A roster that says who wrote its bots is scheduled as one that does not, unless somebody wrote two."""
    authors = Form(authors=("Ann", "", "Bob", "Cid", ""))
    assert make_schedule(5, 4, 20, b"seed", authors) == make_schedule(5, 4, 20, b"seed")


@given(played_forms(st.just((Kind.ROUND_ROBIN, 0))), SEEDS)
def test_every_table_once_a_round(played: tuple[Form, int, int, int], seed: bytes):
    """Each round has every table exactly once, and what is left of the last one has none twice."""
    form, bots, seats, boards = played
    tables = Counter(every_table(form, bots, seats))
    found = boards_of(make_schedule(bots, seats, boards, seed, form))
    seated = [tuple(sorted(found[board][0].lineup)) for board in range(boards)]
    for start in range(0, boards, tables.total()):
        in_round = Counter(seated[start : start + tables.total()])
        assert in_round <= tables
        assert in_round == tables or start + tables.total() > boards


def test_rounds_have_orders_of_their_own():
    """The second round is not the first one again."""
    found = boards_of(make_schedule(6, 3, 40, b"seed", Form(Kind.ROUND_ROBIN)))
    seated = [tuple(sorted(found[board][0].lineup)) for board in range(40)]
    assert sorted(seated[:20]) == sorted(seated[20:])
    assert seated[:20] != seated[20:]


@given(played_forms(st.just((Kind.GAUNTLET, 1))), SEEDS)
def test_the_challenger_plays_every_game(played: tuple[Form, int, int, int], seed: bytes):
    """The challenger has one seat in each game, and the others play boards within one of each other."""
    form, bots, seats, boards = played
    (challenger,) = form.heads
    fixtures = make_schedule(bots, seats, boards, seed, form)
    assert all(game.lineup.count(challenger) == 1 for game in fixtures)
    if len(set(map(form.team, range(bots)))) == bots:
        field = Counter(bot for games in boards_of(fixtures).values() for bot in games[0].lineup if bot != challenger)
        assert len(field) == bots - 1 or boards * (seats - 1) < bots - 1
        assert max(field.values()) - min(field[bot] for bot in form.field(bots)) <= 1


@given(played_forms(st.just((Kind.COMPARE, 2))), SEEDS)
def test_old_plays_what_new_plays(played: tuple[Form, int, int, int], seed: bytes):
    """On each board NEW and OLD have the same seats among the same others, in games of the same numbers."""
    form, bots, seats, boards = played
    new, old = form.heads
    half = form.lineups(bots, seats) // 2
    for games in boards_of(make_schedule(bots, seats, boards, seed, form)).values():
        by_number = {game.rotation: game.lineup for game in games}
        for number in range(half):
            lineup = by_number[number]
            assert lineup.count(new) == 1
            assert old not in lineup
            assert by_number[half + number] == tuple(old if bot == new else bot for bot in lineup)


@given(st.integers(1, 30), SEEDS)
def test_boards_of_a_comparison_are_soon_complete(boards: int, seed: bytes):
    """Boards are played four by four, so that in any prefix all boards but the last four are whole."""
    fixtures = make_schedule(6, 4, boards, seed, Form(Kind.COMPARE, heads=(0, 1)))
    windows = [game.board // 4 for game in fixtures]
    assert windows == sorted(windows)


KNOWN = {
    "authors": (
        Form(authors=("x", "x", "", "")), 4, 3, 3,
        [(1, 1, (2, 3, 0)), (0, 1, (3, 1, 2)), (2, 1, (1, 2, 3)), (1, 2, (0, 2, 3))],
    ),
    "round-robin": (
        Form(Kind.ROUND_ROBIN), 4, 3, 4,
        [(0, 0, (3, 1, 0)), (2, 1, (1, 2, 3)), (1, 2, (2, 1, 0)), (1, 1, (1, 0, 2))],
    ),
    "gauntlet": (
        Form(Kind.GAUNTLET, heads=(2,)), 4, 3, 3,
        [(1, 1, (3, 0, 2)), (2, 1, (3, 1, 2)), (0, 0, (0, 1, 2)), (0, 2, (1, 2, 0))],
    ),
    "compare": (
        Form(Kind.COMPARE, heads=(0, 1)), 4, 3, 2,
        [(0, 4, (3, 2, 1)), (0, 0, (2, 0, 3)), (1, 5, (1, 3, 2)), (1, 3, (2, 1, 3))],
    ),
    "all": (
        Form(rotations=Rotations.ALL), 3, 3, 1,
        [(0, 2, (1, 0, 2)), (0, 3, (1, 2, 0)), (0, 4, (2, 0, 1)), (0, 0, (0, 1, 2))],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("form", "bots", "seats", "boards", "games"), KNOWN.values(), ids=KNOWN)
def test_other_schedules_of_a_known_seed(form: Form, bots: int, seats: int, boards: int, games: list[object]):
    """Every form of schedule stays what it was, as that of plain pools does."""
    first = make_schedule(bots, seats, boards, b"bluke", form)[:4]
    assert [(game.board, game.rotation, game.lineup) for game in first] == games
