"""The right format by content, the refusal that helps, and what only looks like a log."""

import subprocess
import sys
from importlib import import_module

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.text.document import Document
from tests.parsers.samples import SAMPLES

ROW = "  code_python        pred= 192 draft= 153 acc= 139 rate=0.908 tok/s=61.9\n"
LOOKALIKES = {
    "prose with figures": "I get 84 tok/s max, an acceptance of 0.72 and 1419 tokens in 46 s.\n",
    "prose about keys": "draft_n, draft_n_accepted and accept_rate are in the JSON.\n",
    "a request body": (
        'request: {"messages":[{"role":"user","content":"what does  draft acceptance = 0.53719 '
        '(  130 accepted /   242 generated) mean? n_draft   = 8"}],"temperature":0.7}\n'
    ),
    "another tool's table": (
        "| Model | Prompt tok/s | Gen tok/s | VRAM |\n|---|---|---|---|\n| a | 911 | 42 | 13 GB |\n"
    ),
    "a crash": "GGML_ASSERT failed\n/usr/lib/libllama.so(llama_decode+0xe) [0x7f15cdce000e]\n",
    "a CSV of something else": "time,gpu,power\n1,92,228.71\n2,0,22.25\n3,1,30.5\n",
    "JSON of something else": '{"name": "mtp", "version": "1.0", "draft": true}\n',
    "a Prometheus query": "rate(vllm:spec_decode_num_drafts_total[1m])\n",
}


@pytest.mark.parametrize("text", LOOKALIKES.values(), ids=LOOKALIKES)
def test_what_only_looks_like_a_log_yields_nothing(text):
    with pytest.raises(LogError, match="nothing was recognised"):
        parsers.parse(Document.of(text, "a.log"))


@pytest.mark.parametrize("name", parsers.FORMATS)
@pytest.mark.parametrize("text", LOOKALIKES.values(), ids=LOOKALIKES)
def test_nor_does_it_when_its_format_is_forced(text, name):
    with pytest.raises(LogError):
        parsers.parse(Document.of(text, "a.log"), name)


def test_the_refusal_names_every_format_and_the_closest_line():
    text = "hello\nthe run had pred=5 and draft=9 only\n"
    with pytest.raises(LogError) as caught:
        parsers.parse(Document.of(text, "a.log"))
    for known in parsers.FORMATS.values():
        assert known.shape in caught.value.problem
    assert caught.value.line == 2
    assert "comes closest, with pred=, draft=" in caught.value.problem


def test_a_format_can_be_forced():
    (run,) = parsers.parse(Document.of(ROW, "a.log"), "mtp-bench")
    assert run.format == "mtp-bench"


def test_every_format_says_what_it_is():
    for name, known in parsers.FORMATS.items():
        assert known.name == name == import_module(f"analysis.parsers.{known.module}").FORMAT
        assert known.shape[:1].islower() or known.shape.startswith(("JSON", "CSV", "/", "vLLM"))
        assert known.hints
        assert all(hint == hint.lower() for hint in known.hints)


def test_of_a_server_s_log_no_other_format_is_prepared() -> None:
    code = (
        "import sys\nfrom analysis import parsers\n"
        "from analysis.parsers.text.stream import Log\n"
        "from analysis.parsers.text.document import decode\n"
        f"assert parsers.read_log(Log.of(decode({SAMPLES['llama-server'].encode()!r}, 'a.log')))\n"
        "known = {'analysis.parsers.' + one.module for one in parsers.FORMATS.values()}\n"
        "print(*sorted(known & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "analysis.parsers.llama_server\n"
