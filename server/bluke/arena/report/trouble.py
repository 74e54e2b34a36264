"""What an author wants to look into: the boards that went worst, and the faults."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from bluke.arena.report.numbers import NOTHING, counted, decimal, gap, whole
from bluke.arena.report.values import Box, Code, Column, Details, Link, Section, Strong, Table, say
from bluke.arena.report.words import outside, short
from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bluke.arena.record import FaultRecord, GameRecord
    from bluke.arena.report.boards import Loss, Made, WorstBoard
    from bluke.arena.report.places import Places
    from bluke.arena.report.values import Block, Part

__all__ = ["boards_section", "faults_section"]

#: Games that are listed for each bot and kind of fault; the others are counted.
MOST_FAULTS = 3
#: Others that are named with what they made of the same cards.
MOST_OTHERS = 6
#: Games of a board that are linked; with all arrangements of the seats there are hundreds.
MOST_GAMES = 15
NONE = "No faults: every answer came in time and was legal."
#: Columns of what a fault says of itself.
DETAIL = 120


def boards_section(worst: Mapping[str, Sequence[WorstBoard]], places: Places, *, several: bool) -> Section:
    """The worst boards of each bot, with the way to each game; `several` matches have boards of the same numbers."""
    lead = say(
        "All games of a board have the same cards in the same seats. These are the boards on which each bot was least "
        "ahead of those it met there, and in each the hand in which it got least beside what the others made of the "
        "same cards: a good place to begin looking."
    )
    found = {bot: boards for bot, boards in worst.items() if boards}
    if not found:
        return Section(
            "boards", "Worst boards", (lead, say(f"{NOTHING}: no board with others is complete.", style="note"))
        )
    return Section(
        "boards", "Worst boards", (lead, *(_boards(bot, boards, places, several) for bot, boards in found.items()))
    )


def _boards(bot: str, boards: Sequence[WorstBoard], places: Places, several: bool) -> Details:  # noqa: FBT001 - passed on
    names = [f"Board {one.board[1]}{f' of {outside(one.board[0])}' if several else ''}" for one in boards]
    boxes = [
        Box(f"{number}. {name}", tuple(_board(one, places)))
        for number, (name, one) in enumerate(zip(names, boards, strict=True), 1)
    ]
    return Details(f"{outside(bot)}: {names[0].lower()}, {gap(boards[0].ahead)}", tuple(boxes))


def _board(worst: WorstBoard, places: Places) -> Iterator[Block]:
    theirs = [f"{outside(bot)} {decimal(mean)}" for bot, mean in worst.theirs[:MOST_OTHERS]]
    yield say(
        Strong(f"{decimal(worst.mine)} points a game"),
        f", the others {decimal(worst.others)}: {gap(worst.ahead)}. With the same cards {_list(theirs, worst.theirs)}.",
    )
    if worst.loss is not None:
        yield from _loss(worst.loss, places)
    games: list[str | Part] = ["Its games, by seat: "]
    for at, seat in enumerate(worst.seats[:MOST_GAMES]):
        against = "" if seat.others is None else f", others {decimal(seat.others, 0)}"
        games += [
            "; " if at else "",
            Link(f"seat\N{NO-BREAK SPACE}{seat.seat}", places.link(seat.game.replay)),
            f" {decimal(seat.total, 0)}{against}",
        ]
    more = len(worst.seats) - MOST_GAMES
    yield say(*games, f"; and {whole(more)} more." if more > 0 else ".", style="note")


def _list(said: Sequence[str], of: Sequence[object]) -> str:
    return ", ".join(said) + (f" and {whole(len(of) - len(said))} more" if len(of) > len(said) else "")


def _loss(loss: Loss, places: Places) -> Iterator[Block]:
    theirs = [f"{outside(made.bot)} {_made(made)}" for made in loss.theirs[:MOST_OTHERS]]
    yield say(
        f"Hand {loss.hand}, of {counted(loss.size, 'card')}, in seat {loss.seat}: it {_made(loss.mine)}; "
        f"{_list(theirs, loss.theirs)}. That is {gap(-loss.behind)}: ",
        Link("the replay", places.link(loss.game.replay)),
        ".",
    )
    yield say(Code(places.show(loss.game.replay, loss.hand, loss.seat)), style="command")
    yield say(Code(places.page(loss.game.replay)), style="command")
    page = Link("a page that opens at this hand", places.page_link(loss.game.replay, loss.hand))
    yield say("The first shows it in a terminal, the second makes ", page, ".", style="note")


def _made(made: Made) -> str:
    if made.times > 1:
        bid, taken = decimal(made.bid), decimal(made.taken)
        return f"bid {bid}, took {taken} ({decimal(made.points, sign=True)}, {whole(made.times)} games)"
    return f"bid {made.bid:.0f}, took {made.taken:.0f} ({decimal(made.points, 0, sign=True)})"


def faults_section(games: Sequence[GameRecord], bots: Sequence[str], places: Places) -> Section:
    """The faults of each bot by kind, and the games they were made in."""
    found: dict[tuple[str, FaultKind], list[tuple[GameRecord, FaultRecord]]] = defaultdict(list)
    for game in games:
        for fault in game.faults:
            found[game.bots[fault.seat], fault.kind].append((game, fault))
    if not found:
        return Section("faults", "Faults", (say(NONE if games else NOTHING),))
    out: Counter[str] = Counter(game.bots[seat] for game in games for seat in game.played_out)
    table = Table(
        "Faults by bot and kind, in all recorded games",
        (
            Column("bot", words=True),
            *(Column(kind.value) for kind in FaultKind),
            Column("all"),
            Column("played out", "games in which the referee took the seat over"),
        ),
        tuple(
            (
                outside(bot),
                *(whole(len(found[bot, kind])) if (bot, kind) in found else "0" for kind in FaultKind),
                whole(sum(len(made) for (name, _), made in found.items() if name == bot)),
                whole(out[bot]),
            )
            for bot in bots
        ),
    )
    blocks = [
        Details(f"{outside(bot)}: {whole(len(found[bot, kind]))} {kind.value}", tuple(_games(found[bot, kind], places)))
        for bot in bots
        for kind in FaultKind
        if (bot, kind) in found
    ]
    step = say(
        "To step through one of these games in a browser: ", Code(places.page("replays/GAME.jsonl")), style="note"
    )
    return Section("faults", "Faults", (table, *blocks, step))


def _games(made: Sequence[tuple[GameRecord, FaultRecord]], places: Places) -> Iterator[Block]:
    for game, fault in made[:MOST_FAULTS]:
        detail = short(fault.detail, DETAIL)
        yield say(
            Link(f"game {outside(game.game)}", places.link(game.replay)),
            f", seat {fault.seat}, hand {fault.hand}{': ' if detail else ''}{detail}",
        )
        yield say(Code(places.show(game.replay, fault.hand, fault.seat)), style="command")
    if len(made) > MOST_FAULTS:
        yield say(f"... and {whole(len(made) - MOST_FAULTS)} more. All of them:", style="note")
        kind = made[0][1].kind.value
        wanted = (
            f'select(.type == "game") | . as $g | .faults[] | select(.kind == "{kind}") '
            "| [$g.bots[.seat], .hand, $g.replay]"
        )
        yield say(Code(f"jq -c '{wanted}' {places.record}"), style="command")
