"""What changed between builds of llama.cpp that changes what a log's figures mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analysis.audit.finding import Check, Evidence, Hit
from analysis.statistics.rates import build_number, rate_convention

__all__ = ["CHECKS"]

_LAST_INFLATED = 10200


def _rate_convention(evidence: Evidence) -> Iterator[Hit]:
    said: dict[str, list[str]] = {}
    for run in evidence.runs:
        convention = rate_convention(run, evidence.build)
        if convention:
            said.setdefault(convention.replace("-", " - "), []).append(run.id or str(run.source))
    if len(said) > 1:
        parts = "; ".join(
            f"tok/s of {', '.join(dict.fromkeys(names))} counts {counted} tokens"
            for counted, names in sorted(said.items())
        )
        yield _place(evidence), f"{parts}: short requests differ by up to 1/n"


def _mixed_builds(evidence: Evidence) -> Iterator[Hit]:
    yield from _mixed(evidence, "build", {run.id: run.build for run in evidence.runs})


def _mixed_samplers(evidence: Evidence) -> Iterator[Hit]:
    temperatures = {
        run.id: None if run.temperature is None else f"temperature {run.temperature:g}"
        for run in evidence.runs
    }
    yield from _mixed(evidence, "sampler", temperatures)


def _mixed(evidence: Evidence, what: str, values: Mapping[str, str | None]) -> Iterator[Hit]:
    if not evidence.is_campaign:
        return
    said: dict[str, list[str]] = {}
    for run, value in values.items():
        if value is not None:
            said.setdefault(value, []).append(run)
    if len(said) > 1:
        parts = "; ".join(f"{value}: {', '.join(runs)}" for value, runs in said.items())
        yield "campaign", f"the {what} is not the same in all runs ({parts})"


def _checkpoint_inflated(evidence: Evidence) -> Iterator[Hit]:
    for run in evidence.runs:
        number = build_number(run.build or evidence.build)
        from_server = run.format.startswith(("mtp-bench", "llama-server", "timings-json"))
        drafted = any(task.accepted_tokens for task in run.tasks)
        if number is None or number > _LAST_INFLATED or not from_server or not drafted:
            continue
        yield (
            str(run.source),
            f"{run.id or run.source}: build b{number} counts one token too many as accepted for "
            "each draft that it replays from a checkpoint",
        )


def _place(evidence: Evidence) -> str:
    return "campaign" if evidence.is_campaign else "all runs"


CHECKS = (
    Check(
        "builds-mixed",
        "warning",
        "Runs were measured with different builds",
        "A ratio between two builds contains what changed between them, which is often more than "
        "what speculation changes.",
        "Measure all runs of a comparison with one build.",
        _mixed_builds,
    ),
    Check(
        "samplers-mixed",
        "warning",
        "Runs were measured with different samplers",
        "Acceptance depends on the temperature: at 0 a draft is right or wrong, above it is right "
        "by chance. Runs at different temperatures also write different texts.",
        "Measure all runs of a comparison with one sampler, best at temperature 0.",
        _mixed_samplers,
    ),
    Check(
        "rate-convention",
        "warning",
        "Rates count tokens in two ways",
        "Older builds of llama.cpp divide all n predicted tokens by the decode time, newer ones "
        "leave out the first, which comes from prefill. It is 0.5 % of 192 tokens and 6 % of 17.",
        "Measure all runs of a comparison with one build, or compare only long requests.",
        _rate_convention,
    ),
    Check(
        "checkpoint-inflated",
        "note",
        "This build may count accepted tokens too high",
        "Where a target can't take back part of a draft (recurrent and hybrid models, sliding "
        "windows), llama-server restores a checkpoint and replays the accepted part. Builds before "
        "August 2026 counted the token that corrects the draft as accepted in each replay, so "
        "acceptance and mean length are too high; throughput is not affected.",
        "Measure with a newer build, or trust throughput and not acceptance.",
        _checkpoint_inflated,
    ),
)
