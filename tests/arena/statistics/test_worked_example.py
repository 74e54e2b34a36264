from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

import pytest
from arena.statistics.games import board, pair, score

from bluke.arena.statistics.estimates import estimate_all

PAGE = (Path(__file__).parents[3] / "docs" / "statistics.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## A worked example\n")[2].partition("\n## ")[0]
PROGRAM, OUTPUT = (
    re.findall(rf"^```{kind}\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)[0] for kind in ("python", "text")
)


def test_the_example_runs():
    """The program of the page prints what the page says."""
    found = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", PROGRAM], check=True, capture_output=True, text=True, encoding="utf-8"
    )
    assert found.stdout == OUTPUT


def test_the_example_is_what_the_standings_say():
    """Its points, differences and probabilities are those of the standings, and its ratings but for the resampling."""
    space: dict[str, list] = {}
    exec(PROGRAM.partition("n = len(deals)")[0], space)
    games = [game for number, (lineup, *points) in enumerate(space["deals"]) for game in board(number, lineup, *points)]
    found = estimate_all(games)
    lines = dict.fromkeys(OUTPUT.splitlines())
    for bot in "abc":
        points = score(found, bot).points
        assert f"{bot}: {points.mean:.2f} ±{points.margin:.2f} points a game" in lines
        said = re.search(rf"^{bot}: ([\d.]+) ±(\d+) rating$", OUTPUT, re.MULTILINE)
        assert said is not None
        rating = score(found, bot).rating
        assert rating is not None
        assert rating.mean == pytest.approx(float(said[1]), abs=0.05)
        assert rating.margin == pytest.approx(float(said[2]), rel=0.02)
        assert f"{rating.margin:.0f}" in SECTION.partition("Their margins of ratings")[2]
    for bot, other in ("ab", "ac", "bc"):
        two = pair(found, bot, other)
        assert two.points is not None
        mean, margin = astuple(two.points)
        better = two.better
        assert better is not None
        if two.bot != bot:
            mean, better = -mean, 1 - better
        assert f"{bot} - {other}: {mean:.2f} ±{margin:.2f}, P = {better:.3f}" in lines
    assert not any(two.surely for two in found.pairs)
