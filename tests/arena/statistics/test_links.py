from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from arena.statistics.games import any_games, board, flat
from hypothesis import given

from bluke.arena.statistics.boards import make_boards
from bluke.arena.statistics.links import groups, linked_by_boards, linked_by_wins

if TYPE_CHECKING:
    from bluke.arena.statistics.values import Played


def boards_of(lineups: str) -> list[Played]:
    """For each lineup so many boards, one if none is said, on which who is named first always wins."""
    each = [lineup.partition("*")[::2] for lineup in lineups.split()]
    return [
        game
        for number, lineup in enumerate(lineup for lineup, times in each for _ in range(int(times or 1)))
        for game in flat(number, {bot: -place for place, bot in enumerate(lineup)})
    ]


@pytest.mark.parametrize(
    ("lineups", "wanted"),
    [
        ("ab", "01"),
        ("ab ab", "00"),
        ("ab cd ab cd", "0011"),
        ("ab bc ca", "000"),
        ("ab bc", "012"),
        ("ab ab bc cd cd", "0011"),
        ("ab ab bc bc cd cd", "0000"),
        ("abc abc abd", "0001"),
    ],
)
def test_linked_by_boards(lineups: str, wanted: str):
    """Bots are linked if a chain of shared boards leads from one to the other, whichever board is left out."""
    assert "".join(map(str, linked_by_boards(make_boards(boards_of(lineups))))) == wanted


@pytest.mark.parametrize(
    ("lineups", "wanted"),
    [
        ("ab*9", "01"),
        ("ab*9 ba", "01"),
        ("ab*9 ba*4", "01"),
        ("ab*5 ba*5", "00"),
        ("ab*5 bc*5 ca*5", "000"),
        ("abc*5 bac*5", "001"),
        ("ab*5 ba*5 bc*9", "001"),
        ("ab*5 ba*5 cd*9 dc*9 ac*9", "0011"),
        ("ab*5 ba*5 cd*9 dc*9 ac*9 ca", "0011"),
        ("ab*5 ba*5 cd*9 dc*9 ac*9 ca*2", "0000"),
        # Without d, which never won five times, a has not lost enough.
        ("ab*5 da*4 ad*9", "012"),
    ],
)
def test_linked_by_wins(lineups: str, wanted: str):
    """Ratings are linked if wins lead both ways, whichever board is left out, and everybody won and lost on five."""
    assert "".join(map(str, linked_by_wins(make_boards(boards_of(lineups))))) == wanted


def test_a_tie_leads_both_ways():
    """Who ties with a bot may be as strong."""
    games = [game for number in range(5) for game in board(number, "ab", [1, 1], [2, 2])]
    assert linked_by_wins(make_boards(games)).tolist() == [0, 0]


@given(any_games())
def test_by_trying(games: list[Played]):
    """The groups are those that are found by leaving out each board and walking all ways."""
    found = make_boards(games)
    numbers = sorted({game.board for game in games})

    def ways(bot: int, left_out: object, *, by_wins: bool) -> set[int]:
        reached = {bot}
        while True:
            more = {
                other
                for row, number in enumerate(numbers)
                if number != left_out
                for here, one in enumerate(found.who[row].tolist())
                for there, other in enumerate(found.who[row].tolist())
                if one in reached and other >= 0 and (not by_wins or found.wins[row, here, there] > 0)
            }
            if more <= reached:
                return reached
            reached |= more

    for by_wins, linked in ((False, linked_by_boards(found)), (True, groups(found, found.wins > 0))):
        reach = [
            {(bot, other) for bot in range(len(found.names)) for other in ways(bot, number, by_wins=by_wins)}
            for number in [None, *numbers]
        ]
        for bot in range(len(found.names)):
            for other in range(bot):
                wanted = all((bot, other) in way and (other, bot) in way for way in reach)
                assert (linked[bot] == linked[other]) == wanted
