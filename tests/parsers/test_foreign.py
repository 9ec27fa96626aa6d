"""What is no result of speculative decoding is refused by its name."""

from __future__ import annotations

import pytest

from analysis import parsers
from analysis.errors import LogError
from analysis.parsers.foreign import KINDS

TEXTS = {
    "llama-bench's SQL": "INSERT INTO llama_bench (build_commit, n_gen) VALUES ('a', '128');",
    "tabbyAPI's log": "INFO: Metrics (ID: 1b2c): 512 tokens generated in 12.1 seconds (Queue",
    "what ollama --verbose prints": "eval count: 298 token(s)\neval rate:       45.10 tokens/s",
    "mlx_lm's output": "Prompt: 10 tokens, 80.1 tokens-per-sec\n"
    "Generation: 100 tokens, 20.5 tokens-per-sec",
    "what AIPerf makes of several runs": '{"metrics": {"ttft": {"mean": 1.0, "t_critical": 2.0}}}',
    "a result of vllm bench for embeddings": '{"completed": 9, "input_sequence_throughput": 3.1}',
    "what vllm bench sweep notes of a run that failed": '{"error": "x", "bench_overrides": {}}',
    "llama-cli's output": "[ Prompt: 123.4 t/s | Generation: 45.6 t/s ]",
    "the times of llama-cli or another program of llama.cpp": "llama_perf_context_print:        "
    "eval time =    8806.60 ms /   855 runs   (   10.30 ms per token",
    "koboldcpp's log": "CtxLimit:31/4096, Amt:20/20, Process:0.10s (9.1ms/T = 110.0T/s), "
    "Generate:0.50s (25.0ms/T = 40.00T/s), Total:0.60s (33.33T/s)",
    "llama-perplexity's output": "Final estimate: PPL = 5.9070 +/- 0.03338",
    "trtllm-bench's report": "= PERFORMANCE OVERVIEW\n[AR] AVERAGE: 0.58",
    "sglang.bench_serving's report": "==== Serving Benchmark Result ====\nBackend:   sglang\n"
    "Accept length:   2.95",
    "what LM Studio shows below an answer": "61.90 tok/sec • 345 tokens • 0.47s to first token • "
    "Stop reason: EOS Token Found • Accepted 200/310 draft tokens (64.5%)",
    "TensorRT-LLM's output": "[TensorRT-LLM] TensorRT-LLM version: 1.0.0",
    "SGLang's log": "[2025-10-22 10:27:57 TP0] Decode batch. #running-req: 1, #token: 108, token "
    "usage: 0.00, accept len: 2.17, accept rate: 0.54, cuda graph: True, gen throughput (token/s)",
    "SGLang's log without speculative decoding": "[2025-10-22 10:27:57 TP0] Decode batch. "
    "#running-req: 1, #token: 108, cuda graph: True, gen throughput (token/s): 0.39",
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_it_is_named_with_its_line(kind):
    with pytest.raises(LogError) as caught:
        parsers.parse(parsers.Document.of(f"Some words.\n\n{TEXTS[kind.name]}\n", "a.log"))
    error = caught.value
    assert error.problem == f"this is {kind.name}, {kind.reason}"
    assert error.remedy == kind.remedy
    assert error.line in (3, 4)


def test_results_beside_it_are_read():
    row = "code_python pred= 192 draft= 135 acc= 123 rate=0.911 tok/s=161.0"
    text = "Final estimate: PPL = 5.9070\n" + row
    (run,) = parsers.parse(parsers.Document.of(text, "a.log"))
    assert run.tasks[0].predicted_tokens == 192


REQUEST = """\
0.02.974.290 I slot print_timing: id  0 | task 0 |        eval time =    1667.16 ms /   140 tokens
0.02.974.340 I slot print_timing: id  0 | task 0 | draft acceptance = 0.53719 (  130 accepted / \
  242 generated), mean len =  3.13"""


@pytest.mark.parametrize("header", ["9,12c9,11", "@@ -1,4 +1,4 @@ one", "7a8"])
def test_lines_of_two_logs_are_not_read_as_one(header):
    first, second = (
        "\n".join(sign + line for line in REQUEST.split("\n")) for sign in ("< ", "> ")
    )
    text = f"{header}\n{first}\n---\n{second}\n"
    with pytest.raises(
        LogError, match="this is what diff prints, with lines of two logs"
    ) as caught:
        parsers.parse(parsers.Document.of(text, "a.log"))
    assert caught.value.line == 1


def test_a_quote_is_no_difference():
    text = "9,12 of them\n" + "\n".join(f"> {line}" for line in REQUEST.split("\n"))
    (run,) = parsers.parse(parsers.Document.of(text, "a.log"))
    assert run.tasks[0].accepted_tokens == 130
