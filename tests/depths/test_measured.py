from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.depths import measured
from analysis.depths.measured import MeasuredRuns
from analysis.ingesting.ingest import ingest
from analysis.parsers.mtp_bench import marks as mtp_bench
from analysis.pipeline import summary_of

Make = Callable[..., object]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each frame is made."""
    calls: Counter[str] = Counter()

    def counted(name: str, make: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **others: object) -> object:
            calls[name] += 1
            return make(*given, **others)

        return call

    for name in ("task_frame", "run_frame"):
        monkeypatch.setattr(measured, name, counted(name, getattr(measured, name)))
    for kind in (measured.RunTotals, measured.Sweeps, measured.StepTimes):
        monkeypatch.setattr(kind, "__call__", counted(kind.__name__, kind.__call__))
    return calls


def test_audit_and_summary_share_what_they_compute(
    asked: Counter[str], tmp_path: Path, settings: str, write_campaign: Callable[..., Path]
) -> None:
    # Under a title of its own: whatever other tests have summed up is remembered.
    summary_of(write_campaign(tmp_path / "made", settings.replace("Made", "Asked")))
    assert asked == dict.fromkeys(
        ["task_frame", "run_frame", "RunTotals", "Sweeps", "StepTimes"], 1
    )


def test_a_log_on_its_own_has_no_sweep(
    asked: Counter[str], tmp_path: Path, log: Callable[..., str]
) -> None:
    path = tmp_path / "a.log"
    path.write_text(log([("code_python", 100, 78, 60, 200.0)]))
    ingest([path])
    assert asked == dict.fromkeys(["task_frame", "run_frame", "RunTotals"], 1)


def test_nothing_is_made_unasked(asked: Counter[str], run: Make, task: Make) -> None:
    runs = MeasuredRuns((run("x", task()),))
    assert not asked
    assert runs.tasks is runs.tasks
    assert asked == {"task_frame": 1}


def test_the_marks_of_a_log_are_found_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, log: Callable[..., str]
) -> None:
    texts: list[str] = []
    rows = mtp_bench._rows
    monkeypatch.setattr(mtp_bench, "_rows", lambda text: (texts.append(text), rows(text))[1])
    path = tmp_path / "once.log"
    path.write_text(log([("code_python", 101, 78, 60, 200.0), ("qa_factual", 51, 8, 6, 80.0)]))
    ingest([path])
    assert len(texts) == 1
