"""The figures on the page are those of the measurements that there are."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from bluke.bench.cases import CASES
from bluke.bench.show import HEAD, goal_text

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "performance.md").read_text(encoding="utf-8")


def part(name):
    found = re.search(rf"<!-- measured: {name} -->\n(.*?)<!-- end: {name} -->", PAGE, re.DOTALL)
    assert found, f"docs/performance.md has no part {name}"
    rows = [line.strip("|").split(" | ") for line in found[1].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows]


def test_goals_of_the_table():
    """Every goal has its row, with what is wanted and a verdict by the median; figures without a goal have one too."""
    head, _, *rows = part("table")
    assert head == list(HEAD)
    wanted = [[f"{case.name} {goal.label}".strip(), goal_text(goal)] for case in CASES for goal in case.goals]
    assert [[row[0], row[4]] for row in rows] == wanted
    assert {row[5] for row in rows if row[4]} <= {"met", "missed"}
    assert {row[5] for row in rows if not row[4]} == {"shown"}


def test_measurements_explained():
    """Every measurement is explained on the page."""
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, re.MULTILINE) == [case.name for case in CASES]


def test_curve_drawn():
    """The drawing shows as many points as the table beside it has rows, for speed and for both waits."""
    rows = part("curve")[2:]
    drawing = ET.fromstring((DOCS / "performance.svg").read_text(encoding="utf-8"))
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}circle"))) == 3 * len(rows)
