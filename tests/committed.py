"""The summaries of committed campaigns, computed once for all tests that only read them."""

from __future__ import annotations

from functools import cache

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.pipeline import summary_of
from analysis.summary import Summary


@cache
def summary(name: str = "qwen3.6-35b-a3b-dspark") -> Summary:
    """Of ``raw/NAME``; a test that changes a frame takes a copy of it."""
    return summary_of(PROJECT_ROOT / "raw" / name)
