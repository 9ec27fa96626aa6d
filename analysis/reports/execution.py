"""How is a notebook run with parameters, and what does its failure say?"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import MtpbenchError, ReportError

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from analysis.reports.kernels import Kernels

__all__ = ["execute"]


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Let a module that is not loaded yet seem not to be installed."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]
    yield
    del sys.modules[module]


# jsonschema, with which notebooks are checked, would compile the grammar of international
# addresses for longer than all else here takes to import. No notebook's schema asks for it.
with _without("rfc3987_syntax"):
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillExecutionError


def execute(
    notebook: Path,
    parameters: Mapping[str, Any],
    cwd: Path,
    kernels: Kernels | None = None,
    timeout_s: float | None = None,
) -> NotebookNode:
    """Run a notebook with parameters through papermill.

    Parameters
    ----------
    notebook
        Its cell tagged ``parameters`` says which names there are.
    parameters
        JSON-able values. Paths go as text.
    cwd
        Working directory of the kernel.
    kernels
        Where its kernel comes from; null starts one in the ordinary way.
    timeout_s
        Seconds that one cell may take; null for as long as it likes.

    Returns
    -------
    NotebookNode
        The executed notebook.

    Raises
    ------
    ReportError
        A parameter is unknown, a cell failed (the message is the cell's) or
        took too long, or the kernel died.
    """
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
            # Not papermill's `cwd`, which changes that of this process and all its threads.
            resources={"metadata": {"path": str(cwd)}},
            progress_bar=False,
            log_output=False,
            execution_timeout=timeout_s,
            # What the kernel says of its own sockets, at its start and when it is interrupted,
            # is nothing a user can act on; what a cell raises arrives as an error.
            extra_arguments=["--IPKernelApp.log_level=CRITICAL"],
            **(kernels.options() if kernels else {}),
        )
    except PapermillExecutionError as error:
        raise _as_ours(error, notebook) from error
    except CellTimeoutError as error:
        raise ReportError(
            f"a cell did not end within {timeout_s:g} seconds",
            "give it more with --timeout, or run the notebook in JupyterLab to see why",
            file=notebook,
        ) from error
    except (DeadKernelError, RuntimeError) as error:
        if "kernel died" not in str(error).lower():
            raise
        raise ReportError(
            "the kernel died, most often for want of memory",
            "run the notebook in JupyterLab to see where",
            file=notebook,
        ) from error
    except NoSuchKernel as error:
        raise ReportError(
            f"it is for a kernel that is not installed here: {error}",
            "choose the kernel python3 in JupyterLab and save it",
            file=notebook,
        ) from error
    finally:
        _close_the_loop()
    return executed


def _close_the_loop() -> None:
    """End the event loop that jupyter_core makes for each thread and leaves behind."""
    if threading.current_thread() is threading.main_thread():
        return
    # There is none where nothing was executed, and one that runs is somebody else's.
    with suppress(RuntimeError):
        loop = asyncio.get_event_loop()
        # What still listens to a kernel that died.
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.close()


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
