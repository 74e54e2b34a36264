"""How numbers are written on the page: in one place, so that the same number looks the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "NOTHING",
    "UNKNOWN",
    "axis",
    "counted",
    "decimal",
    "gap",
    "ms",
    "probability",
    "share",
    "span",
    "took",
    "when",
    "whole",
]

#: Instead of a figure that the games do not give.
NOTHING = "not enough data"
#: Instead of something that the record does not say.
UNKNOWN = "not recorded"
MINUS = "\N{MINUS SIGN}"


def decimal(value: float | None, digits: int = 1, *, sign: bool = False) -> str:
    """A number with its decimals; zero has no sign."""
    if value is None:
        return NOTHING
    text = f"{abs(value):,.{digits}f}"
    if not text.strip("0.,"):
        return text
    return (MINUS if value < 0 else "+" if sign else "") + text


def whole(value: int) -> str:
    """A count."""
    return decimal(value, 0)


def span(low: float | None, high: float | None, digits: int = 1) -> str:
    """An interval by its ends."""
    return NOTHING if low is None or high is None else f"{decimal(low, digits)} to {decimal(high, digits)}"


def gap(value: float) -> str:
    """How far somebody is ahead, in words."""
    text = decimal(abs(value))
    return "level" if text == "0.0" else f"{text} {'ahead' if value > 0 else 'behind'}"


def share(part: float, of: float) -> str:
    """A part of a whole, in percent."""
    return f"{100 * part / of:.0f}%" if of else NOTHING


def probability(value: float | None) -> str:
    """A probability to three digits; what is not quite certain is not written as if it were."""
    if value is None:
        return NOTHING
    return ">0.999" if value >= 0.9995 else "<0.001" if value < 0.0005 else f"{value:.3f}"


def ms(value: float | None) -> str:
    """A time in milliseconds, to three digits."""
    if value is None:
        return NOTHING
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def axis(value: float) -> str:
    """A value on a scale, with the decimals that it has."""
    text = f"{abs(value):,.6f}".rstrip("0").rstrip(".")
    return (MINUS if value < 0 else "") + text


def counted(number: int, what: str) -> str:
    """So many of something."""
    return f"{whole(number)} {what}{'' if number == 1 else 's'}"


def when(moment: datetime) -> str:
    """A moment to the minute."""
    return f"{moment.day} {moment:%B %Y, %H:%M} {moment.tzname() or ''}".strip()


def took(seconds: float) -> str:
    """How long something took, in its two largest units."""
    total = max(0, round(seconds))
    parts = [(total // 86_400, "d"), (total // 3600 % 24, "h"), (total // 60 % 60, "min"), (total % 60, "s")]
    first = next((at for at, (number, _) in enumerate(parts) if number), len(parts) - 1)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2] if number) or "under 1 s"
