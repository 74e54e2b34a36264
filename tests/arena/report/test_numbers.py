from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bluke.arena.report import numbers


@pytest.mark.parametrize(
    ("value", "digits", "sign", "text"),
    [
        (1234.56, 1, False, "1,234.6"),
        (-0.04, 1, True, "0.0"),
        (-0.06, 1, True, "\N{MINUS SIGN}0.1"),
        (3, 2, True, "+3.00"),
        (100, 0, False, "100"),
        (None, 1, False, "not enough data"),
    ],
)
def test_decimal(value: float | None, digits: int, sign: bool, text: str):
    """A number has its decimals, commas and a true minus; what rounds to zero has no sign; nothing is said to be so."""
    assert numbers.decimal(value, digits, sign=sign) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.500"), (0.99949, "0.999"), (0.9996, ">0.999"), (1, ">0.999"), (0.0004, "<0.001"), (0.0006, "0.001")],
)
def test_probability(value: float, text: str):
    """No estimate is written as certainty."""
    assert numbers.probability(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.123, "0.12"), (9.96, "10.0"), (123.4, "123"), (12345.0, "12,345"), (None, numbers.NOTHING)]
)
def test_milliseconds(value: float | None, text: str):
    """Times have about three digits."""
    assert numbers.ms(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "under 1 s"), (59, "59 s"), (60, "1 min"), (7385, "2 h 3 min"), (90_061, "1 d 1 h"), (-5, "under 1 s")],
)
def test_took(seconds: float, text: str):
    """A length of time is told in its two largest units."""
    assert numbers.took(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"), [(3.04, "3.0 ahead"), (-12.5, "12.5 behind"), (0.04, "level"), (-0.04, "level")]
)
def test_gap(value: float, text: str):
    """A lead is told in words, and one that is written as zero is none."""
    assert numbers.gap(value) == text


def test_the_small_ones():
    """Shares of nothing, intervals without ends, counts, ticks and moments."""
    assert numbers.share(1, 0) == numbers.span(None, 3) == numbers.NOTHING
    assert numbers.share(1, 3) == "33%"
    assert numbers.span(-1, 2.25, 2) == "\N{MINUS SIGN}1.00 to 2.25"
    assert numbers.counted(1, "game") == "1 game"
    assert numbers.counted(1200, "game") == "1,200 games"
    assert [numbers.axis(value) for value in (0.1 + 0.2, -1000, 0.0)] == ["0.3", "\N{MINUS SIGN}1,000", "0"]
    assert numbers.when(datetime(2026, 1, 5, 7, 8, tzinfo=UTC)) == "5 January 2026, 07:08 UTC"
