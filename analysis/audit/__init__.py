"""The audit: can these numbers be true, and can they be compared?

``CHECKS`` is the registry: one line per question, each a module of checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.audit import (
    acceptance,
    builds,
    comparison,
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
from analysis.campaigns.campaign import Campaign
from analysis.depths.measured import MeasuredRuns
from analysis.records import Finding, Run

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
    evidence = Evidence(
        measured or MeasuredRuns(campaign.runs, campaign.workloads, campaign.baseline, build),
        build=build,
        card=campaign.card,
        files=campaign.files,
    )
    return _findings(evidence)


def audit_runs(runs: Sequence[Run], measured: MeasuredRuns | None = None) -> tuple[Finding, ...]:
    """Findings about logs read on their own, as `mtpbench ingest` does."""
    return _findings(Evidence(measured or MeasuredRuns(tuple(runs)), is_campaign=False))


def _findings(evidence: Evidence) -> tuple[Finding, ...]:
    reported = [finding for run in evidence.runs for finding in run.findings]
    found = [finding for check in CHECKS.values() for finding in check(evidence)]
    return tuple(sorted([*reported, *found], key=lambda finding: _ORDER[finding.level]))
