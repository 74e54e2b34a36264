from __future__ import annotations

import json
from typing import TYPE_CHECKING

import psutil
import pytest
from cli.commands import PATIENCE, Command, command, refused

if TYPE_CHECKING:
    from pathlib import Path


def test_unknown_measurement(capsys: pytest.CaptureFixture[str]):
    """A measurement that is not there is refused with those that are."""
    assert "there is no measurement speed; they are one-game, 64-games, " in refused(capsys, "bench", "--only", "speed")


@pytest.mark.parametrize("option", ["--json", "--curve"])
def test_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str):
    """A file in a folder that is not there is refused before anything is measured."""
    told = refused(capsys, "bench", option, tmp_path / "nowhere/file")
    assert f"there is no folder {tmp_path / 'nowhere'}: make it first" in " ".join(told.split())


@pytest.mark.slow
def test_quick_look(tmp_path: Path):
    """A look at one measurement prints its row without a verdict, writes its pairs, and leaves no program behind."""
    code, out, err = command(tmp_path, "bench", "--quick", "--only", "one-game", "--pairs", 1, "--json", "pairs.json")
    assert (code, err) == (0, "")
    assert "a quick look, no verdict" in out
    (row,) = [line for line in out.splitlines() if line.startswith("one-game  ")]
    assert row.endswith("no verdict")
    (case,) = json.loads((tmp_path / "pairs.json").read_bytes())["cases"]
    (pair,) = case["pairs"]
    assert pair["ratio"] == pytest.approx(pair["rate"] / pair["pingpong"])
    assert not children_of_measurements()


@pytest.mark.slow
def test_json_alone(tmp_path: Path):
    """To - the JSON is all that is printed."""
    code, out, _ = command(tmp_path, "bench", "--quick", "--only", "start", "--pairs", 1, "--json", "-")
    assert code == 0
    assert [case["name"] for case in json.loads(out)["cases"]] == ["start"]


@pytest.mark.slow
def test_interrupt(tmp_path: Path):
    """Ctrl-C ends it with 130, one word, and no program left."""
    with Command(tmp_path, "bench", "--only", "one-game") as running:
        process = psutil.Process(running.process.pid)
        while not (children := process.children(recursive=True)):
            assert running.process.poll() is None
        running.interrupt()
        code, out, err = running.finish()
    assert (code, out, err.strip()) == (130, "", "stopped")
    psutil.wait_procs(children, PATIENCE)
    assert not [child for child in children if child.is_running()]


def children_of_measurements() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if "bluke.bench" in " ".join(child.cmdline())]
