from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from fuzz.script import Script
from fuzz.targets import TARGETS, Target
from hypothesis import given, settings
from hypothesis import strategies as st

every_target = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)


def inputs(target: Target) -> st.SearchStrategy[bytes]:
    """Inputs of the corpus with parts exchanged, cut out and put in, and any bytes at all."""
    some = st.sampled_from(target.corpus)
    few = st.binary(max_size=12)

    @st.composite
    def changed(draw: st.DrawFn) -> bytes:
        data = draw(some)
        for _ in range(draw(st.integers(1, 4))):
            at = draw(st.integers(0, len(data)))
            upto = draw(st.integers(at, min(at + 40, len(data))))
            data = data[:at] + draw(st.one_of(few, few, some)) + data[upto:]
        return data

    return st.one_of(st.binary(max_size=target.most), changed(), changed())


@every_target
def test_the_corpus(target: Target):
    """Every input that once broke a target, or that gets far, is accepted or refused as it should be."""
    assert target.corpus
    for data in target.corpus:
        target.check(data)


@pytest.mark.slow
@every_target
def test_any_input(target: Target):
    """Whatever comes is accepted, or refused with the one documented error."""
    tries = 1_000 if target.runs >= 20_000 else 300

    @settings(max_examples=tries)
    @given(inputs(target))
    def check(data: bytes) -> None:
        target.check(data)

    check()


@given(st.binary(max_size=40))
def test_a_script_never_ends(data: bytes):
    """A script that is used up still says something, and the same bytes say the same."""
    one, two = Script(data), Script(data)
    for _ in range(30):
        assert one.number(near=7) == two.number(near=7)
        assert one.text() == two.text()
        assert one.blob() == two.blob()
        assert one.pick("abc") == two.pick("abc")
    assert not one
    assert one.pick("abc") == "a"
    assert one.byte() == 0


def run_atheris(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(__file__).with_name("run_atheris.py")
    return subprocess.run(
        [sys.executable, str(program), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not installed: `make fuzz` does so")
def test_fuzz_with_atheris(tmp_path: Path):
    """The program tries as many inputs as it is told, and leaves nothing behind where nothing breaks."""
    done = run_atheris("session", "notation", "--runs", "200", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["session: 200 inputs", "notation: 200 inputs"]
    assert list(tmp_path.iterdir()) == []


def test_try_one_input(tmp_path: Path):
    """One file is tried alone, without atheris; an unknown target is refused with those there are."""
    path = tmp_path / "input"
    path.write_bytes(b"9H")
    done = run_atheris("notation", "--input", str(path), folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"notation: {path} is fine\n")
    done = run_atheris("nothing", folder=tmp_path)
    assert done.returncode == 2
    assert "the targets are session, table, " in done.stderr
