"""What is rendered, in which order it is told, and what is left alone; nothing is executed here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable
from pathlib import Path

import pytest

from analysis.models.model_files import ModelFile, Part
from analysis.reports import Outcome, pool, report
from analysis.files.fingerprint import stamp
from analysis.reports.render import Job

Write = Callable[..., Path]
Jobs = Iterable[tuple[int, Job]]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of what is rendered, last first: by a pool that writes empty reports."""
    names: list[str] = []

    def warm(jobs: Jobs, workers: int) -> Generator[tuple[int, str | None]]:
        for number, job in reversed(list(jobs)):
            folder = Path(job.folder)
            names.append(folder.name)
            if folder.name == "bad":
                yield number, "it is bad; mend it"
                continue
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "report.html").write_text(job.source)
            stamp(folder, job.inputs)
            yield number, None

    monkeypatch.setattr(pool, "warm", warm)
    return names


@pytest.fixture
def campaigns(tmp_path: Path, write_campaign: Write) -> list[Path]:
    return [write_campaign(tmp_path / "raw" / name) for name in ("a", "bad", "c")]


def test_outcomes_come_in_the_order_given_and_are_told_at_once(
    tmp_path: Path, campaigns: list[Path], made: list[str]
) -> None:
    told: list[Outcome] = []
    out = tmp_path / "out"
    outcomes = list(report([tmp_path / "no", *campaigns], out, done=told.append))
    assert [outcome.campaign for outcome in outcomes[1:]] == list(map(str, campaigns))
    assert outcomes[1:] == [
        Outcome(str(campaigns[0]), out / "a"),
        Outcome(str(campaigns[1]), error="it is bad; mend it"),
        Outcome(str(campaigns[2]), out / "c"),
    ]
    assert outcomes[0].error is not None
    assert told == [outcomes[0], *outcomes[:0:-1]]
    assert made == ["c", "bad", "a"]


def test_what_has_not_changed_is_left_alone(
    tmp_path: Path, campaigns: list[Path], made: list[str]
) -> None:
    out = tmp_path / "out"
    list(report(campaigns, out))
    before = (out / "a" / "report.html").stat().st_mtime_ns
    made.clear()
    outcomes = list(report(campaigns, out))
    assert [outcome.unchanged for outcome in outcomes] == [True, False, True]
    assert outcomes[0] == Outcome(str(campaigns[0]), out / "a", unchanged=True)
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


def test_leaving_early_ends_the_pool(
    tmp_path: Path, campaigns: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = []

    def warm(jobs: Jobs, workers: int) -> Generator[tuple[int, str | None]]:
        with contextlib.closing(_Closing(ended)):
            yield from ((number, None) for number, _ in jobs)

    monkeypatch.setattr(pool, "warm", warm)
    outcomes = report(campaigns, tmp_path / "out")
    next(outcomes)
    outcomes.close()
    assert ended == [True]


class _Closing:
    def __init__(self, ended: list[bool]) -> None:
        self.ended = ended

    def close(self) -> None:
        self.ended.append(True)
