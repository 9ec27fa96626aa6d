"""On what was measured, how often, and how sure does that make the figures?"""

from __future__ import annotations

from analysis.cards.certainty import least
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts
from analysis.cards.numbers import UNRECORDED, counted

__all__ = ["build_used", "how_sure", "measured_on"]

ON = "**Measured on:** GPU: {gpu}; llama.cpp: {build}."
SURE = "**How sure:** {requests}, {repeats}{noise}."
NOISE = "; a difference below {least} may be noise"
SOME_NOISE = "; a difference of a few percent may be noise"
EACH = "{requests} per configuration"
REQUESTS = "number of requests {unrecorded}"
ONE_RUN = "one run each"
MANY_RUNS = "in {runs}"
UNEQUAL = "in different numbers of runs"


def measured_on(facts: Facts) -> Markdown:
    """Hardware and build: what belongs beside a headline."""
    gpu = facts.summary.campaign.conditions.get("gpu", UNRECORDED)
    return say(ON, gpu=gpu, build=build_used(facts))


def how_sure(facts: Facts) -> Markdown:
    """Requests, runs, and the smallest difference that can be told from noise, if known."""
    repeats = {run.repeats for run in facts.real}
    times = next(iter(repeats)) if len(repeats) == 1 else None
    smallest = least(facts)
    runs = UNEQUAL if times is None else say(MANY_RUNS, runs=counted(times, "run"))
    return say(
        SURE,
        requests=_requests({run.n_requests for run in facts.real}),
        repeats=ONE_RUN if times == 1 else runs,
        noise=say(NOISE, least=smallest)
        if smallest
        else Markdown(SOME_NOISE if times == 1 else ""),
    )


def build_used(facts: Facts) -> str:
    """The llama.cpp build of the measurements, as it was stated or logged."""
    builds = {run.build for run in facts.real if run.build}
    stated = facts.summary.campaign.conditions.get("build")
    return stated or (builds.pop() if len(builds) == 1 else UNRECORDED)


def _requests(numbers: set[int | None]) -> Markdown:
    known = sorted(number for number in numbers if number is not None)
    if not known:
        return say(REQUESTS, unrecorded=UNRECORDED)
    if known[0] == known[-1]:
        return say(EACH, requests=counted(known[0], "request"))
    return say(EACH, requests=Markdown(f"{known[0]} to {counted(known[-1], 'request')}"))
