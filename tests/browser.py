"""A real Chromium for tests of pages.

A test module says `pytest_plugins = ("browser",)` and asks for `visit`:

    async def test_it(visit):
        seen = await visit(path, "#3", width=360, dark=True)
        await seen.page.get_by_role("button", name="Next").click()

A page that writes an error to its console, throws, or asks for anything but itself fails its test when it is closed.
Where there is no playwright or no Chromium the test is skipped, and says which is missing.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import pytest
import pytest_asyncio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from playwright.async_api import Browser, ConsoleMessage, Page, Request

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
#: Milliseconds that a control may take to appear, far beyond what a page of ours needs on a busy machine.
PATIENCE = 20_000
#: Frames to wait for something, likewise.
FRAMES = 1_200


@dataclass
class Visit:
    """A page that is open, what it complained of, and the addresses it asked for beside its own."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Fail if the page was not in order."""
        assert not self.errors, self.errors
        assert not self.requests, self.requests

    async def until(self, function: str, arg: object = None) -> None:
        """Wait, a frame at a time, until a JavaScript function returns something true.

        Playwright's own `wait_for_function` evaluates text within the page, which a content security policy forbids.
        """
        for _ in range(FRAMES):
            if await self.page.evaluate(function, arg):
                return
            await self.page.evaluate("() => new Promise(requestAnimationFrame)")
        raise AssertionError(f"never came true: {function}")

    async def overflow(self) -> int:
        """By how many pixels the page is wider than its window: 0 if it does not scroll sideways."""
        wide: int = await self.page.evaluate(
            "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
        )
        return wide

    async def nameless(self) -> list[str]:
        """The controls that a screen reader has no name for, as HTML."""
        found: list[str] = await self.page.evaluate(NAMELESS)
        return found

    async def faint(self) -> list[str]:
        """Visible text whose contrast with its ground is below 4.5, or 3 where it is large, with the ratio."""
        found: list[str] = await self.page.evaluate(FAINT)
        return found


#: Name computation in short: what our pages use of it, no more.
NAMELESS = """() => [...document.querySelectorAll('button, a[href], input, select, summary, [role=button], [tabindex]')]
  .filter((e) => e.type !== 'hidden')
  .filter((e) => {
    const ids = (e.getAttribute('aria-labelledby') || '').split(' ');
    const by = ids.map((id) => document.getElementById(id)?.textContent);
    const own = e.matches('input, select') ? '' : e.textContent;
    const alt = [...e.querySelectorAll('svg title')].map((t) => t.textContent);
    const labels = [...(e.labels || [])].map((l) => l.textContent);
    const names = [e.getAttribute('aria-label'), ...by, own, e.title, ...alt, ...labels];
    return !names.some((n) => n && n.trim());
  })
  .map((e) => e.outerHTML.slice(0, 200))"""

#: Grounds are colours here, never pictures; what stands on a gradient or is switched off is left out.
FAINT = """() => {
  const parse = (text) => { const n = text.match(/[0-9.]+/g).map(Number); return n.length > 3 ? n : [...n, 1]; };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== 'none') return null;
      const colour = parse(style.backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const out = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('').trim();
    const box = e.getBoundingClientRect();
    if (!own || box.width < 2 || box.height < 2 || e.closest('svg, script, :disabled, [aria-disabled=true]')) continue;
    if (!e.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(e);
    const back = ground(e);
    if (back === null) continue;
    const [a, b] = [light(parse(style.color)), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) out.push(`${ratio.toFixed(2)} ${own.slice(0, 40)}`);
  }
  return out;
}"""


class Visitor(Protocol):
    """Opens the page at `path`, which is absolute; `fragment` begins with `#`. Sizes are in CSS pixels."""

    async def __call__(
        self,
        path: Path,
        fragment: str = "",
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        still: bool = True,
        touch: bool = False,
    ) -> Visit: ...


@pytest_asyncio.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """One browser for all tests of a worker."""
    playwright_api: Any = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is on the PATH")
    async with playwright_api.async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        yield browser
        await browser.close()


@pytest_asyncio.fixture
async def visit(chromium: Browser) -> AsyncIterator[Visitor]:
    """A function that opens pages; at the end all of them are checked and closed."""
    visits: list[Visit] = []

    async def open_page(
        path: Path,
        fragment: str = "",
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        still: bool = True,
        touch: bool = False,
    ) -> Visit:
        context = await chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if still else "no-preference",
            has_touch=touch,
            offline=True,
        )
        context.set_default_timeout(PATIENCE)
        page = await context.new_page()
        seen = Visit(page)
        visits.append(seen)

        def hear(message: ConsoleMessage) -> None:
            if message.type in {"error", "warning"}:
                seen.errors.append(message.text)

        def note(request: Request) -> None:
            own = request.is_navigation_request() and request.frame == page.main_frame
            if not (own and request.url.startswith("file:")):
                seen.requests.append(request.url)

        page.on("console", hear)
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("request", note)
        await page.goto(path.as_uri() + fragment)
        return seen

    yield open_page
    for seen in visits:
        await seen.page.context.close()
    for seen in visits:
        seen.check()
