"""Reports: the one room that calls papermill.

`batch` decides what is to be rendered and where, `work` takes one campaign
from its place to its report's place, `render` makes the report, `execution`
runs its notebook, and `kernels` starts what it runs on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.reports.batch import report
from analysis.reports.render import CARD_NOTEBOOK
from analysis.reports.work import Rendered

if TYPE_CHECKING:
    from analysis.reports.execution import execute

__all__ = ["CARD_NOTEBOOK", "Rendered", "execute", "report"]


def __getattr__(name: str) -> Any:
    # A batch of unchanged reports needs no papermill.
    if name == "execute":
        from analysis.reports.execution import execute

        return execute
    message = f"module 'analysis.reports' has no attribute {name!r}"
    raise AttributeError(message)
