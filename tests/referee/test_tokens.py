"""Who is let in: tokens at rest and at work, and TLS on a real port."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import os
import shutil
import stat
import subprocess
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from referee.raw_bot import PATIENCE, House, RawBot

import bluke_sdk
from bluke.errors import ConfigError
from bluke.referee import GameSpec, Match, Referee, Settings
from bluke.referee import tokens as tokens_module
from bluke.referee.settings import Tls
from bluke.referee.tokens import TokenFile, hash_token, new_token
from bluke.rules import Rules
from bluke.v1 import arena_pb2 as arena_pb
from bluke.v1 import arena_pb2_grpc, play_pb2_grpc
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.values import GameLimits, Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bluke.referee import Bot

RULES = Rules(2, hands=(2, 1))


@pytest.fixture
def file(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "tokens.json")


# At rest


def test_the_token_itself_is_kept_nowhere(file: TokenFile):
    """The file and its folder hold the hash of a token, and no part of the token that would help to guess it."""
    token = file.add("ann")
    for path in file.path.parent.iterdir():
        text = path.read_text()
        assert hash_token(token) in text
        assert not any(token[at : at + 6] in text for at in range(len(token) - 6))
    assert token not in repr(vars(file))


def test_tokens_are_long_and_never_the_same():
    """A token is 256 random bits, in characters that need no quoting anywhere."""
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(len(token) == 43 and token.isascii() and set(token) <= URL_SAFE for token in tokens)


URL_SAFE = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_the_file_is_for_its_owner_alone(file: TokenFile):
    """Nobody else may read it, whatever its mode was before and whatever change was made last."""
    file.add("ann")
    file.add("bob")
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    file.path.chmod(0o644)
    file.revoke("bob")
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert [path.name for path in file.path.parent.iterdir()] == ["tokens.json"]


@pytest.mark.parametrize("name", ["Ünïcode", "\u202eevil", "a\nb", 'quo"te', "\U0001f0cf" * 16, " "])
def test_any_name(file: TokenFile, name: str):
    """A name is any text, is kept as it is, and is found again by its token and by revoking it."""
    token = file.add(name)
    found = TokenFile(file.path).identify(token)
    assert found is not None
    assert (found.name, found.operator) == (name, False)
    file.revoke(name)
    assert TokenFile(file.path).identify(token) is None


WRONG = {
    "empty": b"",
    "no list": b"{}",
    "no entries": b"[1]",
    "a key missing": b'[{"name":"a","created":"2030-01-01T00:00:00Z"}]',
    "a key too many": b'[{"name":"a","sha256":"%s","created":"2030-01-01T00:00:00Z","x":1}]' % (b"0" * 64),
    "a token in place of its hash": b'[{"name":"a","sha256":"secret","created":"2030-01-01T00:00:00Z"}]',
    "a hash that is not ASCII": b'[{"name":"a","sha256":"%s","created":"2030-01-01T00:00:00Z"}]' % ("é" * 64).encode(),
    "no time zone": b'[{"name":"a","sha256":"%s","created":"2030-01-01T00:00:00"}]' % (b"0" * 64),
    "not UTF-8": b'[{"name":"\xff","sha256":"%s","created":"2030-01-01T00:00:00Z"}]' % (b"0" * 64),
    "nested": b"[" * 100_000,
    "torn": b'[{"name":"a","sha',
}


@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_a_file_that_is_none(file: TokenFile, data: bytes):
    """A file that holds something else is refused by name, whatever is asked of it, and is left alone."""
    file.path.write_bytes(data)
    uses: list[Callable[[], object]] = [file.load, lambda: file.identify("x"), lambda: file.add("a")]
    for use in [*uses, lambda: file.revoke("a")]:
        with pytest.raises(ConfigError, match=r"tokens\.json: not a list of tokens: "):
            use()
    assert file.path.read_bytes() == data
    assert len(list(file.path.parent.iterdir())) == 1


def test_a_path_that_is_none(tmp_path: Path):
    """A folder in place of the file, and a file in place of its folder, are refused with the reason."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("")
    with pytest.raises(ConfigError, match="folder: cannot be read: Is a directory"):
        TokenFile(tmp_path / "folder").load()
    with pytest.raises(ConfigError, match="cannot be read: Not a directory"):
        TokenFile(tmp_path / "plain" / "tokens.json").load()
    with pytest.raises(ConfigError, match="cannot be written: "):
        TokenFile(tmp_path / "plain" / "tokens.json").add("a")


def test_two_changes_at_once(file: TokenFile):
    """While one process changes the file another is refused, since it could bring a revoked token back."""
    token = file.add("ann")
    other = TokenFile(file.path)
    with file._changing() as entries:
        entries.clear()
        with pytest.raises(ConfigError, match="being changed by another process; remove this file if there is none"):
            other.add("bob")
        # Whoever reads meanwhile has the file as it was.
        assert other.identify(token) is not None
    assert other.identify(token) is None
    other.add("bob")


def test_a_change_that_fails(file: TokenFile, monkeypatch: pytest.MonkeyPatch):
    """If the disk refuses, the file stays as it was, and the next change is not kept out."""
    token = file.add("ann")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(ConfigError, match="cannot be written: No space left on device"):
            file.revoke("ann")
    assert file.identify(token) is not None
    file.revoke("ann")


# At work


def test_revoked_at_once(file: TokenFile):
    """A revoked token is refused with the next question, though the file has kept its size and its times."""
    token = file.add("ann")
    served = TokenFile(file.path)
    assert served.identify(token) is not None
    before = file.path.stat()
    file.revoke("ann")
    file.add("bob")
    for _ in range(2):
        os.utime(file.path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert (file.path.stat().st_mtime_ns, file.path.stat().st_size) == (before.st_mtime_ns, before.st_size)
        assert served.identify(token) is None
        # The same once more, in the same file: as an editor writes it.
        data = json.loads(file.path.read_text())
        data[0]["name"] = "eve"
        file.path.write_text(json.dumps(data, indent=1) + "\n")
        before = file.path.stat()


def test_every_entry_is_compared(file: TokenFile, monkeypatch: pytest.MonkeyPatch):
    """Each hash is compared in constant time, whether or not one before it was the right one."""
    tokens = [file.add(name) for name in ("ann", "bob", "cy")]
    compared: list[str] = []

    def compare(one: str, two: str) -> bool:
        compared.append(one)
        return hmac.compare_digest(one, two)

    class Watched:
        compare_digest = staticmethod(compare)

    monkeypatch.setattr(tokens_module, "hmac", Watched)
    for token in (*tokens, "wrong", ""):
        compared.clear()
        file.identify(token)
        assert compared == [hash_token(each) for each in tokens]


async def hello(referee: Referee, token: str) -> play_pb.PlayResponse:
    """What the referee answers to a bot with this token; the stream is ended."""
    raw = RawBot(referee.address)
    try:
        return await raw.hello(token)
    finally:
        await raw.close()


async def test_the_file_changes_while_it_is_served(tmp_path: Path, file: TokenFile):
    """Without a file nobody is let in, nor with a broken one, and they are told why; the referee lives on."""
    token = file.add("ann")
    good = file.path.read_bytes()
    async with Referee(Settings("127.0.0.1:0", tmp_path / "replays", tokens=file)) as referee:
        assert (await hello(referee, token)).welcome.bot == "ann"
        file.path.unlink()
        refusal = (await hello(referee, token)).refusal
        assert refusal.reason == play_pb.REFUSAL_REASON_TOKEN
        assert "unknown or was revoked" in refusal.message
        for broken in (b"", b"[1]", b"[" * 100_000):
            file.path.write_bytes(broken)
            refusal = (await hello(referee, token)).refusal
            assert refusal.reason == play_pb.REFUSAL_REASON_TOKEN
            assert "its file of them cannot be read; tell its operator" in refusal.message
            assert str(file.path) not in refusal.message
        async with grpc.aio.insecure_channel(referee.address) as channel:
            stub = arena_pb2_grpc.ArenaServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.ListBots(arena_pb.ListBotsRequest(), metadata=(("authorization", f"Bearer {token}"),))
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        assert str(file.path) not in (caught.value.details() or "")
        # The referee lives: whoever it started itself still plays.
        house = House(referee)
        await play_one(referee, await house.players(2))
        await house.close()
        file.path.write_bytes(good)
        assert (await hello(referee, token)).welcome.bot == "ann"


async def play_one(referee: Referee, bots: list[Bot]) -> None:
    match = Match("m", b"s", [0])
    async with asyncio.timeout(PATIENCE):
        finished = await referee.play(GameSpec(match, match.game_id(0), 0, RULES, GameLimits(), tuple(bots)))
    assert finished.result.status is Status.COMPLETE
    assert finished.faults == ()


# TLS


class Certificate:
    """A certificate for `localhost` that nobody else has signed, made by the `openssl` program."""

    def __init__(self, folder: Path) -> None:
        self.path, self.key = folder / "certificate.pem", folder / "key.pem"
        program = shutil.which("openssl")
        assert program is not None
        subprocess.run(
            [
                program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", str(self.key), "-out", str(self.path), "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            ],
            check=True,
            capture_output=True,
        )  # fmt: skip

    @property
    def tls(self) -> Tls:
        return Tls(self.path.read_bytes(), self.key.read_bytes())


needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="the openssl program is not installed")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def another(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Certificate(tmp_path_factory.mktemp("tls"))


class First(bluke_sdk.Bot):
    """Gives its first legal answers."""

    def bid(self, view):
        return view.legal[0]

    def play(self, view):
        return view.legal[0]


@needs_openssl
async def test_play_through_tls(
    tmp_path: Path, file: TokenFile, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
):
    """Off loopback, with TLS and tokens, bots of the SDK play that were told the certificate by BLUKE_CA."""
    tokens = [file.add(name) for name in ("ann", "bob")]
    monkeypatch.setenv("BLUKE_CA", str(certificate.path))
    arrived: asyncio.Queue[Bot] = asyncio.Queue()
    settings = Settings("0.0.0.0:0", tmp_path / "replays", tokens=file, tls=certificate.tls)
    async with Referee(settings) as referee:
        referee.on_arrival = arrived.put_nowait
        address = f"localhost:{referee.address.rpartition(':')[2]}"
        playing = [asyncio.create_task(bluke_sdk.play(First, server=address, token=token)) for token in tokens]
        async with asyncio.timeout(PATIENCE):
            bots = [await arrived.get() for _ in tokens]
        await play_one(referee, bots)
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*playing)
    assert {bot.identity.name for bot in bots} == {"ann", "bob"}


@needs_openssl
async def test_plain_text_on_a_tls_port(tmp_path: Path, file: TokenFile, certificate: Certificate):
    """A bot that speaks without TLS gets nowhere and says so, its token is not taken, and the referee goes on."""
    token = file.add("ann")
    async with Referee(Settings("127.0.0.1:0", tmp_path, tokens=file, tls=certificate.tls)) as referee:
        raw = RawBot(referee.address)
        with pytest.raises((grpc.RpcError, asyncio.InvalidStateError)):
            await raw.hello(token)
        assert await raw.code() is grpc.StatusCode.UNAVAILABLE
        await raw.close()
        with pytest.raises(bluke_sdk.UnreachableError, match=f"no referee at {referee.address}"):
            await bluke_sdk.play(First, server=referee.address, token=token, ca="", insecure=True, give_up=0.01)
        assert referee.bots == {}
        answer = await secure_hello(referee, certificate, token)
        assert answer.welcome.bot == "ann"


async def secure_hello(referee: Referee, certificate: Certificate, token: str) -> play_pb.PlayResponse:
    raw = RawBot(referee.address)
    await raw.channel.close()
    credentials = grpc.ssl_channel_credentials(certificate.path.read_bytes())
    channel: Any = grpc.aio.secure_channel(referee.address, credentials)
    raw.channel, raw.call = channel, play_pb2_grpc.RefereeServiceStub(channel).Play()
    try:
        return await raw.hello(token)
    finally:
        await raw.close()


@needs_openssl
async def test_a_certificate_that_the_bot_does_not_know(
    tmp_path: Path, file: TokenFile, certificate: Certificate, another: Certificate
):
    """A bot does not show its token to a referee whose certificate it was not told of."""
    token = file.add("ann")
    asked: list[str] = []
    async with Referee(Settings("127.0.0.1:0", tmp_path, tokens=file, tls=certificate.tls)) as referee:
        identify = referee.identify
        referee.identify = lambda token: asked.append(token) or identify(token)  # type: ignore[method-assign, func-returns-value]
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            await secure_hello(referee, another, token)
        with pytest.raises(bluke_sdk.UnreachableError):
            await bluke_sdk.play(First, server=referee.address, token=token, ca=str(another.path), give_up=0.01)
    assert asked == []


@needs_openssl
@pytest.mark.parametrize("wrong", ["certificate", "key", "empty", "another's key", "exchanged"])
async def test_wrong_certificates(tmp_path: Path, certificate: Certificate, another: Certificate, wrong: str):
    """What is no certificate, or does not go with its key, is a person's mistake, told before anything is served."""
    right = certificate.tls
    tls = {
        "certificate": Tls(b"this is no certificate", right.key),
        "key": Tls(right.certificate, b"this is no key"),
        "empty": Tls(b"", b""),
        "another's key": Tls(right.certificate, another.tls.key),
        "exchanged": Tls(right.key, right.certificate),
    }[wrong]
    with pytest.raises(ConfigError, match="certificate"):
        async with Referee(Settings("127.0.0.1:0", tmp_path, tls=tls)):
            pass


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:1", "example.org:1", "0:0", ":0"])
def test_both_are_demanded_off_loopback(tmp_path: Path, file: TokenFile, address: str):
    """TLS without tokens and tokens without TLS are refused as well, each with what is missing."""
    with pytest.raises(ConfigError, match=r"that needs TLS \(.*\); to do without, say --insecure"):
        Referee(Settings(address, tmp_path, tokens=file))
    with pytest.raises(ConfigError, match=r"that needs tokens \("):
        Referee(Settings(address, tmp_path, tls=Tls(b"", b"")))
    Referee(Settings(address, tmp_path, tokens=file, tls=Tls(b"", b"")))
