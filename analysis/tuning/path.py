"""What would be believed, and measured next, after each server start of a live campaign?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.campaigns.campaign import Campaign, load
from analysis.errors import CampaignError
from analysis.records import Run
from analysis.tuning.choice import BELIEF_COLUMNS
from analysis.tuning.chooser import Chooser
from analysis.tuning.measured import measured
from analysis.tuning.methods import OFF_ID, SURE, THRESHOLDS, Method, Setting, settings_frame

__all__ = ["PATH_COLUMNS", "path_of"]

PATH_COLUMNS = (
    "step", "measured", "advised", "probability", "close", "expected_loss", "next", "why",
)  # fmt: skip


def path_of(
    campaign: str | Path, chooser: Chooser | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Read the starts of a live campaign one after the other, as tuning would have.

    Parameters
    ----------
    campaign
        A folder that ``mtpbench tune`` or ``mtpbench run`` filled, with a run
        without speculation; its repeats must have started one after the other.
    chooser
        Its settings.

    Returns
    -------
    tuple of pandas.DataFrame
        Columns `PATH_COLUMNS`, one row a start: what was measured, what would be
        advised then, and what would be asked next (null where it would be enough).
        And columns ``choice.BELIEF_COLUMNS`` with `step`.

    Raises
    ------
    CampaignError
        It has no live records, or none without speculation.
    """
    loaded = load(campaign)
    runs = [run for run in loaded.runs if _is_live(run)]
    if not any(run.spec_type == "none" for run in runs):
        problem = "this campaign has no live records of a run without speculation"
        raise CampaignError(problem, "measure one with mtpbench tune or run", loaded.folder)
    settings, ids = _settings(runs, loaded.logged)
    frame = settings_frame(settings)
    tasks = list(dict.fromkeys(task.task for run in runs for task in run.tasks))
    rows, beliefs = [], []
    for step, (name, until) in enumerate(_starts(loaded, ids), start=1):
        seen = measured(_until(loaded, until), settings, ids)
        choice = (chooser or Chooser())(frame, seen.requests, seen.foreseen, tasks, seen.logs)
        ask = None if choice.ask is None else choice.ask.setting
        rows.append(
            (step, name, choice.advised, choice.probability, choice.close,
             choice.expected_loss, ask, choice.why)
        )  # fmt: skip
        if choice.drawn is not None:
            beliefs.append(choice.belief.assign(step=step))
    belief = pd.concat(beliefs, ignore_index=True) if beliefs else pd.DataFrame()
    return (
        pd.DataFrame(rows, columns=list(PATH_COLUMNS)),
        belief.reindex(columns=["step", *BELIEF_COLUMNS]),
    )


def _is_live(run: Run) -> bool:
    return not run.synthetic and all(task.started_s is not None for task in run.tasks)


def _settings(
    runs: Sequence[Run], logged: Sequence[Run]
) -> tuple[list[Setting], Mapping[str, str]]:
    """Settings of the methods that ran, with the ids of runs where one is a setting's."""
    by_method: dict[tuple[str, str | None], list[Run]] = {}
    for run in runs:
        if run.spec_type not in (None, "none"):
            by_method.setdefault((str(run.spec_type), run.draft), []).append(run)
    with_log = {(str(run.spec_type), run.draft) for run in logged}
    settings = [Setting(OFF_ID)]
    ids = {str(run.id): OFF_ID for run in runs if run.spec_type == "none"}
    taken: list[str] = []
    for key, own in by_method.items():
        known = {(run.n_max or 0, run.p_min or 0.0): str(run.id) for run in own}
        deepest = max(depth for depth, _ in known)
        every = key[0].startswith("draft-")
        depths = tuple(range(1, deepest + 1)) if every else tuple(sorted({d for d, _ in known}))
        cuts = THRESHOLDS if key in with_log and key[0] in SURE else ()
        cuts = tuple(sorted({*cuts, *(cut for _, cut in known if cut)}))
        kind = key[0].removeprefix("draft-")
        taken.append(kind)
        again = taken.count(kind)
        method = Method(kind if again == 1 else f"{kind}-{again}", key[0], depths, cuts)
        for cut in (0.0, *cuts):
            for depth in depths:
                name = f"{method.name}-n{depth}" + (f"-p{cut:g}" if cut else "")
                settings.append(Setting(known.get((depth, cut), name), method, depth, cut))
    return settings, {**{str(run.id): str(run.id) for run in runs}, **ids}


def _starts(loaded: Campaign, ids: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    """Every server start in order: the setting, and when its last request began."""
    last: dict[tuple[str, int], float] = {}
    for run in (*loaded.runs, *loaded.logged):
        for task in run.tasks:
            if task.started_s is not None and (str(run.id) in ids or run in loaded.logged):
                key = (ids.get(str(run.id), str(run.id)), task.repeat)
                last[key] = max(last.get(key, task.started_s), task.started_s)
    for (name, _), until in sorted(last.items(), key=lambda item: item[1]):
        yield name, until


def _until(loaded: Campaign, until: float) -> Campaign:
    """The campaign as it was when its requests up to some moment were answered."""

    def early(runs: Sequence[Run]) -> tuple[Run, ...]:
        kept = [
            replace(run, tasks=tuple(t for t in run.tasks if (t.started_s or 0.0) <= until))
            for run in runs
            if _is_live(run)
        ]
        return tuple(run for run in kept if run.tasks)

    return replace(loaded, runs=early(loaded.runs), logged=early(loaded.logged))
