"""Limits: what these figures can't say, and what the audit found."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.cards.certainty import explained
from analysis.cards.escaping import Markdown, escape, say
from analysis.cards.facts import Facts
from analysis.cards.markdown import bullets, details, paragraphs
from analysis.cards.numbers import UNRECORDED, counted
from analysis.cards.section import Figures, Section
from analysis.cards.wording import is_are, no_baseline
from analysis.records import Finding
from analysis.statistics.lossless import DIFFERS

HEADING = "Limits"
SCOPE = (
    "The figures hold for this model, quantization, build, hardware and these prompts; other text "
    "and other machines give others."
)
SOME_ONE_RUN = (
    "{number} of {total} configurations {verb} measured once: their intervals take the scatter of "
    "runs from the others."
)
PROMPTS = "{tasks} are few: what they add up to is not your workload."
PROMPT = "There is only one task: it is not your workload."
SAMPLER = "The sampler is {unrecorded}, and acceptance depends on it."
NO_BASELINE = "{no_baseline}: there are no speedups."
SAMPLER_DEFAULT = (
    "The sampler is {unrecorded}, and acceptance depends on it. mtp-bench sends no temperature: "
    "the server's default applied."
)
SYNTHETIC = "{runs} {verb} synthetic: acceptance by coin, for the cost of a step only."
DIVERGED = (
    "Outputs differ between configurations ({findings} below): a speedup compares the same "
    "prompts and not the same tokens."
)
LOSSLESS = (
    "At temperature 0 every one of the {outputs} compared with the baseline's is the same: "
    "speculation left the text as it was."
)
LOSSY = (
    "At temperature 0 {number} of the {outputs} compared with the baseline's differ, although the "
    "baseline repeats its own there. Rounding, which depends on how many tokens a forward takes, "
    "can do that, and so can a fault: the findings say where."
)
UNCONTROLLED = (
    "At temperature 0 {number} of the {outputs} compared with the baseline's differ, in tasks in "
    "which the baseline does not repeat its own text or was measured once: whether speculation "
    "does that can't be told."
)
FINDING = "{level}, {code}: {message} ({where})"
FOUND_OPEN = "The audit of the raw data found:"
FOUND = "What the audit of the raw data found ({findings})"
SAID_ELSEWHERE = ("single-run", "no-baseline", "greedy-identical")
SHOWN = 3


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """What a reader must know before trusting a figure; never null."""
    listed = [item for item in facts.summary.findings if item.code not in SAID_ELSEWHERE]
    return Section(HEADING, paragraphs(bullets(_limits(facts)), _audit(listed)))


def _limits(facts: Facts) -> list[Markdown]:
    campaign = facts.summary.campaign
    said = [Markdown(SCOPE)]
    once = [run for run in facts.real if run.repeats == 1]
    if once and len(once) < len(facts.real):
        verb = "was" if len(once) == 1 else "were"
        said.append(say(SOME_ONE_RUN, number=len(once), total=len(facts.real), verb=verb))
    reason = explained(facts)
    if reason is not None:
        said.append(reason)
    tasks = len(facts.task_names)
    if tasks == 1:
        said.append(Markdown(PROMPT))
    elif 1 < tasks <= 30:
        said.append(say(PROMPTS, tasks=counted(tasks, "task").capitalize()))
    told = {"sampler", "temperature"} & campaign.conditions.keys()
    if not told and any(run.temperature is None for run in facts.real):
        formats = {run.format for run in campaign.runs}
        silent = all(name.startswith("mtp-bench") for name in formats)
        said.append(say(SAMPLER_DEFAULT if silent else SAMPLER, unrecorded=UNRECORDED))
    if facts.baseline is None:
        said.append(say(NO_BASELINE, no_baseline=no_baseline(facts)))
    synthetic = [run for run in facts.runs if run.synthetic]
    if synthetic:
        said.append(say(SYNTHETIC, runs=counted(len(synthetic), "run"), verb=is_are(synthetic)))
    if facts.diverged:
        said.append(say(DIVERGED, findings=counted(len(facts.diverged), "finding")))
    said += _lossless(facts)
    return said


def _lossless(facts: Facts) -> list[Markdown]:
    compared = facts.outputs
    total = int(compared["outputs"].sum())
    if not total:
        return []
    outputs = counted(total, "output")
    differing = compared["outputs"] - compared["identical"]
    controlled = int(differing[compared["verdict"] == DIFFERS].sum())
    others = int(differing.sum()) - controlled
    if not controlled + others:
        return [say(LOSSLESS, outputs=outputs)]
    said = [say(LOSSY, number=controlled, outputs=outputs)] if controlled else []
    return said + ([say(UNCONTROLLED, number=others, outputs=outputs)] if others else [])


def _audit(findings: Sequence[Finding]) -> Markdown | None:
    if not findings:
        return None
    lines = [
        say(
            FINDING,
            level=finding.level.capitalize(),
            code=escape(finding.code),
            message=escape(finding.message, limit=600),
            where=escape(finding.where),
        )
        for finding in findings
    ]
    errors = [line for line, item in zip(lines, findings, strict=True) if item.level == "error"]
    others = [line for line, item in zip(lines, findings, strict=True) if item.level != "error"]
    if len(others) <= SHOWN:
        return paragraphs(Markdown(FOUND_OPEN), bullets([*errors, *others]))
    folded = FOUND.format(findings=counted(len(others), "finding"))
    opened = paragraphs(Markdown(FOUND_OPEN), bullets(errors)) if errors else None
    return paragraphs(opened, details(folded, bullets(others)))
