"""Hellos that are refused, whoever sends them."""

from __future__ import annotations

import pytest

from bluke.v1 import play_pb2 as play_pb
from bluke.wire.hello import StreamLimits, hello_problem, limits_of_stream


def test_a_plain_hello_is_no_problem():
    """One common version is enough, whatever else the bot speaks."""
    assert hello_problem(play_pb.Hello(protocols=[9, 1]), StreamLimits(), "referee 1") is None


@pytest.mark.parametrize(
    ("protocols", "cure"), [([2, 3], "update the referee"), ([0], "update the bot"), ([], "update the bot")]
)
def test_no_version_in_common(protocols: list[int], cure: str):
    """The refusal names both sides' versions and what to do."""
    refusal = hello_problem(play_pb.Hello(protocols=protocols), StreamLimits(), "referee 1")
    assert refusal is not None
    assert refusal.reason == play_pb.REFUSAL_REASON_PROTOCOL
    assert (list(refusal.bot_protocols), list(refusal.server_protocols)) == (protocols, [1])
    assert cure in refusal.message
    assert "referee 1" in refusal.message


@pytest.mark.parametrize("field", ["name", "version", "sdk", "author"])
def test_labels_are_limited_in_bytes(field: str):
    """64 bytes of UTF-8 are fine, one more is refused, and the refusal says which field."""
    fine = play_pb.Hello(protocols=[1])
    long = play_pb.Hello(protocols=[1])
    setattr(fine, field, "é" * 32)
    setattr(long, field, "é" * 32 + "x")
    assert hello_problem(fine, StreamLimits(), "r") is None
    refusal = hello_problem(long, StreamLimits(), "r")
    assert refusal is not None
    assert refusal.reason == play_pb.REFUSAL_REASON_HELLO
    assert field in refusal.message


def test_the_welcome_names_every_limit():
    """No limit of a stream goes without saying."""
    told = limits_of_stream(StreamLimits(), 7)
    assert all(value for _, value in told.ListFields())
    assert len(told.ListFields()) == len(told.DESCRIPTOR.fields)
    assert told.max_games == 7
