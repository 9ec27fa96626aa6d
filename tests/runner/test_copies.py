"""Measuring again in a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import CampaignError, LiveError
from analysis.runner.copies import unmeasured_copy


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    folder = tmp_path / "raw" / "demo"
    (folder / "live").mkdir(parents=True)
    (folder / "logs" / "live").mkdir(parents=True)
    for name in ("campaign.toml", "prompts.jsonl", "live/a.jsonl", "logs/live/old.log"):
        (folder / name).write_text(name, encoding="utf-8")
    return folder


def test_everything_but_the_records_is_copied(measured: Path, tmp_path: Path):
    copy = unmeasured_copy(measured, tmp_path / "deep" / "work")
    assert copy == tmp_path / "deep" / "work" / "demo"
    files = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    assert files == {"campaign.toml", "prompts.jsonl", "logs/live/old.log"}
    assert (measured / "live" / "a.jsonl").read_text(encoding="utf-8") == "live/a.jsonl"


def test_nothing_is_written_over(measured: Path):
    with pytest.raises(LiveError, match="something in the copy's place already"):
        unmeasured_copy(measured, measured.parent)
    assert (measured / "live" / "a.jsonl").is_file()


def test_a_place_that_cannot_be_written_is_said(measured: Path, tmp_path: Path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(LiveError, match="can't be copied"):
        unmeasured_copy(measured, tmp_path / "file")


def test_a_campaign_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(CampaignError):
        unmeasured_copy(tmp_path / "none", tmp_path)
