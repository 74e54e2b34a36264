"""The page on reliability shows what the tests hold the bad bots against."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from bad_bot import BEHAVIOURS
from faults.cases import CASES, STARTS, page_table
from faults.house import BAD, ROOT

PAGE = ROOT / "docs" / "reliability.md"
PART = re.compile(r"(?<=<!-- generated: bad bots -->\n\n).*?(?=\n<!-- end: bad bots -->)", re.DOTALL)


def test_every_behaviour_is_a_case():
    """Nothing that the bad bot can do goes untested."""
    assert [*STARTS, *CASES] == list(BEHAVIOURS)


def test_the_list():
    """The program names all that it can do."""
    listed = subprocess.run([sys.executable, BAD, "--list"], capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(BEHAVIOURS)


def test_the_table():
    """The table is that of the cases; `UPDATE_GOLDEN=1` writes it anew."""
    text = PAGE.read_text(encoding="utf-8")
    found = PART.search(text)
    assert found is not None
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(PART.sub(page_table(), text), encoding="utf-8")
    else:
        assert found[0] == page_table()
