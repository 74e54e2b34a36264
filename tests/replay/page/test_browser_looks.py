from __future__ import annotations

import pytest
from replay.page.games import HOSTILE, at, written
from replay.recording import record_game

from bluke.replay.text import visible
from bluke.rules import Rules

pytest_plugins = ("browser",)
pytestmark = pytest.mark.slow

#: What overlaps on the table, or sticks out of it, in words.
COLLISIONS = """() => {
  const rect = (e) => e.getBoundingClientRect();
  const all = (query) => [...document.querySelectorAll(query)].map((e) => [query + ' ' + e.dataset.seat, rect(e)]);
  const meet = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left),
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  const table = rect(document.querySelector('#table'));
  const things = [...all('.pod'), ...all('.lying')];
  const out = [];
  things.forEach(([name, a], i) => {
    if (a.left < table.left - 1 || a.right > table.right + 1) out.push(name + ' beside the table');
    if (a.top < table.top - 1 || a.bottom > table.bottom + 1) out.push(name + ' above or below the table');
    things.slice(i + 1).forEach(([other, b]) => { if (meet(a, b) > 1) out.push(name + ' over ' + other); });
  });
  for (const pod of document.querySelectorAll('.pod')) {
    const p = rect(pod);
    for (const card of pod.querySelectorAll('.held li')) {
      const c = rect(card);
      const out_of = c.left < p.left - 1 || c.right > p.right + 1 || c.bottom > p.bottom + 1;
      if (out_of) out.push('a card out of ' + pod.dataset.seat);
    }
  }
  return out;
}"""

#: Whether the table has been laid out anew since the window changed: the seat below is in its middle.
DRAWN = """() => {
  const [table, seat] = ['#table', '.pod'].map((query) => document.querySelector(query).getBoundingClientRect());
  return Math.abs(table.left + table.right - seat.left - seat.right) < 2;
}"""


@pytest.mark.parametrize("seats", range(2, 16))
async def test_tables_of_every_size(visit, tmp_path, seats):
    """Seats and the cards of a whole trick lie side by side on the table, however wide it is."""
    path = written(record_game(tmp_path, Rules(seats)).path)
    seen = await visit(path, f"#0.0.{seats - 1}")
    for width in (360, 720, 1280):
        await seen.page.set_viewport_size({"width": width, "height": 800})
        await seen.until("(width) => document.querySelector('#table').offsetWidth < width", width)
        await seen.until(DRAWN)
        assert await seen.page.locator(".pod").count() == seats
        assert await seen.page.locator(".lying").count() == seats
        assert await seen.page.evaluate(COLLISIONS) == []
        assert await seen.overflow() == 0
        # The oval goes clockwise from seat 0 below: its left-hand neighbour sits to the left of it on the screen.
        boxes = [await seen.page.locator(f".pod[data-seat='{seat}']").bounding_box() for seat in (0, 1, seats - 1)]
        assert all(boxes)
        if seats > 2:
            assert boxes[1]["x"] < boxes[2]["x"]
        assert boxes[0]["y"] + 1 >= max(box["y"] for box in boxes)


async def test_the_largest_hands(visit, tmp_path):
    """Even when the whole pack is dealt the cards stay within their places."""
    for seats in (2, 3, 6, 9):
        rules = Rules(seats, hands=(54 // seats,))
        seen = await visit(written(record_game(tmp_path, rules, game_id=f"g{seats}").path), "#0")
        for width in (1280, 360):
            await seen.page.set_viewport_size({"width": width, "height": 800})
            await seen.until(DRAWN)
            assert await seen.page.evaluate(COLLISIONS) == []
            assert await seen.overflow() == 0


async def test_every_step_is_announced(plain):
    """The line that screen readers speak is polite, whole, and another one after every step."""
    page = plain.page
    caption = page.get_by_role("status").first
    assert await caption.get_attribute("aria-live") == "polite"
    assert await caption.get_attribute("aria-atomic") == "true"
    said = set()
    for _ in range(12):
        said.add(await caption.inner_text())
        await page.keyboard.press("ArrowRight")
    assert len(said) == 12


async def test_hostile_text(visit, pages):
    """Names and notes that look like HTML or turn the direction of writing are shown as they are, at every step."""
    seen = await visit(pages["hostile"])
    page = seen.page
    names = await page.locator(".pod .name").all_inner_texts()
    assert names == [visible(player.name) for player in HOSTILE]
    assert await page.title() != "owned"
    assert await page.locator("main img, main b").count() == 0
    count = int(await page.locator("#slider").get_attribute("max") or "0")
    for _ in range(count):
        await page.keyboard.press("ArrowRight")
    assert await at(page) == "end"
    assert await page.title() != "owned"
    assert await page.evaluate("getComputedStyle(document.querySelector('bdi')).unicodeBidi") == "isolate"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("address", ["#draw", "#0.bid.1", "#0.1.2", "#1.score", "#end"])
async def test_contrast_and_names(visit, pages, dark, address):
    """In light and dark every text has the contrast of AA, and every control a name."""
    seen = await visit(pages["hostile"], address, dark=dark)
    await seen.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert await seen.faint() == []
    assert await seen.nameless() == []


async def test_dark_and_four_colours(visit, pages):
    """Dark follows the system until it is chosen; suits have two colours or four; both are remembered."""
    seen = await visit(pages["plain"], "#0")
    page = seen.page
    ground = "getComputedStyle(document.body).backgroundColor"
    light = await page.evaluate(ground)
    dark = page.get_by_role("button", name="Dark")
    assert await dark.get_attribute("aria-pressed") == "false"
    await page.emulate_media(color_scheme="dark")
    await seen.until(f"(light) => {ground} !== light", light)
    assert await dark.get_attribute("aria-pressed") == "true"
    await dark.click()
    assert await page.evaluate(ground) == light

    async def colours() -> int:
        """How many colours the suits of the cards on the table have."""
        fills = await page.evaluate(
            "[...new Set([...document.querySelectorAll('.pods .card:not(.bluke-HI, .bluke-LO)')]"
            ".map((card) => getComputedStyle(card).fill))].length"
        )
        return int(fills)

    assert await colours() == 2
    await page.get_by_role("button", name="Four colours").click()
    assert await colours() == 4
    await page.reload()
    assert await page.evaluate(ground) == light
    assert await colours() == 4


async def test_the_blukes_are_told_apart(visit, tmp_path):
    """Each Bluke is drawn in its own colours, with its own word and name."""
    path = written(record_game(tmp_path, Rules(2, max_hand=27)).path)
    page = (await visit(path, "#0")).page
    for card, name in (("LO", "Lo Bluke"), ("HI", "Hi Bluke")):
        drawn = page.locator(f".pod [data-card={card}]")
        assert await drawn.get_attribute("aria-label") == name
        assert await drawn.locator("text").first.text_content() == card
    colours = [
        await page.locator(f".pod [data-card={card}]").evaluate(
            "(e) => getComputedStyle(e).getPropertyValue('--cap-mid')"
        )
        for card in ("LO", "HI")
    ]
    assert len(set(colours)) == 2


async def test_motion(visit, pages):
    """A card slides from its hand when it is played, unless the person wants no motion."""
    for still, moving in ((True, 0), (False, 1)):
        page = (await visit(pages["plain"], "#0.bid.1", still=still)).page
        # Within one task, in which no motion can come to its end.
        count = await page.evaluate(
            """() => {
                document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
                return document.querySelector('#trick').getAnimations({ subtree: true }).length;
            }"""
        )
        assert await at(page) == "0.0.0"
        assert count == moving


async def test_structure(plain):
    """The page has a language, one heading of the first rank, its landmarks, unique ids, and tables with headers."""
    page = plain.page
    await page.keyboard.press("End")
    assert await page.get_attribute("html", "lang") == "en"
    assert await page.locator("h1").count() == 1
    for role in ("banner", "main", "contentinfo"):
        assert await page.get_by_role(role).count() == 1
    ids = await page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    tables = await page.evaluate(
        """[...document.querySelectorAll('table')].map((table) => [!!table.caption?.textContent.trim(),
            table.querySelectorAll('thead th[scope=col]').length > 1,
            [...table.querySelectorAll('tbody tr')].every((row) => row.querySelector('th[scope=row]'))])"""
    )
    assert len(tables) >= 4
    assert all(caption and head for caption, head, _ in tables)
    assert all(rows for _, _, rows in tables)
    drawings = await page.evaluate(
        "[...document.querySelectorAll('main svg')].filter((e) => !e.getAttribute('aria-label')"
        " && e.getAttribute('aria-hidden') !== 'true' && !e.closest('[aria-hidden=true]')).length"
    )
    assert drawings == 0


@pytest.mark.parametrize("width", [360, 412, 800])
async def test_on_a_phone(visit, pages, width):
    """On a narrow screen no step makes the page scroll sideways, and buttons are large enough for a finger."""
    seen = await visit(pages["hostile"], "#0.1.2", width=width, height=740, touch=True)
    await seen.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for address in ("#draw", "#1.0.3", "#1.score", "#end"):
        await seen.page.goto(seen.page.url.partition("#")[0] + address)
        assert await seen.overflow() == 0
    sizes = await seen.page.evaluate(
        "[...document.querySelectorAll('button')].map((e) => e.getBoundingClientRect()).map((r) => [r.width, r.height])"
    )
    assert min(min(size) for size in sizes) >= 24


async def test_what_the_browser_notices(visit, tmp_path):
    """A page that errs, fetches, overflows, or has faint text or a control without a name does not pass."""
    path = tmp_path / "bad.html"
    path.write_text(
        "<!doctype html><html lang=en><title>bad</title><script>missing()</script><img src=http://elsewhere.test/x.png>"
        "<button></button><p style='color:#bbb;width:3000px'>faint</p>",
        encoding="utf-8",
    )
    seen = await visit(path)
    assert any("missing" in error for error in seen.errors)
    assert seen.requests == ["http://elsewhere.test/x.png"]
    assert await seen.overflow() > 1000
    assert await seen.faint() == ["1.92 faint"]
    assert await seen.nameless() == ["<button></button>"]
    with pytest.raises(AssertionError):
        seen.check()
    seen.errors.clear()
    seen.requests.clear()
