"""How a referee listens, and what it puts up with."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bluke.errors import ConfigError
from bluke.wire.hello import StreamLimits

if TYPE_CHECKING:
    from pathlib import Path

    from bluke.referee.tokens import TokenFile

__all__ = ["Settings", "Tls", "check_exposure", "is_loopback"]


@dataclass(frozen=True, slots=True)
class Tls:
    """The server's certificate chain and its private key, both PEM."""

    certificate: bytes
    key: bytes


@dataclass(frozen=True, slots=True)
class Settings:
    """How a referee listens and what it puts up with.

    Attributes:
        address: `HOST:PORT`, or `unix:PATH`; port 0 takes a free one.
        replays: the folder for replay files.
        compress: whether finished replays are compressed.
        tokens: the file of tokens; `None` for none.
        open_door: whether a bot without a token is let in, as a guest.
        tls: the certificate; `None` for plain text.
        insecure: whether to listen off loopback without TLS and tokens all the same.
        stream_limits: the limits of every stream.
        hello_seconds: how long a stream may be silent before its hello.
        grace_seconds: how long a bot without games may be away before it is forgotten.
        keepalive_ms: after how much silence a peer is pinged.
        ping_timeout_ms: how long it may take to answer.
        socket: a Unix socket to listen on as well, for bots without a network; `None` for none.
    """

    address: str
    replays: Path
    compress: bool = False
    tokens: TokenFile | None = None
    open_door: bool = False
    tls: Tls | None = None
    insecure: bool = False
    stream_limits: StreamLimits = field(default_factory=StreamLimits)
    hello_seconds: float = 10.0
    grace_seconds: float = 5.0
    keepalive_ms: int = 10_000
    ping_timeout_ms: int = 5_000
    socket: Path | None = None


def is_loopback(address: str) -> bool:
    """Whether an address can only be reached from this machine."""
    if address.startswith("unix:"):
        return True
    host = address.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def check_exposure(settings: Settings) -> None:
    """Refuse to listen off loopback without TLS and tokens, unless told to in so many words.

    Raises:
        ConfigError: it would.
    """
    if is_loopback(settings.address) or settings.insecure:
        return
    missing = []
    if settings.tls is None:
        missing.append("TLS (--tls-cert and --tls-key)")
    if settings.tokens is None:
        missing.append("tokens (--tokens FILE, made with `bluke token add NAME`)")
    if missing:
        msg = (
            f"{settings.address} can be reached from other machines, and that needs {' and '.join(missing)}; "
            "to do without, say --insecure"
        )
        raise ConfigError(msg)
