"""What changed between builds of llama.cpp that changes what a log's figures mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from analysis.audit.finding import Check, Evidence, Hit
from analysis.records import Run

__all__ = ["CHECKS", "build_number", "rate_convention"]

# Only what is sure on either side: between them a build alone does not tell.
_LAST_RATE_BY_N = 9750
_FIRST_RATE_BY_N_LESS_1 = 10434
_LAST_INFLATED = 10200
_BUILD = re.compile(r"b?(\d{4,6})(?:\s*\([0-9a-f]{6,40}\))?")
_TOLERANCE = 2e-3


def build_number(text: str | None) -> int | None:
    """Return the number of a build, null where the text is not exactly one build.

    Examples
    --------
    >>> build_number("b9831"), build_number("b10570 (9b9ac3e38)"), build_number("b9831 or newer")
    (9831, 10570, None)
    """
    found = _BUILD.fullmatch((text or "").strip())
    return int(found[1]) if found else None


def rate_convention(run: Run, build: str | None) -> str | None:
    """Return over which tokens a run's rates are counted: ``"n"``, ``"n - 1"`` or null.

    A server's log says it; else a request with both its decode time and its
    rate does, else the build. Rates of requests too long to tell the two apart
    say nothing.
    """
    if run.rate_convention is not None:
        return "n" if run.rate_convention == "n" else "n - 1"
    votes = set()
    for task in run.tasks:
        n, seconds, rate = task.predicted_tokens, task.decode_s, task.decode_tps
        if n is None or not seconds or not rate or not 2 <= n <= 1 / (2 * _TOLERANCE):
            continue
        counted = rate * seconds
        near = [name for name, tokens in (("n", n), ("n - 1", n - 1)) if _is(counted, tokens)]
        votes |= set(near) if len(near) == 1 else set()
    if len(votes) == 1:
        return votes.pop()
    number = build_number(run.build or build)
    if votes or number is None:
        return None
    if number <= _LAST_RATE_BY_N:
        return "n"
    return "n - 1" if number >= _FIRST_RATE_BY_N_LESS_1 else None


def _is(counted: float, tokens: int) -> bool:
    return abs(counted - tokens) <= max(_TOLERANCE * tokens, 0.05)


def _rate_convention(evidence: Evidence) -> Iterator[Hit]:
    said: dict[str, list[str]] = {}
    for run in evidence.runs:
        convention = rate_convention(run, evidence.build)
        if convention:
            said.setdefault(convention, []).append(run.id or str(run.source))
    if len(said) > 1:
        parts = "; ".join(
            f"tok/s of {', '.join(dict.fromkeys(names))} counts {convention} tokens"
            for convention, names in sorted(said.items())
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
        from_server = run.format.startswith(("mtp-bench", "llama-server", "results-json"))
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
