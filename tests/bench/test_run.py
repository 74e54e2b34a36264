from __future__ import annotations

from dataclasses import replace

import pytest

from bluke.bench.cases import CASES
from bluke.bench.effort import QUICK, Bench
from bluke.bench.run import run_cases
from bluke.bench.runs import need_files, programs, said_last
from bluke.errors import ArenaError

ONE = replace(CASES[0], pair=lambda _bench, flip: {"flip": float(flip)})


def test_pairs_take_turns():
    """The control comes second in one pair and first in the next, and each pair is announced."""
    told: list[str] = []
    (result,) = run_cases([ONE], QUICK, 3, told.append)
    assert result.pairs == ({"flip": 0.0}, {"flip": 1.0}, {"flip": 0.0})
    assert told == ["one-game: pair 1 of 3", "one-game: pair 2 of 3", "one-game: pair 3 of 3"]


def test_what_is_not_installed():
    """What needs a module that is not there is left out, and it is said how to get it."""
    (result,) = run_cases([replace(ONE, needs="no_such_module")], QUICK, 3, pytest.fail)
    assert result.pairs == ()
    assert result.left_out.startswith("no_such_module is not installed; ")


def test_program_that_fails():
    """A program that ends before its time is an error with its last words."""
    told = r"the measurement's no_such_program ended before its time: .*No module named"
    with programs("no_such_program") as program, pytest.raises(ArenaError, match=told):
        program.said()


def test_files(monkeypatch):
    """The limit of open files is raised where that is allowed, and otherwise it is said what to do."""
    resource = pytest.importorskip("resource", reason="no limits of that kind here")
    limits = [256, 1024]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(resource, "setrlimit", lambda _, values: limits.__setitem__(slice(None), values))
    need_files(100)
    assert limits == [256, 1024]
    need_files(1000)
    assert limits == [1000, 1024]
    with pytest.raises(ArenaError, match="2000 open files are needed and 1024 are allowed here"):
        need_files(2000)


def test_last_words():
    """The reason is the last line that is none of blanks."""
    assert said_last(b"Traceback\n  in it\nValueError: it\xff\n \n") == "ValueError: it\ufffd"
    assert said_last(b"") == ""


@pytest.mark.slow
def test_referee_keeps_up(tmp_path):
    """Replays of a measurement are whole games that verify; their programs are gone afterwards."""
    from bluke.replay.verify import verify

    bench = Bench(tmp_path, replace(QUICK, replays=2))
    assert [verify(path).problem for path in bench.replays] == ["", ""]
