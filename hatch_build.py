"""Makes the stubs in `server/bluke/v1/` from `proto/bluke/v1/*.proto`, and puts what `bluke new` copies into wheels.

Hatchling runs it for every wheel, the editable one too; `make stubs` runs the same code by `python hatch_build.py`.
The stubs are never committed, so they cannot disagree with the protocol.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path("bluke/v1")  # proto path equals import path, so nothing has to rewrite imports
PROTO_ROOT = Path("proto")
SOURCE_ROOT = Path("server")
STUBS = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py")
STARTER = Path("bluke/arena/starter")


class StubError(Exception):
    """The stubs could not be made; the text says why and what to do."""


def stubs_in(folder: Path) -> set[Path]:
    """The generated files that lie in `folder` now."""
    return {path for pattern in STUBS for path in folder.glob(pattern)}


def make_stubs(root: Path) -> list[Path]:
    """Bring the stubs below `root` in line with the protos and return them, sorted.

    Only files whose content changes are written, stubs of a deleted proto go, and when protoc refuses nothing changes.

    Raises:
        StubError: there is no proto, grpcio-tools is missing, or protoc refused; protoc's words are in the text.
    """
    protos = sorted((root / PROTO_ROOT / PACKAGE).glob("*.proto"))
    if not protos:
        raise StubError(f"no .proto file in {root / PROTO_ROOT / PACKAGE}; a checkout or an sdist has them")
    target = root / SOURCE_ROOT / PACKAGE
    with tempfile.TemporaryDirectory(prefix="bluke-stubs-") as scratch:
        flags = [f"--{kind}_out={scratch}" for kind in ("python", "pyi", "grpc_python")]
        names = [path.relative_to(root / PROTO_ROOT).as_posix() for path in protos]
        # A process of its own: protoc writes its complaints to the C-level stderr, which only a pipe catches.
        # -P keeps the current folder off sys.path.
        protoc = subprocess.run(
            [sys.executable, "-P", "-m", "grpc_tools.protoc", f"--proto_path={root / PROTO_ROOT}", *flags, *names],
            capture_output=True,
            text=True,
            check=False,
        )
        if protoc.returncode:
            said = protoc.stderr.strip() or f"exit code {protoc.returncode}"
            hint = "\nInstall grpcio-tools (pyproject.toml names the version)" if "No module named" in said else ""
            raise StubError(f"protoc could not make stubs from {root / PROTO_ROOT}:\n{said}{hint}")
        made = {path.name: path.read_bytes() for path in stubs_in(Path(scratch) / PACKAGE)}
    target.mkdir(parents=True, exist_ok=True)
    for stale in stubs_in(target):
        if stale.name not in made:
            stale.unlink()
    for name, content in made.items():
        stub = target / name
        if not stub.exists() or stub.read_bytes() != content:
            stub.write_bytes(content)
    return sorted(target / name for name in made)


def carried(root: Path) -> dict[str, str]:
    """Where each file that some starter of `bluke new` takes along goes in a wheel: path below `root` -> path there.

    Raises:
        FileNotFoundError: one of them is missing.
    """
    table = runpy.run_path(str(root / SOURCE_ROOT / STARTER / "carried.py"))
    files = {file for language in table["CARRIED"] for file in table["carried_files"](root, language)}
    return {file.as_posix(): (STARTER / "repository" / file).as_posix() for file in sorted(files)}


class StubsHook(BuildHookInterface[Any]):
    """Puts freshly made stubs into every wheel, and into those that are no editable ones what `bluke new` copies."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the stubs before hatchling lists the files; as artifacts they go in although git ignores them."""
        try:
            make_stubs(Path(self.root))
            # An editable install finds them in the checkout.
            build_data["force_include"].update({} if version == "editable" else carried(Path(self.root)))
        except (StubError, FileNotFoundError) as error:
            sys.exit(f"bluke-arena: {error}")
        build_data["artifacts"] += [f"/{(SOURCE_ROOT / PACKAGE).as_posix()}/{pattern}" for pattern in STUBS]


if __name__ == "__main__":
    try:
        stubs = make_stubs(Path(__file__).resolve().parent)
    except StubError as error:
        sys.exit(f"hatch_build.py: {error}")
    print(f"{len(stubs)} stubs in {SOURCE_ROOT / PACKAGE} are up to date")  # noqa: T201 - a command's answer
