"""Becomes a bot's program under limits: `python -I -S limited.py FD RLIMIT_NAME=VALUE... -- PROGRAM ARGUMENT...`.

A script of its own, that imports next to nothing: limits have to hold before a bot's first instruction, and code
between fork and exec is not safe beside gRPC's threads. If the program cannot be run, the error's number is
written to FD, which is closed otherwise.
"""

from __future__ import annotations

import os
import resource
import signal
import sys


def main(answer: int, words: list[str]) -> None:
    """Set the limits on this process, then let the program take its place."""
    at = words.index("--")
    for word in words[:at]:
        name, _, value = word.partition("=")
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        most = int(value) if hard == resource.RLIM_INFINITY else min(int(value), hard)
        resource.setrlimit(kind, (most, most))
    # Python ignores these, and what is ignored would stay so in the program.
    for sign in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(sign, signal.SIG_DFL)
    os.set_inheritable(answer, False)  # noqa: FBT003 - its only form
    program = words[at + 1]
    try:
        os.execvp(program, words[at + 1 :])  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(answer, str(error.errno).encode())
        sys.exit(127)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
