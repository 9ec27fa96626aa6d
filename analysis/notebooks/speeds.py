"""How fast is each configuration, and on which task? The answers of a notebook on throughput."""

from __future__ import annotations

import pandas as pd

from analysis.cards.certainty import ends
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.wording import against
from analysis.charts import frames_of
from analysis.charts.chart import Frames, extremes
from analysis.charts.heatmap import heatmap
from analysis.charts.labels import percent, ratio
from analysis.charts.requests import requests
from analysis.charts.run_order import run_order
from analysis.charts.style import LIGHT
from analysis.charts.throughput import throughput
from analysis.notebooks.answer import Answer
from analysis.notebooks.tables import labelled, runs_table, values_table
from analysis.statistics.order import RunOrder
from analysis.summary import Summary

__all__ = ["colours", "how_even", "how_fast", "which_task"]

_KNOWN_FROM = {
    "repeats": "one standard deviation, from repeats",
    "configurations": "one standard deviation, from how configurations differ by task",
    "prior": "one standard deviation, assumed",
}


def colours(frames: Frames) -> dict[str, str]:
    """Colour of each configuration on the charts, by its label."""
    return {frames.labels[run]: mark.colour(LIGHT) for run, mark in frames.marks.items()}


def how_fast(summary: Summary) -> Answer:
    """Which configuration is the fastest, and how sure is that?"""
    facts, frames = Facts(summary), frames_of(summary)
    table = labelled(runs_table(summary), frames)
    return Answer(_fastest(facts), table, throughput(frames), colours(frames))


def _fastest(facts: Facts) -> tuple[str, ...]:
    best = facts.fastest(facts.drafting) or facts.fastest(facts.compared)
    if best is None:
        return ("No configuration has a throughput.",)
    kind = "effective" if facts.effective else "decode"
    first = f"{best.label} is the fastest that speculates: {facts.rate(best):.1f} tok/s {kind}"
    if facts.baseline is None:
        return (
            f"{best.label} is the fastest: {facts.rate(best):.1f} tok/s {kind}.",
            "No run without speculation was declared, so nothing can be said of speedups.",
        )
    gain = facts.gain(best)
    if gain is None:
        return (f"{first}.", "It was not measured as the baseline was, so it has no speedup.")
    said = f"{against(gain, *ends(facts, best))} no speculation"
    return (f"{first}, {said} ({facts.rate(facts.baseline):.1f}).", _certainty(facts, best))


def _certainty(facts: Facts, best: RunFacts) -> str:
    low, high = ends(facts, best)
    if low is None or high is None:
        return "Nothing shows how much its speedup scatters, so it has no interval."
    once = all((run.repeats or 1) <= 1 for run in facts.compared)
    stands = ", by an assumed scatter of single runs" if once else ""
    where = (
        "above 1: it is faster" if low > 1 else "below 1: it is slower" if high < 1 else "around 1"
    )
    tail = ", so noise alone could make the difference" if where == "around 1" else ""
    return f"The 90 % interval of its speedup is {low:.2f} to {high:.2f}{stands}, {where}{tail}."


def which_task(summary: Summary) -> Answer:
    """On which tasks does speculation pay, and with which configuration?"""
    frames = frames_of(summary)
    chart = heatmap(frames)
    if chart is None:
        return Answer(("No task has a decode rate.",), values_table(None))
    return Answer(_of_tasks(frames), values_table(chart), chart, colours(frames))


def _of_tasks(frames: Frames) -> tuple[str, ...]:
    rows = frames.by_task[frames.by_task["speedup"].notna()]
    rows = rows[rows["run"] != frames.baseline]
    if rows.empty:
        rows = frames.by_task[frames.by_task["decode_tps"].notna()]
        best = rows.loc[rows.groupby("task", sort=False)["decode_tps"].idxmax()]
        high, low = extremes(best, "decode_tps")
        return (
            _leader(frames, best),
            f"The fastest task is {high['task']} with {high['decode_tps']:.0f} tok/s, the slowest "
            f"{low['task']} with at best {low['decode_tps']:.0f}.",
        )
    best = rows.loc[rows.groupby("task", sort=False)["speedup"].idxmax()]
    pays = int((best["speedup"] > 1).sum())
    high, low = extremes(best, "speedup")
    on = f"On {pays} of {len(best)} tasks some" if pays else "On none of the tasks a"
    return (
        f"{on} configuration is faster than no speculation. {_leader(frames, best)}",
        f"{'Most is gained' if pays else 'The least is lost'} on {high['task']}, "
        f"{ratio(high['speedup'])}× with {frames.labels[high['run']]}; "
        f"the other end is {low['task']}, at best {ratio(low['speedup'])}×.",
    )


def _leader(frames: Frames, best: pd.DataFrame) -> str:
    counts = best["run"].value_counts(sort=False)
    leader = str(counts.idxmax())
    whose = " of those that speculate" if frames.plain is not None else ""
    return f"{frames.labels[leader]} is the fastest{whose} on {counts.max()} of {len(best)} tasks."


def _scatter(summary: Summary) -> str:
    known = summary.noise[(summary.noise["level"] == "request") & summary.noise["sd"].notna()]
    if known.empty:
        return "Nothing shows how much requests of one task and configuration differ."
    row = known.iloc[0]
    return (
        f"Decode rates of one task and configuration scatter by {percent(row['sd'])} "
        f"({_KNOWN_FROM.get(row['source'], row['source'])})."
    )


def how_even(summary: Summary) -> Answer:
    """How much do requests of one configuration differ, and did the machine drift?"""
    frames = frames_of(summary)
    chart = requests(frames)
    order = RunOrder()(summary.tasks)
    said = [_scatter(summary)]
    if order.empty:
        said.append("Start times or repeats are missing, so a drift of the machine can't be seen.")
    else:
        half = len(order) // 2
        early, late = (order["ratio"].iloc[at].median() for at in (slice(half), slice(half, None)))
        said.append(f"The second half of {len(order)} requests ran at {percent(late / early)} of "
                    "the speed of the first (medians, each over its own task's).")  # fmt: skip
    drift = run_order(frames)
    return Answer(tuple(said), values_table(chart or drift), drift or chart, colours(frames))
