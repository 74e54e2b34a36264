from __future__ import annotations

from pathlib import Path

import pytest

from bluke.arena.starter.carried import CARRIED, carried_files
from bluke.arena.starter.languages import LANGUAGES

ROOT = Path(__file__).parents[3]
#: What no starter needs: what is made when a client is built or tested, and what only its own tests and bots need.
LEFT_OUT = {"target", "dist", "node_modules", "gen", "bin", "build", "test", "tests", "examples", "__pycache__"}


def test_every_language_has_a_row():
    """What is carried is told for just the languages that there are."""
    assert set(CARRIED) == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_carried(language: str):
    """The SDK's sources come along, but neither its tests nor its bots, and no other language's SDK."""
    files = carried_files(ROOT, language)
    assert files == sorted(set(files))
    assert all((ROOT / file).is_file() for file in files)
    assert not any(LEFT_OUT & set(file.parts) or file.name.endswith("_test.go") for file in files)
    clients = {file.parts[1] for file in files if file.parts[0] == "clients"}
    assert clients == {"python", language}
    assert {file.parts[2] for file in files if file.parts[:2] == ("clients", "python")} == {"bots"}


@pytest.mark.parametrize(
    ("language", "sources"),
    [
        ("go", "bluke/*.go"),
        ("typescript", "src/*.ts"),
        ("rust", "src/*.rs"),
        ("java", "src/main/java/org/bluke/sdk/*.java"),
        ("cpp", "src/*.[ch]pp"),
    ],
)
def test_no_source_is_forgotten(language: str, sources: str):
    """Each source of an SDK that is no test is carried, with the protocol that its stubs are made from."""
    client = ROOT / "clients" / language
    needed = {*client.glob(sources), *(ROOT / "proto").rglob("*.proto")}
    needed = {path for path in needed if not path.name.endswith("_test.go")}
    assert needed <= {ROOT / file for file in carried_files(ROOT, language)}


def test_nothing_to_carry(tmp_path: Path):
    """A folder that is no repository is said to lack a file, which is named."""
    with pytest.raises(FileNotFoundError, match="LICENSE"):
        carried_files(tmp_path, "go")
