"""One JupyterLab and one browser for all notebooks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.notebooks.jupyter_lab import Lab, jupyter_lab
from tests.page.conftest import chromium

__all__ = ["chromium"]  # pytest finds fixtures by the names that a conftest has


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with jupyter_lab(tmp_path_factory.mktemp("lab")) as started:
        yield started
