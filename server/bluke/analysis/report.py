"""An explanation in plain text for people, and as data for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from bluke.analysis.annotate import regret_note
from bluke.analysis.endgame import MEANINGS, Chance
from bluke.analysis.explain import Maker
from bluke.analysis.summary import Luck, summarize
from bluke.replay.render import Piece, Row
from bluke.replay.text import named, visible
from bluke.rules import Asked, Outcome, points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bluke.analysis.endgame import Endgame
    from bluke.analysis.explain import Decision, Explanation, HandExplanation
    from bluke.analysis.facts import SeatFacts
    from bluke.analysis.summary import SeatSummary
    from bluke.rules import Card

__all__ = ["data", "report"]

STYLE_OF_OUTCOME = {"S": "set", "O": "", "P": "perfect"}
FOR_OUTCOME = {"S": "set", "O": "made", "P": "perfect"}
LUCK = {
    Luck.LESS: "it scored less; its own play or that of the others was unlike the policy's",
    Luck.WITHIN: "what it scored is within the luck of the cards",
    Luck.MORE: "it scored more; its own play or that of the others was unlike the policy's",
}
GIVEN_UP = {Chance.FORCED: "a sure bid", Chance.OPEN: "the last chance"}
#: Cards with smaller regrets, in points, are only counted; they are all in the data.
SMALL = 0.5
#: How many regrets the summary of a seat names.
LARGEST = 3
BY = {Maker.BOT: "", Maker.REFEREE: " (the referee's move)", Maker.PERSON: " (a person's move)"}


def report(explanation: Explanation, *, cards: bool = False) -> Iterator[Row]:
    """Tell a person about a game: each hand, and what it comes to for each seat.

    Args:
        explanation: the game.
        cards: whether to tell the means of every card that was chosen, not only the regrets.
    """
    yield (Piece(f"Game {visible(explanation.game)}", "title"), Piece(f", policy {explanation.policy}"))
    for row in _preamble(explanation):
        yield (Piece(row, "dim"),)
    if not explanation.complete:
        yield (Piece("The file does not hold the whole game: this goes as far as it does", "fault"),)
    for hand in explanation.hands:
        yield ()
        yield from _hand(hand, cards=cards)
    yield ()
    yield (Piece("Seat by seat", "title"),)
    for summary in summarize(explanation):
        yield from _summary(summary, explanation.names[summary.seat])


def _preamble(explanation: Explanation) -> tuple[str, ...]:
    return (
        f"Means are points in the hand, over {explanation.samples} deals that the seat could not rule out, all seats",
        f"playing on as the policy {explanation.policy!r} does. A regret is what the better answer gains on new deals,",
        "± its 95% interval: an estimate under that policy, and not the price of a card.",
    )


# One hand


def _hand(hand: HandExplanation, *, cards: bool) -> Iterator[Row]:
    trump = "no trump" if hand.trump is None else f"trump {hand.trump}"
    unfinished = "" if hand.finished else ", not played to its end"
    yield (
        Piece(f"Hand {hand.hand}", "title"),
        Piece(f"  {hand.size} card{_s(hand.size)}, dealer {hand.dealer}, {trump}"),
        Piece(unfinished, "fault"),
    )
    yield from (_facts(facts) for facts in hand.facts)
    if hand.decisions:
        yield (Piece("  By what each seat knew", "title"),)
    yield from _decisions(hand, cards=cards)
    if hand.hindsight:
        yield (Piece(f"  HINDSIGHT, all cards known, from trick {hand.hindsight[0].trick}", "title"),)
    if hand.hindsight and all(endgame.chance is Chance.MADE for endgame in hand.hindsight):
        yield (Piece("           every bid was made already"),)
    else:
        for endgame in hand.hindsight:
            yield from _endgame(hand, endgame)


def _decisions(hand: HandExplanation, *, cards: bool) -> Iterator[Row]:
    small = 0
    for decision in hand.decisions:
        regret = decision.regret
        if decision.asked is Asked.BID:
            yield from _bid(decision)
        elif cards:
            yield from _card(hand.hand, decision)
        elif regret is not None and regret.mean < SMALL:
            small += 1
        elif regret is not None:
            yield (
                Piece(f"  seat {decision.seat:>2}  ", "dim"),
                Piece(f"{_at(hand.hand, decision)} {decision.value}{BY[decision.maker]}: "),
                Piece(regret_note(regret), "fault"),
            )
    if small:
        yield (Piece(f"           and {small} card{_s(small)} with a regret of less than {SMALL} points", "dim"),)


def _facts(facts: SeatFacts) -> Row:
    seat = Piece(f"  seat {facts.seat:>2}  ", "dim")
    if facts.bid is None:
        return (seat, Piece("made no bid"))
    result = Piece(f"bid {facts.bid}, took {facts.taken}")
    if facts.outcome is not None:
        letter = facts.outcome.value
        result = Piece(
            f"bid {facts.bid}, took {facts.taken}: {letter} {facts.points:+d} ({FOR_OUTCOME[letter]})",
            STYLE_OF_OUTCOME[letter],
        )
    when = ""
    if facts.safe_after is not None:
        when = f"; safe after trick {facts.safe_after}"
    elif facts.lost_after is not None:
        when = f"; impossible after trick {facts.lost_after}"
    forced = f"; {facts.forced} of {facts.moves} moves forced"
    not_own = f"; {facts.not_own} not its own" if facts.not_own else ""
    time = "" if facts.ms is None else f"; {_time(facts.ms)}, slowest {_time(facts.slowest_ms or 0)}"
    return (seat, result, Piece(when + forced + not_own), Piece(time, "dim"))


def _bid(decision: Decision) -> Iterator[Row]:
    """A bid, and what each would have scored on average; those too high to be ever made are told together."""
    hopeless = 0
    for option in reversed(decision.options):
        if option.mean != points(cast("int", option.value), 0):
            break
        hopeless += 1
    count = len(decision.options)
    pieces = []
    for bid, option in enumerate(decision.options, 1):
        text = f"{bid}: {option.mean:.1f}"
        if bid == decision.value:
            pieces.append(Piece(f"  [{text}]", "win"))
        elif bid <= count - hopeless:
            pieces.append(Piece(f"  {text}"))
    if hopeless > 1 or (hopeless and decision.value != count):
        first = count - hopeless + 1
        pieces.append(Piece(f"  {count if hopeless == 1 else f'{first} to {count}'}: always set", "dim"))
    yield (
        Piece(f"  seat {decision.seat:>2}  ", "dim"),
        Piece(f"bid {decision.value}{BY[decision.maker]}; means"),
        *pieces,
    )
    if decision.regret is not None:
        yield (Piece("           "), Piece(regret_note(decision.regret), "fault"))


def _card(hand: int, decision: Decision) -> Iterator[Row]:
    """A card, and what each would have scored on average."""
    yield (
        Piece(f"  seat {decision.seat:>2}  ", "dim"),
        Piece(f"{_at(hand, decision)} {decision.value}{BY[decision.maker]}; means"),
        *(
            Piece(f"  [{option.value}: {option.mean:.1f}]", "win")
            if option.value == decision.value
            else Piece(f"  {option.value}: {option.mean:.1f}")
            for option in decision.options
        ),
    )
    if decision.regret is not None:
        yield (Piece("           "), Piece(regret_note(decision.regret), "fault"))


def _endgame(hand: HandExplanation, endgame: Endgame) -> Iterator[Row]:
    yield (Piece(f"  seat {endgame.seat:>2}  ", "dim"), Piece(f"its bid {MEANINGS[endgame.chance]}"))
    for slip in endgame.slips:
        yield (
            Piece(f"           {hand.hand}.{slip.trick} {slip.card} "),
            Piece(f"gave up {GIVEN_UP[slip.before]}", "fault"),
            Piece(f": after it, it {MEANINGS[slip.after]}. {slip.better} would not have"),
        )


# The whole game


def _summary(summary: SeatSummary, name: str) -> Iterator[Row]:
    set_, made, perfect = (summary.outcomes[outcome] for outcome in (Outcome.SET, Outcome.OVERTRICKS, Outcome.PERFECT))
    scored = f"scored {summary.points} in {summary.hands} hand{_s(summary.hands)}"
    lines = [f"{scored}: {set_} set, {made} made with overtricks, {perfect} perfect"]
    worth = f"its bids were worth {summary.worth:.0f} on average"
    if summary.luck is not None:
        low, high = summary.worth - summary.spread, summary.worth + summary.spread
        worth += f", and 95% of deals between {low:.0f} and {high:.0f}: {LUCK[summary.luck]}"
    choices = f"{summary.choices} decision{_s(summary.choices)} with a choice"
    lines += [worth, f"{choices}, {len(summary.regrets)} with a regret, together {summary.total_regret:.1f}"]
    yield (Piece(f"  seat {summary.seat:>2}  ", "dim"), Piece(named(name), "title"))
    yield from ((Piece(f"           {line}"),) for line in lines)
    for hand, decision in summary.regrets[:LARGEST]:
        if decision.regret is not None:
            yield (
                Piece(f"             {_at(hand, decision)} {decision.value}{BY[decision.maker]}: "),
                Piece(regret_note(decision.regret), "fault"),
            )
    yield (Piece(f"           in hindsight {summary.slips or 'no'} card{_s(summary.slips)} gave a bid up"),)


def _at(hand: int, decision: Decision) -> str:
    """The moment of a decision as other commands take it: `3.7` or `3.bid`."""
    return f"{hand}.bid" if decision.trick is None else f"{hand}.{decision.trick}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _time(ms: float) -> str:
    return f"{ms:.1f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


# For programs


def data(explanation: Explanation) -> dict[str, Any]:
    """The whole explanation as values that JSON has; its keys are those of docs/explain.md."""
    return {
        "game": explanation.game,
        "names": list(explanation.names),
        "seats": list(explanation.seats),
        "samples": explanation.samples,
        "policy": explanation.policy,
        "complete": explanation.complete,
        "hands": [_hand_data(hand) for hand in explanation.hands],
        "summary": [_summary_data(summary) for summary in summarize(explanation)],
    }


def _hand_data(hand: HandExplanation) -> dict[str, Any]:
    return {
        "hand": hand.hand,
        "size": hand.size,
        "dealer": hand.dealer,
        "trump": None if hand.trump is None else str(hand.trump),
        "finished": hand.finished,
        "facts": [_facts_data(facts) for facts in hand.facts],
        "decisions": [_decision_data(hand.hand, decision) for decision in hand.decisions],
        "hindsight": [_endgame_data(hand.hand, endgame) for endgame in hand.hindsight],
    }


def _facts_data(facts: SeatFacts) -> dict[str, Any]:
    return asdict(facts) | {"outcome": None if facts.outcome is None else facts.outcome.value}


def _decision_data(hand: int, decision: Decision) -> dict[str, Any]:
    regret = decision.regret
    return {
        "at": _at(hand, decision),
        "line": decision.line,
        "seat": decision.seat,
        "asked": decision.asked.value,
        "value": _value(decision.value),
        "by": decision.maker.value,
        "mean": round(decision.mean, 3),
        "options": [{"value": _value(option.value), "mean": round(option.mean, 3)} for option in decision.options],
        "regret": None
        if regret is None
        else {
            "better": _value(regret.better),
            "mean": round(regret.mean, 3),
            "margin": round(regret.margin, 3),
            "deals": regret.deals,
        },
    }


def _endgame_data(hand: int, endgame: Endgame) -> dict[str, Any]:
    return {
        "seat": endgame.seat,
        "trick": endgame.trick,
        "chance": endgame.chance.value,
        "slips": [
            {
                "at": f"{hand}.{slip.trick}",
                "line": slip.line,
                "card": str(slip.card),
                "better": str(slip.better),
                "before": slip.before.value,
                "after": slip.after.value,
            }
            for slip in endgame.slips
        ],
    }


def _summary_data(summary: SeatSummary) -> dict[str, Any]:
    return {
        "seat": summary.seat,
        "hands": summary.hands,
        "points": summary.points,
        "outcomes": {outcome.value: count for outcome, count in summary.outcomes.items()},
        "worth": round(summary.worth, 3),
        "spread": round(summary.spread, 3),
        "luck": None if summary.luck is None else summary.luck.value,
        "choices": summary.choices,
        "regrets": len(summary.regrets),
        "total_regret": round(summary.total_regret, 3),
        "slips": summary.slips,
    }


def _value(value: int | Card) -> int | str:
    return value if isinstance(value, int) else str(value)
