from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner, Result
from replay.page.games import Page
from replay.recording import record_game

from bluke.cli import replay_html as module
from bluke.cli.replay_html import html
from bluke.rules import Rules
from bluke.wire.values import Player

RULES = Rules(2, hands=(2, 1))


def run(*args: object) -> Result:
    """Run `bluke replay html` with these arguments."""
    return CliRunner().invoke(html, [str(arg) for arg in args])


def entries_of(index: Path) -> list[dict]:
    """The rows of an index page: file, page, status and error."""
    data = json.loads(Page(index.read_text(encoding="utf-8")).texts["script"][0])
    return [dict(zip(("file", "page", "status", "error"), row, strict=False)) for row in data["entries"]]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """An empty folder to work in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def runs(tmp_path) -> Path:
    """A folder with two games of one name, an unfinished one, a broken one, and the results of a run."""
    folder = tmp_path / "runs"
    record_game(folder / "a", RULES, players=(Player("rule"), Player("one")))
    record_game(folder / "b", RULES, players=(Player("mc"), Player("one")))
    record_game(folder / "b", RULES, game_id="crashed", stop=4, ending=None)
    (folder / "junk.jsonl").write_bytes(b"junk\n")
    (folder / "results.jsonl").write_bytes(b'{"board":0}\n')
    return folder


def test_one_game(here, runs):
    """One replay makes one page in the current folder, and the command says how to open it at a move."""
    result = run(runs / "a" / "game-1.jsonl")
    assert result.exit_code == 0
    page = here / "game-1.html"
    first, opened, move = result.output.splitlines()
    assert first.startswith("game-1.html: 2 hands, ")
    assert opened.split() == ["open", "it", page.as_uri()]
    assert move.split()[-1].startswith(f"{page.as_uri()}#")
    assert 'id="table"' in page.read_text(encoding="utf-8")


def test_where_to(here, runs):
    """`--out` names the page, or the folder that it goes to; folders are made."""
    assert run(runs / "b" / "crashed.jsonl.part", "-o", "x/y.html").exit_code == 0
    assert run(runs / "b" / "crashed.jsonl.part", "-o", "x").exit_code == 0
    assert sorted(path.name for path in (here / "x").iterdir()) == ["crashed.html", "y.html"]


def test_a_folder(here, runs):
    """A folder makes a list with a page for every game; broken files are listed, and a run's results are no game."""
    result = run(runs)
    assert result.exit_code == 0
    assert "4 files, 3 with a page, 1 broken" in result.output
    rows = entries_of(here / "replay-pages" / "index.html")
    assert [(Path(row["file"]).name, row["status"]) for row in rows] == [
        ("game-1.jsonl", "complete"),
        ("crashed.jsonl.part", "unfinished"),
        ("game-1.jsonl", "complete"),
        ("junk.jsonl", "broken"),
    ]
    assert [row["page"] for row in rows] == ["games/a/game-1.html", "games/b/crashed.html", "games/b/game-1.html", ""]
    for row in rows[:3]:
        page = here / "replay-pages" / row["page"]
        assert 'href="../../index.html"' in page.read_text(encoding="utf-8")


def test_several_files_of_one_name(here, runs):
    """Files that are called alike get pages that are not."""
    assert run(runs / "a" / "game-1.jsonl", runs / "b" / "game-1.jsonl", "-o", "out").exit_code == 0
    assert [row["page"] for row in entries_of(here / "out" / "index.html")] == [
        "games/game-1.html",
        "games/game-1-2.html",
    ]


def test_a_name_that_is_no_address(here, tmp_path):
    """Links lead to files whose names hold what an address may not."""
    path = record_game(tmp_path / "odd", RULES).path
    path.rename(path.with_name("a b#c?d%41.jsonl"))
    assert run(tmp_path / "odd").exit_code == 0
    (row,) = entries_of(here / "replay-pages" / "index.html")
    assert row["page"] == "games/a%20b%23c%3Fd%2541.html"
    assert (here / "replay-pages" / unquote(row["page"])).is_file()


def test_only_some_games(here, runs):
    """With patterns only games like them get a page, by file, id or bot; the list has them all."""
    assert run(runs, "--games", "rul*").exit_code == 0
    rows = entries_of(here / "replay-pages" / "index.html")
    assert [bool(row["page"]) for row in rows] == [True, False, False, False]


def test_pages_made_before_stay_linked(here, runs):
    """A page that an earlier command made is linked, unless its replay is newer."""
    run(runs, "--games", "rule")
    assert run(runs, "--games", "crashed*").exit_code == 0
    index = here / "replay-pages" / "index.html"
    assert [bool(row["page"]) for row in entries_of(index)] == [True, True, False, False]
    os.utime(here / "replay-pages" / "games" / "a" / "game-1.html", (0, 0))
    run(runs, "--games", "mc")
    assert [bool(row["page"]) for row in entries_of(index)] == [False, True, True, False]


def test_many_games_get_pages_on_demand(here, runs, monkeypatch):
    """Beyond the limit the list alone is made, and the command says how to get a page."""
    monkeypatch.setattr(module, "PAGES", 3)
    result = run(runs)
    assert "4 files, 0 with a page, 1 broken" in result.output
    assert "name it with --games" in result.output
    assert run(runs, "--games", "*").output.startswith("replay-pages/index.html: 4 files, 3 with a page")


def test_a_game_that_the_rules_refuse(here, runs):
    """A file that reads well and cannot be played becomes a broken one in the list, and the others go on."""
    path = runs / "a" / "game-1.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"bid":2', '"bid":3').replace('"bid":1', '"bid":3'))
    assert run(runs).exit_code == 0
    rows = entries_of(here / "replay-pages" / "index.html")
    assert rows[0]["status"] == "broken"
    assert "a bid is 1 to 2" in rows[0]["error"]
    assert rows[2]["page"]
    alone = run(path)
    assert (alone.exit_code, alone.stdout) == (1, "")
    assert "a bid is 1 to 2" in alone.stderr


@pytest.mark.usefixtures("here")
def test_nothing_to_show(tmp_path):
    """A file that is no replay, alone or with others like it, is said with exit code 1."""
    junk = tmp_path / "junk.jsonl"
    junk.write_bytes(b"junk\n")
    alone = run(junk)
    assert alone.exit_code == 1
    assert alone.stderr.startswith(f"error: {junk}: line 1: this is no Bluke replay")
    assert run(junk, junk).exit_code == 1


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "args",
    [
        ["none.jsonl"],
        [],
        ["{runs}", "-o", "{file}"],
        ["{runs}/a/game-1.jsonl", "-o", "{runs}/a/game-1.jsonl"],
        ["{runs}/a/game-1.jsonl", "--games", "x"],
        ["{runs}", "--games", "no such bot"],
        ["{empty}"],
    ],
)
def test_usage_mistakes(tmp_path, runs, args):
    """A missing file, a folder without replays, a place that is taken or a pattern like nothing have exit code 2."""
    (tmp_path / "empty").mkdir()
    file = tmp_path / "file"
    file.write_text("x")
    places = {"runs": runs, "file": file, "empty": tmp_path / "empty"}
    result = run(*(arg.format(**places) for arg in args))
    assert result.exit_code == 2, result.output
    assert file.read_text() == "x"
    assert "Traceback" not in result.output


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("out", ["{runs}/b/game-1.jsonl", "new.jsonl", "{runs}/notes.toml", "{runs}/pipe"])
def test_what_is_no_page_stays(runs, out):
    """Nothing is written over but pages, and no page is named like a replay."""
    (runs / "notes.toml").write_text("x")
    os.mkfifo(runs / "pipe")
    before = {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()}
    result = run(runs / "a" / "game-1.jsonl", "-o", out.format(runs=runs))
    assert result.exit_code == 2
    assert "--out" in result.stderr
    assert {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()} == before
    assert not Path("new.jsonl").exists()
    assert (runs / "pipe").is_fifo()


def test_pages_are_made_anew(here, runs):
    """A page, and a list, may be written over."""
    for _ in range(2):
        assert run(runs / "a" / "game-1.jsonl").exit_code == 0
        assert run(runs).exit_code == 0
    assert (here / "game-1.html").read_bytes().startswith(module.DOCTYPE)


@pytest.mark.usefixtures("here")
def test_a_game_from_a_pipe(runs):
    """A replay can come through a pipe, as from `<(zcat game.gz)` in a shell."""
    reader, writer = os.pipe()
    os.write(writer, (runs / "a" / "game-1.jsonl").read_bytes())
    os.close(writer)
    try:
        assert run(f"/dev/fd/{reader}", "-o", "x.html").exit_code == 0
    finally:
        os.close(reader)
    assert Path("x.html").is_file()


@pytest.mark.usefixtures("here")
def test_a_place_that_cannot_be_written(tmp_path, runs):
    """A page that cannot be written is said with its reason and exit code 1, and leaves nothing behind."""
    (tmp_path / "file").write_text("x")
    for args in (
        [runs / "a" / "game-1.jsonl", "-o", tmp_path / "file" / "x.html"],
        [runs, "-o", tmp_path / "file" / "x"],
    ):
        result = run(*args)
        assert result.exit_code == 1
        assert result.stderr.startswith("error: ")
        assert "cannot be written" in result.stderr


def test_the_command_imports_little():
    """Help loads no template engine."""
    code = (
        "import sys\n"
        "from bluke.cli.replay_html import html\n"
        "html(['--help'], standalone_mode=False)\n"
        "print(sorted({'jinja2', 'bluke.replay.reader', 'rich'} & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_docs_know_the_command_and_the_addresses():
    """The page about pages names every option, and every form of address that a game has."""
    page = (Path(__file__).parents[3] / "docs" / "replay-page.md").read_text(encoding="utf-8")
    for option in html.params:
        if option.name != "files":
            assert any(f"`{name}`" in page for name in option.opts), option.name
    for address in ("#3.2.1", "#3.bid.1", "#3", "#3.score", "#draw", "#draw.1", "#end"):
        assert f"`{address}`" in page
    assert f"more than {module.PAGES} games" in page
    assert f"`{module.FOLDER}`" in page
