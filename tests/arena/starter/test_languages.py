from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bluke.arena.starter import languages
from bluke.arena.starter.languages import LANGUAGES, missing_tools

CLIENTS = Path(__file__).parents[3] / "clients"
FILES = Path(languages.__file__).parent / "files"


@pytest.mark.parametrize(
    ("language", "file", "pattern"),
    [
        ("go", "go.mod", r"^go (\d+\.\d+)\.0$"),
        ("rust", "Cargo.toml", r'^rust-version = "(.+)"$'),
        ("typescript", "package.json", r'"node": ">=(\d+)"'),
        ("java", "pom.xml", r"<maven.compiler.release>(\d+)<"),
    ],
)
def test_versions_that_are_asked_for(language: str, file: str, pattern: str):
    """A starter asks for the version of a toolchain that the SDK asks for."""
    wanted = re.findall(pattern, (CLIENTS / language / file).read_text(), re.MULTILINE)
    assert len(wanted) == 1
    assert re.search(rf"(?<![\d.]){re.escape(wanted[0])}(?![\d.])", LANGUAGES[language].needs)


def test_go_versions_agree():
    """The bot's module, its workspace and the SDK's module are of one version of Go."""
    files = (CLIENTS / "go/go.mod", FILES / "go/go.mod", FILES / "go/go.work")
    assert len({re.findall(r"^go .+$", file.read_text(), re.MULTILINE)[0] for file in files}) == 1


def plugins(pom: Path) -> dict[str, str]:
    """The version of each plugin in a pom."""
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    found = ET.parse(pom).findall(".//m:plugin", space)
    return {plugin.findtext("m:artifactId", "", space): plugin.findtext("m:version", "", space) for plugin in found}


def test_java_versions_agree():
    """The bot's pom takes the SDK's version of the SDK, and of every plugin."""
    sdk, bot = CLIENTS / "java/pom.xml", FILES / "java/bot/pom.xml"
    assert plugins(bot).items() <= plugins(sdk).items()
    artifact = re.compile(r"<artifactId>bluke-sdk</artifactId>\s*<version>(.+)</version>")
    assert artifact.findall(sdk.read_text()) == artifact.findall(bot.read_text())


def test_rust_profiles_agree():
    """The SDK is built with its own profile, so that what was built for it elsewhere can be used again."""
    profile = re.compile(r"^\[profile\.release\]\n(?:.+\n)+\n\[profile\.release\.build-override\]\n.+\n", re.MULTILINE)
    ours, theirs = (profile.findall((folder / "rust/Cargo.toml").read_text()) for folder in (FILES, CLIENTS))
    assert len(ours) == 1
    assert ours == theirs


def test_missing_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A tool is missing if the PATH does not lead to it; Python needs none."""
    go = tmp_path / "go"
    go.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing_tools(LANGUAGES["go"]) == []
    assert missing_tools(LANGUAGES["python"]) == []
    assert missing_tools(LANGUAGES["typescript"]) == ["node", "npm"]


@pytest.mark.parametrize("language", set(LANGUAGES) - {"python"})
def test_what_is_built_needs_tools(language: str):
    """Whoever has to build something is told what that takes and where to get it."""
    chosen = LANGUAGES[language]
    assert chosen.build
    assert chosen.tools
    assert chosen.needs
    assert chosen.cure
