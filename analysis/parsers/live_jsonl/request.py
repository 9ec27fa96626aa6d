"""What does a record of ``mtpbench run`` say of one request?"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from analysis.parsers.live_jsonl.fields import listed, name_in
from analysis.parsers.text.grammar import as_count, as_measure
from analysis.records import Positions, Rounds, Source, Surroundings, TaskResult

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["answered", "failed"]

_DEEPEST = 1024
"""No drafter goes deeper; a longer row is no draft."""


def answered(
    record: Mapping[str, Any], task: str, repeat: int, source: Source, started: str | None
) -> TaskResult:
    """A request that has an answer; `started` is when the run's record was written."""
    timings = record.get("timings")
    timings = timings if isinstance(timings, dict) else {}
    return TaskResult(
        task,
        source,
        repeat=repeat,
        workload=name_in(record, "workload"),
        predicted_tokens=as_count(record.get("predicted_tokens")),
        draft_tokens=as_count(record.get("draft_tokens")),
        accepted_tokens=as_count(record.get("accepted_tokens")),
        decode_tps=as_measure(timings.get("predicted_per_second")),
        decode_s=_seconds(timings.get("predicted_ms")),
        wall_s=as_measure(record.get("wall_s")),
        prompt_tokens=as_count(record.get("prompt_tokens")),
        cached_tokens=as_count(timings.get("cache_n")),
        prompt_s=_seconds(timings.get("prompt_ms")),
        first_token_s=as_measure(record.get("first_token_s")),
        draft_s=as_measure(record.get("draft_s")),
        positions=_positions(record.get("positions")),
        rounds=_rounds(record.get("rounds")),
        finish_reason=name_in(record, "finish_reason"),
        output_hash=name_in(record, "output_hash"),
        tokens=_counts(record.get("tokens")),
        busy_s=_busy_s(record),
        started_s=_started_s(record, started),
        surroundings=_surroundings(record.get("surroundings")),
        steady=record["steady"] if type(record.get("steady")) is bool else None,
        tokens_s=_times(record.get("tokens_s")),
    )


def failed(record: Mapping[str, Any], task: str, repeat: int, source: Source) -> TaskResult:
    """A request that has none."""
    said = [part for part in (name_in(record, "kind"), name_in(record, "message")) if part]
    return TaskResult(
        task,
        source,
        repeat=repeat,
        workload=name_in(record, "workload"),
        error=": ".join(said) or "failed",
    )


def _times(value: object) -> tuple[float, ...] | None:
    if not isinstance(value, list):
        return None
    found = [as_measure(item) for item in value]
    known = tuple(time for time in found if time is not None)
    return known if len(known) == len(found) else None


def _busy_s(record: Mapping[str, Any]) -> tuple[float, float] | None:
    at, wall = as_measure(record.get("at_s")), as_measure(record.get("wall_s"))
    return None if at is None or wall is None else (at, at + wall)


def _started_s(record: Mapping[str, Any], started: str | None) -> float | None:
    """When a request began; the server was ready a little after the run's record."""
    at = as_measure(record.get("at_s"))
    try:
        return datetime.fromisoformat(started or "").timestamp() + at if at is not None else None
    except (ValueError, OverflowError):
        return None


def _surroundings(value: object) -> Surroundings | None:
    if not isinstance(value, dict):
        return None
    gpus = [gpu for gpu in listed(value.get("gpus")) if isinstance(gpu, dict)]
    clocks = [clock for gpu in gpus if (clock := as_measure(gpu.get("mhz"))) is not None]
    reasons = [gpu["throttled"] for gpu in gpus if isinstance(gpu.get("throttled"), list)]
    heat = as_measure(value.get("cpu_throttles"))
    said = [as_measure(value.get("cpu_w")), *(as_measure(gpu.get("w")) for gpu in gpus)]
    watts = [power for power in said if power is not None]
    return Surroundings(
        as_measure(value.get("other_load")),
        as_measure(value.get("cpu_mhz")),
        sum(clocks) / len(clocks) if clocks else None,
        bool(heat) or any(reasons) if reasons or heat is not None else None,
        sum(watts) if watts else None,
    )


def _seconds(milliseconds: object) -> float | None:
    value = as_measure(milliseconds)
    return None if value is None else value / 1000


def _positions(value: object) -> Positions | None:
    if not isinstance(value, dict):
        return None
    accepted = _counts(value.get("accepted"))
    rounds = as_count(value.get("rounds"))
    # Where nothing was drafted there is no rate to speak of.
    if accepted is None or not rounds or any(count > rounds for count in accepted):
        return None
    return Positions(tuple(count / rounds for count in accepted), accepted, rounds)


def _rounds(value: object) -> Rounds | None:
    if not isinstance(value, dict):
        return None
    drafted, accepted = _counts(value.get("drafted")), _counts(value.get("accepted"))
    if drafted is None or accepted is None or len(drafted) != len(accepted):
        return None
    import numpy as np  # noqa: PLC0415 - a file without rounds must not wait for it

    at = value.get("at_s")
    times = [as_measure(time) for time in at] if isinstance(at, list) else [None]
    known = [time for time in times if time is not None]
    return Rounds(
        np.array(drafted, dtype=np.int32),
        np.array(accepted, dtype=np.int32),
        np.array(known, dtype=np.float64) if len(known) == len(drafted) else None,
        _confidence(value.get("confidence"), len(drafted)),
    )


def _confidence(rows: object, rounds: int) -> npt.NDArray[np.float32] | None:
    """Probabilities of each round's tokens as an array; null where they are not probabilities."""
    if not isinstance(rows, list) or len(rows) != rounds:
        return None
    import numpy as np  # noqa: PLC0415 - a file without rounds must not wait for it

    width = max((len(row) for row in rows if isinstance(row, list)), default=0)
    if not 0 < width <= _DEEPEST:
        return None
    out = np.full((rounds, width), np.nan, np.float32)
    for at, row in enumerate(rows):
        found = [as_measure(value) for value in row] if isinstance(row, list) else [None]
        if any(value is None or value > 1 for value in found):
            return None
        out[at, : len(found)] = found
    return out


def _counts(value: object) -> tuple[int, ...] | None:
    if not isinstance(value, list):
        return None
    found = [as_count(item) for item in value]
    known = tuple(count for count in found if count is not None)
    return known if len(known) == len(found) else None
