"""The reason for no interval: why has no figure one, although runs were repeated?"""

from __future__ import annotations

from analysis.cards.facts import Facts
from analysis.cards.markdown import Markdown

__all__ = ["no_interval"]

WITHOUT_BASELINE = (
    "Configurations were repeated, but intervals are given for speedups, and there is no baseline."
)
IDENTICAL = (
    "The repeats of every task are identical in all the times recorded, so nothing shows how much "
    "a figure scatters, and there is no interval."
)
UNPAIRED = (
    "Configurations were repeated, but no task has, with times and with scatter, two repeats of a "
    "configuration and of the baseline, so there is no interval."
)
_TIMES = ("decode_s", "wall_s")


def no_interval(facts: Facts) -> Markdown | None:
    """The reason in a sentence; null where there is an interval, or nothing was repeated."""
    frame = facts.summary.runs
    known = frame[[name for name in ("speedup_low", "decode_speedup_low") if name in frame]]
    if known.notna().any(axis=None) or all((run.repeats or 1) < 2 for run in facts.compared):
        return None
    if facts.baseline is None:
        return Markdown(WITHOUT_BASELINE)
    tasks = facts.summary.tasks
    done = tasks[tasks["error"].isna() & tasks["run"].isin([run.id for run in facts.real])]
    repeated = done[done.duplicated(["run", "task"], keep=False)]
    times = repeated.groupby(["run", "task"])[list(_TIMES)].nunique()
    same = len(times) and times.max(axis=None) == 1
    return Markdown(IDENTICAL if same else UNPAIRED)
