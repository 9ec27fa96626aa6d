"""What was read in logs, for a terminal: as much as helps, and what can be done with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from analysis.errors import printable
from analysis.ingesting.ingest import Ingested, confidences
from analysis.records import Positions

__all__ = ["MOST_ROWS", "text"]

MOST_ROWS = 40
"""Rows of a table, and findings, that are shown unless all are asked for."""

_SHARES = "by position"
_RUN_COLUMNS = (
    "id", "label", "spec_type", "n_max", "concurrency", "n_requests", "predicted_tokens",
    "draft_tokens", "accepted_tokens", "acceptance_rate", "wall_s", "effective_tps", "decode_tps",
    "forwards", "confidences", _SHARES,
)  # fmt: skip
_TASK_COLUMNS = (
    "run", "task", "prompt_tokens", "predicted_tokens", "draft_tokens", "accepted_tokens",
    "acceptance_rate", _SHARES, "decode_tps", "ms_per_forward", "source",
)  # fmt: skip
_IF_KNOWN = frozenset(
    {"label", "spec_type", "n_max", "concurrency", "prompt_tokens", _SHARES, "wall_s"}
    | {"effective_tps", "ms_per_forward", "confidences"}
)
"""Columns that are left out where no row has a value."""

_MOST_POSITIONS = 8
_MOST_NAMED = 5
_COUNTED_FROM_TOKENS = (
    "note: {runs}: n_max is not known, so forwards are counted from tokens alone. A stop inside an "
    "accepted draft hides some, and with n_max (--init, then n_max in campaign.toml) they may be "
    "a few more, and ms per forward a little less."
)


def text(found: Ingested, *, all_rows: bool = False) -> str:
    """Runs, tasks and findings as plain text, and last what can be done next.

    Parameters
    ----------
    found
        What was read.
    all_rows
        Whether more than :data:`MOST_ROWS` of a kind are shown.
    """
    most = None if all_rows else MOST_ROWS
    records = found.records[:most]
    tasks = [result for run in found.records for result in run.tasks][:most]
    runs, results = found.runs[:most].copy(), found.tasks[:most].copy()
    runs["label"] = [run.label for run in records]
    runs["confidences"] = pd.array([confidences(run) for run in records], "Int64")
    totals = [run.aggregate for run in records]
    runs[_SHARES] = [_rates(total.positions if total else None) for total in totals]
    results["prompt_tokens"] = pd.array([task.prompt_tokens for task in tasks], "Int64")
    results[_SHARES] = [_rates(task.positions) for task in tasks]
    parts = [
        _plain(runs, _RUN_COLUMNS, len(found.runs) - len(runs), "runs"),
        _plain(results, _TASK_COLUMNS, len(found.tasks) - len(results), "results"),
    ]
    if short := _counted_from_tokens(found.runs):
        parts.append(printable(_COUNTED_FROM_TOKENS.format(runs=_named(short))))
    findings = [
        printable(f"{finding.level}: {finding.where}: {finding.message} [{finding.code}]")
        for finding in found.findings[:most]
    ]
    if more := len(found.findings) - len(findings):
        findings.append(_more(more, "findings"))
    if findings:
        parts.append("\n".join(findings))
    return "\n\n".join([*parts, _last_line(found)])


def _last_line(found: Ingested) -> str:
    """What there is, and what can be done with it."""
    counts = Counter(finding.level for finding in found.findings)
    said = [_number(counts[level], level) for level in ("error", "warning", "note")]
    parts = [_number(len(found.runs), "run"), _number(len(found.tasks), "result"), *said]
    able = []
    if len(found.runs):
        able.append("`--init DIR` makes a campaign of this")
    if any(confidences(run) for run in found.records):
        able.append("`mtpbench replay LOG` says what other depths and thresholds would have done")
    if found.findings:
        able.append(f"`mtpbench explain {found.findings[0].code}` says what that means")
    return f"{', '.join(parts)}{': ' if able else ''}{'; '.join(able)}"


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _more(number: int, what: str) -> str:
    return f"\N{HORIZONTAL ELLIPSIS} and {number:,} more {what}: --all shows them"


def _named(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _rates(positions: Positions | None) -> str | None:
    if positions is None:
        return None
    shown = " ".join(f"{rate:.2f}" for rate in positions.rate[:_MOST_POSITIONS])
    more = "" if len(positions.rate) <= _MOST_POSITIONS else " \N{HORIZONTAL ELLIPSIS}"
    return shown + more


def _counted_from_tokens(runs: pd.DataFrame) -> list[str]:
    """Ids of runs whose forwards may be more than their tokens tell."""
    unknown = runs["n_max"].isna() & runs["forwards"].notna()
    return list(runs.loc[unknown & (runs["draft_tokens"].fillna(0) > 0), "id"])


def _plain(frame: pd.DataFrame, columns: Sequence[str], more: int, what: str) -> str:
    if frame.empty:
        return "no task rows"
    kept = [name for name in columns if name not in _IF_KNOWN or frame[name].notna().any()]
    shown = frame[kept].map(_cell).to_string(index=False)
    return f"{shown}\n{_more(more, what)}" if more else shown


def _cell(value: object) -> str:
    """A value for a terminal: a stranger's text without what a terminal would obey."""
    if value is None or value is pd.NA or value != value:  # noqa: PLR0124 - only NaN differs
        return "-"
    if isinstance(value, float):
        return f"{value:.3f}"
    return printable(value)
