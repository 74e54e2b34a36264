from __future__ import annotations

import re

import pytest
from replay.page.games import at, press, stop_time, written
from replay.recording import record_game

from bluke.replay.page.steps import story
from bluke.replay.reader import read_replay
from bluke.rules import Asked, Card, CardSet, Game, Rules, SeededPacks, game_seed

pytest_plugins = ("browser",)
pytestmark = pytest.mark.slow

DASH, MINUS = "\u2013", "\u2212"


async def test_every_step_is_drawn_as_the_game_has_it(visit, tmp_path):
    """At every step the cards in every hand, those that may be played, bids, tricks and points are the reducer's."""
    recorded = record_game(tmp_path, Rules(3, hands=(4, 2)), seed=5)
    told = story(read_replay(recorded.path))
    seen = await visit(written(recorded.path))
    game = Game(Rules(3, hands=(4, 2)), SeededPacks(game_seed(b"tests", 5)))
    looked = 0
    for step in told.steps:
        if step.kind.value in {"bid", "play"}:
            game.answer(game.seat, Card.parse(step.value) if isinstance(step.value, str) else step.value or 0)
        await seen.page.evaluate("(at) => { location.hash = at; }", step.at)
        await seen.until("(at) => document.querySelector('#move .where a').hash === '#' + at", step.at)
        if step.turn is None or step.hand != game.hand:
            continue
        looked += 1
        drawn = await seen.page.evaluate(
            """() => [...document.querySelectorAll('.pod')].map((pod) => ({
                held: [...pod.querySelectorAll('.held [data-card]')].map((card) => card.dataset.card),
                legal: [...pod.querySelectorAll('.held .legal [data-card]')].map((card) => card.dataset.card),
                bid: pod.querySelector('.bid').textContent, took: pod.querySelector('.took').textContent,
                total: pod.querySelector('.total').textContent, turn: pod.classList.contains('turn') }))"""
        )
        for seat, pod in enumerate(drawn):
            assert CardSet.of(map(Card.parse, pod["held"])) == game.held(seat)
            mine = seat == game.seat
            assert pod["turn"] is mine
            legal = game.legal if mine and game.asked is Asked.PLAY else CardSet()
            assert CardSet.of(map(Card.parse, pod["legal"])) == legal
            assert pod["bid"] == f"bid {game.bids[seat] or DASH}"
            assert pod["took"].endswith(str(game.tricks_won[seat]))
            assert pod["total"].startswith(str(game.totals[seat]).replace("-", MINUS))
    assert looked > 20


async def test_the_keys(plain):
    """Arrows go a step, with shift a hand; Home and End go to the ends; all without a control being focused."""
    page = plain.page
    assert await at(page) == "draw"
    assert await press(page, "ArrowRight") == "0"
    assert await press(page, "ArrowRight", "ArrowRight") == "0.bid.3"
    assert await press(page, "ArrowLeft") == "0.bid.2"
    assert await press(page, "Shift+ArrowRight") == "1"
    assert await press(page, "Shift+ArrowLeft") == "0"
    assert await press(page, "End") == "end"
    assert await press(page, "ArrowRight") == "end"
    assert await press(page, "Home") == "draw"
    assert await press(page, "ArrowLeft") == "draw"


async def test_a_walk_with_the_keyboard_alone(plain):
    """Every control can be reached with Tab, shows where the focus is, and does what it says with Enter or space."""
    page = plain.page
    reached: list[str] = []
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.id") == "skip"
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.id") == "controls"
    for _ in range(40):
        await page.keyboard.press("Tab")
        name = await page.evaluate(
            "(({id, dataset, tagName}) => id || dataset.go || (dataset.jump || '') + (dataset.way || '') || tagName)"
            "(document.activeElement)"
        )
        reached.append(name)
        if name == "next" and reached.count(name) == 1:
            outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline == "solid"
            await page.keyboard.press("Enter")
            assert await at(page) == "0"
            await page.keyboard.press("Space")
            assert await at(page) == "0.bid.2"
    for name in ("slider", "first", "handBack", "back", "play", "next", "handNext", "last", "speed", "view", "set1"):
        assert name in reached, name


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("To the start", "1.0.0", "draw"),
        ("Previous hand", "1.0.0", "1"),
        ("One step back", "1.0.0", "1.bid.2"),
        ("One step on", "1.0.0", "1.0.1"),
        ("Next hand", "1.0.0", "2"),
        ("To the end", "1.0.0", "end"),
    ],
)
async def test_the_buttons(visit, pages, name, start, end):
    """Each button goes where its name says, and the address follows."""
    seen = await visit(pages["plain"], f"#{start}")
    await seen.page.get_by_role("button", name=name, exact=True).click()
    assert await at(seen.page) == end
    await seen.until("(at) => location.hash === '#' + at", end)


async def test_buttons_that_lead_nowhere_say_so(plain):
    """At either end the buttons that would go further are marked, and keep the focus and the keyboard."""
    page = plain.page
    back = page.get_by_role("button", name="One step back")
    assert await back.get_attribute("aria-disabled") == "true"
    await page.get_by_role("button", name="To the end").focus()
    await page.keyboard.press("Enter")
    assert await page.get_by_role("button", name="One step on").get_attribute("aria-disabled") == "true"
    assert await press(page, "ArrowLeft") != "end"
    assert await back.get_attribute("aria-disabled") == "false"


async def test_the_slider(plain):
    """The slider goes to any step, by hand or with its own keys, and says the step in words."""
    page = plain.page
    slider = page.get_by_role("slider", name="Step")
    await slider.fill("6")
    assert await at(page) == "0.0.0"
    await slider.press("ArrowRight")
    assert await at(page) == "0.0.1"
    assert "Hand 0, trick 0" in (await slider.get_attribute("aria-valuetext") or "")


@pytest.mark.parametrize(
    ("address", "step"),
    [
        *(("#0.2.1", "0.2.1"), ("#1.bid.2", "1.bid.2"), ("#2.score", "2.score"), ("#end", "end"), ("#3", "3")),
        *(("#1.1", "1.1.0"), ("#1.bid", "1.bid.3"), ("#draw", "draw"), ("", "draw")),
        *(("#99.0.0", "draw"), ("#%E0%A4%A", "draw"), ("#<b>", "draw"), ("#__proto__", "draw")),
    ],
)
async def test_links(visit, pages, address, step):
    """An address opens its step; a shorter one the first card or bid; one that names nothing says so."""
    page = (await visit(pages["plain"], address)).page
    assert await at(page) == step
    there_is_none = "no such move" in await page.locator("#caption").inner_text()
    assert there_is_none is (step == "draw" and address not in {"", "#draw"})


async def test_links_within_the_page(plain):
    """A link in the history of the hand goes to its move, keeps the focus, and the back button undoes it."""
    page = plain.page
    await press(page, *["ArrowRight"] * 9)
    first = page.locator("#hand a[href='#0.0.0']")
    await first.click()
    # The browser tells the page of a new address a moment after it has gone there.
    shown = page.locator("#move .where a")
    await shown.filter(has_text="#0.0.0").wait_for()
    assert await at(page) == "0.0.0"
    assert await page.evaluate("document.activeElement.getAttribute('href')") == "#0.0.0"
    await page.goto(page.url.partition("#")[0] + "#1.0.0")
    await shown.filter(has_text="#1.0.0").wait_for()
    assert await at(page) == "1.0.0"
    await page.go_back()
    await shown.filter(has_text="#0.0.0").wait_for()
    assert await at(page) == "0.0.0"


async def test_play_and_pause(visit, pages):
    """Play goes on a step at a time at the chosen speed until it is paused, or until the end."""
    page = (await visit(pages["plain"], "#0")).page
    await stop_time(page)
    await page.get_by_role("button", name="Play").click()
    await page.clock.run_for(2_500)
    pause = page.get_by_role("button", name="Pause")
    slow = int(await page.locator("#slider").input_value())
    assert slow == 4
    await pause.click()
    await page.clock.run_for(60_000)
    assert int(await page.locator("#slider").input_value()) == slow
    await page.get_by_label("Speed").select_option("20")
    await page.keyboard.press("Escape")
    await page.locator("body").click(position={"x": 5, "y": 5})
    await page.keyboard.press("Space")
    await page.clock.run_for(2_500)
    assert int(await page.locator("#slider").input_value()) > 2 * slow
    await page.clock.run_for(600_000)
    assert await at(page) == "end"
    await page.get_by_role("button", name="Play").click()
    assert await at(page) == "draw"


async def test_a_step_by_hand_pauses(visit, pages):
    """Whoever steps while the game plays takes it over."""
    page = (await visit(pages["plain"], "#0")).page
    await stop_time(page)
    await page.get_by_role("button", name="Play").click()
    await page.keyboard.press("Home")
    await page.clock.run_for(60_000)
    assert await at(page) == "draw"


@pytest.mark.parametrize("what", ["set", "fault", "regret"])
async def test_jumps(visit, pages, what):
    """The jumps go through all steps of their kind, in both directions, and stop at the last."""
    page = (await visit(pages["hostile"])).page
    group = page.locator(f"#jump-{what}")
    count = int(await group.locator("[data-count]").inner_text())
    assert count > 1
    there = []
    onward = page.get_by_role("button", name=f"Next {what}", exact=True)
    while await onward.get_attribute("aria-disabled") == "false":
        await onward.click()
        there.append(await at(page))
        shown = {"set": "#move td:text-is('set')", "fault": "#move .fault", "regret": "#move .note.regret"}[what]
        assert await page.locator(shown).count() > 0
    assert len(set(there)) == count
    await page.get_by_role("button", name=f"Previous {what}", exact=True).click()
    assert await at(page) == there[-2]


async def test_jumps_to_nothing(plain):
    """Where a game has no faults and no regrets, their buttons are switched off."""
    for what in ("fault", "regret"):
        assert await plain.page.get_by_role("button", name=f"Next {what}").is_disabled()
        assert await plain.page.get_by_role("button", name=f"Previous {what}").is_disabled()
    assert "None in this game." in await plain.page.locator("#faults").inner_text()


async def test_a_seats_own_view(visit, pages):
    """In a seat's view it sits below, the others' cards and notes are hidden, and the jumps are about it alone."""
    page = (await visit(pages["hostile"], "#0.0.0")).page
    all_sets = int(await page.locator("#jump-set [data-count]").inner_text())
    assert await page.locator(".card-back").count() == 0
    await page.get_by_label("View").select_option("2")
    assert await page.locator(".pod:not([data-seat='2']) [data-card]").count() == 0
    assert await page.locator(".pod:not([data-seat='2']) .card-back").count() > 0
    assert await page.locator(".pod[data-seat='2'] [data-card]").count() > 0
    boxes = {seat: await page.locator(f".pod[data-seat='{seat}']").bounding_box() for seat in range(4)}
    assert max(boxes, key=lambda seat: boxes[seat]["y"]) == 2
    assert 0 < int(await page.locator("#jump-set [data-count]").inner_text()) < all_sets
    told = {step.at: step for step in story(read_replay(pages["hostile"].with_suffix(".jsonl"))).steps}
    others = next(step.at for step in told.values() if step.seat == 1 and step.note.startswith("two"))
    await page.goto(f"{page.url.partition('#')[0]}#{others}")
    assert "two" not in await page.locator("#move").inner_text()
    assert await page.locator("#move .could").count() == 0
    await page.get_by_label("View").select_option("")
    assert "two\nlines" in await page.locator("#move .note").inner_text()


async def test_the_move_and_what_was_said(visit, pages):
    """Beside a move stand its time, what else could have been played, its note, and who made it."""
    told = story(read_replay(pages["hostile"].with_suffix(".jsonl")))
    by_referee = next(step for step in told.steps if step.referee and step.trick is not None)
    page = (await visit(pages["hostile"], f"#{by_referee.at}")).page
    assert "made by the referee" in await page.locator("#move").inner_text()
    assert await page.locator("#trick .corner").count() >= 1
    assert by_referee.faults
    fault = told.faults[by_referee.faults[0]]
    assert fault.kind in await page.locator("#move .fault").inner_text()
    regret = next(step for step in told.steps if step.note.startswith("regret") and step.trick is not None)
    await page.goto(f"{page.url.partition('#')[0]}#{regret.at}")
    text = await page.locator("#move").inner_text()
    assert re.search(r"\d ms", text)
    assert f"4.5: not {regret.value}" in text
    before = told.steps[told.steps.index(regret) - 1]
    assert await page.locator("#move .cards li").count() == before.legal.bit_count()
    assert await page.locator("#move .chosen [data-card]").get_attribute("data-card") == regret.value


async def test_the_fault_list_links_to_them(visit, pages):
    """Every fault of the game is listed with a link to its step."""
    page = (await visit(pages["hostile"])).page
    told = story(read_replay(pages["hostile"].with_suffix(".jsonl")))
    links = page.locator("#faults a")
    assert await links.count() == len(told.faults)
    await links.last.click()
    assert await at(page) == told.faults[-1].at


async def test_the_sheet_grows(visit, pages):
    """The sheet has a row for every hand, and marks, totals and the counts of S, O and P only for those scored."""
    page = (await visit(pages["plain"], "#2.0.1")).page
    told = story(read_replay(pages["plain"].with_suffix(".jsonl")))
    scores = [step for step in told.steps if step.outcomes]
    assert await page.locator(".sheet tbody tr").count() == len(scores)
    for count in (2, 3, len(scores)):
        if count > 2:
            await page.goto(f"{page.url.partition('#')[0]}#{scores[count - 1].at}")
        for letter in "SOP":
            marks = await page.locator(f".sheet .mark.{letter}").count()
            assert marks == sum(score.outcomes.count(letter) for score in scores[:count])
            foot = await page.locator(f".sheet tr[data-outcome={letter}] td").all_inner_texts()
            assert [int(text) for text in foot] == [
                sum(score.outcomes[seat] == letter for score in scores[:count]) for seat in range(4)
            ]
        sums = await page.locator(f".sheet tbody tr:nth-child({count}) .sum").all_inner_texts()
        assert tuple(int(text.replace(MINUS, "-")) for text in sums) == scores[count - 1].totals
    circle = page.locator(".sheet .mark.S").first
    box = page.locator(".sheet .mark.P").first
    assert await circle.evaluate("(e) => getComputedStyle(e).borderRadius") == "50%"
    assert await box.evaluate("(e) => [getComputedStyle(e).borderRadius, getComputedStyle(e).borderStyle]") == [
        "0px",
        "solid",
    ]


async def test_the_end(visit, pages):
    """At the end everybody's place stands on the table and in the sentence below it."""
    page = (await visit(pages["plain"], "#end")).page
    assert min(await page.locator(".pod .place").all_inner_texts()) == "1st"
    assert (await page.locator("#caption").inner_text()).startswith("The game is over. 1st ")


@pytest.mark.parametrize("stop", [0, 1, 7, 30])
async def test_an_unfinished_game(visit, tmp_path, stop):
    """A game that was cut off opens, says so at the top, and steps to where its file ends."""
    path = record_game(tmp_path, Rules(4, max_hand=3), stop=stop, ending=None).path
    page = (await visit(written(path), width=360)).page
    assert "This game was not finished" in await page.get_by_role("note").inner_text()
    await page.keyboard.press("End")
    assert (await page.locator("#caption").inner_text()).startswith("The file ends here")


async def test_a_file_of_one_line(visit, tmp_path):
    """Even a file that holds nothing but its first line makes a page that works."""
    path = record_game(tmp_path, Rules(4, max_hand=3)).path
    short = path.with_name("short.jsonl.part")
    short.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    page = (await visit(written(short))).page
    assert await press(page, "ArrowRight", "Home", "Space") == "end"
    assert await page.get_by_role("button", name="Pause").count() == 0
    assert await page.locator(".pod").count() == 4
