"""What becomes of drafts, and what do forwards cost? The answers of a notebook on acceptance."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cards.facts import Facts, RunFacts
from analysis.charts import frames_of
from analysis.charts.break_even import break_even
from analysis.charts.chart import Chart
from analysis.charts.depth_cost import depth_cost
from analysis.charts.drafted import drafted
from analysis.charts.labels import count, percent
from analysis.notebooks.answer import Answer
from analysis.notebooks.speeds import colours
from analysis.notebooks.tables import acceptance_table, labelled
from analysis.summary import Summary

__all__ = ["what_a_forward_costs", "what_becomes_of_drafts", "who_breaks_even"]

_DRAFTS = ("draft_tokens", "accepted_tokens", "acceptance_rate", "mean_accepted_length")
_FORWARDS = ("n_max", "forwards", "ms_per_forward", "mean_accepted_length", "step_cost_ratio")
_LEVELS = ("n_max", "acceptance_rate", "break_even_acceptance", "step_cost_ratio")


def _answer(
    summary: Summary, said: Sequence[str], names: Sequence[str], chart: Chart | None
) -> Answer:
    frames = frames_of(summary)
    table = labelled(acceptance_table(summary)[list(names)], frames)
    return Answer(tuple(said), table, chart, colours(frames))


def what_becomes_of_drafts(summary: Summary) -> Answer:
    """How much of what is drafted is thrown away, and does that say which is faster?"""
    facts = Facts(summary)
    runs = [run for run in facts.drafting if run.drafts and run.acceptance_rate is not None]
    return _answer(summary, _waste(facts, runs), _DRAFTS, drafted(frames_of(summary)))


def _waste(facts: Facts, runs: Sequence[RunFacts]) -> list[str]:
    if not runs:
        return ["No run drafted anything."]
    ordered = sorted(runs, key=lambda run: run.acceptance_rate or 0.0)
    most, least = ordered[0], ordered[-1]
    said = [
        f"{least.label} had {percent(least.acceptance_rate or 0.0)} of its "
        f"{count(least.draft_tokens or 0)} drafted tokens accepted"
        + (
            "."
            if most is least
            else f", the highest share; {most.label} had the lowest, "
            f"{percent(most.acceptance_rate or 0.0)} of {count(most.draft_tokens or 0)}."
        )
    ]
    fastest = facts.fastest(runs)
    if fastest is not None and most is not least:
        said.append(
            f"{fastest.label} is also the fastest of them, which is a result and no rule."
            if fastest is least
            else f"The fastest of them is {fastest.label} with "
            f"{percent(fastest.acceptance_rate or 0.0)}: the share does not rank them."
        )
    return said


def what_a_forward_costs(summary: Summary) -> Answer:
    """What does a forward with a draft cost, and how many tokens does it bring?"""
    facts = Facts(summary)
    runs = [run for run in facts.drafting if run.ms_per_forward and run.mean_accepted_length]
    return _answer(summary, _costs(facts, runs), _FORWARDS, depth_cost(frames_of(summary)))


def _costs(facts: Facts, runs: Sequence[RunFacts]) -> list[str]:
    if not runs:
        return ["The time of a forward is not known."]
    best = min(runs, key=_ms_per_token)
    said = (
        f"A forward of {best.label} takes {best.ms_per_forward:.1f} ms and brings "
        f"{best.mean_accepted_length:.2f} tokens: {_ms_per_token(best):.1f} ms a token, the least "
        "of those that speculate."
    )
    plain = None if facts.baseline is None else facts.baseline.ms_per_forward
    if not plain:
        return [said, "What a plain step takes is not known, so nothing can be said of break-even."]
    ahead = [run for run in runs if _ms_per_token(run) < plain]
    return [
        said,
        f"A plain step takes {plain:.1f} ms a token: {len(ahead)} of {len(runs)} configurations "
        "need less.",
    ]


def _ms_per_token(run: RunFacts) -> float:
    return (run.ms_per_forward or 0.0) / (run.mean_accepted_length or 1.0)


def who_breaks_even(summary: Summary) -> Answer:
    """How many tasks accept enough, and of which kind are they?"""
    return _answer(summary, _levels(summary), _LEVELS, break_even(frames_of(summary)))


def _levels(summary: Summary) -> list[str]:
    facts = Facts(summary)
    levels = {
        run.id: run.break_even_acceptance
        for run in facts.drafting
        if run.break_even_acceptance is not None
    }
    rows = summary.by_task[summary.by_task["run"].isin(levels)]
    rows = rows[rows["acceptance_rate"].notna()]
    if rows.empty:
        return ["Without a plain step and acceptance rates there is no break-even."]
    above = rows["acceptance_rate"] > rows["run"].map(levels)
    most = above.groupby(rows["run"], sort=False).sum()
    best = str(most.idxmax())
    said = (
        "No configuration has a task above break-even."
        if most.max() == 0
        else (
            f"{facts.by_id[best].label} has the most tasks above break-even, {most.max()} of "
            f"{int((rows['run'] == best).sum())}."
        )
    )
    tasks = above.groupby(rows["task"], sort=False)
    always, never = tasks.all().sum(), (~tasks.any()).sum()
    return [
        said,
        f"Of {tasks.ngroups} tasks {always} are above it with every configuration and {never} "
        "with none.",
    ]
