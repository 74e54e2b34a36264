from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest
from cli.commands import refused

from bluke.cli import main
from bluke.referee.bot import Identity
from bluke.referee.tokens import TokenFile, hash_token

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "tokens.json"


def test_add_a_token(path: Path, capsys: pytest.CaptureFixture[str]):
    """The secret alone is on stdout; the file keeps its hash only, for nobody else to read."""
    assert main(["token", "add", "ann"]) == 0
    out, err = capsys.readouterr()
    secret = out.strip()
    assert len(secret) == 43
    assert "not shown again" in err
    assert secret not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert TokenFile(path).identify(secret) == Identity("ann", key=hash_token(secret))


def test_add_an_operator(path: Path, capsys: pytest.CaptureFixture[str]):
    """An operator's token says so."""
    main(["token", "add", "--operator", "boss"])
    secret = capsys.readouterr().out.strip()
    assert TokenFile(path).identify(secret) == Identity("boss", operator=True, key=hash_token(secret))


def test_list_tokens(path: Path, capsys: pytest.CaptureFixture[str]):
    """Names are listed with their kind, and nothing in them reaches the terminal as a code."""
    main(["token", "add", "a\x1b[31m"])
    main(["token", "add", "boss", "--operator"])
    capsys.readouterr()
    assert main(["token", "list"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("a\\x1b[31m  bot  since 20")
    assert second.startswith("boss  operator  since 20")


def test_list_no_tokens(path: Path, capsys: pytest.CaptureFixture[str]):
    """Without a file it says how to make one."""
    assert main(["token", "list"]) == 0
    assert "tokens.json has no tokens; `bluke token add NAME` makes one" in capsys.readouterr().err


def test_revoke_a_token(path: Path, capsys: pytest.CaptureFixture[str]):
    """A revoked token opens nothing, in a server too that has read the file before."""
    main(["token", "add", "ann"])
    secret = capsys.readouterr().out.strip()
    served = TokenFile(path)
    assert served.identify(secret) is not None
    assert main(["token", "revoke", "ann"]) == 0
    assert served.identify(secret) is None


def test_refuse_wrong_names(path: Path, capsys: pytest.CaptureFixture[str]):
    """A name that is taken, unknown, too long, empty or no text is refused with exit code 2."""
    assert "no token for 'ann'" in refused(capsys, "token", "revoke", "ann")
    main(["token", "add", "ann"])
    capsys.readouterr()
    assert "there is a token for 'ann'; `bluke token revoke` it first" in refused(capsys, "token", "add", "ann")
    assert "a name has 1 to 64 bytes, and this one has 66" in refused(capsys, "token", "add", "ä" * 33)
    assert "a name has 1 to 64 bytes, and this one has 0" in refused(capsys, "token", "add", "")
    assert "not UTF-8" in refused(capsys, "token", "add", "\udcff")
    assert [entry["name"] for entry in json.loads(path.read_text())] == ["ann"]


def test_refuse_a_file_that_is_none(path: Path, capsys: pytest.CaptureFixture[str]):
    """A file that holds something else is named and left alone."""
    path.write_text("[1]")
    assert "tokens.json: not a list of tokens" in refused(capsys, "token", "add", "ann")
    assert path.read_text() == "[1]"
