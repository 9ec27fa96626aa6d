"""The sweep on real llama.cpp: embedded, and as an executable of another build."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from analysis.campaigns.campaign import load
from analysis.errors import MtpbenchError
from analysis.parsers import read
from analysis.runner.progress import Progress
from analysis.runner.session import plan_of, run
from analysis.summary import summarise
from tests.runner.conftest import records
from tests.runner.small_model import FEW, write_small_model

pytestmark = pytest.mark.live

SETTINGS = """\
[campaign]
title = "Small"
[live]
model = "{models}/target.gguf"
max_tokens = {max_tokens}
repeats = 1
tasks = [{tasks}]
server_args = ["-t", "1", "-tb", "1", "-c", "512"]
"""
PLAIN = '[[runs]]\nid = "plain"\n'
DRAFTED = '[[runs]]\nid = "drafted"\nspec_type = "draft-simple"\nn_max = 3\ndraft = "{draft}"\n'
RATES = (0.8, 0.6, 0.45, 0.3)
SYNTHETIC = f"""\
[[runs]]
id = "synthetic"
spec_type = "draft-dflash"
n_max = 4
draft = "demo:dflash"
synthetic_rates = {list(RATES)}
"""
CLAMPED = """\
[[runs]]
id = "clamped"
spec_type = "draft-dflash"
n_max = 12
draft = "demo:dflash"
"""


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small target, a draft for it, and one with another vocabulary."""
    folder = tmp_path_factory.mktemp("models")
    write_small_model(folder / "target.gguf", layers=3, vocabulary=FEW)
    write_small_model(folder / "draft.gguf", layers=2, vocabulary=FEW)
    write_small_model(folder / "stranger.gguf", layers=1, vocabulary=1000)
    return folder


@pytest.fixture
def campaign(tmp_path: Path, models: Path) -> Callable[..., Path]:
    def write(
        *runs: str, name: str = "small", max_tokens: int = 24, tasks: str = '"code_python"'
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        text = SETTINGS.format(models=models, max_tokens=max_tokens, tasks=tasks)
        (folder / "campaign.toml").write_text(
            text + "".join(run.replace("{draft}", f"{models}/draft.gguf") for run in runs)
        )
        return folder

    return write


def requests(folder: Path, id: str) -> list[dict]:
    return [record for record in records(folder, id) if record["record"] == "request"]


def test_embedded_and_executable_count_the_same(
    campaign: Callable[..., Path], loading_llama_server: Path
) -> None:
    words = {"tasks": '"code_python", "repeat_pattern"'}
    one = campaign(PLAIN, DRAFTED, name="embedded", **words)
    other = campaign(PLAIN, DRAFTED, name="executable", **words)
    assert run(one).complete
    assert run(other, server=str(loading_llama_server)).complete
    counted = ("task", "predicted_tokens", "draft_tokens", "accepted_tokens", "positions")
    for id in ("plain", "drafted"):
        assert [[record[key] for key in counted] for record in requests(one, id)] == [
            [record[key] for key in counted] for record in requests(other, id)
        ]
    for first, second in zip(requests(one, "drafted"), requests(other, "drafted"), strict=True):
        assert first["rounds"]["drafted"] == second["rounds"]["drafted"]
        assert first["rounds"]["accepted"] == second["rounds"]["accepted"]
        assert first["output_hash"] == second["output_hash"]
    # Greedy drafting changes no text.
    plain, drafted = (requests(one, id) for id in ("plain", "drafted"))
    assert [r["output_hash"] for r in plain] == [r["output_hash"] for r in drafted]
    assert sum(record["accepted_tokens"] for record in drafted) > 0
    header = records(one, "drafted")[0]
    assert (header["server"], header["build"]) == ("embedded", "b11549")
    program = records(other, "drafted")[0]
    assert program["server"] == "executable"
    assert program["build"].removeprefix("b") in program["engine"]
    assert header["n_max"] == 3
    whole = [len(record["tokens"]) for record in plain]
    assert whole == [record["predicted_tokens"] for record in plain]


def test_the_counters_agree_with_the_rounds_and_little_time_is_ours(
    campaign: Callable[..., Path],
) -> None:
    folder = campaign(DRAFTED, max_tokens=96, tasks='"code_python", "qa_factual", "json_output"')
    run(folder)
    shares, alone = [], []
    for record in requests(folder, "drafted"):
        rounds, positions = record["rounds"], record["positions"]
        assert positions["rounds"] == len(rounds["drafted"])
        assert sum(rounds["drafted"]) == record["draft_tokens"] == record["timings"]["draft_n"]
        assert sum(rounds["accepted"]) == sum(positions["accepted"]) == record["accepted_tokens"]
        # Every round gives what it accepted and one more; the first token is prefill's.
        in_rounds = record["accepted_tokens"] + positions["rounds"]
        alone.append(record["predicted_tokens"] - in_rounds - 1)
        assert 0 < record["draft_s"] < record["timings"]["predicted_ms"] / 1000
        timed = (record["timings"]["prompt_ms"] + record["timings"]["predicted_ms"]) / 1000
        shares.append((record["wall_s"] - timed) / record["wall_s"])
        prompt_s = record["timings"]["prompt_ms"] / 1000
        assert prompt_s <= record["first_token_s"] <= record["wall_s"]
    # Where no more than one token is allowed for, nothing is drafted.
    assert {0} <= set(alone) <= {0, 1}
    # Machines that run tests are busy: the least disturbed request tells what is ours.
    assert 0 <= min(shares) <= 0.01


def test_a_clamp_is_recorded(campaign: Callable[..., Path]) -> None:
    folder = campaign(CLAMPED, max_tokens=12)
    assert run(folder).complete
    header, (request,) = records(folder, "clamped")[0], requests(folder, "clamped")
    assert (header["n_max"], header["n_max_requested"]) == (7, 12)
    assert "exceeds the trained block size 8 -- clamping to 7" in header["clamp"]
    assert max(request["rounds"]["drafted"]) == 7
    (loaded,) = load(folder).runs
    assert (loaded.n_max, loaded.synthetic) == (7, False)
    (finding,) = loaded.findings
    assert finding.code == "depth-clamped"


def test_synthetic_acceptance_is_what_was_asked_for(campaign: Callable[..., Path]) -> None:
    tasks = '"code_python", "qa_factual", "summarize", "translation"'
    folder = campaign(SYNTHETIC, max_tokens=64, tasks=tasks)
    assert run(folder).complete
    header = records(folder, "synthetic")[0]
    assert header["synthetic"] is True
    assert header["synthetic_rates"] == list(RATES)
    found = requests(folder, "synthetic")
    assert len({record["output_hash"] for record in found}) == len(found)
    # Rounds at full depth only: at the end of a request fewer tokens are drafted.
    pairs = [
        accepted
        for record in found
        for drafted, accepted in zip(
            record["rounds"]["drafted"], record["rounds"]["accepted"], strict=True
        )
        if drafted == len(RATES)
    ]
    assert len(pairs) > 50
    for position, rate in enumerate(RATES, start=1):
        survived = sum(accepted >= position for accepted in pairs) / len(pairs)
        assert abs(survived - rate) < 4 * math.sqrt(rate * (1 - rate) / len(pairs))
    (loaded,) = load(folder).runs
    assert loaded.synthetic


def test_what_real_servers_refuse(
    campaign: Callable[..., Path], models: Path, llama_server: Path
) -> None:
    stranger = DRAFTED.replace("{draft}", f"{models}/stranger.gguf")
    (error,) = run(campaign(stranger)).not_started
    assert "the target and draft vocabs are not compatible" in error.problem
    assert error.remedy == "use a draft that was made for this target"
    # A flag that this build does not have is said in its own words.
    folder = campaign(f'{PLAIN}server_args = ["--no-such-flag"]\n', name="flag")
    (error,) = run(folder, server=str(llama_server), trust=True).not_started
    assert "--no-such-flag" in error.problem
    assert not list((folder / "live").glob("*.jsonl"))


class Killer(Progress):
    """Kills the server when the second request is about to be sent."""

    def asking(self, run: str, repeat: int, task: str) -> None:
        if task == "qa_factual" and not getattr(self, "killed", False):
            self.killed = True
            for process in psutil.Process().children(recursive=True):
                process.kill()


def test_a_server_that_is_killed_costs_one_request(campaign: Callable[..., Path]) -> None:
    folder = campaign(PLAIN, tasks='"code_python", "qa_factual", "json_output"', max_tokens=8)
    outcome = run(folder, progress=Killer(0))
    assert outcome.measured == 2
    assert [record["record"] for record in records(folder, "plain")] == [
        *("run", "request", "error", "end"),
        *("run", "request", "end"),
    ]
    assert records(folder, "plain")[2]["kind"] == "server-died"
    assert run(folder, resume=True).measured == 1
    (loaded,) = read(folder / "live" / "plain.jsonl")
    assert {task.error for task in loaded.tasks} == {None}


def test_models_that_are_none(campaign: Callable[..., Path]) -> None:
    folder = campaign(PLAIN)
    text = (folder / "campaign.toml").read_text()
    (folder / "text.gguf").write_text("no model")
    for named in ("gone.gguf", "text.gguf", "package:json"):
        changed = "\n".join(
            f'model = "{named}"' if line.startswith("model = ") else line
            for line in text.splitlines()
        )
        (folder / "campaign.toml").write_text(changed)
        with pytest.raises(MtpbenchError):
            plan_of(folder)


def test_confidences_are_logged_in_a_run_of_their_own(campaign: Callable[..., Path]) -> None:
    folder = campaign(PLAIN, DRAFTED, max_tokens=32)
    settings = folder / "campaign.toml"
    text = settings.read_text().replace("repeats = 1", "repeats = 2\nconfidence = true")
    settings.write_text(text)
    assert run(folder).complete
    header, request, *_ = records(folder, "drafted-confidence")
    assert " -lv 5 " in header["command"]
    assert " -lv 4 " in records(folder, "drafted")[0]["command"]
    sure = request["rounds"]["confidence"]
    assert [len(row) for row in sure] == request["rounds"]["drafted"]
    assert all(0 < value <= 1 for row in sure for value in row)
    loaded = load(folder)
    assert {one.id for one in loaded.runs} == {"plain", "drafted"}
    assert [one.id for one in loaded.logged] == ["drafted-confidence"]
    summary = summarise(loaded)
    assert "drafted-confidence" not in set(summary.runs["id"])
    # Greedy: the same rounds as without the logging, so that the replay at its depth is exact.
    (plain,) = summary.replays.table[
        (summary.replays.table["policy"] == "fixed")
        & (summary.replays.table["n_max"] == 3)
        & summary.replays.table["workload"].isna()
    ].to_dict("records")
    assert plain["draft_tokens"] == request["draft_tokens"]
    assert set(summary.replays.table["run"]) == {"drafted"}
    (cost,) = summary.replays.logging.to_dict("records")
    assert cost["without_ms"] > 0
    assert cost["with_ms"] > 0


def test_four_at_once_count_what_one_at_a_time_counts(campaign: Callable[..., Path]) -> None:
    tasks = '"code_python", "qa_factual", "json_output", "translation"'
    folder = campaign(PLAIN, DRAFTED, max_tokens=16, tasks=tasks)
    settings = folder / "campaign.toml"
    text = settings.read_text().replace("repeats = 1", "repeats = 1\nparallel = [1, 4]")
    settings.write_text(text.replace('"512"', '"4096"'))
    assert run(folder).complete
    counted = ("predicted_tokens", "draft_tokens", "accepted_tokens")
    for id in ("plain", "drafted"):
        one, four = (
            {record["task"]: record for record in requests(folder, name)}
            for name in (id, f"{id}-np4")
        )
        assert set(one) == set(four)
        for task, record in four.items():
            assert [record[key] for key in counted] == [one[task][key] for key in counted]
            assert record["steady"] is True
            assert len(record["tokens_s"]) == record["predicted_tokens"]
            if id == "drafted":
                assert record["rounds"]["drafted"] == one[task]["rounds"]["drafted"]
                assert record["rounds"]["accepted"] == one[task]["rounds"]["accepted"]
        head, end = records(folder, f"{id}-np4")[0], records(folder, f"{id}-np4")[-1]
        assert (head["parallel"], head["identity"]["slots"]) == (4, 4)
        # Two ways to the same throughput: tokens in the window, and clients times their own.
        window = end["steady"]["tokens"] / end["steady"]["s"]
        walls = sum(record["wall_s"] for record in four.values())
        theirs = 4 * sum(record["predicted_tokens"] for record in four.values()) / walls
        assert theirs == pytest.approx(window, rel=0.25)


def test_a_context_is_counted_by_the_server_s_tokenizer(campaign: Callable[..., Path]) -> None:
    folder = campaign(PLAIN, max_tokens=4, tasks='"code_python", "summarize"')
    settings = folder / "campaign.toml"
    text = settings.read_text().replace("repeats = 1", "repeats = 1\ncontext = [0, 600]")
    settings.write_text(text.replace('"512"', '"1024"'))
    assert run(folder).complete
    bare, behind = (
        {record["task"]: record["prompt_tokens"] for record in requests(folder, id)}
        for id in ("plain", "plain-ctx600")
    )
    # A line's end comes between, and may join the last token of the text.
    assert all(abs(behind[task] - bare[task] - 600) <= 2 for task in bare)
    assert all(r["timings"]["cache_n"] == 0 for r in requests(folder, "plain-ctx600"))
