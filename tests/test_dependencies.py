"""What the package imports is what pyproject.toml declares, and the other way round."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT

PROJECT = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Where what an extra brings may be imported.
ROOMS = {
    "live": ("analysis/runner",),
    "cluster": ("analysis/reports/cluster.py",),
}
NOT_IMPORTED = {"jupyterlab"}  # `make lab` starts it


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _named(requirements: list[str]) -> set[str]:
    """Distributions of requirements such as ``dask[distributed]>=1``, with what is in brackets."""
    return {_plain(name) for line in requirements for name in re.findall(r"[\w.-]+", line)[:2]} | {
        _plain(re.match(r"[\w.-]+", line)[0]) for line in requirements
    }


def _imported() -> dict[str, set[str]]:
    """Files of the package by the distribution that they import."""
    homes = packages_distributions()
    found = defaultdict(set)
    for path in (PROJECT_ROOT / "analysis").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            for top in {name.partition(".")[0] for name in names}:
                if top not in sys.stdlib_module_names and top != "analysis":
                    for home in homes.get(top, [top]):
                        found[_plain(home)].add(path.relative_to(PROJECT_ROOT).as_posix())
    return found


def test_every_import_is_declared() -> None:
    base = _named(PROJECT["dependencies"])
    extras = {name: _named(lines) for name, lines in PROJECT["optional-dependencies"].items()}
    for distribution, files in _imported().items():
        for file in files:
            allowed = [extras[extra] for extra, rooms in ROOMS.items() if file.startswith(rooms)]
            assert any(distribution in names for names in [base, *allowed]), (distribution, file)


def test_everything_declared_is_imported() -> None:
    declared = {_plain(re.match(r"[\w.-]+", line)[0]) for line in PROJECT["dependencies"]}
    assert declared - _imported().keys() == NOT_IMPORTED


@pytest.mark.parametrize("name", ["notebooks/model_card.ipynb"])
def test_the_wheel_carries_what_lies_outside_the_package(name: str) -> None:
    text = (PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8")
    forced = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert name in forced
    assert Path(forced[name]).parts[0] == "analysis"
