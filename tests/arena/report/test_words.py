from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.arena.report.words import END, ISOLATE, outside, short


@pytest.mark.parametrize("text", ["mc", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "\N{CJK UNIFIED IDEOGRAPH-4E2D}", ""])
def test_usual_names(text: str):
    """What is written from the left stays as it is."""
    assert outside(text) == short(text, 9) == text


def test_names_from_the_right():
    """A name that is written from the right is kept from turning what is beside it, cut or not."""
    name = "\N{HEBREW LETTER ALEF}" * 30
    assert outside(name) == ISOLATE + name + END
    assert short(name, 9) == ISOLATE + name[:8] + "~" + END


@given(st.text())
def test_no_name_turns_the_line(text: str):
    """No character that turns the direction of writing, moves the cursor or ends the line is left as itself."""
    shown = outside(text).removeprefix(ISOLATE).removesuffix(END)
    assert shown.isprintable() or not shown
