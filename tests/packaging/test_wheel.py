"""What goes into a distribution, seen from outside: no network, no isolation, and the files as pip lays them."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="a build requirement, not a dependency")
pytest.importorskip("grpc_tools", reason="a build requirement, not a dependency")

ROOT = Path(__file__).parents[2]
PROTOS = [path.stem for path in (ROOT / "proto/bluke/v1").glob("*.proto")]
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


def run(*command, cwd, **env):
    """Run `command` in folder `cwd` and return what it printed, or fail with it."""
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (archive,) = folder.glob("bluke_arena-*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """A wheel made from nothing but the source distribution."""
    folder = tmp_path_factory.mktemp("wheel")
    run(*PIP, "wheel", "--no-build-isolation", "--no-deps", "-w", folder, sdist, cwd=folder)
    (made,) = folder.glob("*.whl")
    return made


def test_sdist_carries_the_protocol_and_no_stubs(sdist):
    """The source distribution holds what stubs are made from; they themselves come with the first build."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"hatch_build.py", *(f"proto/bluke/v1/{stem}.proto" for stem in PROTOS)} <= names
    assert not [name for name in names if "_pb2" in name]


def test_wheel_contents(wheel):
    """The wheel holds both packages, typed, with every stub, and neither bots nor tests."""
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"bluke", "bluke_sdk", "bluke_arena"}
    assert {"bluke/py.typed", "bluke_sdk/py.typed"} <= names
    kinds = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py")
    assert {f"bluke/v1/{stem}{kind}" for stem in PROTOS for kind in kinds} <= names
    rooms = ROOT / "server"
    pages = [path for folder in ("arena/report", "replay/page/assets") for path in (rooms / "bluke" / folder).iterdir()]
    assert {path.relative_to(rooms).as_posix() for path in pages if path.is_file()} <= names


def test_wheel_installs_and_imports(wheel, tmp_path):
    """Laid out by pip, both packages and every stub import from there, and the command starts."""
    run(*PIP, "install", "--no-deps", "--no-index", "--target", tmp_path, wheel, cwd=tmp_path)
    stubs = "".join(f", bluke.v1.{stem}_pb2_grpc" for stem in PROTOS)
    code = f"import bluke, bluke_sdk{stubs}; print(bluke.__file__, bluke_sdk.__file__, sep='\\n')"
    files = run(sys.executable, "-W", "error", "-c", code, cwd=tmp_path, PYTHONPATH=str(tmp_path)).splitlines()
    assert files == [str(tmp_path / name / "__init__.py") for name in ("bluke", "bluke_sdk")]
    run(sys.executable, tmp_path / "bin/bluke", "--help", cwd=tmp_path, PYTHONPATH=str(tmp_path))
