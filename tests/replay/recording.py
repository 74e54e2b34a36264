"""A referee of a few lines that plays at random and records what happens."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bluke.replay.records import Header, Parent
from bluke.replay.writer import ReplayWriter
from bluke.rules import Asked, Bid, Card, Dealt, Game, Played, Rules, SeededPacks, commitment, game_seed, places
from bluke.wire.values import FaultKind, GameLimits, GameResult, Player, Policy, Status

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STARTED = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)
FINISHED = datetime(2025, 3, 1, 12, 3, 4, 500_000, tzinfo=UTC)
STRICT = GameLimits(policy=Policy.STRICT)


@dataclass(frozen=True)
class Recorded:
    """A game that was played: its file, the game object, and the result that was written (`None` if abandoned)."""

    path: Path
    game: Game
    result: GameResult | None


def record_game(
    folder: Path,
    rules: Rules,
    *,
    seed: int = 0,
    game_id: str = "game-1",
    players: tuple[Player, ...] | None = None,
    limits: GameLimits | None = None,
    fault_rate: float = 0.0,
    note: Callable[[int, int | Card], str | None] = lambda _seat, _value: None,
    stop: int | None = None,
    ending: Status | None = Status.VOID,
    reason: str = "",
    tell_match_seed: bool = True,
    compress: bool = False,
    parent: Parent | None = None,
) -> Recorded:
    """Play one game; after `stop` decisions it ends as `ending` says, `None` for a crash of the referee."""
    rng = random.Random(seed)
    limits = limits or GameLimits()
    match_seed = b"tests"
    game_key = game_seed(match_seed, seed)
    game = Game(rules, SeededPacks(game_key))
    header = Header(
        game=game_id,
        match="match-1",
        deal=seed,
        started=STARTED,
        server="bluke 0",
        commitment=commitment(game_key, game_id),
        rules=rules,
        players=players or tuple(Player(f"bot {seat}", "1.0") for seat in range(rules.seats)),
        limits=limits,
        parent=parent,
    )
    writer = ReplayWriter(folder, header, compress=compress)
    writer.draw(game.draw)
    for event in game.events:
        writer.record(event)
    faults = [0] * rules.seats
    played_out: set[int] = set()
    status = Status.COMPLETE
    behind: set[int] = played_out
    decisions = 0
    while not game.over:
        if decisions == stop:
            if ending is None:
                writer.abandon()
                return Recorded(folder / f"{game_id}.jsonl.part", game, None)
            status = ending
            break
        decisions += 1
        seat = game.seat
        assert game.asked is not None
        by_referee = seat in played_out
        if not by_referee and rng.random() < fault_rate:
            faults[seat] += 1
            kind = rng.choice(list(FaultKind))
            writer.fault(hand=game.hand, seat=seat, kind=kind, asked=game.asked, detail="It went wrong", answer="99")
            if limits.policy is Policy.STRICT:
                status, behind, reason = Status.FORFEITED, {seat}, f"seat {seat} was at fault"
                break
            if faults[seat] >= limits.max_faults:
                played_out.add(seat)
            by_referee = True
        options: list[int | Card] = list(game.legal)
        value = game.fixed_answer() if by_referee else rng.choice(options)
        said = None if by_referee else note(seat, value)
        ms = None if by_referee else round(rng.random() * 20, 3)
        told = len(game.events)
        own = {Asked.CUT: Dealt, Asked.BID: Bid, Asked.PLAY: Played}[game.asked]
        game.answer(seat, value)
        for event in game.events[told:]:
            if type(event) is own and event is game.events[told]:
                writer.record(event, ms=ms, note=said, by_referee=by_referee)
            else:
                writer.record(event)
    result = GameResult(
        status=status,
        totals=game.totals,
        places=None if status is Status.VOID else places(game.totals, behind),
        faults=tuple(faults),
        played_out=tuple(played_out),
        reason=reason,
    )
    path = writer.finish(
        result, game_seed=game_key, match_seed=match_seed if tell_match_seed else None, finished=FINISHED
    )
    return Recorded(path, game, result)


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a finished file as JSON says them."""
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gzip.decompress(raw)
    return [json.loads(line) for line in raw.splitlines()]


def to_bytes(lines: list[dict[str, Any]], *, seal: bool) -> bytes:
    """The bytes of a file with these lines; `seal` puts the right sha256 into the last one."""
    body = b"".join(_line(line) for line in lines[:-1])
    if seal:
        lines = [*lines[:-1], {**lines[-1], "sha256": hashlib.sha256(body).hexdigest()}]
    return body + _line(lines[-1])


def _line(line: dict[str, Any]) -> bytes:
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
