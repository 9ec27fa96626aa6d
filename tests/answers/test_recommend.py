from __future__ import annotations

import configparser
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.answers.recommend import advice_text, recommend
from tests import committed

Command = Callable[..., subprocess.CompletedProcess[str]]
DSPARK = "raw/qwen3.6-35b-a3b-dspark"


def test_the_settings_of_the_committed_campaign() -> None:
    rows = recommend(DSPARK).set_index("workload", drop=False)
    assert rows.loc["code", "run"] == "dflash-n7"
    assert rows.loc["code", "expected_speedup"] == pytest.approx(248.366 / 128.293, rel=1e-4)
    assert rows["run"].isna().tolist() == [False, False, False, True, True]


def test_the_words_say_off_and_the_interval() -> None:
    said = advice_text(committed.summary())
    assert "all prompts: DFlash, n_max 7 (1.25× decode, 1.18 to 1.32)" in said
    assert "creative: leave speculation off (1.00× decode" in said


def test_the_command_prints_and_writes_the_preset(tmp_path: Path, mtpbench: Command) -> None:
    file = tmp_path / "preset.ini"
    done = mtpbench("recommend", DSPARK, "--preset", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert "code: DFlash, n_max 7 (1.94× decode" in done.stdout
    assert "[outputs-diverged]" in done.stdout
    preset = configparser.ConfigParser(interpolation=None)
    preset.read(file, encoding="utf-8")
    assert preset["dflash-n7"]["spec-draft-n-max"] == "7"
    assert "off" in preset.sections()


def test_json_has_the_keys_of_the_contract_and_what_was_replayed(mtpbench: Command) -> None:
    done = mtpbench("recommend", DSPARK, "--json")
    rows = json.loads(done.stdout)
    assert rows[0]["workload"] is None
    assert set(rows[0]) == {
        "workload", "run", "spec_type", "n_max", "expected_speedup", "low", "high", "reason",
        "closest", "fastest", "basis", "p_min", "replayed_run", "replayed_n_max", "replayed_p_min",
        "replayed_tps", "replayed_speedup", "replayed_low", "replayed_high", "replayed_advised",
    }  # fmt: skip
    assert all(row["replayed_run"] is None for row in rows)


def test_a_missing_campaign_is_an_error_of_ours(mtpbench: Command) -> None:
    done = mtpbench("recommend", "raw/nowhere")
    assert done.returncode == 1
    assert done.stderr.startswith("error: raw/nowhere: ")
    assert "Traceback" not in done.stderr


def test_a_preset_that_cannot_be_written_is_an_error_of_ours(
    tmp_path: Path, mtpbench: Command
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = mtpbench("recommend", DSPARK, "--preset", tmp_path / "file" / "preset.ini")
    assert done.returncode == 1
    assert "can't be written" in done.stderr
