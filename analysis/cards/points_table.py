"""Every value of the axes that was measured, in one table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from analysis.cards.axis_words import axis_value, series_name
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, known
from analysis.cards.markdown import Align, paragraphs, table
from analysis.cards.numbers import (
    joules,
    milliseconds,
    percent,
    rate,
    seconds,
    speedup,
    speedup_between,
)
from analysis.cards.wording import OFF

__all__ = ["points_table"]

_Row = Mapping[Hashable, Any]

COLUMNS = {
    "concurrency": "Requests at once",
    "context_tokens": "Context",
    "temperature": "Temperature",
}
HEADERS = ("Tok/s together", "Tok/s of one", "Speedup", "Accepted", "First token", "Per token")
LATENCY = (
    "First token: seconds from the request, median{p90}. Per token: milliseconds after the first "
    "one, median{p90}."
)
P90 = " and, behind the stroke, what 90 % of the requests stay below"
TOGETHER = (
    "Tok/s together: all that the clients received, the requests that kept the server busy "
    "included. The speedup counts each prompt as often as the others."
)
BRACKETS = "Brackets: 90 % intervals; ~ can't be told from 1."
ENERGY = "J/token"
POWER = (
    "J/token: mean power over throughput, of the processor packages and GPUs that tell theirs, "
    "idle power included."
)


def points_table(facts: Facts) -> Markdown:
    """Throughput, speedup, acceptance, latency and energy of every run, with what they mean."""
    axes = facts.summary.axes
    varied = axes.where.axes
    powered = axes.points["joules_per_token"].notna().any()
    rows = []
    for row in axes.points.to_dict("records"):
        plain = row["run"] == row["baseline"]
        gain = speedup(None)
        if not plain:
            gain = speedup_between(*(known(row[f"speedup{end}"]) for end in ("", "_low", "_high")))
        rows.append(
            [
                OFF if plain else series_name(facts, row["series"]),
                *[axis_value(axis, known(row[axis])) for axis in varied],
                rate(known(row["aggregate_tps"]) or known(row["effective_tps"])),
                rate(known(row["decode_tps"])),
                gain,
                percent(known(row["acceptance_rate"])),
                _latency(row, "first_token_s", seconds),
                _latency(row, "ms_per_token", milliseconds),
                *([joules(known(row["joules_per_token"]))] if powered else []),
            ]
        )
    timed = axes.points[["first_token_s_p50", "ms_per_token_p50"]].notna().any(axis=None)
    ninety = axes.points[["first_token_s_p90", "ms_per_token_p90"]].notna().any(axis=None)
    names = [*(COLUMNS[axis] for axis in varied), *HEADERS, *([ENERGY] if powered else [])]
    sides: list[Align] = ["left", *(["right"] * len(names))]  # type: ignore[list-item]
    counted = axes.points["aggregate_tps"] != axes.points["effective_tps"]
    notes = [say(LATENCY, p90=Markdown(P90 if ninety else ""))] if timed else []
    notes.append(Markdown(BRACKETS))
    return paragraphs(
        table(("Configuration", *names), rows, sides),
        Markdown(" ".join(notes)),
        say(TOGETHER) if (counted & axes.points["aggregate_tps"].notna()).any() else None,
        say(POWER) if powered else None,
    )


def _latency(row: _Row, name: str, written: Callable[[float | None], Markdown]) -> Markdown:
    middle, ninety = known(row[f"{name}_p50"]), known(row[f"{name}_p90"])
    if ninety is None:
        return written(middle)
    return say("{middle} / {ninety}", middle=written(middle), ninety=written(ninety))
