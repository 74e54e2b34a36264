"""`bluke` that ends itself with SIGKILL at a moment: killed_arena.py WHEN MODULE:CLASS.METHOD COUNT ARGUMENT...

WHEN is `before` or `after` that call of the method, or `within`, when half of the bytes it is given are written.
"""

import asyncio
import functools
import importlib
import itertools
import os
import signal
import sys

from bluke.cli import main

when, where, count, *arguments = sys.argv[1:]
module, _, path = where.partition(":")
owner_name, _, method_name = path.partition(".")
owner = getattr(importlib.import_module(module), owner_name)
method = getattr(owner, method_name)
calls = itertools.count(1)


def die(fd: object = None) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def is_it():
    return next(calls) == int(count)


if asyncio.iscoroutinefunction(method):  # a class method, `after` only

    async def patched(*args, **kwargs):
        now = is_it()
        result = await method(*args, **kwargs)
        if now:
            die()
        return result

else:

    @functools.wraps(method)
    def patched(self, *args, **kwargs):
        now = is_it()
        if now and when == "before":
            die()
        if now and when == "within":
            args = (args[0][: len(args[0]) // 2],)
            os.fsync = die
        result = method(self, *args, **kwargs)
        if now:
            die()
        return result


setattr(owner, method_name, patched)
sys.exit(main(arguments))
