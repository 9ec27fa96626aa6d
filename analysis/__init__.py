"""mtpbench: what llama.cpp speculative decoding benchmarks can and can't mean.

The names below are the API. They are imported when first used, because a
command line that only prints its help must not wait for pandas.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.advice import recommend
    from analysis.campaign import Campaign, load
    from analysis.checking import check
    from analysis.comparing import compare
    from analysis.errors import MtpbenchError
    from analysis.explanation import explain
    from analysis.ingestion import ingest
    from analysis.pipeline import card, draw, render, summary_of, write
    from analysis.publishing import push
    from analysis.readme import insert
    from analysis.reports import report
    from analysis.runner.sweep import run
    from analysis.starting import start
    from analysis.store import collect
    from analysis.summary import Summary, summarise

_HOME = {
    "Campaign": "analysis.campaign",
    "MtpbenchError": "analysis.errors",
    "Summary": "analysis.summary",
    "card": "analysis.pipeline",
    "check": "analysis.checking",
    "collect": "analysis.store",
    "compare": "analysis.comparing",
    "draw": "analysis.pipeline",
    "explain": "analysis.explanation",
    "ingest": "analysis.ingestion",
    "insert": "analysis.readme",
    "load": "analysis.campaign",
    "push": "analysis.publishing",
    "recommend": "analysis.advice",
    "render": "analysis.pipeline",
    "report": "analysis.reports",
    "run": "analysis.runner.sweep",
    "start": "analysis.starting",
    "summarise": "analysis.summary",
    "summary_of": "analysis.pipeline",
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
    "render",
    "report",
    "run",
    "start",
    "summarise",
    "summary_of",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        message = f"module 'analysis' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)
