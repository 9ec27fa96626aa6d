"""Depth sweeps: which runs are the sweep of a method?

Depths of one method can be read together when they draft alike: the same
speculation and draft model, a known fixed depth, no draft cut short by p_min.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import pandas as pd

__all__ = ["SWEEP_COLUMNS", "Sweeps", "method_names"]

SWEEP_COLUMNS = ("run", "method", "n_max", "p_min", "excluded")

_FULL = 0.75
"""Drafted tokens per forward, as a share of n_max, from which drafts count as full."""

_NOT_SPECULATING = ("none",)


@dataclass(frozen=True)
class Sweeps:
    """The runs of each method and why some can't be used to infer positions.

    Parameters
    ----------
    baseline
        Run id of the run without speculation; never part of a sweep.
    """

    baseline: str | None = None

    def __call__(self, runs: pd.DataFrame) -> pd.DataFrame:
        """One row per speculating run, in order.

        Parameters
        ----------
        runs
            Frame of ``throughput.RunTotals``.

        Returns
        -------
        pandas.DataFrame
            `run`, `method` (see :func:`method_names`), `n_max`, `p_min` and
            `excluded`: null for a run of the sweep, else one of
            ``synthetic``, ``method-unknown``, ``depth-unknown``,
            ``p-min``, ``nothing-drafted``, ``drafts-short``, ``counts-unknown``.
        """
        names = method_names(runs)
        rows = [
            {
                "run": row["id"],
                "method": name,
                "n_max": row["n_max"],
                "p_min": row["p_min"],
                "excluded": _excluded(row),
            }
            for name, (_, row) in zip(names, runs.iterrows(), strict=True)
            if row["id"] != self.baseline and _speculates(row)
        ]
        out = pd.DataFrame(rows, columns=list(SWEEP_COLUMNS))
        return out.astype({"n_max": "Int64", "p_min": "float64"})


def method_names(runs: pd.DataFrame) -> list[str | None]:
    """Name of each run's method: its spec_type, with the draft's file name where two drafts differ.

    Parameters
    ----------
    runs
        A run frame.

    Returns
    -------
    list of str or None
        In the order of the frame; null where the speculation is not stated.
    """
    drafts: dict[str, set[str]] = {}
    keys = []
    for spec_type, draft in zip(runs["spec_type"], runs["draft"], strict=True):
        kind = spec_type if isinstance(spec_type, str) else None
        file = PurePath(draft.replace("\\", "/")).name if isinstance(draft, str) else ""
        keys.append((kind, file))
        if kind is not None:
            drafts.setdefault(kind, set()).add(file)
    return [
        f"{kind} ({file})" if kind is not None and file and len(drafts[kind]) > 1 else kind
        for kind, file in keys
    ]


def _speculates(row: pd.Series) -> bool:
    drafted = row["draft_tokens"]
    if isinstance(row["spec_type"], str):
        return row["spec_type"] not in _NOT_SPECULATING
    return bool(pd.notna(drafted) and drafted > 0)


def _excluded(row: pd.Series) -> str | None:
    drafted, forwards = row["draft_tokens"], row["forwards"]
    checks: list[tuple[str, Any]] = [
        ("synthetic", row["synthetic"]),
        ("method-unknown", not isinstance(row["spec_type"], str)),
        ("depth-unknown", pd.isna(row["n_max"]) or row["n_max"] < 1),
        ("p-min", pd.notna(row["p_min"]) and row["p_min"] > 0),
        ("counts-unknown", pd.isna(drafted) or pd.isna(forwards)),
    ]
    for reason, applies in checks:
        if applies:
            return reason
    if not drafted or not forwards:
        return "nothing-drafted"
    return "drafts-short" if drafted < _FULL * row["n_max"] * forwards else None
