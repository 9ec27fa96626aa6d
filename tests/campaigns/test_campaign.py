from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT, find, load
from analysis.errors import CampaignError, MtpbenchError

Write = Callable[..., Path]


def refusal(folder: Path, kind: type[MtpbenchError] = CampaignError) -> MtpbenchError:
    with pytest.raises(kind) as caught:
        load(folder)
    return caught.value


def test_a_campaign_is_loaded_whole(tmp_path: Path, write_campaign: Write) -> None:
    text = """\
[campaign]
title = "Made"
target = "org/model"
baseline = "plain"
[conditions]
gpu = "RTX 5070 Ti"
threads = 8
[card]
license = "mit"
[[runs]]
id = "plain"
log = "plain.log"
spec_type = "none"
build = "b9831"
temperature = 0
[[runs]]
id = "fast"
label = "MTP, 2"
log = "fast.log"
spec_type = "draft-mtp"
n_max = 2
p_min = 0.5
draft = "draft.gguf"
concurrency = 1
prompt_set = "mine"
synthetic = true
[workloads]
code_python = "structured"
"""
    folder = write_campaign(tmp_path / "my-campaign", text)
    loaded = load(folder)
    assert (loaded.slug, loaded.title, loaded.target) == ("my-campaign", "Made", "org/model")
    assert loaded.folder == folder.resolve()
    assert loaded.baseline == "plain"
    assert loaded.conditions == {"gpu": "RTX 5070 Ti", "threads": "8"}
    assert loaded.card == {"license": "mit"}
    assert loaded.workloads == {"code_python": "structured"}
    assert loaded.live is None
    assert loaded.run_ids == ("plain", "fast")
    plain, fast = loaded.runs
    assert (plain.spec_type, plain.build, plain.temperature, plain.n_max) == (
        "none",
        "b9831",
        0,
        None,
    )
    assert not plain.synthetic
    assert (fast.label, fast.spec_type, fast.n_max, fast.p_min) == ("MTP, 2", "draft-mtp", 2, 0.5)
    assert (fast.draft, fast.concurrency, fast.prompt_set) == ("draft.gguf", 1, "mine")
    assert fast.synthetic
    assert [result.task for result in fast.tasks] == ["code_python", "qa_factual"]
    # Sources carry no path of this machine.
    assert str(fast.source) == "fast.log:1-11"
    assert str(fast.tasks[1].source) == "fast.log:2"


def test_a_campaign_without_settings_of_its_own_takes_its_folder_s_name(
    tmp_path: Path, write_campaign: Write
) -> None:
    text = '[[runs]]\nid = "plain"\nlog = "plain.log"\n'
    loaded = load(write_campaign(tmp_path / "bare", text))
    assert (loaded.title, loaded.target, loaded.baseline) == ("bare", None, None)


def test_repeats_share_an_id(tmp_path: Path, write_campaign: Write) -> None:
    text = "".join(
        f'[[runs]]\nid = "plain"\nlog = "{log}.log"\nrepeat = {number}\n'
        for number, log in ((1, "plain"), (2, "fast"))
    )
    loaded = load(write_campaign(tmp_path / "made", text))
    assert loaded.run_ids == ("plain",)
    assert [[result.repeat for result in run.tasks] for run in loaded.runs] == [[1, 1], [2, 2]]


def test_repeats_are_numbered_in_the_order_of_the_file(
    tmp_path: Path, write_campaign: Write
) -> None:
    runs = [("plain", "plain"), ("other", "fast"), ("plain", "fast"), ("plain", "again")]
    text = "".join(f'[[runs]]\nid = "{id}"\nlog = "{log}.log"\n' for id, log in runs)
    folder = write_campaign(
        tmp_path / "made", text, again="  qa_factual pred=9 draft=0 acc=0 rate=n/a tok/s=3.0\n"
    )
    loaded = load(folder)
    assert loaded.run_ids == ("plain", "other")
    assert [(run.id, run.tasks[0].repeat) for run in loaded.runs] == [
        ("plain", 1),
        ("other", 1),
        ("plain", 2),
        ("plain", 3),
    ]


def test_a_block_of_a_file_is_picked(tmp_path: Path, write_campaign: Write, log: Callable) -> None:
    both = log([("code_python", 10, 0, 0, 1.0)]) + "\n" + log([("code_python", 20, 0, 0, 1.0)])
    text = '[[runs]]\nid = "a"\nlog = "plain.log"\nblock = 2\n'
    (run,) = load(write_campaign(tmp_path / "made", text, plain=both)).runs
    assert run.tasks[0].predicted_tokens == 20


def test_a_byte_order_mark_and_windows_line_ends_are_no_mistake(
    tmp_path: Path, write_campaign: Write, settings: str
) -> None:
    folder = write_campaign(
        tmp_path / "made", b"\xef\xbb\xbf" + settings.replace("\n", "\r\n").encode()
    )
    assert load(folder).title == "Made"


@pytest.mark.parametrize("slug", ["qwen3.6-35b-a3b-dspark", "qwen3.6-35b-a3b-dflash"])
def test_the_raw_campaigns_load_from_anywhere(
    slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = load(f"raw/{slug}")
    assert here == load(PROJECT_ROOT / "raw" / slug / "campaign.toml")
    assert {len(run.tasks) for run in here.runs} == {13}
    assert all(run.n_max for run in here.runs if run.spec_type != "none")


def test_the_working_directory_comes_before_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_campaign: Write
) -> None:
    own = write_campaign(tmp_path / "raw" / "qwen3.6-35b-a3b-dspark")
    monkeypatch.chdir(tmp_path)
    assert find("raw/qwen3.6-35b-a3b-dspark") == own.resolve()


def test_no_such_campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for named, problem in (
        ("nowhere", "there is no such campaign"),
        ("empty", "there is no campaign.toml in this folder"),
        (tmp_path / "empty" / "campaign.toml", "there is no such campaign"),
    ):
        error = refusal(named)
        assert (error.file, error.problem) == (str(named), problem)
        assert error.remedy == "give a folder like raw/qwen3.6-35b-a3b-dspark"
