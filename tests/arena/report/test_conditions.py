from __future__ import annotations

from typing import Any

import msgspec
import pytest
from arena.report.hands import end_of, facts, page_of, played, run_of

from bluke.arena.config import ArenaConfig, BotConfig
from bluke.arena.machine import Machine
from bluke.arena.report.conditions import Conditions, conditions_of
from bluke.wire.values import Status

MACHINE = Machine(
    cpu="Fast 3000", cores=8, memory_mb=16384, os="Linux 6", python="CPython 3.13.1", packages={"grpcio": "1.78.0"}
)
GAMES = [played(0, "ab", (1, [(1, 1), (1, 0)])), played(0, "ba", (1, [(1, 1), (1, 0)]), number=1)]


def config_of(**values: Any) -> dict[str, Any]:
    bots = [BotConfig(name="a", command="x"), BotConfig(name="b", command="x", fresh=True)]
    config: dict[str, Any] = msgspec.to_builtins(ArenaConfig(bots=bots, seats=2, **values))
    return config


def test_a_recorded_run():
    """Everything that a reader must know to believe or repeat it comes from the record."""
    run = run_of("ab", config=config_of(tables=3), machine=MACHINE)
    told = facts(page_of(run, GAMES, end_of()))
    assert told["begun"] == "15 January 2026, 10:15 UTC"
    assert told["ended"] == "15 January 2026, 12:18 UTC, after 2 h 3 min"
    assert told["games"] == "2 of 2, on 1 board"
    assert told["forfeits"] == "0 boards with a forfeited game, 0 with a seat that the referee played out"
    assert told["rules"] == "standard"
    assert told["clock"] == "2,000 ms a decision, and a bank of 1 min a game"
    assert (
        told["fault policy"]
        == "lenient: the referee makes a fixed legal move; a seat with 3 faults is played out by it"
    )
    assert told["isolation"] == "limits; 2,048 MiB of memory each; a new process for each game: b"
    assert told["games at once"] == "up to 3"
    assert told["machine"] == "Fast 3000, 8 cores, 16.0 GiB of memory"
    assert told["system"] == "Linux 6"
    assert told["versions"] == "CPython 3.13.1, grpcio 1.78.0"
    assert told["referee"] == "bluke-arena 9.9"
    assert told["seed"] == "c0ffee"
    assert "docs/statistics.md" in told["method"]


def test_the_seed_of_a_run_that_is_not_complete():
    """As long as cards may still be dealt from it the seed is a secret, and the page has none to tell."""
    secret = "a secret until the run is complete: whoever knows it knows all cards"
    assert facts(page_of(run_of("ab"), GAMES))["seed"] == secret
    assert facts(page_of(run_of("ab"), GAMES, end_of("stopped", None)))["seed"] == secret


def test_what_is_not_recorded():
    """An old record, or one of bots that came as they liked, is told to lack what it lacks."""
    told = facts(page_of(run_of("ab", config=None), GAMES))
    wanted = ("schedule", "rules", "clock", "fault policy", "isolation", "games at once", "machine")
    assert {told[term] for term in wanted} == {"not recorded"}
    assert "ended" not in told


@pytest.mark.parametrize("config", [{"clock": 7}, {"bots": "all"}, {"rules": []}, {"clock": {"timed": True}}])
def test_a_configuration_that_is_none(config: dict[str, Any]):
    """A record from anywhere may hold anything; what is no configuration of ours is as good as none."""
    assert conditions_of(run_of("ab", config=config)) == Conditions()


def test_other_conditions():
    """Strict faults, no clock, options of the rules, and forfeits are told in their words."""
    config = config_of()
    config["rules"] |= {"variant": "new_jersey", "max_hand": 3}
    config["clock"] |= {"timed": False}
    config["faults"] |= {"policy": "strict"}
    config["bots"][0]["isolation"] = "bwrap"
    config |= {"schedule": "gauntlet", "rotations": "all", "challenger": "a"}
    games = [
        *GAMES,
        played(1, "ab", totals=[0, 0], status=Status.FORFEITED),
        played(2, "ab", totals=[1, 2], played_out=[0]),
    ]
    page = page_of(run_of("ab", config=config, boards=3, board=None), games, end_of("failed", None))
    told = facts(page)
    assert told["rules"] == "new_jersey, max_hand = 3"
    assert told["clock"] == "none; no decision may take longer than 10 min"
    assert told["fault policy"] == "strict: the first fault ends the game"
    assert "; a: bwrap; " in told["isolation"]
    assert told["forfeits"] == "1 board with a forfeited game, 1 with a seat that the referee played out"
    assert told["games"] == "4 of 6, on 3 boards"
    assert told["schedule"] == "gauntlet of a, all rotations of the seats"
    assert page.facts[:2] == ("failed before its end", "gauntlet of a")


def test_one_board():
    """A run that is narrowed to one board says so."""
    assert (
        facts(page_of(run_of("ab", board=5), GAMES))["games"] == "2 of 2, on 1 board, of which only board 5 is played"
    )
