"""Tokens: who may connect, kept as hashes only."""

from __future__ import annotations

import hmac
import secrets
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from bluke.errors import ConfigError
from bluke.referee.bot import Identity

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TokenFile", "hash_token", "new_token"]


def new_token() -> str:
    """A new secret of 256 bits, as 43 characters that need no quoting."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """What is kept of a token. One round is enough for a secret that nobody chose."""
    return sha256(token.encode()).hexdigest()


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    """One token."""

    name: str
    sha256: str
    created: datetime
    operator: bool = False


class TokenFile:
    """The tokens in one JSON file, read anew whenever it changes, so that revoking works at once."""

    def __init__(self, path: Path) -> None:
        """Name the file; it need not exist before the first token is added."""
        self.path = path
        self._stamp: tuple[int, int] | None = None
        self._entries: list[Entry] = []

    def load(self) -> list[Entry]:
        """The entries of the file.

        Raises:
            ConfigError: it is there and cannot be read.
        """
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            self._stamp, self._entries = None, []
            return self._entries
        stamp = (stat.st_mtime_ns, stat.st_size)
        if stamp != self._stamp:
            try:
                self._entries = msgspec.json.decode(self.path.read_bytes(), type=list[Entry])
            except (OSError, msgspec.MsgspecError) as error:
                msg = f"{self.path}: not a list of tokens: {error}; make one with `bluke token add NAME`"
                raise ConfigError(msg) from None
            self._stamp = stamp
        return self._entries

    def identify(self, token: str) -> Identity | None:
        """Who has this token; every entry is compared, each in constant time."""
        wanted = hash_token(token)
        found = None
        for entry in self.load():
            if hmac.compare_digest(entry.sha256, wanted):
                found = Identity(entry.name, operator=entry.operator)
        return found

    def add(self, name: str, *, operator: bool = False) -> str:
        """Add a token for `name` and return it: it is shown once and kept nowhere.

        Raises:
            ConfigError: there is one for that name.
        """
        entries = self.load()
        if any(entry.name == name for entry in entries):
            msg = f"{self.path}: there is a token for {name!r}; `bluke token revoke` it first"
            raise ConfigError(msg)
        token = new_token()
        self._save([*entries, Entry(name, hash_token(token), datetime.now(UTC), operator)])
        return token

    def revoke(self, name: str) -> None:
        """Take the token of `name` away.

        Raises:
            ConfigError: there is none.
        """
        entries = self.load()
        kept = [entry for entry in entries if entry.name != name]
        if len(kept) == len(entries):
            msg = f"{self.path}: there is no token for {name!r}; `bluke token list` shows those there are"
            raise ConfigError(msg)
        self._save(kept)

    def _save(self, entries: list[Entry]) -> None:
        data = msgspec.json.format(msgspec.json.encode(entries), indent=1) + b"\n"
        draft = self.path.with_name(self.path.name + ".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft.touch(mode=0o600)
            draft.write_bytes(data)
            draft.replace(self.path)
        except OSError as error:
            msg = f"{self.path}: cannot be written: {error.strerror}"
            raise ConfigError(msg) from None
