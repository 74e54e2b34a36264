"""Steps in words: the sentences under the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bluke.replay.page.steps import Kind
from bluke.replay.text import counted, fit
from bluke.rules import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bluke.replay.page.steps import HandPart, Step
    from bluke.replay.stepper.tale import Tale

__all__ = ["fault_words", "held", "sentence", "time_words", "trump_words"]

#: The columns of a name within a sentence.
NAME = 30
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def time_words(ms: float | None) -> str:
    """Milliseconds as a person reads them; nothing for none."""
    if ms is None:
        return ""
    if ms < 999.5:
        return f"{ms:.{1 if ms < 9.95 else 0}f} ms"
    return f"{ms / 1000:.1f} s"


def trump_words(trump: str | None) -> str:
    """The trump of a hand."""
    return "no trump" if trump is None else f"trump {trump} ({SUITS[trump]})"


def held(hand: HandPart, mask: int, seat: int) -> list[str]:
    """The cards of a seat that a mask stands for, in the order of its hand."""
    return [card for place, card in enumerate(hand.cards[seat]) if mask >> place & 1]


def sentence(tale: Tale, step: Step) -> str:
    """What happened in a step."""
    return SENTENCES[step.kind](tale, step)


def fault_words(tale: Tale, number: int, view: int | None) -> str:
    """A fault, on one line; to another seat than its own, `view`, the details were not told: they may name cards."""
    fault = tale.faults[number]
    asked = f" when asked to {fault.asked}" if fault.asked else ""
    words = f"fault, {_who(tale, fault.seat)}: {fault.kind}{asked}"
    if view not in {None, fault.seat}:
        return words
    sent = f" [sent: {_flat(fault.answer)}]" if fault.answer else ""
    return f"{words}: {_flat(fault.detail)}{sent}"


def _flat(text: str) -> str:
    return text.replace("\n", "\\n")


def _who(tale: Tale, seat: int | None) -> str:
    return "nobody" if seat is None else f"seat {seat} {fit(tale.names[seat], NAME)}"


def _begin(tale: Tale, seat: int | None) -> str:
    """Who, at the beginning of a sentence; the rest of a name stays as it is."""
    who = _who(tale, seat)
    return who[0].upper() + who[1:]


def _by(step: Step) -> str:
    return ", a move made by the referee" if step.referee else ""


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)


def _draw(tale: Tale, step: Step) -> str:
    number = int(step.value or 0)
    drawn = _listed([f"{seat} {card}" for seat, card in tale.rounds[number]])
    what = "A tie is drawn again" if number else "The draw for the deal, by seat"
    settled = ""
    if number == len(tale.rounds) - 1 and tale.dealer is not None and tale.keeper is not None:
        settled = f". {_begin(tale, tale.dealer)} deals first, seat {tale.keeper} keeps the score"
    return f"{what}: {drawn}{settled}."


def _deal(tale: Tale, step: Step) -> str:
    hand = tale.hands[step.hand or 0]
    cut = ""
    if step.seat is not None:
        did = f"cuts {counted(int(step.value or 0), 'card')}" if step.value else "taps"
        cut = f" {_begin(tale, step.seat)} {did}{_by(step)}."
    turned = f"{hand.turned} is turned up" if hand.turned else "Nothing is left to turn up"
    dealt = f"Hand {step.hand}, {counted(hand.size, 'card')} each, dealt by {_who(tale, hand.dealer)}."
    return f"{dealt}{cut} {turned}: {trump_words(hand.trump)}."


def _bid(tale: Tale, step: Step) -> str:
    return f"{_begin(tale, step.seat)} bids {step.value}{_by(step)}."


def _play(tale: Tale, step: Step) -> str:
    did = "leads" if step.shown == 1 else "plays"
    taken = f" {_begin(tale, step.best)} takes the trick." if step.taken and step.best is not None else ""
    return f"{_begin(tale, step.seat)} {did} {step.value}{_by(step)}.{taken}"


def _score(_tale: Tale, step: Step) -> str:
    """Whom it went how; the points stand in the table."""
    told = []
    for came in Outcome:
        seats = [str(seat) for seat, letter in enumerate(step.outcomes) if letter == came.value]
        if seats:
            told.append(f"{came.name.lower()} {counted(len(seats), 'seat').partition(' ')[2]} {_listed(seats)}")
    return f"Hand {step.hand} is scored: {'; '.join(told)}."


def _end(tale: Tale, step: Step) -> str:
    places = tale.places
    order = sorted(range(len(tale.names)), key=lambda seat: (places[seat] if places else 0, -step.totals[seat]))
    each = [f"{f'{places[seat]}. ' if places else ''}{tale.names[seat]} {step.totals[seat]}" for seat in order]
    words = [tale.ending or "The game is over.", *(f"Careful, {problem}." for problem in tale.problems)]
    return f"{' '.join(words)} {_listed(each)}."


SENTENCES: dict[Kind, Callable[[Tale, Step], str]] = {
    Kind.DRAW: _draw,
    Kind.DEAL: _deal,
    Kind.BID: _bid,
    Kind.PLAY: _play,
    Kind.SCORE: _score,
    Kind.END: _end,
}
