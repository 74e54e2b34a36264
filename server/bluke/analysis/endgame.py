"""HINDSIGHT: exact endgames with all cards known.

No seat could know any of this, so it is kept apart from the estimates: nothing here goes into them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from bluke.analysis.facts import table_of, turns
from bluke.analysis.playout import touching
from bluke.rules import CardSet

if TYPE_CHECKING:
    from collections.abc import Collection

    from bluke.analysis.facts import Turn
    from bluke.analysis.playout import Position, Table
    from bluke.replay.reader import ReplayHand
    from bluke.rules import Card, Rules

__all__ = ["TRICKS", "Chance", "Endgame", "Slip", "Solver", "endgames"]

#: How many tricks at the end of a hand are worked out.
TRICKS = 5
#: Cards that may be tried for one seat's endgame against the others, and again with them: about 0.3 s.
BUDGET = 100_000


class Chance(Enum):
    """What could become of a bid, with all cards known."""

    MADE = "made"
    FORCED = "forced"
    OPEN = "open"
    LOST = "lost"
    NOT_FORCED = "not forced"
    UNKNOWN = "unknown"


#: What each of them means, for people.
MEANINGS = {
    Chance.MADE: "was made already",
    Chance.FORCED: "could be made against any play of the others",
    Chance.OPEN: "could be made only with the others' help",
    Chance.LOST: "could not be made any more, not even with the others' help",
    Chance.NOT_FORCED: "could not be made against the best play of the others; what their help does takes too long",
    Chance.UNKNOWN: "could be anything: to work it out takes too long",
}
#: From each, what is worse for certain.
WORSE = {
    Chance.FORCED: {Chance.OPEN, Chance.LOST, Chance.NOT_FORCED},
    Chance.OPEN: {Chance.LOST},
}


@dataclass(frozen=True, slots=True)
class Slip:
    """A card that made less of a bid than another would have, with all cards known.

    Attributes:
        line: the line of the file.
        trick: the trick.
        card: the card that was played.
        better: a card that would have kept what there was.
        before: what could become of the bid before it.
        after: what could become of it after it.
    """

    line: int
    trick: int
    card: Card
    better: Card
    before: Chance
    after: Chance


@dataclass(frozen=True, slots=True)
class Endgame:
    """The end of a hand for one seat.

    Attributes:
        seat: the seat.
        trick: the trick it begins with.
        chance: what could become of the bid then.
        slips: the seat's own cards that made less of it, in order.
    """

    seat: int
    trick: int
    chance: Chance
    slips: tuple[Slip, ...]


def endgames(rules: Rules, hand: ReplayHand, seats: Collection[int]) -> tuple[Endgame, ...]:
    """Work out the last tricks of a hand for these seats, as far as they were played."""
    table = table_of(rules, hand)
    bids = {move.seat: int(move.value) for move in hand.bids if isinstance(move.value, int)}
    end = [turn for turn in turns(rules, hand) if turn.position.tricks <= TRICKS]
    if not end or len(bids) < rules.seats:
        return ()
    return tuple(_endgame(table, seat, bids[seat], end) for seat in seats)


def _endgame(table: Table, seat: int, bid: int, end: list[Turn]) -> Endgame:
    judge = _Judge(table, seat, bid)
    slips = []
    # The last first: it takes least, and what is found out serves those before it.
    for turn in reversed(end):
        if turn.move.seat != seat or turn.legal.bit_count() == 1:
            continue
        before = judge.chance(turn)
        if before not in WORSE:
            continue
        after = judge.chance_after(turn, turn.card)
        if after in WORSE[before]:
            # There is one, but to find it again may take too long.
            kept = (card for card in CardSet(turn.legal) if judge.chance_after(turn, card) is before)
            better = next(kept, None)
            if better is not None:
                slips.append(Slip(turn.move.line, turn.trick, turn.card, better, before, after))
    return Endgame(seat, end[0].trick, judge.chance(end[0]), tuple(reversed(slips)))


class _Judge:
    """What can become of one seat's bid."""

    def __init__(self, table: Table, seat: int, bid: int) -> None:
        self.table = table
        self.seat = seat
        self.bid = bid
        self.against = Solver(table, seat, helped=False)
        self.together = Solver(table, seat, helped=True)

    def chance(self, turn: Turn) -> Chance:
        return self.judge(turn.position, list(turn.hands), self.bid - turn.taken[self.seat])

    def chance_after(self, turn: Turn, card: Card) -> Chance:
        hands = list(turn.hands)
        hands[self.seat] ^= card.bit
        return self.judge(turn.position.after(self.table, card.bit), hands, self.bid - turn.taken[self.seat])

    def judge(self, position: Position, hands: list[int], need: int) -> Chance:
        if need <= 0:
            return Chance.MADE
        if need > position.tricks:
            return Chance.LOST
        forced = self.against.makes(position, hands, need)
        if forced is not False:
            return Chance.FORCED if forced else Chance.UNKNOWN
        helped = self.together.makes(position, hands, need)
        return {True: Chance.OPEN, False: Chance.LOST, None: Chance.NOT_FORCED}[helped]


class _BudgetError(Exception):
    """A question takes more steps than it may."""


class Solver:
    """Answers whether one seat takes the tricks that it needs; what was found out once is kept.

    Args:
        table: the hand.
        me: the seat.
        helped: whether the other seats play for it, and not against it.
        budget: cards that may be tried for all questions together.
    """

    def __init__(self, table: Table, me: int, *, helped: bool, budget: int = BUDGET) -> None:
        self._table = table
        self._me = me
        self._helped = helped
        self._left = budget
        self._found: dict[tuple[int, int, tuple[int, ...]], bool] = {}

    def makes(self, position: Position, hands: list[int], need: int) -> bool | None:
        """Whether the seat takes `need` of the tricks that are left, the current one among them.

        Args:
            position: where the play stands.
            hands: the cards that each seat holds.
            need: how many.

        Returns:
            The answer, `None` if it takes too long to find.
        """
        if self._left < 0:
            return None
        try:
            return self._makes(position, list(hands), need)
        except _BudgetError:
            return None

    def _makes(self, position: Position, hands: list[int], need: int) -> bool:
        if not position.to_play:
            need -= position.winner == self._me
            position = position.next_trick(self._table)
        if need <= 0:
            return True
        if need > position.tricks:
            return False
        if position.best >= 0:
            return self._play(position, hands, need)
        key = (position.seat, need, tuple(hands))
        found = self._found.get(key)
        if found is None:
            least, most = self._bounds(hands)
            found = least >= need or (most >= need and self._play(position, hands, need))
            self._found[key] = found
        return found

    def _bounds(self, hands: list[int]) -> tuple[int, int]:
        """How many tricks it takes at least and at most: cards that nothing beats, and that every seat can spare."""
        beats, me = self._table.beats, self._me
        others = [held for seat, held in enumerate(hands) if seat != me]
        out = 0
        for held in others:
            out |= held
        least = most = 0
        mine = hands[me]
        while mine:
            card = mine & -mine
            mine ^= card
            above = beats[card.bit_length() - 1]
            least += bool(card & self._table.strong) and not out & above
            most += all(held & ~above for held in others)
        return least, most

    def _play(self, position: Position, hands: list[int], need: int) -> bool:
        seat = position.seat
        held = hands[seat]
        wanted = self._helped or seat == self._me
        for card in self._tries(position, hands):
            self._left -= 1
            if self._left < 0:
                raise _BudgetError
            hands[seat] = held ^ card
            made = self._makes(position.after(self._table, card), hands, need)
            if made is wanted:
                hands[seat] = held
                return wanted
        hands[seat] = held
        return not wanted

    def _tries(self, position: Position, hands: list[int]) -> list[int]:
        """The cards that differ in what they can do, the most promising first."""
        legal = position.legal(hands[position.seat])
        if not legal & legal - 1:
            return [legal]
        best = position.best
        between = 0 if best < 0 else 1 << best
        for held in hands:
            between |= held
        tries = [group & -group for group in touching(legal, between & ~legal)]
        if best < 0:
            tries.reverse()
            return tries
        beats = self._table.beats[best]
        mine = position.seat == self._me
        # Who is for this seat lets it win and who is against it does not.
        wins_first = mine or (position.winner == self._me and not self._helped)
        return sorted(tries, key=lambda card: bool(card & beats) is not wins_first)
