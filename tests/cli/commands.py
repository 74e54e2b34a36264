"""The command `bluke`, run as people run it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Self

from bluke.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PATIENCE = 60
#: The installed command, with Ctrl-C as a terminal has it even where the tests run in the background.
CODE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from bluke.cli import main
sys.exit(main())
"""


class Command:
    """A `bluke` that runs; its lines are read as they come."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CODE, *map(str, arguments)],
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.lines: list[str] = []

    def until(self, text: str) -> str:
        """Read on to the first line with this text in it."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if text in line:
                return line
        raise AssertionError(f"no {text!r} in {''.join(self.lines)} {self.process.communicate()[1]}")

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def finish(self) -> tuple[int, str, str]:
        """Wait for the end; returns exit code, stdout, stderr."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, "".join(self.lines) + out, err

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def command(folder: Path, *arguments: object) -> tuple[int, str, str]:
    """Run a command to its end; returns exit code, stdout, stderr."""
    with Command(folder, *arguments) as running:
        return running.finish()


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command says when it refuses its arguments: exit code 2, no traceback, nothing on stdout."""
    assert main([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err
