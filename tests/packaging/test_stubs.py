"""The build hook makes stubs, and nothing else of the tree suffers when it cannot."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="a build requirement, not a dependency")
pytest.importorskip("grpc_tools", reason="a build requirement, not a dependency")

HOOK = Path(__file__).parents[2] / "hatch_build.py"
LONG_AGO = 1_000_000_000


def load_hook():
    """`hatch_build.py` as a module."""
    spec = importlib.util.spec_from_file_location("hatch_build", HOOK)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hook = load_hook()


@pytest.fixture
def tree(tmp_path):
    """A tree with one small proto."""
    protos = tmp_path / "proto/bluke/v1"
    protos.mkdir(parents=True)
    (protos / "one.proto").write_text('syntax = "proto3";\npackage bluke.v1;\nmessage One {}\n')
    return tmp_path


def test_make_stubs(tree):
    """Each proto gives three files, and they import each other as `bluke.v1`, as they lie."""
    (tree / "proto/bluke/v1/two.proto").write_text(
        'syntax = "proto3";\npackage bluke.v1;\nimport "bluke/v1/one.proto";\nmessage Two { One one = 1; }\n'
    )
    made = hook.make_stubs(tree)
    kinds = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py")
    assert {path.name for path in made} == {f"{name}{kind}" for name in ("one", "two") for kind in kinds}
    assert {path.parent for path in made} == {tree / "server/bluke/v1"}
    assert "from bluke.v1 import one_pb2" in (tree / "server/bluke/v1/two_pb2.py").read_text()


def test_make_stubs_again(tree):
    """Unchanged stubs are not written again, those of a deleted proto go, and other files stay."""
    for stub in hook.make_stubs(tree):
        os.utime(stub, (LONG_AGO, LONG_AGO))
    folder = tree / "server/bluke/v1"
    (folder / "gone_pb2.py").touch()
    (folder / "__init__.py").touch()
    assert {path.stat().st_mtime for path in hook.make_stubs(tree)} == {LONG_AGO}
    assert not (folder / "gone_pb2.py").exists()
    assert (folder / "__init__.py").exists()


def test_protoc_refuses(tree):
    """An error in a proto is told with its file and line, and the stubs stay as they were."""
    before = {path: path.read_bytes() for path in hook.make_stubs(tree)}
    (tree / "proto/bluke/v1/one.proto").write_text('syntax = "proto3";\npackage bluke.v1;\nmessage One { oops }\n')
    with pytest.raises(hook.StubError, match=r"bluke/v1/one\.proto:3:"):
        hook.make_stubs(tree)
    assert {path: path.read_bytes() for path in before} == before


def test_no_protos(tmp_path):
    """A tree without protos is told so instead of giving a wheel without stubs."""
    with pytest.raises(hook.StubError, match=r"no \.proto file in"):
        hook.make_stubs(tmp_path)


def test_run_by_hand(tree):
    """`python hatch_build.py` works on the tree it lies in, from any folder, and answers in one line."""
    (tree / HOOK.name).write_bytes(HOOK.read_bytes())
    done = subprocess.run(
        [sys.executable, tree / HOOK.name], cwd="/", capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == f"3 stubs in {Path('server/bluke/v1')} are up to date\n"
