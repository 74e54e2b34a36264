from __future__ import annotations

import pytest
from google.protobuf.unknown_fields import UnknownFieldSet

from bluke.errors import ArenaError
from bluke.referee.scripted import change, message_of, shown, unknown, with_unknown
from bluke.referee.scripted_game import ScriptedGame, envelope
from bluke.rules import CutRule, Rules
from bluke.v1 import game_pb2, play_pb2

RULES = Rules(seats=4, hands=(3, 2))


def game(*seats: int, rules: Rules = RULES, first: int = 1) -> ScriptedGame:
    return ScriptedGame("g", rules, "seed", seats=seats or (0,), first_decision=first)


def answer(turn: play_pb2.Turn | None, value: int | None = None) -> play_pb2.Move:
    assert turn is not None
    field = {game_pb2.ASKED_CUT: "cut", game_pb2.ASKED_BID: "bid", game_pb2.ASKED_PLAY: "card"}[turn.asked]
    number = turn.legal[0] if value is None else value
    move = play_pb2.Move(game_id=turn.game_id, decision_id=turn.decision_id)
    setattr(move, field, number)
    return move


def test_a_whole_game():
    """The bot is asked for its seats only, each legal answer is taken, and every hand is scored for each seat."""
    one = game(1, 3)
    asked, scored = [], 0
    while (turn := one.ask()) is not None:
        asked.append((turn.seat, turn.asked))
        assert one.take(answer(turn)) == ""
        scored += len(one.scored())
    scored += len(one.scored())
    assert {seat for seat, _ in asked} == {1, 3}
    assert len(asked) == 2 * (2 + 3 + 2)
    assert scored == 2 * 2
    assert one.over
    assert [over.seat for over in one.finished()] == [1, 3]
    assert sum(one.finished()[0].result.totals) == sum(one.finished()[1].result.totals)


def test_same_seed_same_game():
    """Everything follows from the seed and the bot's answers."""
    assert game().ask("play", 1) == game().ask("play", 1)


def test_turns_tell_the_last_decision():
    """A decision that the bot made itself, and one that was made for it."""
    one = game()
    first = one.ask()
    assert first is not None
    assert not first.HasField("last")
    one.take(answer(first))
    second = one.ask()
    assert second is not None
    assert (second.last.decision_id, second.last.by_referee) == (first.decision_id, False)
    applied = one.answer_for(fixed=True)
    third = one.ask()
    assert third is not None
    assert (third.last.decision_id, third.last.applied, third.last.by_referee) == (second.decision_id, applied, True)


@pytest.mark.parametrize("kind", ["cut", "bid", "play"])
def test_ask_for_a_kind(kind: str):
    """It plays on until that kind is due."""
    one = game(0, 1, 2, 3, rules=Rules(seats=4, hands=(3, 2), cut=CutRule.PLAYER))
    turn = one.ask(kind)
    assert turn is not None
    assert turn.asked == game_pb2.Asked.Value(f"ASKED_{kind.upper()}")


def test_ask_for_a_trick():
    """It plays on to that trick of a hand."""
    turn = game().ask("play", 2)
    assert turn is not None
    assert len(turn.view.cards) == 1


def test_ask_for_what_never_comes():
    """There is none."""
    assert game().ask("cut") is None


def test_without_a_clock():
    """Both times are absent."""
    turn = ScriptedGame("g", RULES, "seed", seats=[0], timed=False).ask()
    assert turn is not None
    assert not turn.HasField("decision_left_ms")
    assert not turn.HasField("bank_left_ms")


def test_moves_that_are_wrong():
    """Each is told what is wrong with it, and leaves the decision open."""
    one = game(first=2**32)
    turn = one.ask()
    assert turn is not None
    assert turn.decision_id >= 2**32
    assert one.take(answer(turn, 9)) == "the answer 9 is illegal"
    assert "asks for a bid, and the move holds no answer" in one.take(
        play_pb2.Move(game_id="g", decision_id=turn.decision_id)
    )
    assert "was never asked" in one.take(play_pb2.Move(game_id="g", decision_id=2, bid=1))
    assert "was never asked" in one.take(play_pb2.Move(game_id="g", decision_id=turn.decision_id + 1, bid=1))
    assert one.turn is turn
    assert one.take(answer(turn)) == ""
    assert one.turn is None


def test_a_second_answer_is_stale():
    """It is no mistake, and does nothing."""
    one = game()
    turn = one.ask()
    assert one.take(answer(turn)) == ""
    assert one.take(answer(turn)) == ""
    assert one.turn is None


def test_void_and_seedless_results():
    """A void game has no places and no seed; a seed can be left for later."""
    one = game()
    (void,), (later,), (seed,) = one.finished(void=True), one.finished(seed=False), one.revealed()
    assert (void.result.status, list(void.result.places), void.HasField("game_seed")) == (
        play_pb2.GAME_STATUS_VOID,
        [],
        False,
    )
    assert not later.HasField("game_seed")
    assert len(seed.game_seed) == 32


@pytest.mark.parametrize("field", ["game_started", "hand_scored", "game_over", "seed_revealed", "events"])
def test_envelope(field: str):
    """Each message is put under its own name."""
    part = getattr(play_pb2.PlayResponse(), field)
    assert envelope(part).WhichOneof("payload") == field


def test_unknown_fields_go_everywhere():
    """Every message of a message gets one, and what is known is still there."""
    message = envelope(game().started()[0])
    before = play_pb2.PlayResponse()
    before.CopyFrom(message)
    with_unknown(message, 300)
    read = play_pb2.PlayResponse.FromString(message.SerializeToString())
    started = read.game_started
    for part in (read, started, started.rules, started.limits, started.players[3], started.draw[0].cards[0]):
        assert [len(field.data) for field in iter(UnknownFieldSet(part))] == [300]
    read.DiscardUnknownFields()
    assert read == before


def test_unknown_alone_is_a_message():
    """It can be read, and says nothing that is known."""
    assert play_pb2.PlayResponse.FromString(unknown(20)).WhichOneof("payload") is None


def test_messages_from_data():
    """Names are those of the .proto files; numbers stand for enum values that nobody knows; what is none is refused."""
    message = message_of({"fault": {"game_id": "g", "kind": 99}})
    assert message.fault.kind == 99
    with pytest.raises(ArenaError, match=r"no message of the referee: .*nonsense"):
        message_of({"nonsense": {}})


def test_changes_of_a_turn():
    """Single fields are set, lists are replaced, and the rest stays."""
    turn = game().ask()
    assert turn is not None
    change(turn, {"view": {"trump": 99, "totals": [1, 2, 3, 4]}})
    assert (turn.view.trump, list(turn.view.totals), turn.view.size) == (99, [1, 2, 3, 4], 3)
    with pytest.raises(ArenaError, match="no fields of a turn"):
        change(turn, {"nonsense": 1})


def test_long_messages_are_cut_when_shown():
    """One line, and not a long one."""
    text = shown(play_pb2.PlayRequest(error=play_pb2.BotError(detail="x" * 1000)))
    assert text.startswith('error { detail: "xxx')
    assert len(text) == 403
