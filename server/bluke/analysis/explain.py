"""Explaining a game from its replay: facts, estimates from what each seat knew, and hindsight, each apart."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, cast

from bluke.analysis.endgame import Endgame, endgames
from bluke.analysis.estimates import Option, Regret, legal_answers, weigh
from bluke.analysis.facts import SeatFacts, seat_facts
from bluke.analysis.known import Known
from bluke.analysis.policy import POLICIES
from bluke.errors import ConfigError
from bluke.replay.reader import ReplayFileError, replay_game
from bluke.rules import Asked, CardSet, Dealt

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from bluke.replay.reader import Replay, ReplayHand, ReplayMove
    from bluke.rules import Card, Rules, Suit

__all__ = [
    "SAMPLES",
    "Decision",
    "Explanation",
    "HandExplanation",
    "Maker",
    "Task",
    "explain_game",
    "explain_hand",
    "known_moves",
]

SAMPLES = 20
#: Below this many playouts, roughly, starting other processes takes longer than it saves.
SMALL = 5_000


class Maker(Enum):
    """Who made a move of a seat."""

    BOT = "bot"
    REFEREE = "referee"
    #: Somebody who branched the game.
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision as its seat could see it: every bid, and every card where there was a choice.

    Attributes:
        line: its line in the file.
        seat: whose decision it was.
        asked: for a bid or for a card.
        trick: the trick, `None` for a bid.
        value: what was answered.
        maker: who answered.
        options: every legal answer with its mean score in this hand, in rising order.
        spread: the variance of that score from deal to deal, for the answer given.
        regret: what another answer would have gained, `None` where that is not sure.
    """

    line: int
    seat: int
    asked: Asked
    trick: int | None
    value: int | Card
    maker: Maker
    options: tuple[Option, ...]
    spread: float
    regret: Regret | None

    @property
    def mean(self) -> float:
        """The mean score of the answer given."""
        return next(option.mean for option in self.options if option.value == self.value)


@dataclass(frozen=True, slots=True)
class HandExplanation:
    """One hand.

    Attributes:
        hand: its number.
        size: cards dealt to each seat.
        dealer: the dealer.
        trump: the trump; `None` for no trump.
        finished: whether it was played to its end.
        facts: the facts of each seat that was asked for.
        decisions: their decisions in the order made, from nothing but what each seat knew.
        hindsight: their endgames with all cards known; empty if the hand did not get so far.
    """

    hand: int
    size: int
    dealer: int
    trump: Suit | None
    finished: bool
    facts: tuple[SeatFacts, ...]
    decisions: tuple[Decision, ...]
    hindsight: tuple[Endgame, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One game.

    Attributes:
        game: its id.
        names: what the bots call themselves, by seat.
        seats: the seats that were asked for.
        samples: sampled deals for the first look at a decision.
        policy: the name of the policy that sampled deals are played by.
        complete: whether the file holds the whole game.
        hands: the hands that were asked for, in order.
    """

    game: str
    names: tuple[str, ...]
    seats: tuple[int, ...]
    samples: int
    policy: str
    complete: bool
    hands: tuple[HandExplanation, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """All that explaining one hand takes; it can be sent to another process."""

    game: str
    rules: Rules
    hand: ReplayHand
    seats: tuple[int, ...]
    samples: int
    policy: str


def explain_game(
    replay: Replay,
    seats: Collection[int] = (),
    hands: Collection[int] = (),
    samples: int = SAMPLES,
    policy: str = "rule",
    *,
    jobs: int = 1,
    told: Callable[[int, int], None] | None = None,
) -> Explanation:
    """Explain a game, finished or not.

    What is found does not depend on `jobs`: every decision has dice of its own, which follow from the game's id and
    where in the game it is.

    Args:
        replay: the game.
        seats: the seats to explain, empty for all.
        hands: the hands to explain, empty for all; those that the file does not have are left out.
        samples: sampled deals for the first look at each decision, 2 or more.
        policy: how sampled deals are played, a key of `POLICIES`.
        jobs: in how many processes at most.
        told: is told how many hands are done of how many, after each.

    Raises:
        ConfigError: there is no such seat or policy, or too few samples.
        ReplayFileError: the rules refuse a move of the file, or its cards are not those of its seed.
        ArenaError: one of several processes was killed.
    """
    count = replay.header.rules.seats
    wrong = [seat for seat in seats if not 0 <= seat < count]
    if wrong:
        raise ConfigError(f"there is no seat {wrong[0]}: seats are 0 to {count - 1}")
    if policy not in POLICIES:
        raise ConfigError(f"there is no policy {policy!r}: there is {', '.join(POLICIES)}")
    if samples < 2:
        raise ConfigError(f"{samples} sampled deals: an interval takes 2 or more")
    check(replay)
    asked = tuple(sorted(set(seats))) or tuple(range(count))
    tasks = [
        Task(replay.header.game, replay.header.rules, hand, asked, samples, policy)
        for hand in replay.hands
        if not hands or hand.hand in hands
    ]
    found = []
    for done, explained in enumerate(_run(tasks, jobs), 1):
        found.append(explained)
        if told is not None:
            told(done, len(tasks))
    return Explanation(
        game=replay.header.game,
        names=tuple(player.name for player in replay.header.players),
        seats=asked,
        samples=samples,
        policy=policy,
        complete=len(replay.hands) == len(replay.header.rules.schedule) and replay.hands[-1].score is not None,
        hands=tuple(sorted(found, key=lambda explained: explained.hand)),
    )


def check(replay: Replay) -> None:
    """Refuse a game whose moves or cards are not possible; whether all of it is true is for `verify`.

    Raises:
        ReplayFileError: the first thing that is wrong.
    """
    if not replay.hands:
        raise ReplayFileError(replay.path, None, "holds no hand that could be explained")
    game = replay_game(replay)
    deals = [event for event in game.events if isinstance(event, Dealt)]
    for hand, dealt in zip(replay.hands, deals, strict=False):
        told = (hand.dealer, hand.cards, hand.turned, hand.trump)
        if told != (dealt.dealer, dealt.cards, dealt.turned, dealt.trump):
            raise ReplayFileError(
                replay.path, hand.line, "is not the deal that follows from the seed: see 'bluke replay verify'"
            )


def explain_hand(task: Task) -> HandExplanation:
    """Explain one hand whose moves are legal."""
    hand = task.hand
    facts = seat_facts(task.rules, hand)
    return HandExplanation(
        hand=hand.hand,
        size=hand.size,
        dealer=hand.dealer,
        trump=hand.trump,
        finished=facts[0].points is not None,
        facts=tuple(facts[seat] for seat in task.seats),
        decisions=tuple(_decisions(task)),
        hindsight=endgames(task.rules, hand, task.seats),
    )


def known_moves(game: str, rules: Rules, hand: ReplayHand) -> Iterator[tuple[Known, ReplayMove, int | None]]:
    """Every bid and play of a hand, with what its seat knew and the number of the trick."""
    dealt = [CardSet.of(cards) for cards in hand.cards]
    bids: list[int] = []
    plays: list[Card] = []

    def known(seat: int) -> Known:
        return Known(
            game=game,
            rules=rules,
            hand=hand.hand,
            size=hand.size,
            dealer=hand.dealer,
            turned=hand.turned,
            trump=hand.trump,
            seat=seat,
            dealt=dealt[seat],
            bids=tuple(bids),
            plays=tuple(plays),
        )

    for move in hand.bids:
        yield known(move.seat), move, None
        bids.append(cast("int", move.value))
    for trick in hand.tricks:
        for move in trick.moves:
            yield known(move.seat), move, trick.number
            plays.append(cast("Card", move.value))


def _decisions(task: Task) -> Iterator[Decision]:
    for known, move, trick in known_moves(task.game, task.rules, task.hand):
        if move.seat not in task.seats or (trick is not None and len(legal_answers(known)) == 1):
            continue
        weighed = weigh(known, move.value, task.samples, task.policy)
        yield Decision(
            line=move.line,
            seat=move.seat,
            asked=Asked.BID if trick is None else Asked.PLAY,
            trick=trick,
            value=move.value,
            maker=_maker(move),
            options=weighed.options,
            spread=weighed.spread,
            regret=weighed.regret,
        )


def _maker(move: ReplayMove) -> Maker:
    if move.forced:
        return Maker.PERSON
    return Maker.REFEREE if move.by_referee else Maker.BOT


def _run(tasks: list[Task], jobs: int) -> Iterator[HandExplanation]:
    """Explain the hands, in any order."""
    work = sum(task.hand.size**2 * len(task.seats) * task.samples for task in tasks)
    jobs = min(jobs, len(tasks)) if work > SMALL else 1
    if jobs == 1:
        yield from map(explain_hand, tasks)
        return
    from bluke.analysis.pool import explain_hands  # noqa: PLC0415 - many games need no processes

    yield from explain_hands(tasks, jobs)
