from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Measurements are called bench_*.py, so that nothing else collects them."""
    if file_path.name.startswith("bench_") and file_path.suffix == ".py":
        return pytest.Module.from_parent(parent, path=file_path)
    return None
