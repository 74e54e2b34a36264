"""A replay as steps: what the table looks like after every line that changes it.

All states come from `bluke.rules.Game`, which is played through here. The page only shows them: it knows how to
draw a card and count marks, and no rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from bluke.errors import RuleError
from bluke.replay.reader import ReplayFileError, advance, replay_game
from bluke.replay.records import BidLine, DrawLine, FaultLine, HandLine, PlayLine, ScoreLine
from bluke.replay.text import named, visible
from bluke.rules import Asked, CardSet, Dealt, Scored, Suit, TrickTaken, outcome, trick_winner

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from bluke.replay.reader import Replay
    from bluke.replay.records import Record
    from bluke.rules import Card, Event, Game, Played

__all__ = ["FaultPart", "HandPart", "Kind", "Step", "Story", "prose", "story"]


class Kind(Enum):
    """What a step shows."""

    DRAW = "draw"
    DEAL = "deal"
    BID = "bid"
    PLAY = "play"
    SCORE = "score"
    END = "end"


class HandPart(Struct, frozen=True, kw_only=True):
    """A hand as it was dealt; each seat's cards in the order in which a player would hold them."""

    size: int
    dealer: int
    cut: int | None
    turned: str | None
    trump: str | None
    cards: tuple[tuple[str, ...], ...]


class FaultPart(Struct, frozen=True, kw_only=True):
    """A fault, and the address of the step that it led to."""

    at: str
    hand: int
    seat: int
    kind: str
    asked: str | None
    detail: str
    answer: str


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The table after one line of the file.

    Attributes:
        at: its address, such as ``3.0.2``; see docs/replay-page.md.
        kind: what happened.
        hand: the number of the hand.
        trick: of a play, the number of its trick.
        seat: who moved; of a deal, who was asked to cut.
        value: the bid, the card or the cut; of a draw, the number of its round.
        ms: the time of the move, if one was measured.
        note: what the bot said about it.
        referee: whether the referee made the move for the seat.
        forced: whether a person chose it, to branch the game.
        faults: the numbers of the faults that were charged since the step before.
        leader: who leads, or led, to the trick that is on the table.
        shown: how many cards of that trick lie there.
        best: who is taking it so far, or took it.
        taken: whether it is complete.
        turn: who is to act next, and `asked` what.
        legal: the cards that `turn` may play, as places in its `HandPart.cards`: bit 0 is the first.
        held: by seat, the cards it still holds, likewise.
        bids: by seat, 0 for one that has not bid.
        won: by seat, the tricks of this hand.
        totals: by seat, the points after the last hand that was scored.
        points: of a score, by seat.
        outcomes: of a score, a letter for each seat: S, O or P (RULES 7.4).
    """

    at: str
    kind: Kind
    hand: int | None = None
    trick: int | None = None
    seat: int | None = None
    value: int | str | None = None
    ms: float | None = None
    note: str = ""
    referee: bool = False
    forced: bool = False
    faults: tuple[int, ...] = ()
    leader: int | None = None
    shown: int = 0
    best: int | None = None
    taken: bool = False
    turn: int | None = None
    asked: Asked | None = None
    legal: int = 0
    held: tuple[int, ...] = ()
    bids: tuple[int, ...] = ()
    won: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()
    points: tuple[int, ...] = ()
    outcomes: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """A whole replay as steps; all text is visible text.

    Attributes:
        names: of the bots, by seat.
        schedule: the size of every hand of the game, also of those that were not played.
        rounds: the rounds of the draw, each of `(seat, card)`.
        dealer: who won the draw, `None` if the file ends before it.
        keeper: the scorekeeper, likewise.
        places: by seat, `None` if nobody was placed.
        hands: those that were dealt.
        steps: the table after every line; there is always one of kind `END`, the last.
        faults: all faults.
    """

    names: tuple[str, ...]
    schedule: tuple[int, ...]
    rounds: tuple[tuple[tuple[int, str], ...], ...]
    dealer: int | None
    keeper: int | None
    places: tuple[int, ...] | None
    hands: tuple[HandPart, ...]
    steps: tuple[Step, ...]
    faults: tuple[FaultPart, ...]


def story(replay: Replay) -> Story:
    """Play a replay through and say what the table looks like after every line.

    Raises:
        ReplayFileError: it holds a move that the rules refuse.
    """
    teller = _Teller(replay)
    for number, record in replay.lines:
        take = teller.takes.get(type(record))
        if take is None:
            continue
        try:
            take(record)
        except RuleError as error:
            raise ReplayFileError(replay.path, number, str(error)) from None
    return teller.close()


def prose(text: str) -> str:
    """Text from a stranger as a page may show it: as `visible`, but for its line ends."""
    return "\n".join(map(visible, text.split("\n")))


class _Teller:
    """Takes the lines of one file in order."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.seats = replay.header.rules.seats
        self.hands: list[HandPart] = []
        self.steps: list[Step] = []
        self.faults: list[FaultLine] = []
        self.fault_at: list[str] = []
        self.game: Game | None = None
        # The hand being told:
        self.trump: Suit | None = None
        self.places: list[dict[Card, int]] = []
        self.trick: list[Played] = []
        self.takes: dict[type, Callable[[Any], None]] = {
            DrawLine: self.take_draw,
            HandLine: self.take_hand,
            BidLine: self.take_bid,
            PlayLine: self.take_play,
            ScoreLine: self.take_score,
            FaultLine: self.faults.append,
        }

    def take_draw(self, line: DrawLine) -> None:
        for number in range(len(line.rounds)):
            at = "draw" if number == 0 else f"draw.{number}"
            self.add(at, Kind.DRAW, value=number, totals=(0,) * self.seats)

    def take_hand(self, line: HandLine) -> None:
        game = self.play(line)
        dealt = next(event for event in reversed(game.events) if isinstance(event, Dealt))
        self.trump = dealt.trump
        hands = [_in_hand(cards, dealt.trump) for cards in dealt.cards]
        self.places = [{card: place for place, card in enumerate(cards)} for cards in hands]
        self.trick = []
        self.hands.append(
            HandPart(
                size=dealt.size,
                dealer=dealt.dealer,
                cut=dealt.cut,
                turned=None if dealt.turned is None else str(dealt.turned),
                trump=None if dealt.trump is None else str(dealt.trump),
                cards=tuple(tuple(map(str, cards)) for cards in hands),
            )
        )
        # The dealer's left cuts, bids and leads first (RULES 4.2, 5.1, 6.1): it is whose turn the game says it is.
        asked = line.ms is not None or line.by or line.forced
        cut = {"seat": game.seat, "value": dealt.cut, **_move(line)} if asked else {}
        self.add(str(dealt.hand), Kind.DEAL, hand=dealt.hand, leader=game.seat, **cut, **self.table(game))

    def take_bid(self, line: BidLine) -> None:
        leader = self.steps[-1].leader
        game = self.play(line)
        at = f"{line.hand}.bid.{line.seat}"
        self.add(at, Kind.BID, hand=line.hand, value=line.bid, leader=leader, **_move(line), **self.table(game))

    def take_play(self, line: PlayLine) -> None:
        told = len(self.game.events) if self.game else 0
        game = self.play(line)
        played, *after = game.events[told:]
        if len(self.trick) == self.seats:
            self.trick = []
        self.trick.append(cast("Played", played))
        leading = trick_winner([card for _, _, _, card in self.trick], self.trump)
        self.add(
            f"{line.hand}.{line.trick}.{len(self.trick) - 1}",
            Kind.PLAY,
            hand=line.hand,
            trick=line.trick,
            value=line.card,
            leader=self.trick[0].seat,
            shown=len(self.trick),
            best=next((event.winner for event in after if isinstance(event, TrickTaken)), self.trick[leading].seat),
            taken=bool(after),
            **_move(line),
            **self.table(game, after),
        )

    def take_score(self, line: ScoreLine) -> None:
        scored = next(event for event in reversed(self.play(line).events) if isinstance(event, Scored))
        self.add(
            f"{line.hand}.score",
            Kind.SCORE,
            hand=scored.hand,
            held=(0,) * self.seats,
            bids=scored.bids,
            won=scored.tricks,
            totals=scored.totals,
            points=scored.points,
            outcomes="".join(outcome(*pair).value for pair in zip(scored.bids, scored.tricks, strict=True)),
        )

    def close(self) -> Story:
        # The table stays as the last move left it.
        last = self.steps[-1] if self.steps else Step(at="", kind=Kind.END, totals=(0,) * self.seats)
        kept = ("hand", "leader", "shown", "best", "taken", "held", "bids", "won", "totals")
        self.add("end", Kind.END, **{name: getattr(last, name) for name in kept})
        faults = tuple(
            FaultPart(
                at=at,
                hand=fault.hand,
                seat=fault.seat,
                kind=fault.kind.value,
                asked=None if fault.asked is None else fault.asked.value,
                detail=prose(fault.detail),
                answer=prose(fault.answer),
            )
            for fault, at in zip(self.faults, self.fault_at, strict=True)
        )
        header, draw, end = self.replay.header, self.replay.draw, self.replay.end
        return Story(
            names=tuple(named(player.name) for player in header.players),
            schedule=header.rules.schedule,
            rounds=() if draw is None else tuple(tuple((s, str(card)) for s, card in drawn) for drawn in draw.rounds),
            dealer=None if draw is None else draw.dealer,
            keeper=None if draw is None else draw.scorekeeper,
            places=None if end is None else end.places,
            hands=tuple(self.hands),
            steps=tuple(self.steps),
            faults=faults,
        )

    def add(self, at: str, kind: Kind, **rest: Any) -> None:  # noqa: ANN401 -- the fields of a step
        new = range(len(self.fault_at), len(self.faults))
        self.fault_at += [at] * len(new)
        self.steps.append(Step(at=at, kind=kind, faults=tuple(new), **rest))

    def play(self, line: Record) -> Game:
        """Let the game take a line."""
        if self.game is None:
            # A replay without lines is the game before its first move.
            self.game = replay_game(replace(self.replay, lines=()))
        advance(self.game, line)
        return self.game

    def table(self, game: Game, after: Sequence[Event] = ()) -> dict[str, object]:
        """What the game says of the hand that is told; `after` is what its last move led to."""
        for event in after:
            if isinstance(event, Scored):
                # The game has gone on to the next hand, if there is one. The points are a step of their own.
                nothing = (0,) * self.seats
                return {"held": nothing, "bids": event.bids, "won": event.tricks, "totals": self.steps[-1].totals}
        turn = game.seat
        asked = game.asked
        legal = self.mask(turn, game.legal) if isinstance(game.legal, CardSet) else 0
        return {
            "turn": turn,
            "asked": asked,
            "legal": legal,
            "held": tuple(self.mask(seat, game.held(seat)) for seat in range(self.seats)),
            "bids": tuple(bid or 0 for bid in game.bids),
            "won": game.tricks_won,
            "totals": game.totals,
        }

    def mask(self, seat: int, cards: CardSet) -> int:
        """Cards of a seat by their places in its hand."""
        places = self.places[seat]
        return sum(1 << places[card] for card in cards)


def _move(line: HandLine | BidLine | PlayLine) -> dict[str, object]:
    """What a line says of the move that a seat made."""
    seat = {} if isinstance(line, HandLine) else {"seat": line.seat}
    return {**seat, "ms": line.ms, "note": prose(line.note), "referee": line.by is not None, "forced": line.forced}


def _in_hand(cards: Collection[Card], trump: Suit | None) -> list[Card]:
    """Cards as a player holds them: Blukes, trumps, then the other suits in turns of black and red, high ones first."""
    suits = [None, *([] if trump is None else [trump]), Suit.SPADES, Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS]
    return sorted(cards, key=lambda card: (suits.index(card.suit), -card.rank))
