"""Campaigns made by hand, without a parser."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.campaigns.campaign import Campaign
from analysis.records import Finding, Run, Source, TaskResult
from analysis.summary import Summary
from tests import committed

Row = tuple[str, int, int, int, float]
TASKS = ("code_python", "json_output", "qa_factual", "translation", "explain_concept")


def make_run(
    name: str,
    rows: Sequence[Row],
    spec_type: str | None = "draft-dspark",
    n_max: int | None = 3,
    label: str | None = None,
    **stated: Any,
) -> Run:
    """Rows are task, predicted, drafted, accepted, tok/s; wall time is decode + 0.1 s."""
    tasks = tuple(
        TaskResult(
            task=task,
            source=Source(f"{name}.log", line, line),
            predicted_tokens=predicted,
            draft_tokens=drafted,
            accepted_tokens=accepted,
            decode_tps=rate,
            wall_s=predicted / rate + 0.1,
        )
        for line, (task, predicted, drafted, accepted, rate) in enumerate(rows, start=1)
    )
    return Run(
        source=Source(f"{name}.log", 1, len(rows)),
        format="mtp-bench",
        tasks=tasks,
        id=name,
        label=label or name,
        spec_type=spec_type,
        n_max=n_max,
        **stated,
    )


def uniform(speed: Mapping[str, float] | float, drafted: int, accepted: int) -> list[Row]:
    """The five tasks with 192 tokens each; `speed` by task or for all."""
    rates = speed if isinstance(speed, Mapping) else dict.fromkeys(TASKS, speed)
    return [(task, 192, drafted, accepted, rate) for task, rate in rates.items()]


@pytest.fixture
def summary_of(tmp_path: Path) -> Callable[..., Summary]:
    """Summary of hand-made runs, each with a raw log in the campaign's folder."""

    def build(
        runs: Sequence[Run],
        baseline: str | None = None,
        findings: Sequence[Finding] = (),
        **settings: Any,
    ) -> Summary:
        for run in runs:
            lines = "".join(f"{task.task} tok/s={task.decode_tps}\n" for task in run.tasks)
            (tmp_path / f"{run.id}.log").write_text(lines, encoding="utf-8")
        facts: dict[str, Any] = {"title": "Some-Model-DSPARK-GGUF", "target": "Org/Some-Model"}
        campaign = Campaign(
            slug="made",
            folder=tmp_path,
            baseline=baseline,
            runs=tuple(runs),
            **{**facts, **settings},
        )
        return committed.summarised(campaign, findings)

    return build


def plain(speed: float = 100.0) -> Run:
    return make_run("plain", uniform(speed, 0, 0), "none", None, "No speculation")


@pytest.fixture
def wins(summary_of: Callable[..., Summary]) -> Summary:
    """DSpark: 3 pays on code, loses on translation; 2 a little slower; a faster DFlash."""
    mixed = dict(zip(TASKS, (200.0, 180.0, 120.0, 70.0, 80.0), strict=True))
    shallow = {task: rate * 0.9 for task, rate in mixed.items()}
    other = {task: rate * 1.3 for task, rate in mixed.items()}
    return summary_of(
        [
            make_run("dspark-n2", uniform(shallow, 160, 100), n_max=2, label="DSpark, n_max 2"),
            make_run("dspark-n3", uniform(mixed, 195, 120), label="DSpark, n_max 3"),
            make_run("dflash-n7", uniform(other, 260, 150), "draft-dflash", 7, "DFlash, n_max 7"),
            plain(),
        ],
        baseline="plain",
        conditions={"gpu": "RTX 5070 Ti", "build": "b9831"},
        card={"license": "mit", "base_model": "Org/Draft", "draft_file": "Draft-Q4.gguf"},
    )


@pytest.fixture
def loses(summary_of: Callable[..., Summary]) -> Summary:
    """Speculation is slower on every task at every depth."""
    return summary_of(
        [
            make_run("dspark-n2", uniform(80.0, 160, 60), n_max=2, label="DSpark, n_max 2"),
            make_run("dspark-n3", uniform(70.0, 195, 65), label="DSpark, n_max 3"),
            plain(),
        ],
        baseline="plain",
    )


@pytest.fixture
def unpaired(summary_of: Callable[..., Summary]) -> Summary:
    """No run without speculation."""
    return summary_of(
        [
            make_run("dflash-n2", uniform(100.0, 160, 100), "draft-dflash", 2, "DFlash, n_max 2"),
            make_run("dflash-n3", uniform(120.0, 195, 120), "draft-dflash", 3, "DFlash, n_max 3"),
        ]
    )


@pytest.fixture
def figures() -> dict[str, SimpleNamespace]:
    """Charts as the report hands them over."""
    names = ("throughput", "heatmap", "drafted", "depth_cost")
    return {
        name: SimpleNamespace(
            name=name,
            light=f"figures/{name}-light.png",
            dark=f"figures/{name}-dark.png",
            alt=f"Alt text of {name}",
            caption=f"Caption of {name}.",
        )
        for name in names
    }
