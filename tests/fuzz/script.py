"""Bytes read as decisions, so that one target serves hypothesis, atheris and a file of a corpus alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

#: Numbers that somebody may have forgotten, all of them fit for a field of the protocol.
NUMBERS = (0, 1, 2, 3, 5, 12, 13, 51, 52, 53, 54, 55, 127, 128, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
LONG_NUMBERS = (*NUMBERS, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1)
TEXTS = ("", "a", "\0", "\n", "\x1b[31m", "\u202e", "é" * 40, "\U0001f0cf", "x" * 3000, "9H", "LO", "{}", "../x")
#: What files may hold besides: numbers that no field has room for, and words with a meaning.
WORDS = ("AS", "LO", "H", "referee", "void", "complete", "forfeited", "strict", "player", "2030-01-01T00:00:00Z", "00")
EVERY_NUMBER = (-1, -(2**31), -(2**63), *LONG_NUMBERS, 2**64, 10**30, 16**5000, 0.5, -0.0, 1e300)


class Script:
    """Reads decisions off bytes; when they are used up every decision is the first one."""

    def __init__(self, data: bytes) -> None:
        """Begin at the first byte."""
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def byte(self) -> int:
        """The next byte, 0 when there is none."""
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def one_in(self, times: int) -> bool:
        """Whether something that is to happen once in so many `times` happens."""
        return self.byte() % times == times - 1

    def pick(self, options: Sequence[T]) -> T:
        """One of at most 256 options."""
        return options[self.byte() % len(options)]

    def blob(self) -> bytes:
        """Up to 255 bytes as they are, their number first."""
        size = self.byte()
        self._at += size
        return self._data[self._at - size : self._at]

    def rest(self) -> bytes:
        """All that is left."""
        rest = self._data[self._at :]
        self._at = len(self._data)
        return rest

    def text(self) -> str:
        """Any text that the protocol can carry."""
        return self.blob().decode(errors="replace") if self.one_in(4) else self.pick(TEXTS)

    def number(self, *, near: int = 0) -> int:
        """A number of 32 bits without a sign; often one that is not far from `near`."""
        return self.pick(NUMBERS) if self.one_in(3) else max(0, near + self.pick((0, 0, 1, -1, 2)))

    def long_number(self, *, near: int = 0) -> int:
        """The same in 64 bits."""
        return self.pick(LONG_NUMBERS) if self.one_in(3) else max(0, near + self.pick((0, 0, 1, -1, 2)))

    def value(self, depth: int = 2) -> Any:  # noqa: PLR0911 - one a type
        """Anything that JSON or TOML can say."""
        match self.byte() % (9 if depth else 6):
            case 0:
                return None
            case 1:
                return self.one_in(2)
            case 2 | 3:
                return self.pick(EVERY_NUMBER)
            case 4:
                return self.pick(WORDS)
            case 5:
                return self.text()
            case 6 | 7:
                return [self.value(depth - 1) for _ in range(self.byte() % 4)]
            case _:
                return {self.text(): self.value(depth - 1) for _ in range(self.byte() % 3)}

    def edit(self, inside: Any) -> None:
        """Change one thing somewhere inside of a list or a dict."""
        while True:
            keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
            if not keys:
                return
            key = keys[self.byte() % len(keys)]
            if isinstance(inside[key], dict | list) and not self.one_in(3):
                inside = inside[key]
                continue
            match self.byte() % 6:
                case 0:
                    del inside[key]
                case 1 if isinstance(inside, list):
                    inside.insert(key, inside[key])
                case 1:
                    inside[self.text()] = self.value()
                case 2 if isinstance(inside[key], int):
                    inside[key] += self.pick((1, -1, 2))
                case 3:
                    other = keys[self.byte() % len(keys)]
                    inside[key], inside[other] = inside[other], inside[key]
                case _:
                    inside[key] = self.value()
            return
