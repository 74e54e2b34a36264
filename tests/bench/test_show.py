from __future__ import annotations

import json
import re

import msgspec
import pytest
from bench.results import AT, made

from bluke.bench.cases import CASES
from bluke.bench.show import as_data, as_markdown, as_text, figure
from bluke.bench.verdict import Goal

RATIO = Goal("ratio", 12, measured="rate", control="pingpong", stretch=18)
CPU = Goal("server_us", 40, most=True, label="CPU", control="pingpong_server_us")
BESIDE = Goal("ratio", None, label="beside", measured="rate", control="pingpong")
PAIRS = [
    {"rate": 30000.0 + n, "pingpong": 2000.0, "ratio": 15.0 + n / 100, "server_us": 41.0, "pingpong_server_us": 250.0}
    for n in range(7)
]
LEFT_OUT = made(goals=(RATIO,), left_out="it is not installed")


def test_text():
    """The conditions, a row for each goal with medians and ends, what the rows are, and what was left out."""
    lines = as_text(AT, [made(*PAIRS, goals=(RATIO, CPU)), LEFT_OUT], quick=False)
    cells = [re.split(" {2,}", line) for line in lines[4:7]]
    assert cells == [
        ["", "measured", "control", "ratio or difference", "goal", "verdict"],
        [
            *("name", "30,003/s (30,000 to 30,006)", "2,000/s (2,000 to 2,000)"),
            *("15.03 (15.00 to 15.06)", "at least 12.00 (better 18.00)", "met"),
        ],
        ["name CPU", "41.0 us (41.0 to 41.0)", "250.0 us (250.0 to 250.0)", "at most 40.0 us", "missed"],
    ]
    assert lines[4].index("verdict") == lines[5].index("met") == lines[6].index("missed")
    assert lines[:4] + lines[7:] == [
        "2026-01-15 10:15 UTC, a processor, 2 cores, 4,096 MiB, a system",
        "CPython 3.11.7, grpcio 1.78.0, protobuf 6.33.0, no uvloop; load average at the start 0.10, 0.25, 0.50",
        "median of 7 pairs, and the least and the most in parentheses",
        "",
        "",
        "name: what it is; control: the other",
        "name: what it is; control: the other",
        "name was left out: it is not installed",
    ]


def test_text_of_a_quick_look():
    """A look says that it is none, and no row has a verdict."""
    lines = as_text(AT, [made(*PAIRS, goals=(RATIO,))], quick=True)
    assert "a quick look, no verdict: that takes 7 pairs, and no --quick" in lines
    assert lines[6].endswith("no verdict")


def test_text_without_a_goal():
    """A figure that is only shown has its row, with nothing where others have their goal."""
    (row,) = [line for line in as_text(AT, [made(*PAIRS, goals=(BESIDE,))], quick=False) if "beside" in line]
    assert re.split(" {2,}", row)[3:] == ["15.03 (15.00 to 15.06)", "shown"]


def test_markdown():
    """The same as a table of Markdown, whose rows all have as many cells."""
    lines = as_markdown(AT, [made(*PAIRS, goals=(RATIO, CPU)), LEFT_OUT], quick=False)
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 4
    assert {line.count("|") for line in rows} == {7}
    assert rows[2].endswith("| 15.03 (15.00 to 15.06) | at least 12.00 (better 18.00) | met |")
    assert lines[-1] == "`name` was left out: it is not installed"


def test_data():
    """Programs get all pairs, the medians, and where it was measured."""
    data = json.loads(msgspec.json.encode(as_data(AT, [made(*PAIRS, goals=(RATIO,)), LEFT_OUT], quick=False)))
    first, second = data["cases"]
    assert first["pairs"] == PAIRS
    assert first["goals"] == [
        {
            "figure": "ratio",
            "label": "",
            "at_least": 12,
            "spread": {"median": 15.03, "least": 15.0, "most": 15.06},
            "verdict": "met",
        }
    ]
    assert second["goals"][0]["spread"] is None
    assert (data["machine"]["cores"], data["load"], data["quick"]) == (2, [0.1, 0.25, 0.5], False)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("ratio", "1,234.57"),
        ("documented_ratio", "1,234.57"),
        ("server_us_64", "1,234.6 us"),
        ("mib_over", "1,235 MiB"),
        ("core", "1,234.6% of a core"),
        ("help", "1,234.57 s"),
        ("pingpong", "1,235/s"),
        ("rate", "1,235/s"),
    ],
)
def test_figure(key: str, text: str):
    """The end of a key says how its figure is written."""
    assert figure(key, 1234.567) == text


def test_names_of_cases():
    """Measurements are told apart by their names."""
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
