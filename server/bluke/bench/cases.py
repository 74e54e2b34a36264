"""What is measured: for each measurement one pair of itself and its control, and what is wanted of it."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from bluke.bench.ladder import play_ladder
from bluke.bench.moves import beside_open_spiel
from bluke.bench.runs import command, empty, host, lists, measure, need_files, pingpong, programs, referee, warm_up
from bluke.bench.verdict import Goal
from bluke.errors import ArenaError
from bluke.replay.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from bluke.bench.effort import Bench
    from bluke.bench.runs import Figures
    from bluke.bench.verdict import Pair

__all__ = ["CASES", "Case"]

T = TypeVar("T")
S = TypeVar("S")

#: Bots that are connected and do nothing.
IDLE = 1000
#: Games at once where it says many.
GAMES = 64


@dataclass(frozen=True, slots=True)
class Case:
    """One measurement.

    Attributes:
        name: what it is chosen by.
        what: what is measured.
        control: what it is held against, in the same pair.
        pair: makes a pair; with True the control comes first.
        goals: what is wanted.
        needs: a module that is no dependency, without which it is left out; empty for none.
    """

    name: str
    what: str
    control: str
    pair: Callable[[Bench, bool], Pair]
    goals: tuple[Goal, ...]
    needs: str = ""


def _in_turn(flip: bool, ours: Callable[[], T], control: Callable[[], S]) -> tuple[T, S]:  # noqa: FBT001 - see `Case.pair`
    """Both, in the order that is due: what drifts favours neither then."""
    if flip:
        second = control()
        return ours(), second
    first = ours()
    return first, control()


def _against_pingpong(bench: Bench, games: int, *, flip: bool) -> Pair:
    seconds = bench.effort.seconds
    ours, bare = _in_turn(flip, lambda: referee(4, games, seconds), lambda: pingpong(seconds))
    return {
        "rate": ours.rate,
        "pingpong": bare.rate,
        "ratio": ours.rate / bare.rate,
        "server_us": ours.server_us,
        "pingpong_server_us": bare.server_us,
        "batch": ours.batch,
        "p50_ms": ours.p50,
        "p99_ms": ours.p99,
    }


def _against_both(bench: Bench, flip: bool) -> Pair:  # noqa: FBT001 - see `Case.pair`
    """Many games beside one question in flight, and beside as many of them in lists."""
    pair, bare = _in_turn(
        flip, lambda: _against_pingpong(bench, GAMES, flip=flip), lambda: lists(GAMES, bench.effort.seconds)
    )
    beside = {"lists": bare.rate, "lists_ratio": pair["rate"] / bare.rate, "lists_batch": bare.batch}
    return {**pair, **beside, "lists_server_us": bare.server_us}


def _rules(bench: Bench, flip: bool) -> Pair:  # noqa: FBT001 - see `Case.pair`
    rates = beside_open_spiel(bench.effort.deals, theirs_first=flip)
    ours = rates.pop("ours")
    ratios = {f"{name}_ratio": ours / rate for name, rate in rates.items()}
    return {"rate": ours, **rates, **ratios}


def _ladder(bench: Bench, flip: bool) -> Pair:  # noqa: FBT001 - see `Case.pair`
    effort = bench.effort
    ours, bare = _in_turn(flip, lambda: play_ladder(bench.folder, effort.boards), lambda: pingpong(effort.seconds))
    return {**ours, "pingpong": bare.rate, "ratio": ours["rate"] / bare.rate}


def _idle(bench: Bench, flip: bool) -> Pair:  # noqa: FBT001 - see `Case.pair`
    seconds = bench.effort.idle_seconds
    need_files(2 * IDLE)

    def crowd() -> tuple[float, float]:
        with host(IDLE, 0) as (server, told), programs("idle", told["address"], *told["tokens"]) as bots:
            until = time.monotonic() + 120
            while (there := bots.ask("connected")) < IDLE:
                if time.monotonic() > until:
                    raise ArenaError(f"only {there} of {IDLE} idle bots were welcomed within two minutes")
                time.sleep(0.25)
            before = server.cpu_seconds()
            time.sleep(seconds)
            return server.memory_mib(), (server.cpu_seconds() - before) / seconds * 100

    def nobody() -> tuple[float, float]:
        with empty() as (server, _):
            before = server.cpu_seconds()
            time.sleep(min(seconds, 3.0))
            return server.memory_mib(), (server.cpu_seconds() - before) / min(seconds, 3.0) * 100

    (memory, cpu), (bare_memory, bare_cpu) = _in_turn(flip, crowd, nobody)
    return {
        "mib": memory,
        "empty_mib": bare_memory,
        "mib_over": memory - bare_memory,
        "core": cpu,
        "empty_core": bare_cpu,
        "core_over": cpu - bare_cpu,
    }


def _growth(bench: Bench, flip: bool) -> Pair:  # noqa: FBT001 - see `Case.pair`
    order = (1, 8, 64, 256, 1000)
    us = {games: referee(4, games, bench.effort.seconds).server_us for games in (order[::-1] if flip else order)}
    figures = {f"server_us_{games}": us[games] for games in order}
    return {**figures, "most_us": max(us[256], us[1000]), "ratio": max(us[256], us[1000]) / us[64]}


def _started(bench: Bench, flip: bool) -> Pair:  # noqa: FBT001 - see `Case.pair`
    replay = str(bench.replays[0])
    starts: dict[str, Callable[[], float]] = {
        "bare": _bare_python,
        "help": lambda: command("--help", folder=bench.folder)[1],
        "verify": lambda: command("replay", "verify", replay, folder=bench.folder)[1],
    }
    order = list(starts) if flip else list(starts)[::-1]
    took: Pair = dict.fromkeys(starts, float("inf"))
    for _ in range(bench.effort.starts):
        for name in order:
            took[name] = min(took[name], starts[name]())
    return took


def _bare_python() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - began


def _verified(bench: Bench, flip: bool) -> Pair:  # noqa: ARG001, FBT001 - see `Case.pair`
    files = bench.replays
    verify(files[0])  # what is loaded and compiled once is no game's
    began = time.process_time()
    wrong = [verdict for verdict in map(verify, files) if not verdict.ok]
    seconds = time.process_time() - began
    if wrong:
        raise ArenaError(f"a replay that was just played is wrong: {wrong[0]}")
    return {"games": len(files) / seconds}


def _sdk(bench: Bench, flip: bool) -> Pair:  # noqa: FBT001 - see `Case.pair`
    seconds = bench.effort.seconds
    sdk, plain = _in_turn(
        flip, lambda: referee(4, GAMES, seconds, client="sdk_bot"), lambda: referee(4, GAMES, seconds)
    )
    return {
        "sdk_us": sdk.client_us,
        "client_us": plain.client_us,
        "over_us": sdk.client_us - plain.client_us,
        "sdk_rate": sdk.rate,
        "client_rate": plain.rate,
    }


def _jobs(bench: Bench, flip: bool) -> Pair:  # noqa: FBT001 - see `Case.pair`
    def together(processes: int) -> list[Figures]:
        with ExitStack() as stack:
            hosts = [stack.enter_context(host(4, GAMES)) for _ in range(processes)]
            return measure(hosts, warm=warm_up(GAMES), seconds=bench.effort.seconds)

    two, one = _in_turn(flip, lambda: together(2), lambda: together(1))
    rate = sum(figures.rate for figures in two)
    return {"rate": rate, "one": one[0].rate, "ratio": rate / one[0].rate}


CASES = (
    Case(
        "one-game",
        "one game, one question in flight, with all that the referee does: views, clocks, legality, log",
        "a bare grpc.aio ping-pong with the same loop, client and size of message",
        lambda bench, flip: _against_pingpong(bench, 1, flip=flip),
        (Goal("ratio", 0.90, measured="rate", control="pingpong"),),
    ),
    Case(
        "64-games",
        "64 games on four streams",
        "the ping-pong; and, where it says lists, 64 questions on four bare streams, in lists, without a game",
        _against_both,
        (
            Goal("ratio", 12, measured="rate", control="pingpong", stretch=18),
            Goal("server_us", 40, most=True, label="CPU", control="pingpong_server_us"),
            Goal("lists_ratio", None, label="lists", measured="rate", control="lists"),
        ),
    ),
    Case(
        "rules",
        "validated moves of the rules engine, by CPU time",
        "OpenSpiel's oh_hell driven from Python: with its chance nodes driven as documented, as cheaply as can be, or, "
        "where it says decisions, not counted at all",
        _rules,
        tuple(
            Goal(f"{name}_ratio", 3, label=f"chance {name}", measured="rate", control=name)
            for name in ("documented", "cheapest", "decisions")
        ),
        needs="pyspiel",
    ),
    Case(
        "ladder",
        "a whole ladder of 128 tables, four processes of the Python bot `rule`, all logged, and verified afterwards",
        "the ping-pong",
        _ladder,
        (Goal("ratio", 5, measured="rate", control="pingpong"),),
    ),
    Case(
        "idle",
        f"{IDLE:,} connected bots that do nothing",
        "an empty grpc.aio server without connections, whose memory and CPU are taken off",
        _idle,
        (
            Goal("mib_over", 100, most=True, label="memory", measured="mib", control="empty_mib"),
            Goal("core_over", 2, most=True, label="CPU", measured="core", control="empty_core"),
        ),
    ),
    Case(
        "growth",
        "server CPU for a decision at 256 and at 1,000 tables, the larger one",
        "at 64 tables",
        _growth,
        (Goal("ratio", 1.2, most=True, measured="most_us", control="server_us_64"),),
    ),
    Case(
        "start",
        "`bluke --help`, and `bluke replay verify` of one game, from start to end",
        "`python -c pass`",
        _started,
        (
            Goal("help", 0.4, most=True, label="--help", control="bare"),
            Goal("verify", 0.6, most=True, label="verify", control="bare"),
        ),
    ),
    Case(
        "verify",
        "games verified a second on one core, by CPU time",
        "",
        _verified,
        (Goal("games", 100),),
    ),
    Case(
        "sdk",
        "the Python SDK's own CPU time for a decision at 64 games: a bot with the first legal answer to everything",
        "the bench client, which parses and answers itself; its time is taken off",
        _sdk,
        (Goal("over_us", 25, most=True, measured="sdk_us", control="client_us"),),
    ),
    Case(
        "jobs",
        "two referees with 64 games each, and a quick client for each of them",
        "one referee with 64 games and its client",
        _jobs,
        (Goal("ratio", 1.4, measured="rate", control="one"),),
    ),
)
