"""Tables of the depth model: its figures, not those of a run of the same depth."""

from __future__ import annotations

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.checking import Checker

BY_DEPTH = """\
**Every depth: DSpark**

| Depth | Known from | ms per forward | Break-even acceptance | Decode tok/s |
| ---: | --- | ---: | ---: | ---: |
| 4 | predicted | {ms:.1f} | {even:.1f} % | {tps:.1f} ({low:.1f}–{high:.1f}) |
"""
BY_POSITION = """\
### Survival: DSpark

| | P1 | P2 |
| --- | ---: | ---: |
| `code_cpp` | {one:.1f} % ({low:.1f}–{high:.1f}) | {two:.1f} % |
"""


@pytest.fixture(scope="module")
def checker() -> Checker:
    from analysis.pipeline import summary_of

    return Checker(summary_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark"))


def test_a_table_by_depth(checker: Checker) -> None:
    depths = checker.summary.depths
    row = depths[(depths["method"] == "draft-dspark") & depths["workload"].isna()]
    row = row[row["n_max"] == 4].iloc[0]
    figures = {
        "ms": row["ms_per_forward"],
        "even": 100 * row["break_even_acceptance"],
        "tps": row["decode_tps"],
        "low": row["low"],
        "high": row["high"],
    }
    good = checker(BY_DEPTH.format(**figures))
    tied = [found for found in good.verdicts if found.evidence == "table"]
    assert [found.status for found in tied] == ["verified"] * 5
    assert tied[0].quantity == "ms_per_forward of the model of DSpark, depth 4"
    for name, value in figures.items():
        wrong = checker(BY_DEPTH.format(**{**figures, name: value + 1}))
        assert len(wrong.those("differs")) == 1, name


def test_a_table_by_position(checker: Checker) -> None:
    positions = checker.summary.positions
    rows = positions[(positions["method"] == "draft-dspark") & (positions["task"] == "code_cpp")]
    first, second = rows.iloc[0], rows.iloc[1]
    figures = {
        "one": 100 * first["survival"],
        "low": 100 * first["low"],
        "high": 100 * first["high"],
        "two": 100 * second["survival"],
    }
    good = checker(BY_POSITION.format(**figures))
    tied = [found for found in good.verdicts if found.evidence == "table"]
    assert [found.status for found in tied] == ["verified"] * 4
    for name, value in figures.items():
        wrong = checker(BY_POSITION.format(**{**figures, name: value + 1}))
        assert len(wrong.those("differs")) == 1, name
