"""Every bad bot under every policy: real processes, alone and with three healthy ones."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from bad_bot import BEHAVIOURS, At
from faults.cases import CASES, MAX_FAULTS, SHORT_CLOCK_MS, SHORT_GRACE_MS, STARTS, Case, Whose
from faults.house import HANDS, PATIENCE, Household, ImpatientTable, bad_bot, left_over, open_household, until
from faults.oracle import check_moves, first_revoke, healthy_totals, places_of

from bluke.arena.config import LimitsConfig
from bluke.arena.process import StartError
from bluke.replay.reader import read_replay
from bluke.replay.verify import verify
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.convert import FAULT_KINDS
from bluke.wire.values import FaultKind, GameLimits, Policy, Status

if TYPE_CHECKING:
    from pathlib import Path

    from faults.house import Seen

    from bluke.arena.keeper import Keeper
    from bluke.referee import Bot

#: A deal on which every seat comes to hold a card that it may not play, at two seats and at four.
SEED = b"faults 0"
#: Two games under each policy, so that the next one is seen to start; the bad bot never sits where it did.
PLAN = [(Policy.LENIENT, 2), (Policy.LENIENT, 0), (Policy.STRICT, 3), (Policy.STRICT, 1)]


def limits_of(case: Case, policy: Policy) -> GameLimits:
    grace = SHORT_GRACE_MS if case.brief else 1000 * int(PATIENCE)
    return GameLimits(policy, SHORT_CLOCK_MS, bank_ms=60_000, grace_ms=grace, max_faults=MAX_FAULTS)


async def visit(house: Household, keeper: Keeper, case: Case, policy: Policy, seat: int | None) -> Seen:
    """One game of a bad bot: on `seat` among healthy bots, or on both seats of a table."""
    async with keeper.at_table() as bad:
        ImpatientTable.hurried = {bad} if case.hurried else set()
        if seat is None:
            bots = [bad, bad]
        else:
            bots = [await healthy_bot(each) for each in house.healthy]
            bots.insert(seat, bad)
        seen = await house.play(bots, limits_of(case, policy), seed=SEED)
        if case.notices and seat is not None and policy is Policy.LENIENT:
            await until(lambda: len(seen.payloads(seat, "notice")) >= len(case.notices), "the notices")
        if case.leaves:
            await until(lambda: bad.gone is not None, "the bot to be gone")
    return seen


async def healthy_bot(keeper: Keeper) -> Bot:
    async with keeper.at_table() as bot:
        assert bot.gone is None
        assert bot.connected
        return bot


def expected_faults(name: str, case: Case, policy: Policy, seat: int | None, dealer: int) -> dict[int, int]:
    """How often each seat is charged."""
    if case.kind is None or (seat is None and case.alone is Whose.NOBODY):
        return {}
    if seat is not None:
        return {seat: case.faults if policy is Policy.LENIENT else 1}
    if policy is Policy.LENIENT and case.alone is Whose.EVERY:
        return dict.fromkeys((0, 1), case.faults)
    revokes = BEHAVIOURS[name].at is At.REVOKE
    asked = first_revoke(2, HANDS, SEED, (0, 1)) if revokes else (dealer + 1) % 2
    assert asked is not None
    return {asked: 1}


def check_game(name: str, case: Case, policy: Policy, seat: int | None, seen: Seen) -> None:
    """Cause, seat, places, what everybody was told, and the moves."""
    finished = seen.finished
    result = finished.result
    seats = len(finished.spec.bots)
    bad = {0, 1} if seat is None else {seat}

    # The right cause and only one, and the right seat.
    replay = read_replay(finished.replay)
    assert replay.draw is not None
    faults = expected_faults(name, case, policy, seat, replay.draw.dealer)
    assert {fault.seat for fault in finished.faults} == faults.keys()
    assert {fault.kind for fault in finished.faults} == ({case.kind} if faults else set())
    assert all(case.words in fault.detail for fault in finished.faults)
    assert result.faults == tuple(faults.get(number, 0) for number in range(seats))

    # What it costs.
    forfeited = policy is Policy.STRICT and bool(faults)
    assert result.status is (Status.FORFEITED if forfeited else Status.COMPLETE)
    played_out = {number for number, count in faults.items() if case.gone or count >= MAX_FAULTS}
    assert set(result.played_out) == (set() if forfeited else played_out)
    assert result.places == places_of(result.totals, faults if forfeited else played_out)
    if forfeited:
        (loser,) = faults
        assert result.reason == f"seat {loser} forfeited the game: {case.kind and case.kind.value}"

    # The others' results are what they are without the referee, and the replay is true.
    game = check_moves(replay, bad)
    assert game.totals == result.totals
    assert game.over is not forfeited
    if not faults:
        assert result.totals == healthy_totals(seats, HANDS, SEED)
    assert verify(finished.replay).ok, str(verify(finished.replay))

    # What the others saw.
    for number in set(range(seats)) - bad:
        (started,) = seen.payloads(number, "game_started")
        (over,) = seen.payloads(number, "game_over")
        assert (started.seat, over.seat) == (number, number)
        assert tuple(over.result.totals) == result.totals
        assert not seen.payloads(number, "fault")
        assert not seen.payloads(number, "notice")
    charged = [(event.fault_charged.seat, event.fault_charged.kind) for event in seen.public if charge(event)]
    assert charged == [(fault.seat, FAULT_KINDS[fault.kind]) for fault in finished.faults]
    assert seen.public[-1].HasField("game_result")

    # What the bot itself is told of its moves.
    if seat is not None and policy is Policy.LENIENT and not case.brief:
        verdicts = [play_pb.Verdict.Name(notice.verdict) for notice in seen.payloads(seat, "notice")]
        assert verdicts == [f"VERDICT_{word.upper()}" for word in case.notices]


def charge(event: play_pb.Event) -> bool:
    return event.HasField("fault_charged")


@pytest.mark.slow
@pytest.mark.parametrize("company", ["with three healthy bots", "alone"])
@pytest.mark.parametrize("name", CASES)
async def test_a_bad_bot(house: Household, mark: str, name: str, company: str):
    """The one right cause is charged to the one right seat; everybody else's games are as they would have been.

    Two games under each policy: each next one starts, every replay is true, and nothing is left running.
    """
    case = CASES[name]
    log = await visit_four_times(house, mark, name, case, alone=company == "alone")
    if name == "prints":
        assert log.endswith(b"what follows is dropped\n")
        assert len(log) < LimitsConfig().output_mb * 2**20 + 1000
    if name == "hundred-streams":
        assert b"[out] a hundred streams: 3 welcomed, 97 refused\n" in log


async def visit_four_times(house: Household, mark: str, name: str, case: Case, *, alone: bool) -> bytes:
    """Play the whole plan; returns the bot's log."""
    before = [await healthy_bot(keeper) for keeper in house.healthy]
    keeper = house.keeper(bad_bot(name, name))
    try:
        await keeper.first_start()
        for policy, place in PLAN:
            seat = None if alone else place
            check_game(name, case, policy, seat, await visit(house, keeper, case, policy, seat))
    finally:
        await keeper.close()
    assert [await healthy_bot(each) for each in house.healthy] == before, "a healthy bot was lost"
    assert name not in house.referee.bots
    (path,) = house.folder.glob(f"{house.keepers:02}-*.log")
    log = path.read_bytes()
    pids = [int(pid) for pid in re.findall(rb"^\[out\] pid ([0-9]+)$", log, re.MULTILINE)]
    assert pids
    await until(lambda: not left_over(mark, pids), f"the end of {left_over(mark, pids)}")
    return log


@pytest.mark.parametrize("name", STARTS)
async def test_a_bot_that_does_not_get_as_far_as_a_game(tmp_path: Path, mark: str, name: str):
    """The run does not begin; the error has the command, how the bot ended, and its last words."""
    start = STARTS[name]
    hello = {"hello_seconds": 0.2} if name == "no-hello" else {}
    async with open_household(tmp_path, healthy=0, **hello) as house:
        keeper = house.keeper(bad_bot(name, name), start_seconds=0.5 if name == "no-dial" else PATIENCE)
        try:
            with pytest.raises(StartError) if not start.raced else suppress(StartError) as caught:
                await keeper.first_start()
            if caught is not None:
                text = str(caught.value)
                assert all(words in text for words in start.words), text
                return
            async with keeper.at_table() as bot:
                await until(lambda: bot.gone is not None and bot.gone.kind is FaultKind.CRASH, "the crash")
        finally:
            await keeper.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", STARTS)
async def test_a_bot_that_cannot_be_started_for_a_later_game(house: Household, mark: str, name: str):
    """The seat is charged with one crash and played out or loses; the others play their game and the next one."""
    case = Case(FaultKind.CRASH, gone=True, words="could not be started: it")
    if STARTS[name].raced:
        case = Case(FaultKind.CRASH, gone=True)
    keeper = house.keeper(bad_bot(name, name, fresh=True), start_seconds=0.5 if name[:3] == "no-" else PATIENCE)
    try:
        for policy, seat in PLAN:
            check_game(name, case, policy, seat, await visit(house, keeper, case, policy, seat))
    finally:
        await keeper.close()
    assert name not in house.referee.bots
