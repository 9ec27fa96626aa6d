"""On what was measured, how often, and how sure does that make the figures?"""

from __future__ import annotations

import re

from analysis.cards.certainty import assumed, least, least_on_one
from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts
from analysis.cards.numbers import UNRECORDED, counted

__all__ = ["build_used", "how_sure", "measured_on"]

ON = "**Measured on:** GPU: {gpu}{cpu}; llama.cpp: {build}."
CPU = "; CPU: {cpu}"
THREADS = ", {threads}"
SURE = "**How sure:** {requests}, {repeats}{noise}."
NOISE = (
    ". A difference of two configurations below {least} over all prompts{on_one} may be "
    "noise{assumed}"
)
ON_ONE = ", or {least} on one workload,"
ALIKE = " or on one workload"
SOME_NOISE = ". A difference of a few percent may be noise"
ASSUMED = ": requests scatter, and {sd} between runs is assumed, {why}"
WHY_ONE = "as one run shows none"
WHY_FEW = "as so few show little of it"
EACH = "{requests} per configuration"
REQUESTS = "number of requests {unrecorded}"
ONE_RUN = "one run each"
MANY_RUNS = "in {runs}"
UNEQUAL = "in different numbers of runs"
_THREADS = re.compile(r" (?:-t|--threads)[ =](\d{1,4}) ")


def measured_on(facts: Facts) -> Markdown:
    """Hardware and build: what belongs beside a headline."""
    gpu = facts.summary.campaign.conditions.get("gpu", UNRECORDED)
    return say(ON, gpu=gpu, cpu=_processor(facts), build=build_used(facts))


def _processor(facts: Facts) -> Markdown:
    """Empty where it is not recorded, which the conditions say."""
    campaign = facts.summary.campaign
    stated = campaign.conditions.get("cpu")
    if not stated:
        return Markdown("")
    asked = (campaign.live or {}).get("server_args", ())
    said = f" {campaign.conditions.get('flags', '')} {' '.join(map(str, asked))} "
    found = _THREADS.search(said)
    threads = say(THREADS, threads=counted(int(found[1]), "thread")) if found else Markdown("")
    return Markdown(say(CPU, cpu=stated) + threads)


def how_sure(facts: Facts) -> Markdown:
    """Requests, runs, and the smallest difference that can be told from noise, if known."""
    repeats = {run.repeats for run in facts.real}
    times = next(iter(repeats)) if len(repeats) == 1 else None
    smallest, on_one = least(facts), least_on_one(facts)
    scatter = assumed(facts) if smallest else None
    why = WHY_ONE if times == 1 else WHY_FEW
    runs = UNEQUAL if times is None else say(MANY_RUNS, runs=counted(times, "run"))
    return say(
        SURE,
        requests=_requests({run.n_requests for run in facts.real}),
        repeats=ONE_RUN if times == 1 else runs,
        noise=say(
            NOISE,
            least=smallest,
            on_one=_on_one(smallest, on_one),
            assumed=say(ASSUMED, sd=scatter, why=why) if scatter else Markdown(""),
        )
        if smallest
        else Markdown(SOME_NOISE if times == 1 else ""),
    )


def _on_one(over_all: Markdown, on_one: Markdown | None) -> Markdown:
    if on_one is None:
        return Markdown("")
    return Markdown(ALIKE) if on_one == over_all else say(ON_ONE, least=on_one)


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
