"""Per task: decode throughput of every configuration on every prompt."""

from __future__ import annotations

from collections.abc import Callable

from analysis.cards.certainty import marked
from analysis.cards.escaping import Markdown, code, escape, say
from analysis.cards.facts import Facts, RunFacts, TaskFacts
from analysis.cards.markdown import details, paragraphs, table
from analysis.cards.numbers import counted, percent, rate
from analysis.cards.section import Figures, Section, chart
from analysis.cards.wording import counted_tasks, label, labels

HEADING = "Per task"
BEST_IN = "{labels} is the fastest on {number}"
BEST = "{parts}, by decode throughput."
FASTEST = "**{rate}**"
READING = "Decode tok/s; the fastest of each row is bold."
NOISE = "A ~ marks what can't be told from no speculation."
SPEEDUPS = "Decode speedup per task"
RATES = "Acceptance rate per task"
THROUGHPUT = "Decode throughput per task"
FAILED = "{requests} failed and {verb} left out."
TASK = "Task"


def write(facts: Facts, figures: Figures) -> Section | None:
    """Tables with one row per task; null without results."""
    if not facts.tasks:
        return None
    runs = [run for run in facts.runs if run.predicted_tokens]
    drafting = [run for run in runs if run.drafts]
    paired = [run for run in facts.drafting if facts.baseline is not None]
    return Section(
        HEADING,
        paragraphs(
            _fastest(facts),
            chart(figures, "heatmap"),
            details(
                THROUGHPUT,
                paragraphs(
                    _table(facts, runs, lambda row: rate(row.decode_tps), bold=True),
                    Markdown(READING),
                ),
            ),
            details(SPEEDUPS, _speedups(facts, paired)) if paired else None,
            details(RATES, _table(facts, drafting, lambda row: percent(row.acceptance_rate)))
            if drafting
            else None,
            chart(figures, "requests"),
            chart(figures, "run_order"),
            _failed(facts),
        ),
    )


def _speedups(facts: Facts, paired: list[RunFacts]) -> Markdown:
    made = _table(facts, paired, _speedup)
    return paragraphs(made, Markdown(NOISE) if "~" in made else None)


def _speedup(row: TaskFacts) -> Markdown:
    return marked(row.speedup, row.speedup_low, row.speedup_high)


def _table(
    facts: Facts,
    runs: list[RunFacts],
    cell: Callable[[TaskFacts], Markdown],
    *,
    bold: bool = False,
) -> Markdown:
    found = {(row.run, row.task): row for row in facts.tasks}
    rows: list[list[str | None]] = []
    for task in facts.task_names:
        top = _top(facts, task) if bold else None
        cells: list[str | None] = [code(task)]
        for run in runs:
            row = found.get((run.id, task))
            shown = None if row is None else cell(row)
            cells.append(say(FASTEST, rate=shown) if shown and run.id == top else shown)
        rows.append(cells)
    headers = [Markdown(TASK), *[escape(label(run)) for run in runs]]
    return table(headers, rows)


def _top(facts: Facts, task: str) -> str | None:
    real = {run.id for run in facts.real}
    rows = [row for row in facts.tasks if row.task == task and row.run in real and row.decode_tps]
    return max(rows, key=lambda row: row.decode_tps or 0.0).run if len(rows) > 1 else None


def _fastest(facts: Facts) -> Markdown | None:
    tops = [top for task in facts.task_names if (top := _top(facts, task)) is not None]
    if len(tops) < 2:
        return None
    ranked = sorted(set(tops), key=lambda run: (-tops.count(run), list(facts.by_id).index(run)))
    parts = [
        say(
            BEST_IN,
            labels=labels([facts.by_id[run]]),
            number=_of(tops.count(run), len(tops), first),
        )
        for first, run in zip([True, *[False] * len(ranked)], ranked, strict=False)
    ]
    return say(BEST, parts=Markdown("; ".join(parts)))


def _of(number: int, total: int, first: bool) -> Markdown:
    return Markdown(f"{number} of {counted_tasks(total)}") if first else Markdown(str(number))


def _failed(facts: Facts) -> Markdown | None:
    failed = int(facts.summary.tasks["error"].notna().sum())
    if not failed:
        return None
    return say(FAILED, requests=counted(failed, "request"), verb="was" if failed == 1 else "were")
