"""Files, modules and names that pages and docstrings mention are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT

PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{p.name}" for p in PROJECT_ROOT.glob("docs/*.md")),
]
OWN = ("analysis", "benchmarks", "docs", "notebooks", "tests", ".ci")
"""Folders whose files a page may name; those of a campaign or a report are examples."""
ELSEWHERE = {"speed_bench.py", "speed_bench_compare.py"}
"""Programs of llama.cpp."""
PACKAGES = {"gguf", "subprocess"}
"""Modules of others that docstrings name."""

SOURCES = sorted((PROJECT_ROOT / "analysis").rglob("*.py"))
MODULES: dict[str, list[Path]] = {}
for source in SOURCES:
    MODULES.setdefault(source.parent.name if source.stem == "__init__" else source.stem, []).append(
        source
    )


def missing_files(text: str) -> list[str]:
    """Files named in backticks that are not in the project; ``<name>`` stands for any."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    named = {re.sub(r"\s", "", found) for found in re.findall(r"`([^`]+)`", text)}
    missing = []
    for name in sorted(named - ELSEWHERE):
        if re.fullmatch(r"[\w.]+(?:/[\w.<>-]*)+", name) and name.split("/")[0] in OWN:
            found = any(PROJECT_ROOT.glob(re.sub(r"<\w+>", "*", name.rstrip("/"))))
        elif re.fullmatch(r"\w+\.(?:py|ipynb)", name) and not name.startswith("report."):
            found = any(any((PROJECT_ROOT / folder).rglob(name)) for folder in OWN)
        else:
            continue
        if not found:
            missing.append(name)
    return missing


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_files_that_exist(page: str) -> None:
    assert missing_files((PROJECT_ROOT / page).read_text(encoding="utf-8")) == []


def test_a_file_that_is_not_there_is_noticed() -> None:
    text = "`analysis/cli.py`, `tests/<room>/test_cost.py`, `analysis/none.py`, `gone.py`"
    assert missing_files(text) == ["analysis/none.py", "gone.py"]


def names_of(path: Path) -> set[str]:
    """What a module has at its top, and the classes and functions anywhere in it."""
    out: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            out.add(node.name)
        elif isinstance(node, ast.Assign):
            out |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            out.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            out |= {alias.name for alias in node.names}
    return out


def test_docstrings_name_what_exists() -> None:
    known = {name: set().union(*map(names_of, paths)) for name, paths in MODULES.items()}
    wrong = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                continue
            for module, name in re.findall(r"(?<![\w`])`{1,2}([a-z_]+)\.(\w+)`", node.value):
                if name == "py":
                    if module not in MODULES:
                        wrong.append(f"{path.name}: {module}.py")
                elif name[0].isupper() or module in MODULES:
                    if module in PACKAGES or name in ("ini", "json", "jsonl", "toml"):
                        continue
                    if name not in known.get(module, ()):
                        wrong.append(f"{path.name}: {module}.{name}")
    assert wrong == []
