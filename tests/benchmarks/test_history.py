from __future__ import annotations

import json
import subprocess

import pytest

MACHINE = {"cpu": "A", "threads": 2, "ram": "8 GiB", "architecture": "x", "load": 1.0}


def git(root, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path):
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "a.py").write_text("1\n")
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    return tmp_path


def test_a_version_says_whether_the_code_is_the_commits(benchmark, clone):
    version = benchmark("history").version
    first = version(clone)
    assert len(first.commit) == 10
    assert not first.changed
    (clone / "benchmarks").mkdir()
    (clone / "benchmarks" / "history.jsonl").write_text("{}\n")
    assert not version(clone).changed
    (clone / "analysis" / "a.py").write_text("2\n")
    assert version(clone).commit == first.commit
    assert version(clone).changed


def test_outside_of_a_clone_there_is_no_commit(benchmark, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert benchmark("history").version(tmp_path).commit is None


def test_what_is_added_is_read_back_oldest_first(benchmark, tmp_path):
    history, timing = benchmark("history"), benchmark("timing")
    path = tmp_path / "history.jsonl"
    code = history.Version("abc", False)
    one = history.entry([timing.Ratio("live", "s", "f", 1.0, 4.0, 0.5, 2)], MACHINE, code)
    path.write_text('{"cut off')
    history.append(one, path)
    assert path.read_text().splitlines()[0] == '{"cut off'
    path.write_text("\n".join(path.read_text().splitlines()[1:]))
    history.append(history.Entry("2020-01-01T00:00:00Z", None, False, {}, ()), path)
    older, same = history.read(path)
    assert older.commit is None
    assert same == one
    assert same.ratios[0]["value"] == 0.25


@pytest.mark.parametrize("line", ["{", "[]", '{"date": "2026-01-01"}', '{"ratios": [], "more": 1}'])
def test_a_line_that_is_no_measurement_is_named(benchmark, tmp_path, line):
    (tmp_path / "history.jsonl").write_text(line + "\n")
    with pytest.raises(SystemExit, match=r"history\.jsonl:1: no measurement; delete the line"):
        benchmark("history").read(tmp_path / "history.jsonl")


def test_the_committed_history_can_be_read(benchmark):
    history = benchmark("history")
    for entry in history.read():
        assert entry.date
        for ratio in entry.ratios:
            assert ratio["value"] == ratio["subject_s"] / ratio["floor_s"]


def test_machines_differ_by_hardware_and_not_by_load(benchmark):
    history = benchmark("history")
    busy, other = {**MACHINE, "load": 9.0}, {**MACHINE, "cpu": "B"}
    first, same, third = (
        history.Entry("d", None, False, machine, ()).hardware for machine in (MACHINE, busy, other)
    )
    assert first == same != third


def test_lines_are_whole_json(benchmark, tmp_path):
    history = benchmark("history")
    path = tmp_path / "history.jsonl"
    history.append(history.Entry("d", "abc", True, MACHINE, ({"name": "live"},)), path)
    assert json.loads(path.read_text())["changed"] is True
