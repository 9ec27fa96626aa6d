"""The columns: what does each figure of a run, a task, a depth mean, and in which unit?

One class per kind of row, one field per column. Frames take their types from
here, results.json and the store their columns, the card its records, ``check``
the words by which it knows a figure, and notebooks the digits that they show;
docs/results.md and docs/store.md are held against it by a test.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, get_args, get_type_hints

__all__ = [
    "DERIVED",
    "Column",
    "DepthRow",
    "FindingRow",
    "PointRow",
    "PositionRow",
    "PredictedRow",
    "RecommendationRow",
    "RoundRow",
    "RunRow",
    "TaskRow",
    "TurnRow",
    "columns",
    "dtypes",
    "names",
]

Kind = Literal["text", "integer", "float", "boolean"]
Reach = Literal["results", "store", "frame"]

_KINDS: Mapping[type, Kind] = {str: "text", int: "integer", float: "float", bool: "boolean"}
_DTYPES: Mapping[tuple[Kind, bool], str] = {
    ("text", True): "object",
    ("text", False): "object",
    ("integer", True): "Int64",
    ("integer", False): "int64",
    ("float", True): "float64",
    ("float", False): "float64",
    ("boolean", True): "boolean",
    ("boolean", False): "bool",
}


@dataclass(frozen=True)
class Column:
    """What a column holds.

    Attributes
    ----------
    meaning
        For a reader of the data.
    unit
        ``s``, ``ms``, ``tokens``, ``tokens/s``, ``J/token``, ``ratio``, ``share`` (0 to 1),
        or empty.
    reach
        How far it goes: ``results`` is in results.json, the store and frames,
        ``store`` in the last two, ``frame`` in frames alone.
    recorded
        Whether it comes from the records, not from other columns.
    words
        What a sentence calls it; empty where that is its name.
    header
        Pattern of the words that mean it in a card's table or title; empty
        where no card states it.
    digits
        Digits behind the point in tables for readers.
    name, kind, nullable
        As its field in the row says.
    """

    meaning: str
    unit: str = ""
    reach: Reach = "results"
    recorded: bool = False
    words: str = ""
    header: str = ""
    digits: int = 0
    name: str = ""
    kind: Kind = "text"
    nullable: bool = True

    @property
    def spoken(self) -> str:
        """What a sentence calls it."""
        return self.words or self.name.replace("_", " ")

    @property
    def dtype(self) -> str:
        """Its type in a frame."""
        return _DTYPES[self.kind, self.nullable]

    def shown(self, value: float) -> str:
        """A value with the digits of tables for readers."""
        return f"{value:.{self.digits}f}"


def column(meaning: str, unit: str = "", **settings: Any) -> Any:
    """A field of a row, null unless given."""
    return field(default=None, metadata={"column": Column(meaning, unit, **settings)})


@cache
def columns(row: type, reach: Reach = "frame") -> tuple[Column, ...]:
    """Columns of a kind of row that go at least this far, in the order of its fields.

    Examples
    --------
    >>> [(one.name, one.kind, one.nullable) for one in columns(RunRow, "results")[:4]]
    [('id', 'text', False), ('label', 'text', False), ('spec_type', 'text', True), \
('n_max', 'integer', True)]
    """
    order = get_args(Reach)
    hints = get_type_hints(row)
    found = []
    for one in fields(row):
        known = get_args(hints[one.name]) or (hints[one.name],)
        kind = next(_KINDS[item] for item in known if item is not types.NoneType)
        stated: Column = one.metadata["column"]
        if order.index(stated.reach) <= order.index(reach):
            nullable = types.NoneType in known
            found.append(replace(stated, name=one.name, kind=kind, nullable=nullable))
    return tuple(found)


def names(row: type, reach: Reach = "frame") -> tuple[str, ...]:
    """Names of these columns."""
    return tuple(one.name for one in columns(row, reach))


def dtypes(row: type) -> dict[str, str]:
    """Name to pandas type of the columns that come from the records."""
    return {one.name: one.dtype for one in columns(row) if one.recorded}


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


@dataclass(frozen=True, kw_only=True)
class PositionRow:
    """A position within the drafts of a method."""

    method: str = column("--spec-type of the runs")
    task: str | None = column("name of the prompt; null: all tasks together")
    position: int = column("place in the draft, from 1")
    survival: float | None = column(
        "rounds whose draft is accepted up to and including it, over all rounds", "share", digits=3
    )
    low: float | None = column("lower end of its 90 % interval, or least possible", "share")
    high: float | None = column("upper end of its 90 % interval, or most possible", "share")
    conditional: float | None = column(
        "probability that it is accepted once all before it are", "share", digits=3
    )
    source: str = column("measured (rounds or positions were counted) or inferred (from depths)")


@dataclass(frozen=True, kw_only=True)
class DepthRow:
    """A depth of a method, up to three beyond the deepest measured."""

    method: str = column("--spec-type of the runs")
    workload: str | None = column("class of the tasks; null: all together")
    n_max: int = column("depth: most tokens drafted per round", "tokens")
    ms_per_forward: float | None = column("time of a forward", "ms", digits=2)
    source: str = column("measured (a run has this depth) or predicted")
    step_cost_ratio: float | None = column(
        "time per forward over a plain step's", "ratio", digits=2
    )
    break_even_acceptance: float | None = column(
        "acceptance rate above which it pays: (R - 1) / drafted tokens per forward",
        "share",
        digits=3,
    )
    mean_accepted_length: float | None = column(
        "tokens per forward, bonus token included", "tokens", digits=2
    )
    decode_tps: float | None = column(
        "decode throughput by the model, also where it was measured", "tokens/s", digits=1
    )
    low: float | None = column("lower end of its 90 % interval", "tokens/s", digits=1)
    high: float | None = column("upper end of its 90 % interval", "tokens/s", digits=1)


@dataclass(frozen=True, kw_only=True)
class PointRow:
    """A run at its values of requests at once, context and temperature."""

    run: str = column("id of the run")
    series: str = column("id by which the configuration is known at all values")
    baseline: str = column("id of the run without speculation at the same values")
    concurrency: float | None = column("requests at once")
    context_tokens: float | None = column("tokens of context before the task", "tokens")
    temperature: float | None = column("sampling temperature")
    at_once: float | None = column("requests under way on average")
    effective_tps: float | None = column(
        "predicted tokens / wall time; of several at once, with each prompt once, however "
        "often it kept the server busy",
        "tokens/s",
        digits=1,
    )
    aggregate_tps: float | None = column(
        "tokens of all requests / time in which requests, side by side, were being served",
        "tokens/s",
        digits=1,
    )
    joules_per_token: float | None = column(
        "mean power / throughput, of what tells its power", "J/token", digits=2
    )
    decode_tps: float | None = column(
        "of one request: timed tokens / decode time", "tokens/s", digits=1
    )
    speedup: float | None = column(
        "effective throughput over that of `baseline`", "ratio", digits=3
    )
    speedup_low: float | None = column("lower end of its 90 % interval", "ratio", digits=3)
    speedup_high: float | None = column("upper end of its 90 % interval", "ratio", digits=3)
    decode_speedup: float | None = column(
        "decode throughput over that of `baseline`", "ratio", digits=3
    )
    decode_speedup_low: float | None = column("lower end of its 90 % interval", "ratio", digits=3)
    decode_speedup_high: float | None = column("upper end of its 90 % interval", "ratio", digits=3)
    acceptance_rate: float | None = column("accepted / drafted tokens", "share", digits=3)
    mean_accepted_length: float | None = column(
        "tokens per forward, bonus token included", "tokens", digits=2
    )
    first_token_s_p50: float | None = column("time to the first token, median", "s", digits=2)
    first_token_s_p90: float | None = column(
        "the same, of which 90 % of the requests stay below; null for fewer than 10", "s", digits=2
    )
    first_token_s_p99: float | None = column(
        "the same for 99 %; null for fewer than 100", "s", digits=2
    )
    ms_per_token_p50: float | None = column(
        "time per token after the first, median", "ms", digits=2
    )
    ms_per_token_p90: float | None = column(
        "the same, of which 90 % of the requests stay below; null for fewer than 10", "ms", digits=2
    )
    ms_per_token_p99: float | None = column(
        "the same for 99 %; null for fewer than 100", "ms", digits=2
    )


@dataclass(frozen=True, kw_only=True)
class TurnRow:
    """Where a speedup over an axis goes through 1, or that it does not."""

    axis: str = column("concurrency, context_tokens or temperature")
    series: str = column("id by which the configuration is known at all values")
    concurrency: float | None = column("requests at once; null where it is the axis")
    context_tokens: float | None = column("tokens of context; null where it is the axis", "tokens")
    temperature: float | None = column("sampling temperature; null where it is the axis")
    figure: str = column("speedup (effective) or decode_speedup")
    turn: str = column(
        "stops (pays below `value`), starts (pays above it), pays or never (all over)"
    )
    value: float | None = column("on the axis; null: not within what was measured", digits=1)
    low: float | None = column(
        "lower end of its 90 % interval; null: not within what was measured", digits=1
    )
    high: float | None = column("upper end of it", digits=1)
    least: float = column("least value measured")
    most: float = column("largest value measured")


@dataclass(frozen=True, kw_only=True)
class PredictedRow:
    """What twice as many requests at once would give, by what a forward costs."""

    series: str = column("id by which the configuration is known at all values")
    concurrency: float = column("requests at once, twice the most that were measured")
    context_tokens: float | None = column("tokens of context", "tokens")
    temperature: float | None = column("sampling temperature")
    effective_tps: float | None = column("aggregate throughput, predicted", "tokens/s", digits=1)
    low: float | None = column("lower end of its 90 % interval", "tokens/s", digits=1)
    high: float | None = column("upper end of its 90 % interval", "tokens/s", digits=1)
    plain_tps: float | None = column("the same without speculation", "tokens/s", digits=1)
    plain_low: float | None = column("lower end of its 90 % interval", "tokens/s", digits=1)
    plain_high: float | None = column("upper end of its 90 % interval", "tokens/s", digits=1)
    speedup: float | None = column("the first over the second", "ratio", digits=3)
    speedup_low: float | None = column("lower end of its 90 % interval", "ratio", digits=3)
    speedup_high: float | None = column("upper end of its 90 % interval", "ratio", digits=3)


@dataclass(frozen=True, kw_only=True)
class RecommendationRow:
    """What to run for a class of tasks, and for all of them."""

    workload: str | None = column("class of the tasks; null: all together")
    run: str | None = column("id of the run; null: leave speculation off")
    spec_type: str | None = column("its --spec-type")
    n_max: int | None = column("its depth", "tokens")
    expected_speedup: float | None = column(
        "decode throughput over the baseline's", "ratio", digits=3
    )
    low: float | None = column("lower end of its 90 % interval", "ratio", digits=3)
    high: float | None = column("upper end of its 90 % interval", "ratio", digits=3)
    reason: str = column("why, in words")
    closest: str | None = column(
        "id of the run that the same rule takes of those with speculation", reach="frame"
    )
    fastest: str | None = column("id of the run with the highest measured rate", reach="frame")
    basis: str | None = column("expected (least loss) or smaller (hardly more)", reach="frame")
    p_min: float | None = column("its confidence threshold", reach="frame", digits=2)
    replayed_run: str | None = column(
        "id of the run whose log predicts a better setting, that no run had; null: none",
        reach="frame",
    )
    replayed_n_max: int | None = column("that setting's depth", "tokens", reach="frame")
    replayed_p_min: float | None = column(
        "its confidence threshold; 0: none", reach="frame", digits=2
    )
    replayed_tps: float | None = column(
        "its decode throughput, predicted", "tokens/s", reach="frame", digits=1
    )
    replayed_speedup: float | None = column(
        "the same over the baseline's", "ratio", reach="frame", digits=3
    )
    replayed_low: float | None = column(
        "lower end of its 90 % interval", "ratio", reach="frame", digits=3
    )
    replayed_high: float | None = column(
        "upper end of its 90 % interval", "ratio", reach="frame", digits=3
    )
    replayed_advised: bool | None = column(
        "whether it is predicted to be better than no speculation too", reach="frame"
    )


@dataclass(frozen=True, kw_only=True)
class FindingRow:
    """What the audit says."""

    level: str = column("error, warning or note")
    code: str = column("stable name of the finding, see mtpbench explain")
    where: str = column("file, run or campaign")
    message: str = column("what a careful reader would say")
