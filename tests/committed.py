"""Summaries that tests only read, each computed once.

What is made of the same records and settings has the same figures: most tests read those of a few
small campaigns, of the cards' own or of one that was committed, and a summary takes as long as all
else that they do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import pipeline
from analysis.audit import audit
from analysis.campaigns.campaign import PROJECT_ROOT, Campaign
from analysis.depths.measured import MeasuredRuns
from analysis.records import Finding
from analysis.summary import Summary, summarise

_SMALL = 200
"""How many requests a campaign may have that is remembered."""
_SUMMARIES: dict[str, Summary] = {}
_FINDINGS: dict[str, tuple[Finding, ...]] = {}


@cache
def summary(name: str = "qwen3.6-35b-a3b-dspark") -> Summary:
    """Of ``raw/NAME``; a test that changes a frame takes a copy of it."""
    return pipeline.summary_of(PROJECT_ROOT / "raw" / name)


def summarised(
    campaign: Campaign, findings: Sequence[Finding] = (), measured: MeasuredRuns | None = None
) -> Summary:
    """As ``summary.summarise``, with frames of one's own."""
    if not _is_small(campaign):
        return summarise(campaign, findings, measured)
    # What is not here has no part in any figure; were it to have one, no test would see it.
    needed = Campaign(
        "",
        Path(),
        "",
        baseline=campaign.baseline,
        conditions=_only("build", campaign.conditions),
        card=_only("pairs", campaign.card),
        workloads=campaign.workloads,
        runs=campaign.runs,
        logged=campaign.logged,
    )
    if (key := repr(needed)) not in _SUMMARIES:
        _SUMMARIES[key] = summarise(needed, measured=measured)
    found = _SUMMARIES[key]
    every = {field.name: getattr(found, field.name) for field in fields(found)}
    frames = {name: it.copy() for name, it in every.items() if isinstance(it, pd.DataFrame)}
    return replace(found, campaign=campaign, findings=tuple(findings), **frames)


def audited(campaign: Campaign, measured: MeasuredRuns | None = None) -> tuple[Finding, ...]:
    """As ``audit.audit``, which has nothing to do with where a campaign lies."""
    if not _is_small(campaign):
        return audit(campaign, measured)
    if (key := repr(replace(campaign, folder=Path()))) not in _FINDINGS:
        _FINDINGS[key] = audit(campaign, measured)
    return _FINDINGS[key]


def _is_small(campaign: Campaign) -> bool:
    return sum(len(run.tasks) for run in (*campaign.runs, *campaign.logged)) <= _SMALL


def _only(key: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {key: given[key]} if key in given else {}
