from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from replay.page.games import written
from replay.recording import lines_of, record_game, to_bytes

from bluke.errors import ReplayError
from bluke.replay.page.steps import story
from bluke.replay.reader import read_replay
from bluke.rules import Rules

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ("browser",)
pytestmark = pytest.mark.slow

ME = 2
#: Every word and attribute of the page but for the result and the hashes, in closed boxes, and the file itself.
SEEN = """() => {
  const page = document.documentElement.cloneNode(true);
  for (const away of page.querySelectorAll('script, details')) away.remove();
  return page.outerHTML;
}"""


def twin(path: Path, to: Path) -> Path:
    """A game that seat `ME` cannot tell from another: two others hold each other's cards, and say other things."""
    lines = lines_of(path)
    hand = next(line for line in reversed(lines) if line["type"] == "hand")
    played = {line["card"] for line in lines if line["type"] == "play" and line["hand"] == hand["hand"]}
    one, other = (seat for seat in range(3) if seat != ME)
    to.parent.mkdir()
    for first, second in product(hand["cards"][one], hand["cards"][other]):
        if {first, second} & played:
            continue
        swap = {first: second, second: first}
        cards = [[swap.get(card, card) for card in held] for held in hand["cards"]]
        to.write_bytes(to_bytes([changed(line, cards, hand) for line in lines], seal=False))
        try:
            story(read_replay(to))
        except ReplayError:
            # Somebody would have had to play otherwise.
            continue
        return to
    raise AssertionError("no cards can be exchanged")


def changed(line: dict[str, Any], cards: list[list[str]], hand: dict[str, Any]) -> dict[str, Any]:
    if line is hand:
        return line | {"cards": cards}
    if line.get("seat", ME) == ME:
        return line
    other = {"detail": "something else", "answer": "12", "note": "something else"}
    return line | {key: text for key, text in other.items() if key in line}


async def test_a_view_tells_what_its_seat_knows(visit, tmp_path):
    """Two games that a seat cannot tell apart are the same in its view at every step, in every word and attribute."""
    game = record_game(
        tmp_path / "a", Rules(3, hands=(1, 5)), fault_rate=0.2, seed=9, stop=14, ending=None, note=lambda *_: "hm"
    ).path
    other = twin(game, tmp_path / "b" / game.name)
    told = story(read_replay(game))
    assert {fault.seat for fault in told.faults} - {ME}
    assert told.steps[-1].won != (0, 0, 0)
    pages = [(await visit(written(path))).page for path in (game, other)]
    for page in pages:
        await page.get_by_label("View").select_option(str(ME))
    for step in told.steps[:-1]:
        one, two = [await page.evaluate(SEEN) for page in pages]
        assert one == two, step.at
        for page in pages:
            await page.keyboard.press("ArrowRight")
    await pages[0].get_by_label("View").select_option("")
    assert "It went wrong" in await pages[0].locator("#faults").inner_text()
