"""The languages that there is a starter for: what builds one, and what starts it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

__all__ = ["LANGUAGES", "Language", "missing_tools"]


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    Attributes:
        title: its name for people.
        source: the bot's own source, in the starter.
        others: what else is at the top of the starter, each with what it is.
        manual: what is said there of the SDK.
        command: what starts the bot, in the starter's folder.
        build: what builds it there, by a shell; `None` if nothing has to be built.
        tools: the programs that building takes.
        needs: what that is for people.
        cure: where to get it.
    """

    title: str
    source: str
    others: tuple[tuple[str, str], ...]
    manual: str
    command: str
    build: str | None = None
    tools: tuple[str, ...] = ()
    needs: str = ""
    cure: str = ""

    @property
    def steps(self) -> tuple[str, ...]:
        """What is to be typed in the starter's folder, one after the other: build, check, play."""
        return (*(() if self.build is None else (self.build,)), f"bluke check -- {self.command}", "bluke arena")


#: By the name that is typed.
LANGUAGES: dict[str, Language] = {
    "python": Language(
        title="Python",
        source="bot.py",
        others=(),
        manual="bluke-arena/docs/python-sdk.md",
        command="python bot.py",
    ),
    "go": Language(
        title="Go",
        source="main.go",
        others=(("go.mod", "the bot's module"), ("go.work", "that module and the SDK's, built together")),
        manual="bluke-arena/clients/go/README.md",
        command="./bot",
        build="go generate && go build -o bot",
        tools=("go",),
        needs="Go 1.26 or newer",
        cure="go.dev/doc/install says how to get it",
    ),
    "typescript": Language(
        title="TypeScript",
        source="bot.ts",
        others=(("package.json", "the bot as a package, and the SDK as one of its workspaces"),),
        manual="bluke-arena/clients/typescript/README.md",
        command="node --enable-source-maps dist/bot.js",
        build="npm install && npm run build",
        tools=("node", "npm"),
        needs="Node 20 or newer, with npm",
        cure="nodejs.org/download says how to get it",
    ),
    "rust": Language(
        title="Rust",
        source="src/main.rs",
        others=(("Cargo.toml", "the bot as a crate that depends on the SDK"),),
        manual="bluke-arena/clients/rust/README.md",
        command="target/release/bot",
        build="cargo build --release",
        tools=("cargo", "cc"),
        needs="Rust 1.88 or newer, and a C compiler",
        cure="rustup.rs says how to get the first; on Debian the other is gcc with libc6-dev",
    ),
    "java": Language(
        title="Java",
        source="bot/src/main/java/Starter.java",
        others=(("pom.xml", "builds the SDK and the bot"), ("bot/pom.xml", "the bot's own")),
        manual="bluke-arena/clients/java/README.md",
        command="java -jar bot/target/bot.jar",
        build="mvn -B -q -ntp -DskipTests package",
        tools=("java", "javac", "mvn"),
        needs="a JDK of 17 or newer, and Maven",
        cure="on Debian: apt-get install openjdk-17-jdk-headless maven",
    ),
    "cpp": Language(
        title="C++",
        source="bot.cpp",
        others=(("CMakeLists.txt", "builds the SDK and the bot"),),
        manual="bluke-arena/clients/cpp/README.md",
        command="build/bot",
        build="cmake -S . -B build && cmake --build build --parallel 2",
        tools=("c++", "cmake", "pkg-config", "protoc", "grpc_cpp_plugin"),
        needs="a compiler of C++20, CMake, gRPC and protobuf",
        cure="on Debian: apt-get install g++ make cmake pkgconf libgrpc++-dev libprotobuf-dev protobuf-compiler "
        "protobuf-compiler-grpc",
    ),
}


def missing_tools(language: Language) -> list[str]:
    """Those programs that building takes and that the PATH does not lead to."""
    return [tool for tool in language.tools if shutil.which(tool) is None]
