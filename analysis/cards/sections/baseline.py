"""Baseline: every configuration relative to no speculation, and what a forward costs."""

from __future__ import annotations

from analysis.cards.certainty import ends
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.markdown import Markdown, bullets, details, paragraphs, say, table
from analysis.cards.numbers import (
    break_even,
    count,
    length,
    milliseconds,
    percent,
    signed_percent,
    speedup,
    speedup_between,
)
from analysis.cards.section import Figures, Section
from analysis.cards.wording import (
    OFF,
    against,
    clear,
    counted_tasks,
    diverged_briefly,
    label,
    labels,
)

HEADING = "Relative to no speculation"
HEADERS = ("Configuration", "Speedup", "Decode speedup", "Geomean of tasks", "Time saved")
COST_HEADERS = (
    "Configuration",
    "Forwards",
    "ms per forward",
    "R",
    "Tokens per forward",
    "Acceptance",
    "Break-even",
)
AGAINST = "{labels} {verb} {against} {off} over all prompts."
SAVED = "{label} saves {share} of the wall time for the same number of tokens."
COSTS = "{label} takes {share} more wall time for the same number of tokens."
COMMON = "{label} was compared on the {tasks} that both runs have."
BELOW = "{labels}: acceptance is below break-even, so drafting costs more than it brings."
ABOVE = "{labels}: acceptance is above break-even."
ABOUT = "{labels}: acceptance is about at break-even; on which side can't be told."
READING = (
    "*Speedup* compares effective throughput, *decode speedup* the time after the prompt, and the "
    "geometric mean gives every task the same weight. *Time saved* is for equal numbers of tokens."
)
BRACKETS = "Brackets are 90 % intervals; ~ marks what can't be told from 1."
COST_READING = (
    "A *forward* is one run of the target model after the prompt. *R* is its time relative to a "
    "plain step without speculation; a configuration pays when its tokens per forward exceed R. "
    "*Break-even* is the acceptance rate at which that happens, (R − 1) / drafted tokens per "
    "forward."
)
COST_SUMMARY = "What a forward costs and where break-even is"


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """Ratios to the baseline; null without one."""
    if facts.baseline is None or not facts.drafting:
        return None
    rows = [
        [
            label(run),
            speedup(run.speedup),
            speedup_between(run.decode_speedup, run.decode_speedup_low, run.decode_speedup_high),
            speedup_between(
                run.geomean_task_speedup,
                run.geomean_task_speedup_low,
                run.geomean_task_speedup_high,
            ),
            signed_percent(run.time_saved),
        ]
        for run in facts.drafting
    ]
    return Section(
        HEADING,
        paragraphs(
            bullets(_sentences(facts)),
            table(HEADERS, rows),
            Markdown(READING),
            Markdown(BRACKETS) if any(run.decode_speedup_low for run in facts.drafting) else None,
            diverged_briefly(facts),
            details(COST_SUMMARY, _cost(facts)),
        ),
    )


def _sentences(facts: Facts) -> list[Markdown]:
    said = []
    for run in sorted(facts.drafting, key=lambda run: -(facts.gain(run) or 0.0)):
        gain = facts.gain(run)
        if gain is None:
            continue
        told = against(gain, *ends(facts, run))
        said.append(say(AGAINST, labels=labels([run]), verb="is", against=told, off=OFF))
        tasks = facts.baseline_tasks
        if run.n_common_tasks is not None and run.n_common_tasks < tasks:
            said.append(say(COMMON, label=labels([run]), tasks=counted_tasks(run.n_common_tasks)))
    best = facts.best or facts.best_drafting
    if best is None or best.time_saved is None or best.speedup is None:
        return said
    if clear(best.speedup, best.speedup_low, best.speedup_high) in ("faster", "slower"):
        words = SAVED if best.time_saved > 0 else COSTS
        said.append(say(words, label=labels([best]), share=percent(abs(best.time_saved))))
    return said


def _cost(facts: Facts) -> Markdown:
    rows = [_cost_row(run) for run in (*facts.drafting, facts.baseline) if run is not None]
    judged: dict[str, list[RunFacts]] = {ABOVE: [], ABOUT: [], BELOW: []}
    for run in facts.drafting:
        if run.acceptance_rate is not None and run.break_even_acceptance is not None:
            judged[_side(run)].append(run)
    return paragraphs(
        table(COST_HEADERS, rows),
        Markdown(COST_READING),
        bullets(say(words, labels=labels(runs)) for words, runs in judged.items() if runs),
    )


def _side(run: RunFacts) -> str:
    """Of break-even, which is where the decode speedup is 1: no other sentence may contradict."""
    if run.decode_speedup_low is not None and run.decode_speedup_high is not None:
        if run.decode_speedup_low > 1:
            return ABOVE
        return BELOW if run.decode_speedup_high < 1 else ABOUT
    gain = run.decode_speedup
    if gain is None:
        return ABOUT
    return {"faster": ABOVE, "slower": BELOW, "equal": ABOUT}[clear(gain)]


def _cost_row(run: RunFacts) -> list[str]:
    return [
        label(run),
        count(run.forwards),
        milliseconds(run.ms_per_forward),
        length(run.step_cost_ratio),
        length(run.mean_accepted_length),
        percent(run.acceptance_rate),
        break_even(run.break_even_acceptance),
    ]
