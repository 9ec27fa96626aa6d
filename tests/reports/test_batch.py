"""What is rendered, in which order it is told, and what is left alone; nothing is executed here."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.errors import ReportError
from analysis.files.fingerprint import stamp
from analysis.models.model_files import ModelFile, Part
from analysis.reports import Rendered, report, work

Write = Callable[..., Path]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of what is rendered, by something that writes empty reports."""
    names: list[str] = []

    def render(source: Path, folder: Path, inputs: str, *_: object, **__: object) -> None:
        names.append(folder.name)
        if folder.name == "bad":
            raise ReportError("it is bad", "mend it")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.html").write_text(str(source))
        stamp(folder, inputs)

    monkeypatch.setattr(work, "render", render)
    return names


@pytest.fixture
def campaigns(tmp_path: Path, write_campaign: Write) -> list[Path]:
    return [write_campaign(tmp_path / "raw" / name) for name in ("a", "bad", "c")]


def test_outcomes_come_in_the_order_given_and_are_told_at_once(
    tmp_path: Path, campaigns: list[Path], made: list[str]
) -> None:
    told: list[Rendered] = []
    out = tmp_path / "out"
    outcomes = list(report([tmp_path / "no", *campaigns], out, done=told.append))
    assert [outcome.campaign for outcome in outcomes[1:]] == list(map(str, campaigns))
    assert outcomes[1:] == [
        Rendered(str(campaigns[0]), out / "a"),
        Rendered(str(campaigns[1]), error="it is bad; mend it"),
        Rendered(str(campaigns[2]), out / "c"),
    ]
    assert outcomes[0].error is not None
    assert set(told) == set(outcomes)
    assert len(told) == len(outcomes)
    assert made == ["a", "bad", "c"]


def test_what_has_not_changed_is_left_alone(
    tmp_path: Path, campaigns: list[Path], made: list[str]
) -> None:
    out = tmp_path / "out"
    list(report(campaigns, out))
    before = (out / "a" / "report.html").stat().st_mtime_ns
    made.clear()
    outcomes = list(report(campaigns, out))
    assert [outcome.unchanged for outcome in outcomes] == [True, False, True]
    assert outcomes[0] == Rendered(str(campaigns[0]), out / "a", unchanged=True)
    # What failed is tried again.
    assert made == ["bad"]
    assert (out / "a" / "report.html").stat().st_mtime_ns == before


@pytest.mark.parametrize("cause", ["raw data", "report", "force", "files", "elsewhere"])
def test_what_has_changed_is_made_anew(
    cause: str, tmp_path: Path, campaigns: list[Path], made: list[str]
) -> None:
    out = tmp_path / "out"
    list(report(campaigns[:1], out))
    if cause == "raw data":
        (campaigns[0] / "fast.log").write_text("an edited log")
    if cause == "report":
        (out / "a" / "report.html").write_text("edited by hand")
    (outcome,) = report(
        campaigns[:1],
        tmp_path / "other" if cause == "elsewhere" else out,
        files=[ModelFile((Part("a.gguf", 9),))] if cause == "files" else [],
        force=cause == "force",
    )
    assert not outcome.unchanged
    assert made == ["a", "a"]


def test_leaving_early_begins_nothing_more(
    tmp_path: Path, campaigns: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    threads = threading.active_count()
    left = threading.Event()

    def render(source: Path, folder: Path, *_: object, **__: object) -> None:
        begun.append(folder.name)
        assert folder.name == "a" or left.wait(10)

    monkeypatch.setattr(work, "render", render)
    outcomes = report(campaigns, tmp_path / "out")
    assert next(outcomes).error is None
    timer = threading.Timer(0.1, left.set)
    timer.start()
    outcomes.close()
    timer.join()
    # The next one may have begun before it was said that nobody waits.
    assert begun in (["a"], ["a", "bad"])
    assert threading.active_count() == threads
