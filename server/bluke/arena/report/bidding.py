"""Bids against tricks, what became of the bids, and what hands of each size were worth."""

from __future__ import annotations

from itertools import pairwise
from math import copysign, sqrt
from typing import TYPE_CHECKING

from bluke.arena.report.figures import Row, Scale, element, nice_step, rect, rows_figure, short_name, text
from bluke.arena.report.numbers import NOTHING, axis, counted, decimal, share, span, whole
from bluke.arena.report.values import Column, Details, Figure, Heat, Mark, Panels, Section, Table, say
from bluke.arena.report.words import outside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bluke.arena.report.tally import Hands, Tally

__all__ = ["bids_section", "leaning", "outcomes_section", "sizes_section"]

#: The drawing of a panel, in its own coordinates.
PANEL = (260, 160)
LEFT, RIGHT, TOP, BOTTOM = 26, 252, 10, 132
#: Sizes of hands that can be written under a panel.
MOST_SIZES = 13
#: The narrowest part of a bar that has room for its letter and percents on a phone, and for its letter alone.
ROOM, LITTLE_ROOM = 0.16, 0.05
#: Letter, class, and what it is.
OUTCOMES: tuple[tuple[str, str, str, Callable[[Hands], int]], ...] = (
    ("S", "set", "set", lambda hands: hands.set),
    ("O", "over", "made with overtricks", lambda hands: hands.overtricks),
    ("P", "perfect", "perfect", lambda hands: hands.perfect),
)


def leaning(tally: Tally) -> str:
    """Whether a bot bids more than it takes, in a few words."""
    if tally.bias is None:
        return NOTHING
    mean, margin = tally.bias.mean, tally.bias.margin
    size = f"{decimal(abs(mean), 2)} tricks a hand"
    if margin is None:
        return f"{'over' if mean < 0 else 'under'}bids by {size}, without an interval" if mean else "bids what it takes"
    if not tally.bias.clear:
        return f"bids about what it takes ({span(mean - margin, mean + margin, 2)})"
    return f"{'over' if mean < 0 else 'under'}bids by {size}"


def bids_section(tallies: Sequence[Tally]) -> Section:
    """Bids against tricks, by hand size."""
    top = max([1.0, *(_tallest(hands) for tally in tallies for hands in tally.sizes.values())])
    y = Scale(0, top, _ticks(top))
    figures = [_panel(number, tally, y) for number, tally in enumerate(tallies)]
    tables = [_bids_table(tally) for tally in tallies if tally.sizes]
    lead = say(
        "Mean bid (squares, broken line) and mean tricks taken (dots, whole line) by the size of the hand. Where the "
        "squares are above the dots, the bot bids more than it takes: ",
        "overbidding shows as sets, underbidding as overtricks.",
    )
    note = say(
        "A set costs ten times the bid, and one trick more in a bid that is made gains 9: with even chances to take "
        "that trick the lower bid is the better one. A bot that bids a little below what it takes need not be wrong.",
        style="note",
    )
    return Section(
        "bids",
        "Bids against tricks",
        (
            lead,
            _leanings(tallies),
            Panels(tuple(figures)),
            Details("The figures as tables, with counts", tuple(tables)) if tables else say(NOTHING, style="note"),
            note,
        ),
    )


def _leanings(tallies: Sequence[Tally]) -> Table:
    rows = []
    for tally in tallies:
        hands, bias = tally.hands, tally.bias
        ends = (
            NOTHING
            if bias is None or bias.margin is None
            else span(bias.mean - bias.margin, bias.mean + bias.margin, 2)
        )
        rows.append(
            (
                outside(tally.bot),
                decimal(hands.mean(hands.bid), 2),
                decimal(hands.mean(hands.taken), 2),
                decimal(None if bias is None else bias.mean, 2, sign=True),
                ends,
                whole(hands.hands),
                leaning(tally),
            )
        )
    return Table(
        "Bids and tricks a hand, all sizes together",
        (
            Column("bot", words=True),
            Column("bid", "mean bid"),
            Column("taken", "mean tricks taken"),
            Column("taken \N{MINUS SIGN} bid", "tricks taken less tricks bid, a hand"),
            Column("95% interval", "of the difference, over boards"),
            Column("hands"),
            Column("it ...", words=True),
        ),
        tuple(rows),
    )


def _bids_table(tally: Tally) -> Table:
    rows = [
        (
            whole(size),
            decimal(hands.mean(hands.bid), 2),
            decimal(hands.mean(hands.taken), 2),
            decimal(hands.mean(hands.taken - hands.bid), 2, sign=True),
            share(hands.hands - hands.set, hands.hands),
            decimal(hands.mean(hands.points), 1),
            whole(hands.hands),
        )
        for size, hands in sorted(tally.sizes.items())
    ]
    return Table(
        f"{outside(tally.bot)}: bids and tricks by hand size",
        (
            Column("cards"),
            Column("bid"),
            Column("taken"),
            Column("taken \N{MINUS SIGN} bid"),
            Column("bids made"),
            Column("points a hand"),
            Column("hands"),
        ),
        tuple(rows),
    )


def _tallest(hands: Hands) -> float:
    return max(hands.bid, hands.taken) / hands.hands


def _ticks(top: float) -> tuple[float, ...]:
    step = nice_step(top / 4)
    return tuple(number * step for number in range(int(top / step + 1e-9) + 1))


def _panel(number: int, tally: Tally, y: Scale) -> Figure:
    """Bids and tricks of one bot; every panel has the same scales."""
    sizes = sorted(tally.sizes)
    title = short_name(tally.bot, 32)
    if not sizes:
        marks = [element("text", "tick", x="50%", y="50%", text=NOTHING)]
        return Figure(f"bids-{number}", title, NOTHING, PANEL[1], tuple(marks), PANEL[0])
    wide = (RIGHT - LEFT) / len(sizes)
    x = {size: LEFT + wide * (at + 0.5) for at, size in enumerate(sizes)}

    def height(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * value / y.high

    bids = [(x[size], height(tally.sizes[size].bid / tally.sizes[size].hands)) for size in sizes]
    taken = [(x[size], height(tally.sizes[size].taken / tally.sizes[size].hands)) for size in sizes]
    marks = [element("line", "grid", x1=LEFT, x2=RIGHT, y1=height(tick), y2=height(tick)) for tick in y.ticks]
    marks += [element("text", "tick left", x=LEFT - 6, y=height(tick) + 4, text=axis(tick)) for tick in y.ticks]
    every = -(-len(sizes) // MOST_SIZES)
    marks += [element("text", "tick", x=x[size], y=BOTTOM + 14, text=str(size)) for size in sizes[::every]]
    marks.append(element("text", "tick unit", x=(LEFT + RIGHT) / 2, y=PANEL[1] - 2, text="cards in the hand"))
    marks += [_path(bids, "bid-line"), _path(taken, "taken-line")]
    for size, bid, took in zip(sizes, bids, taken, strict=True):
        hands = tally.sizes[size]
        said = f"{counted(size, 'card')}, {counted(hands.hands, 'hand')}"
        bid_said = f"{said}: mean bid {decimal(hands.mean(hands.bid), 2)}"
        took_said = f"{said}: mean taken {decimal(hands.mean(hands.taken), 2)}"
        marks.append(element("rect", "bid-dot", x=bid[0] - 3, y=bid[1] - 3, width=6.0, height=6.0, title=bid_said))
        marks.append(element("circle", "taken-dot", cx=took[0], cy=took[1], r=3.2, title=took_said))
    return Figure(f"bids-{number}", title, leaning(tally), PANEL[1], tuple(marks), PANEL[0])


def _path(points: Sequence[tuple[float, float]], kind: str) -> Mark:
    return element("polyline", kind, points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points))


def outcomes_section(tallies: Sequence[Tally]) -> Section:
    """Shares of bids that were set, made with overtricks, and perfect."""
    rows = [Row(((short_name(tally.bot), ""),), _made(tally), _Bar(tally).marks) for tally in tallies]
    figure = rows_figure(
        "outcomes-figure",
        "Shares of outcomes by bot",
        "; ".join(f"{outside(tally.bot)}: {_shares(tally)}" for tally in tallies),
        rows,
        track=26,
    )
    table = Table(
        "Outcomes of bids",
        (
            Column("bot", words=True),
            *(Column(f"{letter} {name}") for letter, _, name, _ in OUTCOMES),
            *(Column(f"{letter} %") for letter, *_ in OUTCOMES),
            Column("bids"),
        ),
        tuple(
            (
                outside(tally.bot),
                *(whole(count(tally.hands)) for *_, count in OUTCOMES),
                *(share(count(tally.hands), tally.hands.hands) for *_, count in OUTCOMES),
                whole(tally.hands.hands),
            )
            for tally in tallies
        ),
    )
    lead = say("What became of the bids: S set, O made with overtricks, P perfect.")
    return Section("outcomes", "Bids set, made and perfect", (lead, figure, Details("The figure as a table", (table,))))


def _made(tally: Tally) -> str:
    hands = tally.hands
    return f"{share(hands.hands - hands.set, hands.hands)} made" if hands.hands else NOTHING


def _shares(tally: Tally) -> str:
    hands = tally.hands
    return ", ".join(f"{share(count(hands), hands.hands)} {name}" for _, _, name, count in OUTCOMES)


class _Bar:
    """The bar of one bot."""

    def __init__(self, tally: Tally) -> None:
        self._hands = tally.hands

    def marks(self, y: float) -> Iterator[Mark]:
        """The parts of the bar, around a height."""
        if not self._hands.hands:
            return
        ends = [0.0]
        for *_, count in OUTCOMES:
            ends.append(ends[-1] + count(self._hands) / self._hands.hands)
        for (letter, kind, name, count), (start, end) in zip(OUTCOMES, pairwise(ends), strict=True):
            said = share(count(self._hands), self._hands.hands)
            yield rect((100 * start, 100 * end), y - 10, 20, f"bar {kind}", f"{said} {name}")
            if end - start >= LITTLE_ROOM:
                words = f"{letter} {said}" if end - start >= ROOM else letter
                yield text(50 * (start + end), y + 4.5, words, f"inside {kind}-ink")


def sizes_section(tallies: Sequence[Tally]) -> Section:
    """Points a hand by hand size, as a table of colours."""
    sizes = sorted({size for tally in tallies for size in tally.sizes})
    means = [
        {size: hands.points / hands.hands for size, hands in tally.sizes.items() if hands.hands} for tally in tallies
    ]
    largest = max((abs(value) for mean in means for value in mean.values()), default=0.0)

    def cell(mean: dict[int, float], size: int) -> str | Heat:
        if size not in mean:
            return "\N{EN DASH}"
        # The root, so that small hands, which can win or lose little, have a colour too.
        depth = sqrt(abs(mean[size]) / largest) if largest else 0.0
        return Heat(decimal(mean[size]), 5 + round(copysign(5 * depth, mean[size])))

    table = Table(
        "Points a hand by the number of its cards",
        (Column("bot", words=True), *(Column(str(size), counted(size, "card")) for size in sizes)),
        tuple(
            (outside(tally.bot), *(cell(mean, size) for size in sizes))
            for tally, mean in zip(tallies, means, strict=True)
        ),
    )
    lead = say("Mean points of a hand, by its size. Green gains and orange loses; the deeper the colour, the more.")
    return Section("sizes", "Points a hand, by hand size", (lead, table if sizes else say(NOTHING, style="note")))
