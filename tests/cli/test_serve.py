from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import urllib.request
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from arena.rosters import SMALLEST
from cli.commands import PATIENCE, Command, command, refused

from bluke.arena.record import read_record
from bluke.referee.tokens import TokenFile
from bluke.replay.verify import verify

if TYPE_CHECKING:
    from pathlib import Path


def address_of(serving: Command) -> str:
    """Where a server listens, once it does."""
    return serving.until("a bot joins with BLUKE_SERVER=").partition("BLUKE_SERVER=")[2].split()[0]


def bots(stack: ExitStack, address: str, *tokens: str) -> list[subprocess.Popen[bytes]]:
    """Smallest bots that dial a server."""
    started = []
    for token in tokens:
        environment = {**os.environ, "BLUKE_SERVER": address, "BLUKE_TOKEN": token}
        bot = stack.enter_context(subprocess.Popen(SMALLEST, env=environment, stderr=subprocess.PIPE))
        stack.callback(bot.kill)
        started.append(bot)
    return started


def test_serve_so_many_games(tmp_path: Path):
    """Bots join, seats rotate, and it ends with the last game; guests of one name are told apart."""
    options = ["--listen", "127.0.0.1:0", "--seats", 3, "--games", 6, "--rules", "hands=2,1", "--seed", "s"]
    with ExitStack() as stack:
        serving = stack.enter_context(Command(tmp_path, "serve", *options, "--run", "run"))
        started = bots(stack, address_of(serving), "", "", "")
        code, out, err = serving.finish()
        assert [bot.wait(PATIENCE) for bot in started] == [0, 0, 0]
    assert (code, err) == (0, "")
    assert out.startswith("6 games at tables of 3")
    assert "is here; 2 of 3 for the next table\n" in out
    assert sum(line.startswith("game ") for line in out.splitlines()) == 6
    run, games, end = read_record(tmp_path / "run" / "results.jsonl")
    assert (run.games, run.boards, run.seats) == (6, 2, 3)
    assert end is not None
    assert (end.status, end.match_seed) == ("complete", b"s".hex())
    assert sorted(game.number for game in games) == list(range(6))
    assert {name for game in games for name in game.bots} == {"smallest", "smallest#2", "smallest#3"}
    for board in range(2):
        played = [game for game in games if game.board == board]
        assert sorted(game.rotation for game in played) == [0, 1, 2]
        for seat in range(3):
            assert len({game.bots[seat] for game in played}) == 3
    assert all(verify(tmp_path / "run" / game.replay).ok for game in games)
    assert [line.split()[0] for line in out.splitlines() if re.match(r"\d  ", line)][0:1] == ["1"]
    assert "check every game  bluke replay verify run/replays\n" in out


def test_serve_until_it_is_stopped(tmp_path: Path):
    """Without --games Ctrl-C is how it ends: what was played is kept, bots get their goodbye, the exit code is 0."""
    options = ["--listen", "127.0.0.1:0", "--seats", 2, "--rules", "hands=1"]
    with ExitStack() as stack:
        serving = stack.enter_context(Command(tmp_path, "serve", *options, "--run", "run"))
        started = bots(stack, address_of(serving), "", "")
        serving.until("game ")
        serving.interrupt()
        code, out, err = serving.finish()
        assert [bot.wait(PATIENCE) for bot in started] == [0, 0]
    assert (code, err) == (0, "")
    assert "stopping: " in out
    _, games, end = read_record(tmp_path / "run" / "results.jsonl")
    assert end is not None
    assert end.status == "stopped"
    assert sum(line.startswith("game ") for line in out.splitlines()) == len(games)


def test_stopped_before_its_games_were_played(tmp_path: Path):
    """With --games an early end is one: exit code 130."""
    with Command(tmp_path, "serve", "--listen", "127.0.0.1:0", "--games", 5) as serving:
        serving.until("a bot joins")
        serving.interrupt()
        code, out, err = serving.finish()
    assert (code, err) == (130, "")
    assert "no game was finished\n" in out


def test_serve_by_token(tmp_path: Path):
    """With --tokens results are booked by token, and a bot without one or with a revoked one is refused at once."""
    tokens = TokenFile(tmp_path / "tokens.json")
    secrets = [tokens.add(name) for name in ("ann", "bob", "eve")]
    options = ["--listen", "127.0.0.1:0", "--seats", 2, "--games", 2, "--rules", "hands=1", "--tokens", tokens.path]
    with ExitStack() as stack:
        serving = stack.enter_context(Command(tmp_path, "serve", *options, "--run", "run"))
        tokens.revoke("eve")
        address = address_of(serving)
        nobody, eve = bots(stack, address, "", secrets[2])
        for bot, why in ((nobody, b"asks for a token"), (eve, b"unknown or was revoked")):
            assert why in bot.communicate(timeout=PATIENCE)[1]
            assert bot.returncode == 1
        invited = bots(stack, address, *secrets[:2])
        code, _, err = serving.finish()
        assert (code, err) == (0, "")
        assert [bot.wait(PATIENCE) for bot in invited] == [0, 0]
    games = read_record(tmp_path / "run" / "results.jsonl")[1]
    assert [sorted(game.bots) for game in games] == [["ann", "bob"], ["ann", "bob"]]


def test_a_port_in_use(tmp_path: Path):
    """A port that somebody has is said to be, with exit code 2; the same folder can be named again."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        code, out, err = command(tmp_path, "serve", "--listen", address, "--run", "run")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: cannot listen on {address}: the port is in use, or ")
    assert err.count("\n") == 1
    assert not (tmp_path / "run" / "results.jsonl").exists()


WRONG = {
    "no port": (["--listen", "127.0.0.1"], "--listen 127.0.0.1: write HOST:PORT with a port from 0 to 65535"),
    "a word for a port": (["--listen", "localhost:http"], "write HOST:PORT with a port from 0 to 65535"),
    "a port too high": (["--listen", "0.0.0.0:65536"], "write HOST:PORT with a port from 0 to 65535"),
    "no host": (["--listen", ":5577"], "every interface is 0.0.0.0"),
    "bare IPv6": (["--listen", "::1:5577"], "IPv6 goes in brackets"),
    "no socket": (["--listen", "unix:"], "wants the path of a socket"),
    "no folder for it": (["--listen", "unix:none/socket"], "in a folder that is there"),
    "strangers": (["--listen", "0.0.0.0:0"], "can be reached from other machines, and that needs TLS .* and tokens"),
    "half a certificate": (["--tls-cert", __file__], "--tls-cert and --tls-key go together"),
    "no sign": (["--rules", "hands"], "--rules hands: write KEY=VALUE"),
    "no such rule": (["--rules", "hand=3"], "--rules: unknown key 'hand'; did you mean hands?"),
    "twice": (["--rules", "hands=3", "--rules", "hands=4"], "--rules hands=4: hands was given before"),
    "no number": (["--rules", "max_hand=x"], "--rules: max_hand: Expected `int"),
    "wrong word": (["--rules", "cut=x"], "it is one of tap, player"),
    "not to be dealt": (["--rules", "max_hand=14"], "--seats and --rules cannot be played: a hand of 14"),
    "seats": (["--seats", "16"], "16 seats: a table has 2 to 15"),
    "games": (["--games", "0"], "Invalid value for '--games'"),
    "tokens": (["--tokens", "none.json"], "File 'none.json' does not exist"),
    "no tokens": (["--tokens", __file__], "not a list of tokens"),
    "a seed that is no text": (["--seed", "\udcff"], "--seed: it has bytes that are not UTF-8"),
}


@pytest.mark.parametrize(("options", "match"), WRONG.values(), ids=WRONG)
def test_refuse_wrong_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str], match: str
):
    """A wrong option is refused with exit code 2 and a sentence that says what would be right; nothing is made."""
    import re

    monkeypatch.chdir(tmp_path)
    assert re.search(match, refused(capsys, "serve", *options))
    assert list(tmp_path.iterdir()) == []


def test_terminate_a_server(tmp_path: Path):
    """After SIGTERM no more games begin, what is being played is finished, and the server's health says so."""
    options = ["--listen", "127.0.0.1:0", "--seats", 2, "--rules", "hands=2", "--run", "run"]
    with ExitStack() as stack:
        serving = stack.enter_context(Command(tmp_path, "serve", *options))
        started = bots(stack, address_of(serving), "", "")
        serving.until("game ")
        serving.process.send_signal(signal.SIGTERM)
        code, out, err = serving.finish()
        assert [bot.wait(PATIENCE) for bot in started] == [0, 0]
    assert (code, err) == (0, "")
    assert "draining: no more games begin" in out
    _, games, end = read_record(tmp_path / "run" / "results.jsonl")
    assert end is not None
    assert end.status == "stopped"
    assert all(game.status.value == "complete" for game in games)
    replays = list((tmp_path / "run" / "replays").iterdir())
    assert len(replays) == len(games)


def test_figures_for_prometheus(tmp_path: Path):
    """With --metrics the games, faults, decision times and bots are served as text under /metrics."""
    pytest.importorskip("prometheus_client")
    options = ["--listen", "127.0.0.1:0", "--seats", 2, "--rules", "hands=2", "--run", "run"]
    with ExitStack() as stack:
        serving = stack.enter_context(Command(tmp_path, "serve", *options, "--metrics", "127.0.0.1:0"))
        page = serving.until("figures for Prometheus: ").split()[-1]
        bots(stack, address_of(serving), "", "")
        serving.until("game ")
        with urllib.request.urlopen(page, timeout=PATIENCE) as answer:
            text = answer.read().decode()
        serving.interrupt()
        assert serving.finish()[0] == 0
    figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(figures['bluke_games_total{status="complete"}']) >= 1
    assert float(figures["bluke_decision_seconds_count"]) >= 6
    assert float(figures["bluke_bots_connected"]) == 2
    assert {"bluke_games_running", "bluke_lag_seconds_total"} <= figures.keys()


@pytest.mark.parametrize("address", ["9373", "unix:figures", "127.0.0.1:99999"])
def test_figures_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str):
    """An address that is none is one sentence and exit code 2."""
    said = refused(capsys, "serve", "--metrics", address, "--run", tmp_path / "run")
    assert said.startswith(f"error: --metrics {address}: ")
    assert not (tmp_path / "run").exists()
