"""Rows of what is concluded from runs: positions, depths, points on an axis, advice, findings."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.statistics.columns import column

__all__ = [
    "DepthRow",
    "FindingRow",
    "PointRow",
    "PositionRow",
    "PredictedRow",
    "RecommendationRow",
    "TurnRow",
]


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
    basis: str | None = column(
        "expected (least loss); off, usual, fastest (hardly more)", reach="frame"
    )
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
