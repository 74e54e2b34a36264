"""A bot that tries what it may do, prints one word for each attempt, and then plays as any other.

Arguments are attempts, KIND=WHAT: `tcp=HOST:PORT` and `abstract=NAME` to connect, `read=PATH`, `write=PATH`, and
`leave=SECONDS` to start a child that leaves the session and sleeps so long. With `greedy` it holds 200 MiB from its
first bid on and answers nothing more.
"""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import bluke_sdk


def connect(family: int, address: tuple[str, int] | str) -> None:
    with socket.socket(family) as client:
        client.settimeout(5)
        client.connect(address)


def read(path: str) -> None:
    if not (list(Path(path).iterdir()) if Path(path).is_dir() else Path(path).read_bytes()):
        raise OSError("nothing is in it")


def attempt(kind: str, what: str) -> None:
    host, _, port = what.rpartition(":")
    match kind:
        case "tcp":
            connect(socket.AF_INET, (host, int(port)))
        case "abstract":
            connect(socket.AF_UNIX, "\0" + what)
        case "read":
            read(what)
        case "write":
            Path(what).write_text("I was here")
        case "leave":
            subprocess.Popen(["sleep", what], start_new_session=True)


class Probe(bluke_sdk.Bot):
    def bid(self, view: bluke_sdk.BidView) -> int:
        if "greedy" in sys.argv:
            self.held = b"x" * (200 * 2**20)
            time.sleep(1000)
        return view.legal[0]

    def play(self, view: bluke_sdk.PlayView) -> bluke_sdk.Card:
        return view.legal[0]


print("pid", os.getpid())
print("environment", *sorted(os.environ))
print("processes", len(list(Path("/proc").glob("[0-9]*"))))
for number, word in enumerate(sys.argv[1:]):
    kind, sign, what = word.partition("=")
    if sign:
        try:
            attempt(kind, what)
        except OSError as error:
            print("attempt", number, "refused", error)
        else:
            print("attempt", number, "done")
bluke_sdk.run(Probe)
