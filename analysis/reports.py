"""The one place that calls papermill."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.campaign import PROJECT_ROOT, find, load
from analysis.errors import MtpbenchError, ReportError
from analysis.storage import PAGE, replaced_folder, write_text

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from analysis.model_files import ModelFile

__all__ = ["CARD_NOTEBOOK", "NOTEBOOKS", "Outcome", "execute", "report"]

NOTEBOOKS = PROJECT_ROOT / "notebooks"
CARD_NOTEBOOK = NOTEBOOKS / "model_card.ipynb"


@dataclass(frozen=True)
class Outcome:
    """What became of one campaign: its report folder, or the error."""

    campaign: str
    folder: Path | None = None
    error: str | None = None


def report(
    campaigns: Sequence[str | Path],
    out: str | Path,
    jobs: int = 1,
    files: Sequence[ModelFile] = (),
) -> Iterable[Outcome]:
    """Render campaigns by executing the card notebook for each.

    Parameters
    ----------
    campaigns
        Campaign folders.
    out
        Folder that the report folders go into, one per campaign.
    jobs
        How many are rendered at once.
    files
        What the model files of the campaigns state, see ``model_roles.read_files``.

    Yields
    ------
    Outcome
        In the order of `campaigns`. A failing campaign leaves its former
        report as it was and does not stop the others. A folder that holds
        anything but a report is never replaced.
    """
    # As plain data: it goes through a notebook's parameters, which are JSON.
    facts = [file.as_dict() for file in files]
    work = [(str(campaign), str(out), clash, facts) for campaign, clash in _clashing(campaigns)]
    if jobs <= 1 or len(work) == 1:
        yield from (_outcome(*item) for item in work)
        return
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        yield from pool.map(_outcome, *zip(*work, strict=True))


def _clashing(campaigns: Sequence[str | Path]) -> Iterator[tuple[str | Path, str | None]]:
    """Each campaign, with an earlier one whose report would lie in the same folder."""
    taken: dict[str, str] = {}
    for campaign in campaigns:
        try:
            name = find(campaign).name
        except MtpbenchError:
            # It is said when its turn comes.
            yield campaign, None
            continue
        yield campaign, taken.get(name)
        taken.setdefault(name, str(campaign))


def _outcome(campaign: str, out: str, clash: str | None, files: list[dict[str, Any]]) -> Outcome:
    try:
        if clash is not None:
            problem = f"its report would take the place of the one of {clash}"
            raise ReportError(problem, "rename its folder, or name it once", file=campaign)
        return Outcome(campaign, folder=_render(campaign, Path(out), files))
    except MtpbenchError as error:
        return Outcome(campaign, error=str(error))


def _render(campaign: str, out: Path, files: list[dict[str, Any]]) -> Path:
    source = find(campaign)
    folder = out / source.name
    # A mistake in it is heard here, before the seconds that a kernel takes to start.
    load(source)
    with replaced_folder(folder, mark=PAGE) as staging:
        # The kernel works in the staging folder, so no path of this machine enters the record.
        given: dict[str, Any] = {"out": ".", **({"files": files} if files else {})}
        executed = execute(CARD_NOTEBOOK, {"campaign": str(source), **given}, cwd=staging)
        named = {"campaign": _public_name(source), **given}
        text = json.dumps(
            _reproducible(executed, named), sort_keys=True, indent=1, ensure_ascii=False
        )
        write_text(staging / "report.ipynb", text + "\n")
    return folder


def _public_name(source: Path) -> str:
    """How a campaign is called in what we publish: never with a home folder in it."""
    if source.is_relative_to(PROJECT_ROOT):
        return source.relative_to(PROJECT_ROOT).as_posix()
    return source.name


def execute(notebook: Path, parameters: Mapping[str, Any], cwd: Path) -> NotebookNode:
    """Run a notebook with parameters through papermill.

    Parameters
    ----------
    notebook
        Its cell tagged ``parameters`` says which names there are.
    parameters
        JSON-able values. Paths go as text.
    cwd
        Working directory of the kernel.

    Returns
    -------
    NotebookNode
        The executed notebook.

    Raises
    ------
    ReportError
        A parameter is unknown, or a cell failed; the message is the cell's.
    """
    import papermill
    from papermill.exceptions import PapermillExecutionError

    known = papermill.inspect_notebook(str(notebook))
    for name in parameters:
        if name not in known:
            raise ReportError(
                f"there is no parameter {name!r}", f"use one of: {', '.join(known)}", file=notebook
            )
    try:
        executed: NotebookNode = papermill.execute_notebook(
            str(notebook),
            None,
            parameters=dict(parameters),
            cwd=str(cwd),
            progress_bar=False,
            log_output=False,
            # What the kernel says of its own sockets, at its start and when it is interrupted,
            # is nothing a user can act on; what a cell raises arrives as an error.
            extra_arguments=["--IPKernelApp.log_level=CRITICAL"],
        )
    except PapermillExecutionError as error:
        raise _as_ours(error, notebook) from error
    except KeyboardInterrupt:
        # The kernel went with us, so that asyncio would report its death at exit.
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        raise
    return executed


class _SaidError(ReportError):
    """An error of ours that a cell raised: its text is whole already."""

    def __str__(self) -> str:
        return self.problem


def _as_ours(error: Any, notebook: Path) -> MtpbenchError:
    family: list[type] = [MtpbenchError, *MtpbenchError.__subclasses__()]
    ours = {kind.__name__ for kind in family}
    if error.ename in ours:
        return _SaidError(error.evalue, "")
    return ReportError(
        f"cell {error.exec_count} failed: {error.ename}: {error.evalue}",
        "open the notebook in JupyterLab and run it to see where",
        file=notebook,
    )


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
