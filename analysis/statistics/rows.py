"""Rows of what was measured: which columns have a run, a task result and a verification round?"""

from __future__ import annotations

from dataclasses import dataclass

from analysis.statistics.columns import Column, column

__all__ = ["DERIVED", "RoundRow", "RunRow", "TaskRow"]


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A run: one configuration, its repeats pooled.

    A column that is made of others stands behind them; ``check`` looks from the end.
    """

    id: str = column("name of the run within the campaign", recorded=True)
    label: str = column("what the run is called", recorded=True)
    spec_type: str | None = column(
        "llama-server's --spec-type; none without speculation", recorded=True
    )
    n_max: int | None = column("depth: most tokens drafted per round", "tokens", recorded=True)
    p_min: float | None = column("least probability of a drafted token", "share", recorded=True)
    draft: str | None = column("draft model", reach="frame", recorded=True)
    baseline: bool = column("whether the campaign's speedups refer to this run")
    synthetic: bool = column("whether acceptance was made by chance: no real speed", recorded=True)
    repeats: int = column("how often each task was run", recorded=True)
    n_requests: int | None = column(
        "requests, failed ones included",
        recorded=True,
        words="requests",
        header=r"requests|n_requests",
    )
    predicted_tokens: int | None = column(
        "tokens generated",
        "tokens",
        header=r"(?:total )?(?:predicted|generated|output)(?: tokens)?",
    )
    draft_tokens: int | None = column(
        "tokens drafted",
        "tokens",
        words="drafted tokens",
        header=r"(?:total )?draft(?:ed)?(?: tokens)?(?: total)?",
    )
    accepted_tokens: int | None = column(
        "drafted tokens accepted",
        "tokens",
        header=r"(?:total )?(?:draft )?accepted(?: (?:draft )?tokens)?",
    )
    acceptance_rate: float | None = column(
        "accepted / drafted tokens",
        "share",
        header=r"(?:aggregate |draft )?accept(?:ance|ed)? ?(?:rate|%)|acceptance|accept_rate",
        digits=3,
    )
    forwards: int | None = column("target forwards after prefill", header=r"(?:target )?forwards")
    decode_s: float | None = column("time after prefill", "s", words="decode time", digits=2)
    decode_tps: float | None = column(
        "timed tokens (all but each request's first) / decode time",
        "tokens/s",
        words="decode throughput",
        header=r"(?:decode|per-task)(?: throughput)?(?:,? \(?tok/s\)?)?|tok/s|t/s|tokens/s"
        r"|throughput",
        digits=1,
    )
    ms_per_forward: float | None = column(
        "decode time / forwards; of a run that drafted nothing, of a plain step",
        "ms",
        words="milliseconds per forward",
        header=r"ms per (?:forward|step)|ms/forward",
        digits=2,
    )
    mean_accepted_length: float | None = column(
        "tokens per forward, bonus token included",
        "tokens",
        words="tokens per forward",
        header=r"(?:mean|average) accept(?:ed|ance) length|tokens per (?:forward|step)"
        r"|mean len(?:gth)?",
        digits=2,
    )
    wall_s: float | None = column(
        "wall time of the requests; of several at once, the time in which any was under way",
        "s",
        recorded=True,
        words="wall time",
        header=r"wall(?:[- ]?(?:clock)?)?(?:[- ]?time)?(?:,? \(?s\)?)?",
        digits=2,
    )
    non_decode_s: float | None = column("wall time - decode time", "s", reach="frame", digits=2)
    effective_tps: float | None = column(
        "predicted tokens / wall time, over the repeats that have both of every task",
        "tokens/s",
        words="effective throughput",
        header=r"effective(?: throughput)?(?:,? \(?tok/s\)?)?",
        digits=1,
    )
    aggregate_tps: float | None = column(
        "tokens of all requests / time in which requests, side by side, were being served",
        "tokens/s",
        recorded=True,
        words="aggregate throughput",
        digits=1,
    )
    joules_per_token: float | None = column(
        "mean power of what tells it (processor packages, GPUs), idle power included, over "
        "throughput; null where any request lacks it",
        "J/token",
        reach="store",
        words="energy per token",
        digits=2,
    )
    n_common_tasks: float | None = column("tasks that the baseline has too", reach="frame")
    ranked_tasks: int | None = column("tasks that runs are ranked on", reach="frame")
    missing_tasks: int | None = column("how many of them the run lacks", reach="frame")
    speedup: float | None = column(
        "effective throughput over the baseline's",
        "ratio",
        header=r"speed-?up|vs\.? baseline|relative speed",
        digits=3,
    )
    speedup_low: float | None = column("lower end of its 90 % interval", "ratio", digits=3)
    speedup_high: float | None = column("upper end of its 90 % interval", "ratio", digits=3)
    decode_speedup: float | None = column(
        "decode throughput over the baseline's", "ratio", header=r"decode speed-?up", digits=3
    )
    decode_speedup_low: float | None = column(
        "lower end of its 90 % interval", "ratio", reach="frame", digits=3
    )
    decode_speedup_high: float | None = column(
        "upper end of its 90 % interval", "ratio", reach="frame", digits=3
    )
    time_saved: float | None = column(
        "share of wall time saved on equal text",
        "share",
        reach="frame",
        header=r"time saved|saved time",
        digits=3,
    )
    geomean_task_speedup: float | None = column(
        "geometric mean of the tasks' decode speedups",
        "ratio",
        words="geometric mean of the tasks' speedups",
        header=r"geo(?:metric )?mean(?: of(?: the)? tasks?)?(?: speedup)?",
        digits=3,
    )
    geomean_task_speedup_low: float | None = column(
        "lower end of its 90 % interval", "ratio", reach="frame", digits=3
    )
    geomean_task_speedup_high: float | None = column(
        "upper end of its 90 % interval", "ratio", reach="frame", digits=3
    )
    step_cost_ratio: float | None = column(
        "time per forward over a plain step's",
        "ratio",
        header=r"r|step cost(?: ratio)?",
        digits=2,
    )
    break_even_acceptance: float | None = column(
        "acceptance rate above which it pays: (R - 1) / drafted tokens per forward",
        "share",
        words="break-even acceptance",
        header=r"break[- ]?even(?: acceptance)?(?: rate)?",
        digits=3,
    )
    unlike: str | None = column("conditions that are not the baseline's", reach="frame")
    temperature: float | None = column("sampling temperature", recorded=True)
    concurrency: int | None = column("requests at once", recorded=True)
    max_tokens: int | None = column(
        "limit on a request's tokens", "tokens", reach="frame", recorded=True
    )
    context_tokens: int | None = column(
        "tokens before the first generated one", "tokens", recorded=True
    )
    prompt_set: str | None = column("which prompts", recorded=True)
    build: str | None = column("llama.cpp build", recorded=True)
    definition: str | None = column("what acceptance counts", reach="store", recorded=True)
    source: str = column("file and lines of the raw data", recorded=True)


DERIVED = (
    Column(
        "drafted tokens that were rejected",
        "tokens",
        words="rejected drafts",
        header=r"wasted(?: drafts| tokens)?|rejected(?: tokens)?",
        name="wasted_tokens",
        kind="integer",
    ),
    Column(
        "accepted tokens / forwards",
        "tokens",
        words="accepted tokens per forward",
        header=r"accepted(?: tokens)? per (?:forward|round|step)",
        name="accepted_per_forward",
        kind="float",
    ),
    Column(
        "drafted tokens / forwards",
        "tokens",
        words="drafted tokens per forward",
        header=r"draft(?:ed)?(?: tokens)? per forward",
        name="drafted_per_forward",
        kind="float",
    ),
)
"""Figures of a run that a card states and no frame has; ``facts.RunFacts`` computes them."""


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    """A task result: one request, or a row of a log that pools several."""

    run: str = column("id of the run within the campaign", recorded=True)
    repeat: int = column("which repetition, from 1", recorded=True)
    start: int = column("which of the run's server starts, from 1", reach="frame", recorded=True)
    task: str = column("name of the prompt", recorded=True)
    workload: str = column("class of the task", recorded=True)
    predicted_tokens: int | None = column("tokens generated", "tokens", recorded=True)
    timed_tokens: int | None = column(
        "those that decode time was spent on: all but each request's first",
        "tokens",
        reach="frame",
        recorded=True,
    )
    draft_tokens: int | None = column("tokens drafted", "tokens", recorded=True)
    accepted_tokens: int | None = column("drafted tokens accepted", "tokens", recorded=True)
    acceptance_rate: float | None = column(
        "accepted / drafted tokens", "share", recorded=True, digits=3
    )
    decode_tps: float | None = column("decode rate", "tokens/s", recorded=True, digits=1)
    decode_s: float | None = column(
        "decode time; timed tokens / rate where not measured", "s", reach="store", recorded=True
    )
    wall_s: float | None = column("wall time of the request", "s", recorded=True, digits=2)
    watts: float | None = column(
        "mean power of processor packages and GPUs meanwhile, of those that tell",
        "W",
        reach="frame",
        recorded=True,
    )
    forwards: int | None = column("target forwards after prefill", recorded=True)
    mean_accepted_length: float | None = column(
        "tokens per forward, bonus token included", "tokens", recorded=True, digits=2
    )
    ms_per_forward: float | None = column(
        "decode time / forwards; of a request that drafted nothing, of a plain step",
        "ms",
        recorded=True,
        digits=2,
    )
    speedup: float | None = column(
        "decode rate over the baseline's on the same task", "ratio", digits=3
    )
    draft_s: float | None = column(
        "time spent drafting", "s", reach="store", recorded=True, digits=2
    )
    prompt_tokens: int | None = column(
        "tokens of the prompt that were processed", "tokens", reach="store", recorded=True
    )
    context_tokens: int | None = column(
        "tokens before the first generated one, those that were cached among them",
        "tokens",
        reach="store",
        recorded=True,
    )
    first_token_s: float | None = column(
        "time to the first token, as the client saw it",
        "s",
        reach="store",
        recorded=True,
        digits=2,
    )
    prompt_s: float | None = column(
        "time spent on the prompt", "s", reach="frame", recorded=True, digits=2
    )
    started_s: float | None = column(
        "when it began, since 1970: orders the requests of different logs",
        "s",
        reach="frame",
        recorded=True,
    )
    finish_reason: str | None = column("why generation ended", reach="frame", recorded=True)
    pooled: int = column("requests that the row sums", reach="store", recorded=True)
    synthetic: bool = column(
        "whether acceptance was made by chance: no real speed", reach="frame", recorded=True
    )
    error: str | None = column(
        "why the request failed; results.json has the key in failed requests only",
        reach="store",
        recorded=True,
    )
    definition: str = column("what acceptance counts", reach="frame", recorded=True)
    source: str = column("file and lines of the raw data", reach="store", recorded=True)


@dataclass(frozen=True, kw_only=True)
class RoundRow:
    """A verification round of a trace."""

    round: int = column("number of the verification round within the request, from 1")
    drafted: int = column("tokens drafted", "tokens")
    accepted: int = column("drafted tokens accepted", "tokens")
    at_s: float | None = column("time since the log's first timestamp at which it ended", "s")
