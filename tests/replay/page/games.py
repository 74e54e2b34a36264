"""Recorded games for the tests of pages, and what strangers might put into them."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import count
from typing import TYPE_CHECKING

from replay.recording import record_game

from bluke.replay.page.game import game_page
from bluke.replay.reader import read_replay
from bluke.rules import CutRule, Rules
from bluke.wire.values import GameLimits, Player

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Page as BrowserPage

    from bluke.rules import Card

IMAGE = "<img src=x onerror=document.title='owned'>"
SCRIPT = "</script><script>document.title='owned'</script><!--"
TURNED = "\u202egnp.exe \u2028\u2029"
HOSTILE = (
    Player(IMAGE, IMAGE, IMAGE, IMAGE),
    Player(SCRIPT, "{{ 7 * 7 }}"),
    Player(TURNED, "&lt;b&gt;", "'\"`"),
    Player("שלום עולם", author="a name that goes on and on for ever without any end to it"),
)


def hostile_notes():
    """A function of notes: regrets, hostile ones and none in turns."""
    numbers = count()

    def note(_seat: int, value: int | Card) -> str | None:
        words = (f"regret 4.5: not {value}", f"{SCRIPT} {IMAGE}", f"two\nlines {TURNED}{'x' * 300}", None)
        return words[next(numbers) % len(words)]

    return note


def hostile_game(folder: Path) -> Path:
    """A game of four seats with everything: cuts, faults, referee's moves, regrets, and text that means harm."""
    return record_game(
        folder,
        Rules(4, max_hand=4, cut=CutRule.PLAYER),
        players=HOSTILE,
        fault_rate=0.06,
        seed=1,
        note=hostile_notes(),
        limits=GameLimits(max_faults=3),
    ).path


def written(replay: Path) -> Path:
    """The page of a replay, beside it."""
    path = replay.with_name(f"{replay.name.partition('.')[0]}.html")
    path.write_text(game_page(read_replay(replay)).html, encoding="utf-8")
    return path


class Page(HTMLParser):
    """The elements of a page, and the text within some of them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)
        if tag in {"script", "style"}:
            self.texts.setdefault(tag, []).append("")

    def handle_data(self, data):
        if self.open and self.open[-1] in {"script", "style"}:
            self.texts[self.open[-1]][-1] += data

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass


async def at(page: BrowserPage) -> str:
    """The address of the step that is shown, from the link beside the move."""
    return (await page.locator("#move .where a").inner_text()).removeprefix("#")


async def stop_time(page: BrowserPage) -> None:
    """Let time pass only as the test says."""
    await page.clock.install(time=0)
    await page.clock.pause_at(1_000)


async def press(page: BrowserPage, *keys: str) -> str:
    """Press keys; the address where that leads."""
    for key in keys:
        await page.keyboard.press(key)
    return await at(page)
