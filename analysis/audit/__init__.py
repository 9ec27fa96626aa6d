"""The audit: can these numbers be true, and can they be compared?

``CHECKS`` is the registry: one line per question, each a module of checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from analysis.audit import (
    acceptance,
    builds,
    comparison,
    conditions,
    copies,
    counts,
    depths,
    files,
    outputs,
    reading,
    repeats,
    surroundings,
    timing,
)
from analysis.audit.finding import Check, Evidence
from analysis.depths.measured import MeasuredRuns
from analysis.records import Finding, Run

if TYPE_CHECKING:
    # For annotations only: a log without a campaign need not wait for it.
    from analysis.campaigns.campaign import Campaign

__all__ = ["CHECKS", "audit", "audit_runs"]

CHECKS: Mapping[str, Check] = {
    check.code: check
    for check in (
        *reading.CHECKS,
        *counts.CHECKS,
        *timing.CHECKS,
        *surroundings.CHECKS,
        *acceptance.CHECKS,
        *copies.CHECKS,
        *builds.CHECKS,
        *comparison.CHECKS,
        *conditions.CHECKS,
        *repeats.CHECKS,
        *outputs.CHECKS,
        *files.CHECKS,
        *depths.CHECKS,
    )
}

_ORDER = {"error": 0, "warning": 1, "note": 2}


def audit(campaign: Campaign, measured: MeasuredRuns | None = None) -> tuple[Finding, ...]:
    """Every finding about a campaign, errors first, else in the order of checks.

    Parameters
    ----------
    campaign
        A loaded campaign.
    measured
        Its runs, where somebody else needs their frames too.

    Returns
    -------
    tuple of Finding
        Those that the parsers reported come first within their level.
    """
    build = campaign.conditions.get("build")
    whole = measured or MeasuredRuns(campaign.runs, campaign.workloads, campaign.baseline, build)
    # What was measured at other values of a condition is held against its own kind alone.
    parts = whole.by_point
    return _findings(
        Evidence(
            part,
            build=build,
            card=campaign.card,
            files=campaign.files,
            whole=whole if len(parts) > 1 else None,
        )
        for part in parts
    )


def audit_runs(runs: Sequence[Run], measured: MeasuredRuns | None = None) -> tuple[Finding, ...]:
    """Findings about logs read on their own, as `mtpbench ingest` does."""
    return _findings([Evidence(measured or MeasuredRuns(tuple(runs)), is_campaign=False)])


def _findings(parts: Iterable[Evidence]) -> tuple[Finding, ...]:
    parts = list(parts)
    reported = [finding for one in parts for run in one.runs for finding in run.findings]
    found = [finding for check in CHECKS.values() for one in parts for finding in check(one)]
    if len(parts) > 1:
        # What is said of the campaign is said once.
        found = list(dict.fromkeys(found))
    return tuple(sorted([*reported, *found], key=lambda finding: _ORDER[finding.level]))
