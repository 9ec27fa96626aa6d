"""Where does speculation stop paying? The answers of a notebook on requests at once and context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from analysis.charts import frames_of
from analysis.charts.labels import percent
from analysis.charts.over_axis import context_length, requests_at_once
from analysis.notebooks.answer import Answer
from analysis.statistics.columns import columns
from analysis.statistics.conclusions import PointRow, PredictedRow, TurnRow
from analysis.statistics.conditions import CONDITIONS
from analysis.statistics.points import AXES
from analysis.summary import Summary

__all__ = [
    "points_table",
    "what_twice_as_many_give",
    "where_context_stops_it",
    "where_requests_stop_it",
]

_WORDS = {
    "concurrency": "requests at once",
    "context_tokens": "tokens of context",
    "figure": "speedup of",
    "turn": "it",
    "least": "least measured",
    "most": "most measured",
    "effective_tps": "tok/s together",
    "plain_tps": "without speculation",
}
"""Columns as a reader calls them; the tables to copy keep the names of the frames."""
_FIGURES = {"speedup": "all requests together", "decode_speedup": "generation"}
_ENDS = "The speedup of {what} is {first} at {least} and {last} at {most} {axis}.{accepted}"
_ACCEPTED = " Of what is drafted {first} and {last} are accepted."
_NONE = "One value alone was measured with a run without speculation at it."
_SAID = {
    "stops": "{run} pays up to about {value} {axis} (90 % interval: {low} to {high}).",
    "starts": "{run} pays from about {value} {axis} on (90 % interval: {low} to {high}).",
    "pays": "{run} pays all over what was measured, {least:g} to {most:g} {axis}.",
    "never": "{run} pays nowhere within what was measured, {least:g} to {most:g} {axis}.",
}


def where_requests_stop_it(summary: Summary) -> Answer:
    """Up to how many requests at once does it pay?"""
    return _over(summary, "concurrency")


def where_context_stops_it(summary: Summary) -> Answer:
    """Up to which context does it pay?"""
    return _over(summary, "context_tokens")


def what_twice_as_many_give(summary: Summary) -> Answer:
    """What would twice as many requests at once give? Predicted, not measured."""
    rows, labels = summary.axes.predicted, frames_of(summary).labels
    said = [
        f"Predicted: {labels.get(row['series'], row['series'])} with {row['concurrency']:g} "
        f"requests at once gives {row['effective_tps']:.1f} tok/s against "
        f"{row['plain_tps']:.1f} without speculation, "
        f"{row['speedup']:.2f}× ({row['speedup_low']:.2f} to {row['speedup_high']:.2f})."
        for row in rows.to_dict("records")
        if row["home"]
    ]
    table = _shown(summary, rows, PredictedRow, "series").rename(index=labels, columns=_WORDS)
    return Answer(tuple(said) or (_NONE,), table)


def points_table(summary: Summary) -> pd.DataFrame:
    """Every run at its requests at once, context and temperature, as far as they vary."""
    return _shown(summary, summary.axes.points, PointRow, "run")


def _over(summary: Summary, axis: str) -> Answer:
    turns = summary.axes.turns
    rows = turns[turns["axis"] == axis] if len(turns) else turns
    frames = frames_of(summary)
    said = (*_sentences(rows, axis, frames.labels), *_ends(summary, axis)) or (_NONE,)
    make = requests_at_once if axis == "concurrency" else context_length
    table = _shown(summary, rows, TurnRow, "series").drop(columns=["axis"], errors="ignore")
    if "figure" in table:
        table["figure"] = [_FIGURES.get(name, name) for name in table["figure"]]
    return Answer(said, table.rename(index=frames.labels, columns=_WORDS), make(frames))


def _ends(summary: Summary, axis: str) -> Iterator[str]:
    """What the least and the most that was measured give, where no other value differs."""
    for one in summary.axes.slices:
        rows = one.rows.to_dict("records")
        if one.axis != axis or not one.home or len(rows) < 2:
            continue
        first, last = rows[0], rows[-1]
        accepted = ""
        if not (pd.isna(first["acceptance_rate"]) or pd.isna(last["acceptance_rate"])):
            accepted = _ACCEPTED.format(
                first=percent(first["acceptance_rate"]), last=percent(last["acceptance_rate"])
            )
        yield _ENDS.format(
            what=_FIGURES[one.figure],
            first=f"{first[one.figure]:.2f}×",
            last=f"{last[one.figure]:.2f}×",
            least=f"{first[axis]:,.0f}",
            most=f"{last[axis]:,.0f}",
            axis=CONDITIONS[axis],
            accepted=accepted,
        )


def _sentences(rows: pd.DataFrame, axis: str, labels: Mapping[str, str]) -> Iterator[str]:
    for row in rows.to_dict("records"):
        if row["home"]:
            ends = {"low": "less than measured", "high": "more than measured"}
            told = {
                name: ends.get(name, "–") if pd.isna(row[name]) else f"{row[name]:,.0f}"
                for name in ("value", "low", "high")
            }
            yield _SAID[row["turn"]].format(
                run=labels.get(row["series"], row["series"]),
                axis=CONDITIONS[axis],
                least=row["least"],
                most=row["most"],
                **told,
            )


def _shown(summary: Summary, rows: pd.DataFrame, row: type, name: str) -> pd.DataFrame:
    """Columns that say anything as texts, the conditions that do not vary left out."""
    constant = {axis for axis in AXES if axis not in summary.axes.where.axes}
    shown = pd.DataFrame(index=pd.Index(rows[name] if len(rows) else [], name=None))
    for column in columns(row) if len(rows) else ():
        values = rows[column.name]
        if column.name == name or column.name in constant or values.isna().all():
            continue
        form = column.shown if column.digits else "{:g}".format
        shown[column.name] = [
            cell if isinstance(cell, str) else "–" if pd.isna(cell) else form(float(cell))
            for cell in values
        ]
    return shown
