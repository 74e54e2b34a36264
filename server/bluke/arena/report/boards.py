"""The boards that a bot did worst on, and in each the hand that cost it most.

All games of a board have the same deal, so whoever sits in a seat holds the same cards in every hand. That is what is
compared: a bot's points with those that the others made of the same cards.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from bluke.rules import points

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bluke.arena.record import GameRecord
    from bluke.arena.report.tally import Board

__all__ = ["Loss", "Made", "Seat", "WorstBoard", "worst_boards"]


@dataclass(frozen=True, slots=True)
class Made:
    """What a bot made of one hand, on the average where it held the same cards several times.

    Attributes:
        bot: its name.
        times: how often it held them.
        bid: its mean bid.
        taken: the mean of its tricks.
        points: the mean of its points.
    """

    bot: str
    times: int
    bid: float
    taken: float
    points: float


@dataclass(frozen=True, slots=True)
class Seat:
    """A game of a board that the bot played, and what it and others made of that seat.

    Attributes:
        game: the game.
        seat: where the bot sat.
        total: its points.
        others: the mean of the others' points in this seat; `None` if nobody else had it.
    """

    game: GameRecord
    seat: int
    total: int
    others: float | None


@dataclass(frozen=True, slots=True)
class Loss:
    """A hand, and what others made of the same cards.

    Attributes:
        game: the game in which the bot played it.
        seat: where the bot sat.
        hand: its number, from 0.
        size: its cards.
        mine: what the bot made of it there.
        theirs: what each of the others did, the best first.
        behind: the others' mean points less the bot's, each game counting once.
    """

    game: GameRecord
    seat: int
    hand: int
    size: int
    mine: Made
    theirs: tuple[Made, ...]
    behind: float


@dataclass(frozen=True, slots=True)
class WorstBoard:
    """A board, from the side of one bot.

    Attributes:
        board: the match and the deal.
        mine: the bot's mean points.
        others: the mean points of all others, each of their seats counting once.
        theirs: the mean points of each of the others, the best first.
        seats: its games, by seat.
        loss: the hand in which it was furthest behind the others; `None` if no hand was played by others too.
    """

    board: Board
    mine: float
    others: float
    theirs: tuple[tuple[str, float], ...]
    seats: tuple[Seat, ...]
    loss: Loss | None

    @property
    def ahead(self) -> float:
        """How far the bot was ahead of the others."""
        return self.mine - self.others


def worst_boards(
    boards: Mapping[Board, Sequence[GameRecord]], bots: Sequence[str], most: int
) -> dict[str, list[WorstBoard]]:
    """The boards on which each bot was least ahead of the others, at most so many, the worst first.

    Args:
        boards: complete boards, by match and deal.
        bots: whose boards are wanted.
        most: how many for each.
    """
    ahead: dict[str, list[tuple[float, Board]]] = {bot: [] for bot in bots}
    for board, games in boards.items():
        totals = _totals(games)
        everything = sum(map(sum, totals.values()))
        seats = sum(map(len, totals.values()))
        for bot, mine in totals.items():
            if len(mine) < seats:
                others = (everything - sum(mine)) / (seats - len(mine))
                ahead[bot].append((fmean(mine) - others, board))
    return {
        bot: [_worst(bot, board, boards[board]) for _, board in sorted(found)[:most]] for bot, found in ahead.items()
    }


def _totals(games: Sequence[GameRecord]) -> dict[str, list[int]]:
    """The totals of each bot, one for each game and seat."""
    totals: dict[str, list[int]] = defaultdict(list)
    for game in games:
        for bot, total in zip(game.bots, game.totals, strict=True):
            totals[bot].append(total)
    return totals


def _worst(bot: str, board: Board, games: Sequence[GameRecord]) -> WorstBoard:
    ordered = sorted(games, key=lambda game: game.number)
    totals = _totals(ordered)
    mine = totals.pop(bot)
    seats = []
    losses = []
    held = [(seat, game) for game in ordered for seat, name in enumerate(game.bots) if name == bot]
    for seat, game in sorted(held, key=lambda one: (one[0], one[1].number)):
        others = [other for other in ordered if other.bots[seat] != bot]
        mean = fmean(other.totals[seat] for other in others) if others else None
        seats.append(Seat(game, seat, game.totals[seat], mean))
        losses += [_loss(game, seat, hand, others) for hand in range(len(game.sizes))]
    return WorstBoard(
        board=board,
        mine=fmean(mine),
        others=fmean(total for theirs in totals.values() for total in theirs),
        theirs=tuple(
            sorted(((name, fmean(theirs)) for name, theirs in totals.items()), key=lambda one: (-one[1], one[0]))
        ),
        seats=tuple(seats),
        loss=max((loss for loss in losses if loss is not None), key=lambda loss: loss.behind, default=None),
    )


def _loss(game: GameRecord, seat: int, hand: int, others: Sequence[GameRecord]) -> Loss | None:
    """What became of a hand here and in the games that others played with the same cards, as far as those went."""
    played: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for other in others:
        if hand < len(other.sizes):
            played[other.bots[seat]].append((other.bids[seat][hand], other.tricks[seat][hand]))
    if not played:
        return None
    mine = _made(game.bots[seat], [(game.bids[seat][hand], game.tricks[seat][hand])])
    theirs = sorted((_made(bot, hands) for bot, hands in played.items()), key=lambda made: (-made.points, made.bot))
    mean = sum(made.points * made.times for made in theirs) / sum(made.times for made in theirs)
    return Loss(game, seat, hand, game.sizes[hand], mine, tuple(theirs), mean - mine.points)


def _made(bot: str, hands: Sequence[tuple[int, int]]) -> Made:
    times = len(hands)
    bid, taken = (sum(side) / times for side in zip(*hands, strict=True))
    return Made(bot, times, bid, taken, sum(points(*hand) for hand in hands) / times)
