from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bluke.arena.machine import Machine
from bluke.bench.cases import Case
from bluke.bench.curve import Point
from bluke.bench.show import Conditions, Result

if TYPE_CHECKING:
    from bluke.bench.verdict import Goal

MACHINE = Machine(
    cpu="a processor",
    cores=2,
    memory_mb=4096,
    os="a system",
    python="CPython 3.11.7",
    packages={"grpcio": "1.78.0", "protobuf": "6.33.0"},
)
AT = Conditions(MACHINE, datetime(2026, 1, 15, 10, 15, tzinfo=UTC), (0.1, 0.25, 0.5))


def made(*pairs: dict[str, float], goals: tuple[Goal, ...], left_out: str = "") -> Result:
    case = Case("name", "what it is", "the other", lambda _bench, _flip: pairs[0], goals)
    return Result(case, pairs, left_out)


def point(tables: int, seats: int, **values: float) -> Point:
    figures = {"rate": 1000.0, "p50": 1.5, "p99": 20.0, "server_us": 30.0, "batch": 8.0, **values}
    wrong = {name: int(figures.pop(name, 0)) for name in ("timeouts", "excused")}
    return Point(tables=tables, seats=seats, **figures, **wrong)  # type: ignore[arg-type]
