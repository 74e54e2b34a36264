from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from arena.store.written import boards, run_record, write_run

from bluke.arena.record import DecisionTimes
from bluke.arena.store import rebuild
from bluke.arena.store.schema import VERSION, metadata
from bluke.wire.values import FaultKind

PAGE = (Path(__file__).parents[3] / "docs" / "store.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)


def test_every_column_is_on_the_page():
    """docs/store.md has each table with exactly the columns that it has, and names the form."""
    assert f"\nForm {VERSION}. " in PAGE
    for table in metadata.sorted_tables:
        told = PAGE.partition(f"\n`{table.name}`: one row")[2].partition("\n\n`")[0].partition("\n\nThere are")[0]
        names = {column.name for column in table.columns}
        listed = [line.split("|")[1] for line in told.splitlines() if line.startswith("| `")]
        assert set(re.findall(r"`(\w+)`", " ".join(listed) or told)) == names, table.name


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_the_queries_of_the_page(tmp_path: Path, number: int):
    """Each ready question is answered with rows, by a store that has what it asks about."""
    assert len(QUERIES) == 6
    games = boards(
        bots=["mc", "rule"],
        faults=[(1, FaultKind.TIMEOUT)],
        outcomes=[(1, 1, 1), (0, 2, 1)],
        times_ms=[[1500.0, 1.0], [2.0]],
    )
    write_run(tmp_path / "runs" / "r", run_record(digests={"mc": "x"}), games)
    rebuild(tmp_path / "runs")
    connection = sqlite3.connect(tmp_path / "runs" / "store.sqlite")
    try:
        found = connection.execute(QUERIES[number]).fetchall()
    finally:
        connection.close()
    assert found
    assert all(None not in row for row in found)


def test_the_class_of_a_second():
    """The page names the first class of times that are longer than a second."""
    (step,) = map(int, re.findall(r"more than about a second \(class (\d+)\)", PAGE))
    assert DecisionTimes([(step - 1, 1)]).quantile(1) < 1000 < DecisionTimes([(step, 1)]).quantile(1)  # type: ignore[operator]
