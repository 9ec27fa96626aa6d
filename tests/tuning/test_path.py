"""The path of a live campaign, and that it is the one on which it was tuned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.answers.recommend import recommend
from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.errors import CampaignError
from analysis.notebooks import belief_table
from analysis.tuning.chooser import ENOUGH
from analysis.tuning.path import path_of
from analysis.tuning.tune import tune


def test_a_campaign_that_run_measured() -> None:
    steps, beliefs = path_of(PROJECT_ROOT / "raw" / "truncation-demo")
    assert steps["measured"].tolist() == ["self-n2", "off", "self-n6", "self-n6-confidence"]
    # A draft that hardly differs from its target in size can't win.
    assert steps["advised"].tolist()[2:] == ["off", "off"]
    # It is clear, but of one start.
    assert steps["close"].iloc[-1] > 0.99
    assert steps["next"].iloc[-1] == "off"
    last = beliefs[beliefs["step"] == 4].set_index("setting")
    # 44.8 and 17.4 tok/s were measured.
    assert last.at["off", "low"] < 44.8 < last.at["off", "high"]
    assert last.at["self-n2", "low"] < 17.4 < last.at["self-n2", "high"]
    assert last.filter(like="-p0.5", axis=0)["decode_tps"].notna().all()
    before = beliefs[beliefs["step"] == 3].set_index("setting")
    assert not before.index.str.contains("-p").any() or (
        before.filter(like="-p0.5", axis=0)["decode_tps"].isna().all()
    )
    table = belief_table(beliefs)
    assert table.columns.tolist() == ["after 3", "after 4"]
    assert table.at["off", "after 4"].startswith("44.")


def test_half_of_a_whole_campaign_would_have_been_enough() -> None:
    folder = PROJECT_ROOT / "raw" / "live-demo"
    steps, _ = path_of(folder)
    assert len(steps) == 12
    # An n-gram drafter and a self-draft once, the other and the baseline twice.
    assert steps.loc[steps["why"] == ENOUGH, "step"].min() == 6
    whole = recommend(folder)
    assert whole.loc[whole["workload"].isna(), "run"].isna().all()
    assert (steps.loc[steps["step"] >= 6, "advised"] == "off").all()


@pytest.mark.usefixtures("place")
def test_the_path_of_a_tuned_campaign_ends_where_tuning_did(server: Callable[..., str]) -> None:
    done = tune(
        "model.gguf", ["draft.gguf"], server(), workloads=["explanation"], max_tokens=24
    )  # fmt: skip
    steps, _ = path_of(done.folder)
    assert len(steps) == done.starts
    assert steps["advised"].iloc[-1] == done.choice.advised
    assert steps["why"].iloc[-1] == done.choice.why
    assert steps["probability"].iloc[-1] == pytest.approx(done.choice.probability, abs=0.05)


def test_without_live_records_there_is_no_path() -> None:
    with pytest.raises(CampaignError, match="no live records"):
        path_of(PROJECT_ROOT / "raw" / "qwen3.6-35b-a3b-dspark")


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(CampaignError):
        path_of(tmp_path)
