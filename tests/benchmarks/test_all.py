from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from tests.benchmarks.conftest import NAMES

NO_SUBJECT = {"all", "timing", "history", "history_chart", "load", "coverage"}


@pytest.fixture
def everything(benchmark, monkeypatch, tmp_path):
    """all.py with two made-up subjects, one of which breaks, and a history of its own."""
    module = benchmark("all")

    def measure(runs, quick):
        target = 1.0 if quick else 0.5
        return [module.Ratio("report", "s", "f", 0.7, 1.0, target, runs)]

    def broken(runs, quick):
        raise RuntimeError("no server")

    monkeypatch.setitem(sys.modules, "report", SimpleNamespace(measure=measure))
    monkeypatch.setitem(sys.modules, "live", SimpleNamespace(measure=broken))
    kept = []
    monkeypatch.setattr(module.history, "append", kept.append)
    monkeypatch.setattr(module.history_chart, "draw", lambda: None)
    return module, kept


def test_every_benchmark_is_a_subject(benchmark):
    assert set(benchmark("all").SUBJECTS) == NAMES - NO_SUBJECT


def test_a_subject_that_breaks_is_named_and_the_others_are_kept(everything, capsys):
    module, kept = everything
    assert module.main(["--only", "live", "report", "--runs", "2", "--json"]) == 1
    printed = capsys.readouterr()
    assert "error: live: no server\n" in printed.err
    assert [row["name"] for row in json.loads(printed.out)["ratios"]] == ["report"]
    (entry,) = kept
    assert [row["runs"] for row in entry.ratios] == [2]
    assert entry.machine["python"]


def test_a_missed_target_is_an_exit_of_one(everything):
    module, _ = everything
    assert module.main(["--only", "report", "--no-history"]) == 1


@pytest.mark.parametrize("words", [["--quick"], ["--quick", "--json"], ["--no-history"]])
def test_a_quick_look_is_not_kept(everything, words):
    module, kept = everything
    assert module.main(["--only", "report", *words]) == (0 if "--quick" in words else 1)
    assert kept == []
