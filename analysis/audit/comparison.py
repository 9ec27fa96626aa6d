"""Checks across runs: can they be compared, and how far does that carry?"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.audit.finding import Check, Evidence, Hit
from analysis.statistics.conditions import CONDITIONS
from analysis.statistics.noise import Noise

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
    if not evidence.is_campaign:
        return
    done = evidence.tasks[evidence.tasks["error"].isna()]
    everything = list(dict.fromkeys(done["task"]))
    for run in dict.fromkeys(run.id for run in evidence.runs):
        own = set(done.loc[done["run"] == run, "task"])
        missing = [task for task in everything if task not in own]
        if missing:
            yield (
                run,
                f"{run} has no result for {', '.join(missing)}: "
                "it is compared on the tasks that both runs have",
            )


def _drafted(evidence: Evidence) -> dict[str, int]:
    """Tokens drafted by each real run of which every request says how many."""
    real = [run.id for run in evidence.runs if not run.synthetic]
    done = evidence.tasks[evidence.tasks["error"].isna() & evidence.tasks["run"].isin(real)]
    said = done.groupby("run", sort=False)["draft_tokens"].agg(["sum", "count", "size"])
    whole = said[said["count"] == said["size"]]
    return {str(run): int(total) for run, total in whole["sum"].items()}


def _undeclared(evidence: Evidence) -> list[str]:
    """Runs that drafted nothing in a campaign that names no baseline."""
    if not evidence.is_campaign or evidence.baseline is not None:
        return []
    # A method that found nothing to draft is still run with speculation.
    silent = {run.id for run in evidence.runs if run.spec_type in (None, "none")}
    return [run for run, total in _drafted(evidence).items() if not total and run in silent]


def _baseline_undeclared(evidence: Evidence) -> Iterator[Hit]:
    for run in _undeclared(evidence):
        yield (
            run,
            f"{run} drafted nothing and is not declared as the baseline: no speedup is given",
        )


def _baseline_drafted(evidence: Evidence) -> Iterator[Hit]:
    plain = {run.id for run in evidence.runs if run.spec_type == "none"} | {evidence.baseline}
    for run, total in _drafted(evidence).items():
        if total and run in plain:
            yield (
                run,
                f"{run} is declared to run without speculation and drafted {total} tokens: what "
                "is measured by its plain step is wrong",
            )


def _nothing_drafted(evidence: Evidence) -> Iterator[Hit]:
    if evidence.baseline is None:
        return
    plain = {run.id for run in evidence.runs if run.spec_type == "none"} | {evidence.baseline}
    for run, total in _drafted(evidence).items():
        if not total and run not in plain:
            yield (
                run,
                f"{run} drafted nothing on these prompts: it ran as without speculation, so its "
                "speedup is noise and the cost of looking for drafts, and it is not advised",
            )


def _no_baseline(evidence: Evidence) -> Iterator[Hit]:
    if evidence.is_campaign and evidence.baseline is None and not _undeclared(evidence):
        yield "campaign", "no run without speculation: no speedup can be given"


def _single_run(evidence: Evidence) -> Iterator[Hit]:
    if not len(evidence.tasks) or evidence.tasks["repeat"].nunique() > 1:
        return
    yield (
        "all runs",
        "each task was measured once per configuration, which does not show how much runs "
        f"scatter: intervals assume a standard deviation of {Noise().run_prior:.0%}",
    )


def _conditions_differ(evidence: Evidence) -> Iterator[Hit]:
    for run, found in evidence.measured.unlike.items():
        said = ", ".join(f"{CONDITIONS[name]} {values}" for name, values in found.items())
        yield run, f"{run} is not compared with {evidence.baseline}: {said}"


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
        "baseline-undeclared",
        "warning",
        "A run drafted nothing and is not declared as the baseline",
        "Counts alone do not say that speculation was off: a method may have found nothing to "
        "draft, or the log may leave the counts out. So such a run is compared as any other, and "
        "no speedup is given.",
        'If it ran without speculation, give it spec_type = "none" and name it with baseline = '
        '"ID" under [campaign]; else state its spec_type.',
        _baseline_undeclared,
    ),
    Check(
        "nothing-drafted",
        "warning",
        "A run with speculation drafted nothing",
        "Without a draft every forward gives one token, as without speculation. Where such a run "
        "is faster, that shows how much two runs of the same thing differ.",
        "Measure text in which the method finds something to draft, or leave the run out.",
        _nothing_drafted,
    ),
    Check(
        "baseline-drafted",
        "error",
        "A run without speculation drafted tokens",
        "The baseline's time per token is taken for a plain step of the target. If it drafted, "
        "every speedup, step cost and break-even measured by it is wrong.",
        "Correct the spec_type of the run, or measure one with --spec-type none.",
        _baseline_drafted,
    ),
    Check(
        "single-run",
        "note",
        "Everything was measured once",
        "One run has no spread of its own, so a stated assumption stands in, and small differences "
        "can't be told from noise: with one run each a change below about 5 % can't be seen.",
        "Repeat every configuration at least three times, in interleaved order.",
        _single_run,
    ),
    Check(
        "conditions-differ",
        "warning",
        "A run was measured under other conditions than the baseline",
        "Four requests at once, another prompt set, token limit, temperature or context take other "
        "times for reasons that are not the drafts'. No speedup is given.",
        "Measure both under the same conditions, or give each its own campaign.",
        _conditions_differ,
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
