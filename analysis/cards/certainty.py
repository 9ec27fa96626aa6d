"""What do the intervals of speedups stand on, and what can't they show?"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from statistics import median
from typing import Any

from analysis.cards.escaping import Markdown, say
from analysis.cards.facts import Facts, RunFacts
from analysis.cards.numbers import percent, speedup

__all__ = ["assumed", "ends", "explained", "least", "least_on_one", "marked"]

WITHOUT_BASELINE = (
    "Configurations were repeated, but intervals are given for speedups, and there is no baseline."
)
IDENTICAL = (
    "The repeats of every task are identical in all the times recorded, so nothing shows how much "
    "a figure scatters. "
)
ONCE = "Every configuration was measured once, which does not show how much whole runs scatter. "
ONE_START = (
    "All repeats of a configuration ran on one server start, which does not show how much whole "
    "runs scatter. "
)
FEW = "There are few repeats to show how much whole runs scatter. "
ASSUMED = (
    "The intervals assume a standard deviation of {sd} for it, in part or in whole; 1 to 2 % is "
    "common on desktop GPUs."
)
_TIMES = ("decode_s", "wall_s")


def ends(facts: Facts, run: RunFacts) -> tuple[float | None, float | None]:
    """The interval of the speedup that the card compares runs by."""
    if facts.effective:
        return run.speedup_low, run.speedup_high
    return run.decode_speedup_low, run.decode_speedup_high


def marked(gain: float | None, low: float | None, high: float | None) -> Markdown:
    """A speedup, with a ~ where it can't be told from 1; the intervals are in other tables."""
    doubted = low is not None and high is not None and low <= 1 <= high
    return Markdown(f"{'~' * doubted}{speedup(gain)}")


def explained(facts: Facts) -> Markdown | None:
    """For the limits; null where repeats show by themselves what there is to say."""
    repeated = any((run.repeats or 1) > 1 for run in facts.compared)
    if facts.baseline is None:
        return Markdown(WITHOUT_BASELINE) if repeated else None
    sd = assumed(facts)
    if sd is None or least(facts) is None:
        return None
    why = ONCE
    if repeated:
        few = _level(facts, "source") == "repeats and prior"
        why = FEW if few else IDENTICAL if _identical(facts) else ONE_START
    return Markdown(why + say(ASSUMED, sd=sd))


def _level(facts: Facts, column: str) -> Any:
    noise = facts.summary.noise
    return noise.loc[noise["level"] == "run", column].tolist()[0]


def assumed(facts: Facts) -> Markdown | None:
    """The scatter of whole runs that is taken in place of repeats, or beside few; else null."""
    return percent(_level(facts, "sd")) if _level(facts, "source") != "repeats" else None


def _identical(facts: Facts) -> bool:
    tasks = facts.summary.tasks
    done = tasks[tasks["error"].isna() & tasks["run"].isin([run.id for run in facts.real])]
    repeated = done[done.duplicated(["run", "task"], keep=False)]
    times = repeated.groupby(["run", "task"])[list(_TIMES)].nunique()
    most = max((int(value) for value in times.max().dropna()), default=0)
    return most == 1


def least(facts: Facts) -> Markdown | None:
    """The change over all prompts that a usual interval just reaches, in whole percent."""
    return _usual((facts.gain(run), ends(facts, run)[1]) for run in facts.drafting if not run.aside)


def least_on_one(facts: Facts) -> Markdown | None:
    """The same on one workload; null with one only, which is all prompts."""
    whole = {run.id for run in facts.drafting if not run.aside}
    rows = [row for rows in facts.workloads.values() for row in rows if row.run in whole]
    if len({row.workload for row in rows}) < 2:
        return None
    return _usual((row.speedup, row.speedup_high) for row in rows)


def _usual(found: Iterable[tuple[float | None, float | None]]) -> Markdown | None:
    margins = [high / gain - 1 for gain, high in found if gain and high is not None]
    return Markdown(f"{ceil(100 * median(margins) - 1e-9)} %") if margins else None
