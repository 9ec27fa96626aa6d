from __future__ import annotations

import json
import math
from collections.abc import Callable

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.records import Finding
from analysis.results import SCHEMA_VERSION, as_json, results, rounded, rows
from analysis.statistics.columns import names
from analysis.statistics.conclusions import FindingRow, RecommendationRow
from analysis.statistics.rows import RunRow, TaskRow
from analysis.summary import summarise
from tests import committed

Make = Callable[..., object]

TOP = "campaign depth findings positions recommendations runs schema_version tasks"
CAMPAIGN = "conditions slug target title"
RUN = (
    "id label spec_type n_max p_min baseline synthetic repeats n_requests predicted_tokens "
    "draft_tokens accepted_tokens acceptance_rate wall_s effective_tps decode_s decode_tps "
    "forwards mean_accepted_length ms_per_forward speedup speedup_low speedup_high decode_speedup "
    "geomean_task_speedup step_cost_ratio break_even_acceptance temperature concurrency "
    "aggregate_tps context_tokens prompt_set build source"
)
TASK = (
    "run repeat task workload predicted_tokens draft_tokens accepted_tokens acceptance_rate "
    "decode_tps wall_s speedup forwards mean_accepted_length ms_per_forward"
)
ROWS = {
    "runs": RunRow,
    "tasks": TaskRow,
    "recommendations": RecommendationRow,
    "findings": FindingRow,
}
RECOMMENDATION = "workload run spec_type n_max expected_speedup low high reason"
FINDING = "level code where message"


def words(text: str) -> set[str]:
    return set(text.split())


@pytest.fixture(scope="module", params=["qwen3.6-35b-a3b-dspark", "qwen3.6-35b-a3b-dflash"])
def written(request: pytest.FixtureRequest) -> dict:
    return json.loads(as_json(results(committed.summary(request.param))))


def test_the_keys_are_the_contract(written: dict) -> None:
    assert written.keys() == words(TOP)
    assert written["schema_version"] == SCHEMA_VERSION == 1
    assert written["campaign"].keys() == words(CAMPAIGN)
    for name, keys in (
        ("runs", RUN),
        ("tasks", TASK),
        ("recommendations", RECOMMENDATION),
        ("findings", FINDING),
    ):
        assert written[name], name
        # None of those ever goes; a new one is a column of the table alone.
        promised, now = words(keys), set(names(ROWS[name], "results"))
        assert promised <= now, name
        assert all(row.keys() == now for row in written[name]), name


def test_counts_are_whole_and_unknowns_null(written: dict) -> None:
    for row in (*written["runs"], *written["tasks"]):
        for name in ("predicted_tokens", "draft_tokens", "accepted_tokens", "forwards"):
            assert type(row[name]) is int, name
        assert type(row["decode_tps"]) is float
    for row in written["runs"]:
        assert type(row["n_max"]) in {int, type(None)}
        assert type(row["baseline"]) is type(row["synthetic"]) is bool
        assert row["temperature"] is row["concurrency"] is row["prompt_set"] is None
        # One run each: what a prior says of runs stands in.
        known = [row[name] for name in ("speedup_low", "speedup", "speedup_high")]
        if None in known:
            assert known[0] is known[2] is None
        else:
            assert known == sorted(known)
        assert row["source"].startswith(f"{row['id']}.log:")
    assert all(row["wall_s"] is None for row in written["tasks"])
    assert written["recommendations"][0]["workload"] is None
    for row in written["recommendations"]:
        known = [row[name] for name in ("low", "expected_speedup", "high")]
        assert known[0] is known[2] is None or known == sorted(known)


def test_the_dspark_results() -> None:
    summary = committed.summary()
    data = json.loads(as_json(results(summary)))
    assert data["campaign"] == {
        "slug": "qwen3.6-35b-a3b-dspark",
        "title": "Qwen3.6-35B-A3B-DSPARK-GGUF",
        "target": "Qwen/Qwen3.6-35B-A3B",
        "conditions": dict(summary.campaign.conditions),
    }
    runs = {row["id"]: row for row in data["runs"]}
    assert list(runs) == ["dspark-n2", "dspark-n3", "dspark-n5", "dflash-n7", "baseline"]
    assert runs["dflash-n7"]["speedup"] == 1.18223  # (1885 / 14.08) / (1890 / 16.69)
    assert runs["dflash-n7"]["break_even_acceptance"] == pytest.approx(0.317, abs=5e-4)
    assert runs["baseline"]["acceptance_rate"] is None
    assert runs["baseline"]["n_max"] is None
    assert [row["baseline"] for row in data["runs"]] == [False, False, False, False, True]
    assert len(data["tasks"]) == 65
    overall = data["recommendations"][0]
    assert (overall["run"], overall["spec_type"], overall["n_max"]) == (
        "dflash-n7",
        "draft-dflash",
        7,
    )
    off = {row["workload"] for row in data["recommendations"] if row["run"] is None}
    assert off == {"creative", "explanation"}


def test_a_failed_request_has_its_error_and_nulls(task: Make, run: Make, campaign: Make) -> None:
    failed = task("b", None, None, None, None, error="HTTP 500")
    data = results(summarise(campaign(run("x", task("a"), failed))))
    good, bad = data["tasks"]
    assert good.keys() >= words(TASK)
    assert bad.keys() == good.keys() | {"error"}
    assert bad["error"] == "HTTP 500"
    named = {"run", "repeat", "task", "workload", "error"}
    assert all(value is None for key, value in bad.items() if key not in named)


def test_an_empty_campaign_is_a_full_document(campaign: Make) -> None:
    data = json.loads(as_json(results(summarise(campaign()))))
    assert data.keys() == words(TOP)
    assert data["campaign"]["target"] is None
    assert all(data[name] == [] for name in words(TOP) - {"campaign", "schema_version"})


def test_findings_are_carried_over(campaign: Make) -> None:
    finding = Finding("note", "made-up", "a.log:1", "said")
    assert results(summarise(campaign(), [finding]))["findings"] == [
        {"level": "note", "code": "made-up", "where": "a.log:1", "message": "said"}
    ]


def test_keys_are_sorted_and_numbers_are_never_nan(written: dict) -> None:
    text = as_json(written)
    assert text.endswith("}\n")
    assert "NaN" not in text
    assert "Infinity" not in text
    assert as_json(json.loads(text)) == text
    reversed_keys = json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert as_json(reversed_keys) == text
    first = [line.strip() for line in text.splitlines() if line.startswith('  "')]
    assert first == sorted(first)


def test_frames_become_plain_values() -> None:
    frame = pd.DataFrame(
        {
            "count": pd.array([3, None], dtype="Int64"),
            "rate": [0.1, float("nan")],
            "far": [float("inf"), -float("inf")],
            "flag": [True, False],
            "text": ["a", None],
        }
    )
    assert rows(frame, ["text", "count", "rate", "far", "flag", "lacking"]) == [
        {"text": "a", "count": 3, "rate": 0.1, "far": None, "flag": True, "lacking": None},
        {"text": None, "count": None, "rate": None, "far": None, "flag": False, "lacking": None},
    ]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(VALUES)
def test_json_comes_back_as_it_went_but_for_digits(value: object) -> None:
    text = as_json(value)
    assert json.loads(text) == rounded(value)
    assert as_json(json.loads(text)) == text


def test_floats_have_six_digits_and_counts_all_of_theirs() -> None:
    given = {"rate": 133.94999999, "tiny": 1.23456789e-7, "count": 123456789, "flag": True}
    assert rounded([given, (1234567.0,)]) == [
        {"rate": 133.95, "tiny": 1.23457e-7, "count": 123456789, "flag": True},
        [1234570.0],
    ]
    # What two processors compute is one number here.
    assert as_json(0.1 + 0.2) == as_json(0.3) == "0.3\n"


def test_a_file_name_that_is_not_unicode_is_json_all_the_same() -> None:
    text = as_json({"source": "\udcff.log"})
    assert text.encode() == b'{\n  "source": "\\udcff.log"\n}\n'
    assert json.loads(text) == {"source": "\udcff.log"}


@given(st.lists(st.floats() | st.none(), max_size=5))
def test_any_float_column_is_json(values: list[float | None]) -> None:
    frame = pd.DataFrame({"value": pd.Series(values, dtype="float64")})
    back = [row["value"] for row in json.loads(as_json(rows(frame, ["value"])))]
    for value, kept in zip(values, back, strict=True):
        known = value is not None and math.isfinite(value)
        assert kept == (rounded(value) if known else None)
