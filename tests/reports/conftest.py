"""Notebooks made for a test, and what an executed one showed."""

from __future__ import annotations

from pathlib import Path

import nbformat

PARAMETERS = "campaign: str = ''\nout: str = ''"


def write_notebook(path: Path, *cells: str) -> Path:
    """A notebook with the parameters `campaign` and `out` and these code cells."""
    first = nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}, id="p")
    others = [nbformat.v4.new_code_cell(code, id=f"c{n}") for n, code in enumerate(cells)]
    made = nbformat.v4.new_notebook(cells=[first, *others])
    made.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    nbformat.write(made, path)
    return path


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def printed(report: Path) -> str:
    """What the cells of an executed notebook printed."""
    notebook = nbformat.read(report / "report.ipynb", as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return "".join(out.get("text", "") for cell in cells for out in cell.outputs)
