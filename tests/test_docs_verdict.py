"""docs/reading-a-verdict.md states what the campaign gives, and no other number."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd
import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.summary import Summary
from tests import committed

PAGE = (PROJECT_ROOT / "docs" / "reading-a-verdict.md").read_text(encoding="utf-8")
DRAFTED = ["dspark-n2", "dspark-n3", "dspark-n5", "dflash-n7"]


@pytest.fixture(scope="module")
def summary() -> Summary:
    return committed.summary()


@pytest.fixture(scope="module")
def runs(summary: Summary) -> pd.DataFrame:
    return summary.runs.set_index("id")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _costs(runs: pd.DataFrame) -> list[str]:
    return [
        _row(
            run.label,
            f"{run.ms_per_forward:.1f}",
            f"{run.step_cost_ratio:.2f}",
            f"{run.mean_accepted_length:.2f}",
            _percent(run.acceptance_rate),
            _percent(run.break_even_acceptance),
            f"{run.decode_speedup:.2f}×",
        )
        for run in runs.loc[DRAFTED].itertuples()
    ]


def _workloads(summary: Summary, runs: pd.DataFrame) -> list[str]:
    speedup = summary.workloads.pivot_table(index="run", columns="workload", values="speedup")
    columns = ["code", "reasoning", "creative", "explanation"]
    return [
        _row(runs.loc[name, "label"], *(f"{speedup.loc[name, column]:.2f}×" for column in columns))
        for name in DRAFTED
    ]


def _positions(summary: Summary) -> list[str]:
    rows = summary.depths.query("method == 'draft-dspark' and workload.isna() and 2 <= n_max <= 5")
    return [
        _row(
            str(row.n_max),
            f"{row.position_gain:.2f}",
            f"{row.position_break_even:.2f}",
            row.position_verdict,
        )
        for row in rows.itertuples()
    ]


def _sentences(runs: pd.DataFrame) -> list[str]:
    plain, dspark, dflash = (runs.loc[name] for name in ("baseline", "dspark-n3", "dflash-n7"))
    highest = runs.loc[runs["acceptance_rate"].idxmax()]
    return [
        f"here in {plain.ms_per_forward:.2f} ms",
        f"{dspark.label} gives {dspark.mean_accepted_length:.2f} tokens in the time of "
        f"{dspark.step_cost_ratio:.2f} plain steps: a loss",
        f"{dflash.label} gives {dflash.mean_accepted_length:.2f} in the time of "
        f"{dflash.step_cost_ratio:.2f}: a gain",
        f"{dspark.label} would need {_percent(dspark.break_even_acceptance)} and has "
        f"{_percent(dspark.acceptance_rate)}",
        f"{highest.label} has the highest rate of the table, "
        f"{_percent(highest.acceptance_rate)}, and loses",
        f"{dflash.label} has {_percent(dflash.acceptance_rate)} and wins",
        f"{dflash.label} has {dflash.decode_speedup:.2f}× and {dflash.speedup:.2f}×",
        f"{dspark.decode_speedup:.2f}× is no proof of a loss",
    ]


def _without(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        assert part in text, part
        text = text.replace(part, "")
    return text


def test_every_number_is_the_campaigns(summary, runs):
    flat = " ".join(PAGE.split())
    stated = [
        *_costs(runs),
        *_workloads(summary, runs),
        *_positions(summary),
        *_sentences(runs),
    ]
    rest = _without(flat, stated)
    rest = re.sub(r"`[^`]*`|\]\([^)]*\)|Qwen3\.6-35B-A3B", "", rest)
    rest = rest.replace("closer to 1 or", "").replace("interval that holds 1 is", "")
    assert re.findall(r"\S*\d\S*", rest) == []


def test_what_is_said_in_words_holds(summary, runs):
    drafted = runs.loc[DRAFTED]
    pays = drafted["mean_accepted_length"] > drafted["step_cost_ratio"]
    assert list(drafted.index[pays]) == ["dflash-n7"]
    assert list(drafted.index[drafted["decode_speedup"] > 1]) == ["dflash-n7"]
    above = drafted["acceptance_rate"] > drafted["break_even_acceptance"]
    assert list(above) == list(pays)

    advice = summary.recommendations.set_index("workload")["run"]
    assert advice[["creative", "explanation"]].isna().all()
    assert set(drafted["n_max"]) == {2, 3, 5, 7}
    assert (runs["repeats"] == 1).all()

    ratio = drafted["mean_accepted_length"] / drafted["step_cost_ratio"]
    assert list(drafted["decode_speedup"]) == pytest.approx(list(ratio), rel=1e-9)
