"""mtpbench: what llama.cpp speculative decoding benchmarks can and can't mean.

The names below are the API. They are imported when first used, because a
command line that only prints its help must not wait for pandas.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.answers.compare import compare
    from analysis.answers.explain import explain
    from analysis.answers.recommend import recommend
    from analysis.answers.replay import replay
    from analysis.campaigns.campaign import Campaign, load
    from analysis.checking import check
    from analysis.errors import MtpbenchError
    from analysis.ingesting.ingest import ingest
    from analysis.ingesting.start import start
    from analysis.pipeline import card, draw, summary_of, write
    from analysis.publishing.insert import insert
    from analysis.publishing.push import push
    from analysis.reports import report
    from analysis.runner.session import run
    from analysis.store import collect
    from analysis.summary import Summary, summarise
    from analysis.tuning.tune import tune

_HOME = {
    "Campaign": "analysis.campaigns.campaign",
    "MtpbenchError": "analysis.errors",
    "Summary": "analysis.summary",
    "card": "analysis.pipeline",
    "check": "analysis.checking",
    "collect": "analysis.store",
    "compare": "analysis.answers.compare",
    "draw": "analysis.pipeline",
    "explain": "analysis.answers.explain",
    "ingest": "analysis.ingesting.ingest",
    "insert": "analysis.publishing.insert",
    "load": "analysis.campaigns.campaign",
    "push": "analysis.publishing.push",
    "recommend": "analysis.answers.recommend",
    "replay": "analysis.answers.replay",
    "report": "analysis.reports",
    "run": "analysis.runner.session",
    "start": "analysis.ingesting.start",
    "summarise": "analysis.summary",
    "summary_of": "analysis.pipeline",
    "tune": "analysis.tuning.tune",
    "write": "analysis.pipeline",
}

__all__ = [
    "Campaign",
    "MtpbenchError",
    "Summary",
    "card",
    "check",
    "collect",
    "compare",
    "draw",
    "explain",
    "ingest",
    "insert",
    "load",
    "push",
    "recommend",
    "replay",
    "report",
    "run",
    "start",
    "summarise",
    "summary_of",
    "tune",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        message = f"module 'analysis' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)
