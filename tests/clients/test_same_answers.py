from __future__ import annotations

import pytest
from clients.asking import Asked, ask_all
from clients.built import LANGUAGES, command_of
from clients.fields import READ, changed, leaves, shown, wanted
from clients.recorded import HOSTILE, SETTINGS, Talk, rule_answers, talks

from bluke.v1 import game_pb2 as game_pb
from bluke.v1 import play_pb2 as play_pb

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

#: Where another value of a field makes no view of the game any more, a bot may answer as it likes.
NONSENSE = (LookupError, ValueError, TypeError, ArithmeticError)
ANSWERS = {game_pb.ASKED_CUT: "cut", game_pb.ASKED_BID: "bid", game_pb.ASKED_PLAY: "card"}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[Talk]:
    """All that every seat of every game was told."""
    return talks(tmp_path_factory.mktemp("games"))


def where(asked: Asked) -> str:
    """Which decision it is, and all that was to be known for it."""
    turn = asked.turn
    return f"{asked.talk.setting.name}, seat {turn.seat}, decision {turn.decision_id}:\n{turn}"


def differing(asked: list[Asked]) -> str:
    """The first decision, in the order of the games, that is not answered as the Python bot does; empty for none."""
    places = {setting: number for number, setting in enumerate(SETTINGS)}
    for one in sorted(asked, key=lambda one: (places[one.talk.setting], one.turn.decision_id)):
        said, wanted_answer = one.move.WhichOneof("answer"), rule_answers(one.turn)
        now = None if said is None else (said, getattr(one.move, said))
        if now != (ANSWERS[one.turn.asked], wanted_answer):
            return f"answered {now} instead of {wanted_answer}: {where(one)}"
    return ""


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_language_answers_every_decision_alike(language: str, told: list[Talk]):
    """Asked all that the seats of the games were asked, each bot answers as the Python one, and so as every other."""
    asked = await ask_all(command_of(language), told)
    assert len(asked) == sum(len(talk.turns) for talk in told) > 4000
    assert differing(asked) == ""
    assert not any(one.move.HasField("note") for one in asked), "none of them explains itself"


async def test_one_wrong_answer_is_found(told: list[Talk]):
    """The decision that was answered otherwise is named, with all that there was to know."""
    some = [talk for talk in told if talk.setting.name == "players cut"]
    asked = await ask_all(command_of("python"), some)
    wrong = asked[len(asked) // 2]
    field = wrong.move.WhichOneof("answer") or ""
    setattr(wrong.move, field, getattr(wrong.move, field) + 1)
    assert f"players cut, seat {wrong.turn.seat}, decision {wrong.turn.decision_id}:\n" in differing(asked)


def test_the_games_use_every_field(told: list[Talk]):
    """Each field of a turn holds something somewhere, each enum each of its values, and what may be absent is."""
    seen = {mark for talk in told for turn in talk.turns for mark in shown(turn)}
    assert wanted() - seen == set()


def test_the_games_are_of_every_kind(told: list[Talk]):
    """Few seats and many, whole packs, Blukes led under either rule, forfeits and hostile names are among them."""
    turns = [turn for talk in told for turn in talk.turns]
    assert {turn.view.rules.seats for turn in turns} >= {2, 3, 4, 5, 7, 9, 15}
    assert {turn.view.size for turn in turns} >= {1, 13, 18, 27}
    assert any(turn.view.trump == game_pb.TRUMP_NONE and turn.view.HasField("turned") for turn in turns)
    to_follow = [turn for turn in turns if turn.view.tricks and not turn.view.tricks[-1].HasField("winner")]
    bluke_led = {turn.view.rules.bluke_led for turn in to_follow if turn.view.tricks[-1].cards[0] >= 52}
    assert bluke_led == {game_pb.BLUKE_LED_FREE, game_pb.BLUKE_LED_TRUMP}
    messages = [message for talk in told for message in talk.messages]
    over = [message.game_over.result for message in messages if message.HasField("game_over")]
    assert {result.status for result in over} == {play_pb.GAME_STATUS_COMPLETE, play_pb.GAME_STATUS_FORFEITED}
    assert any(result.played_out for result in over)
    assert {player.name for message in messages for player in message.game_started.players} >= set(HOSTILE)


def test_what_it_reads_is_what_matters(told: list[Talk]):
    """Another value in a field that `rule` reads changes some answer, and one in any other field changes none."""
    picked = [turn for talk in told for turn in talk.turns[::5]]
    assert {path for path, _ in leaves() if matters(path, picked)} == READ


def matters(path: str, turns: list[play_pb.Turn]) -> bool:
    for turn in turns:
        usual = rule_answers(turn)
        for other in changed(turn, path):
            try:
                if rule_answers(other) != usual:
                    return True
            except NONSENSE:
                # Only a field that is looked at can be too odd.
                return True
    return False


def test_every_seat_is_asked(told: list[Talk]):
    """No seat is without a decision, unless the game was forfeited before it came to that."""
    assert {talk.setting.name for talk in told if not talk.turns} <= {"forfeited"}
