"""What the estimates are made from, and what they say."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Board", "Estimate", "Estimates", "Pair", "Played", "Score"]

#: A match and one of its deals.
Board = tuple[str, int]


@dataclass(frozen=True, slots=True, order=True)
class Played:
    """One game that counts.

    Attributes:
        board: the match and the deal.
        bots: who sat in each seat, by name; a bot may have several.
        points: what each seat made.
    """

    board: Board
    bots: tuple[str, ...]
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and half the width of its 95% interval; `margin` is `None` where the data do not say."""

    mean: float
    margin: float | None

    @property
    def clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.margin is not None and abs(self.mean) > self.margin


@dataclass(frozen=True, slots=True)
class Score:
    """What is known of one bot.

    Attributes:
        bot: its name.
        place: 1 is best; equal points share the better place.
        places: the best and the worst place that it may have: all these intervals hold together with 95%.
        boards: boards that it played.
        points: points a game.
        rating: its rating on the scale of Elo; `None` where the data do not say.
    """

    bot: str
    place: int
    places: tuple[int, int]
    boards: int
    points: Estimate
    rating: Estimate | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two bots compared; each figure is `None` where the data do not say.

    Attributes:
        bot: the one with the better place.
        other: the other one.
        points: how far `bot` is ahead, in points a game.
        rating: how far `bot` is ahead in rating; it may be behind.
        better: the probability that `bot` makes more points a game.
        surely: whether it is known with 95% which of them makes more, with all pairs of the table looked at at once.
    """

    bot: str
    other: str
    points: Estimate | None
    rating: Estimate | None
    better: float | None
    surely: bool


@dataclass(frozen=True, slots=True)
class Estimates:
    """What the games say of all bots that played.

    Attributes:
        scores: best first; equal points by name.
        pairs: each two of them once, the better placed first, in the order of the scores.
    """

    scores: tuple[Score, ...]
    pairs: tuple[Pair, ...]
