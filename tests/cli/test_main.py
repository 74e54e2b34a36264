from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import structlog
from cli.commands import refused

from bluke import __version__
from bluke.arena.log import log_to
from bluke.cli import COMMANDS, bluke, main
from bluke.cli.folder import new_folder
from bluke.errors import ArenaError, ConfigError

FULL = Path("/dev/full")


def test_help(capsys: pytest.CaptureFixture[str]):
    """Help lists every command, and needs none of the rooms behind them."""
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name}" in out for name in COMMANDS)
    heavy = "{'grpc', 'rich', 'asyncio', 'sqlalchemy', 'numpy', 'jinja2', 'textual'}"
    code = f"import sys; from bluke.cli import main; main(['-h']); print(sorted({heavy} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert printed.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command(name: str, capsys: pytest.CaptureFixture[str]):
    """Every command explains itself."""
    assert main([name, "--help"]) == 0
    assert f"Usage: bluke {name} " in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]):
    """The version is that of the package."""
    assert main(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


def test_no_such_command(capsys: pytest.CaptureFixture[str]):
    """A wrong command is a person's mistake."""
    assert "No such command 'arens'" in refused(capsys, "arens")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ConfigError("the file is wrong"), 2, "error: the file is wrong\n"),
        (ArenaError("the disk is full"), 1, "error: the disk is full\n"),
        (OSError(28, "No space left on device"), 1, "error: [Errno 28] No space left on device\n"),
        (KeyboardInterrupt(), 130, "\nstopped\n"),
    ],
)
def test_exit_codes(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """2 is a person's mistake, 1 a failure, 130 an interrupt; each is one sentence and no traceback."""

    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr(bluke, "invoke", fail)
    assert main(["arena"]) == code
    assert capsys.readouterr() == ("", said)


def test_the_reader_has_gone(tmp_path: Path):
    """`bluke ... | head -1` ends without a word."""
    code = "import sys; from bluke.cli import main; sys.exit(main(['arena', '--help']))"
    script = f'"{sys.executable}" -c "{code}" | true'
    ended = subprocess.run(["sh", "-c", script], capture_output=True, check=False)
    assert ended.stderr == b""


def test_run_folders_are_numbered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Two runs that begin within one second have two folders, and each is taken at once."""
    monkeypatch.chdir(tmp_path)
    taken = [new_folder() for _ in range(3)]
    assert len(set(taken)) == 3
    assert all(path.is_dir() for path in taken)


def test_an_event_is_a_line(tmp_path: Path):
    """Whatever is in an event, it is one line of the log."""
    with log_to(tmp_path / "log"):
        structlog.get_logger().info("one", bot="a\nb", seat=3)
    text = (tmp_path / "log").read_text()
    assert "level=info event=one bot=" in text
    assert text.count("\n") == 1


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_log_on_a_full_disk():
    """A log that cannot be written is no reason for anything to fail."""
    with log_to(FULL):
        structlog.get_logger().info("lost")


def test_a_log_that_cannot_be_opened(tmp_path: Path):
    """It says which, and what to do."""
    with (
        pytest.raises(ArenaError, match="none/log: cannot be written: No such file"),
        log_to(tmp_path / "none" / "log"),
    ):
        pass
