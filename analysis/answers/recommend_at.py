"""What to run at a number of requests at once and a context: measured, between, or predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from analysis.answers.recommend import OFF, advice_text
from analysis.conditions.axes import curve_draws
from analysis.conditions.batch_cost import BatchCost
from analysis.conditions.predicted import bare_forwards, rate_draws, usable
from analysis.conditions.slices import Slice
from analysis.errors import CampaignError, printable
from analysis.statistics.columns import names
from analysis.statistics.conclusions import RecommendationRow
from analysis.statistics.decision import MEASURED, NONE, decide
from analysis.statistics.points import AXES, RunsAtPoint
from analysis.statistics.uncertainty import LEVEL
from analysis.summary import Summary, summarise

__all__ = ["Advice", "advice_at", "advice_at_text"]

Source = Literal["measured", "between", "predicted"]
_SAID = {
    "measured": "measured there",
    "between": "not measured there: between measured values, by a smooth curve",
    "predicted": "predicted, not measured: by the cost of a forward over the tokens in its batch",
}


_NAMES = ("requests at once", "tokens of context", "temperature")


@dataclass(frozen=True, eq=False)
class Advice:
    """What to run at one value of every axis.

    Attributes
    ----------
    values
        Of requests at once, context and temperature; null is not recorded.
    source
        How it is known.
    recommendations
        As of a summary; where it was not measured, one row over all prompts.
    summary
        Of the runs that were measured there; else null.
    """

    values: tuple[float | None, ...]
    source: Source
    recommendations: pd.DataFrame
    summary: Summary | None = None


def advice_at(summary: Summary, parallel: int | None, context: int | None) -> Advice:
    """Advise for requests at once and tokens of context.

    Parameters
    ----------
    summary
        Of a campaign with a run without speculation at several values.
    parallel, context
        What is asked for; null is the value of the campaign's baseline.

    Raises
    ------
    CampaignError
        Neither was it measured there, nor does it lie between measured values of one
        of both with the other at a measured one, nor are there at most twice as many
        requests as measured.
    """
    where = summary.axes.where
    folder = summary.campaign.folder
    if not where.points:
        raise CampaignError(
            "this campaign has no run without speculation at several numbers of requests at "
            "once or contexts",
            "measure it with parallel = [1, 4] or context = [0, 8192] under [live]",
            file=folder,
        )
    home = (where.home or where.points[0]).at
    asked = (parallel, context, None)
    wanted = tuple(
        value if given is None else float(given) for value, given in zip(home, asked, strict=True)
    )
    point = next((point for point in where.points if point.at == wanted), None)
    if point is not None:
        return _measured(summary, point, wanted)
    found = _between(summary, wanted) or _predicted(summary, wanted)
    if found is None:
        raise CampaignError(
            f"nothing is known {_at(wanted)}: measured were {_listed(summary)}",
            "ask for a value of one axis, or between two, with the others as measured there; "
            "grid = true under [live] measures all of them with each other",
            file=folder,
        )
    return found


def advice_at_text(summary: Summary, advice: Advice) -> str:
    """As ``recommend.advice_text``, with what it is known from first."""
    head = f"{_at(advice.values)}, {_SAID[advice.source]}"
    if advice.summary is not None:
        return "\n".join([head, *_together(advice.summary), advice_text(advice.summary)])
    (row,) = advice.recommendations.to_dict("records")
    setting, gain = OFF, ""
    if row["run"] is not None:
        label = summary.every_run.set_index("id").at[row["run"], "label"]
        setting = printable(str(label))
        gain = f" ({row['expected_speedup']:.2f}× decode, {row['low']:.2f} to {row['high']:.2f})"
    return f"{head}\nall prompts: {setting}{gain}\n    {row['reason']}"


def _together(there: Summary) -> Iterator[str]:
    """What several requests at once deliver together: advice goes by each one's decoding."""
    for row in there.runs.to_dict("records"):
        if not row["baseline"] and not pd.isna(row["aggregate_tps"]) and row["speedup"] > 0:
            yield (
                f"    all requests together: {row['speedup']:.2f}× "
                f"({row['speedup_low']:.2f} to {row['speedup_high']:.2f}), "
                f"{row['aggregate_tps']:.1f} tok/s, with {row['id']}"
            )


def _measured(summary: Summary, point: RunsAtPoint, wanted: tuple[float | None, ...]) -> Advice:
    ids = {point.baseline, *point.runs}
    campaign = summary.campaign
    runs = tuple(run for run in campaign.runs if run.id in ids)
    # What was logged, and the author's pairs, are of the campaign's own point.
    card = {key: value for key, value in campaign.card.items() if key != "pairs"}
    own = replace(campaign, runs=runs, logged=(), baseline=point.baseline, card=card)
    there = summarise(own)
    return Advice(wanted, "measured", there.recommendations, there)


def _between(summary: Summary, wanted: tuple[float | None, ...]) -> Advice | None:
    for _, value, own in _lines(summary, wanted):
        inside = [one for one in own if one.at[0] <= value <= one.at[-1]]
        if inside:
            draws = [np.exp(curve_draws(one, np.array([value]))[:, 0]) for one in inside]
            rates = np.column_stack([np.ones(len(draws[0])), *draws])
            return _chosen(summary, wanted, "between", inside, rates)
    return None


def _predicted(summary: Summary, wanted: tuple[float | None, ...]) -> Advice | None:
    for axis, value, own in _lines(summary, wanted):
        ahead = [one for one in own if one.at[-1] < value <= 2 * one.at[-1] and usable(one)]
        if axis == "concurrency" and ahead:
            cost = BatchCost.of(summary.noise)
            drawn = rate_draws(ahead, cost, value, bare_forwards(summary.campaign.runs))
            rates = np.column_stack([drawn[:, 0, 1], *drawn[:, :, 0].T])
            return _chosen(summary, wanted, "predicted", ahead, rates)
    return None


def _lines(
    summary: Summary, wanted: tuple[float | None, ...]
) -> Iterator[tuple[str, float, list[Slice]]]:
    """Each axis with the value asked for, and the slices that have the other ones."""
    for axis, value in zip(AXES, wanted, strict=True):
        others = {name: of for name, of in zip(AXES, wanted, strict=True) if name != axis}
        own = [one for one in summary.axes.slices if one.axis == axis and one.others == others]
        if value is not None and own:
            yield axis, value, own


def _chosen(
    summary: Summary,
    wanted: tuple[float | None, ...],
    source: Source,
    own: Sequence[Slice],
    rates: np.ndarray[Any, np.dtype[np.floating[Any]]],
) -> Advice:
    """One row by the one rule; the first column of `rates` is no speculation."""
    runs = summary.every_run.set_index("id")
    ids: list[str | None] = [None, *(one.series for one in own)]
    n_max = {str(id): 0 if pd.isna(depth) else int(depth) for id, depth in runs["n_max"].items()}
    decided = decide(rates, [NONE, *(MEASURED for _ in own)])
    run = ids[decided.chosen]
    gains = rates / rates[:, :1]
    low, middle, high = np.quantile(
        gains[:, decided.chosen], [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2]
    )
    said = ", ".join(
        f"{np.median(gain):.2f}× with {one.series}"
        for one, gain in zip(own, gains[:, 1:].T, strict=True)
    )
    row: dict[str, Any] = dict.fromkeys(names(RecommendationRow, "results"))
    row |= {
        "run": run,
        "spec_type": "none" if run is None else runs.at[run, "spec_type"],
        "n_max": None if run is None else n_max[run] or None,
        "expected_speedup": float(middle),
        "low": None if run is None else float(low),
        "high": None if run is None else float(high),
        "reason": f"expected against no speculation: {said}",
    }
    return Advice(wanted, source, pd.DataFrame([row], dtype="object"))


def _at(values: tuple[float | None, ...]) -> str:
    requests, context, temperature = values
    parts = [f"{requests:g} request{'' if requests == 1 else 's'} at once"]
    if context is not None:
        parts.append(f"{context:,.0f} tokens of context")
    if temperature is not None:
        parts.append(f"temperature {temperature:g}")
    return f"at {' and '.join([', '.join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]}"


def _listed(summary: Summary) -> str:
    """The values of each axis; in a campaign without a grid not every pair of them."""
    points = summary.axes.where.points
    said = []
    for place, words in enumerate(_NAMES):
        known = (point.at[place] for point in points)
        values = sorted({value for value in known if value is not None})
        if values:
            said.append(f"{', '.join(f'{value:,g}' for value in values)} {words}")
    return "; ".join(said)
