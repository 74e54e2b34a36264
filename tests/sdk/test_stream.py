from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import grpc
import pytest
from sdk.fake_referee import PATIENCE, bid_turn, play_turn, view

import bluke_sdk
import bluke_sdk._client
from bluke.v1 import game_pb2, play_pb2

SDK = Path(bluke_sdk.__file__).parents[1]


class Plain(bluke_sdk.Bot):
    """Bids two and plays its last legal card."""

    version = "7"
    author = "a person"

    def bid(self, view):
        return 2

    def play(self, view):
        return view.legal[-1]


async def test_hello_says_who_the_bot_is(referee, start, part):
    """The first message names bot, token, versions and wishes."""
    task = start(Plain, token="secret", max_games=9, events=True)
    stream = await referee.stream()
    hello = (await stream.hear()).hello
    assert (hello.token, hello.name, hello.version, hello.author) == ("secret", "Plain", "7", "a person")
    assert (list(hello.protocols), hello.max_games, hello.wants_events) == ([1], 9, True)
    assert hello.sdk.startswith("bluke_sdk/")
    assert hello.resume_key == b""
    await stream.say(welcome=play_pb2.Welcome())
    await part(stream, task)


async def test_environment_says_where_and_who(referee, start, part, monkeypatch):
    """Address and token come from BLUKE_SERVER and BLUKE_TOKEN when they are not given."""
    monkeypatch.setenv("BLUKE_SERVER", referee.address)
    monkeypatch.setenv("BLUKE_TOKEN", "from-env")
    task = start(Plain, server=None, name="Another name")
    stream = await referee.stream()
    hello = (await stream.hear()).hello
    assert (hello.token, hello.name) == ("from-env", "Another name")
    await stream.say(welcome=play_pb2.Welcome())
    await part(stream, task)


async def test_answers_carry_game_decision_and_kind(referee, start):
    """A cut, a bid and a card are answered in kind; a bot that says nothing of cuts taps."""
    start(Plain)
    stream = await referee.welcomed()
    cut = play_pb2.Turn(
        game_id="g", seat=2, decision_id=1, asked=game_pb2.ASKED_CUT, legal=list(range(40)), view=view(bids=[0] * 4)
    )
    assert await stream.answer(cut) == play_pb2.Move(game_id="g", decision_id=1, cut=0)
    assert await stream.answer(bid_turn("g", 2)) == play_pb2.Move(game_id="g", decision_id=2, bid=2)
    assert await stream.answer(play_turn("g", 3)) == play_pb2.Move(game_id="g", decision_id=3, card=53)


async def test_a_batch_of_turns_is_answered_in_one_message(referee, start):
    """Many turns in one message are answered by a list of moves, not a message each."""
    start(Plain)
    stream = await referee.welcomed()
    await stream.ask(*(bid_turn(f"g{i}", i + 1) for i in range(50)))
    first = await stream.hear()
    moves = list(first.moves.moves)
    assert len(moves) > 1
    moves += await stream.hear_moves(50 - len(moves)) if len(moves) < 50 else []
    assert [(m.game_id, m.decision_id, m.bid) for m in moves] == [(f"g{i}", i + 1, 2) for i in range(50)]


async def test_each_seat_has_an_instance_of_its_own(referee, start):
    """Two seats of one game and two interleaved games never share an instance."""

    class Counting(Plain):
        def __init__(self):
            self.decisions = 0

        def bid(self, view):
            self.decisions += 1
            return self.decisions

    start(Counting)
    stream = await referee.welcomed()
    await stream.ask(
        bid_turn("a", 1, seat=0), bid_turn("b", 1, seat=0), bid_turn("a", 2, seat=1), bid_turn("a", 3, seat=0)
    )
    assert [m.bid for m in await stream.hear_moves(4)] == [1, 1, 1, 2]


async def test_the_instance_goes_with_its_game(referee, start):
    """After a game is over its seat is forgotten, and the bot has been told."""
    told: list[bluke_sdk.GameOver] = []

    class Listening(Plain):
        def game_over(self, game):
            told.append(game)

    client = bluke_sdk._client.Client(Listening, bluke_sdk._client.Settings(server=referee.address))
    task = asyncio.create_task(client.run())
    stream = await referee.welcomed()
    await stream.answer(bid_turn("g", 1))
    result = play_pb2.GameResult(status=play_pb2.GAME_STATUS_COMPLETE, totals=[1, 2, 3, -4], places=[3, 2, 1, 4])
    await stream.say(game_over=play_pb2.GameOver(game_id="g", seat=2, result=result, game_seed=b"s" * 32))
    await stream.answer(bid_turn("other", 1))
    assert [(over.game_id, over.seat, over.totals, over.places) for over in told] == [
        ("g", 2, (1, 2, 3, -4), (3, 2, 1, 4))
    ]
    assert (told[0].status, told[0].game_seed) == (bluke_sdk.Status.COMPLETE, b"s" * 32)
    assert list(client._games) == ["other"]
    client.stop("test")
    await task


async def test_what_is_told_between_decisions(referee, start):
    """A bot hears how a game begins, how hands end, and public events."""
    told: list[object] = []

    class Listening(Plain):
        def game_started(self, game):
            told.append(game)

        async def hand_scored(self, hand):
            told.append(hand)

        def event(self, event):
            told.append(event)

    start(Listening, events=True)
    stream = await referee.welcomed()
    limits = play_pb2.GameLimits(
        policy=play_pb2.POLICY_STRICT, decision_ms=2000, bank_ms=60_000, wall_ms=1, max_faults=3
    )
    await stream.say(
        game_started=play_pb2.GameStarted(
            game_id="g",
            seat=2,
            match_id="m",
            rules=view().rules,
            players=[game_pb2.Player(name=f"p{i}") for i in range(4)],
            limits=limits,
            commitment=b"c",
            draw=[game_pb2.DrawRound(cards=[game_pb2.DrawnCard(seat=0, card=52)])],
            dealer=1,
            scorekeeper=3,
        )
    )
    event = play_pb2.Event(game_id="g", card_played=play_pb2.CardPlayed(hand=0, trick=1, seat=3, card=53))
    skipped = play_pb2.Event(game_id="g", game_result=play_pb2.GameResult())
    await stream.say(events=play_pb2.Events(events=[event, skipped]))
    result = game_pb2.HandResult(
        hand=4, bids=[1], tricks=[2], points=[11], totals=[31], outcomes=[game_pb2.OUTCOME_OVERTRICKS]
    )
    await stream.say(hand_scored=play_pb2.HandScored(game_id="g", seat=2, result=result))
    await stream.answer(bid_turn("g", 1))
    started, played, scored = told
    assert isinstance(started, bluke_sdk.GameStarted)
    assert (started.players[3].name, started.limits.policy, started.limits.decision) == (
        "p3",
        bluke_sdk.Policy.STRICT,
        2.0,
    )
    assert started.draw == ((bluke_sdk.DrawnCard(0, bluke_sdk.LO),),)
    assert played == bluke_sdk.CardPlayed("g", 0, 1, 3, bluke_sdk.HI)
    assert isinstance(scored, bluke_sdk.HandScored)
    assert (scored.hand, scored.points, scored.outcomes) == (4, (11,), (bluke_sdk.Outcome.OVERTRICKS,))


async def test_notes_belong_to_one_decision(referee, start):
    """Lines of a note go with the decision they were made in, and with no other."""

    class Noting(Plain):
        def bid(self, view):
            if view.decision_id == 1:
                self.note("two sure")
                self.note("one likely")
            return 2

    start(Noting)
    stream = await referee.welcomed()
    assert (await stream.answer(bid_turn("g", 1))).note == "two sure\none likely"
    assert not (await stream.answer(bid_turn("g", 2))).HasField("note")


async def test_long_notes_keep_within_the_limits(referee, start):
    """Notes are cut at a whole character, and no message outgrows the referee's limit."""

    class Talking(Plain):
        def bid(self, view):
            self.note("é" * 3000)
            return 1

    start(Talking)
    limits = play_pb2.StreamLimits(max_note_bytes=101, max_message_bytes=1000)
    stream = await referee.welcomed(limits=limits)
    await stream.ask(*(bid_turn(f"g{i}", 1) for i in range(20)))
    moves: list[play_pb2.Move] = []
    while len(moves) < 20:
        request = await stream.hear()
        assert request.ByteSize() <= 1000
        moves.extend(request.moves.moves)
    assert {move.note for move in moves} == {"é" * 50}


async def test_an_exception_is_shown_and_reported(referee, start, capsys):
    """Standard error names decision and line, the referee is told, and the next decision works."""

    class Failing(Plain):
        def bid(self, view):
            if view.decision_id == 5:
                raise ZeroDivisionError("on purpose")
            return 1

    start(Failing)
    stream = await referee.welcomed()
    await stream.ask(bid_turn("g", 5))
    error = (await stream.hear()).error
    assert (error.game_id, error.decision_id) == ("g", 5)
    assert "ZeroDivisionError: on purpose" in error.detail
    assert "def bid" not in error.detail
    assert "_client.py" not in error.detail
    assert (await stream.answer(bid_turn("g", 6))).bid == 1
    shown = capsys.readouterr()
    assert "Failing failed on bid, decision 5 of game g, seat 2:" in shown.err
    assert 'raise ZeroDivisionError("on purpose")' in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ({"bid": "two"}, "Odd.bid returned 'two': it must return a whole number out of view.legal"),
        ({"bid": None}, "Odd.bid returned None: it must"),
        ({"bid": True}, "Odd.bid returned True: it must"),
        ({"bid": -1}, "Odd.bid returned -1: it must"),
        ({"bid": 2.0}, "Odd.bid returned 2.0: it must"),
        ({"play": 12}, "Odd.play returned 12: it must return a card out of view.legal, or its text such as '9H'"),
        ({"play": "ten"}, "'ten' is not a card"),
    ],
)
async def test_a_wrong_type_of_answer_is_said_in_a_sentence(referee, start, answers, sentence, capsys):
    """What is no answer at all is the bot's own error and says what would have been right."""

    class Odd(Plain):
        def bid(self, view):
            return answers.get("bid", 1)

        def play(self, view):
            return answers["play"]

    start(Odd)
    stream = await referee.welcomed()
    await stream.ask(bid_turn("g", 1) if "bid" in answers else play_turn("g", 1))
    assert sentence in (await stream.hear()).error.detail
    assert sentence in capsys.readouterr().err


async def test_a_card_may_be_written(referee, start):
    """The notation of a card is as good as the card; what is illegal is the referee's to judge."""

    class Writing(Plain):
        def bid(self, view):
            return 99

        def play(self, view):
            return "AC"

    start(Writing)
    stream = await referee.welcomed()
    assert (await stream.answer(play_turn("g", 1))).card == 12
    assert (await stream.answer(bid_turn("g", 2))).bid == 99


async def test_a_class_that_cannot_be_made_fails_its_decision(referee, start, capsys):
    """An exception in the constructor is the bot's own too."""

    class Stillborn(Plain):
        def __init__(self):
            raise RuntimeError("no weights")

    start(Stillborn)
    stream = await referee.welcomed()
    await stream.ask(bid_turn("g", 3))
    error = (await stream.hear()).error
    assert error.decision_id == 3
    assert "no weights" in error.detail


async def test_async_decisions_run_side_by_side(referee, start):
    """Each of two games waits for the other, so neither could be answered alone."""
    meeting = asyncio.Barrier(2)

    class Patient(Plain):
        async def bid(self, view):
            self.note(view.game_id)
            await meeting.wait()
            return 3

    start(Patient)
    stream = await referee.welcomed()
    await stream.ask(bid_turn("a", 1), bid_turn("b", 1))
    moves = await stream.hear_moves(2)
    assert sorted((m.game_id, m.bid, m.note) for m in moves) == [("a", 3, "a"), ("b", 3, "b")]


async def test_an_async_exception_is_reported_too(referee, start, capsys):
    """It does not matter whether a method is `def` or `async def`."""

    class Failing(Plain):
        async def bid(self, view):
            raise LookupError("later")

    start(Failing)
    stream = await referee.welcomed()
    await stream.ask(bid_turn("g", 4))
    error = (await stream.hear()).error
    assert error.decision_id == 4
    assert "LookupError: later" in error.detail
    assert "LookupError: later" in capsys.readouterr().err


async def test_a_decision_whose_time_is_over_is_dropped(referee, start, caplog):
    """When the next decision of a seat comes, the one still being made ends, and only the new one is answered."""
    ended = asyncio.Event()

    class Dreaming(Plain):
        async def bid(self, view):
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    start(Dreaming)
    stream = await referee.welcomed()
    await stream.ask(bid_turn("g", 1))
    assert (await stream.answer(play_turn("g", 2))).decision_id == 2
    assert ended.is_set()
    assert "decision 1 of game g, seat 2: its time was over" in caplog.text


async def test_methods_of_one_seat_do_not_overlap(referee, start):
    """A decision waits for an `async def game_started` of its own seat."""
    order: list[str] = []
    go = asyncio.Event()

    class Preparing(Plain):
        async def game_started(self, game):
            await go.wait()
            order.append("started")

        def bid(self, view):
            order.append(f"bid {view.game_id}")
            return 1

    start(Preparing)
    stream = await referee.welcomed()
    await stream.say(game_started=play_pb2.GameStarted(game_id="g", seat=2, rules=view().rules))
    await stream.ask(bid_turn("g", 1), bid_turn("other", 1))
    assert (await stream.hear_moves(1))[0].game_id == "other"
    go.set()
    assert (await stream.hear_moves(1))[0].game_id == "g"
    assert order == ["bid other", "started", "bid g"]


async def test_notices_change_nothing(referee, start, caplog):
    """Stale notices are not even worth a warning; others and faults are told on the log."""
    start(Plain)
    stream = await referee.welcomed()
    stale = play_pb2.MoveNotice(game_id="g", decision_id=1, verdict=play_pb2.VERDICT_STALE, detail="too late")
    illegal = play_pb2.MoveNotice(game_id="g", decision_id=2, verdict=play_pb2.VERDICT_ILLEGAL, detail="not that")
    fault = play_pb2.FaultNotice(game_id="g", seat=2, kind=play_pb2.FAULT_KIND_TIMEOUT, detail="no answer in 2 s")
    await stream.say(notice=stale)
    await stream.say(notice=illegal)
    await stream.say(fault=fault)
    await stream.say(seed_revealed=play_pb2.SeedRevealed(game_id="g"))
    assert (await stream.answer(bid_turn("g", 3))).bid == 2
    warnings = [r.getMessage() for r in caplog.records if r.name == "bluke_sdk" and r.levelno >= logging.WARNING]
    assert warnings == ["decision 2 of game g: not that", "fault in game g, seat 2: no answer in 2 s"]


async def test_what_a_newer_referee_asks_is_left_to_it(referee, start, caplog):
    """An unknown question or message is skipped with one warning, and the rest is answered."""
    start(Plain)
    stream = await referee.welcomed()
    unknown = bid_turn("g", 1)
    unknown.asked = 77  # type: ignore[assignment]
    await stream.say()
    await stream.ask(unknown, unknown, bid_turn("h", 2))
    assert [m.game_id for m in await stream.hear_moves(1)] == ["h"]
    assert caplog.text.count("asked for 77") == 1
    assert caplog.text.count("a message that this SDK does not know") == 1


@pytest.fixture
def quick(monkeypatch):
    """No waiting before dialling again."""
    monkeypatch.setattr(bluke_sdk._client, "FIRST_WAIT", 0.0)


async def test_a_broken_stream_is_not_the_end(referee, start, part, quick):
    """The bot dials again with its resume key, and goes on with the same instance."""
    made: list[object] = []

    class Remembering(Plain):
        def __init__(self):
            made.append(self)

    task = start(Remembering)
    first = await referee.welcomed(resume_key=b"one")
    await first.answer(bid_turn("g", 1))
    first.end()
    second = await referee.stream()
    assert (await second.hear()).hello.resume_key == b"one"
    await second.say(welcome=play_pb2.Welcome(resume_key=b"two", resumed=True))
    assert (await second.answer(play_turn("g", 2))).card == 53
    second.end(grpc.StatusCode.UNAVAILABLE, "restarting")
    third = await referee.stream()
    assert (await third.hear()).hello.resume_key == b"two"
    await third.say(welcome=play_pb2.Welcome(resumed=True))
    await part(third, task)
    assert len(made) == 1


async def test_a_decision_asked_again_is_not_made_again(referee, start, quick):
    """The answer that may have been lost is said again, with its note, and the bot is not asked twice."""
    asked: list[int] = []

    class Noting(Plain):
        def bid(self, view):
            asked.append(view.decision_id)
            self.note("once")
            return 3

    start(Noting)
    first = await referee.welcomed()
    move = await first.answer(bid_turn("g", 8))
    first.end()
    second = await referee.welcomed(resumed=True)
    assert await second.answer(bid_turn("g", 8, again=True)) == move
    assert asked == [8]


async def test_an_async_decision_outlives_the_stream(referee, start, quick):
    """It is answered on the next stream by the task that began on the one before."""
    begun, go = asyncio.Event(), asyncio.Event()
    asked: list[int] = []

    class Slow(Plain):
        async def bid(self, view):
            asked.append(view.decision_id)
            begun.set()
            await go.wait()
            return 1

    start(Slow)
    first = await referee.welcomed()
    await first.ask(bid_turn("g", 1))
    await begun.wait()
    first.end()
    second = await referee.welcomed(resumed=True)
    await second.ask(bid_turn("g", 1, again=True), play_turn("h", 1))
    assert (await second.hear_moves(1))[0].game_id == "h"
    go.set()
    assert (await second.hear_moves(1))[0].game_id == "g"
    assert asked == [1]


async def test_seats_that_are_lost_are_forgotten(referee, start, part, quick, caplog):
    """When the resume key is outdated the bot comes back without it, as a new one."""
    task = start(Plain)
    first = await referee.welcomed(resume_key=b"old")
    await first.answer(bid_turn("g", 1))
    first.end()
    second = await referee.stream()
    assert (await second.hear()).hello.resume_key == b"old"
    refusal = play_pb2.Refusal(reason=play_pb2.REFUSAL_REASON_RESUME, message="the grace time is over")
    await second.say(refusal=refusal)
    second.end()
    third = await referee.stream()
    assert (await third.hear()).hello.resume_key == b""
    await third.say(welcome=play_pb2.Welcome())
    await part(third, task)
    assert "the grace time is over" in caplog.text


async def test_a_refusal_ends_the_bot(referee, start):
    """What the referee says of a hello it refuses is the error."""
    task = start(Plain)
    stream = await referee.stream()
    await stream.hear()
    await stream.say(
        refusal=play_pb2.Refusal(reason=play_pb2.REFUSAL_REASON_TOKEN, message="unknown token: ask for one")
    )
    with pytest.raises(bluke_sdk.RefusedError, match="unknown token: ask for one") as refused:
        await asyncio.wait_for(task, PATIENCE)
    assert refused.value.exit_code == 2


async def test_a_flooded_referee_is_not_dialled_again(referee, start):
    """A status that dialling again cannot mend is said once."""
    task = start(Plain)
    stream = await referee.welcomed()
    stream.end(grpc.StatusCode.RESOURCE_EXHAUSTED, "note of 70000 bytes")
    with pytest.raises(bluke_sdk.SdkError, match="note of 70000 bytes") as ended:
        await asyncio.wait_for(task, PATIENCE)
    assert ended.value.exit_code == 1


async def test_stop_says_goodbye(referee):
    """A bot that is told to stop says so, closes its side and returns."""
    client = bluke_sdk._client.Client(Plain, bluke_sdk._client.Settings(server=referee.address))
    task = asyncio.create_task(client.run())
    stream = await referee.welcomed()
    await stream.answer(bid_turn())
    client.stop("SIGTERM")
    assert (await stream.hear()).goodbye.reason == "SIGTERM"
    assert await stream.hear_end() is None
    stream.end()
    await asyncio.wait_for(task, PATIENCE)


# What a process does


def script(body: str, tmp_path: Path) -> list[str]:
    path = tmp_path / "bot.py"
    path.write_text(
        "import asyncio, sys\n"
        f"sys.path[:0] = {[p for p in sys.path if p]!r}\n"
        "import bluke_sdk\n"
        "class Player(bluke_sdk.Bot):\n"
        "    def bid(self, view):\n"
        "        return 1\n"
        "    def play(self, view):\n"
        "        return view.legal[0]\n"
        f"{body}\n"
    )
    return [sys.executable, str(path)]


async def spawn(command: list[str], **env: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"PATH": "/usr/bin:/bin", **env}
    )


async def finish(process: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_a_missing_address_is_said(tmp_path):
    """Without an address the process ends with 2 and names BLUKE_SERVER, without a traceback."""
    code, out, err = await finish(await spawn(script("bluke_sdk.run(Player)", tmp_path)))
    assert (code, out) == (2, "")
    assert err == "Player: no referee to dial: set BLUKE_SERVER to its address, such as localhost:7373\n"


async def test_half_a_bot_is_said(tmp_path):
    """A class without `play` is refused before anything is dialled."""
    body = "class Half(bluke_sdk.Bot):\n    def bid(self, view): return 1\nbluke_sdk.run(Half, server='localhost:1')"
    code, out, err = await finish(await spawn(script(body, tmp_path)))
    assert (code, out) == (2, "")
    assert err == "Half: the class has no play: a bot must say how to bid and how to play\n"


async def test_an_absent_referee_is_given_up_on(tmp_path, unused_tcp_port):
    """After a bounded time without a welcome the process ends with 1 and a sentence."""
    body = "bluke_sdk.run(Player, give_up=0)"
    command = script(body, tmp_path)
    code, out, err = await finish(await spawn(command, BLUKE_SERVER=f"127.0.0.1:{unused_tcp_port}"))
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert f"no referee at 127.0.0.1:{unused_tcp_port} for 0 s" in err


async def test_a_refused_process_ends_with_2(referee, tmp_path):
    """A refusal is shown in the referee's words, without a traceback."""
    process = await spawn(script("bluke_sdk.run(Player)", tmp_path), BLUKE_SERVER=referee.address)
    stream = await referee.stream()
    await stream.hear()
    await stream.say(refusal=play_pb2.Refusal(message="protocol 1 is no longer spoken: update"))
    code, out, err = await finish(process)
    assert (code, out) == (2, "")
    assert err == f"Player: refused by the referee at {referee.address}: protocol 1 is no longer spoken: update\n"


async def test_a_goodbye_ends_the_process_well(referee, tmp_path):
    """After the referee's goodbye the exit code is 0 and nothing was written to standard output."""
    process = await spawn(script("bluke_sdk.run(Player)", tmp_path), BLUKE_SERVER=referee.address)
    stream = await referee.welcomed()
    await stream.answer(bid_turn())
    await stream.say(goodbye=play_pb2.Goodbye(reason="closing"))
    assert await finish(process) == (0, "", "")


@pytest.mark.parametrize("thinking", [False, True])
async def test_a_signal_is_a_goodbye(referee, tmp_path, thinking):
    """SIGTERM makes the bot say goodbye and leave, even while its own code never comes to an end."""
    body = (
        "Player.play = lambda self, view: print('thinking', file=sys.stderr, flush=True) or exec('while True: pass')\n"
    )
    process = await spawn(script(body + "bluke_sdk.run(Player)", tmp_path), BLUKE_SERVER=referee.address)
    stream = await referee.welcomed()
    await stream.answer(bid_turn())
    if thinking:
        await stream.ask(play_turn("g"), play_turn("h"))
        assert process.stderr is not None
        assert await process.stderr.readline() == b"thinking\n"
    process.terminate()
    assert (await stream.hear()).goodbye.reason == "SIGTERM"
    stream.end()
    assert await finish(process) == (143, "", "")


class Named(Plain):
    name: ClassVar[str] = "Named in its class"


async def test_the_class_may_say_its_name(referee, start):
    """A class attribute names the bot."""
    start(Named)
    stream = await referee.stream()
    assert (await stream.hear()).hello.name == "Named in its class"
