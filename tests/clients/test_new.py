"""A starter of each language, as somebody makes it who has the command `bluke` and the language's own tools."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bluke.arena.starter.languages import LANGUAGES, missing_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.builds, pytest.mark.timeout(900)]

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
#: A folder in which things go wrong where its name gets between a tool and its files.
NAME = "2 bôts"
#: Of `bluke check`, what a bot itself can get wrong; the rest is about the SDK, which has tests of its own.
CASES = ("hello-first", "several-games", "strict-game", "goodbye")
#: What cargo knows the crates by that it has compiled.
COMPILED = (".fingerprint", "build", "deps")


def environment() -> dict[str, str]:
    """That of a person, with `bluke` on the PATH."""
    return {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


def typed(line: str, folder: Path) -> str:
    """Type a line into a shell in `folder`; returns what it printed, or fails with it."""
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{line}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def readme_commands(folder: Path) -> list[str]:
    """The commands of the README's first console block."""
    block = re.findall(r"```console\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)[0]
    return re.findall(r"^\$ (.+)$", block, re.MULTILINE)


@pytest.fixture(scope="module")
def above() -> Iterator[Path]:
    """A folder outside of the checkout, which nobody wants to see later: what is built takes hundreds of megabytes."""
    with tempfile.TemporaryDirectory(prefix="bluke-new-") as folder:
        yield Path(folder)


def played(folder: Path, run: str) -> list[list[int]]:
    """Play one board with the arena.toml in `folder`; returns the points by seat of each game, if all went well."""
    typed(f"bluke arena --boards 1 --seed starters --run {run}", folder)
    typed(f"bluke replay verify {run}/replays", folder)
    records = [json.loads(line) for line in (folder / run / "results.jsonl").read_text().splitlines()]
    games = sorted((record for record in records if record["type"] == "game"), key=lambda game: game["game"])
    assert len(games) == 4
    assert all(game["faults"] == [] for game in games)
    assert {seat for game in games for seat in game["bots"]} == {folder.name, "rule", "one", "random"}
    return [game["totals"] for game in games]


@pytest.fixture(scope="module")
def in_python(above: Path) -> list[list[int]]:
    """How the Python starter plays."""
    typed(f"bluke new python 'python/{NAME}'", above)
    return played(above / "python" / NAME, "run")


@pytest.mark.parametrize("language", LANGUAGES)
def test_from_nothing_to_games(above: Path, in_python: list[list[int]], language: str):
    """What the README says is enough to build, check and play it; and it plays as the one in Python does."""
    missing = missing_tools(LANGUAGES[language])
    if missing:
        reason = f"no {', no '.join(missing)} here: {LANGUAGES[language].cure}"
        if os.environ.get("REQUIRE_ALL_CLIENTS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    folder = above / f"{language} starter" / NAME
    typed(f"bluke new {language} '{folder}'", above)
    reuse_crates(folder / "target" / "release") if language == "rust" else None
    *before, last = readme_commands(folder)
    assert last == "bluke arena"
    cases = "".join(f" --case {name}" for name in CASES)
    for line in before:
        typed(line.replace("bluke check", f"bluke check{cases}"), folder)
    assert played(folder, "run") == in_python
    shutil.rmtree(folder)


def reuse_crates(target: Path) -> None:
    """Give cargo a copy of the crates that it compiled for the client, which takes it a minute."""
    built = CLIENTS / "rust" / "target" / "release"
    if all((built / name).is_dir() for name in COMPILED):
        for name in COMPILED:
            shutil.copytree(built / name, target / name, copy_function=shutil.copy2)
