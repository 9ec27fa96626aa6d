from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtrit

from analysis.answers.compare import Comparison, compare, compared
from analysis.answers.side_by_side import comparison_text
from analysis.campaigns.campaign import PROJECT_ROOT, Campaign
from analysis.errors import CampaignError
from tests import committed
from tests.noise_truth import Cell, told_apart

Make = Callable[..., object]
DFLASH, DSPARK = "raw/qwen3.6-35b-a3b-dflash", "raw/qwen3.6-35b-a3b-dspark"


@pytest.fixture
def make(task: Make, run: Make, campaign: Make) -> Callable[..., Campaign]:
    """A campaign with a plain run and a DFlash run at depth 3, at given rates."""

    def build(slug: str, rates: list[float], **conditions: str) -> Campaign:
        names = [f"task_{number}" for number in range(len(rates))]
        runs = [
            run("plain", *(task(name, 100, 0, 0, 100.0) for name in names), spec_type="none"),
            run(
                "d3",
                *(task(name, 100, 90, 60, rate) for name, rate in zip(names, rates, strict=True)),
                spec_type="draft-dflash",
                n_max=3,
            ),
        ]
        made = campaign(*runs, baseline="plain", conditions=conditions, target="Org/Model")
        return replace(made, slug=slug, folder=Path(slug))

    return build


def side_by_side(*campaigns: Campaign) -> Comparison:
    return compared([committed.summarised(one) for one in campaigns])


def match(found: Comparison, run: str = "d3") -> dict[str, object]:
    rows = found.matches[found.matches["second_run"] == run]
    assert len(rows) == 1
    return rows.to_dict("records")[0]


def test_the_ratio_and_its_interval_by_hand(make: Callable[..., Campaign]) -> None:
    found = side_by_side(make("a", [100.0, 200.0, 150.0]), make("b", [90.0, 190.0, 120.0]))
    row = match(found)
    logs = np.log([0.9, 0.95, 0.8])
    assert row["n_tasks"] == 3
    assert row["ratio"] == pytest.approx(math.exp(logs.mean()))
    # A run and a campaign of 2 % on either side, known like 10 degrees of freedom; and what the
    # three tasks scatter, known like 2.
    prior, tasks = 4 * 0.02**2, logs.var(ddof=1) / 3
    freedom = (prior + tasks) ** 2 / (prior**2 / 10 + tasks**2 / 2)
    margin = float(stdtrit(freedom, 0.95)) * math.sqrt(prior + tasks)
    assert row["low"] == pytest.approx(math.exp(logs.mean() - margin), rel=1e-6)
    assert row["high"] == pytest.approx(math.exp(logs.mean() + margin), rel=1e-6)


def test_a_regression_differs_in_the_build_alone(make: Callable[..., Campaign]) -> None:
    old = make("a", [100.0, 200.0, 150.0], build="b9831", gpu="RTX 5070 Ti")
    new = make("b", [90.0, 181.0, 134.0], build="b11434", gpu="RTX 5070 Ti")
    found = side_by_side(old, new)
    assert found.differing == ("build", "spec_type", "n_max")
    assert found.shared["gpu"] == "RTX 5070 Ti"
    assert match(found)["differs"] == "build"
    assert list(found.regressions["second_run"]) == ["d3"]
    assert "slower with the other build: b d3" in comparison_text(found)


def test_another_card_is_no_regression(make: Callable[..., Campaign]) -> None:
    old = make("a", [100.0, 200.0, 150.0], build="b9831", gpu="RTX 5070 Ti")
    new = make("b", [90.0, 181.0, 134.0], build="b11434", gpu="RTX 3060")
    found = side_by_side(old, new)
    assert match(found)["differs"] == "gpu, build"
    assert found.regressions.empty


def test_a_change_within_the_scatter_is_not_significant(make: Callable[..., Campaign]) -> None:
    found = side_by_side(
        make("a", [100.0, 200.0, 150.0], build="x"), make("b", [90.0, 220.0, 149.0], build="y")
    )
    assert match(found)["significance"] == "not significant"
    assert found.regressions.empty


def test_other_prompts_are_never_compared(make: Callable[..., Campaign]) -> None:
    pair = []
    for name, prompts in (("a", "sha-1"), ("b", "sha-2")):
        made = make(name, [100.0, 200.0])
        pair.append(replace(made, runs=tuple(replace(r, prompt_set=prompts) for r in made.runs)))
    row = match(side_by_side(*pair))
    assert math.isnan(row["ratio"])  # type: ignore[arg-type]
    assert row["note"] == "not compared: prompt set sha-1 against sha-2"


def test_unknown_prompts_are_compared_and_said(make: Callable[..., Campaign]) -> None:
    row = match(side_by_side(make("a", [100.0, 200.0]), make("b", [100.0, 200.0])))
    assert row["ratio"] == pytest.approx(1.0)
    assert "prompt set not recorded" in str(row["note"])


def test_another_definition_and_another_target_are_said(make: Callable[..., Campaign]) -> None:
    one, other = make("a", [100.0, 200.0]), make("b", [100.0, 200.0])
    runs = tuple(replace(r, acceptance_definition="drafted rounds") for r in other.runs)
    assert "acceptance counts something else" in str(
        match(side_by_side(one, replace(other, runs=runs)))["note"]
    )
    row = match(side_by_side(one, replace(other, target="Org/Other")))
    assert row["note"] == "not compared: another target model"


def test_synthetic_runs_are_not_matched(make: Callable[..., Campaign]) -> None:
    one, other = make("a", [100.0, 200.0]), make("b", [100.0, 200.0])
    runs = tuple(replace(r, synthetic=r.id == "d3") for r in other.runs)
    found = side_by_side(one, replace(other, runs=runs))
    assert list(found.matches["second_run"]) == ["plain"]


def test_one_task_is_compared_by_the_noise_of_runs(make: Callable[..., Campaign]) -> None:
    rows = [match(side_by_side(make("a", [100.0]), make("b", [rate]))) for rate in (80.0, 96.0)]
    assert [row["ratio"] for row in rows] == [pytest.approx(0.8), pytest.approx(0.96)]
    assert [row["significance"] for row in rows] == ["slower", "not significant"]


def test_no_task_in_common_is_no_comparison(make: Callable[..., Campaign]) -> None:
    one, other = make("a", [100.0]), make("b", [100.0])
    renamed = tuple(
        replace(r, tasks=tuple(replace(t, task="else") for t in r.tasks)) for r in other.runs
    )
    row = match(side_by_side(one, replace(other, runs=renamed)))
    assert row["note"] == "not compared: no task in common"


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("concurrency", (1, 4), "requests at once 1 against 4"),
        ("temperature", (0.0, 0.7), "temperature 0 against 0.7"),
        ("max_tokens", (192, 512), "token limit 192 against 512"),
        ("context_tokens", (0, 8192), "tokens of context 0 against 8192"),
    ],
)
def test_other_conditions_are_never_compared(
    make: Callable[..., Campaign], name: str, values: tuple[float, float], said: str
) -> None:
    pair = []
    for slug, value in zip(("a", "b"), values, strict=True):
        made = make(slug, [100.0, 200.0])
        pair.append(replace(made, runs=tuple(replace(r, **{name: value}) for r in made.runs)))
    row = match(side_by_side(*pair))
    assert math.isnan(row["ratio"])  # type: ignore[arg-type]
    assert row["note"] == f"not compared: {said}"


def test_equal_repeats_leave_the_prior(make: Callable[..., Campaign]) -> None:
    rates = [97.3, 201.7, 149.1]
    found = side_by_side(make("a", rates), make("b", [rate * 0.97 for rate in rates]))
    assert match(found)["significance"] == "not significant"


def test_the_draft_file_belongs_to_the_method_of_the_card() -> None:
    runs = compare([DFLASH, DSPARK]).runs.set_index("id")
    assert runs.at["dspark-n2", "quantization"] == "BF16"
    assert runs.at["dflash-n7", "quantization"] == "not recorded"
    assert runs.at["baseline", "quantization"] == "not recorded"


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match="only one campaign"):
        compare([DSPARK])
    with pytest.raises(CampaignError, match="named twice"):
        compare([DSPARK, PROJECT_ROOT / DSPARK])
    with pytest.raises(CampaignError, match="no such campaign"):
        compare([DSPARK, tmp_path / "nowhere"])


def test_two_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    shutil.copytree(PROJECT_ROOT / DSPARK, tmp_path / "night" / Path(DSPARK).name)
    found = compare([DSPARK, tmp_path / "night" / Path(DSPARK).name])
    assert set(found.runs["campaign"]) == {
        "raw/qwen3.6-35b-a3b-dspark",
        "night/qwen3.6-35b-a3b-dspark",
    }
    assert found.matches["ratio"].eq(1.0).all()
    assert len(found.matches) == 5


def test_the_command(mtpbench) -> None:
    words = ["compare", DFLASH, DSPARK]
    said = mtpbench(*words)
    assert said.returncode == 0
    assert "the same everywhere: target Qwen/Qwen3.6-35B-A3B" in said.stdout
    told = mtpbench(*words, "--json")
    assert told.returncode == 0
    data = json.loads(told.stdout)
    assert len(data["runs"]) == 9
    assert data["matches"] == []


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("run", [0.0, 0.01, 0.02, 0.03])
def test_equal_campaigns_are_seldom_told_apart(repeats: int, run: float) -> None:
    assert told_apart(Cell(repeats, 0.02, run), range(60)) <= 0.12


def test_a_true_change_is_found() -> None:
    assert told_apart(Cell(3, 0.02, 0.01), range(8), change=0.05) >= 0.8
    assert told_apart(Cell(3, 0.02, 0.01), range(8)) <= 0.12
