"""A copy of a replay with its regrets written into the notes of the moves.

Notes are covered by the hash of the last line, which is worked out anew; nothing else is changed, down to the byte.
"""

from __future__ import annotations

import gzip
import hashlib
from typing import TYPE_CHECKING

import msgspec

from bluke.replay.records import REGRET, clean
from bluke.replay.writer import MAX_TEXT_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from bluke.analysis.estimates import Regret
    from bluke.analysis.explain import Explanation

__all__ = ["annotate", "pack", "regret_note"]

#: Stands between a regret and what the bot said itself.
BETWEEN = " | "


class Kind(msgspec.Struct):
    """What every line has."""

    type: str


Line = dict[str, msgspec.Raw]
_decode = msgspec.json.Decoder(Line).decode
_kind = msgspec.json.Decoder(Kind).decode
_encode = msgspec.json.encode


def regret_note(regret: Regret) -> str:
    """A regret as a note begins with it."""
    # A small one with one place would seem to reach down to zero.
    places = 1 if regret.margin >= 1 else 2
    return f"{REGRET}{regret.mean:.{places}f} ± {regret.margin:.{places}f}: better {regret.better}"


def annotate(data: bytes, explanation: Explanation, *, sound: bool) -> bytes:
    """Write the regrets into the notes of the moves.

    A note begins with the regret; what the bot said follows. Together they are cut to the 1 KiB that a note may have:
    where that is too little, the end of what the bot said is left to the original.

    Args:
        data: the uncompressed bytes of a replay that can be read.
        explanation: what was found out about the same file.
        sound: whether the hash of the last line is right. One that is wrong stays wrong: a copy vouches for no more
            than its original.
    """
    notes = {
        decision.line: f"{regret_note(decision.regret)} ({decision.regret.deals} deals, {explanation.policy})"
        for hand in explanation.hands
        for decision in hand.decisions
        if decision.regret is not None
    }
    lines = data.split(b"\n")
    for number, note in notes.items():
        lines[number - 1] = _encode(_noted(_decode(lines[number - 1]), note))
    return _sealed(lines) if sound else b"\n".join(lines)


def pack(data: bytes, path: Path) -> bytes:
    """The bytes as the name of a file wants them: compressed if it ends in `.gz` or `.zst`."""
    if path.suffix == ".gz":
        return gzip.compress(data, 6, mtime=0)
    if path.suffix == ".zst":
        import zstandard  # noqa: PLC0415 - few files need it

        return zstandard.ZstdCompressor().compress(data)
    return data


def _noted(line: Line, note: str) -> Line:
    if "note" in line:
        said = msgspec.json.decode(line["note"], type=str)
        note = f"{note}{BETWEEN}{said}" if said else note
    raw = msgspec.Raw(_encode(clean(note, MAX_TEXT_BYTES)))
    if "note" in line:
        return {**line, "note": raw}
    # Where the writer would have put it.
    ordered: dict[str, msgspec.Raw] = {}
    for key, value in line.items():
        ordered[key] = value
        if key == "ms":
            ordered["note"] = raw
    return {**ordered, "note": raw}


def _sealed(lines: list[bytes]) -> bytes:
    """The lines with the hash of the new ones in the last, if the game has come to it."""
    for number, line in enumerate(lines):
        if _is_end(line):
            sha256 = hashlib.sha256(b"".join(before + b"\n" for before in lines[:number])).hexdigest()
            lines[number] = _encode({**_decode(line), "sha256": msgspec.Raw(_encode(sha256))})
            break
    return b"\n".join(lines)


def _is_end(line: bytes) -> bool:
    if b'"end"' not in line:
        return False
    try:
        return _kind(line).type == "end"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
