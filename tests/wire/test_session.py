"""The session machines, without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bluke.errors import ArenaError, PeerError
from bluke.v1 import play_pb2 as play_pb
from bluke.wire.session import SEAT, STREAM, SeatState, Speaker, StreamMachine, StreamState, seat_step

if TYPE_CHECKING:
    from enum import Enum

HELLO = play_pb.PlayRequest(hello=play_pb.Hello(name="x")).SerializeToString()
MOVES = play_pb.PlayRequest(moves=play_pb.Moves()).SerializeToString()
REQUESTS = set(play_pb.PlayRequest.DESCRIPTOR.fields_by_name)
RESPONSES = set(play_pb.PlayResponse.DESCRIPTOR.fields_by_name)


def machine(*, opened: bool = False) -> StreamMachine:
    made = StreamMachine(1000)
    if opened:
        made.receive(HELLO)
        made.send("welcome")
    return made


def test_every_payload_has_a_place_in_the_tables():
    """What the envelopes can hold and what the tables speak of are the same things."""
    said = {key for row in STREAM.values() for key in row}
    assert {payload for speaker, payload in said if speaker is Speaker.BOT} == REQUESTS
    assert {payload for speaker, payload in said if speaker is Speaker.REFEREE} == RESPONSES
    assert {payload for row in SEAT.values() for _, payload in row} <= REQUESTS | RESPONSES


def test_every_state_is_listed_and_can_be_reached():
    """Tables have a row for each state, the terminal ones empty, and no state is unreachable."""
    tables: list[tuple[Any, type[Enum]]] = [(STREAM, StreamState), (SEAT, SeatState)]
    for table, states in tables:
        assert set(table) == set(states)
        reached = {next(iter(states))}
        for _ in states:
            reached |= {after for state in reached for after in table[state].values()}
        assert reached == set(states)
    assert STREAM[StreamState.CLOSED] == {}


def test_a_hello_opens_a_stream():
    """After a hello and a welcome, moves may be said."""
    opened = machine(opened=True)
    assert opened.receive(MOVES).HasField("moves")
    assert opened.state is StreamState.OPEN


@pytest.mark.parametrize("data", [MOVES, play_pb.PlayRequest().SerializeToString()])
def test_a_stream_begins_with_a_hello(data: bytes):
    """Anything else first is the bot's error and ends the stream."""
    fresh = machine()
    with pytest.raises(PeerError):
        fresh.receive(data)
    assert fresh.state is StreamState.CLOSED


def test_a_second_hello_is_refused():
    """A bot introduces itself once."""
    opened = machine(opened=True)
    with pytest.raises(PeerError, match="hello may not be said"):
        opened.receive(HELLO)


def test_a_payload_of_a_later_version_is_skipped():
    """A newer bot may say things that are unknown here; they change nothing."""
    opened = machine(opened=True)
    unknown = b"\xaa\x06\x00"  # field 101, an empty message
    assert opened.receive(unknown).WhichOneof("payload") is None
    assert opened.state is StreamState.OPEN


def test_unknown_fields_are_skipped():
    """A field that is unknown here does not disturb those that are known."""
    opened = machine(opened=True)
    request = play_pb.PlayRequest.FromString(MOVES + b"\xaa\x06\x00")
    assert opened.receive(request.SerializeToString()).HasField("moves")


def test_a_long_message_is_refused():
    """Messages are limited before they are read."""
    with pytest.raises(PeerError, match="limit is 1000"):
        machine(opened=True).receive(bytes(1001))


def test_the_referee_may_not_break_its_own_protocol():
    """What we may not say is an error of ours, not of the bot."""
    with pytest.raises(ArenaError):
        machine().send("turns")
    with pytest.raises(ArenaError):
        seat_step(SeatState.OVER, Speaker.REFEREE, "turns")
    with pytest.raises(PeerError):
        seat_step(SeatState.WAITING, Speaker.BOT, "moves")


def test_nothing_is_asked_after_the_end():
    """No table lets a turn follow the result of a game or the end of a stream."""
    assert (Speaker.REFEREE, "turns") not in SEAT[SeatState.OVER]
    assert (Speaker.REFEREE, "turns") not in STREAM[StreamState.CLOSED]


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_a_message_or_the_peers_error(data: bytes, opened: bool):
    """Whatever a bot sends is read or refused with the one documented error."""
    stream = machine(opened=opened)
    try:
        stream.receive(data)
    except PeerError:
        assert stream.state is StreamState.CLOSED


def test_messages_do_not_share_memory():
    """A message stays as it was when the next one is read: one that is parsed into again gives no memory back."""
    stream = machine(opened=True)
    first = stream.receive(play_pb.PlayRequest(error=play_pb.BotError(detail="first")).SerializeToString())
    second = stream.receive(play_pb.PlayRequest(error=play_pb.BotError(detail="second")).SerializeToString())
    assert (first.error.detail, second.error.detail) == ("first", "second")
