"""From the lines of a record to the rows of the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from operator import eq, gt
from typing import TYPE_CHECKING, Any

from bluke.arena.store.kinds import recorded_rules
from bluke.arena.store.labels import BotKey
from bluke.replay.text import visible
from bluke.rules import MAX_SEATS, MIN_SEATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bluke.arena.record import EndRecord, GameRecord, RunRecord

__all__ = ["Rows", "game_rows", "record_problem", "run_row"]

#: What a column of whole numbers holds.
LARGEST = 2**31
#: More milliseconds than the universe has had.
LAST_CLASS = 1024
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a run's games, table by table."""

    games: list[Row]
    seats: list[Row]
    faults: list[Row]


def run_row(run: RunRecord, end: EndRecord | None) -> Row:
    """The row of a run, without its folder and its number of games."""
    rules = recorded_rules(run)
    return {
        "match_id": run.match,
        "started": _utc(run.started),
        "finished": None if end is None else _utc(end.finished),
        "status": None if end is None else end.status,
        "server": run.server,
        "seats": run.seats,
        "per_board": run.seats if run.config is None else max(1, run.games // max(1, run.boards)),
        "variant": None if rules is None else rules.variant.value,
        "hands": None if rules is None else list(rules.schedule),
        "bluke_led": None if rules is None else rules.bluke_led.value,
        "cut": None if rules is None else rules.cut.value,
    }


def game_rows(run: RunRecord, games: Iterable[GameRecord], run_id: int, bot_id: Callable[[BotKey], int]) -> Rows:
    """The rows of the games of a run; `bot_id` knows the bots."""
    digests = {bot.name: bot.digest for bot in run.bots}
    rows = Rows([], [], [])
    for n, game in enumerate(games):
        key = {"run_id": run_id, "n": n}
        rows.games.append(
            {
                **key,
                "match_id": game.match,
                "number": game.number,
                "board": game.board,
                "rotation": game.rotation,
                "game_id": game.game,
                "status": game.status.value,
                "sizes": game.sizes,
                "replay": game.replay,
                "seconds": game.seconds,
            }
        )
        for seat, name in enumerate(game.bots):
            bids, tricks = game.bids[seat], game.tricks[seat]
            missed, perfect = sum(map(gt, bids, tricks)), sum(map(eq, bids, tricks))
            rows.seats.append(
                {
                    **key,
                    "seat": seat,
                    "bot_id": bot_id(BotKey(name, game.versions[seat], digests.get(name, ""))),
                    "points": game.totals[seat],
                    "place": None if game.places is None else game.places[seat],
                    "played_out": seat in game.played_out,
                    "bids_set": missed,
                    "bids_over": len(bids) - missed - perfect,
                    "bids_perfect": perfect,
                    "bids": bids,
                    "tricks": tricks,
                    "decisions": sum(count for _, count in game.times[seat]),
                    "times": game.times[seat],
                }
            )
        rows.faults.extend(
            {
                **key,
                "fault": number,
                "seat": fault.seat,
                "kind": fault.kind.value,
                "hand": fault.hand,
                "detail": fault.detail,
            }
            for number, fault in enumerate(game.faults)
        )
    return rows


def record_problem(run: RunRecord, games: Iterable[GameRecord]) -> str | None:
    """What is wrong with a record whose parts have the right types, so that no standings could be made of it."""
    if not MIN_SEATS <= run.seats <= MAX_SEATS or not 0 <= run.games < LARGEST or not 0 <= run.boards < LARGEST:
        return "line 1: a number in it is absurd"
    for game in games:
        problem = _game_problem(game, run.seats)
        if problem is not None:
            return f"game {visible(game.game)}: {problem}"
    return None


def _game_problem(game: GameRecord, seats: int) -> str | None:
    lists = (game.bots, game.versions, game.totals, game.bids, game.tricks, game.times)
    if any(len(part) != seats for part in lists) or (game.places is not None and len(game.places) != seats):
        return f"its lists are not all of {seats} seats"
    if any(len(part) != len(game.sizes) for part in (*game.bids, *game.tricks)):
        return f"its bids and tricks are not all of {len(game.sizes)} hands"
    if any(not 0 <= seat < seats for seat in (*game.played_out, *(fault.seat for fault in game.faults))):
        return "it speaks of a seat that is not there"
    if not all(-LARGEST < number < LARGEST for number in _numbers(game)):
        return "a number in it is absurd"
    return None


def _numbers(game: GameRecord) -> Iterable[int]:
    yield from (game.number, game.board, game.rotation)
    yield from game.totals
    yield from game.places or ()
    yield from (fault.hand for fault in game.faults)
    for times in game.times:
        yield sum(count for _, count in times)
        # No time is of a class near this, and `DecisionTimes` could not say what time it is.
        yield max(times, default=(0, 0))[0] * (LARGEST // LAST_CLASS)


def _utc(moment: datetime) -> datetime:
    """A moment as the store keeps it: in UTC, without saying so."""
    return (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)).replace(tzinfo=None)
