from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.replay.render import Piece
from bluke.replay.stepper.lines import cut, pad, wrapped
from bluke.replay.text import visible, width

TEXT = st.text(max_size=60).map(lambda text: "\n".join(map(visible, text.split("\n"))))
WIDE = st.sampled_from(["日本", "e\u0301", "a b", "word", "  ", "—", "שלום"])


@given(text=st.one_of(TEXT, st.lists(WIDE).map(" ".join)), columns=st.integers(2, 30))
def test_wrapped_text(text, columns):
    """No line is too wide, and nothing but spaces and line ends is lost."""
    lines = wrapped(text, columns)
    assert lines
    assert all(width(line) <= columns for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace("\n", "").replace(" ", "")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("one two three", ["one two", "three"]),
        ("one\ntwo", ["one", "two"]),
        ("abcdefghijk lm", ["abcdefgh", "ijk lm"]),
        ("日本日本日本", ["日本日本", "日本"]),
    ],
)
def test_wrapped_examples(text, lines):
    """Lines are broken at spaces, and within a word only if it is too long."""
    assert wrapped(text, 8) == lines


@given(texts=st.lists(st.one_of(TEXT.map(visible), WIDE), max_size=5), columns=st.integers(0, 40))
def test_cut_rows(texts, columns):
    """A row that fits is as it was; another is cut to the width and says so at its end."""
    row = tuple(Piece(text) for text in texts)
    after = "".join(piece.text for piece in cut(row, columns))
    whole = "".join(texts)
    assert width(after) <= columns
    if width(whole) <= columns:
        assert after == whole
    elif columns > 0:
        assert after.endswith("~")
        assert whole.startswith(after[:-1])


def test_padded_text():
    """Characters that are two columns wide count as such."""
    assert pad("日本", 6) == "日本  "
