"""A comparison as plain text: for a terminal and for notebooks."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.answers.compare import FIGURES, Comparison
from analysis.statistics.columns import columns
from analysis.statistics.rows import RunRow

__all__ = ["comparison_text", "matches_table", "matches_text", "runs_side_by_side"]

_OF_RUNS = {column.name: column.shown for column in columns(RunRow)}
_FORMS = {
    **{name: _OF_RUNS[name] for name in FIGURES},
    **dict.fromkeys(("ratio", "low", "high"), _OF_RUNS["speedup"]),
}
UNKNOWN = "–"


def runs_side_by_side(found: Comparison) -> pd.DataFrame:
    """Every run with the properties that differ and its figures."""
    columns = ["campaign", "id", *found.differing]
    columns += [name for name in _FORMS if name in found.runs and found.runs[name].notna().any()]
    return _shown(found.runs[columns])


def matches_text(found: Comparison) -> str:
    """Runs that are equal in method and depth, second over first; a sentence where none are."""
    if found.matches.empty:
        return "no two runs of different campaigns have the same method and depth"
    return matches_table(found).to_string(index=False)


def matches_table(found: Comparison) -> pd.DataFrame:
    """Runs that are equal in method and depth, second over first."""
    return _shown(found.matches.drop(columns=["spec_type", "n_max"]))


def comparison_text(found: Comparison) -> str:
    """What is shared, every run, every match, and what became slower."""
    shared = ", ".join(f"{name} {value}" for name, value in found.shared.items())
    parts = [
        f"the same everywhere: {_printable(shared) or 'nothing'}",
        runs_side_by_side(found).to_string(index=False),
    ]
    parts.append(matches_text(found))
    slower = found.regressions
    parts += [
        f"slower with the other build: {row['second_campaign']} {row['second_run']}, "
        f"{row['ratio']:.3f} ({row['low']:.3f} to {row['high']:.3f}) over {row['n_tasks']} tasks"
        for row in slower.to_dict("records")
    ]
    return "\n\n".join(parts)


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {name: [_cell(name, value) for value in frame[name]] for name in frame.columns},
        index=frame.index,
    )


def _cell(name: str, value: Any) -> str:
    if value is None or value is pd.NA or value != value:  # noqa: PLR0124 - only NaN differs
        return UNKNOWN
    return _FORMS[name](value) if name in _FORMS else _printable(str(value))


def _printable(text: str) -> str:
    """A stranger's text without what a terminal would obey."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)
