"""The bots of all clients keep to the protocol, as far as is known."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli.commands import CODE
from clients.built import LANGUAGES, ROOT, command_of

from bluke.arena.conformance.case import load_cases
from bluke.arena.conformance.say import read_known


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("language", LANGUAGES)
def test_bot_keeps_to_the_protocol(language: str):
    """`bluke check` finds nothing but what is listed beside the client."""
    command = command_of(language)
    known = ROOT / "clients" / language / "known-failing.txt"
    done = subprocess.run(
        [sys.executable, "-c", CODE, "check", "--known-failing", str(known), "--", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_known_to_fail(language: str):
    """No client has a known failure: whoever lists one takes it off again, or changes this test with a reason."""
    known = ROOT / "clients" / language / "known-failing.txt"
    assert read_known(known, {case.name for case in load_cases()}) == set()
