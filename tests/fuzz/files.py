"""Targets: every file that a person can hand over, and the notation of cards."""

from __future__ import annotations

import copy
import json
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.play import folder, scratch
from fuzz.script import Script
from replay.recording import lines_of, record_game

import bluke_sdk
from bluke.arena.config import config_text, load_config, read_config
from bluke.arena.record import read_record
from bluke.errors import ArenaError, BlukeError, ConfigError, ReplayError
from bluke.referee.tokens import TokenFile, hash_token
from bluke.replay.reader import parse_replay, replay_game
from bluke.replay.render import plain, render
from bluke.replay.verify import verify_replay
from bluke.rules import Card, CutRule, Rules, Suit
from bluke.wire.values import GameLimits, Policy

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path("game.jsonl")


def check_words(error: BlukeError, path: Path) -> None:
    """A person is told which file is wrong."""
    assert str(error).startswith(str(path))


TOKEN = "known"


# Replays


def replay(data: bytes) -> None:
    """Bytes in place of a replay: a `ReplayError`, or something that can be shown, checked and played again."""
    try:
        found = parse_replay(data, HERE)
    except ReplayError as error:
        check_words(error, HERE)
        return
    assert plain(render(found))
    verdict = verify_replay(found)
    assert str(verdict).isprintable()
    if verdict.ok:
        assert replay_game(found).over == (found.end is not None and found.end.status.value == "complete")
    with suppress(ReplayError):
        replay_game(found)


@cache
def games() -> list[list[dict[str, Any]]]:
    """Replays of several kinds, as lines."""
    at = Path(scratch().name)
    kinds: list[tuple[Rules, dict[str, Any]]] = [
        (Rules(2, hands=(2, 1)), {}),
        (Rules(3, hands=(2,)), {"fault_rate": 0.3, "seed": 3, "note": lambda *_: "hm"}),
        (Rules(2, hands=(2, 2), cut=CutRule.PLAYER), {"fault_rate": 0.2, "seed": 1}),
        (Rules(3, hands=(2, 2)), {"limits": GameLimits(policy=Policy.STRICT), "fault_rate": 0.1, "seed": 2}),
    ]
    return [
        lines_of(record_game(at, rules, game_id=f"game-{n}", **options).path)
        for n, (rules, options) in enumerate(kinds)
    ]


def replay_edits(data: bytes) -> None:
    """Real replays with wrong values in them; most are sealed again, so that not the hash alone gives them away."""
    script = Script(data)
    lines = copy.deepcopy(script.pick(games()))
    for _ in range(1 + script.byte() % 3):
        script.edit(lines)
    body = b"".join(in_json(line) + b"\n" for line in lines[:-1])
    if lines and isinstance(lines[-1], dict) and not script.one_in(4):
        lines[-1]["sha256"] = sha256(body).hexdigest()
    replay(body + b"".join(in_json(line) + b"\n" for line in lines[-1:]))


# arena.toml

BOTS = [{"name": "a", "command": [sys.executable, "-c", "pass"], "folder": "."}]
CONFIGS: list[dict[str, Any]] = [
    {"bots": BOTS},
    {
        "bots": [*BOTS, {"name": "b", "command": "true 'two words'", "fresh": True}],
        "seats": 3,
        "boards": 2,
        "seed": "x",
        "tables": 1,
        "start_seconds": 1.5,
        "compress": True,
        "rules": {"variant": "new_jersey", "max_hand": 3, "bluke_led": "trump", "cut": "player"},
        "clock": {"timed": False, "decision_ms": 1, "bank_ms": 0, "wall_ms": 1},
        "faults": {"policy": "strict", "max_faults": 1, "grace_ms": 0, "restarts": 0},
    },
    {"bots": BOTS, "seed_hex": "00ff", "rules": {"hands": [3, 2, 1]}, "clock": {"timed": True}},
]


def config(data: bytes) -> None:
    """Bytes in place of an `arena.toml`: a `ConfigError`, or a configuration that can be written and read again."""
    with folder() as home:
        path = home / "arena.toml"
        path.write_bytes(data)
        try:
            found = read_config(path)
        except ConfigError as error:
            check_words(error, path)
            return
        path.write_text(config_text(found), encoding="utf-8", newline="")
        assert read_config(path) == found


def config_edits(data: bytes) -> None:
    """Real configurations with wrong values in them."""
    script = Script(data)
    values = copy.deepcopy(script.pick(CONFIGS))
    for _ in range(1 + script.byte() % 3):
        script.edit(values)
    with folder() as home:
        try:
            found = load_config(values, where="arena.toml", folder=home)
        except ConfigError:
            return
        path = home / "again.toml"
        path.write_text(config_text(found), encoding="utf-8", newline="")
        assert read_config(path) == found


# JSON that the arena and the referee keep

RECORD: list[dict[str, Any]] = [
    {
        "type": "run",
        "format": "bluke-results/1",
        "match": "m",
        "started": "2030-01-01T00:00:00Z",
        "server": "bluke-arena 0",
        "bots": ["a", "b"],
        "seats": 2,
        "boards": 1,
        "games": 2,
    },
    {
        "type": "game",
        "match": "m",
        "number": 0,
        "board": 0,
        "rotation": 0,
        "game": "g",
        "bots": ["a", "b"],
        "status": "complete",
        "totals": [10, -10],
        "places": [1, 2],
        "faults": [{"seat": 1, "kind": "illegal", "hand": 0, "detail": "no"}],
        "played_out": [1],
        "outcomes": [[1, 0, 0], [0, 1, 0]],
        "times": [[[3, 2]], []],
        "replay": "replays/g.jsonl",
        "seconds": 0.5,
    },
    {"type": "end", "status": "complete", "finished": "2030-01-01T00:00:01Z", "match_seed": "00"},
]


def record(data: bytes) -> None:
    """Bytes in place of a `results.jsonl`: the one `ArenaError`, or what was recorded."""
    with folder() as home:
        path = home / "results.jsonl"
        path.write_bytes(data)
        try:
            read_record(path)
        except ArenaError as error:
            check_words(error, path)


def record_edits(data: bytes) -> None:
    """A real record with wrong values in it."""
    record(edited(RECORD, Script(data)))


def edited(lines: list[dict[str, Any]], script: Script) -> bytes:
    lines = copy.deepcopy(lines)
    for _ in range(1 + script.byte() % 3):
        script.edit(lines)
    return b"".join(in_json(line) + b"\n" for line in lines)


def in_json(value: Any) -> bytes:
    """The value as JSON; a number of very many digits is made shorter, since Python does not write those."""
    try:
        return json.dumps(value).encode()
    except ValueError:
        return b"1" * 5000


TOKENS: list[dict[str, Any]] = [
    {"name": "ann", "sha256": hash_token(TOKEN), "created": "2030-01-01T00:00:00Z", "operator": False},
    {"name": "\u00fc\u202e", "sha256": "0" * 64, "created": "2030-01-01T00:00:00Z", "operator": True},
]


def tokens(data: bytes) -> None:
    """Bytes in place of the file of tokens: a `ConfigError`, or tokens that can be told apart, added to and revoked."""
    with folder() as home:
        path = home / "tokens.json"
        path.write_bytes(data)
        file = TokenFile(path)
        try:
            entries = file.load()
        except ConfigError as error:
            check_words(error, path)
            for use in (lambda: file.identify(TOKEN), lambda: file.add("new"), lambda: file.revoke("ann")):
                refused(use)
            assert path.read_bytes() == data
            return
        assert file.identify("") is None
        known = file.identify(TOKEN)
        assert (known is not None) == any(entry.sha256 == hash_token(TOKEN) for entry in entries)
        with suppress(ConfigError):
            found = file.identify(file.add("new"))
            assert found is not None
            assert found.name == "new"
            file.revoke("new")
            assert file.load() == entries


def refused(use: Callable[[], object]) -> None:
    try:
        use()
    except ConfigError:
        return
    raise AssertionError("a file that is no list of tokens was used")


def tokens_edits(data: bytes) -> None:
    """A real file of tokens with wrong values in it."""
    script = Script(data)
    values = copy.deepcopy(TOKENS)
    for _ in range(1 + script.byte() % 3):
        script.edit(values)
    tokens(in_json(values))


# Notation


def notation(data: bytes) -> None:
    """Any text is the notation of one card or suit, which is what it is written as, or a `ValueError`."""
    text = data.decode("utf-8", "surrogateescape")
    for parse in (Card.parse, Suit.parse, bluke_sdk.Card.parse, bluke_sdk.Suit):
        try:
            assert str(parse(text)) == text
        except ValueError:
            continue
