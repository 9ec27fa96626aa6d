"""What a run, a task result, a round and a finding are.

Records are what parsers give and everything later takes. They are frozen, they
know nothing of files being open, of campaigns or of statistics, and ``None``
always means *the source does not say*. Times are seconds, rates tokens per
second, counts tokens unless a name says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    # For annotations only: a command that reads no rounds must not wait for numpy.
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "ACCEPTANCE_DEFINITIONS",
    "BUILT_IN_WORKLOADS",
    "LOGGED",
    "POSITION_DEFINITIONS",
    "SPEC_TYPES",
    "WORKLOAD_ORDER",
    "Aggregate",
    "Finding",
    "Level",
    "Positions",
    "Rounds",
    "Run",
    "Source",
    "SteadyState",
    "Surroundings",
    "TaskResult",
    "forwards",
]

Level = Literal["error", "warning", "note"]

SPEC_TYPES = (
    "none",
    "draft-simple",
    "draft-eagle3",
    "draft-mtp",
    "draft-dflash",
    "draft-dspark",
    "ngram-simple",
    "ngram-map-k",
    "ngram-map-k4v",
    "ngram-mod",
    "ngram-cache",
)
"""llama-server's names for ``--spec-type``; a comma list chains several."""

BUILT_IN_WORKLOADS: Mapping[str, str] = {
    "code_python": "code",
    "code_cpp": "code",
    "code_completion": "code",
    "json_output": "code",
    "repeat_pattern": "code",
    "qa_factual": "reasoning",
    "stepwise_math": "reasoning",
    "long_reasoning": "reasoning",
    "summarize": "reasoning",
    "translation": "creative",
    "creative_short": "creative",
    "explain_concept": "explanation",
    "long_code_review": "explanation",
}
"""Workload class of each of the thirteen mtp-bench tasks."""

WORKLOAD_ORDER = ("code", "reasoning", "creative", "explanation")
"""From the most to the least predictable text; classes of a campaign's own come after."""


ACCEPTANCE_DEFINITIONS: Mapping[str, str] = {
    "accepted/drafted": "drafted tokens accepted up to the first rejected one, over all drafted "
    "tokens",
    "accepted/draft-steps": "drafted tokens accepted up to the first rejected one, over the steps "
    "of the draft model: a step that drafts a tree counts once for all its branches",
    "accepted-anywhere/drafted": "drafted tokens that match the target wherever they stand, also "
    "behind a rejected one, over all drafted tokens",
}
"""What an acceptance rate counts, by engine; rates of different ones are never pooled."""

POSITION_DEFINITIONS: Mapping[str, str] = {
    "all-rounds": "accepted at a position over all verification rounds: where drafts are cut "
    "short it falls even if every drafted token is accepted",
    "drafted-rounds": "accepted at a position over the rounds that drafted that position",
}
"""What an acceptance rate by position counts; curves of different ones are never pooled."""

LOGGED = "-confidence"
"""Ends the id of a run that is another one once more, for its drafts' confidences alone."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a figure stands in the raw data.

    `file` is the name as given to the reader (relative to the campaign folder
    for a campaign); lines count from 1 and are null where a format has none.
    """

    file: str
    first_line: int | None = None
    last_line: int | None = None

    def __str__(self) -> str:
        if self.first_line is None:
            return self.file
        if self.last_line is None or self.last_line == self.first_line:
            return f"{self.file}:{self.first_line}"
        return f"{self.file}:{self.first_line}-{self.last_line}"


@dataclass(frozen=True)
class Finding:
    """One thing a careful reader would say about the data.

    `code` is stable and listed by ``mtpbench explain``; `where` is a
    :class:`Source`, a run or a campaign, as text.
    """

    level: Level
    code: str
    where: str
    message: str


@dataclass(frozen=True, eq=False)
class Rounds:
    """The verification rounds of one request, in order, as parallel arrays.

    Attributes
    ----------
    drafted, accepted
        Tokens drafted and accepted in each round, shape (n,).
    at_s
        Seconds since the first timestamp of the log at which the round ended, shape (n,);
        null where the log has no clock.
    confidence
        Probability that the draft gave each token it chose, shape (n, deepest); NaN
        where none was drafted or none is logged. One that was dropped for its
        probability follows the drafted ones. Null where the log has none.
    whole_s
        When each round's draft was whole, as `at_s`, shape (n,); NaN where that is
        not logged. What comes after it is verification.
    """

    drafted: npt.NDArray[np.int32]
    accepted: npt.NDArray[np.int32]
    at_s: npt.NDArray[np.float64] | None = None
    confidence: npt.NDArray[np.float32] | None = None
    whole_s: npt.NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Positions:
    """Accepted counts or rates by draft position, as the source prints them.

    Attributes
    ----------
    rate
        Share accepted at position 1, 2, ….
    accepted
        The counts behind `rate`, where the source has them.
    rounds
        The denominator: verification rounds of the request.
    definition
        ``"all-rounds"`` (llama-server, vLLM) or ``"drafted-rounds"``
        (ik_llama.cpp), see :data:`POSITION_DEFINITIONS`.
    """

    rate: tuple[float, ...]
    accepted: tuple[int, ...] | None = None
    rounds: int | None = None
    definition: Literal["all-rounds", "drafted-rounds"] = "all-rounds"


@dataclass(frozen=True)
class Surroundings:
    """What else went on in the machine while it served a request.

    Attributes
    ----------
    other_load
        Processors that were busy with other programs, on average.
    cpu_mhz, gpu_mhz
        Clocks, averages over the request; of several GPUs, of all.
    watts
        Power, average over the request; of processor and GPUs, all that tell.
    throttled
        Whether anything was slowed down for its heat or its power meanwhile.
    """

    other_load: float | None = None
    cpu_mhz: float | None = None
    gpu_mhz: float | None = None
    throttled: bool | None = None
    watts: float | None = None


@dataclass(frozen=True)
class SteadyState:
    """What the clients of one server received while none of them was idle, by their clock.

    Attributes
    ----------
    tokens
        Of all requests, those that kept the server busy and are in no record included.
    seconds
        How long it lasted.
    """

    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One request, or one row that pools `pooled` requests of a task.

    The counts of a pooled row are sums and its `decode_tps` is a mean, over
    `pooled` requests that succeeded; `failed` more did not.

    `reported_rate` is the acceptance rate as printed, with `rate_decimals`
    digits behind the point; it is evidence for the audit and never used as a
    figure. `tokens` are the ids of the generated tokens, in order. A failed
    request has `error` and nulls. `workload` is the class that
    the source itself gives the task. `busy_s` is when a slot began it and was
    done with it, on the clock of its log; `started_s` when it began, in seconds
    since 1970, which orders the requests of different logs. `steady` says whether
    as many requests as the run's `concurrency` were under way all the time from its
    start to its end, and `tokens_s` when each of its tokens came, in seconds since then.
    `prompt_tokens` were processed for it; `cached_tokens` more of its prompt stood in a cache.
    """

    task: str
    source: Source
    repeat: int = 1
    predicted_tokens: int | None = None
    draft_tokens: int | None = None
    accepted_tokens: int | None = None
    reported_rate: float | None = None
    rate_decimals: int | None = None
    decode_tps: float | None = None
    decode_s: float | None = None
    wall_s: float | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    prompt_s: float | None = None
    first_token_s: float | None = None
    draft_s: float | None = None
    positions: Positions | None = None
    rounds: Rounds | None = None
    pooled: int = 1
    failed: int = 0
    error: str | None = None
    workload: str | None = None
    finish_reason: str | None = None
    output_hash: str | None = None
    tokens: tuple[int, ...] | None = None
    busy_s: tuple[float, float] | None = None
    started_s: float | None = None
    surroundings: Surroundings | None = None
    steady: bool | None = None
    tokens_s: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Aggregate:
    """The totals a source states for a run; `acceptance_rate` with `rate_decimals` digits.

    `wall_s` is the sum of the requests' wall times (mtp-bench's
    ``wall_s_total``); `elapsed_s` is client time from first to last request,
    which is shorter with several requests at once. `decode_s` and `decode_tps`
    are those of all requests together. `quoted_tps` is a throughput that the
    source states without its tokens and its time; `quoted_is_mean` where it
    says that it is a mean of rates. Neither is used as a figure.
    """

    source: Source
    n_requests: int | None = None
    predicted_tokens: int | None = None
    draft_tokens: int | None = None
    accepted_tokens: int | None = None
    acceptance_rate: float | None = None
    rate_decimals: int = 4
    wall_s: float | None = None
    elapsed_s: float | None = None
    decode_s: float | None = None
    decode_tps: float | None = None
    positions: Positions | None = None
    quoted_tps: float | None = None
    quoted_is_mean: bool = False


@dataclass(frozen=True)
class Run:
    """One configuration measured once or several times.

    `acceptance_definition` is a key of :data:`ACCEPTANCE_DEFINITIONS`. `cumulative`
    says that the counts are an engine's counters since it started, not those of
    one benchmark; `fresh_servers` that every repeat had a server started for it.
    A parser fills what its source says. A campaign adds what its author says
    (`id`, `label`, `spec_type`, `n_max`, …): see ``campaign.py``.

    `rate_convention` says over how many of its n tokens a request's decode
    time was divided: all, or all but the one that comes from prefill. Builds
    of llama.cpp differ. `bare` says that forwards were timed and nothing else: no server,
    no sampling, no prompts of anybody's. `drafts` and `draft_s` are how many drafts the
    server made and how long that took, of all requests together: side by side none can be
    told apart.

    `concurrency` is how many requests were under way at once, `max_tokens` the
    limit on a request's tokens, `context_tokens` how many stood before the first
    generated one, `request` what its requests said beside messages, limit and
    temperature: ``none``, or fields and values. `steady_states` are those of its servers,
    where several clients were measured at once.
    """

    source: Source
    format: str
    tasks: tuple[TaskResult, ...] = ()
    aggregate: Aggregate | None = None
    id: str = ""
    label: str | None = None
    command: str | None = None
    spec_type: str | None = None
    n_max: int | None = None
    p_min: float | None = None
    draft: str | None = None
    target: str | None = None
    build: str | None = None
    temperature: float | None = None
    concurrency: int | None = None
    max_tokens: int | None = None
    context_tokens: int | None = None
    prompt_set: str | None = None
    request: str | None = None
    synthetic: bool = False
    acceptance_definition: str = "accepted/drafted"
    cumulative: bool = False
    fresh_servers: bool = False
    rate_convention: Literal["n", "n-1"] | None = None
    bare: bool = False
    drafts: int | None = None
    draft_s: float | None = None
    steady_states: tuple[SteadyState, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def forwards(predicted: int, drafted: int, accepted: int, n_max: int | None) -> int:
    """Target forwards of one request after prefill.

    Every forward yields one token beyond those it accepts, and the first token
    comes from prefill: F = predicted - accepted - 1. A stop token inside an
    accepted draft makes that low by up to `n_max`, while a fixed depth needs
    at least ceil(drafted / n_max) forwards, so the larger of the two is taken.

    Parameters
    ----------
    predicted, drafted, accepted
        Token counts of the request.
    n_max
        Depth in effect; ``None`` or 0 when it is not known or nothing is drafted.

    Returns
    -------
    int
        At least 0.

    Examples
    --------
    >>> forwards(192, 160, 110, 2)
    81
    >>> forwards(36, 66, 15, 3)
    22
    >>> forwards(17, 0, 0, None)
    16
    """
    counted = max(predicted - accepted - 1, 0)
    return max(counted, -(-drafted // n_max)) if n_max else counted
