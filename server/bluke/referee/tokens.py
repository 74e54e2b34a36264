"""Tokens: who may connect, kept as hashes only."""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated

import msgspec

from bluke.errors import ConfigError
from bluke.referee.bot import Identity

if TYPE_CHECKING:
    from collections.abc import Iterator
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
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    created: Annotated[datetime, msgspec.Meta(tz=True)]
    operator: bool = False


class TokenFile:
    """The tokens in one JSON file, read anew each time, so that revoking works at once.

    Its size and times would not do to tell whether it has changed: a file that is replaced twice within
    a tick of the clock can have the same of each.
    """

    def __init__(self, path: Path) -> None:
        """Name the file; it need not exist before the first token is added."""
        self.path = path
        self._draft = path.with_name(path.name + ".new")
        # What was read last, and what it said: decoding takes far longer than reading.
        self._data: bytes | None = None
        self._entries: list[Entry] = []

    def load(self) -> list[Entry]:
        """The entries of the file.

        Raises:
            ConfigError: it is there and cannot be read.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            msg = f"{self.path}: cannot be read: {error.strerror}"
            raise ConfigError(msg) from None
        if data != self._data:
            try:
                self._entries = msgspec.json.decode(data, type=list[Entry])
            # Deep nesting is a RecursionError, and what is not UTF-8 may be a UnicodeDecodeError.
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
                msg = f"{self.path}: not a list of tokens: {error}; make one with `bluke token add NAME`"
                raise ConfigError(msg) from None
            self._data = data
        return list(self._entries)

    def identify(self, token: str) -> Identity | None:
        """Who has this token; every entry is compared, each in constant time."""
        wanted = hash_token(token)
        found = None
        for entry in self.load():
            if hmac.compare_digest(entry.sha256, wanted):
                found = Identity(entry.name, operator=entry.operator, key=entry.sha256)
        return found

    def add(self, name: str, *, operator: bool = False) -> str:
        """Add a token for `name` and return it: it is shown once and kept nowhere.

        Raises:
            ConfigError: there is one for that name.
        """
        token = new_token()
        with self._changing() as entries:
            if any(entry.name == name for entry in entries):
                msg = f"{self.path}: there is a token for {name!r}; `bluke token revoke` it first"
                raise ConfigError(msg)
            entries.append(Entry(name, hash_token(token), datetime.now(UTC), operator))
        return token

    def revoke(self, name: str) -> None:
        """Take the token of `name` away.

        Raises:
            ConfigError: there is none.
        """
        if all(entry.name != name for entry in self.load()):
            msg = f"{self.path}: there is no token for {name!r}; `bluke token list` shows those there are"
            raise ConfigError(msg)
        with self._changing() as entries:
            entries[:] = [entry for entry in entries if entry.name != name]

    @contextmanager
    def _changing(self) -> Iterator[list[Entry]]:
        """The entries, to be changed; they are saved in the end.

        The draft keeps others out meanwhile: of two that change the file at once one would undo the other's
        change, and a revoked token would be back.

        Raises:
            ConfigError: the file is none, is being changed by somebody else, or cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._trouble(error) from None
        try:
            # Made anew, so that nobody else could read it before its mode was set.
            handle = os.open(self._draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            msg = f"{self._draft}: the tokens are being changed by another process; remove this file if there is none"
            raise ConfigError(msg) from None
        except OSError as error:
            raise self._trouble(error) from None
        try:
            with os.fdopen(handle, "wb") as draft:
                entries = self.load()
                yield entries
                draft.write(msgspec.json.format(msgspec.json.encode(entries), indent=1) + b"\n")
                draft.flush()
                os.fsync(draft.fileno())
            self._draft.replace(self.path)
        except BaseException as error:
            self._draft.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise self._trouble(error) from None
            raise

    def _trouble(self, error: OSError) -> ConfigError:
        return ConfigError(f"{self.path}: cannot be written: {error.strerror}")
