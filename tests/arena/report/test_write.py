from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from arena.report.hands import end_of, played, run_of
from structlog.testing import capture_logs

from bluke.arena.report import try_report, write_report
from bluke.arena.standings import make_standings
from bluke.errors import ArenaError

if TYPE_CHECKING:
    from pathlib import Path

GAMES = [played(0, bots, (1, [(1, 1), (1, 0)]), number=turn) for turn, bots in enumerate(("ab", "ba"))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "runs" / "a run"
    made.mkdir(parents=True)
    lines = [run_of("ab"), *GAMES, end_of()]
    (made / "results.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return made


def test_into_the_folder(folder: Path):
    """Without another file it is report.html of the run folder, with links from there, and nothing else is written."""
    path = write_report(folder)
    assert path == folder / "report.html"
    text = path.read_text()
    assert 'href="./replays/m-0-0.jsonl"' in text
    assert f"&#39;{folder}/replays/m-0-0.jsonl&#39;" in text
    assert sorted(file.name for file in folder.iterdir()) == ["report.html", "results.jsonl"]


def test_elsewhere(folder: Path, tmp_path: Path):
    """Another file links to the run folder from where it is."""
    path = write_report(folder, to=tmp_path / "page.html", command="./bluke")
    text = path.read_text()
    assert 'href="./runs/a%20run/replays/m-0-0.jsonl"' in text
    assert "./bluke replay show" in text
    assert not (folder / "report.html").exists()


def test_known_standings(folder: Path):
    """Standings that are known already make the same page."""
    again = write_report(folder).read_text()
    assert write_report(folder, make_standings(GAMES, "ab", 2)).read_text() == again


def test_no_record(tmp_path: Path):
    """A folder without a record of a run is refused with the path of what is missing."""
    with pytest.raises(ArenaError, match=r"results\.jsonl: cannot be read: No such file"):
        write_report(tmp_path)


def test_a_record_that_cannot_be(folder: Path):
    """A record whose games contradict themselves is refused with the game and the reason."""
    bad = msgspec.structs.replace(GAMES[0], game="g\x1b", totals=[1])
    with (folder / "results.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(bad) + b"\n")
    with pytest.raises(ArenaError, match=r"results\.jsonl: game g\\x1b: its lists are not for 2 seats"):
        write_report(folder)


def test_a_report_that_cannot_be_written(folder: Path):
    """A run goes without its page if it must: there is no error, and the log says why."""
    (folder / "report.html").mkdir()
    with capture_logs() as logs:
        assert try_report(folder) is None
    (line,) = logs
    assert line["event"] == "the report could not be written"
    with capture_logs() as logs:
        assert try_report(folder.parent) is None
    assert len(logs) == 1


def test_a_report_that_can(folder: Path):
    """Otherwise the path is returned, to be shown."""
    assert try_report(folder) == folder / "report.html"
