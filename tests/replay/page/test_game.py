from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.page.games import HOSTILE, Page, hostile_game
from replay.recording import STRICT, lines_of, record_game, to_bytes

from bluke.replay.page.game import SCRIPTS, STYLES, game_page
from bluke.replay.page.parts import _joined, embed
from bluke.replay.reader import parse_replay, read_replay
from bluke.replay.records import REGRET, Parent
from bluke.rules import Rules
from bluke.wire.values import Player

LIMIT = 400_000
OUTSIDE = re.compile(
    r"(?:https?:)?//|url\(|@import|\bimport\b|\bfetch\b|XMLHttp|WebSocket|innerHTML|outerHTML|\beval\b"
)


def page_of(path: Path) -> tuple[str, Page, dict]:
    """The HTML of a replay's page, its elements, and its data."""
    html = game_page(read_replay(path)).html
    page = Page(html)
    return html, page, json.loads(page.texts["script"][0])


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_embedded_data_is_the_data(data):
    """Whatever text it holds, embedded data reads as it was, and holds nothing that could end its element or line."""
    text = str(embed(data))
    assert json.loads(text) == data
    assert not set(text) & set("<>&\u2028\u2029")


def test_hostile_text_stays_text(tmp_path):
    """Names, notes and versions that look like HTML add no element, and are all there as data."""
    html, page, data = page_of(hostile_game(tmp_path))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("script") == 2
    assert "img" not in tags
    assert "<!--" not in html
    assert "\u202e" not in html
    assert "\u2028" not in html
    assert data["names"][:2] == [HOSTILE[0].name, HOSTILE[1].name]
    assert data["names"][2] == "\\u202egnp.exe \\u2028\\u2029"
    assert any("</script>" in step.get("note", "") for step in data["steps"])
    assert "{{ 7 * 7 }}" in html


def test_a_name_of_nothing(tmp_path):
    """A bot without a name is shown as one."""
    path = record_game(tmp_path, Rules(2, hands=(1,)), players=(Player(""), Player("b"))).path
    assert page_of(path)[2]["names"] == ["(no name)", "b"]


def test_nothing_outside_is_asked_for(tmp_path):
    """The page names no other address, and its policy lets only its own script and style in."""
    html, page, _ = page_of(hostile_game(tmp_path))
    for tag, attributes in page.tags:
        assert "src" not in attributes
        for name in ("href", "action", "data", "poster", "srcset"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,")), (tag, attributes)
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
    assert not OUTSIDE.search(_joined(STYLES))
    script = re.sub(r"//.*", "", _joined(SCRIPTS).replace("http://www.w3.org/2000/svg", ""))
    assert not OUTSIDE.search(script)
    policy = next(attributes["content"] for tag, attributes in page.tags if attributes.get("http-equiv"))
    for text in (page.texts["script"][1], page.texts["style"][0]):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in (policy or "")
    assert (policy or "").startswith("default-src 'none';")
    assert "unsafe" not in html


def test_an_ordinary_game_is_of_moderate_size(tmp_path):
    """The page of four seats and 25 hands, with short notes on every bid, is smaller than 400 kB."""
    path = record_game(
        tmp_path, Rules(4), note=lambda _, value: "playouts: 0 10 26 45 32 7 0 0" if isinstance(value, int) else None
    ).path
    assert len(game_page(read_replay(path)).html.encode()) < LIMIT


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ({"stop": 30, "ending": None}, "This game was not finished: the file holds 2 of 3 hands to their end."),
        ({"stop": 20, "reason": "the disk was full"}, "This game is void and was not counted: the disk was full."),
        ({"limits": STRICT, "fault_rate": 0.2}, "This game was forfeited: seat "),
    ],
)
def test_what_kind_of_end_is_said_at_the_top(tmp_path, game, said):
    """A game that is not a complete one says so before anything else of the page's content."""
    html, _, data = page_of(record_game(tmp_path, Rules(3, hands=(4, 3, 2)), **game).path)
    assert said in html
    assert html.index(said) < html.index('class="table"')
    assert data["status"] != "complete"


def test_a_complete_game_has_no_notice(tmp_path):
    """What is in order is not remarked on, and its check is told with the seed and the commitment."""
    path = record_game(tmp_path, Rules(3, hands=(4, 3, 2))).path
    html = page_of(path)[0]
    lines = lines_of(path)
    assert 'role="note"' not in html
    for fact in (lines[0]["commitment"], lines[-1]["game_seed"], lines[-1]["match_seed"], lines[-1]["sha256"]):
        assert f"<dd><bdi>{fact}</bdi></dd>" in html
    assert "<dt>checked as this page was made</dt><dd><bdi>ok</bdi></dd>" in html


def test_a_torn_file_says_so(tmp_path):
    """What is wrong with the file itself stands at the top."""
    lines = to_bytes(lines_of(record_game(tmp_path, Rules(2, max_hand=2)).path)[:10], seal=False)
    html = game_page(parse_replay(lines + b'{"type":"', Path("x"))).html
    assert "Careful: line 11: the last line is torn: it is left out." in html


def test_a_file_that_is_not_true_says_so(tmp_path):
    """A file whose result does not follow from its moves is shown as the moves have it, with a warning."""
    lines = lines_of(record_game(tmp_path, Rules(2, max_hand=2)).path)
    right = lines[-1]["totals"]
    lines[-1]["totals"] = [right[0] + 1, right[1]]
    page = game_page(parse_replay(to_bytes(lines, seal=True), Path("x")))
    assert "This file does not agree with its own seed and the rules: " in page.html
    assert json.loads(Page(page.html).texts["script"][0])["steps"][-1]["totals"] == right


def test_the_result_is_there_without_the_script(tmp_path):
    """Places, points and outcomes are in the page as a table, by place."""
    path = record_game(tmp_path, Rules(3, hands=(3, 2))).path
    html = page_of(path)[0]
    end = lines_of(path)[-1]
    rows = re.findall(
        r"<tr><td>(\d)</td><th scope=\"row\"><bdi>bot (\d)</bdi>.*?</th><td>\2</td><td>(-?\d+)</td>", html
    )
    assert [int(place) for place, _, _ in rows] == sorted(end["places"])
    assert {int(seat): int(total) for _, seat, total in rows} == dict(enumerate(end["totals"]))


def test_the_page_knows_how_a_regret_begins(tmp_path):
    """The script finds regrets by the prefix that the data gives it."""
    data = page_of(hostile_game(tmp_path))[2]
    assert data["regret"] == REGRET
    assert any(step.get("note", "").startswith(REGRET) for step in data["steps"])


def test_the_example_is_a_move(tmp_path):
    """The address that is given as an example names a play, or the only step there is."""
    path = record_game(tmp_path, Rules(2, hands=(2,))).path
    assert re.fullmatch(r"\d+\.\d+\.\d+", game_page(read_replay(path)).example)
    assert game_page(parse_replay(path.read_bytes().splitlines(keepends=True)[0], Path("x"))).example == "end"


def test_where_a_game_was_branched_off(tmp_path):
    """A branch says of which game, where, and who played that one."""
    parent = Parent("game-0", 1, 2, 17, (Player("Ann"), Player("<Bob>")))
    path = record_game(tmp_path, Rules(2, hands=(2,)), parent=parent).path
    html = page_of(path)[0]
    assert "branched from game game-0 at hand 1, trick 2" in html
    assert "whose first 17 moves it shares" in html
    assert "played by Ann, &lt;Bob&gt;" in html


def test_a_link_back_to_the_list(tmp_path):
    """A page that is one of many links to their list, another has no such link."""
    replay = read_replay(record_game(tmp_path, Rules(2, hands=(1,))).path)
    assert 'href="../index.html"' in game_page(replay, index="../index.html").html
    assert "All games" not in game_page(replay).html
