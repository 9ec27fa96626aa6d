from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.errors import LogError, ReportError
from analysis.ingesting.ingest import ingest, save
from analysis.ingesting.shown import text

RAW = PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"

Log = Callable[..., str]

PLAIN = [("code_python", 100, 0, 0, 100.0), ("qa_factual", 50, 0, 0, 50.0)]


@pytest.fixture
def folder(tmp_path: Path, log: Log) -> Path:
    """Two logs, one with two runs, and files that are none."""
    (tmp_path / "logs" / "deep").mkdir(parents=True)
    (tmp_path / "logs" / "b.log").write_text(log(PLAIN) + "\n" + log(PLAIN, 5.0))
    (tmp_path / "logs" / "deep" / "a.txt").write_text(log([("code_cpp", 10, 4, 2, 10.0)]))
    (tmp_path / "logs" / "notes.md").write_text("just words\n")
    (tmp_path / "logs" / "picture.png").write_bytes(b"\x89PNG\0\0")
    return tmp_path / "logs"


def test_a_log_alone(tmp_path: Path, log: Log) -> None:
    path = tmp_path / "one.log"
    path.write_text(log(PLAIN, 2.5))
    found = ingest([path])
    row = found.runs.iloc[0]
    assert (row["id"], row["predicted_tokens"], row["wall_s"]) == ("one", 150, 2.5)
    assert row["effective_tps"] == 60.0
    assert row["source"] == "one.log:1-11"
    assert found.runs["speedup"].isna().all()
    assert list(found.tasks["task"]) == ["code_python", "qa_factual"]
    assert [finding.code for finding in found.findings] == ["single-run"]


def test_a_folder_with_other_files_in_it(folder: Path) -> None:
    found = ingest([folder])
    assert list(found.runs["id"]) == ["b", "b#2", "a"]
    assert list(found.runs["wall_s"]) == [10.0, 5.0, 10.0]


def test_paths_keep_their_order_and_ids_stay_distinct(folder: Path) -> None:
    found = ingest([folder / "deep" / "a.txt", folder / "b.log", folder / "deep" / "a.txt"])
    assert list(found.runs["id"]) == ["a", "b", "b#2", "a#2"]
    assert len(found.records) == 4


def test_the_raw_logs_are_read_without_a_finding_that_is_an_error() -> None:
    found = ingest([RAW])
    assert list(found.runs["id"]) == [
        "baseline",
        "dflash-n7",
        "dspark-n2",
        "dspark-n3",
        "dspark-n5",
    ]
    assert list(found.runs["predicted_tokens"]) == [1890, 1885, 1892, 1889, 1885]
    assert {finding.level for finding in found.findings} <= {"warning", "note"}


def test_a_format_may_be_named(folder: Path) -> None:
    assert len(ingest([folder / "b.log"], format="mtp-bench").runs) == 2
    with pytest.raises(LogError, match="use one of: "):
        ingest([folder / "b.log"], format="mtpbench")
    # It is the word that is wrong, not the folder.
    with pytest.raises(LogError, match="use one of: "):
        ingest([folder], format="mtpbench")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("gone.log", "there is no such file"),
        ("notes.md", "nothing was recognised"),
        ("picture.png", "this is a binary file"),
    ],
)
def test_a_file_that_is_named_must_be_a_log(name: str, problem: str, folder: Path) -> None:
    with pytest.raises(LogError) as caught:
        ingest([folder / name])
    assert caught.value.file == str(folder / name)
    assert problem in caught.value.problem
    # Beside others that can be read it is a finding.
    found = ingest([folder / "b.log", folder / name])
    assert list(found.runs["id"]) == ["b", "b#2"]
    first = found.findings[0]
    assert (first.level, first.code) == ("error", "log-broken")
    assert first.where.startswith(name)
    assert problem in first.message
    assert found.unread == (folder / name,)


def test_every_one_of_several_that_cannot_be_read_is_named(
    folder: Path, mtpbench: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (folder / "empty.log").write_text("")
    names = ["gone.log", "b.log", "empty.log"]
    made = mtpbench("ingest", *names, "--init", "made", cwd=folder)
    assert made.returncode == 1
    assert "error: gone.log: there is no such file; check the path [log-broken]" in made.stdout
    assert "error: empty.log: the file is empty; " in made.stdout
    assert "code_python" in made.stdout
    assert sorted(path.name for path in (folder / "made").iterdir()) == ["b.log", "campaign.toml"]
    printed = mtpbench("ingest", *names, "--json", cwd=folder)
    assert printed.returncode == 1
    assert len(json.loads(printed.stdout)["runs"]) == 2
    assert [line.split(";")[0] for line in printed.stderr.splitlines()] == [
        "error: gone.log: there is no such file",
        "error: empty.log: the file is empty",
    ]
    none = mtpbench("ingest", "gone.log", "empty.log", "--init", "other", cwd=folder)
    assert (none.returncode, none.stdout.count("[log-broken]")) == (1, 2)
    assert not (folder / "other").exists()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("empty.log", b"", "the file is empty"),
        ("BLANK.TXT", b" \n", "the file is empty"),
        ("noise.json", b"\x81\x8d\n", "byte 0x81 at offset 0 is not UTF-8"),
        ("binary.csv", b"a\nb\0", "this is a binary file (a NUL byte at offset 3)"),
        ("cut.log.gz", b"\x1f\x8b\x08", "the compressed data is cut or broken"),
        ("cut.jsonl.zst", b"\x28\xb5\x2f\xfd\x01", "the compressed data is cut or broken"),
        ("model.gguf", b"GGUF\0\0", None),
        ("weights.gz", b"\x1f\x8b\x08", None),
    ],
)
def test_what_is_called_like_a_log_in_a_folder_is_not_passed_over(
    name: str, content: bytes, problem: str | None, folder: Path
) -> None:
    (folder / name).write_bytes(content)
    found = ingest([folder])
    assert list(found.runs["id"]) == ["b", "b#2", "a"]
    broken = [finding for finding in found.findings if finding.code == "log-broken"]
    if problem is None:
        assert broken == []
    else:
        (only,) = broken
        assert only.where.startswith(name)
        assert only.message.startswith(problem)


def test_a_folder_without_a_log(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("just words\n")
    with pytest.raises(LogError) as caught:
        ingest([tmp_path])
    assert caught.value.file == str(tmp_path)
    assert caught.value.problem == "none of the 1 files in this folder is a log"


def test_a_broken_log_in_a_folder_is_not_passed_over(folder: Path) -> None:
    (folder / "cut.json").write_text('{"results": [{"name": "a", "predicted_n": 3')
    found = ingest([folder])
    assert list(found.runs["id"]) == ["b", "b#2", "a"]
    first = found.findings[0]
    assert (first.level, first.code, first.where) == ("error", "log-broken", "cut.json:1")
    only = folder / "only"
    only.mkdir()
    (folder / "cut.json").rename(only / "cut.json")
    assert ingest([only]).runs.empty
    assert "log-broken" in text(ingest([only]))


def test_forwards_that_are_counted_from_tokens_alone_are_said(folder: Path, log: Log) -> None:
    (folder / "deep" / "known.log").write_text(
        "llama-server -m a.gguf --spec-type draft-mtp --spec-draft-n-max 2\n\n"
        + log([("code_cpp", 10, 4, 2, 10.0)])
    )
    found = ingest([folder])
    assert dict(zip(found.runs["id"], found.runs["n_max"].notna(), strict=True))["known"]
    notes = [line for line in text(found).splitlines() if "counted from tokens alone" in line]
    assert [line.split(":")[:2] for line in notes] == [["note", " a"]]
    assert "counted from tokens alone" not in text(ingest([folder / "b.log"]))


def test_saved_as_csv(folder: Path, tmp_path: Path) -> None:
    found = ingest([folder])
    save(found, tmp_path / "tasks.csv")
    back = pd.read_csv(tmp_path / "tasks.csv")
    assert list(back.columns) == list(found.tasks.columns)
    assert list(back["decode_tps"]) == [100.0, 50.0, 100.0, 50.0, 10.0]
    assert b"\r" not in (tmp_path / "tasks.csv").read_bytes()


def test_saved_as_parquet(folder: Path, tmp_path: Path) -> None:
    found = ingest([folder])
    save(found, tmp_path / "tasks.parquet")
    back = pd.read_parquet(tmp_path / "tasks.parquet")
    assert list(back["predicted_tokens"]) == [100, 50, 100, 50, 10]
    assert list(back.columns) == list(found.tasks.columns)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_saved_as_json(folder: Path, tmp_path: Path) -> None:
    save(ingest([folder]), tmp_path / "all.json")
    data = json.loads((tmp_path / "all.json").read_text())
    assert data.keys() == {"runs", "tasks", "findings"}
    assert len(data["tasks"]) == 5


@pytest.mark.parametrize("name", ["tasks.xlsx", "tasks"])
def test_an_ending_that_is_not_known(name: str, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"use one of: \.csv, \.json, \.parquet"):
        save(ingest([folder]), tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet"])
@pytest.mark.parametrize("place", ["file", "nowhere"])
def test_a_place_that_cannot_be_written(
    ending: str, place: str, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ReportError, match="this can't be written"):
        save(ingest([folder]), tmp_path / place / f"tasks{ending}")


def test_the_text_shows_runs_tasks_and_findings(tmp_path: Path, log: Log) -> None:
    path = tmp_path / "one.log"
    path.write_text(log(PLAIN, 2.5).replace('"total_predicted": 150', '"total_predicted": 151'))
    shown = text(ingest([path]))
    assert "60.000" in shown  # effective tok/s
    assert "one.log:2" in shown
    assert "the rows have 150 predicted tokens, the aggregate says 151 [sum-mismatch]" in shown
    assert "nan" not in shown.lower()


def test_a_stranger_s_text_cannot_speak_to_the_terminal(tmp_path: Path, log: Log) -> None:
    path = tmp_path / "a\x1b[31m\u202eb.log"
    path.write_text(log(PLAIN).replace("150,", "151,"))
    shown = text(ingest([path]))
    assert all(sign.isprintable() or sign == "\n" for sign in shown)


def test_totals_without_rows_fill_a_run(tmp_path):
    (tmp_path / "a.json").write_text(
        '{"predicted_n": 200, "predicted_ms": 11000.0, "predicted_per_second": 18.0,'
        ' "draft_n": 347, "draft_n_accepted": 65}'
    )
    found = ingest([tmp_path / "a.json"])
    row = found.runs.iloc[0]
    assert len(found.tasks) == 0
    assert (row["predicted_tokens"], row["draft_tokens"], row["accepted_tokens"]) == (200, 347, 65)
    assert (row["n_requests"], row["decode_s"], row["decode_tps"]) == (1, 11.0, 18.0)
    assert row["acceptance_rate"] == 65 / 347
    # F = predicted - accepted - 1, and (predicted - 1) / F tokens for each.
    assert row["forwards"] == 134
    assert row["mean_accepted_length"] == 199 / 134
    assert row["ms_per_forward"] == 11000 / 134


def test_a_figure_that_no_source_states_is_null(tmp_path):
    (tmp_path / "a.md").write_text(
        "| Mode | Wall (s) | Accept% |\n|---|---|---|\n"
        "| baseline | 53.4 | - |\n| MTP | 29.7 | 71.6 |\n"
    )
    found = ingest([tmp_path / "a.md"])
    assert list(found.runs["wall_s"]) == [53.4, 29.7]
    assert found.runs["acceptance_rate"].isna().tolist() == [True, False]
    for column in ("n_requests", "predicted_tokens", "effective_tps", "forwards", "decode_tps"):
        assert found.runs[column].isna().all()


def test_reading_logs_loads_nothing_that_only_a_report_needs():
    code = (
        "import sys\nfrom analysis.cli import main\n"
        f"main(['ingest', {str(RAW)!r}, '--json'])\n"
        "heavy = {'scipy', 'matplotlib', 'papermill', 'analysis.summary'} & sys.modules.keys()\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["runs"]
