from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import tomli_w
from arena.rosters import SHORT, SMALLEST
from cli.commands import Command, refused

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def roster_file(tmp_path: Path) -> Path:
    bots = [{"name": name, "command": SMALLEST} for name in ("new", "old", "x")]
    path = tmp_path / "arena.toml"
    path.write_text(tomli_w.dumps({"seats": 2, "rules": SHORT, "tables": 4, "bots": bots}))
    return path


@pytest.mark.slow
def test_compare_copies(roster_file: Path):
    """The answer is printed with what it took, the run is complete, and its folder says the same."""
    with Command(roster_file.parent, "compare", "new", "old", "--seed", "s", "--run", "out") as command:
        code, out, err = command.finish()
    assert (code, err) == (0, "")
    assert out.startswith("at most 4000 games: 1000 boards, each one deal played by each of the two in 2 rotations")
    assert "\nno difference worth having: new - old is +0.0 points a game (-5.0 to +5.0)\n57 boards, 228 games\n" in out
    assert "they scored differently on 0 of 57 boards" in out
    assert (roster_file.parent / "out" / "comparison.json").exists()


@pytest.mark.slow
def test_the_boards_run_out(roster_file: Path):
    """Without an answer after the last board it is undecided, which is an answer to the person all the same."""
    with Command(roster_file.parent, "compare", "new", "old", "--boards", "2", "--run", "out") as command:
        code, out, err = command.finish()
    assert (code, err) == (0, "")
    assert "undecided: new - old is +0.0 points a game, not enough data for an interval\n" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["new", "other"], "Nor is it a command: there is no program 'other' on the PATH"),
        (["new", "old", "--worth", "-1"], "compare.worth: Expected `float` > 0"),
        (["new", "old", "--worth", "much"], "'much' is not a valid float"),
        (["new", "old", "--field", "z"], "there is no bot 'z'; the bots there are 'new', 'old', 'x'"),
        (["new", "old", "--config", "none.toml"], "none.toml: there is no such file"),
        (["new"], "Missing argument 'OLD'"),
    ],
)
def test_a_mistake(
    roster_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
):
    """Each is one sentence and exit code 2, and nothing is left on the disk."""
    monkeypatch.chdir(roster_file.parent)
    assert sentence in refused(capsys, "compare", *words)
    assert [path.name for path in roster_file.parent.iterdir()] == ["arena.toml"]
