"""Data moves one way: which room may import which, read from the imports themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from analysis.campaigns.campaign import PROJECT_ROOT

ORDER = (
    "privacy",
    "errors",
    "records",
    "names",
    "statistics",
    "depths",
    "conditions",
    "parsers",
    "hub",
    "files",
    "replaying",
    "models",
    "campaigns",
    "audit",
    "summary",
    "results",
    "charts",
    "cards",
    "page",
    "pipeline",
    "answers",
    "ingesting",
    "publishing",
    "runner",
    "tuning",
    "checking",
    "notebooks",
    "store",
    "reports",
    "commands",
    "cli",
    "__main__",
)
"""Each room may import those before it. A new one has its place here."""

PACKAGE = PROJECT_ROOT / "analysis"
MODULES = {
    ".".join(path.relative_to(PROJECT_ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}
API = "analysis"
"""The package itself: its names are imported when they are first used, by nobody in it."""


def imports(path: Path) -> Iterator[str]:
    """Modules of ours that a file imports: at its top, in a function, or for its types."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in inner if name in MODULES)
            if any(name not in MODULES for name in inner):
                yield str(node.module)


IMPORTS = {name: set(imports(path)) - {API} for name, path in MODULES.items() if name != API}


def room(module: str) -> str:
    return module.split(".")[1]


def test_imports_are_absolute() -> None:
    for path in MODULES.values():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level], path


def test_every_room_has_its_place() -> None:
    assert {room(name) for name in IMPORTS} == set(ORDER)


def test_no_room_imports_a_later_one() -> None:
    place = {name: number for number, name in enumerate(ORDER)}
    backwards = [
        f"{module} imports {other}"
        for module, others in IMPORTS.items()
        for other in others
        if place[room(other)] > place[room(module)]
    ]
    assert backwards == []


def test_no_module_imports_itself_in_a_circle() -> None:
    # A package's own file stands for its modules: it may import them, not they it.
    order = list(TopologicalSorter(IMPORTS).static_order())
    assert set(order) == set(IMPORTS)


def test_one_word_means_one_thing() -> None:
    """A class that is called like another, in whichever room, is taken for it by a reader."""
    named: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                named.setdefault(node.name, []).append(module)
    assert {name: places for name, places in named.items() if len(places) > 1} == {}
