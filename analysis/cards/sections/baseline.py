"""Baseline: every configuration relative to no speculation, and what a forward costs."""

from __future__ import annotations

from analysis.cards.certainty import ends
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.markdown import bullets, details, paragraphs, table
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
    clear,
    counted_tasks,
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
ONE = "Over all prompts {label} is {share} {way} than {off}."
SEVERAL = (
    "Over all prompts {number} of {total} configurations are {way} than {off}, most of all "
    "{label}: {share}."
)
ALL = (
    "Over all prompts all {total} configurations are {way} than {off}, most of all {label}: "
    "{share}."
)
BOTH = "Over all prompts both configurations are {way} than {off}, most of all {label}: {share}."
OPEN = "{labels} can't be told from {off}: the difference may be noise."
OPEN_SEVERAL = (
    "{number} of {total} configurations can't be told from {off}: the differences may be noise."
)
SAVED = "{label} saves {share} of the wall time for the same number of tokens."
COSTS = "{label} takes {share} more wall time for the same number of tokens."
COMMON = "{label} was compared on the {tasks} that both runs have."
BELOW = "{labels}: acceptance is below break-even, so drafting costs more than it brings."
ABOVE = "{labels}: acceptance is above break-even."
ABOUT = "{labels}: acceptance is about at break-even; on which side can't be told."
READING = (
    "*Speedup* is effective; the geometric mean of the tasks' decode speedups gives every task the "
    "same weight. *Time saved* is for equal numbers of tokens."
)
COST_READING = (
    "*R* is the time of a forward over that of a plain step without speculation; a configuration "
    "pays when its tokens per forward exceed R. *Break-even* is the acceptance rate at which that "
    "happens, (R − 1) / drafted tokens per forward."
)
MOST_NAMED = 3
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
            details(COST_SUMMARY, _cost(facts)),
        ),
    )


def _sentences(facts: Facts) -> list[Markdown]:
    judged: dict[str, list[RunFacts]] = {"faster": [], "open": [], "slower": []}
    for run in facts.drafting:
        gain = facts.gain(run)
        if gain is not None:
            told = clear(gain, *ends(facts, run))
            judged["open" if told == "equal" else told].append(run)
    said = [
        *_told(facts, judged["faster"], "faster"),
        *_open(facts, judged["open"]),
        *_told(facts, judged["slower"], "slower"),
    ]
    tasks = facts.baseline_tasks
    said += [
        say(COMMON, label=labels([run]), tasks=counted_tasks(run.n_common_tasks))
        for run in facts.drafting
        if run.n_common_tasks is not None and run.n_common_tasks < tasks
    ]
    best = facts.best or facts.best_drafting
    if best is None or best.time_saved is None or best.speedup is None:
        return said
    if clear(best.speedup, best.speedup_low, best.speedup_high) in ("faster", "slower"):
        words = SAVED if best.time_saved > 0 else COSTS
        said.append(say(words, label=labels([best]), share=percent(abs(best.time_saved))))
    return said


def _told(facts: Facts, runs: list[RunFacts], way: str) -> list[Markdown]:
    if not runs:
        return []
    most = max(runs, key=lambda run: abs((facts.gain(run) or 1.0) - 1))
    total = sum(facts.gain(run) is not None for run in facts.drafting)
    whole = BOTH if total == 2 else ALL
    words = ONE if len(runs) == 1 else whole if len(runs) == total else SEVERAL
    share = percent(abs((facts.gain(most) or 1.0) - 1))
    values = {"label": labels([most]), "share": share, "way": way, "off": OFF}
    return [say(words, **values, number=len(runs), total=total)]


def _open(facts: Facts, runs: list[RunFacts]) -> list[Markdown]:
    if not runs:
        return []
    total = sum(facts.gain(run) is not None for run in facts.drafting)
    words = OPEN if len(runs) <= MOST_NAMED else OPEN_SEVERAL
    return [say(words, labels=labels(runs), number=len(runs), total=total, off=OFF)]


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
