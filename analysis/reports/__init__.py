"""Reports: the one room that calls papermill.

`batch` decides what is to be rendered and where, `work` takes one campaign
from its place to its report's place, `render` makes the report, `execution`
runs its notebook, and `kernels` starts what it runs on.
"""

from analysis.reports.batch import report
from analysis.reports.render import CARD_NOTEBOOK
from analysis.reports.work import Rendered

__all__ = ["CARD_NOTEBOOK", "Rendered", "report"]
