"""Can the numbers be true, and be compared? What the audit of the raw data says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from analysis.charts.labels import listed
from analysis.notebooks.answer import Answer
from analysis.records import Finding

__all__ = ["what_the_audit_says"]


def what_the_audit_says(findings: Sequence[Finding]) -> Answer:
    """Which figures can't be true or be compared, and why?"""
    rows = [(found.code, found.where, found.message) for found in findings]
    table = pd.DataFrame(
        rows,
        index=[found.level for found in findings],
        columns=["code", "where", "what is to be known"],
    )
    counts = Counter(found.level for found in findings)
    parts = [f"{number} {level}{'s' * (number > 1)}" for level, number in counts.items()]
    said = f"The audit has {listed(parts)}." if parts else "The audit found nothing."
    return Answer((said,), table)
