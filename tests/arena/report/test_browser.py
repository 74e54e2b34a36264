from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from arena.report.hands import end_of, page_of, played, report_of, run_of, tables

from bluke.wire.values import FaultKind

if TYPE_CHECKING:
    from pathlib import Path

    from browser import Visit, Visitor
    from playwright.async_api import Page

pytest_plugins = ("browser",)

BOTS = ["mc", "<img src=x onerror=alert(1)>", "\N{CJK UNIFIED IDEOGRAPH-4E2D}" * 20, "random"]
#: What has less contrast with its ground than AA of WCAG 2 asks for. Drawings have the ground of their section, but for
#: the words in a bar.
PALE = """() => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgb = (color) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => color.slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (element) => {
    const color = rgb(getComputedStyle(element).backgroundColor);
    return color[3] === 255 ? color : ground(element.parentElement);
  };
  const bars = { 'set-ink': '.stripe-ground', 'over-ink': '.dots-ground', 'perfect-ink': '.bar.perfect' };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest('title, desc, script, .skip') || !element.getClientRects().length) continue;
    const svg = element.closest('svg');
    const style = getComputedStyle(element);
    const bar = Object.keys(bars).find((name) => element.classList.contains(name));
    const back = bar ? rgb(getComputedStyle(document.querySelector(bars[bar])).fill) : ground(svg || element);
    const [more, less] = [light(rgb(svg ? style.fill : style.color)), light(back)].sort((x, y) => y - x);
    const contrast = (more + 0.05) / (less + 0.05);
    if (contrast < 4.5) found.push([contrast.toFixed(2), element.tagName, element.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""
#: Words of the wide drawings that are cut by an edge.
CUT = """() => [...document.querySelectorAll('svg.wide')].flatMap((svg) => {
  const place = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < place.left - 1 || box.right > place.right + 1);
  }).map((text) => text.textContent);
})"""


def games_of(bots: list[str], boards: int) -> list:
    seats = len(bots)
    games = []
    for board in range(boards):
        for turn in range(seats):
            at = [(seat - turn) % seats for seat in range(seats)]
            hands = [
                (size, [(1 + (who + board) % size, (who + board + turn) % (size + 1)) for who in at])
                for size in (3, 2, 1)
            ]
            games.append(
                played(
                    board,
                    [bots[who] for who in at],
                    *hands,
                    totals=[90 * (3 - who) + (board * 7 + who * board * 5) % 31 for who in at],
                    number=board * seats + turn,
                    times_ms=[1, 3, 20 + board],
                    faults=[(0, FaultKind.TIMEOUT, 1, "no answer")] if turn == 1 else [],
                )
            )
    return games


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    games = games_of(BOTS, 6)
    path.write_text(report_of(run_of(BOTS, seats=4, boards=6), games, end_of()), encoding="utf-8")
    return path


async def open_all(page: Page) -> None:
    await page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
async def test_it_can_be_read(visit: Visitor, written: Path, dark: bool):
    """Light and dark, no text has less contrast than AA asks for, and no control is without a name."""
    seen = await visit(written, dark=dark)
    await open_all(seen.page)
    assert await seen.page.evaluate(PALE) == []
    assert await seen.nameless() == []
    scheme = await seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (scheme == "rgb(20, 24, 27)") == dark


@pytest.mark.slow
async def test_on_a_phone(visit: Visitor, written: Path):
    """At 360 pixels nothing makes the page wider than it is, opened or not; wide tables scroll in their own boxes."""
    seen = await visit(written, width=360)
    assert await seen.overflow() == 0
    await open_all(seen.page)
    assert await seen.overflow() == 0
    wide = "[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length"
    assert await seen.page.evaluate(wide) > 0
    assert await seen.page.evaluate(CUT) == []


@pytest.mark.slow
async def test_thirty_bots_on_a_phone(visit: Visitor, tmp_path: Path):
    """Nor do thirty bots, or fifteen seats."""
    bots = [f"bot number {n}" for n in range(15)]
    path = tmp_path / "report.html"
    path.write_text(report_of(run_of(bots, seats=15, boards=2), games_of(bots, 2), end_of()), encoding="utf-8")
    seen = await visit(path, width=360)
    await open_all(seen.page)
    assert await seen.overflow() == 0


@pytest.mark.slow
async def test_sort_by_keyboard(visit: Visitor, written: Path):
    """A head of a column is a button: it sorts by numbers from the greatest, then the other way, and says which."""
    seen = await visit(written)
    table = seen.page.locator("#standings table")
    head = table.locator("thead th", has_text="points a game").first
    await head.get_by_role("button").focus()
    await seen.page.keyboard.press("Enter")
    assert await head.get_attribute("aria-sort") == "descending"
    down = await column(table, "points a game")
    await seen.page.keyboard.press("Enter")
    assert await head.get_attribute("aria-sort") == "ascending"
    assert await column(table, "points a game") == down[::-1]
    assert [float(value) for value in down] == sorted(map(float, down), reverse=True)
    await table.locator("thead th").first.get_by_role("button").press("Space")
    assert await head.get_attribute("aria-sort") is None
    names = await table.locator("tbody th").all_text_contents()
    assert names == sorted(names, key=lambda name: (name[0].isalnum(), name))


async def column(table, name: str) -> list[str]:
    """The first words of the cells of a column from the top, with a minus that Python reads."""
    heads = [head.strip() for head in await table.locator("thead th").all_text_contents()]
    cells = await table.locator(f"tbody tr > :nth-child({heads.index(name) + 1})").all_text_contents()
    return [cell.partition(" ")[0].replace("\N{MINUS SIGN}", "-").replace(",", "") for cell in cells]


@pytest.mark.slow
async def test_the_first_key(visit: Visitor, written: Path):
    """The first stop of the keyboard is a link past everything to the standings, and where it stands can be seen."""
    seen = await visit(written)
    await seen.page.keyboard.press("Tab")
    skip = seen.page.get_by_role("link", name="Skip to the standings")
    assert await skip.evaluate("(it) => it === document.activeElement && it.getBoundingClientRect().top >= 0")
    await seen.page.keyboard.press("Enter")
    assert await seen.page.evaluate("document.activeElement.id") == "standings"
    await seen.page.keyboard.press("Tab")
    outline = (
        "getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).outlineWidth"
    )
    assert await seen.page.evaluate(outline) == "solid3px"


@pytest.mark.slow
async def test_colours_by_choice(visit: Visitor, written: Path):
    """The button goes from the system's colours to light to dark and back."""
    seen = await visit(written, dark=True)
    button = seen.page.get_by_role("button", name="Colours")
    grounds = []
    for _ in range(4):
        grounds.append(await seen.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        await button.press("Enter")
    dark, light = "rgb(20, 24, 27)", "rgb(247, 245, 240)"
    assert grounds == [dark, light, dark, dark]
    assert await button.inner_text() == "Colours: light"


@pytest.mark.slow
async def test_the_standings_are_drawn_where_the_table_says(visit: Visitor, written: Path):
    """By the ticks of its scale, each dot and each end of a line stands at the number that the table has."""
    seen = await visit(written)
    ticks = await drawn(seen, "#standings > figure:first-of-type text.tick:not(.unit)", "x.baseVal[0].value")
    scale = [(float(text.replace("\N{MINUS SIGN}", "-").replace(",", "")), x) for text, x in ticks]
    (low, left), (high, right) = scale[0], scale[-1]
    dots = await drawn(seen, "#standings > figure:first-of-type circle.dot", "cx.baseVal.value")
    games = games_of(BOTS, 6)
    page = page_of(run_of(BOTS, seats=4, boards=6), games, end_of())
    rows = tables(page, "standings")["Standings"]
    assert len(dots) == len(rows)
    for (said, x), row in zip(dots, rows.values(), strict=True):
        assert said.rpartition(": ")[2] == row["points a game"]
        mean = float(row["points a game"].partition(" ")[0].replace("\N{MINUS SIGN}", "-"))
        assert x == pytest.approx(left + (right - left) * (mean - low) / (high - low), abs=0.5)


async def drawn(seen: Visit, selector: str, value: str) -> list[tuple[str, float]]:
    """What marks say and where they stand, in pixels."""
    script = f"(marks) => marks.map((mark) => [mark.textContent, mark.{value}])"
    found: list[tuple[str, float]] = await seen.page.locator(selector).evaluate_all(script)
    return found


@pytest.mark.slow
async def test_print(visit: Visitor, written: Path):
    """On paper every part is open and the controls are gone; afterwards all is as it was."""
    seen = await visit(written)
    closed = "document.querySelectorAll('details:not([open])').length"
    before = await seen.page.evaluate(closed)
    await seen.page.emulate_media(media="print")
    await seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert await seen.page.evaluate(closed) == 0
    assert not await seen.page.locator("nav").is_visible()
    assert not await seen.page.locator("#theme").is_visible()
    await seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert await seen.page.evaluate(closed) == before > 0


@pytest.mark.slow
async def test_without_script(visit: Visitor, tmp_path: Path):
    """Without its script the page has all that it tells; only what needs the script is not there."""
    text = report_of(run_of(BOTS, seats=4, boards=1), games_of(BOTS, 1), end_of())
    path = tmp_path / "plain.html"
    path.write_text(
        text[: text.index("<script>")] + text[text.index("</script>") + len("</script>") :], encoding="utf-8"
    )
    seen = await visit(path)
    assert not await seen.page.locator("#theme").is_visible()
    assert await seen.page.locator("thead button").count() == 0
    await seen.page.locator("summary").first.click()
    assert await seen.page.locator("details[open] table").first.is_visible()
