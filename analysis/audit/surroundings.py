"""In which surroundings did requests run, and in the baseline's: load, clocks, throttling?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from analysis.audit.finding import Check, Evidence, Hit
from analysis.records import Run, Surroundings

__all__ = ["CHECKS"]

_LOAD = 0.25
"""Processors: as many threads as there are wait for the slowest, so a quarter of one is felt."""

_BUSY = 0.5
"""Processors, in the middle of all requests: on both sides of a speedup, so that none differs."""

_CLOCK = 0.05
"""Share: beyond what a clock that follows the load moves by itself."""


def _differ(evidence: Evidence) -> Iterator[Hit]:
    baseline = [run for run in evidence.runs if run.id == evidence.baseline]
    usual = _usual([around for run in baseline for around in _known(run)])
    if usual is None:
        return
    for run in evidence.runs:
        known = _known(run)
        unlike = [said for around in known if (said := _unlike(around, usual))]
        if run.id == evidence.baseline or not unlike:
            continue
        worst = max(unlike, key=len)
        yield (
            str(run.source),
            f"{run.id}: {len(unlike)} of {len(known)} requests ran in other surroundings than the "
            f"baseline's, one of them with {', '.join(worst)}",
        )


def _busy(evidence: Evidence) -> Iterator[Hit]:
    loads = [
        around.other_load
        for run in evidence.runs
        for around in _known(run)
        if around.other_load is not None
    ]
    if loads and (middle := median(loads)) >= _BUSY:
        first = next(run for run in evidence.runs if _known(run))
        yield (
            str(first.source),
            f"{middle:.1f} processors were busy with other programs in the middle of "
            f"{len(loads)} requests, up to {max(loads):.1f}",
        )


def _known(run: Run) -> list[Surroundings]:
    return [task.surroundings for task in run.tasks if task.surroundings is not None]


def _usual(around: Sequence[Surroundings]) -> Surroundings | None:
    if not around:
        return None

    def middle(of: Callable[[Surroundings], float | None]) -> float | None:
        known = [value for one in around if (value := of(one)) is not None]
        return median(known) if known else None

    throttled = [one.throttled for one in around if one.throttled is not None]
    return Surroundings(
        middle(lambda one: one.other_load),
        middle(lambda one: one.cpu_mhz),
        middle(lambda one: one.gpu_mhz),
        any(throttled) if throttled else None,
    )


def _unlike(around: Surroundings, usual: Surroundings) -> list[str]:
    """In what a request's surroundings differ from the usual ones, as phrases."""
    found = []
    load, known = around.other_load, usual.other_load
    if load is not None and known is not None and abs(load - known) > _LOAD:
        found.append(f"{load:.1f} processors busy with other programs ({known:.1f})")
    for name, clock, its in (
        ("processor", around.cpu_mhz, usual.cpu_mhz),
        ("GPU", around.gpu_mhz, usual.gpu_mhz),
    ):
        if clock is not None and its and abs(clock / its - 1) > _CLOCK:
            found.append(f"the {name} at {clock:.0f} MHz ({its:.0f})")
    if around.throttled and usual.throttled is False:
        found.append("throttling (none)")
    return found


CHECKS = (
    Check(
        "surroundings-differ",
        "warning",
        "Requests ran under other load or clocks than the baseline's",
        "A speedup is a ratio of two times. Where other programs took processors, or a clock was "
        "lower for heat or power, on one side only, the ratio holds that too.",
        "Measure again on a quiet machine, with interleaved repeats; fix clocks or a power limit "
        "that the machine can hold.",
        _differ,
    ),
    Check(
        "machine-busy",
        "warning",
        "Other programs were at work all along",
        "A forward waits for the slowest of its threads, and a draft model's forwards are short: "
        "what other programs take slows both sides of a speedup, but not alike.",
        "Measure again on a quiet machine.",
        _busy,
    ),
)
