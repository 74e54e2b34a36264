"""The versions that pyproject.toml promises, the ones CI tries, and the ones the stubs demand are the same."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import bluke.v1

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]


def floors(requirements: list[str]) -> dict[str, Version]:
    """The lowest version of each requirement that is always installed."""
    return {
        wanted.name: Version(spec.version)
        for wanted in map(Requirement, requirements)
        for spec in wanted.specifier
        if spec.operator == ">=" and not wanted.marker
    }


@pytest.mark.parametrize(
    ("files", "stamp", "package"),
    [
        ("*_pb2.py", r"^# Protobuf Python Version: (\S+)$", "protobuf"),
        ("*_pb2_grpc.py", r"^GRPC_GENERATED_VERSION = '(\S+)'$", "grpcio"),
    ],
)
def test_declared_floor_covers_the_stubs(files, stamp, package):
    """No declared version of protobuf or grpcio is older than what the stubs refuse to be loaded with."""
    stubs = sorted(Path(bluke.v1.__file__).parent.glob(files))
    assert stubs
    demanded = {Version(found) for stub in stubs for found in re.findall(stamp, stub.read_text(), re.MULTILINE)}
    assert demanded
    assert floors(PROJECT["dependencies"])[package] >= max(demanded)


def test_ci_tries_the_declared_floors():
    """.ci/lowest.txt pins every dependency to exactly the floor that pyproject.toml declares."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / ".ci/lowest.txt").read_text().splitlines())
    pinned = {
        wanted.name: Version(str(wanted.specifier).removeprefix("=="))
        for wanted in map(Requirement, filter(None, lines))
    }
    assert pinned == floors(PROJECT["dependencies"])


def test_fast_narrows_only_what_is_declared():
    """Extra `fast` caps grpcio and its companions alike, above their floors, so that pip finds a set at once."""
    declared = floors(PROJECT["dependencies"])
    caps = {
        wanted.name: wanted.specifier for wanted in map(Requirement, EXTRAS["fast"]) if wanted.name.startswith("grpcio")
    }
    assert set(caps) == {name for name in declared if name.startswith("grpcio")}
    assert len(set(caps.values())) == 1
    assert all(declared[name] in cap for name, cap in caps.items())


def test_dev_can_build_without_isolation():
    """Extra `dev` holds the build requirements as they stand in [build-system]."""
    assert set(PYPROJECT["build-system"]["requires"]) <= set(EXTRAS["dev"])
