"""Which files of the repository a starter takes along: the SDK of its language, the protocol, and bots to play against.

`hatch_build.py` runs this file by itself, for what goes into a wheel is the same, so it imports nothing of bluke.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CARRIED", "EVERYBODY", "carried_files"]

#: For every language: the rules of the game, and the reference bots.
EVERYBODY = ("LICENSE", "docs/rules.md", "clients/python/bots/*.py")
PROTOCOL = "proto/bluke/v1/*.proto"

#: Language -> patterns of paths in the repository.
CARRIED: dict[str, tuple[str, ...]] = {
    "python": ("docs/python-sdk.md",),
    "go": (
        PROTOCOL,
        *(f"clients/go/{name}" for name in (".gitignore", "README.md", "go.mod", "go.sum")),
        *(f"clients/go/{name}/*.go" for name in ("bluke", "dealing", "internal/stubs")),
    ),
    "typescript": (
        PROTOCOL,
        *(f"clients/typescript/{name}" for name in (".gitignore", ".npmrc", "README.md", "package.json")),
        *(f"clients/typescript/{name}" for name in ("tsconfig.json", "src/*.ts", "tools/generate.mjs")),
    ),
    "rust": (
        PROTOCOL,
        *(f"clients/rust/{name}" for name in (".gitignore", "Cargo.lock", "Cargo.toml", "README.md")),
        *(f"clients/rust/{name}" for name in ("build.rs", "src/*.rs")),
    ),
    "java": (
        PROTOCOL,
        *(
            f"clients/java/{name}"
            for name in (".gitignore", "README.md", "pom.xml", "src/main/java/org/bluke/sdk/*.java")
        ),
    ),
    "cpp": (
        PROTOCOL,
        *(f"clients/cpp/{name}" for name in (".gitignore", "CMakeLists.txt", "README.md")),
        *(f"clients/cpp/{name}" for name in ("include/bluke/*.hpp", "src/*.cpp", "src/*.hpp")),
    ),
}
#: Go keeps its tests beside what they test.
TESTS = "_test.go"


def carried_files(root: Path, language: str) -> list[Path]:
    """The files that a starter of this language takes along, as paths below `root`, sorted.

    Raises:
        FileNotFoundError: a pattern fits no file, so this is not the repository, or not all of it.
    """
    found: set[Path] = set()
    for pattern in (*EVERYBODY, *CARRIED[language]):
        files = [path.relative_to(root) for path in root.glob(pattern) if not path.name.endswith(TESTS)]
        if not files:
            raise FileNotFoundError(2, "there is no such file", str(root / pattern))
        found.update(files)
    return sorted(found)
