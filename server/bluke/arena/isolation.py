"""How much of the machine a bot may have: what its process is started with under each isolation."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from bluke.errors import ArenaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["Isolation", "bwrap_problem", "limited", "private_socket", "sandbox_environment", "sandboxed"]

MEBIBYTE = 1024 * 1024
#: Between two looks of the watch a process may take so much more than its limit before the system refuses it more.
MEMORY_ROOM = 1024 * MEBIBYTE
#: The watch stops a bot at its limit of CPU time; if the watch itself is gone, the system does so after this many more.
CPU_ROOM = 5
#: Bytes of each of the two folders that a bot in a sandbox may write to; they are memory.
SCRATCH_BYTES = 64 * MEBIBYTE
#: `sun_path` holds 108 bytes, one of them a zero; the name of the folder and of the socket need some of the rest.
LONGEST_BASE = 70

#: What programs need of a system to run at all. Nothing else of /etc: a bot may not know who has accounts here.
SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/ssl",
    *(str(path) for path in sorted(Path("/etc").glob("java*"))),
)  # fmt: skip
#: What a program in a folder `bin` finds next to that: libraries, a virtual environment's base, a JDK's settings.
BESIDE_BIN = ("lib", "lib64", "libexec", "conf", "pyvenv.cfg")
#: Of the arena's environment a bot in a sandbox gets these, and what starts with `LC_`.
ENVIRONMENT = ("PATH", "LANG", "TZ", "PYTHONUNBUFFERED", "BLUKE_SERVER", "BLUKE_TOKEN", "BLUKE_BOT", "BLUKE_RUN")
#: Kernel settings that forbid sandboxes to everybody but root, and the value with which they do.
FORBIDDING = {
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "user.max_user_namespaces": ("0", "10000"),
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
}


class Isolation(Enum):
    """What keeps a bot from the rest of the machine."""

    #: Nothing.
    NONE = "none"
    #: Memory, CPU time and open files are limited.
    LIMITS = "limits"
    #: The limits, and a sandbox made with bubblewrap: no network, no files but its own.
    BWRAP = "bwrap"


def limited(argv: Sequence[str], *, answer: int, memory_mb: int, open_files: int, cpu_seconds: int) -> list[str]:
    """The command that runs `argv` under limits; 0 is no limit.

    Args:
        argv: program and arguments.
        answer: a descriptor that the command inherits; see `bluke.arena.limited`.
        memory_mb: the limit of the whole bot; the watch is what enforces it.
        open_files: for each process.
        cpu_seconds: the limit of the whole bot; the watch is what enforces it.
    """
    memory = memory_mb * MEBIBYTE
    # RLIMIT_AS would stop node and java from starting: they reserve far more than they use.
    values = {
        "RLIMIT_DATA": memory + max(memory, MEMORY_ROOM) if memory else 0,
        "RLIMIT_NOFILE": open_files,
        "RLIMIT_CPU": cpu_seconds + CPU_ROOM if cpu_seconds else 0,
    }
    words = [f"{name}={value}" for name, value in values.items() if value]
    script = Path(__file__).with_name("limited.py")
    return [sys.executable, "-I", "-S", str(script), str(answer), "RLIMIT_CORE=0", *words, "--", *argv]


def sandboxed(
    argv: Sequence[str],
    *,
    folder: str,
    readable: Iterable[str] = (),
    hidden: Path | None = None,
) -> list[str]:
    """The command that runs `argv` in a sandbox, in which everything that is there can be read and nothing written.

    Args:
        argv: program and arguments; the program is found already.
        folder: the bot's own folder, where it runs.
        readable: what else it may read.
        hidden: a folder that it may not see, though it be in one of those.
    """
    folder = _plain(folder)
    shown = [*SYSTEM, *_program_paths(argv[0]), *_python_paths(), *map(_plain, readable), folder]
    mounts: list[tuple[str, tuple[str, ...]]]
    # Every mount takes time; what is in /usr is there already.
    needed = [path for path in dict.fromkeys(shown) if not path.startswith("/usr/") and Path(path).exists()]
    mounts = [(path, ("--ro-bind", path, path)) for path in needed]
    mounts += [("/proc", ("--proc", "/proc")), ("/dev", ("--dev", "/dev"))]
    mounts += [(path, ("--size", str(SCRATCH_BYTES), "--tmpfs", path)) for path in ("/dev/shm", "/tmp")]  # noqa: S108
    masks = [] if hidden is None else list(_masks(hidden, shown))
    mounts += [(path, ("--tmpfs", path)) for path in masks]
    # What is nearer to the root goes first, for it would cover what is below.
    mounts.sort(key=lambda mount: len(Path(mount[0]).parts))
    # /proc too: for an arena run by root, a bot would be who may write the kernel's settings there.
    read_only = [word for path in (*masks, "/proc", "/dev", "/") for word in ("--remount-ro", path)]
    return [
        shutil.which("bwrap") or "bwrap",
        *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *(word for _, words in mounts for word in words),
        *read_only,
        *("--chdir", folder, "--", *argv),
    ]


def sandbox_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a bot in a sandbox gets of an environment; the only folder that it may write to is its home."""
    kept = {name: value for name, value in environment.items() if name in ENVIRONMENT or name.startswith("LC_")}
    return {**kept, "HOME": "/tmp", "TMPDIR": "/tmp"}  # noqa: S108 - its own /tmp


def _plain(path: str) -> str:
    """An absolute path without dots; links stay, for programs find their files by the names that they are called by."""
    return os.path.abspath(path)  # noqa: PTH100 - resolve() follows links


def _program_paths(program: str) -> Iterator[str]:
    """Where a program is, with what it finds beside it; both as it was named and where links lead."""
    for file in (_plain(program), os.path.realpath(program)):
        home = Path(file).parent
        yield str(home)
        if home.name == "bin":
            yield from (str(home.parent / name) for name in BESIDE_BIN)


def _python_paths() -> Iterator[str]:
    """The Python in use, and from where it imports the SDK and the stubs."""
    yield from (sys.prefix, sys.base_prefix)
    for package in ("bluke", "bluke_sdk"):
        spec = importlib.util.find_spec(package)
        if spec is not None:
            yield from (str(Path(folder).parent) for folder in spec.submodule_search_locations or ())


def _masks(hidden: Path, shown: Iterable[str]) -> Iterator[str]:
    """Where a folder would be seen in the sandbox."""
    target = hidden.resolve()
    for path in shown:
        real = Path(path).resolve()
        if real != target and target.is_relative_to(real):
            yield str(Path(path) / target.relative_to(real))


def bwrap_problem() -> str | None:
    """Why this machine cannot make sandboxes, and what to do; `None` if it can. Really makes one."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed; `apt-get install bubblewrap`, or the like of this system"
    true = shutil.which("true") or "true"
    try:
        done = subprocess.run(
            sandboxed([true], folder=str(Path(true).parent)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be run: {error}"
    if done.returncode == 0:
        return None
    said = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
    return f"bubblewrap is installed and does not work: {said[-1]}; {_cure(said[-1])}"


def _cure(said: str) -> str:
    if "unknown option" in said.lower():
        return "it is too old: 0.7 or newer is needed"
    for name, (forbidding, allowing) in FORBIDDING.items():
        file = Path("/proc/sys") / name.replace(".", "/")
        if file.exists() and file.read_text().strip() == forbidding:
            return f"the kernel allows it to root only: `sysctl -w {name}={allowing}` as root allows it to everybody"
    return "in a container it wants to be allowed user namespaces and a /proc of its own"


@contextmanager
def private_socket(*, wanted: bool) -> Iterator[Path | None]:
    """A path for the referee's socket, in a folder that nobody else can enter; `None` if it is not wanted.

    Raises:
        ArenaError: the folder cannot be made.
    """
    if not wanted:
        yield None
        return
    bases = (tempfile.gettempdir(), "/tmp")  # noqa: S108 - the folder in it is private
    base = next((base for base in bases if len(os.fsencode(base)) <= LONGEST_BASE), bases[-1])
    try:
        folder = tempfile.TemporaryDirectory(prefix="bluke-", dir=base, ignore_cleanup_errors=True)
    except OSError as error:
        msg = f"no folder for the referee's socket can be made in {base}: {error.strerror}"
        raise ArenaError(msg) from None
    with folder as path:
        yield Path(path) / "referee"
