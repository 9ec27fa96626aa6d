from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.answers.compare import Comparison, PairedTasks, compare, compared
from analysis.answers.side_by_side import comparison_text
from analysis.campaigns.campaign import PROJECT_ROOT, Campaign
from analysis.errors import CampaignError
from analysis.statistics.frames import task_frame
from analysis.summary import summarise

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
    return compared([summarise(one) for one in campaigns])


def match(found: Comparison, run: str = "d3") -> dict[str, object]:
    rows = found.matches[found.matches["second_run"] == run]
    assert len(rows) == 1
    return rows.to_dict("records")[0]


def test_the_ratio_and_its_interval_by_hand(make: Callable[..., Campaign]) -> None:
    found = side_by_side(make("a", [100.0, 200.0, 150.0]), make("b", [90.0, 190.0, 120.0]))
    row = match(found)
    logs = np.log([0.9, 0.95, 0.8])
    margin = 2.919986 * logs.std(ddof=1) / math.sqrt(3)  # Student's t, 2 degrees, 95 %
    assert row["n_tasks"] == 3
    assert row["ratio"] == pytest.approx(math.exp(logs.mean()))
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
    assert row["note"] == "not compared: other prompts"


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


def test_one_task_has_no_interval(task: Make, run: Make) -> None:
    first, second = (task_frame([run("r", task("a", 100, 0, 0, rate))]) for rate in (100.0, 80.0))
    row = PairedTasks()(first, second)
    assert row is not None
    assert (row["ratio"], row["low"], row["significance"]) == (
        pytest.approx(0.8),
        None,
        "not known",
    )
    assert PairedTasks()(first, second.assign(task="b")) is None


def test_ratios_without_scatter_have_no_interval(make: Callable[..., Campaign]) -> None:
    # Halves of rates are no halves of times to the last bit.
    rates = [97.3, 201.7, 149.1]
    found = side_by_side(make("a", rates), make("b", [rate * 0.51 for rate in rates]))
    row = match(found)
    assert row["ratio"] == pytest.approx(0.51)
    assert math.isnan(row["low"])
    assert math.isnan(row["high"])
    assert row["significance"] == "not known"
    assert "slower" not in comparison_text(found)


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
