"""What came of a check as lines for a terminal and as data for programs, with what is known to fail."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Any

from bluke.arena.conformance.run import Verdict
from bluke.errors import ConfigError
from bluke.replay.text import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from bluke.arena.conformance.run import Result

__all__ = ["PAGE", "Standing", "as_data", "good", "read_known", "result_lines", "standing", "summary_lines"]

#: Where the sentences of the cases stand.
PAGE = "docs/protocol.md"
#: So many of the last lines on stderr are shown.
LINES_SHOWN = 8


class Standing(Enum):
    """What a result means, the list of known failures considered."""

    PASS = "ok"  # noqa: S105 - no password
    FAIL = "FAIL"
    KNOWN = "known"
    UNEXPECTED = "PASSES"
    NONE = "no verdict"


#: Those with which a check is as it should be.
GOOD = {Standing.PASS, Standing.KNOWN}


def read_known(path: Path, names: Collection[str]) -> set[str]:
    """The cases that a file lists, one a line; what follows a `#` is a comment.

    Raises:
        ConfigError: it cannot be read, or names a case that there is not.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    known = set()
    for number, line in enumerate(lines, 1):
        name = line.partition("#")[0].strip()
        if name and name not in names:
            msg = f"{path}:{number}: there is no case {visible(name)}; `bluke check --list` names them"
            raise ConfigError(msg)
        known |= {name} - {""}
    return known


def standing(result: Result, known: Collection[str]) -> Standing:
    """What a result means."""
    listed = result.case.name in known
    match result.verdict:
        case Verdict.PASS:
            return Standing.UNEXPECTED if listed else Standing.PASS
        case Verdict.FAIL:
            return Standing.KNOWN if listed else Standing.FAIL
        case Verdict.NONE:
            return Standing.NONE


def good(results: Sequence[Result], known: Collection[str]) -> bool:
    """Whether all is as expected."""
    return all(standing(result, known) in GOOD for result in results)


def result_lines(result: Result, known: Collection[str], known_file: Path | None) -> Iterator[str]:
    """A line for the result, and more where something is to be said; none holds what does not print as itself."""
    what, case = standing(result, known), result.case
    yield f"{what.value:10}  {case.name}"
    if what is Standing.NONE:
        yield from _indented(("because", visible(result.arrived)), ("meaning", "this says nothing about the bot"))
    elif what is Standing.UNEXPECTED:
        yield from _indented(("because", f"it is listed as failing: remove it from {visible(str(known_file))}"))
    elif what is Standing.FAIL:
        did = getattr(type(case.steps[result.step - 1]), "__struct_config__").tag if result.step else ""  # noqa: B009
        yield from _indented(
            ("expected", visible(result.expected)),
            ("arrived", visible(result.arrived)),
            ("at", f"step {result.step} of {len(case.steps)}, {did}; the case: {case.about}"),
            ("says", f'"{case.sentence}"'),
            ("where", f"{PAGE}, {case.section}"),
            *((("stderr" if not at else "", f"| {visible(line)}")) for at, line in enumerate(_last(result.stderr))),
        )


def _last(lines: Sequence[str]) -> Sequence[str]:
    return lines[-LINES_SHOWN:] or ["(nothing)"]


def _indented(*rows: tuple[str, str]) -> Iterator[str]:
    for head, text in rows:
        yield f"{'':10}    {head:8}  {text}"


def summary_lines(results: Sequence[Result], known: Collection[str]) -> Iterator[str]:
    """How many cases came to what."""
    counts = Counter(standing(result, known) for result in results)
    words = {
        Standing.PASS: "passed",
        Standing.FAIL: "failed",
        Standing.KNOWN: "failed as is known",
        Standing.UNEXPECTED: "passed though listed as failing",
        Standing.NONE: "without a verdict",
    }
    yield ", ".join(f"{counts[one]} {said}" for one, said in words.items() if counts[one] or one is Standing.PASS)


def as_data(results: Sequence[Result], known: Collection[str]) -> dict[str, Any]:
    """The whole check for programs; texts of the bot are as they came."""
    return {
        "ok": good(results, known),
        "counts": dict(Counter(standing(result, known).name.lower() for result in results)),
        "cases": [
            {
                "name": result.case.name,
                "standing": standing(result, known).name.lower(),
                "section": result.case.section,
                "sentence": result.case.sentence,
                "expected": result.expected,
                "arrived": result.arrived,
                "step": result.step,
                "stderr": result.stderr,
                "seconds": result.seconds,
            }
            for result in results
        ],
    }
