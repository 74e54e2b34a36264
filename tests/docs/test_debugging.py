"""The walk from a lost game to the line of code is walked as it is written.

`UPDATE_GOLDEN=1 pytest tests/docs/test_debugging.py` writes what the commands answer into the page. What stands between
the blocks is for a person to read again then; `test_figures` says which figures are gone.
"""

from __future__ import annotations

import difflib
import html
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/debugging.md"
BLOCK = re.compile(r"^```(console|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Quotations, and the rows of tables but for the first.
QUOTED = re.compile(r"^[>|] .*$(?!\n\|-)", re.MULTILINE)
#: A card's rank is none.
FIGURE = re.compile(r"\d+(?:\.\d+)?(?![\d♠])")
#: A line of this stands for any lines, and for none.
ELIDED = "..."
#: Where the reader's checkout is.
HOME = "/home/ann/bluke"
#: Far beyond what a command takes on a machine that has other work.
PATIENCE_SECONDS = 600
#: What differs from run to run and from machine to machine, and what stands in its place when texts are compared.
VARYING = (
    # the last two columns of the standings are times
    (re.compile(r"^(\d+  .*%  +\d+/\d+/\d+ +\d+) +[\d.]+ +[\d.]+$"), r"\1 TIME TIME"),
    (re.compile(r"\b\d+(\.\d+)? ms\b"), "TIME"),
    (re.compile(r"\b\d+ kB\b"), "SIZE"),
    # columns are as wide as what is in them
    (re.compile(r" +"), " "),
)


@dataclass(frozen=True)
class Step:
    """What the reader does: a command, or a change to a file.

    Attributes:
        command: what is typed; empty for a change.
        shown: the lines that the page shows: what the command answers, or the change.
        place: where these lines are in the page.
    """

    command: str
    shown: tuple[str, ...]
    place: slice


def steps(text):
    """All steps of a page, in order."""
    for block in BLOCK.finditer(text):
        kind, body = block.groups()
        if kind == "diff":
            yield Step("", tuple(body.splitlines()), slice(*block.span(2)))
            continue
        assert body.startswith("$ "), f"no command: {body}"
        for typed in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.MULTILINE):
            start, end = (block.start(2) + at for at in typed.span(2))
            yield Step(typed[1], tuple(typed[2].splitlines()), slice(start, end))


def plain(line):
    """A line without what varies."""
    for pattern, stead in VARYING:
        line = pattern.sub(stead, line)
    return line.rstrip()


def agrees(shown, got):
    """Whether the lines of the page are those that were printed."""
    pattern = "".join(r"(?:.*\n)*?" if line == ELIDED else re.escape(plain(line)) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(plain(line) + "\n" for line in got)) is not None


def renewed(shown, got):
    """The lines to show instead: what is elided stays so, and each other part becomes what is most like it."""
    out: list[str] = []
    at = 0
    if ELIDED not in shown:
        return list(got)
    for elided, lines in groupby(shown, key=ELIDED.__eq__):
        part = list(lines)
        if not elided:
            places = range(at, len(got) - len(part) + 1)
            assert places, f"too little was printed for {part}"
            at = max(places, key=lambda place: alike(part, got[place : place + len(part)]))
            part = got[at : at + len(part)]
            at += len(part)
        out += part
    return out


def alike(one, other):
    """How much two lists of lines have in common, 0 to 1."""
    return difflib.SequenceMatcher(None, "\n".join(one), "\n".join(other), autojunk=False).ratio()


class Walk:
    """Somebody who reads the page in a checkout of their own and does what it says.

    Attributes:
        root: their checkout.
        folder: where they are in it.
    """

    def __init__(self, root):
        """Make the checkout: what the page uses of it."""
        self.root = self.folder = root.resolve()
        for name in ("clients", "docs"):
            (self.root / name).symlink_to(ROOT / name)
        # The programs of this environment are on the PATH already.
        activate = self.root / ".venv/bin/activate"
        activate.parent.mkdir(parents=True)
        activate.touch()
        kept = {name: value for name, value in os.environ.items() if not name.startswith("BLUKE_")}
        path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
        self.environment = {**kept, "PATH": path, "COLUMNS": "120", "TERM": "dumb", "PWD": str(self.root)}

    def type(self, command):
        """Run a command as bash does, and go where it goes.

        Returns:
            What it printed on stdout, with the page's checkout in the place of this one, and its exit code.
        """
        where = self.root / "where"
        script = f'{command}\ncode=$?\npwd >"{where}"\nexit $code'
        with subprocess.Popen(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        ) as process:
            try:
                printed, errors = process.communicate(timeout=PATIENCE_SECONDS)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode in {0, 1}, f"{command}\n{printed}{errors}"
        self.folder = Path(where.read_text(encoding="utf-8").strip())
        return printed.replace(str(self.root), HOME).splitlines(), process.returncode

    def change(self, diff):
        """Change a file as a unified diff says."""
        path = self.folder / named(diff)
        path.write_text(changed(path.read_text(encoding="utf-8"), diff), encoding="utf-8")


def named(diff):
    """The file that a diff changes."""
    return diff[1].removeprefix("+++ ")


def changed(text, diff):
    """A text as it is after a diff with one hunk."""
    old, new = ("".join(f"{line[1:]}\n" for line in diff[3:] if line[:1] != sign) for sign in "+-")
    assert text.count(old) == 1, f"there are no such lines:\n{old}"
    return text.replace(old, new)


def words_of(report):
    """The text of a page of HTML, each run of blanks one."""
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", report, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def quotes(text):
    """What the page takes from the report: quotations, each in one line, and the rows of its tables."""
    for line in QUOTED.findall(text):
        yield " ".join(line[1:].replace("|", " ").split())


@pytest.mark.slow
@pytest.mark.timeout(3 * PATIENCE_SECONDS)
def test_walk(tmp_path):
    """Every command answers what the page shows, and the report says what the page says that it does."""
    text = after = PAGE.read_text(encoding="utf-8")
    walk = Walk(tmp_path)
    wrong = []
    anew: list[tuple[slice, str]] = []
    for step in steps(text):
        if not step.command:
            walk.change(step.shown)
            continue
        got, code = walk.type(step.command)
        assert (code == 1) == any(re.search(r"\b[1-9]\d* (differ|changed)$", line) for line in got), step.command
        if not agrees(step.shown, got):
            wrong.append("\n".join([f"$ {step.command}", *got]))
            anew.append((step.place, "".join(f"{line}\n" for line in renewed(step.shown, got))))
    report = words_of((walk.folder / "lost/report.html").read_text(encoding="utf-8"))
    if os.environ.get("UPDATE_GOLDEN"):
        # From the end, so that what is written moves nothing that is still to be.
        for place, lines in reversed(anew):
            after = after[: place.start] + lines + after[place.stop :]
        PAGE.write_text(after, encoding="utf-8")
    else:
        assert not wrong, "the page shows something else than\n" + "\n\n".join(wrong)
    assert [quote for quote in quotes(text) if quote not in report] == []
    for step in steps(text):
        if step.command.startswith("bluke replay html"):
            assert step.command in report, "the report offers this command"


def test_the_change():
    """The bot that is there has the mistake, and the page mends it by one line for one line, as `diff -U2` shows it."""
    (diff,) = (step.shown for step in steps(PAGE.read_text(encoding="utf-8")) if not step.command)
    name = named(diff)
    before = (ROOT / "docs/walk" / name).read_text(encoding="utf-8")
    after = changed(before, diff)
    exact = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, n=2, lineterm="")
    assert list(exact) == list(diff)
    assert [line[0] for line in diff[3:]] == [" ", " ", "-", "+", " ", " "]


def test_figures():
    """No figure of two digits or more stands in the text alone: it is in what is shown beside it."""
    text = PAGE.read_text(encoding="utf-8")
    beside = [block[2] for block in BLOCK.finditer(text)]
    rest = BLOCK.sub("", text)
    beside += QUOTED.findall(rest)
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|^#.*$", "", QUOTED.sub("", rest), flags=re.MULTILINE)
    told = {figure for figure in FIGURE.findall(prose) if len(figure) > 1}
    assert told
    assert told <= set(FIGURE.findall("\n".join(beside)))


@pytest.mark.parametrize(
    ("shown", "got", "agree", "anew"),
    [
        (["a", "b"], ["a", "b"], True, ["a", "b"]),
        (["a", "b"], ["a", "c", "d"], False, ["a", "c", "d"]),
        (["...", "best 1", "..."], ["x", "best 1", "y"], True, ["...", "best 1", "..."]),
        (["...", "best 1"], ["x", "best 2"], False, ["...", "best 2"]),
        (["a", "...", "z 1", "..."], ["b", "z 3", "q"], False, ["b", "...", "z 3", "..."]),
        (["it took 3 ms"], ["it took 12.5 ms"], True, ["it took 12.5 ms"]),
        (["it took 3 ms"], ["it lost 3 ms"], False, ["it lost 3 ms"]),
        ([], [], True, []),
        ([], ["a"], False, ["a"]),
        (["..."], [], True, ["..."]),
    ],
)
def test_comparison(shown, got, agree, anew):
    """Lines are compared but for times, dots stand for any lines, and they are kept when the others are renewed."""
    assert agrees(shown, got) is agree
    assert renewed(shown, got) == anew
    assert agrees(anew, got)
