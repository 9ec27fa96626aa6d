from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.errors import ReportError
from analysis.files.leftovers import _host
from analysis.store import SCHEMA_VERSION, TABLES, collect, collection, read
from analysis.store.collection import LIST
from analysis.store.tables import columns
from tests.reports.conftest import tree

Write = Callable[..., Path]
Command = Callable[..., subprocess.CompletedProcess[str]]

SEED = PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"
NAMES = ["2026", "a b=c%ä", "made"]
"""Names that a reader of partitions could take for a number or break at."""


@pytest.fixture
def raw(tmp_path: Path, write_campaign: Write) -> list[Path]:
    return [write_campaign(tmp_path / "raw" / name) for name in NAMES]


@pytest.fixture
def store(tmp_path: Path, raw: list[Path]) -> Path:
    done = list(collect(raw, tmp_path / "store"))
    assert [one.error for one in done] == [None] * 3
    return tmp_path / "store"


def _speedups(rows: list[tuple[object, ...]]) -> dict[object, object]:
    return {row[0]: row[1] for row in rows}


def test_three_readers_read_the_same(store: Path) -> None:
    frame = pd.read_parquet(store / "runs")
    fast = frame[frame["run"] == "fast"]
    by_pandas = dict(zip(fast["campaign"], fast["speedup"], strict=True))
    place = f"{store}/runs/*/*.parquet"
    sql = f"SELECT campaign, speedup FROM read_parquet('{place}') WHERE run = 'fast'"
    by_duckdb = _speedups(duckdb.sql(sql).fetchall())
    lazy = pl.scan_parquet(place).filter(pl.col("run") == "fast").select("campaign", "speedup")
    by_polars = _speedups(lazy.collect().rows())
    # 150 tokens in 2.0 s against 150 in 2.5 s.
    expected = dict.fromkeys(NAMES, 1.25)
    assert by_pandas == by_duckdb == by_polars == expected


@pytest.mark.parametrize("table", TABLES)
def test_each_table_is_read_by_each(table: str, store: Path) -> None:
    place = f"{store}/{table}/*/*.parquet"
    by_duckdb = duckdb.sql(f"SELECT * FROM read_parquet('{place}')").pl()
    by_polars = pl.read_parquet(place)
    by_pandas = pd.read_parquet(store / table)
    assert len(by_duckdb) == len(by_polars) == len(by_pandas) == len(read(store, table))
    assert tuple(name for name in by_polars.columns if name != "slug") == columns(table)
    assert [name for name in by_pandas.columns if name != "slug"] == list(columns(table))
    assert set(columns(table)) <= set(by_duckdb.columns)


def test_tasks_have_what_the_log_says(store: Path) -> None:
    frame = read(store, "tasks", campaigns=["made"]).set_index(["run", "task"])
    row = frame.loc[("fast", "code_python")]
    given = ["predicted_tokens", "draft_tokens", "accepted_tokens", "decode_tps", "request"]
    assert row[given].tolist() == [100, 78, 60, 200.0, 1]
    assert row["speedup"] == 2.0
    assert row["source"] == "fast.log:1"
    assert frame.loc[("plain", "qa_factual"), "request"] == 2
    assert len(frame) == 4


def test_rounds_come_from_a_trace(tmp_path: Path, write_campaign: Write) -> None:
    head = "0.02.974.228 I slot print_timing: id  0 | task 0 | "
    rounds = [(4, 3), (4, 0), (2, 2)]
    trace = "".join(
        f"0.02.{number}00.000 I slot   operator(): id  0 | task 0 | accepted {accepted:2d}/"
        f"{drafted:2d} draft tokens\n"
        for number, (drafted, accepted) in enumerate(rounds, 1)
    )
    log = (
        trace + f"{head}prompt eval time =     276.98 ms /    44 tokens (    6.30 ms per token,   "
        "158.86 tokens per second)\n"
        + f"{head}       eval time =     100.00 ms /     9 tokens (   11.11 ms per token,    "
        "90.00 tokens per second)\n"
        + f"{head}      total time =     376.98 ms /    53 tokens\n"
        + f"{head}draft acceptance = 0.50000 (    5 accepted /    10 generated), mean len =  2.67\n"
    )
    settings = '[[runs]]\nid = "traced"\nlog = "traced.log"\nspec_type = "draft-mtp"\nn_max = 4\n'
    folder = write_campaign(tmp_path / "traced", settings, plain=None, fast=None, traced=log)
    (done,) = collect([folder], tmp_path / "store")
    assert done.error is None
    frame = read(tmp_path / "store", "rounds")
    assert list(zip(frame["drafted"], frame["accepted"], strict=True)) == rounds
    assert frame["round"].tolist() == [1, 2, 3]
    assert set(frame["run"]) == {"traced"}
    assert set(frame["request"]) == {1}
    assert frame["at_s"].is_monotonic_increasing
    tasks = read(tmp_path / "store", "tasks")
    assert tasks["accepted_tokens"].tolist() == [5]


def test_the_schema_says_what_it_is(store: Path) -> None:
    for table in TABLES:
        (path,) = store.glob(f"{table}/slug=made/*.parquet")
        schema = pq.read_schema(path)
        about = {key: text for key, text in schema.metadata.items() if b"mtpbench" in key}
        assert about[b"mtpbench.schema_version"] == str(SCHEMA_VERSION).encode()
        assert about[b"mtpbench.table"] == table.encode()
        assert all(field.metadata[b"description"] for field in schema)


def test_every_column_is_documented() -> None:
    text = (PROJECT_ROOT / "docs" / "store.md").read_text(encoding="utf-8")
    for table in TABLES:
        assert f"## {table}" in text
        section = text.split(f"## {table}\n")[1].split("\n## ")[0]
        for name in columns(table):
            assert f"| `{name}` |" in section, (table, name)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_each_column_once(table: str) -> None:
    """A run's may not be called like one of its campaign's."""
    names = columns(table)
    assert len(names) == len(set(names))


def test_only_what_has_changed_is_written(store: Path, raw: list[Path]) -> None:
    before = {path: path.stat().st_mtime_ns for path in store.glob("*/*/*.parquet")}
    log = raw[2] / "fast.log"
    log.write_text(log.read_text().replace("tok/s=200.0", "tok/s=210.0"))
    done = list(collect(raw, store))
    assert [one.unchanged for one in done] == [True, True, False]
    after = {path: path.stat().st_mtime_ns for path in store.glob("*/*/*.parquet")}
    assert before.keys() == after.keys()
    written = {path.parent.name for path in after if after[path] != before[path]}
    assert written == {"slug=made"}
    assert read(store, "tasks", ["decode_tps"], ["made"])["decode_tps"].max() == 210.0
    # A file that was lost is written again.
    next(store.glob("tasks/slug=2026/*.parquet")).unlink()
    assert [one.unchanged for one in collect(raw, store)] == [False, True, True]
    assert [one.unchanged for one in collect(raw, store, force=True)] == [False] * 3


def test_the_same_data_gives_the_same_bytes(store: Path, raw: list[Path], tmp_path: Path) -> None:
    list(collect(raw[::-1], tmp_path / "again"))
    assert tree(store) == tree(tmp_path / "again")


def test_what_is_not_given_stays_unless_pruned(store: Path, raw: list[Path]) -> None:
    list(collect(raw[1:], store))
    assert set(read(store, "runs")["campaign"]) == set(NAMES)
    done = list(collect(raw[1:], store, prune=True))
    assert [one.campaign for one in done if one.removed] == ["2026"]
    assert set(read(store, "runs")["campaign"]) == set(NAMES[1:])
    assert json.loads((store / LIST).read_text())["campaigns"].keys() == set(NAMES[1:])


def test_a_campaign_that_fails_keeps_its_rows(store: Path, raw: list[Path]) -> None:
    (raw[0] / "fast.log").unlink()
    done = list(collect(raw, store, prune=True))
    assert done[0].error is not None
    assert "there is no log 'fast.log'" in done[0].error
    assert set(read(store, "runs")["campaign"]) == set(NAMES)


def test_two_of_one_name(
    store: Path, raw: list[Path], tmp_path: Path, write_campaign: Write
) -> None:
    other = write_campaign(tmp_path / "other" / "made")
    done = list(collect([raw[2], other], store))
    assert done[1].error == (
        f"{other}: its rows would take the place of those of {raw[2]}; "
        "rename its folder, or name it once"
    )


def test_an_interrupt_leaves_a_store_that_is_completed(
    tmp_path: Path, raw: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = collection.write_bytes

    def interrupt(path: Path, data: bytes) -> None:
        if "slug=made" in str(path) and "rounds" in str(path):
            raise KeyboardInterrupt
        write(path, data)

    monkeypatch.setattr(collection, "write_bytes", interrupt)
    store = tmp_path / "store"
    with pytest.raises(KeyboardInterrupt):
        list(collect(raw, store))
    monkeypatch.undo()
    assert json.loads((store / LIST).read_text())["campaigns"].keys() == set(NAMES[:2])
    (store / "runs" / "slug=2026" / f".rows.parquet.{_host()}+1+1.x.part").write_text("half")
    assert [one.unchanged for one in collect(raw, store)] == [True, True, False]
    list(collect(raw, tmp_path / "whole"))
    left = tree(store).keys() - tree(tmp_path / "whole").keys()
    assert left == {f"runs/slug=2026/.rows.parquet.{_host()}+1+1.x.part"}
    # It is swept when the rows beside it are written.
    list(collect(raw, store, force=True))
    assert tree(store) == tree(tmp_path / "whole")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"mine": "x"}, "this folder is not empty, and no store: it has no _mtpbench.json"),
        ({LIST: "{"}, "this is not the list of a store"),
        ({LIST: '{"schema_version": 1}'}, "this is not the list of a store"),
        ({LIST: '{"schema_version": 9, "campaigns": {}}'}, "this store has schema version 9"),
    ],
)
def test_a_place_that_is_no_store(
    content: dict[str, str], problem: str, tmp_path: Path, raw: list[Path]
) -> None:
    (tmp_path / "place").mkdir()
    for name, text in content.items():
        (tmp_path / "place" / name).write_text(text)
    with pytest.raises(ReportError) as caught:
        list(collect(raw, tmp_path / "place"))
    assert caught.value.problem.startswith(problem)
    assert tree(tmp_path / "place").keys() == content.keys()


def test_a_place_that_cannot_be_written(tmp_path: Path, raw: list[Path]) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ReportError, match="this can't be written"):
        list(collect(raw, tmp_path / "file" / "store"))


def test_reading_what_is_not_there(store: Path, tmp_path: Path) -> None:
    for call, problem in [
        (lambda: read(store, "run"), "table is 'run'"),
        (lambda: read(store, "runs", ["speed"]), "a column is 'speed'"),
        (lambda: read(tmp_path / "nowhere", "runs"), "there are no rows"),
    ]:
        with pytest.raises(ReportError) as caught:
            call()
        assert caught.value.problem == problem
    next(store.glob("runs/slug=2026/*.parquet")).write_text("PAR1 damaged PAR1")
    with pytest.raises(ReportError, match="this can't be read: "):
        read(store, "runs")


def test_the_command(tmp_path: Path, mtpbench: Command, raw: list[Path]) -> None:
    words = ["collect", SEED, tmp_path / "nowhere", "--out", "store"]
    done = mtpbench(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith(f"{SEED}: ")
    assert " 0 rounds, " in done.stdout
    assert done.stderr.splitlines() == [
        "error: nowhere: there is no such campaign; give a folder like raw/qwen3.6-35b-a3b-dspark",
        "1 of 2 campaigns failed",
    ]
    again = mtpbench("collect", raw[2], "--out", "store", "--prune", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.splitlines()[-1] == f"{SEED.name}: removed"
    frame = read(tmp_path / "store", "runs", ["campaign", "effective_tps"])
    assert frame["effective_tps"].tolist() == [60.0, 75.0]
