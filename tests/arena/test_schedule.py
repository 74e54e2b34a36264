from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.schedule import Fixture, make_schedule

SEATS = st.integers(2, 8)
BOTS = st.integers(1, 12)
BOARDS = st.integers(1, 40)
SEEDS = st.binary(max_size=8)


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
    code = "from bluke.arena.schedule import make_schedule; print(make_schedule(7, 4, 9, b'x'))"
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
