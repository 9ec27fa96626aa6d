"""What it costs to read a million task rows of a store back to one comparison."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from timing import Ratio, main

from analysis.store import read
from analysis.store.tables import schema

CAMPAIGNS, ROWS = 1000, 1000
FEW = 100
LIMIT_S = 2.0
COLUMNS = ["campaign", "run", "predicted_tokens", "decode_s", "error"]


def write(store: Path, campaigns: int) -> None:
    """A store as `mtpbench collect` writes it, of made-up rows: four runs in each campaign."""
    generator = np.random.default_rng(1)
    number = np.arange(ROWS)
    runs = np.array(["plain", "n2", "n3", "n4"])[number % 4]
    names = np.array([f"task_{index}" for index in range(13)])[number // 4 % 13]
    for campaign in range(campaigns):
        slug = f"campaign-{campaign:04}"
        tokens = generator.integers(100, 200, ROWS)
        rate = generator.normal(100, 5, ROWS) * np.array([1.0, 1.2, 1.3, 1.1])[number % 4]
        given = {
            "campaign": [slug] * ROWS,
            "run": runs,
            "request": number // 4 + 1,
            "repeat": number // 52 + 1,
            "task": names,
            "workload": ["code"] * ROWS,
            "predicted_tokens": tokens,
            "decode_tps": rate,
            "decode_s": tokens / rate,
            "pooled": np.ones(ROWS, dtype=int),
        }
        nothing = [None] * ROWS
        columns = schema("tasks")
        table = pa.table({name: given.get(name, nothing) for name in columns.names}, schema=columns)
        place = store / "tasks" / f"slug={slug}"
        place.mkdir(parents=True)
        pq.write_table(table, place / "rows.parquet", compression="zstd")


def by_pandas(store: Path) -> int:
    """Decode speedup of every run of every campaign."""
    tasks = read(store, "tasks", COLUMNS)
    sums = tasks[tasks["error"].isna()].groupby(["campaign", "run"])[COLUMNS[2:4]].sum()
    rate = (sums["predicted_tokens"] / sums["decode_s"]).unstack()
    speedup = rate.div(rate["plain"], axis=0)
    return int(speedup.notna().sum().sum())


def by_duckdb(store: Path) -> int:
    """The same in one statement."""
    found = duckdb.sql(
        "WITH rates AS (SELECT campaign, run, sum(predicted_tokens) / sum(decode_s) AS rate "
        f"FROM read_parquet('{store}/tasks/*/*.parquet') WHERE error IS NULL GROUP BY ALL) "
        "SELECT one.campaign, one.run, one.rate / plain.rate FROM rates one "
        "JOIN rates plain ON one.campaign = plain.campaign AND plain.run = 'plain'"
    ).fetchall()
    return len(found)


def measure(runs: int, quick: bool = False) -> list[Ratio]:
    ratios = []
    campaigns = FEW if quick else CAMPAIGNS
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch)
        write(store, campaigns)
        sides: dict[str, Callable[[Path], int]] = {"pandas": by_pandas, "duckdb": by_duckdb}
        for name, side in sides.items():
            taken = []
            for _ in range(runs):
                start = time.perf_counter()
                rows = side(store)
                taken.append(time.perf_counter() - start)
                if rows != 4 * campaigns:
                    sys.exit(f"error: {name} found {rows} runs")
            subject = f"{campaigns * ROWS} task rows to one comparison by {name}"
            # The best of them: what else the machine does is not the subject.
            ratios.append(
                Ratio(f"store-{name}", subject, "the limit", min(taken), LIMIT_S, 1.0, runs)
            )
    return ratios


if __name__ == "__main__":
    sys.exit(main(measure))
