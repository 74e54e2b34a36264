"""The clients in other languages that stand built here, and the commands that start their bots."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: The languages, and for each what `make build` in its folder leaves behind.
BUILT = {
    "python": "bluke_sdk/__init__.py",
    "go": "bin/rule",
    "typescript": "dist/bots/rule.js",
    "java": "target/bluke-sdk.jar",
    "rust": "target/release/examples/rule",
    "cpp": "build/rule",
}
LANGUAGES = tuple(BUILT)


def command_of(language: str) -> list[str]:
    """The command that starts the bot `rule` of this language from any folder.

    Skips the test where the client is not built, and fails it if REQUIRE_ALL_CLIENTS=1 says that all have to be.
    """
    folder = ROOT / "clients" / language
    if not (folder / BUILT[language]).exists():
        missing = f"the client in {language} is not built: make -C clients/{language} build"
        if os.environ.get("REQUIRE_ALL_CLIENTS") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    if language == "python":
        return ["env", f"PYTHONPATH={folder}", sys.executable, "-m", "bots.rule"]
    return list(_told(folder))


@cache
def _told(folder: Path) -> tuple[str, ...]:
    told = subprocess.run(
        ["make", "-s", "--no-print-directory", "-C", str(folder), "command"], capture_output=True, text=True, check=True
    )
    return tuple(shlex.split(told.stdout))
