"""Can these runs be compared, and how far does the comparison carry?"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.audit.finding import Check, Evidence, Hit

__all__ = ["CHECKS"]


def _outputs_diverged(evidence: Evidence) -> Iterator[Hit]:
    done = evidence.tasks[evidence.tasks["error"].isna()]
    if not evidence.is_campaign or done["run"].nunique() < 2:
        return
    counts = done.groupby(["task", "run"], sort=False)["predicted_tokens"].first().unstack("run")
    differ = counts.nunique(axis=1) > 1
    if not differ.any():
        return
    tasks = [str(task) for task in counts.index if differ[task]]
    low, high = counts.loc[tasks].min(axis=1), counts.loc[tasks].max(axis=1)
    spans = ", ".join(f"{task} ({low[task]} to {high[task]})" for task in tasks)
    yield (
        "campaign",
        f"predicted tokens differ between configurations in {len(tasks)} of {len(counts)} tasks: "
        f"{spans}",
    )


def _task_missing(evidence: Evidence) -> Iterator[Hit]:
    done = evidence.tasks[evidence.tasks["error"].isna()]
    everything = list(dict.fromkeys(done["task"]))
    if not evidence.is_campaign:
        return
    for run in dict.fromkeys(run.id for run in evidence.runs):
        own = set(done.loc[done["run"] == run, "task"])
        missing = [task for task in everything if task not in own]
        if missing:
            yield (
                run,
                f"{run} has no result for {', '.join(missing)}: "
                "it is compared on the tasks that both runs have",
            )


def _no_baseline(evidence: Evidence) -> Iterator[Hit]:
    if evidence.is_campaign and evidence.baseline is None:
        yield "campaign", "no run without speculation: no speedup can be given"


def _single_run(evidence: Evidence) -> Iterator[Hit]:
    if not len(evidence.tasks) or evidence.tasks["repeat"].nunique() > 1:
        return
    yield "all runs", "each task was measured once per configuration: no interval can be given"


def _synthetic(evidence: Evidence) -> Iterator[Hit]:
    for run in dict.fromkeys(run.id for run in evidence.runs if run.synthetic):
        yield (
            run,
            f"{run} accepted drafts by coin, not by match: its text and acceptance are not real",
        )


CHECKS = (
    Check(
        "outputs-diverged",
        "warning",
        "Configurations produced different amounts of text",
        "A throughput ratio compares equal work only when the outputs are equal. Sampling above "
        "temperature 0, or rounding that differs with batch shape, makes them drift apart.",
        "Measure at temperature 0 with a fixed seed, and repeat.",
        _outputs_diverged,
    ),
    Check(
        "task-missing",
        "warning",
        "A task is missing in one run",
        "Totals over different tasks are different quantities, so only common tasks are compared.",
        "Measure the missing task, or leave it out of every run.",
        _task_missing,
    ),
    Check(
        "no-baseline",
        "warning",
        "There is no run without speculation",
        "Whether speculation is worth it at all can't be said from speculative runs alone.",
        "Measure one run with --spec-type none on the same machine and name it as the baseline.",
        _no_baseline,
    ),
    Check(
        "single-run",
        "note",
        "Everything was measured once",
        "One run has no spread, so small differences can't be told from noise.",
        "Repeat every configuration at least three times, in interleaved order.",
        _single_run,
    ),
    Check(
        "synthetic-acceptance",
        "warning",
        "A run accepted drafts by coin",
        "llama.cpp's --spec-synth-rates measures step cost; its text is garbage.",
        "Never read such a run as a speedup.",
        _synthetic,
    ),
)
