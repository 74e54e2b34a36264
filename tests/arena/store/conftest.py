"""What the tests of the store share."""

from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty folder for runs, called as such folders are."""
    path = tmp_path / "runs"
    path.mkdir()
    return path
