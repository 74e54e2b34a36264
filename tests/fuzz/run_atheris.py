"""Try many inputs on the targets, guided by what they reach: python tests/fuzz/run_atheris.py [TARGET ...].

The number of inputs is fixed and so is the seed: a run tries the same inputs again. What breaks a target is kept
in `.fuzz/`, and `--input FILE` tries that file alone, without atheris and with the whole trace.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve()
# Instead of this folder, whose `sdk.py` would hide `tests/sdk`.
sys.path[0] = str(HERE.parents[1])
FAILURES = Path(".fuzz")
#: Seconds for one input: more than any machine needs, and less than a person waits.
HANGING = 120
LAST_LINES = 60


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all of them unless some are named")
    parser.add_argument("--runs", type=int, help="inputs for each target, instead of what is enough for it")
    parser.add_argument("--seed", type=int, default=1, help="another seed tries other inputs")
    parser.add_argument("--input", type=Path, help="try this file on the one target named")
    parser.add_argument("--new", type=Path, help=argparse.SUPPRESS)  # how this program calls itself
    options = parser.parse_args()
    if options.new is not None:
        fuzz(options.targets[0], options.runs, options.seed, options.new)
        return 0
    quiet()
    from fuzz.targets import TARGETS

    unknown = sorted(set(options.targets) - set(TARGETS))
    if unknown or (options.input is not None and len(options.targets) != 1):
        parser.error(f"the targets are {', '.join(TARGETS)}")
    if options.input is not None:
        TARGETS[options.targets[0]].check(options.input.read_bytes())
        print(f"{options.targets[0]}: {options.input} is fine")
        return 0
    if find_spec("atheris") is None:
        print("nothing is fuzzed: atheris is not there. `make fuzz` installs it where it has a wheel", file=sys.stderr)
        return 0
    names = options.targets or list(TARGETS)
    return max(in_a_process(name, options.runs or TARGETS[name].runs, options.seed) for name in names)


def in_a_process(name: str, runs: int, seed: int) -> int:
    """Fuzz one target in a process of its own, since atheris ends the one it is in."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bluke-fuzz-") as scratch:
        new = Path(scratch) / "new"
        new.mkdir()
        command = [sys.executable, str(HERE), name, "--runs", str(runs), "--seed", str(seed), "--new", str(new)]
        # The order of sets is part of what an input reaches.
        environment = {**os.environ, "PYTHONHASHSEED": "0", "TMPDIR": scratch}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
        failures = [path for path in new.parent.iterdir() if path.is_file()]
        if done.returncode == 0 and not failures:
            print(f"{name}: {runs} inputs, nothing found, {time.monotonic() - began:.0f} s", flush=True)
            return 0
        # The end of it says what broke; before that stands what every new input reached.
        print(done.stdout, *done.stderr.splitlines()[-LAST_LINES:], sep="\n")
        for path in failures:
            FAILURES.mkdir(exist_ok=True)
            kept = shutil.copy(path, FAILURES / f"{name}-{path.name}")
            print(f"{name}: broken; try again with: {sys.executable} {sys.argv[0]} {name} --input {kept}", flush=True)
    return 1


def fuzz(name: str, runs: int, seed: int, new: Path) -> None:
    """Fuzz one target; does not return. New inputs are put into `new`, and what breaks it beside that."""
    # By name: it has no types, and is not there at all on some systems.
    atheris = import_module("atheris")
    quiet()
    with atheris.instrument_imports(include=["bluke", "bluke_sdk"]):
        from fuzz.targets import CORPUS, TARGETS
    target = TARGETS[name]
    atheris.Setup(
        [
            str(HERE),
            f"-runs={runs}",
            f"-seed={seed}",
            f"-max_len={target.most}",
            f"-timeout={HANGING}",
            f"-artifact_prefix={new.parent}/",
            str(new),
            str(CORPUS / name),
        ],
        target.check,
    )
    atheris.Fuzz()


def quiet() -> None:
    """What the referee would log of each input is nobody's business here."""
    import logging

    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


if __name__ == "__main__":
    sys.exit(main())
