from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from clients.built import LANGUAGES

CLIENTS = Path(__file__).parents[2] / "clients"
PAGES = sorted(page for page in CLIENTS.glob("*/README.md"))
PAGE = (CLIENTS / "README.md").read_text(encoding="utf-8")
POM = "{http://maven.apache.org/POM/4.0.0}"


def tables() -> tuple[dict[tuple[str, str], tuple[str, str]], dict[tuple[str, str], str]]:
    """The tools of each client, tested with and at least, and its libraries."""
    section = PAGE.partition("\n## Versions")[2].partition("\n## ")[0]
    first, second = (
        [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
        for table in re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    )
    tools = {(client, tool): (tested, least) for client, tool, tested, least in first}
    return tools, {(client, library): version for client, library, version in second}


TOOLS, LIBRARIES = tables()


def pom(path: str) -> str:
    tree = ET.parse(CLIENTS / "java" / "pom.xml")
    found = tree.findtext("/".join(POM + step for step in path.split("/")))
    assert found is not None, path
    return found


def told(client: str) -> dict[str, str]:
    """What the table says of a client's libraries."""
    return {library: version for (name, library), version in LIBRARIES.items() if name == client}


def test_go():
    """Versions are those of go.mod."""
    text = (CLIENTS / "go" / "go.mod").read_text()
    pinned = dict(re.findall(r"^\s+(\S+/\S+) v([0-9.]+)(?: // indirect)?$", text, re.MULTILINE))
    assert {library: pinned[library] for library in told("Go")} == told("Go")
    (least,) = re.findall(r"^go ([0-9]+\.[0-9]+)", text, re.MULTILINE)
    assert TOOLS["Go", "Go"][1] == least


def test_typescript():
    """Versions are those of package-lock.json."""
    packages = json.loads((CLIENTS / "typescript" / "package-lock.json").read_text())["packages"]
    assert {library: packages[f"node_modules/{library}"]["version"] for library in told("TypeScript")} == told(
        "TypeScript"
    )
    assert f">={TOOLS['TypeScript', 'Node'][1]}" == packages[""]["engines"]["node"]


def test_java():
    """Versions are those of pom.xml."""
    dependencies = ET.parse(CLIENTS / "java" / "pom.xml").iter(f"{POM}dependency")
    pinned = {entry.findtext(f"{POM}artifactId"): entry.findtext(f"{POM}version") for entry in dependencies}
    assert told("Java") == {
        "grpc-java": pom("properties/grpc.version"),
        "protobuf-java, protoc": pom("properties/protobuf.version"),
        "JUnit": pinned["junit-jupiter"],
    }
    assert TOOLS["Java", "OpenJDK"][1] == pom("properties/maven.compiler.release")


def test_rust():
    """Versions are those of Cargo.lock."""
    lock = tomllib.loads((CLIENTS / "rust" / "Cargo.lock").read_text())
    pinned = {package["name"]: package["version"] for package in lock["package"]}
    assert {library: pinned[library] for library in told("Rust")} == told("Rust")
    manifest = tomllib.loads((CLIENTS / "rust" / "Cargo.toml").read_text())
    assert TOOLS["Rust", "rustc"][1] == manifest["package"]["rust-version"]


def test_cpp():
    """The least CMake is that of CMakeLists.txt; everything else is the system's."""
    text = (CLIENTS / "cpp" / "CMakeLists.txt").read_text()
    assert f"cmake_minimum_required(VERSION {TOOLS['C++', 'CMake'][1]})" in text


def test_python():
    """The least versions are those of pyproject.toml."""
    project = tomllib.loads((CLIENTS.parent / "pyproject.toml").read_text())["project"]
    tested, least = TOOLS["Python", "Python"]
    assert project["requires-python"] == f">={least}"
    versions = re.findall(r"Python :: (3\.[0-9]+)", "\n".join(project["classifiers"]))
    assert tested == f"{versions[0]} to {versions[-1]}"
    assert f"grpcio>={told('Python')['grpcio'].partition(' ')[0]},<2" in project["dependencies"]


def test_every_client_is_there():
    """No language is left out of the tables, and each has a row on how to get its tools."""
    names = {"python": "Python", "go": "Go", "typescript": "TypeScript", "java": "Java", "rust": "Rust", "cpp": "C++"}
    assert names.keys() == set(LANGUAGES)
    for table in (TOOLS, LIBRARIES):
        assert {client for client, _ in table} == set(names.values())
    for language, name in names.items():
        assert f"| [`{language}/`]({language}) |" in PAGE
        assert re.search(rf"^\| {re.escape(name)} \| .*\| 1[23]: ", PAGE, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_a_client_does_not_repeat_the_versions(page: Path):
    """Each page of a client names the table here, and has none of its own."""
    text = page.read_text(encoding="utf-8")
    assert "(../README.md#versions)" in text
    assert "tested with |" not in text


@pytest.mark.parametrize("page", [CLIENTS / "README.md", *PAGES], ids=lambda page: page.parent.name)
def test_links(page: Path):
    """Every relative link leads to a file of the tree."""
    text = re.sub(
        r"^ *```.*?^ *```$|`[^`\n]*`(?!\])", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for target in re.findall(r"\]\(([^()\s#]+)(?:#[^()\s]*)?\)", text):
        assert re.match(r"[a-z]+:", target) or (page.parent / target).exists(), target
