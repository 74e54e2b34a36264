from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from replay.page.games import hostile_game
from replay.recording import record_game

from bluke.cli.replay_html import html
from bluke.replay.page.index import Entry, glance, index_page
from bluke.rules import Rules
from bluke.wire.values import Player

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ("browser",)
pytestmark = pytest.mark.slow

RULES = Rules(2, hands=(2, 1))


@pytest.fixture
def index(tmp_path) -> Path:
    """The list of four games and a broken file, with pages."""
    runs = tmp_path / "runs"
    record_game(runs, RULES, game_id="a", players=(Player("rule"), Player("one")), seed=1)
    record_game(runs, RULES, game_id="b", players=(Player("mc"), Player("RULE 2")), seed=2, fault_rate=0.5)
    record_game(runs, RULES, game_id="c", stop=3, ending=None, players=(Player("mc"), Player("one")))
    hostile_game(runs)
    (runs / "junk.jsonl").write_bytes(b"<img src=x>\n")
    done = CliRunner().invoke(html, [str(runs), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    return tmp_path / "out" / "index.html"


async def shown(page) -> list[str]:
    """The games in the list, in order."""
    return [name.strip() for name in await page.locator("#rows th > :first-child").all_inner_texts()]


async def test_the_list(visit, index, tmp_path):
    """Every file has a row; a game leads to its page and back; a broken file has its error."""
    page = (await visit(index)).page
    assert await page.locator("#rows tr").count() == 5
    broken = page.locator("#rows tr", has_text="junk.jsonl")
    assert "this is no Bluke replay" in await broken.inner_text()
    assert await broken.locator("a").count() == 0
    await page.get_by_role("link", name="a", exact=True).click()
    assert await page.locator(".pod").count() == 2
    await page.get_by_role("link", name="All games").click()
    assert await page.locator("#rows tr").count() == 5


@pytest.mark.parametrize(
    ("fields", "games"),
    [
        ({"Bot": "rule"}, ["a", "b"]),
        ({"Bot": "MC"}, ["b", "c"]),
        ({"Status": "unfinished"}, ["c"]),
        ({"Status": "complete", "Bot": "mc"}, ["b"]),
        ({"Bot": "nobody"}, []),
    ],
)
async def test_filters(visit, index, fields, games):
    """Filters narrow the list as they are typed, and together."""
    seen = await visit(index)
    page = seen.page
    for label, value in fields.items():
        field = page.get_by_role("combobox", name=label)
        await (field.select_option(value) if label == "Status" else field.fill(value))
    assert await shown(page) == games
    await page.get_by_role("button", name="Clear").click()
    await seen.until("() => document.querySelectorAll('#rows tr').length === 5")


async def test_filters_of_faults_and_points(visit, index):
    """Faults are there or not; points are those of the bot that is looked for."""
    page = (await visit(index)).page
    entries = [glance(path) for path in sorted((index.parent.parent / "runs").iterdir())]
    faults = page.get_by_label("Faults")
    for value, fits in (("some", lambda entry: entry.faults > 0), ("none", lambda entry: entry.faults == 0)):
        await faults.select_option(value)
        assert await shown(page) == [entry.game for entry in entries if entry.status != "broken" and fits(entry)]
    await faults.select_option("")
    await page.get_by_label("Bot").fill("one")
    total = next(entry.totals[1] for entry in entries if entry.game == "a")
    await page.get_by_label("Points from").fill(str(total))
    assert "a" in await shown(page)
    await page.get_by_label("Points from").fill(str(total + 1))
    assert "a" not in await shown(page)


async def test_sorting(visit, index):
    """Each heading sorts, once more the other way, shows that it does, and tells screen readers so."""
    page = (await visit(index)).page
    column = page.locator("[data-column=game]")
    assert await page.locator("thead .arrow").all_inner_texts() == ["↕"] * 5
    button = page.get_by_role("button", name="Game", exact=True)
    assert await column.get_attribute("aria-sort") == "none"
    await button.click()
    first = await shown(page)
    assert first[1:] == ["a", "b", "c", "game-1"]
    assert await column.get_attribute("aria-sort") == "ascending"
    await button.click()
    assert await shown(page) == first[::-1]
    assert await column.get_attribute("aria-sort") == "descending"
    await page.get_by_role("button", name="Points").click()
    entries = [glance(path) for path in (index.parent.parent / "runs").iterdir()]
    best = {entry.game: max(entry.totals) for entry in entries if entry.totals}
    games = await shown(page)
    assert [best[game] for game in games[:-1]] == sorted(best.values(), reverse=True)
    assert games[-1].endswith("junk.jsonl")


async def test_access(visit, index):
    """The list is narrow, legible and named in light and dark, at any width."""
    for width, dark in ((360, True), (360, False), (1280, True), (1280, False)):
        seen = await visit(index, width=width, dark=dark)
        assert await seen.overflow() == 0
        assert await seen.faint() == []
        assert await seen.nameless() == []
        assert await seen.page.locator("th[scope=row]").count() == 5
        assert await seen.page.locator("main").count() == 1


async def test_five_thousand_games(visit, tmp_path):
    """A long list shows a hundred games at a time, filters them all, and turns its pages."""
    entries = [
        Entry(
            file=f"runs/{number}.jsonl",
            page="",
            status="complete",
            game=f"g{number}",
            started="2025-03-01 12:00:00",
            names=("mc", f"bot {number % 7}"),
            totals=(number, -number),
            places=(1, 2),
            faults=number % 2,
        )
        for number in range(5000)
    ]
    path = tmp_path / "index.html"
    path.write_text(index_page(entries), encoding="utf-8")
    page = (await visit(path)).page
    assert await page.locator("#rows tr").count() == 100
    assert await page.locator("#count").inner_text() == "1 to 100 of 5000 games"
    await page.get_by_role("button", name="Next").click()
    assert (await shown(page))[0] == "g100"
    await page.get_by_label("Bot").fill("bot 3")
    assert (await shown(page))[0] == "g3"
    assert await page.locator("#count").inner_text() == "1 to 100 of 714 games, out of 5000"
    await page.get_by_role("button", name="Points").click()
    # The points are those of the bot that is looked for, not the winner's.
    assert (await shown(page))[0] == "g3"
    await page.get_by_label("to", exact=True).fill("-4990")
    assert await shown(page) == ["g4994"]
