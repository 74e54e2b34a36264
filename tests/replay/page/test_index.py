from __future__ import annotations

import gzip
import json
import os

import pytest
from msgspec.structs import replace
from replay.page.games import HOSTILE, Page, hostile_game
from replay.recording import STRICT, lines_of, record_game, to_bytes

from bluke.replay.page import index as module
from bluke.replay.page.index import BROKEN, Entry, glance, index_page
from bluke.replay.reader import read_replay
from bluke.rules import Rules
from bluke.wire.values import Player

RULES = Rules(3, hands=(2, 1))


def entry_of(path) -> Entry:
    """The entry that a whole reading would give of a finished game."""
    replay = read_replay(path)
    end = replay.end
    assert end is not None
    return Entry(
        file=str(path),
        page="",
        status=end.status.value,
        game=replay.header.game,
        started="2025-03-01 12:00:00",
        names=tuple(player.name for player in replay.header.players),
        totals=end.totals,
        places=end.places,
        faults=sum(end.faults),
    )


@pytest.mark.parametrize(
    "game", [{}, {"stop": 5}, {"limits": STRICT, "fault_rate": 0.1}, {"fault_rate": 0.1}, {"compress": True}]
)
def test_a_glance_agrees_with_the_whole_file(tmp_path, game):
    """The entry of a finished game, plain or compressed, is what a whole reading gives."""
    path = record_game(tmp_path, RULES, **game).path
    assert glance(path) == entry_of(path)


def test_a_zstandard_file(tmp_path):
    """A file compressed with Zstandard is listed like any other."""
    zstandard = pytest.importorskip("zstandard")
    plain = record_game(tmp_path, RULES).path
    packed = tmp_path / "packed.jsonl.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(plain.read_bytes()))
    assert glance(packed) == entry_of(packed)


def test_a_finished_file_is_not_read_whole(tmp_path, monkeypatch):
    """Of a finished plain file nothing but its two ends is looked at."""
    path = record_game(tmp_path, Rules(4)).path
    raw = path.read_bytes()
    first, last = raw.index(b"\n") + 1, raw.rindex(b"\n", 0, -1) + 1
    whole = glance(path)
    path.write_bytes(raw[:first] + b"?" * (last - first - 1) + b"\n" + raw[last:])
    monkeypatch.setattr(module, "read_replay", None)
    assert glance(path) == whole


def test_long_outer_lines(tmp_path):
    """Lines longer than what is looked at are read with the whole file."""
    players = tuple(Player("n" * 40_000) for _ in range(3))
    path = record_game(tmp_path, RULES, players=players, stop=3, reason="r" * 100_000).path
    assert glance(path) == entry_of(path)


def test_an_unfinished_game(tmp_path):
    """A game that was not finished has the points of its last score, and no places."""
    path = record_game(tmp_path, RULES, stop=11, ending=None).path
    scores = [json.loads(line) for line in path.read_bytes().splitlines() if b'"type":"score"' in line]
    entry = glance(path)
    assert (entry.status, entry.totals, entry.places) == ("unfinished", tuple(scores[-1]["totals"]), None)
    torn = tmp_path / "torn.jsonl.part"
    torn.write_bytes(path.read_bytes() + b'{"type":"en')
    assert glance(torn).status == "unfinished"


@pytest.mark.parametrize(
    ("junk", "error"),
    [
        (b"", "is empty"),
        (b"hello\n", "line 1: this is no Bluke replay"),
        (b"\x1f\x8bjunk", "is not sound gzip"),
        (b"\x28\xb5\x2f\xfdjunkjunkjunk", "is not sound Zstandard"),
        (b'{"type":"game","format":"bluke-replay/9"}\n', "line 1: its format is 'bluke-replay/9'"),
        (b"[" * 100_000, "line 1: this is no Bluke replay"),
    ],
)
def test_broken_files(tmp_path, junk, error):
    """A file that cannot be read is an entry that says why, without its path said twice."""
    path = tmp_path / "junk.jsonl"
    path.write_bytes(junk)
    entry = glance(path)
    assert entry.status == BROKEN
    assert entry.error.startswith(error)


def test_a_file_that_is_not_there(tmp_path):
    """A file that went away is an entry too."""
    assert glance(tmp_path / "gone.jsonl").error.startswith("cannot be read: ")


@pytest.mark.parametrize("key", ["totals", "faults", "places"])
def test_a_result_for_another_table(tmp_path, key):
    """A last line that does not fit the first is a broken file, not an odd row."""
    lines = lines_of(record_game(tmp_path, RULES).path)
    lines[-1][key].append(1)
    path = tmp_path / "odd.jsonl"
    path.write_bytes(to_bytes(lines, seal=True))
    assert glance(path).status == BROKEN


def test_the_index_holds_every_entry(tmp_path):
    """The data of the page are the entries in the order given, hostile text as text."""
    good = hostile_game(tmp_path)
    junk = tmp_path / "</script><b>.jsonl".replace("/", "_")
    junk.write_bytes(b"<img src=x>\n")
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(good.read_bytes()))
    entries = [glance(path) for path in (good, junk, packed)]
    html = index_page(entries)
    page = Page(html)
    data = json.loads(page.texts["script"][0])
    assert [row[2] for row in data["entries"]] == ["complete", BROKEN, "complete"]
    assert data["entries"][0][6][0] == HOSTILE[0].name
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert "img" not in [tag for tag, _ in page.tags]
    assert "3 files" in html


def test_only_a_game_lacks_a_page(tmp_path):
    """How to make a page is told where a game has none, not where a file cannot be read."""
    junk = tmp_path / "junk.jsonl"
    junk.write_bytes(b"junk\n")
    game = glance(record_game(tmp_path, RULES).path)
    hint = "A game without a link has no page yet"
    assert hint in index_page([game, glance(junk)])
    assert hint not in index_page([replace(game, page="games/a.html"), glance(junk)])


def test_a_name_that_is_no_text(tmp_path):
    """A file whose name is not UTF-8 is listed with the bytes spelled out."""
    path = os.fsencode(tmp_path) + b"/\xff.jsonl"
    try:
        with open(path, "wb") as handle:  # noqa: PTH123 -- the name is bytes
            handle.write(b"junk\n")
    except OSError:
        pytest.skip("this file system takes no such name")
    found = next(tmp_path.iterdir())
    assert "\\udcff.jsonl" in index_page([glance(found)])
