"""Builds the clients of every language that can be built here, and seats their bots `rule` at one table.

`make clients` and `make arena-languages` call it. It needs nothing but the standard library and a `bluke` beside
the Python that runs it.
"""

# ruff: noqa: INP001, T201 - a script, which prints, and whose `make` is that of the PATH

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HOME = Path(__file__).resolve().parent
#: Deals, each played once in every rotation of the seats.
BOARDS = 12
#: What stands in front of a bot's command: the shell waits for the bot and says in its log how it ended.
TELLS_ITS_END = ("sh", "-c", '"$@"; code=$?; echo "exit code $code"; exit $code', "rule")
END = re.compile(r"^\[out\] exit code ([0-9]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that a build needs.

    Attributes:
        name: how it is called on the PATH.
        variable: of the environment, which may name another.
        elsewhere: where it often is although it is not on the PATH.
    """

    name: str
    variable: str = ""
    elsewhere: str = ""

    @property
    def found(self) -> bool:
        """Whether it is there."""
        named = os.environ.get(self.variable, "") if self.variable else ""
        places = (named,) if named else (self.name, str(Path(self.elsewhere).expanduser()))
        return any(map(shutil.which, places))


@dataclass(frozen=True, slots=True)
class Client:
    """A client, and what it takes to build it.

    Attributes:
        language: its folder.
        tools: the programs it needs.
        libraries: those that it is linked with, by the names that pkg-config knows.
        get: how to get all of them.
    """

    language: str
    tools: tuple[Tool, ...] = ()
    libraries: tuple[str, ...] = ()
    get: str = ""

    @property
    def missing(self) -> list[str]:
        """The programs and libraries that are not there."""
        absent = [tool.name for tool in self.tools if not tool.found]
        if "pkg-config" in absent:
            return absent
        return absent + [name for name in self.libraries if _quiet("pkg-config", "--exists", name).returncode]

    def build(self) -> bool:
        """Build it; what that has to say is shown."""
        # Python has nothing to build: its stubs are made together with the referee's.
        return self.language == "python" or subprocess.run(_make(self, "build"), check=False).returncode == 0

    def command(self) -> list[str]:
        """The command of its bot `rule`; empty if that does not stand there."""
        if self.language == "python":
            return [sys.executable, "-m", "bots.rule"]
        told = _quiet(*_make(self, "command"))
        words = shlex.split(told.stdout) if told.returncode == 0 else []
        files = [word for word in words if word.startswith("/")]
        stands = words and shutil.which(words[0]) and all(Path(file).exists() for file in files)
        return words if stands else []


CLIENTS = (
    Client("python"),
    Client(
        "go",
        (Tool("go", "GO", "/usr/local/go/bin/go"),),
        get="Go 1.26 or newer; one from 1.21 on (Debian 13: golang-go) fetches that itself with GOTOOLCHAIN=auto",
    ),
    Client("typescript", (Tool("node"), Tool("npm")), get="Node 20 or newer; Debian 13: nodejs npm"),
    Client("java", (Tool("javac"), Tool("mvn", "MVN")), get="Debian 12: openjdk-17-jdk-headless maven"),
    Client(
        "rust",
        (Tool("cargo", "CARGO", "~/.cargo/bin/cargo"), Tool("cc")),
        get="Rust 1.88 or newer, by rustup (Debian 13 has that as a package), and a C compiler: gcc libc6-dev",
    ),
    Client(
        "cpp",
        (Tool("cmake"), Tool("g++"), Tool("pkg-config"), Tool("protoc"), Tool("grpc_cpp_plugin")),
        ("grpc++", "protobuf", "libcrypto"),
        get="Debian 12: g++ cmake pkgconf libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc "
        "doctest-dev",
    ),
)


class State(Enum):
    """What came of building a client."""

    BUILT = "built"
    LEFT_OUT = "left out"
    FAILED = "FAILED"


def build_all() -> dict[Client, State]:
    """Build whatever can be built, and say of each client what came of it."""
    states = {}
    for client in CLIENTS:
        began = time.monotonic()
        missing = client.missing
        if missing:
            states[client], words = State.LEFT_OUT, f"{_listed(missing)} not found; {client.get}"
        elif client.build():
            states[client], words = State.BUILT, f"{time.monotonic() - began:.0f} s"
        else:
            states[client], words = State.FAILED, f"see above; make -C {HOME.name}/{client.language} build"
        say(f"{client.language:<10}  {states[client].value:<8}  {words}")
    return states


def build_code(states: dict[Client, State]) -> int:
    """The exit code of a build: 1 if one failed, or was left out where all are demanded."""
    bad = {State.FAILED, State.LEFT_OUT} if os.environ.get("REQUIRE_ALL_CLIENTS") == "1" else {State.FAILED}
    return int(not bad.isdisjoint(states.values()))


def arena(arguments: Sequence[str]) -> int:
    """Play one table of the bots `rule` that stand built; then check every replay, and how the processes ended."""
    bots = {client.language: command for client in CLIENTS if (command := client.command())}
    if len(bots) < 2:
        say(f"only {_listed(list(bots))} stands built, and a table takes two: `make clients` says what is missing")
        return 1
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--run", type=Path)
    known, rest = parser.parse_known_args(arguments)
    run = known.run or Path("runs", "languages", time.strftime("%Y%m%d-%H%M%S"))
    with tempfile.TemporaryDirectory() as scratch:
        roster = Path(scratch, "arena.toml")
        roster.write_text(_roster(bots), encoding="utf-8")
        code = subprocess.run([_bluke(), "arena", str(roster), "--run", str(run), *rest], check=False).returncode
    if code or not (run / "replays").is_dir():
        return code
    return 0 if _verified(run) & ended_well(run) else 1


def _roster(bots: dict[str, list[str]]) -> str:
    """An arena.toml of these bots: JSON's strings and lists are TOML's too."""
    lines = [f"seats = {len(bots)}", f"boards = {BOARDS}"]
    for language, command in bots.items():
        folder = HOME / language
        lines += ["", "[[bots]]", f'name = "rule-{language}"', f"command = {json.dumps([*TELLS_ITS_END, *command])}"]
        lines += [f"folder = {json.dumps(str(folder))}"]
    return "\n".join(lines) + "\n"


def _verified(run: Path) -> bool:
    """Whether every replay of a run holds; those that do not are shown."""
    verdict = _quiet(_bluke(), "replay", "verify", str(run / "replays"))
    *each, last = (verdict.stdout or verdict.stderr).splitlines() or ["nothing was said"]
    for line in each:
        if not line.endswith(": ok"):
            say(line)
    say(f"replays verified  {last}")
    return verdict.returncode == 0


def ended_well(run: Path) -> bool:
    """Whether every process that was started ended by itself with code 0, and say how they ended."""
    codes = {log.stem: END.findall(log.read_text(encoding="utf-8", errors="replace")) for log in _logs(run)}
    for name, ends in codes.items():
        if ends != ["0"]:
            say(f"{name}: exit code {_listed(ends) or 'unknown'}; it should have ended by itself with 0")
    well = all(ends == ["0"] for ends in codes.values())
    if well:
        say(f"processes ended   {len(codes)} of {len(codes)} with exit code 0")
    return well


def _logs(run: Path) -> list[Path]:
    return sorted((run / "bots").glob("*.log"))


def _bluke() -> str:
    return str(Path(sys.executable).with_name("bluke"))


def _quiet(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _make(client: Client, target: str) -> list[str]:
    return ["make", "-s", "--no-print-directory", "-C", str(HOME / client.language), target]


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)


def say(text: str) -> None:
    """Print at once, so that lines stand in order with what other programs print."""
    print(text, flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["build"]:
            sys.exit(build_code(build_all()))
        case ["arena", *words]:
            sys.exit(arena(words))
        case _:
            sys.exit("languages.py build, or languages.py arena [OPTIONS OF bluke arena]: see clients/README.md")
