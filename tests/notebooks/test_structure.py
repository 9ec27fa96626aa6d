"""Every notebook is built as its readers expect."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import nbformat
import papermill
import pytest

from analysis.campaigns.campaign import PROJECT_ROOT

NOTEBOOKS = sorted((PROJECT_ROOT / "notebooks").glob("*.ipynb"))
NotebookNode = nbformat.NotebookNode

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def _code(path: Path) -> list[NotebookNode]:
    return [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]


def test_the_readme_lists_them_all():
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in NOTEBOOKS if f"| `{path.name}` |" in readme} == {
        path.name for path in NOTEBOOKS
    }


@every_notebook
def test_the_first_lines_say_what_to_change(path):
    first = nbformat.read(path, 4).cells[0]
    assert first.cell_type == "markdown"
    title, question, advice = first.source.split("\n\n")
    assert title.startswith("# ")
    assert question.endswith("?**")
    assert advice.startswith("For your own data: ")
    assert "Run All" in advice
    assert " to copy" in advice


@every_notebook
def test_the_first_code_is_the_parameters_alone_each_with_type_and_help(path):
    tagged = [
        index
        for index, cell in enumerate(_code(path))
        if "parameters" in cell.metadata.get("tags", [])
    ]
    assert tagged == [0]
    source = _code(path)[0].source
    assert all(isinstance(line, ast.AnnAssign) for line in ast.parse(source).body)
    inferred = papermill.inspect_notebook(str(path))
    assert len(inferred) == len(source.splitlines())
    for name, known in inferred.items():
        assert known["inferred_type_name"] in ("str", "bool", "list"), name
        assert known["default"], name
        assert len(known["help"]) > 10, name


@every_notebook
def test_what_takes_more_than_a_call_is_in_the_package(path):
    assert len(_code(path)) <= 12
    for cell in _code(path):
        for part in ast.walk(ast.parse(cell.source)):
            assert not isinstance(part, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.Import)
            if isinstance(part, ast.ImportFrom):
                assert part.module is not None
                assert part.module.split(".")[0] == "analysis"


@every_notebook
def test_it_ends_in_something_to_copy(path):
    *_, above, last = nbformat.read(path, 4).cells
    assert last.cell_type == "code"
    assert last.source.splitlines()[-1].startswith("print(")
    assert above.cell_type == "markdown"
    assert "copy" in above.source or above.source == "## The card"


def test_papermill_explains_the_parameters(tmp_path):
    path = PROJECT_ROOT / "notebooks" / "model_card.ipynb"
    done = subprocess.run(
        [sys.executable, "-m", "papermill", "--help-notebook", str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert 'campaign: str (default "raw/qwen3.6-35b-a3b-dspark")' in done.stdout
    assert "folder for card, figures and results.json" in done.stdout
