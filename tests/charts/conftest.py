from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.campaigns.campaign import Campaign
from analysis.charts import Frames
from analysis.records import Run, Source, TaskResult
from analysis.replaying.replayed import replayed
from analysis.summary import summarise
from tests import committed
from tests.replaying.drafter import answer

SETTINGS = (
    # id, spec_type, n_max, factor on the speed, share accepted
    ("plain", "none", None, 1.0, 0.0),
    ("spark-2", "draft-dspark", 2, 0.9, 0.6),
    ("spark-3", "draft-dspark", 3, 1.3, 0.5),
    ("flash-7", "draft-dflash", 7, 1.6, 0.4),
)
TASKS = ("code_python", "translation", "qa_factual")
_MADE: dict[str, Frames] = {}


def result(task, speed, drafted, share, repeat=1, wall_s=2.0, error=None):
    if error:
        return TaskResult(task=task, source=Source("a.log"), repeat=repeat, error=error)
    return TaskResult(
        task=task,
        source=Source("a.log"),
        repeat=repeat,
        predicted_tokens=192,
        draft_tokens=drafted,
        accepted_tokens=int(drafted * share),
        decode_tps=speed,
        wall_s=wall_s,
    )


def make_runs(settings=SETTINGS, tasks=TASKS, *, repeats=1, wall=True, labels=None, synthetic=()):
    """Runs whose speed differs by configuration, task and repeat."""
    runs = []
    for place, (run, spec_type, n_max, factor, share) in enumerate(settings):
        results = [
            result(
                task,
                100.0 * factor ** (1 + number / 4) + repeat,
                0 if n_max is None else 90 * n_max,
                share,
                repeat,
                3.0 / factor if wall else None,
            )
            for repeat in range(1, repeats + 1)
            for number, task in enumerate(tasks)
        ]
        runs.append(
            Run(
                source=Source("a.log"),
                format="test",
                tasks=tuple(results),
                id=run,
                label=labels[place] if labels else None,
                spec_type=spec_type,
                n_max=n_max,
                synthetic=run in synthetic,
            )
        )
    return runs


def frames_of_summary(summary):
    return Frames(
        summary.runs,
        summary.tasks,
        summary.by_task,
        summary.workloads,
        summary.campaign.baseline,
        positions=summary.positions,
        depths=summary.depths,
        best_depths=summary.best_depths,
        ladder=summary.ladder,
        replay=summary.replays.table,
        reliability=summary.replays.reliability,
    )


def make_frames(runs, baseline="plain"):
    made = Campaign("made", Path("made"), "Made", baseline=baseline, runs=tuple(runs))
    return frames_of_summary(summarise(made))


@pytest.fixture
def runs():
    return make_runs


@pytest.fixture
def build(replays):
    """Frames of `make_runs` with its options; ``baseline=None`` leaves no baseline.

    `spark-3` has confidences where it is one of them.
    """
    table, reliability = replays

    def _build(*args, baseline="plain", **options):
        asked = repr((args, baseline, sorted(options.items())))
        if asked not in _MADE:
            made = make_frames(make_runs(*args, **options), baseline)
            if "spark-3" in set(made.runs["id"]):
                made = replace(made, replay=table, reliability=reliability)
            _MADE[asked] = made
        return deepcopy(_MADE[asked])

    return _build


@pytest.fixture
def frames_of():
    return make_frames


@pytest.fixture
def settings():
    return SETTINGS


@pytest.fixture(scope="session")
def replays():
    """What a simulated draft with confidences gives, as a campaign's run."""
    random = np.random.default_rng(1)
    tasks = [replace(result("a", 1.0, 6, 0.5), rounds=answer(random, "calibrated", 60).rounds(4))]
    run = Run(Source("a.log"), "test", tuple(tasks), id="spark-3", spec_type="draft-simple")
    made = replayed(run, "spark-3")
    return made.table.assign(run=made.run), made.reliability.assign(run=made.run)


@pytest.fixture
def frames(build):
    return build()


@pytest.fixture
def summary(frames):
    return SimpleNamespace(
        runs=frames.runs,
        tasks=frames.tasks,
        by_task=frames.by_task,
        workloads=frames.workloads,
        campaign=SimpleNamespace(baseline=frames.baseline),
        positions=frames.positions,
        depths=frames.depths,
        best_depths=frames.best_depths,
        ladder=frames.ladder,
        axes=frames.axes,
        replays=SimpleNamespace(table=frames.replay, reliability=frames.reliability),
    )


@pytest.fixture(scope="session")
def dspark():
    """Frames of the committed DSpark campaign: depths 2, 3, 5 and one of another method."""
    return frames_of_summary(committed.summary())


@pytest.fixture
def dots():
    """Scatter collections of an axes by run: (x, y) offsets and colours."""

    def _dots(axes):
        return {item.get_gid(): item for item in axes.collections if item.get_gid()}

    return _dots


@pytest.fixture
def many():
    rng = np.random.default_rng(7)
    return [
        (
            f"run-{number}",
            "none" if not number else ("draft-mtp", "ngram-mod", "draft-eagle3")[number % 3],
            None if not number else 1 + number // 3,
            float(rng.uniform(0.5, 2)) if number else 1.0,
            0.5,
        )
        for number in range(30)
    ]
