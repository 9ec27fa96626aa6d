"""Foreign formats: what else do people paste, and why is it no result of speculation?

A text that no format recognises is refused; one of these is refused by its
name, with the reason and what to bring instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analysis.errors import LogError
from analysis.parsers.text.document import Document

__all__ = ["KINDS", "Kind", "refusal", "refuse_difference"]


@dataclass(frozen=True)
class Kind:
    """A kind of text.

    Attributes
    ----------
    fragment, line
        What the text holds, for a quick look, and what one of its lines does.
    name, reason
        "this is NAME, REASON".
    remedy
        What to bring instead.
    """

    fragment: str
    line: re.Pattern[str]
    name: str
    reason: str
    remedy: str


_SERVER = "run the model in llama-server and save its log, or run mtp-bench against it"

KINDS = (
    Kind(
        "llama_bench",
        re.compile(r"^\s*(?:INSERT INTO|CREATE TABLE) .{0,40}llama_bench", re.IGNORECASE),
        "llama-bench's SQL",
        "which is not read",
        "run llama-bench with -o json, -o jsonl, -o csv or -o md",
    ),
    Kind(
        "tokens generated in",
        re.compile(r"\bMetrics \(ID: \w+\): \d+ tokens generated in"),
        "tabbyAPI's log",
        "which says how fast it was and nothing of drafted or accepted tokens",
        _SERVER,
    ),
    Kind(
        "eval rate:",
        re.compile(r"^\s*(?:prompt )?eval rate:\s+[\d.]+ tokens/s"),
        "what ollama --verbose prints",
        "which says nothing of drafted or accepted tokens",
        "start ollama with OLLAMA_DEBUG=1 and save the log of its server",
    ),
    Kind(
        "tokens-per-sec",
        re.compile(r"^(?:Generation|Prompt): \d+ tokens, [\d.]+ tokens-per-sec"),
        "mlx_lm's output",
        "which says nothing of drafted or accepted tokens",
        "bring a response's timings, or a server's log",
    ),
    Kind(
        "t_critical",
        re.compile(r'"t_critical"\s*:'),
        "what AIPerf makes of several runs",
        "which has means of their figures alone",
        "name profile_export_aiperf.json of each run",
    ),
    Kind(
        "input_sequence_throughput",
        re.compile(r'"input_sequence_throughput"\s*:'),
        "a result of vllm bench for embeddings",
        "in which nothing was generated",
        "bring one of a model that generates",
    ),
    Kind(
        "bench_overrides",
        re.compile(r'"bench_overrides"\s*:'),
        "what vllm bench sweep notes of a run that failed",
        "in which nothing was measured",
        "name run=0.json or summary.json of the same sweep",
    ),
    Kind(
        "[ Prompt:",
        re.compile(r"^\[ Prompt: [\d.]+ t/s \| Generation: [\d.]+ t/s \]"),
        "llama-cli's output",
        "which says nothing of drafted or accepted tokens",
        _SERVER,
    ),
    Kind(
        "llama_p",
        re.compile(r"\b(?:llama_perf_context_print|llama_print_timings): "),
        "the times of llama-cli or another program of llama.cpp",
        "which say nothing of drafted or accepted tokens",
        _SERVER,
    ),
    Kind(
        "Generate:",
        re.compile(r"\bProcess:[\d.]+s \([\d.]+(?:T/s|ms/T)[^)]{0,40}\), ?Generate:[\d.]+s"),
        "koboldcpp's log",
        "which says nothing of drafted or accepted tokens",
        _SERVER,
    ),
    Kind(
        "Final estimate",
        re.compile(r"\bFinal estimate: PPL = "),
        "llama-perplexity's output",
        "which measures no speed",
        _SERVER,
    ),
    Kind(
        "-LLM]",
        re.compile(r"\[TensorRT-LLM\]"),
        "TensorRT-LLM's output",
        "an engine whose logs are not read",
        _SERVER,
    ),
    Kind(
        "PERFORMANCE OVERVIEW",
        re.compile(r"^= PERFORMANCE OVERVIEW\s*$"),
        "trtllm-bench's report",
        "an engine whose acceptance rates have no counts behind them",
        _SERVER,
    ),
    Kind(
        "Serving Benchmark Result",
        re.compile(r"^Backend: +sglang"),
        "sglang.bench_serving's report",
        "whose accept length counts the token that the target adds to every draft",
        _SERVER,
    ),
    Kind(
        "Stop reason:",
        re.compile(r"\btok/sec\b.{0,80}\btokens\b.{0,200}\bStop reason: "),
        "what LM Studio shows below an answer",
        "which has a rate and no times",
        "export the conversation as JSON and name its file",
    ),
    Kind(
        "accept len:",
        re.compile(r"\bDecode batch\b.{0,300}\baccept len: [\d.]+, accept rate: "),
        "SGLang's log",
        "whose accept rate counts the token that the target adds to every draft, and which has no "
        "counts of drafted and accepted tokens",
        _SERVER,
    ),
    Kind(
        "gen throughput",
        re.compile(r"\bDecode batch\b.{0,200}\bgen throughput \(token/s\)"),
        "SGLang's log without speculative decoding",
        "in which no line has an accept length",
        "start the server with --speculative-algorithm",
    ),
)

_LONGEST_LINE = 4000
_DIFFERENCE = re.compile(
    r"^(?:\d{1,9}(?:,\d{1,9})?[acd]\d{1,9}(?:,\d{1,9})?\n[<>] "
    r"|@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@)",
    re.MULTILINE,
)


def refuse_difference(head: Document) -> None:
    """Refuse what ``diff`` prints: figures of two logs, which would be taken for those of one."""
    if found := _DIFFERENCE.search(head.text):
        line = head.text.count("\n", 0, found.start()) + 1
        problem = "this is what diff prints, with lines of two logs"
        raise LogError(problem, "name each of the two logs", head.name, line)


def refusal(document: Document) -> LogError | None:
    """A refusal that names what a text is; null where that is not known either."""
    kinds = [kind for kind in KINDS if kind.fragment in document.text]
    for number, line in enumerate(document.lines if kinds else (), start=1):
        for kind in kinds:
            if kind.line.search(line[:_LONGEST_LINE]):
                problem = f"this is {kind.name}, {kind.reason}"
                return LogError(problem, kind.remedy, document.name, number)
    return None
