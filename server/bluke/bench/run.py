"""Measures what was chosen, pair by pair."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bluke.bench.effort import Bench
from bluke.bench.show import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bluke.bench.cases import Case
    from bluke.bench.effort import Effort

__all__ = ["run_cases"]


def run_cases(cases: Sequence[Case], effort: Effort, pairs: int, tell: Callable[[str], None]) -> list[Result]:
    """Measure so many pairs of each case; `tell` hears what is being done.

    Raises:
        ArenaError: a measurement failed.
    """
    results = []
    with tempfile.TemporaryDirectory(prefix="bluke-bench-") as folder:
        bench = Bench(Path(folder), effort)
        for case in cases:
            if case.needs and find_spec(case.needs) is None:
                results.append(
                    Result(
                        case,
                        left_out=f"{case.needs} is not installed; `make bench` installs it, or"
                        " pip install 'bluke-arena[bench]'",
                    )
                )
                continue
            measured = []
            for number in range(pairs):
                tell(f"{case.name}: pair {number + 1} of {pairs}")
                measured.append(case.pair(bench, number % 2 == 1))
            results.append(Result(case, tuple(measured)))
    return results
