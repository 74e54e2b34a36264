"""What can end `bluke_sdk.play` early; `bluke_sdk.run` turns each into a sentence and an exit code.

SdkError        1  something went wrong for good
  UnreachableError   1  no referee answered for too long
  RefusedError       2  the referee refused the hello
  SetupError    2  an argument or environment variable is missing or wrong
"""

from __future__ import annotations

__all__ = ["RefusedError", "SdkError", "SetupError", "UnreachableError"]


class SdkError(Exception):
    """The bot cannot go on; the text says why, for a person."""

    exit_code = 1


class UnreachableError(SdkError):
    """No referee answered for longer than the bot was told to try."""


class RefusedError(SdkError):
    """The referee refused the hello; the text is its own."""

    exit_code = 2


class SetupError(SdkError):
    """An argument or an environment variable is missing or wrong."""

    exit_code = 2
