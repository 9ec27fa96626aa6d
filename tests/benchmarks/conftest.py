from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT

FOLDER = PROJECT_ROOT / "benchmarks"
NAMES = {path.stem for path in FOLDER.glob("*.py")}


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Imports a file of benchmarks/, which import each other as scripts do."""
    before = {name: sys.modules.pop(name) for name in NAMES & sys.modules.keys()}
    monkeypatch.syspath_prepend(FOLDER)
    yield importlib.import_module
    for name in NAMES & sys.modules.keys():
        del sys.modules[name]
    sys.modules.update(before)
