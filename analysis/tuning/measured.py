"""What do a folder's records say, as the frames that the chooser learns from?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.campaigns.campaign import Campaign
from analysis.records import LOGGED, Run
from analysis.replaying.policies import Threshold
from analysis.replaying.table import Replay
from analysis.replaying.texts import guesses
from analysis.statistics.frames import task_frame
from analysis.tuning.belief import FORESEEN_COLUMNS, REQUEST_COLUMNS
from analysis.tuning.methods import Setting

__all__ = ["Measured", "is_deepest", "measured"]

Floats = npt.NDArray[np.floating]

_TWO_Z = 2 * 1.6449
"""From a 90 % interval to a standard deviation."""

_LEAST_SD = 0.003
_ITSELF = 1e-4
_SHORTER_DRAFTS = 0.01
"""A shallower run begins its rounds elsewhere in the text than the deepest did."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Frames for ``chooser.Chooser``; `depths` has the depth in effect where it is another."""

    requests: pd.DataFrame
    foreseen: pd.DataFrame
    logs: pd.DataFrame
    depths: Mapping[str, int]


def measured(
    campaign: Campaign | None, settings: Sequence[Setting], ids: Mapping[str, str]
) -> Measured:
    """Read what was measured so far.

    Parameters
    ----------
    campaign
        Null before anything was.
    settings
        Those that are thought of.
    ids
        A setting's by its run's, which conditions may have given an ending.
    """
    runs = (
        []
        if campaign is None
        else [replace(run, id=ids.get(str(run.id), run.id)) for run in campaign.runs]
    )
    logged = () if campaign is None else campaign.logged
    by_id = {one.id: one for one in settings}
    foreseen = [
        row
        for run in runs
        if (one := by_id.get(str(run.id))) is not None and is_deepest(one, settings)
        for row in _foreseen(one, run, settings, [log for log in logged if _twin(log) == run.id])
    ]
    answered = [
        (_twin(run), task.task) for run in logged for task in run.tasks if task.error is None
    ]
    return Measured(
        _requests(runs),
        pd.DataFrame(foreseen, columns=list(FORESEEN_COLUMNS)).astype(
            dict.fromkeys(FORESEEN_COLUMNS[1:], "float64")
        ),
        pd.DataFrame(answered, columns=["setting", "task"]),
        {str(run.id): run.n_max for run in runs if run.n_max is not None},
    )


def _twin(run: Run) -> str:
    return str(run.id).removesuffix(LOGGED)


def is_deepest(one: Setting, settings: Sequence[Setting]) -> bool:
    """Whether a setting tells of all others of its method: the deepest, and nothing dropped."""
    own = [other.n_max for other in settings if other.method is one.method]
    return one.method is not None and not one.p_min and one.n_max == max(own)


def _requests(runs: Sequence[Run]) -> pd.DataFrame:
    frame = task_frame(runs)
    begun = [task.started_s for run in runs for task in run.tasks]
    frame = frame.assign(begun=pd.Series(begun, dtype="float64"))
    whole = frame["error"].isna() & (frame["decode_s"] > 0) & (frame["forwards"].fillna(0) > 0)
    frame = frame[whole].sort_values("begun", kind="stable", ignore_index=True)
    out = pd.DataFrame(
        {
            "setting": frame["run"],
            "start": frame["run"].astype(str) + "/" + frame["repeat"].astype(str),
            "task": frame["task"],
            "tokens": frame["timed_tokens"].astype("float64"),
            "forwards": frame["forwards"].astype("float64"),
            "drafted": frame["draft_tokens"].astype("float64"),
            "seconds": frame["decode_s"].astype("float64"),
        },
        columns=list(REQUEST_COLUMNS),
    )
    return out.drop_duplicates(["start", "task"], keep="last", ignore_index=True)


Row = tuple[str, float, float, float]


def _foreseen(
    deepest: Setting, run: Run, settings: Sequence[Setting], logged: Sequence[Run]
) -> Iterator[Row]:
    """What a method's deepest run, and its confidences, tell of the method's other settings."""
    own = [one for one in settings if one.method is deepest.method]
    replayed = {one.setting: one for one in _replayed(own, logged)} if logged else {}
    counted = _counted(run, [one for one in own if not one.p_min])
    for one in own:
        row = replayed.get(one.id) or counted.get(one.id)
        if one.id == deepest.id and row is not None:
            row = _Told(one.id, row.length, row.drafted, _ITSELF)
        if row is not None:
            yield row.setting, row.length, row.drafted, row.sd


@dataclass(frozen=True)
class _Told:
    setting: str
    length: float
    drafted: float
    sd: float


def _replayed(own: Sequence[Setting], logged: Sequence[Run]) -> Iterator[_Told]:
    run = logged[0]
    answers = [
        made
        for task in run.tasks
        if task.rounds is not None
        and (made := guesses(task.rounds, task.task, None, task.predicted_tokens)) is not None
    ]
    if not answers:
        return
    policies = tuple(Threshold(one.n_max, one.p_min) for one in own)
    sampled = run.temperature is None or run.temperature > 0
    table = Replay(sampled=sampled, policies=policies)(answers)
    for one, row in zip(own, table.to_dict("records"), strict=True):
        sd = float(np.log(row["high"] / row["low"])) / _TWO_Z
        drafted = row["draft_tokens"] / row["forwards"]
        yield _Told(one.id, row["mean_accepted_length"], drafted, max(sd, _LEAST_SD))


def _counted(run: Run, own: Sequence[Setting]) -> dict[str, _Told]:
    """Shallower depths from the deepest run's rounds, each task counted as its text is long."""
    tasks = []
    for task in {one.task: one for one in run.tasks if one.error is None}.values():
        rounds, predicted = task.rounds, task.predicted_tokens
        if rounds is None or predicted is None or predicted < 2:
            continue
        # Forwards without a draft have no round.
        steps = max(predicted - 1 - int(rounds.accepted.sum()), len(rounds.drafted), 1)
        drafted, accepted = np.zeros((2, steps))
        drafted[: len(rounds.drafted)] = rounds.drafted
        accepted[: len(rounds.drafted)] = rounds.accepted
        tasks.append((predicted - 1.0, drafted, accepted))
    if not tasks:
        return {}
    return {one.id: _at_depth(one, tasks) for one in own}


def _at_depth(one: Setting, tasks: Sequence[tuple[float, Floats, Floats]]) -> _Told:
    tokens = forwards = drafts = error = 0.0
    for length, drafted, accepted in tasks:
        gain = 1 + np.minimum(accepted, one.n_max)
        mean = float(gain.mean())
        own = length / mean
        tokens += length
        forwards += own
        drafts += own * float(np.minimum(drafted, one.n_max).mean())
        error += own**2 * float(gain.var()) / mean**2 / len(gain)
    sd = float(np.hypot(np.sqrt(2 * error) / forwards, _SHORTER_DRAFTS))
    return _Told(one.id, tokens / forwards, drafts / forwards, sd)
