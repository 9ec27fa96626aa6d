"""From one campaign to its report folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.campaigns.campaign import PROJECT_ROOT, load
from analysis.files import fingerprint
from analysis.files.storage import replaced_folder, write_text
from analysis.reports import standing

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from analysis.reports.kernels import Kernels

__all__ = ["CARD_NOTEBOOK", "public_name", "render"]


def _card_notebook() -> Path:
    """In a clone where the others are; the wheel carries it beside this file."""
    name = "model_card.ipynb"
    return PROJECT_ROOT / "notebooks" / name if PROJECT_ROOT else Path(__file__).with_name(name)


CARD_NOTEBOOK = _card_notebook()


def render(
    source: Path,
    folder: Path,
    inputs: str,
    *,
    parameters: Mapping[str, Any] | None = None,
    timeout_s: float | None = None,
    kernels: Kernels | None = None,
    notebook: Path = CARD_NOTEBOOK,
    force: bool = False,
) -> None:
    """Render a campaign by executing its notebook.

    Parameters
    ----------
    source
        The campaign folder, absolute.
    folder
        The report folder, absolute.
    inputs
        Fingerprint of everything that the report depends on.
    parameters
        What the notebook is given beside `campaign` and `out`.
    timeout_s
        Seconds that one cell may take; null for any.
    kernels
        Where its kernel comes from; null starts one in the ordinary way.
    notebook
        What is executed, with the parameters `campaign` and `out`.
    force
        Whether nothing is kept of a standing report that says the same.

    Raises
    ------
    MtpbenchError
        The campaign has a mistake, the notebook fails, or the place can't be
        written. An earlier report stays as it was.
    """
    # A mistake in it is heard here, before the seconds that a kernel takes to start.
    load(source)
    with replaced_folder(folder, standing.problem) as staging:
        if kernels:
            kernels.warm_up()
        from analysis.reports.execution import execute

        # The kernel works in the staging folder, so no path of this machine enters the record.
        given = {"out": ".", **(parameters or {})}
        executed = execute(
            notebook, {"campaign": str(source), **given}, staging, kernels, timeout_s
        )
        named = {"campaign": public_name(source), **given}
        text = json.dumps(
            _reproducible(executed, named), sort_keys=True, indent=1, ensure_ascii=False
        )
        write_text(staging / "report.ipynb", text + "\n")
        if not force:
            standing.keep(folder, staging)
        fingerprint.stamp(staging, inputs)


def public_name(source: Path) -> str:
    """How a campaign is called in what we publish: never with a home folder in it."""
    if PROJECT_ROOT and source.is_relative_to(PROJECT_ROOT):
        return source.relative_to(PROJECT_ROOT).as_posix()
    return source.name


def _reproducible(notebook: NotebookNode, parameters: Mapping[str, Any]) -> NotebookNode:
    """The executed notebook without what differs between two equal executions."""
    notebook.metadata.pop("papermill", None)
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        for name in ("papermill", "execution"):
            cell.metadata.pop(name, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.source = "\n".join(f"{name} = {value!r}" for name, value in parameters.items())
    return notebook
