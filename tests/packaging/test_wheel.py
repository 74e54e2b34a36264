"""What goes into a distribution, seen from outside: no network, no isolation, and the files as pip lays them."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from bluke.arena.starter import LANGUAGES, write_starter

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


def names_in(sdist):
    """What lies in the folder that a source distribution unpacks to."""
    with tarfile.open(sdist) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def test_sdist_carries_the_protocol_and_no_stubs(sdist):
    """The source distribution holds what stubs are made from; they themselves come with the first build."""
    names = names_in(sdist)
    assert {"hatch_build.py", *(f"proto/bluke/v1/{stem}.proto" for stem in PROTOS)} <= names
    assert not [name for name in names if "_pb2" in name]


def test_sdist_carries_the_clients_as_they_are_written(sdist):
    """The source distribution holds every client, and nothing that was made when one was built here."""
    paths = [name.split("/") for name in names_in(sdist) if name.startswith("clients/")]
    assert {path[1] for path in paths if len(path) > 2} == set(LANGUAGES)
    assert not [path for path in paths if {"bin", "build", "dist", "gen", "node_modules", "target"} & set(path[1:3])]


def test_wheel_contents(wheel):
    """The wheel holds both packages, typed, with every stub; neither bots nor tests are packages of it."""
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"bluke", "bluke_sdk", "bluke_arena"}
    assert {"bluke/py.typed", "bluke_sdk/py.typed"} <= names
    kinds = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py")
    assert {f"bluke/v1/{stem}{kind}" for stem in PROTOS for kind in kinds} <= names
    rooms = ROOT / "server"
    pages = [path for folder in ("arena/report", "replay/page/assets") for path in (rooms / "bluke" / folder).iterdir()]
    assert {path.relative_to(rooms).as_posix() for path in pages if path.is_file()} <= names


@pytest.fixture(scope="module")
def laid_out(wheel, tmp_path_factory):
    """A folder that pip laid the wheel out in."""
    folder = tmp_path_factory.mktemp("installed")
    run(*PIP, "install", "--no-deps", "--no-index", "--target", folder, wheel, cwd=folder)
    return folder


def test_wheel_installs_and_imports(laid_out, tmp_path):
    """Laid out by pip, both packages and every stub import from there, and the command starts."""
    stubs = "".join(f", bluke.v1.{stem}_pb2_grpc" for stem in PROTOS)
    code = f"import bluke, bluke_sdk{stubs}; print(bluke.__file__, bluke_sdk.__file__, sep='\\n')"
    files = run(sys.executable, "-W", "error", "-c", code, cwd=tmp_path, PYTHONPATH=str(laid_out)).splitlines()
    assert files == [str(laid_out / name / "__init__.py") for name in ("bluke", "bluke_sdk")]
    run(sys.executable, laid_out / "bin/bluke", "--help", cwd=tmp_path, PYTHONPATH=str(laid_out))


@pytest.mark.parametrize("language", LANGUAGES)
def test_wheel_writes_starters(laid_out, tmp_path, language):
    """What `bluke new` writes where the wheel is installed is what it writes from the checkout, byte for byte."""
    for name in ("there", "here"):
        (tmp_path / name).mkdir()
    arguments = (sys.executable, laid_out / "bin/bluke", "new", language, "mine")
    assert "bluke check -- " in run(*arguments, cwd=tmp_path / "there", PYTHONPATH=str(laid_out))
    files = write_starter(language, tmp_path / "here/mine")
    there = [path for path in (tmp_path / "there/mine").rglob("*") if path.is_file()]
    assert sorted(path.relative_to(tmp_path / "there/mine") for path in there) == files
    for file in files:
        assert (tmp_path / "there/mine" / file).read_bytes() == (tmp_path / "here/mine" / file).read_bytes()


def test_what_starters_add_to_the_wheel(wheel):
    """All that `bluke new` needs makes the wheel less than half a megabyte larger."""
    files = [info for info in zipfile.ZipFile(wheel).infolist() if info.filename.startswith("bluke/arena/starter/")]
    assert 0 < sum(info.compress_size for info in files) < 500_000
